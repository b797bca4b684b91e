"""The teacher's side, without ROS: open questions, answers, texts, keys and paths."""
