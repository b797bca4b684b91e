"""The ways to drive a robot and to know where it is, by name; a new one is a line in a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gbs_irl_ros.driving.drive import Drive, SteeringDrive
from gbs_irl_ros.driving.gate import ODOMETRY_TIMEOUT_S
from gbs_irl_ros.driving.pose import Limits, PoseSource
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.robot.cmd_vel import CmdVel, CommandParameters
from gbs_irl_ros.ros.robot.odometry import OdometrySource

DRIVES: dict[str, Callable[[BaseNode, CmdVel], Drive]] = {
    'steering': lambda node, cmd_vel: SteeringDrive(cmd_vel.send),
}
POSE_SOURCES: dict[str, Callable[[BaseNode, Callable[[], None]], PoseSource]] = {
    'odometry': OdometrySource,
}


@dataclass(frozen=True)
class PoseParameters(NodeParameters):
    """Parameters of a node that must know where the robot is."""

    pose_source: str = parameter(
        'odometry', 'How the position of the robot is known.', choices=list(POSE_SOURCES),
        fixed=True)
    odom_to_map: tuple = parameter(
        (0.0, 0.0, 0.0),
        'Pose of the odometry frame in the frame of the task: x, y [m], yaw [rad].')


@dataclass(frozen=True)
class RobotParameters(PoseParameters, CommandParameters):
    """Parameters of a node that drives the robot; config/params.yaml sets them once for all."""

    drive: str = parameter(
        'steering', 'How the robot is driven.', choices=list(DRIVES), fixed=True)
    max_speed: float = parameter(0.5, 'Highest speed [m/s].', low=0.01, high=100.0)
    max_turn: float = parameter(1.5, 'Highest rate of turn [rad/s].', low=0.01, high=100.0)
    odometry_timeout: float = parameter(
        ODOMETRY_TIMEOUT_S, 'Stop when the pose of the robot is older than this [s].',
        low=0.05, high=5.0)

    @property
    def limits(self) -> Limits:
        """How fast the robot may go."""
        return Limits(self.max_speed, self.max_turn)


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
