"""Where the robot is by its odometry, which drifts."""

from __future__ import annotations

import math
from collections.abc import Callable

from nav_msgs.msg import Odometry

from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import motion_conversions

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
        pose, self.frame, stamp = motion_conversions.odometry_from_msg(message)
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
