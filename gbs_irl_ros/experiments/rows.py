"""
Rows of an experiment, in files that can be gone on with.

A file is a plain CSV. Trials are appended one after another in the order of their numbers, each
with one write, so a file that was cut off anywhere is good up to its last whole trial.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar, get_type_hints

from gbs_irl_ros.core.errors import GbsIrlError


class ExperimentError(GbsIrlError):
    """Rows or a page that cannot be used, or arguments that cannot be followed."""


class Row(NamedTuple):
    """
    What is known after one answer.

    step: answers so far; 0 is before the first. kind, state: of the last question.
    accuracy: share of the MAP policy's actions that are optimal, averaged over states.
    value_loss: mean over states of V* - V^pi. relative_loss: in units of a random policy's.
    p_true: posterior probability of the right policy.
    """

    experiment: str
    mdp: int
    trial: int
    seed: int
    method: str
    step: int
    kind: str
    state: int
    accuracy: float
    value_loss: float
    relative_loss: float
    p_true: float


class Time(NamedTuple):
    """
    What is known of a whole trial with one method.

    policies: different ones among the hypotheses. supersets: policies that contain the right one.
    seconds: to choose all questions and to learn from all answers.
    """

    experiment: str
    mdp: int
    trial: int
    seed: int
    method: str
    policies: int
    supersets: int
    seconds: float


Line = TypeVar('Line', bound=NamedTuple)


class RowFormat(Generic[Line]):
    """How one kind of row is written and read."""

    def __init__(self, kind: type[Line]) -> None:
        self.kind: type[Line] = kind
        self.header = ','.join(kind._fields) + '\n'
        self._types = tuple(get_type_hints(kind).values())

    def lines(self, rows: Iterable[Line]) -> str:
        """Return rows as text; numbers to six digits, which is more than chance leaves."""
        return ''.join(','.join(format(value, '.6g') if isinstance(value, float) else str(value)
                                for value in row) + '\n' for row in rows)

    def read(self, path: Path) -> list[Line]:
        """Return the rows of a file."""
        with _opened(path) as file:
            lines = csv.reader(file)
            if next(lines, None) != list(self.kind._fields):
                raise ExperimentError(f'{path}: must begin with the line {self.header.strip()!r}')
            try:
                return [self.kind(*(make(text) for make, text in
                                    zip(self._types, line, strict=True))) for line in lines]
            except ValueError as error:
                raise ExperimentError(f'{path}:{lines.line_num}: is not a row: {error}') from None


ROWS, TIMES = RowFormat(Row), RowFormat(Time)


class TrialFile:
    """
    A file to which trials are appended.

    sizes: how many lines each trial has.
    """

    def __init__(self, path: Path, form: RowFormat, sizes: Sequence[int]) -> None:
        self.path, self._form, self._sizes = path, form, sizes

    def whole_trials(self) -> int:
        """Return how many trials are complete."""
        return self._whole()[0]

    def cut(self, trials: int) -> None:
        """Keep this many trials, and begin the file if there is none."""
        _, offsets = self._whole()
        if offsets[trials] == 0:
            self.path.write_text(self._form.header)
            return
        with self.path.open('r+b') as file:
            file.truncate(offsets[trials])

    def append(self, lines: str) -> None:
        """Add a trial."""
        with self.path.open('ab') as file:
            file.write(lines.encode())

    def _whole(self) -> tuple[int, list[int]]:
        """Return the number of whole trials and, for 0 up to that, where the file would end."""
        if not self.path.exists():
            return 0, [0]
        header = self._form.header.encode()
        with self.path.open('rb') as file:
            first = file.readline()
            if first != header and header.startswith(first):
                return 0, [0]       # cut off in its first line
            if first != header:
                raise ExperimentError(f'{self.path}: must begin with the line '
                                      f'{header.decode()!r}; remove the file to start again')
            offsets = [file.tell()]
            for size in self._sizes:
                lines = [file.readline() for _ in range(size)]
                if not lines[-1].endswith(b'\n'):
                    break
                offsets.append(file.tell())
        return len(offsets) - 1, offsets


def _opened(path: Path) -> io.TextIOWrapper:
    try:
        return path.open(newline='')
    except OSError as error:
        raise ExperimentError(f'{path}: cannot be read ({error.strerror}); '
                              'run the experiment first') from None
