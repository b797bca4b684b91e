"""
Dataclasses as JSON values and back, checked: for journals and for the page.

The fields of an object are those of the dataclass, without optional ones that are empty; an answer
says its ``kind`` besides.
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from gbs_irl_ros.core.answers import KINDS, Answer
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.tasks.invention import Idea, Invention
from gbs_irl_ros.tasks.shown_place import Place

MOST_REPEATED = 200         # characters of a wrong value, in an error
_WORDS = {str: 'a string', int: 'a whole number', float: 'a number', bool: 'true or false',
          dict: 'an object', tuple: 'a list'}
_OBJECTS: dict[Any, str] = {Question: 'a question', Place: 'a place', Idea: 'an idea',
                            Invention: 'an invention'}
_ACCEPTED: dict[Any, Any] = {
    str: str, int: int, float: (int, float), bool: bool, dict: dict, tuple: list}


def to_json(value: Any) -> Any:
    """Return a dataclass, or what may stand in one, as JSON values."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: to_json(getattr(value, field.name))
                  for field in dataclasses.fields(value)
                  if not field.metadata.get('optional') or getattr(value, field.name)}
        return {'kind': value.kind, **fields} if isinstance(value, get_args(Answer)) else fields
    if isinstance(value, tuple):
        return [to_json(part) for part in value]
    if isinstance(value, Enum):
        return value.value
    return value.item() if hasattr(value, 'item') else value    # JSON knows no types of numpy


def answer_from_json(value: Any) -> Answer:
    """Return the answer of an object; raise if it is not an answer."""
    answer: Answer = from_json(Answer, 'an answer', value)
    return answer


def from_json(kind: Any, name: str, value: Any) -> Any:
    """
    Return a value of a type of field.

    :param name: of the value, for the error if it is of another type.
    """
    if get_origin(kind) in (Union, UnionType) and type(None) in get_args(kind):
        return None if value is None else from_json(get_args(kind)[0], name, value)
    answers = get_args(kind) if get_origin(kind) is Union else (kind,)
    if all(each in KINDS.values() for each in answers):
        return _answer(answers, value)
    if dataclasses.is_dataclass(kind):
        return object_from_json(kind, _OBJECTS.get(kind, name), value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    plain = get_origin(kind) or kind
    if not isinstance(value, _ACCEPTED[plain]) or (isinstance(value, bool) and plain is not bool):
        raise InvalidRecordError(f'{name} must be {_WORDS[plain]}, got {_short(value)}')
    if plain is tuple:
        part, *others = get_args(kind)
        if ... not in others and len(value) != 1 + len(others):
            raise InvalidRecordError(
                f'{name} must be {1 + len(others)} values, got {_short(value)}')
        return tuple(from_json(part, f'{name}[{place}]', each)
                     for place, each in enumerate(value))
    return value


def object_from_json(kind: Any, what: str, value: Any) -> Any:
    """Return a dataclass; ``what`` it is called in errors, as in "a question"."""
    if not isinstance(value, dict):
        raise InvalidRecordError(f'{what} must be an object, got {_short(value)}')
    types = _types(kind)
    for name in value:
        if name not in types:
            raise InvalidRecordError(f'{what} has no field {_short(name)}; expected {list(types)}')
    fields = {name: from_json(types[name], name, each) for name, each in value.items()}
    for field in dataclasses.fields(kind):
        if field.name not in fields and field.default is dataclasses.MISSING:
            raise InvalidRecordError(
                f'{what} must have the field {field.name!r}, got {_short(value)}')
    return kind(**fields)


def _answer(wanted: tuple[Any, ...], value: Any) -> Answer:
    if not isinstance(value, dict):
        raise InvalidRecordError(f'an answer must be an object, got {_short(value)}')
    fields = dict(value)
    kind = fields.pop('kind', None)
    known = sorted(each.kind for each in wanted)
    if kind not in known:
        raise InvalidRecordError(f'kind of an answer must be one of {known}, got {_short(kind)}')
    answer: Answer = object_from_json(KINDS[kind], f'an answer of kind {kind!r}', fields)
    return answer


def _short(value: Any) -> str:
    return one_line(repr(value), longest=MOST_REPEATED)


@cache
def _types(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
