"""A person's joystick as one more way to answer and to drive, beside the page or the terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from rclpy.exceptions import InvalidTopicNameException
from rclpy.validate_topic_name import validate_topic_name
from sensor_msgs.msg import Joy

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.ros import qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links.teacher_link import TeacherLink
from gbs_irl_ros.ros.messages.joy import joy_from_msg
from gbs_irl_ros.ros.parameters import ParameterError, parameter
from gbs_irl_ros.ros.robot.backends import RobotParameters
from gbs_irl_ros.teaching.joystick import LAST, NONE, JoyLayout, JoystickTeacher
from gbs_irl_ros.teaching.terminal.background_calls import BackgroundCalls
from gbs_irl_ros.teaching.terminal.conversation import STOP_IS_LATE

PERIOD_S = 0.05
PREFIX = 'joy_'         # of the parameters that are fields of a JoyLayout


def _number(name: str, what: str) -> int:
    """Return a field for the number of an axis or a button."""
    made: int = parameter(getattr(JoyLayout, name), f'{what}; -1: none.', low=NONE, high=LAST)
    return made


@dataclass(frozen=True)
class TeacherParameters(RobotParameters):
    """Parameters of a node at which a person teaches, perhaps with a joystick."""

    joy_topic: str = parameter(
        '', 'Where a joystick is heard (sensor_msgs/Joy), such as joy; empty: nowhere.',
        fixed=True)
    joy_stick_horizontal: int = _number('stick_horizontal', 'Axis of the stick, left positive')
    joy_stick_vertical: int = _number('stick_vertical', 'Axis of the stick, up positive')
    joy_cross_horizontal: int = _number('cross_horizontal', 'Axis of the cross, left positive')
    joy_cross_vertical: int = _number('cross_vertical', 'Axis of the cross, up positive')
    joy_yes: int = _number('yes', 'Button for yes, and to send steps')
    joy_stop: int = parameter(JoyLayout.stop, 'Button that stops the robot.', low=0, high=LAST)
    joy_no: int = _number('no', 'Button for no, and to take the last step back')
    joy_dont_know: int = _number('dont_know', 'Button for "I don\'t know"')
    joy_dead_man: int = parameter(
        JoyLayout.dead_man, 'Button without which nothing drives.', low=0, high=LAST)
    joy_record: int = _number('record', 'Button that records, and then sends')
    joy_undo: int = _number('undo', 'Button that takes the last answer back')
    joy_dead_zone: float = parameter(
        JoyLayout.dead_zone, 'How far a stick must be moved to mean a direction.', low=0.05,
        high=1.0)

    def __post_init__(self) -> None:
        if self.joy_topic:
            try:
                validate_topic_name(self.joy_topic)
            except InvalidTopicNameException as error:
                raise ParameterError("parameter 'joy_topic' must be the name of a topic, got "
                                     f'{self.joy_topic!r}: {str(error).splitlines()[0]}') from None
        try:
            _ = self.joy_layout
        except InvalidRecordError as error:
            raise ParameterError(f"parameters '{PREFIX}...': {error}") from None

    @property
    def joy_layout(self) -> JoyLayout:
        """Return what the axes and the buttons mean."""
        return JoyLayout(**{field.name: getattr(self, PREFIX + field.name)
                            for field in fields(JoyLayout)})


class JoystickLink:
    """
    Hears a joystick, if the parameter joy_topic names one.

    Subscribes: the topic of that parameter (sensor_msgs/Joy).
    """

    def __init__(self, node: BaseNode[TeacherParameters], link: TeacherLink,
                 say: Callable[[str], None]) -> None:
        """
        Create what is needed of ROS.

        :param say: takes what the person should know, from any thread.
        """
        parameters = node.parameters
        if parameters is None or not parameters.joy_topic:
            return
        self._node, self._layout = node, parameters.joy_layout
        self._problem = ''      # that was told of
        self._teacher = JoystickTeacher(link, link.lesson, BackgroundCalls(say, STOP_IS_LATE).add,
                                        say)
        self._teacher.configure(self._layout)
        link.on_stop = self._teacher.let_go
        node.subscribe(Joy, parameters.joy_topic, self._on_joy, qos.STREAM)
        node.every(PERIOD_S, lambda: self._teacher.check(node.steady()))

    def _on_joy(self, message: Joy) -> None:
        parameters = self._node.parameters
        if parameters is not None and parameters.joy_layout != self._layout:
            self._layout = parameters.joy_layout
            self._teacher.configure(self._layout)
        try:
            self._teacher.see(*joy_from_msg(message), self._node.steady())
        except InvalidRecordError as error:
            if not self._problem:       # it comes many times a second
                self._node.get_logger().warning(f'what the joystick says is ignored: {error}')
            self._problem = str(error)
        else:
            self._problem = ''
