"""The robot's side, without ROS: where it is, whether it may move and where it goes."""
