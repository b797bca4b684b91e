"""What a laser scanner sees, for a robot that stops for what is in its way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sensor_msgs.msg import LaserScan

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.obstacles import SCAN_TIMEOUT_S, Body, ObstacleWatch, Scan
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.driving.pose_trouble import Stamps
from gbs_irl_ros.ros import qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg
from gbs_irl_ros.ros.parameters import parameter


@dataclass(frozen=True)
class ScanParameters(NodeParameters):
    """Parameters of a node that stops for what is in the way."""

    scan_topic: str = parameter(
        '', 'Topic of a laser scanner (sensor_msgs/LaserScan), for the drive "steering"; empty: '
        'nothing is seen.', fixed=True)
    stop_distance: float = parameter(
        0.5, 'Stop when the robot would touch something after this way [m].', low=0.01, high=10.0)
    robot_radius: float = parameter(
        0.2, 'Radius of the robot [m]: half the width that it needs.', low=0.01, high=10.0)
    laser_pose: tuple = parameter(
        (0.0, 0.0, 0.0), 'Where the laser scanner is on the robot: x, y [m], yaw [rad].')
    scan_timeout: float = parameter(
        SCAN_TIMEOUT_S, 'Stop when the last scan is older than this [s].', low=0.05, high=5.0)


class ScanWatch(ObstacleWatch):
    """
    Tells whether something is in the way, by the scans of a topic.

    Subscribes: the topic of the parameter scan_topic (sensor_msgs/LaserScan).
    """

    def __init__(self, node: BaseNode, topic: str) -> None:
        """:param topic: of the scanner."""
        super().__init__(topic)
        self._node, self._stamps = node, Stamps()
        node.subscribe(LaserScan, topic, self._on_scan, qos.STREAM)

    def _on_scan(self, message: LaserScan) -> None:
        parameters = self._node.parameters
        if parameters is None:
            return
        self.body = Body(parameters.robot_radius, Pose(*parameters.laser_pose))
        self.stop_distance, self.timeout_s = parameters.stop_distance, parameters.scan_timeout
        try:
            scan, stamp = scan_from_msg(message)
            seen_at = self._stamps.seen_at(stamp, self._node.stamp(), self._node.steady())
        except GbsIrlError as error:
            self.see_problem(str(error))
            raise
        self.see(scan, seen_at)


def scan_from_msg(message: LaserScan) -> tuple[Scan, int]:
    """Return what a scanner saw, and when [ns]; raise if it cannot be a scan."""
    scan = Scan.of(np.asarray(message.ranges, dtype=float), first_angle=message.angle_min,
                   increment=message.angle_increment, nearest=message.range_min,
                   farthest=message.range_max)
    return scan, stamp_from_msg(message.header.stamp)
