"""What stands in a journal: the events of a lesson as JSON, there and back, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord

FORMAT = 1      # of the journal; the first entry says it

ANSWERS: dict[str, type] = {
    'action': ActionAnswer, 'yes_no': YesNoAnswer, 'reward': RewardAnswer,
    'demonstration': DemonstrationAnswer, 'all_the_same': AllTheSameAnswer,
    'dont_know': DontKnowAnswer, 'later': LaterAnswer}
KIND_OF_ANSWER = {made: kind for kind, made in ANSWERS.items()}


@dataclass(frozen=True)
class Began:
    """The first entry: which lesson this is."""

    session: str
    task_hash: str
    task_name: str
    stamp: int
    format: int = FORMAT


@dataclass(frozen=True)
class Opened:
    """A learner took up the lesson, with these settings."""

    stamp: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class Changed:
    """The lesson goes on with other settings; what was open is asked no more."""

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
    """A question is asked no more: enough became known otherwise."""

    id: str


@dataclass(frozen=True)
class Answered:
    """The teacher answered."""

    record: AnswerRecord


@dataclass(frozen=True)
class Demonstrated:
    """The teacher showed something unasked."""

    record: DemonstrationRecord


@dataclass(frozen=True)
class Undone:
    """The answer or demonstration with this id was taken back."""

    id: str
    stamp: int


@dataclass(frozen=True)
class Revised:
    """An answer was replaced by another."""

    record: AnswerRecord


@dataclass(frozen=True)
class Paused:
    """Nothing is asked for the moment, or asking goes on."""

    paused: bool
    stamp: int


@dataclass(frozen=True)
class Settled:
    """The teacher says that enough is known, or wants to be asked further."""

    settled: bool
    stamp: int


Event = Union[Began, Opened, Changed, Asked, Withdrawn, Answered, Demonstrated, Undone, Revised,
              Paused, Settled]


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON values."""
    kind = type(event).__name__.lower()
    if isinstance(event, (Answered, Revised)):
        given = event.record
        fields: dict[str, Any] = {'id': given.id, 'answer': answer_to_json(given.answer),
                                  'by': given.answered_by, 'stamp': given.stamp}
    elif isinstance(event, Demonstrated):
        shown = event.record
        fields = {'id': shown.id, 'answer': answer_to_json(shown.demonstration),
                  'by': shown.demonstrated_by, 'correction': bool(shown.correction),
                  'stamp': shown.stamp}
    elif isinstance(event, Asked):
        fields = {'id': event.id, 'number': event.number,
                  'question': question_to_json(event.question), 'stamp': event.stamp}
    else:
        fields = dataclasses.asdict(event)
    return {'event': kind, **fields}


def event_from_json(entry: dict[str, Any]) -> Event:
    """Return the event of an entry; raise if it is none."""
    kind = entry.get('event')
    make = _EVENTS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise InvalidRecordError(f'event must be one of {sorted(_EVENTS)}, got {kind!r}')
    for key, kinds in _TYPES.items():
        if key in entry and (not isinstance(entry[key], kinds) or isinstance(entry[key], bool)):
            raise InvalidRecordError(f'{key} must be {_WORDS[kinds]}, got {entry[key]!r}')
    try:
        return make(**{key: value for key, value in entry.items() if key != 'event'})
    except TypeError as error:
        raise InvalidRecordError(f'the entry {entry} does not describe an event: {error}') \
            from None


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON values."""
    fields = {name: _plain(getattr(answer, name)) for name in _field_names(type(answer))}
    return {'kind': KIND_OF_ANSWER[type(answer)], **fields}


def answer_from_json(values: dict[str, Any]) -> Answer:
    """Return an answer from JSON values."""
    if not isinstance(values, dict):
        raise InvalidRecordError(f'an answer must be an object, got {values!r}')
    fields = dict(values)
    kind = fields.pop('kind', None)
    if not isinstance(kind, str) or kind not in ANSWERS:
        raise InvalidRecordError(f'kind of an answer must be one of {sorted(ANSWERS)}, '
                                 f'got {kind!r}')
    if 'question' in fields:
        fields['question'] = question_from_json(fields['question'])
    answer: Answer = ANSWERS[kind](**fields)
    return answer


def question_to_json(question: Question) -> dict[str, Any]:
    """Return a question as JSON values."""
    return {'kind': question.kind.value, 'state': int(question.state),
            'action': None if question.action is None else int(question.action),
            'steps': int(question.steps)}


def question_from_json(values: dict[str, Any]) -> Question:
    """Return a question from JSON values."""
    if not isinstance(values, dict):
        raise InvalidRecordError(f'a question must be an object, got {values!r}')
    return Question(**values)


def _field_names(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


def _plain(value: Any) -> Any:
    """Return a value without numpy's types, which JSON does not know."""
    if isinstance(value, Question):
        return question_to_json(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.item() if hasattr(value, 'item') else value


def _began(**fields: Any) -> Event:
    if fields.get('format') != FORMAT:      # others may have other fields
        raise InvalidRecordError(
            f'the format of this journal is {fields.get("format")!r}; expected {FORMAT}')
    return Began(**fields)


def _answered(kind: type) -> Callable[..., Event]:
    def make(id: str, answer: dict[str, Any], by: str, stamp: int) -> Event:  # noqa: A002
        event: Event = kind(AnswerRecord(id, answer_from_json(answer), by, stamp))
        return event
    return make


def _demonstrated(id: str, answer: dict[str, Any], by: str, correction: bool,  # noqa: A002
                  stamp: int) -> Event:
    shown = answer_from_json(answer)
    if not isinstance(shown, DemonstrationAnswer):
        raise InvalidRecordError(f'a demonstration must have steps, got {answer}')
    return Demonstrated(DemonstrationRecord(id, shown, by, correction, stamp))


def _paused(paused: bool, stamp: int) -> Event:
    return Paused(_flag('paused', paused), stamp)


def _settled(settled: bool, stamp: int) -> Event:
    return Settled(_flag('settled', settled), stamp)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidRecordError(f'{key} must be true or false, got {value!r}')
    return value


_WORDS = {str: 'a string', int: 'a whole number', dict: 'an object'}
_TYPES: dict[str, type] = {'id': str, 'number': int, 'stamp': int, 'session': str, 'by': str,
                           'task_hash': str, 'task_name': str, 'settings': dict}
_EVENTS: dict[str, Callable[..., Event]] = {
    'began': _began, 'opened': Opened, 'changed': Changed,
    'asked': lambda id, number, question, stamp: Asked(     # noqa: A006
        id, number, question_from_json(question), stamp),
    'withdrawn': Withdrawn, 'answered': _answered(Answered), 'demonstrated': _demonstrated,
    'undone': Undone, 'revised': _answered(Revised), 'paused': _paused, 'settled': _settled}
