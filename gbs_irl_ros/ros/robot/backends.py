"""The ways to drive a robot and to know where it is, by name; a new one is a line in a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gbs_irl_ros.driving.drive import Drive, SteeringDrive
from gbs_irl_ros.driving.gate import ODOMETRY_TIMEOUT_S
from gbs_irl_ros.driving.guarded_drive import GuardedSteeringDrive
from gbs_irl_ros.driving.pose import Limits, PoseSource
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.robot.auto_pose import AutoPoseSource
from gbs_irl_ros.ros.robot.cmd_vel import CmdVel, CommandParameters, FrameParameters
from gbs_irl_ros.ros.robot.nav2 import Nav2Parameters, make_nav2_drive
from gbs_irl_ros.ros.robot.odometry import OdometrySource
from gbs_irl_ros.ros.robot.pose_topic import DEFAULT_TOPIC, PoseTopicSource
from gbs_irl_ros.ros.robot.scan import ScanParameters, ScanWatch
from gbs_irl_ros.ros.robot.tf import TfSource

DRIVES: dict[str, Callable[[BaseNode, CmdVel], Drive]] = {
    'steering': lambda node, cmd_vel: _steering(node, cmd_vel),
    'nav2': make_nav2_drive,
}
POSE_SOURCES: dict[str, Callable[[BaseNode, Callable[[], None]], PoseSource]] = {
    'auto': AutoPoseSource,
    'tf': TfSource,
    'pose_topic': PoseTopicSource,
    'odometry': OdometrySource,
}


@dataclass(frozen=True)
class PoseParameters(FrameParameters):
    """Parameters of a node that must know where the robot is."""

    pose_source: str = parameter(
        'auto', 'How the position of the robot is known; auto: the first of tf, pose_topic and '
        'odometry that is there.', choices=list(POSE_SOURCES), fixed=True)
    pose_topic: str = parameter(
        DEFAULT_TOPIC, 'Where a localisation publishes poses with covariance.', fixed=True)
    map_frame: str = parameter('map', 'Frame of the task, in tf and in the poses on pose_topic.')
    expected_odom_frame: str = parameter(
        '', 'Frame of the odometry; empty: whatever it has first, as long as it stays the same.')
    odom_to_map: tuple = parameter(
        (0.0, 0.0, 0.0),
        'Pose of the odometry frame in the frame of the task: x, y [m], yaw [rad]; for odometry '
        'alone.')
    max_pose_spread: float = parameter(
        0.35, 'Stop when the standard deviation of the position is larger than this [m].',
        low=0.01, high=100.0)
    max_yaw_spread: float = parameter(
        0.5, 'Stop when the standard deviation of the direction is larger than this [rad].',
        low=0.01, high=10.0)
    odometry_timeout: float = parameter(
        ODOMETRY_TIMEOUT_S, 'Stop when the pose of the robot is older than this [s].',
        low=0.05, high=5.0)


@dataclass(frozen=True)
class RobotParameters(PoseParameters, CommandParameters, ScanParameters, Nav2Parameters):
    """Parameters of a node that drives the robot; config/params.yaml sets them once for all."""

    drive: str = parameter(
        'steering', 'How the robot is driven.', choices=list(DRIVES), fixed=True)
    max_speed: float = parameter(0.5, 'Highest speed [m/s].', low=0.01, high=100.0)
    max_turn: float = parameter(1.5, 'Highest rate of turn [rad/s].', low=0.01, high=100.0)

    @property
    def limits(self) -> Limits:
        """How fast the robot may go."""
        return Limits(self.max_speed, self.max_turn)


def _steering(node: BaseNode, cmd_vel: CmdVel) -> Drive:
    topic = node.get_parameter('scan_topic').value      # also while parameters are wrong
    return GuardedSteeringDrive(cmd_vel.send, ScanWatch(node, topic)) \
        if isinstance(topic, str) and topic else SteeringDrive(cmd_vel.send)


def make_drive(node: BaseNode, cmd_vel: CmdVel) -> Drive:
    """Return the drive that the parameters ask for."""
    return _chosen(node, 'drive', DRIVES)(node, cmd_vel)


def make_pose_source(node: BaseNode, on_pose: Callable[[], None]) -> PoseSource:
    """Return the pose source that the parameters ask for; it tells of every new pose."""
    return _chosen(node, 'pose_source', POSE_SOURCES)(node, on_pose)


def _chosen(node: BaseNode, name: str, table: dict[str, Callable]) -> Callable:
    """Return an entry of a table; the first while parameters are wrong: nothing moves then."""
    wanted = node.get_parameter(name).value
    return table[wanted if wanted in table else next(iter(table))]
