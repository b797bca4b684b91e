"""Velocity commands on ``cmd_vel``, stamped or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.duration import Duration

from gbs_irl_ros.driving.pose import Velocity
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.parameters import parameter

Command = Union[Twist, TwistStamped]


@dataclass(frozen=True)
class CommandParameters(NodeParameters):
    """Parameters of a node that sends or obeys velocity commands."""

    stamped_cmd_vel: bool = parameter(
        False, 'Velocity commands are TwistStamped instead of Twist.', fixed=True)
    base_frame: str = parameter('base_link', 'Frame of the robot, in stamped commands.')


class CmdVel:
    """
    Sends velocity commands.

    Publishes: cmd_vel (Twist or TwistStamped).
    """

    def __init__(self, node: BaseNode) -> None:
        self._node = node
        self._publisher = node.create_publisher(_command_type(node), names.CMD_VEL, qos.COMMANDS)

    def send(self, velocity: Velocity) -> None:
        """Make the robot go this fast."""
        parameters = self._node.parameters
        self._publisher.publish(command_to_msg(
            velocity, stamped=self._publisher.msg_type is TwistStamped,
            stamp=self._node.stamp(),
            frame_id=parameters.base_frame if parameters is not None else ''))

    def flush(self, seconds: float) -> None:
        """Wait for the last command to be received, but not for longer than this."""
        self._publisher.wait_for_all_acked(Duration(seconds=seconds))


def watch_cmd_vel(node: BaseNode, saw: Callable[[Velocity], None]) -> None:
    """Have a function called with every command on the topic, the node's own included."""
    node.subscribe(
        _command_type(node), names.CMD_VEL,
        lambda message: saw(command_from_msg(message)), qos.STREAM)


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


def _command_type(node: BaseNode) -> type:
    return TwistStamped if node.get_parameter('stamped_cmd_vel').value is True else Twist
