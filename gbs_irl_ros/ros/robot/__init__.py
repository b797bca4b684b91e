"""The robot over ROS: how it is driven, and how it says where it is."""
