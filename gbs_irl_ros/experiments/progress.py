"""Says how far an experiment is, and about how long it will still take."""

from __future__ import annotations

import sys
import time
from typing import TextIO

LIVE_S = 0.5        # between two lines on a terminal, each over the last
LOG_S = 30.0        # between two lines elsewhere


class Progress:
    """
    Progress of one experiment after another.

    On a terminal one line is written over and over; elsewhere a line now and then.
    """

    def __init__(self, stream: TextIO | None = None, name: str = 'paper') -> None:
        """
        Begin with nothing.

        :param stream: where to write; None: standard error.
        :param name: in front of every line.
        """
        self._name = name
        self._stream = sys.stderr if stream is None else stream
        self._is_live = self._stream.isatty()
        self._title, self._total, self._first, self._done = '', 0, 0, 0
        self._unit = 'trials'
        self._began = self._said = 0.0
        self._part = self._parts = 0

    def expect(self, parts: int) -> None:
        """Tell how many parts follow: their titles get a number."""
        self._part, self._parts = 0, parts

    def begin(self, title: str, total: int, done: int, unit: str = 'trials') -> None:
        """Start an experiment of which some trials, or other units, are done already."""
        self._part += 1
        if self._parts > 1:
            title = f'{self._part} of {self._parts}, {title}'
        self._title, self._total, self._first, self._done = title, total, done, done
        self._unit = unit
        self._began = self._said = time.monotonic()
        gone_on = f', going on after {done:,}' if done else ''
        self.note(f'{title}: {total:,} {self._unit}{gone_on}' if done < total
                  else f'{title}: all {total:,} {self._unit} are there')

    def advance(self, done: int) -> None:
        """Say how many trials are done now, if it is time to."""
        self._done = done
        now = time.monotonic()
        if now - self._said >= (LIVE_S if self._is_live else LOG_S):
            self._said = now
            self._write(self._line(now))

    def end(self) -> None:
        """Say how the experiment ended."""
        if self._done > self._first:
            took = duration(time.monotonic() - self._began)
            self.note(f'{self._title}: {self._done:,} of {self._total:,} {self._unit}, {took}')

    def note(self, text: str) -> None:
        """Say something that stays."""
        over = '\r\033[K' if self._is_live else ''
        self._stream.write(f'{over}{self._name}: {text}\n')
        self._stream.flush()

    def _line(self, now: float) -> str:
        passed = now - self._began
        left = passed / (self._done - self._first) * (self._total - self._done)
        return (f'{self._title}: {self._done:,} of {self._total:,} {self._unit}, '
                f'{duration(passed)}, about {duration(left)} left')

    def _write(self, text: str) -> None:
        if self._is_live:
            self._stream.write(f'\r\033[K{self._name}: {text}'[:120])
            self._stream.flush()
        else:
            self.note(text)


def duration(seconds: float) -> str:
    """Return a time as a person says it."""
    minutes, rest = divmod(round(seconds), 60)
    return f'{minutes} min {rest} s' if minutes else f'{rest} s'
