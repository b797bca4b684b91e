"""Noticing that a key which was held has been released, where only its repetitions are seen."""

from __future__ import annotations

import math

FAST_S = 0.12           # nobody presses a key again within this time: it repeats itself
REPETITIONS = 2         # that make a held key of a pressed one
RELEASED_S = 0.3        # without another repetition


class HeldKey:
    """
    Tells a held key from single presses by how fast it comes, wherever the robot is just then.

    All times are of a steady clock [s].
    """

    def __init__(self) -> None:
        self._key: int | None = None
        self._seen_at = -math.inf
        self._repetitions = 0

    def see(self, key: int, now: float) -> None:
        """Learn that a key was pressed, or has repeated itself."""
        repeats = key == self._key and now - self._seen_at < FAST_S
        self._repetitions = self._repetitions + 1 if repeats else 0
        self._key, self._seen_at = key, now

    def is_released(self, now: float) -> bool:
        """Return whether a key that was held no longer is; one that was pressed once never is."""
        return self._repetitions >= REPETITIONS and now - self._seen_at > RELEASED_S
