"""A lesson as it is lived, without ROS: its journal, its questions in words, its open ends."""
