"""A lesson, without ROS: its events, its journal, its state and its next question."""
