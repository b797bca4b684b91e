"""What ros_gz_bridge carries between ROS and Gazebo, as the file it reads."""

from __future__ import annotations

TO_ROS, TO_GAZEBO = 'GZ_TO_ROS', 'ROS_TO_GZ'
LASER = ('scan', 'sensor_msgs/msg/LaserScan', 'gz.msgs.LaserScan', TO_ROS)


def bridge_text(*, stamped: bool, laser: bool, comment: str) -> str:
    """
    Return the text of a bridge file.

    Names but that of the clock are relative: the bridge puts its own namespace in front, on the
    side of Gazebo, too, if its parameter ``expand_gz_topic_names`` is true.

    :param stamped: commands come as TwistStamped.
    :param comment: the first line.
    """
    command = 'TwistStamped' if stamped else 'Twist'
    entries = [
        ('/clock', 'rosgraph_msgs/msg/Clock', 'gz.msgs.Clock', TO_ROS),
        ('cmd_vel', f'geometry_msgs/msg/{command}', 'gz.msgs.Twist', TO_GAZEBO),
        ('odom', 'nav_msgs/msg/Odometry', 'gz.msgs.Odometry', TO_ROS),
        ('tf', 'tf2_msgs/msg/TFMessage', 'gz.msgs.Pose_V', TO_ROS),
        *([LASER] if laser else [])]
    return f'# {comment}\n' + ''.join(
        f'- ros_topic_name: {name}\n'
        f'  gz_topic_name: {name}\n'
        f'  ros_type_name: {ros}\n'
        f'  gz_type_name: {gazebo}\n'
        f'  direction: {direction}\n' for name, ros, gazebo, direction in entries)
