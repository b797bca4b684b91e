"""Between the messages that any mobile base speaks and poses and velocities."""

from __future__ import annotations

import math
from typing import Union

from geometry_msgs.msg import Quaternion, Twist, TwistStamped
from nav_msgs.msg import Odometry

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.driving.pose import Pose, Velocity
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg, stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text

SHORTEST_QUATERNION = 1e-6

Command = Union[Twist, TwistStamped]


def velocity_to_msg(velocity: Velocity) -> Twist:
    """Return a Twist."""
    message = Twist()
    message.linear.x = real('linear.x', velocity.forward)
    message.angular.z = real('angular.z', velocity.turn)
    return message


def command_to_msg(velocity: Velocity, *, stamped: bool, stamp: int, frame_id: str) -> Command:
    """Return a velocity command in the one form or the other."""
    if not stamped:
        return velocity_to_msg(velocity)
    message = TwistStamped(twist=velocity_to_msg(velocity))
    message.header.stamp = stamp_to_msg(stamp)
    message.header.frame_id = text('frame_id', frame_id)
    return message


def command_from_msg(message: Command) -> Velocity:
    """Return the velocity that a command asks for; raise if it is not finite."""
    twist = message.twist if isinstance(message, TwistStamped) else message
    return Velocity(twist.linear.x, twist.angular.z)


def odometry_to_msg(pose: Pose, velocity: Velocity, *, stamp: int, frame_id: str,
                    child_frame_id: str) -> Odometry:
    """Return an Odometry message."""
    message = Odometry()
    message.header.stamp = stamp_to_msg(stamp)
    message.header.frame_id = text('frame_id', frame_id)
    message.child_frame_id = text('child_frame_id', child_frame_id)
    message.pose.pose.position.x = real('x', pose.x)
    message.pose.pose.position.y = real('y', pose.y)
    message.pose.pose.orientation = yaw_to_msg(pose.yaw)
    message.twist.twist = velocity_to_msg(velocity)
    return message


def odometry_from_msg(message: Odometry) -> tuple[Pose, str, int]:
    """
    Return where the robot says that it is, in which frame, and when [ns].

    Raise if it is not a pose.
    """
    position, orientation = message.pose.pose.position, message.pose.pose.orientation
    return (Pose(position.x, position.y, yaw_from_msg(orientation)), message.header.frame_id,
            stamp_from_msg(message.header.stamp))


def yaw_to_msg(yaw: float) -> Quaternion:
    """Return a rotation about the vertical axis."""
    return Quaternion(z=real('yaw', math.sin(yaw / 2.0)), w=real('yaw', math.cos(yaw / 2.0)))


def yaw_from_msg(quaternion: Quaternion) -> float:
    """Return the rotation about the vertical axis [rad]; raise if it is not a rotation."""
    x, y, z, w = quaternion.x, quaternion.y, quaternion.z, quaternion.w
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not (math.isfinite(length) and length > SHORTEST_QUATERNION):
        raise InvalidRecordError(f'the orientation must be a rotation, got ({x}, {y}, {z}, {w})')
    x, y, z, w = x / length, y / length, z / length, w / length
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
