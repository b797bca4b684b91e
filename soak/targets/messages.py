"""Messages of every kind that a node reads, each field with any value that it can carry."""

from __future__ import annotations

import array
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry

from gbs_irl_ros import msg
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.ros.messages import conversions, task_conversions
from gbs_irl_ros.ros.robot.cmd_vel import command_from_msg
from gbs_irl_ros.ros.robot.odometry import odometry_from_msg
from soak.choices import REALS, TEXTS, WHOLES, Choices

TEXT = 'messages'
FAULT = 'gbs_irl_ros.ros.messages.conversions.stamp_from_msg'
ASKED = (Question(QuestionKind.ACTION, 1), Question(QuestionKind.YES_NO, 1, 2),
         Question(QuestionKind.REWARD, 1), Question(QuestionKind.DEMONSTRATION, 1, steps=2),
         Question(QuestionKind.CONFIRM, 1, route=((1, 2),)))
BITS = {'uint8': (0, 8), 'octet': (0, 8), 'uint16': (0, 16), 'uint32': (0, 32), 'uint64': (0, 64),
        'int8': (-2**7, 7), 'int16': (-2**15, 15), 'int32': (-2**31, 31), 'int64': (-2**63, 63)}
CODES = {'double': 'd', 'float': 'f', 'uint8': 'B', 'uint32': 'I', 'uint64': 'Q', 'int32': 'i'}
READERS: tuple[tuple[type, Callable[[Any, Choices], Any]], ...] = (
    (msg.Question, lambda message, _: conversions.question_from_msg(message)),
    (msg.Answer, lambda message, choose: conversions.answer_from_msg(message, choose.pick(ASKED))),
    (msg.Demonstration, lambda message, _: conversions.demonstration_from_msg(message)),
    (msg.Policy, lambda message, choose: conversions.policy_from_msg(message, choose.below(70))),
    (msg.Belief, lambda message, _: conversions.belief_from_msg(message)),
    (msg.History, lambda message, _: conversions.history_from_msg(message)),
    (msg.Heartbeat, lambda message, _: conversions.heartbeat_from_msg(message)),
    (msg.Execution, lambda message, _: conversions.execution_from_msg(message)),
    (msg.World, lambda message, _: task_conversions.world_from_msg(message)),
    (Odometry, lambda message, _: odometry_from_msg(message)),
    (Twist, lambda message, _: command_from_msg(message)),
    (TwistStamped, lambda message, _: command_from_msg(message)))


@contextlib.contextmanager
def make(folder: Path) -> Iterator[Callable[[Choices], bool]]:
    """Give the function."""
    def feed(choose: Choices) -> bool:
        kind, read = choose.pick(READERS)
        message = filled(kind, choose)
        try:
            read(message, choose)
        except GbsIrlError:
            return False
        return True
    yield feed


def filled(kind: Any, choose: Choices) -> Any:
    """Return a message with some fields set, also of messages in it."""
    made = kind()
    for name, type_name in kind.get_fields_and_field_types().items():
        if not choose.chance(3):
            setattr(made, name, _field(getattr(made, name), type_name, choose))
    return made


def _field(now: Any, type_name: str, choose: Choices) -> Any:
    if type_name.startswith('sequence<'):
        inner = type_name[len('sequence<'):-1].split(',')[0]
        values = [_single(_empty(inner), inner, choose) for _ in range(choose.below(4))]
        return array.array(CODES[inner], values) if inner in CODES else values
    if '[' in type_name:
        return now      # arrays of a fixed size: covariances, which nobody reads
    return _single(now, type_name, choose)


def _single(now: Any, type_name: str, choose: Choices) -> Any:
    if type_name in BITS:
        low, bits = BITS[type_name]
        return min(max(choose.pick(WHOLES), low), 2**bits - 1)
    if type_name in ('double', 'float'):
        value = choose.pick(REALS)
        return value if type_name == 'double' or abs(value) < 1e38 else 1e38
    if type_name == 'boolean':
        return choose.chance(2)
    if type_name.startswith('string'):
        # What comes over the line has neither a NUL nor half a character.
        return choose.pick(TEXTS).replace('\0', '').encode('utf-8', 'ignore').decode()
    return filled(type(now), choose)


def _empty(type_name: str) -> Any:
    """Return an empty message of a type, None for plain values."""
    if '/' not in type_name:
        return None
    return getattr(msg, type_name.split('/')[1])()
