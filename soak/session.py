"""What every part of a soak is told, and what it hands back."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

interrupted = threading.Event()     # by Ctrl-C: then the time of every part is up


@dataclass(frozen=True)
class Control:
    """
    Something built to fail, to see that the detector notices.

    what: the fault that was built in. caught: whether it was noticed. seen: what was noticed.
    """

    what: str
    caught: bool
    seen: str = ''


@dataclass(frozen=True)
class Claim:
    """
    One row of the published table.

    name: its key, unique in a report. text: what is claimed.
    run, wanted, unit: how often it was tried, how often it was to be tried, and what was counted.
    result: what came out, for a reader. passed: whether the claim held each time.
    figures: for programs. controls: each must have been caught. note: why less was run, or the
    like.
    """

    name: str
    text: str
    run: int
    wanted: int
    unit: str
    result: str
    passed: bool
    controls: tuple[Control, ...] = ()
    figures: dict[str, Any] = field(default_factory=dict)
    note: str = ''

    @property
    def verdict(self) -> str:
        """Return whether the claim is earned: by enough trials and by a detector that works."""
        if not self.passed:
            return 'failed'
        if not self.controls or not all(control.caught for control in self.controls):
            return 'not proven: a control was not caught'
        return 'earned' if self.run >= self.wanted else 'held so far: fewer trials than wanted'

    def to_json(self) -> dict[str, Any]:
        """Return it for the report."""
        return {**asdict(self), 'verdict': self.verdict}


@dataclass
class Session:
    """
    One run of one part.

    seed: of all its random choices. ends_at: on the steady clock [s]. folder: for its files.
    scale: the counts to reach, as a share of the published ones.
    targets: which of its targets to try, if it has any; empty: all.
    """

    seed: int
    ends_at: float
    folder: Path
    name: str = ''
    scale: float = 1.0
    targets: tuple[str, ...] = ()

    @property
    def rng(self) -> np.random.Generator:
        """Return random numbers, the same each time."""
        return np.random.default_rng(self.seed)

    @property
    def left_s(self) -> float:
        """Return how much time is left."""
        return max(0.0, self.ends_at - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Return whether the time is up."""
        return interrupted.is_set() or time.monotonic() >= self.ends_at

    def wanted(self, count: int) -> int:
        """Return how many of something to try."""
        return max(1, round(count * self.scale))

    def sub(self, name: str) -> Path:
        """Return a new folder."""
        made = self.folder / name
        made.mkdir(parents=True)
        return made

    def say(self, text: str) -> None:
        """Tell how far it is."""
        say(f'{self.name}: {text} ({self.left_s:.0f} s left)')


_began = time.monotonic()


def say(text: str) -> None:
    """Print a line with the time since the beginning."""
    minutes, seconds = divmod(int(time.monotonic() - _began), 60)
    sys.stderr.write(f'soak {minutes:2d}:{seconds:02d} {text}\n')
    sys.stderr.flush()


def spread(values: list[float]) -> dict[str, float]:
    """Return count, median and worst of some times."""
    found = np.asarray(values, dtype=float)
    return {'count': len(found), 'median': round(float(np.median(found)), 3),
            'worst': round(float(found.max()), 3)} if len(found) else {'count': 0}
