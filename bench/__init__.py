"""Measurements of speed and memory: `make bench`, or a file alone by `tools/ros-env python`."""
