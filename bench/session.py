"""What every measurement is told: how thorough to be, whom to tell, where the peers are."""

from __future__ import annotations

import enum
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeVar

T = TypeVar('T')


class Effort(enum.Enum):
    """How thoroughly to measure."""

    TINY = 'tiny'       # seconds: only to see that it runs
    QUICK = 'quick'     # smaller sizes, fewer rounds
    FULL = 'full'       # what is published


class Progress:
    """
    Says what is being done, and about how long it will take.

    On a terminal one line is written over and over; elsewhere every step has its line.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._started = time.monotonic()
        self._is_live = self._stream.isatty()

    def step(self, text: str, about_s: float | None = None) -> None:
        """Say what begins now."""
        estimate = '' if about_s is None else f' (about {_duration(about_s)})'
        minutes, seconds = divmod(int(time.monotonic() - self._started), 60)
        line = f'bench: {minutes:2d}:{seconds:02d} {text}{estimate}'
        self._stream.write(f'\r\033[K{line[:118]}' if self._is_live else f'{line}\n')
        self._stream.flush()

    def note(self, text: str) -> None:
        """Say something that stays on the screen."""
        self.clear()
        self._stream.write(f'bench: {text}\n')
        self._stream.flush()

    def clear(self) -> None:
        """Take the last step off the terminal."""
        if self._is_live:
            self._stream.write('\r\033[K')
            self._stream.flush()


@dataclass(frozen=True)
class Session:
    """
    One run of the benchmark.

    peers: the Python interpreter that has the peers, None if they are left out.
    """

    effort: Effort = Effort.FULL
    progress: Progress = field(default_factory=Progress)
    peers: Path | None = None

    def pick(self, tiny: T, quick: T, full: T) -> T:
        """Return what fits the effort."""
        choices: dict[Effort, Any] = {
            Effort.TINY: tiny, Effort.QUICK: quick, Effort.FULL: full}
        return choices[self.effort]

    def step(self, text: str, about_s: float | None = None) -> None:
        """Say what begins now."""
        self.progress.step(text, about_s)


def _duration(seconds: float) -> str:
    if seconds < 1.0:
        return 'a moment'
    return f'{seconds:.0f} s' if seconds < 90.0 else f'{seconds / 60.0:.0f} min'
