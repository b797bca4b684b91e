"""Velocity commands on ``cmd_vel``, stamped or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.duration import Duration

from gbs_irl_ros.driving.command_types import FULL_NAMES, STAMPED, TWIST, CommandTypes
from gbs_irl_ros.driving.pose import Velocity
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.parameters import parameter

Command = Union[Twist, TwistStamped]


@dataclass(frozen=True)
class FrameParameters(NodeParameters):
    """Parameters of a node that must know what the frame of the robot is called."""

    base_frame: str = parameter('base_link', 'Frame of the robot, in tf and stamped commands.')


@dataclass(frozen=True)
class CommandParameters(FrameParameters):
    """Parameters of a node that sends or obeys velocity commands."""

    stamped_cmd_vel: bool = parameter(
        False, 'Velocity commands are TwistStamped instead of Twist.', fixed=True)


class CmdVel:
    """
    Sends velocity commands.

    Publishes: cmd_vel, or the topic that is given (Twist or TwistStamped).
    """

    def __init__(self, node: BaseNode, topic: str = names.CMD_VEL) -> None:
        self._node = node
        self._publisher = node.create_publisher(_command_type(node), topic, qos.COMMANDS)

    @property
    def topic(self) -> str:
        """Return the full name of the topic."""
        return self._publisher.topic_name

    def send(self, velocity: Velocity) -> None:
        """Make the robot go this fast."""
        parameters = self._node.parameters
        self._publisher.publish(command_to_msg(
            velocity, stamped=self._publisher.msg_type is TwistStamped,
            stamp=self._node.stamp(),
            frame_id=parameters.base_frame if parameters is not None else ''))

    def forward(self, command: Command) -> None:
        """Send a command of somebody else, with all that it says."""
        self._publisher.publish(command)

    def flush(self, seconds: float) -> None:
        """Wait for the last command to be received, but not for longer than this."""
        self._publisher.wait_for_all_acked(Duration(seconds=seconds))

    def types(self) -> CommandTypes:
        """Return which types others send and take on the topic, as far as they are known."""
        node, topic = self._node, self._publisher.topic_name
        own = node.get_name(), node.get_namespace()

        def of_others(endpoints: list[Any]) -> frozenset[str]:
            return frozenset(FULL_NAMES[each.topic_type] for each in endpoints
                             if each.topic_type in FULL_NAMES
                             and (each.node_name, each.node_namespace) != own)
        return CommandTypes(STAMPED if self._publisher.msg_type is TwistStamped else TWIST,
                            of_others(node.get_subscriptions_info_by_topic(topic)),
                            of_others(node.get_publishers_info_by_topic(topic)))


def watch_cmd_vel(node: BaseNode, saw: Callable[[Velocity], None],
                  topic: str = names.CMD_VEL) -> None:
    """Have a function called with every command on the topic, the node's own included."""
    watch_commands(node, lambda message: saw(command_from_msg(message)), topic)


def watch_commands(node: BaseNode, saw: Callable[[Command], None],
                   topic: str = names.CMD_VEL) -> None:
    """Have a function called with every message on the topic."""
    node.subscribe(_command_type(node), topic, saw, qos.STREAM)


def velocity_to_msg(velocity: Velocity) -> Twist:
    """Return a Twist."""
    message = Twist()
    message.linear.x = real('linear.x', velocity.forward)
    message.linear.y = real('linear.y', velocity.sideways)
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
    return Velocity(twist.linear.x, twist.angular.z, twist.linear.y)


def _command_type(node: BaseNode) -> type:
    return TwistStamped if node.get_parameter('stamped_cmd_vel').value is True else Twist
