"""Tasks as worlds of Gazebo, with a robot in them and the same task as a map of Nav2."""

from gbs_irl_ros.tasks.gazebo.files import WorldFiles, check_world, write_world
from gbs_irl_ros.tasks.gazebo.robot import RobotShape, WorldError

__all__ = ['RobotShape', 'WorldError', 'WorldFiles', 'check_world', 'write_world']
