"""Where the robot is by its odometry, which drifts."""

from __future__ import annotations

import math
from collections.abc import Callable

from nav_msgs.msg import Odometry

from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import motion_conversions


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
        # It may have been on its way for long. Without a stamp nobody can tell.
        age_s = max(self._node.stamp() - stamp, 0) * 1e-9 if stamp else 0.0
        self.seen_at = self._node.steady() - age_s
        self._on_pose()
