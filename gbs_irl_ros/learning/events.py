"""The events of a lesson, each an entry of its journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.learning.json_values import object_from_json, to_json
from gbs_irl_ros.learning.person import AnswerCount, AnswerTime
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    DemonstrationRecord,
    InventionRecord,
    PlaceRecord,
)
from gbs_irl_ros.learning.taught import TaughtBelief
from gbs_irl_ros.tasks.shown_place import Place

FORMAT = 2      # of the journal; the first entry says it
READABLE = (1, FORMAT)      # 1: the same events, in lines that are not chained


@dataclass(frozen=True)
class Began:
    """The first entry: which lesson this is."""

    session: str
    task_hash: str
    task_name: str
    stamp: int
    format: int = FORMAT


@dataclass(frozen=True)
class Met:
    """
    Who teaches, and what is known of that person: the prior of the error rates.

    answers: of earlier lessons. times: how long they took.
    """

    person: str
    answers: tuple[AnswerCount, ...]
    stamp: int
    times: tuple[AnswerTime, ...] = field(default=(), metadata={'optional': True})


@dataclass(frozen=True)
class TaughtBefore:
    """
    The lesson starts from what was taught in another one, in the words of its own task.

    places: on its own map. settled: that is enough.
    """

    belief: TaughtBelief
    places: tuple[Place, ...]
    settled: bool
    stamp: int


@dataclass(frozen=True)
class Opened:
    """A learner took up the lesson, with these settings."""

    stamp: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class Changed:
    """The lesson continues with other settings; what was open is not asked any more."""

    stamp: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question went to the teacher."""

    id: str
    number: int
    question: Question
    stamp: int


@dataclass(frozen=True)
class Withdrawn:
    """A question is not asked any more: enough became known otherwise."""

    id: str


@dataclass(frozen=True)
class Undone:
    """The answer or demonstration with this id was taken back."""

    id: str
    stamp: int


@dataclass(frozen=True)
class Revised(AnswerRecord):
    """The answer with this id was replaced by another."""


@dataclass(frozen=True)
class Paused:
    """Nothing is asked for the moment, or asking resumes."""

    paused: bool
    stamp: int


@dataclass(frozen=True)
class Settled:
    """The teacher says that enough is known, or wants to be asked further."""

    settled: bool
    stamp: int


Event = Union[Began, Met, TaughtBefore, Opened, Changed, Asked, Withdrawn, AnswerRecord,
              DemonstrationRecord, PlaceRecord, InventionRecord, Undone, Revised, Paused, Settled]
EVENTS: dict[str, type[Event]] = {
    'began': Began, 'met': Met, 'taught': TaughtBefore, 'opened': Opened, 'changed': Changed,
    'asked': Asked, 'withdrawn': Withdrawn,
    'answered': AnswerRecord, 'demonstrated': DemonstrationRecord, 'shown': PlaceRecord,
    'invented': InventionRecord,
    'undone': Undone, 'revised': Revised, 'paused': Paused, 'settled': Settled}
_NAMES = {kind: name for name, kind in EVENTS.items()}


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON values."""
    return {'event': _NAMES[type(event)], **to_json(event)}


def event_from_json(entry: dict[str, Any]) -> Event:
    """Return the event of an entry; raise if it does not describe one."""
    fields = dict(entry)
    name = fields.pop('event', None)
    if not isinstance(name, str) or name not in EVENTS:
        raise InvalidRecordError(f'event must be one of {sorted(EVENTS)}, got {name!r}')
    if name == 'began' and fields.get('format') not in READABLE:    # others may have other fields
        raise InvalidRecordError(
            f'the format of this journal is {fields.get("format")!r}; expected one of '
            f'{list(READABLE)}')
    event: Event = object_from_json(EVENTS[name], f'the event {name!r}', fields)
    return event
