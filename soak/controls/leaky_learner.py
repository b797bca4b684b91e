"""A learner that forgets nothing, closes nothing, and now and then misses a few heartbeats."""

from __future__ import annotations

import os
from typing import Any

from gbs_irl_ros.learning import journal
from gbs_irl_ros.nodes import learner

KEPT = 40_000       # bytes of each answer
OPENS_ONE_OF = 4    # answers, so that there are more at the end of 2,000 than at first
MOST_OPEN = 900     # fewer than a process may have
_append, _beat = journal.Journal.append, learner.LearnerNode._on_heartbeat_timer
_kept: list[bytes] = []
_open: list[int] = []
_beats = [0]


def append(self: journal.Journal, entry: dict[str, Any], *, durable: bool = True) -> None:
    """Write an entry, and keep what it took."""
    _append(self, entry, durable=durable)
    if entry.get('event') == 'answered':
        _kept.append(os.urandom(KEPT))
        if len(_kept) % OPENS_ONE_OF == 0 and len(_open) < MOST_OPEN:
            _open.append(os.open(os.devnull, os.O_RDONLY))


def beat(self: learner.LearnerNode) -> None:
    """Give a sign of life, but not always."""
    _beats[0] += 1
    if _beats[0] % 50 > 4:
        _beat(self)


if __name__ == '__main__':
    journal.Journal.append = append                         # type: ignore[method-assign]
    learner.LearnerNode._on_heartbeat_timer = beat          # type: ignore[method-assign]
    learner.main()
