"""Where the robot is by its odometry, which drifts."""

from __future__ import annotations

import math
from collections.abc import Callable

from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.driving.pose import Pose, Velocity
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg, stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.robot.cmd_vel import velocity_to_msg

SHORTEST_QUATERNION = 1e-6
SAME_CLOCK_S = 60.0     # clocks that differ by more are not meant to agree


class OdometrySource:
    """
    Takes what the robot reports, moved by the parameter ``odom_to_map``. A ``PoseSource``.

    Subscribes: odom (nav_msgs/Odometry).
    """

    def __init__(self, node: BaseNode, on_pose: Callable[[], None]) -> None:
        """:param on_pose: is called whenever there is a new pose."""
        self.pose: Pose | None = None
        self.frame = ''
        self.seen_at = -math.inf
        self._node, self._on_pose = node, on_pose
        node.subscribe(Odometry, names.ODOM, self._on_odom, qos.STREAM)

    def _on_odom(self, message: Odometry) -> None:
        if self._node.parameters is None:
            return
        pose, self.frame, stamp = odometry_from_msg(message)
        self.pose = pose.after(Pose(*self._node.parameters.odom_to_map))
        self.seen_at = self._node.steady() - self._age_s(stamp)
        self._on_pose()

    def _age_s(self, stamp: int) -> float:
        """
        Return how long a message has been on its way [s].

        Nobody can tell of one without a stamp, or of a robot whose clock is not meant to agree.
        """
        age_s = (self._node.stamp() - stamp) * 1e-9
        return age_s if stamp and 0.0 < age_s < SAME_CLOCK_S else 0.0


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
