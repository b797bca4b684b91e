"""
How long texts and lists in a message may be, whoever sent it.

Everything that a node takes in passes through ``check_limits`` first (``BaseNode``). Arrays of
numbers that are not named here are not limited here: each must fit the task it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.printable import LONGEST, has_controls
from gbs_irl_ros.core.questions import MAX_OPTIONS, MAX_STEPS

LONGEST_ID = 200            # characters
LONGEST_TEXT = 2 * LONGEST  # characters; our own are shorter
MOST = 10_000_000           # entries of a list that is not named below
# What a node refers to by its text; the other texts are for people.
IDS = frozenset((
    'id', 'session', 'task_hash', 'hash', 'question_id', 'acknowledged', 'unexplained',
    'challenge', 'checksum', 'policy_checksum', 'signature', 'answered_by', 'demonstrated_by',
    'shown_by', 'frame_id', 'child_frame_id', 'action_keys', 'region', 'word',
    'likelihood_name'))
# What only people read: made readable on its way out.
FOR_PEOPLE = frozenset(
    ('sentence', 'labels', 'answer', 'status_text', 'certificate', 'claim', 'said',
     'description', 'message', 'value'))
MOST_OF = {'steps': 10_000, 'route': MAX_STEPS, 'other_route': MAX_STEPS, 'options': MAX_OPTIONS,
           'labels': MAX_OPTIONS, 'acknowledged': 1000, 'unexplained': 100,
           'entries': 1000, 'rivals': 100, 'places': 100, 'ideas': 100, 'reason_data': 20,
           'action_names': 64, 'action_keys': 64}
PAIRS = ('steps', 'route', 'other_route')       # of numbers

Check = Callable[[str, Any], None]


def check_limits(message: Any) -> None:
    """Raise if a text or a list in a message is longer than any that this package sends."""
    for name, check in _checks(type(message)):
        check(name, getattr(message, name))


@cache
def _checks(kind: Any) -> tuple[tuple[str, Check], ...]:
    """Return the fields of a type of message that can be too long, each with its check."""
    return tuple(_needed(kind.get_fields_and_field_types()))


def _needed(types: dict[str, str]) -> Iterator[tuple[str, Check]]:
    for name, type_name in types.items():
        of_texts, of_messages = 'string' in type_name, '/' in type_name
        if type_name.startswith('sequence<') and (of_texts or of_messages):
            yield name, _check_texts if of_texts else _check_messages
        elif type_name.startswith('sequence<') and name in MOST_OF:
            yield name, _check_count
        elif of_texts:
            yield name, _check_text
        elif of_messages:
            yield name, _check_message


def _check_text(name: str, value: str) -> None:
    longest = LONGEST_ID if name in IDS else LONGEST_TEXT
    if len(value) > longest:
        raise InvalidRecordError(
            f'{name} must have at most {longest} characters, got {len(value)}')
    if name in IDS and has_controls(value):
        raise InvalidRecordError(
            f'{name} must not contain control characters, got {value!r}')


def _check_texts(name: str, values: list[str]) -> None:
    _check_count(name, values)
    for value in values:
        _check_text(name, value)


def _check_message(name: str, value: Any) -> None:
    check_limits(value)


def _check_messages(name: str, values: list[Any]) -> None:
    _check_count(name, values)
    if name not in PAIRS:
        for value in values:
            check_limits(value)


def _check_count(name: str, values: list[Any]) -> None:
    most = MOST_OF.get(name, MOST)
    if len(values) > most:
        raise InvalidRecordError(f'{name} must have at most {most} entries, got {len(values)}')
