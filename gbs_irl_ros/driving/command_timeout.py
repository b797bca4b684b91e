"""For a base that obeys its last command for ever: when nobody commands, it is told to stand."""

from __future__ import annotations

import math

from gbs_irl_ros.driving.pose import InvalidMotionError

LOOKS = 5               # within one time-out
REPEAT_S = 1.0          # a base that was not there, or is started again, hears the next zero


class CommandTimeout:
    """
    Says when a zero has to be sent: at the start, after a silence, and then every second.

    period_s: how often it wants to be asked. Asked that often, it has a zero sent between four
    fifths of the time-out and the time-out after the last command.
    """

    def __init__(self, timeout_s: float) -> None:
        """:param timeout_s: how long a command is good for [s]."""
        if not (math.isfinite(timeout_s) and timeout_s > 0.0):
            raise InvalidMotionError(f'timeout_s must be above 0 and finite, got {timeout_s}')
        self.period_s = timeout_s / LOOKS
        self._patience_s = timeout_s - self.period_s
        self._commanded_at = self._zero_at = -math.inf

    def see_command(self, now: float) -> None:
        """Take note of a command that was passed on."""
        self._commanded_at = now

    def is_silent(self, now: float) -> bool:
        """Return whether the last command has been good for as long as it may be."""
        return now - self._commanded_at >= self._patience_s

    def wants_zero(self, now: float) -> bool:
        """Return whether a zero has to be sent now; who is told so sends it."""
        told_since = self._zero_at > self._commanded_at
        if not self.is_silent(now) or (told_since and now - self._zero_at < REPEAT_S):
            return False
        self._zero_at = now
        return True
