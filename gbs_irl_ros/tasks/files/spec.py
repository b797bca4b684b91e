"""
What a value in a task file may be: checked with good messages, and published as a JSON schema.

A spec reads a node of the tree. It returns the value, or reports what is wrong and returns
``INVALID``; the caller continues, so that all problems of a file are found at once.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol

from gbs_irl_ros.core.errors import PluginError
from gbs_irl_ros.core.printable import has_controls
from gbs_irl_ros.tasks.files.file_report import Report, shown
from gbs_irl_ros.tasks.files.yaml_tree import Node

INVALID: Any = type('Invalid', (), {'__repr__': lambda self: 'INVALID'})()
LARGEST = 1e15          # numbers beyond this would only overflow somewhere
MAX_LISTED = 12        # known words shown in a message
LONGEST_NAME = 200     # characters
LONGEST_TEXT = 10_000


class Spec(Protocol):
    """One kind of value."""

    def read(self, node: Node, key: str, report: Report) -> Any:
        """Return the value of a node, or INVALID after a report."""
        ...

    def schema(self) -> dict[str, Any]:
        """Return the same rule as a JSON schema."""
        ...


def wrong(node: Node, key: str, report: Report, expected: str, what: str = 'is wrong') -> Any:
    """Report a value that is not what it should be."""
    report.add(node.line, key, f'{what}, got {shown(node.plain())}; expected {expected}')
    return INVALID


@dataclass(frozen=True)
class Number:
    """A finite number in a range; ``above`` and ``below`` exclude their end."""

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    whole: bool = False

    def read(self, node: Node, key: str, report: Report) -> Any:
        value = node.value
        kind = 'a whole number' if self.whole else 'a number'
        expected = kind + self._range()
        is_number = isinstance(value, int if self.whole else (int, float))
        if isinstance(value, bool) or not is_number:
            return wrong(node, key, report, expected, f'must be {kind}')
        assert isinstance(value, (int, float))
        if not math.isfinite(value):
            return wrong(node, key, report, expected, 'must be finite')
        if abs(value) > LARGEST and not self.whole:
            return wrong(node, key, report, f'{expected}, of at most {LARGEST:g}', 'is too large')
        if (self.at_least is not None and value < self.at_least) \
                or (self.at_most is not None and value > self.at_most) \
                or (self.above is not None and value <= self.above) \
                or (self.below is not None and value >= self.below):
            return wrong(node, key, report, expected, 'is out of range')
        return value if self.whole else float(value)

    def schema(self) -> dict[str, Any]:
        limits = {'minimum': self.at_least, 'maximum': self.at_most,
                  'exclusiveMinimum': self.above, 'exclusiveMaximum': self.below}
        return {'type': 'integer' if self.whole else 'number',
                **{name: limit for name, limit in limits.items() if limit is not None}}

    def _range(self) -> str:
        limits = (('at least', self.at_least), ('above', self.above),
                  ('at most', self.at_most), ('below', self.below))
        words = [f'{word} {limit if isinstance(limit, int) else format(limit, "g")}'
                 for word, limit in limits if limit is not None]
        return ' ' + ' and '.join(words) if words else ''


def Whole(at_least: int | None = None, at_most: int | None = None) -> Number:  # noqa: N802
    """Return the spec of a whole number."""
    return Number(at_least, at_most, whole=True)


@dataclass(frozen=True)
class Text:
    """A string, perhaps one of a few; not empty unless allowed."""

    choices: Collection[str] = ()
    may_be_empty: bool = False
    longest: int = LONGEST_NAME
    lines: bool = False         # several of them are allowed

    def read(self, node: Node, key: str, report: Report) -> Any:
        value = node.value
        if isinstance(value, str) and value and value in self.choices:
            return value        # without a look at the others, which may have to be looked for
        expected = f'one of {list(self.choices)}' if self.choices else 'text'
        if not isinstance(value, str):
            hint = ' (put it in quotes)' if value is not None and not self.choices \
                and not isinstance(value, (dict, list)) else ''
            return wrong(node, key, report, expected + hint, 'must be text')
        if self.choices:
            return wrong(node, key, report, expected + report.did_you_mean(value, self.choices),
                         'is not known')
        if not value and not self.may_be_empty:
            return wrong(node, key, report, expected, 'must not be empty')
        if len(value) > self.longest:
            return wrong(node, key, report, f'at most {self.longest} characters', 'is too long')
        if has_controls(re.sub('[\n\t]', '', value) if self.lines else value):
            return wrong(node, key, report, 'text without them',
                         'must not contain control characters')
        return value

    def schema(self) -> dict[str, Any]:
        if self.choices:
            return {'enum': list(self.choices)}
        return {'type': 'string', **({} if self.may_be_empty else {'minLength': 1}),
                'maxLength': self.longest}


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def read(self, node: Node, key: str, report: Report) -> Any:
        if not isinstance(node.value, bool):
            return wrong(node, key, report, 'true or false', 'must be a flag')
        return node.value

    def schema(self) -> dict[str, Any]:
        return {'type': 'boolean'}


@dataclass(frozen=True)
class Each:
    """A list of values of one kind."""

    of: Spec
    at_least: int = 0
    at_most: int | None = None

    def read(self, node: Node, key: str, report: Report) -> Any:
        if not isinstance(node.value, list):
            return wrong(node, key, report, 'a list', 'must be a list')
        count = len(node.value)
        if count < self.at_least or (self.at_most is not None and count > self.at_most):
            limit = f'{self.at_least}' if self.at_least == self.at_most else (
                f'at least {self.at_least}' if self.at_most is None
                else f'{self.at_least} to {self.at_most}')
            report.add(node.line, key, f'has a wrong number of entries, got {count}; '
                                       f'expected {limit}')
            return INVALID
        values = [self.of.read(item, f'{key}[{i}]', report) for i, item in enumerate(node.value)]
        return INVALID if any(value is INVALID for value in values) else values

    def schema(self) -> dict[str, Any]:
        limits = {'minItems': self.at_least or None, 'maxItems': self.at_most}
        return {'type': 'array', 'items': self.of.schema(),
                **{name: limit for name, limit in limits.items() if limit is not None}}


@dataclass(frozen=True)
class Table:
    """A mapping from free keys to values of one kind."""

    of: Spec
    at_least: int = 0

    def read(self, node: Node, key: str, report: Report) -> Any:
        if not isinstance(node.value, dict):
            return wrong(node, key, report, 'a mapping', 'must be a mapping')
        if len(node.value) < self.at_least:
            return wrong(node, key, report, f'at least {self.at_least} entries',
                         'has too few entries')
        for name in node.value:
            if len(name) > LONGEST_NAME or has_controls(name):
                report.add(node.key_lines[name], key,
                           f'has a key that is not a name, got {shown(name)}; expected at most '
                           f'{LONGEST_NAME} characters, none of them a control character')
                return INVALID
        values = {name: self.of.read(item, f'{key}.{name}', report)
                  for name, item in node.value.items()}
        return INVALID if any(value is INVALID for value in values.values()) else values

    def schema(self) -> dict[str, Any]:
        return {'type': 'object', 'additionalProperties': self.of.schema(),
                **({'minProperties': self.at_least} if self.at_least else {})}


@dataclass(frozen=True)
class AnyOf:
    """One of several kinds, told apart by what the value looks like."""

    options: Sequence[Spec]
    expected: str

    def read(self, node: Node, key: str, report: Report) -> Any:
        for option in self.options:
            trial = Report(report.file)
            option.read(node, key, trial)
            # The message of an option of the same shape is more helpful than a general one.
            if not trial or _same_shape(option, node):
                return option.read(node, key, report)
        words = [word for option in self.options if isinstance(option, Text)
                 for word in option.choices]
        hint = report.did_you_mean(node.value, words) if isinstance(node.value, str) else ''
        return wrong(node, key, report, self.expected + hint)

    def schema(self) -> dict[str, Any]:
        return {'anyOf': [option.schema() for option in self.options]}


@dataclass(frozen=True)
class Field:
    """A key of a record: what it holds, what for, and its default where it may be left out."""

    of: Spec
    about: str
    default: Any = field(default=INVALID)

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is INVALID


@dataclass(frozen=True)
class Record:
    """A mapping with known keys; becomes an object with these attributes and their lines."""

    fields: Mapping[str, Field]

    def read(self, node: Node, key: str, report: Report) -> Any:
        if not isinstance(node.value, dict):
            return wrong(node, key, report, f'a mapping with {self._known()}', 'must be a mapping')
        before = bool(report)
        for name in node.value:
            if name not in self.fields:
                report.add(node.key_lines[name], _join(key, name),
                           f'is not known here, got {shown(name)}; expected {self._known()}'
                           + report.did_you_mean(name, self.fields))
        values, failed = {}, False
        for name, item in self.fields.items():
            if name in node.value:
                values[name] = item.of.read(node.value[name], _join(key, name), report)
            elif item.required:
                report.add(node.line, _join(key, name), f'is missing; expected {item.about}')
                values[name] = INVALID
            else:
                values[name] = item.default
            failed = failed or values[name] is INVALID
        if failed or (bool(report) and not before):
            return INVALID
        return Located(node, key, values, report)

    def schema(self) -> dict[str, Any]:
        properties = {}
        for name, item in self.fields.items():
            properties[name] = {**item.of.schema(), 'description': item.about}
        return {'type': 'object', 'properties': properties, 'additionalProperties': False,
                'required': [name for name, item in self.fields.items() if item.required]}

    def _known(self) -> str:
        names = list(self.fields)
        listed = ', '.join(names[:MAX_LISTED]) + (', ...' if len(names) > MAX_LISTED else '')
        return f'one of: {listed}'


@dataclass(frozen=True)
class ByKind:
    """
    A record whose other keys depend on its key `kind`.

    kinds: the other keys of each kind.
    """

    kinds: Mapping[str, Record]

    def read(self, node: Node, key: str, report: Report) -> Any:
        if not isinstance(node.value, dict):
            return wrong(node, key, report, 'a mapping with the key kind', 'must be a mapping')
        if 'kind' not in node.value:
            report.add(node.line, _join(key, 'kind'),
                       f'is missing; expected one of {list(self.kinds)}')
            return INVALID
        kind = Text(self.kinds).read(node.value['kind'], _join(key, 'kind'), report)
        if kind is INVALID:
            return INVALID
        try:
            record = self.record(kind)
        except PluginError as error:
            report.add(node.line, _join(key, 'kind'), str(error))
            return INVALID
        return record.read(node, key, report)

    def record(self, kind: str) -> Record:
        """Return the record of one kind, its key `kind` included."""
        own = Field(Text((kind,)), f'the kind: {kind}')
        return Record({'kind': own, **self.kinds[kind].fields})

    def schema(self) -> dict[str, Any]:
        found = []
        for kind in self.kinds:
            with contextlib.suppress(PluginError):      # said when a file names it
                found.append(self.record(kind).schema())
        return {'oneOf': found}


class Located(SimpleNamespace):
    """
    The values of a record as attributes, and where each was written.

    report: collects what is wrong with them.
    """

    def __init__(self, node: Node, key: str, values: Mapping[str, Any], report: Report) -> None:
        super().__init__(**values)
        self.report = report
        self._node = node
        self._key = key

    def refuse(self, problem: str | None, name: str, *path: int | str) -> None:
        """Report what is wrong, if anything, with a value or with something inside it."""
        if problem is not None:
            steps = (f'[{step}]' if isinstance(step, int) else f'.{step}' for step in path)
            self.report.add(self.line_of(name, *path), self.key_of(name) + ''.join(steps), problem)

    def line_of(self, name: str, *path: int | str) -> int:
        """Return the line of a key, or of something inside its value."""
        assert isinstance(self._node.value, dict)
        node: Any = self._node.value.get(name)
        if node is None:
            return self._node.line
        for step in path:
            node = node.value[step]
        return int(node.line)

    def begins_below(self, name: str) -> bool:
        """Tell whether the value is a block of text, which begins below its key."""
        assert isinstance(self._node.value, dict)
        return self._node.value[name].is_block

    def key_of(self, name: str) -> str:
        """Return the whole key, as messages show it."""
        return _join(self._key, name)


def _join(key: str, name: str) -> str:
    return f'{key}.{name}' if key else name


def _same_shape(spec: Spec, node: Node) -> bool:
    if isinstance(spec, (Record, Table, ByKind)):
        return isinstance(node.value, dict)
    if isinstance(spec, Each):
        return isinstance(node.value, list)
    if isinstance(spec, Number):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    return False
