"""Ways to get a robot to the next cell."""
