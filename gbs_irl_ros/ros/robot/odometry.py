"""Where the robot is by its odometry, which drifts."""

from __future__ import annotations

import math
from collections.abc import Callable

from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Pose, Velocity
from gbs_irl_ros.driving.pose_trouble import FutureStampError, Stamps, Trouble
from gbs_irl_ros.driving.transform_tree import unit, yaw_of
from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg, stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.robot.cmd_vel import velocity_to_msg


class OdometrySource:
    """
    Takes what the robot reports, moved by the parameter ``odom_to_map``. A ``PoseSource``.

    The frame in which it reports must stay the same, or be the one that the parameter
    ``expected_odom_frame`` names: poses of two publishers in two frames would lead anywhere.

    Subscribes: odom (nav_msgs/Odometry).

    odometry: what it reports, as it is. stamp: of that [ns]; when it came where it has none.
    """

    name = 'odometry'

    def __init__(self, node: BaseNode, on_pose: Callable[[], None]) -> None:
        """:param on_pose: is called whenever there is a new pose."""
        self.pose: Pose | None = None
        self.odometry: Pose | None = None
        self.stamp = 0
        self.frame = ''
        self.seen_at = -math.inf
        self._node, self._on_pose = node, on_pose
        self._trouble, self._stamps = Trouble(), Stamps()
        node.subscribe(Odometry, names.ODOM, self._on_odom, qos.STREAM)

    def trouble(self, now: float) -> Reason | None:
        """Return what was wrong with the last messages, None if nothing."""
        return self._trouble.current(now)

    def _on_odom(self, message: Odometry) -> None:
        parameters, now = self._node.parameters, self._node.steady()
        if parameters is None:
            return
        try:
            pose, frame, stamp = odometry_from_msg(message)
        except GbsIrlError as error:
            self._trouble.report((ExecutionReason.POSE_INVALID, (names.ODOM, str(error))), now)
            raise
        expected = parameters.expected_odom_frame or self.frame or frame
        if frame and frame != expected:
            self._trouble.report(
                (ExecutionReason.WRONG_FRAME, (names.ODOM, frame, expected)), now)
            return
        try:
            self.seen_at = self._stamps.seen_at(stamp, self._node.stamp(), now)
        except FutureStampError as error:
            self._trouble.report((ExecutionReason.POSE_INVALID, (names.ODOM, str(error))), now)
            raise
        self.frame = frame or self.frame
        self.odometry, self.stamp = pose, stamp or self._node.stamp()
        self.pose = pose.after(Pose(*parameters.odom_to_map))
        self._on_pose()


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
    return yaw_of(unit((x, y, z, w)))
