"""Everything that is wrong with a task file, collected so that it can be shown at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.printable import one_line

MAX_SHOWN = 20
LONGEST_VALUE = 60


class TaskFileError(GbsIrlError, ValueError):
    """A task file cannot be used; every problem is a line of the text."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        shown = list(self.problems[:MAX_SHOWN])
        if len(self.problems) > MAX_SHOWN:
            shown.append(f'... and {len(self.problems) - MAX_SHOWN} more')
        super().__init__('\n'.join(shown))

    def __reduce__(self) -> tuple[type[TaskFileError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)     # not the text: workers send their errors pickled


class Report:
    """
    Collects problems of one file as `file:line: key: what is wrong`.

    allow_large: whether a task may need more memory and time than anybody expects of a file.
    goal_everywhere: whether every state of its world will be a goal.
    """

    def __init__(self, file: str, *, allow_large: bool = False) -> None:
        self.file = file
        self.allow_large = allow_large
        self.goal_everywhere = False
        self._problems: dict[tuple[int, str], None] = {}     # ordered, each once

    def add(self, line: int, key: str, problem: str) -> None:
        """Note one problem."""
        where = f'{self.file}:{line}: {one_line(key)}: ' if key else f'{self.file}:{line}: '
        self._problems[line, where + problem] = None

    def did_you_mean(self, word: object, known: Iterable[str]) -> str:
        """Return a hint, but none that would not be shown: looking for one takes time."""
        return did_you_mean(word, known) if len(self._problems) < MAX_SHOWN else ''

    def __bool__(self) -> bool:
        return bool(self._problems)

    def raise_if_any(self) -> None:
        """Raise all problems found so far, in the order of the file."""
        if self._problems:
            raise TaskFileError(text for _, text in sorted(self._problems, key=lambda p: p[0]))


def shown(value: object) -> str:
    """Return a value as a message quotes it: short, on one line."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE - 3] + '...'


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return a hint that names the closest known word, '' if none is close."""
    close = difflib.get_close_matches(str(word), list(known), n=1)
    return f'. Did you mean {close[0]!r}?' if close else ''
