"""The teaching page and its server, without ROS."""
