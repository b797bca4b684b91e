"""
YAML as a tree that knows its lines, without YAML's traps.

Plain YAML is too clever for a file that people write by hand: keys may appear twice, `no` is
False, `1e-3` is a string, anchors let a kilobyte grow into gigabytes, tags build objects. Here a
key appears once; only true and false are booleans; every number is a number; anchors, tags and
further documents are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import yaml

from gbs_irl_ros.tasks.files.file_report import Report, TaskFileError, shown

MAX_BYTES = 1 << 20
MAX_DEPTH = 20
WHOLE = re.compile(r'[-+]?[0-9]+')
NUMBER = re.compile(r'[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?')
LONGEST_NUMBER = 40
OPENED = ('while scanning a quoted scalar', 'while parsing a flow sequence',
          'while parsing a flow mapping')
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

Value = Union['dict[str, Node]', 'list[Node]', str, int, float, bool, None]


@dataclass(frozen=True)
class Node:
    """A value and its line; keys of a mapping have lines too."""

    value: Value
    line: int
    key_lines: dict[str, int]
    is_block: bool = False      # text behind a bar: it begins on the next line

    def plain(self) -> object:
        """Return the value without lines, for messages."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


def read_tree(path: Path, shown_as: str) -> Node:
    """Return the tree of a file; raise TaskFileError with all that is wrong with it as YAML."""
    report = Report(shown_as)
    try:
        with path.open('rb') as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TaskFileError([f'{shown_as}: cannot be read: {error.strerror}']) from None
    if len(content) > MAX_BYTES:
        raise TaskFileError([f'{shown_as}: is too large, got more than {MAX_BYTES} bytes; '
                             f'expected at most that'])
    try:
        text = content.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        line = content[:error.start].count(b'\n') + 1
        raise TaskFileError([f'{shown_as}:{line}: is not UTF-8 text, got the byte '
                             f'0x{content[error.start]:02x}; save the file as UTF-8']) from None
    forbidden = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if forbidden:
        line = text[:forbidden.start()].count('\n') + 1
        raise TaskFileError([f'{shown_as}:{line}: is not valid YAML: the character '
                             f'{shown(forbidden.group())} is not allowed'])
    try:
        tree = _Builder(yaml.parse(text, Loader=LOADER), text.split('\n'), report).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at_end = mark is not None and mark.line >= text.rstrip('\n').count('\n')
        if at_end and error.context in OPENED and error.context_mark:
            mark = error.context_mark       # where it was opened, not where the file ends
        line = mark.line + 1 if mark else 1
        tabs = '\t' in ''.join(text.split('\n')[line - 1:line])
        hint = '; indent with spaces, not with tabs' if tabs else ''
        raise TaskFileError([f'{shown_as}:{line}: is not valid YAML: {error.problem}{hint}']) \
            from None
    report.raise_if_any()
    return tree


def exists(path: Path) -> bool:
    """Tell whether there is anything of that name."""
    try:
        return path.exists()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Tell whether there is a file; a name too long to be one is none."""
    try:
        return path.is_file()
    except OSError:
        return False


class _Builder:
    """Builds the tree from PyYAML's events."""

    def __init__(self, events: Iterator[Any], lines: list[str], report: Report) -> None:
        self._events = events
        self._lines = lines
        self._report = report

    def document(self) -> Node:
        next(self._events)                      # start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return Node(None, 1, {})            # an empty file
        tree = self._node(next(self._events), 0)
        next(self._events)                      # end of the document
        following = next(self._events)
        if not isinstance(following, yaml.StreamEndEvent):
            self._problem(following, 'there must be one document only, got a second one')
        return tree

    def _node(self, event: Any, depth: int) -> Node:
        line = event.start_mark.line + 1
        if depth > MAX_DEPTH:
            raise TaskFileError([f'{self._report.file}:{line}: is nested too deeply; expected at '
                                 f'most {MAX_DEPTH} levels'])
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            self._problem(event, f'anchors and aliases are not allowed, got {event.anchor!r}; '
                                 'write the value out')
            if isinstance(event, yaml.AliasEvent):
                return Node(None, line, {})
        if event.tag is not None and event.tag != '!':
            self._problem(event, f'tags are not allowed, got {event.tag!r}; leave it out')
        if isinstance(event, yaml.ScalarEvent):
            self._check_behind_drawing(event)
            return Node(_scalar(event), line, {}, event.style in ('|', '>'))
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(line, depth)
        return self._mapping(line, depth)

    def _sequence(self, line: int, depth: int) -> Node:
        items = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Node(items, line, {})

    def _mapping(self, line: int, depth: int) -> Node:
        items: dict[str, Node] = {}
        lines: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            is_word = isinstance(event, yaml.ScalarEvent)
            key = event.value if is_word else ''
            if not is_word:
                self._problem(event, 'a key must be a word, got a list or a mapping')
            key_node = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if not is_word:
                continue
            if key in items:
                self._report.add(key_node.line, key, f'appears twice, first in line {lines[key]}')
            else:
                items[key], lines[key] = value, key_node.line
        return Node(items, line, lines)

    def _check_behind_drawing(self, event: Any) -> None:
        """Report a row of a drawing that is indented too little: to YAML it is a comment."""
        following = event.end_mark.line
        if event.style != '|' or following >= len(self._lines):
            return
        row = self._lines[following].strip()
        drawn = event.value.split('\n', 1)[0]
        if row.startswith('#') and ' ' not in row and len(row) == len(drawn) > 1:
            self._report.add(following + 1, '', 'looks like a row of the drawing above, got '
                             f'{shown(row)}; expected it indented like the others')

    def _problem(self, event: Any, text: str) -> None:
        self._report.add(event.start_mark.line + 1, '', text)


def _scalar(event: yaml.ScalarEvent) -> Value:
    text: str = event.value
    if event.style or event.tag == '!':     # quoted, or a block of text
        return text
    if text in ('', '~', 'null'):
        return None
    if text in ('true', 'false'):
        return text == 'true'
    if len(text) <= LONGEST_NUMBER:
        if WHOLE.fullmatch(text):
            return int(text)
        if NUMBER.fullmatch(text):
            return float(text)
    return text
