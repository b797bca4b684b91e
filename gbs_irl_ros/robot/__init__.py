"""A body for a task, still without ROS: cells and poses, motion, control, key tables."""
