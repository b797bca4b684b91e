"""The parts of Gazebo that a world needs, and the topics on which its robot is reached."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from gbs_irl_ros.tasks.gazebo.elements import add

ODOMETRY_RATE = 50              # [Hz]
TOP_ACCELERATION = 2.5          # [m/s^2]: what a robot with one caster bears
TOP_TURN_ACCELERATION = 20.0    # [rad/s^2]


@dataclass(frozen=True)
class Topics:
    """
    Names of topics in Gazebo, those of ROS with the robot's namespace in front.

    namespace: without slashes around it; '' for none.
    """

    namespace: str = ''

    def __post_init__(self) -> None:
        object.__setattr__(self, 'namespace', self.namespace.strip('/'))
        if self.namespace and not re.fullmatch(r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*', self.namespace,
                                               re.ASCII):
            raise ValueError(f'namespace must be a name of ROS, got {self.namespace!r}; expected '
                             'letters, digits and _, such as robot1')

    def named(self, name: str) -> str:
        """Return the name of a topic."""
        return f'/{self.namespace}/{name}' if self.namespace else f'/{name}'

    @property
    def scan(self) -> str:
        """Return the topic of the laser."""
        return self.named('scan')


def add_systems(world: Element, *, sensors: bool) -> None:
    """Add what moves and shows the world; what computes sensors only if there is one."""
    for file, name in (('physics', 'Physics'), ('user-commands', 'UserCommands'),
                       ('scene-broadcaster', 'SceneBroadcaster')):
        _add_plugin(world, file, name)
    if sensors:
        add(_add_plugin(world, 'sensors', 'Sensors'), 'render_engine', 'ogre2')


def add_drive(model: Element, separation: float, radius: float, left: str, right: str,
              topics: Topics) -> None:
    """
    Add what drives the robot, and what says where it is.

    Wheels slip, and turn on where a wall stops the robot: their odometry is for those who want to
    try that. The robot's true place is on ``odom``; the frame of the world is that of the task.
    """
    drive = _add_plugin(model, 'diff-drive', 'DiffDrive')
    add(drive, 'left_joint', left)
    add(drive, 'right_joint', right)
    add(drive, 'wheel_separation', separation)
    add(drive, 'wheel_radius', radius)
    add(drive, 'max_linear_acceleration', TOP_ACCELERATION)
    add(drive, 'min_linear_acceleration', -TOP_ACCELERATION)
    add(drive, 'max_angular_acceleration', TOP_TURN_ACCELERATION)
    add(drive, 'min_angular_acceleration', -TOP_TURN_ACCELERATION)
    add(drive, 'topic', topics.named('cmd_vel'))
    add(drive, 'odom_topic', topics.named('wheel_odom'))
    add(drive, 'tf_topic', topics.named('wheel_tf'))
    add(drive, 'odom_publish_frequency', ODOMETRY_RATE)
    add(drive, 'frame_id', 'wheel_odom')
    add(drive, 'child_frame_id', 'base_link')
    truth = _add_plugin(model, 'odometry-publisher', 'OdometryPublisher')
    add(truth, 'odom_topic', topics.named('odom'))
    add(truth, 'tf_topic', topics.named('tf'))
    add(truth, 'odom_frame', 'odom')
    add(truth, 'robot_base_frame', 'base_link')
    add(truth, 'dimensions', 2)
    add(truth, 'odom_publish_frequency', ODOMETRY_RATE)


def _add_plugin(parent: Element, file: str, name: str) -> Element:
    return add(parent, 'plugin', filename=f'gz-sim-{file}-system',
               name=f'gz::sim::systems::{name}')
