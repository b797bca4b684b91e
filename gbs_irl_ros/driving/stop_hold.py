"""Whether motion may get past while a controller holds a STOP against others."""

from __future__ import annotations

import math

from gbs_irl_ros.driving.drive_decision import GO_AFTER_S, HOLD_S

LET_GO_S = GO_AFTER_S + 0.2     # the controller has noticed by then that nobody sends motion


class StopHold:
    """
    Begins when a controller says that it holds a STOP; ends by the clock and by commands alone.

    Anybody can send what a controller says. So whatever is said can only prolong it, and it makes
    no difference which STOP of which controller that was: a forger could have named it before.

    All times are of a steady clock [s].
    """

    def __init__(self) -> None:
        self._until = self._moved_at = -math.inf

    def see_held(self, seconds: float, now: float) -> None:
        """
        Learn that a controller holds a STOP.

        :param seconds: for how long from now, as it says; at most HOLD_S are believed.
        """
        if not self._holds(now):
            self._moved_at = now
        self._until = max(self._until, now + (seconds if 0.0 <= seconds < HOLD_S else HOLD_S))

    def stops(self, now: float) -> bool:
        """Return whether motion that somebody sends now must not get past."""
        if self._holds(now):
            self._moved_at = now
            return True
        self._until = -math.inf     # nobody sent any for a while: whoever begins now may
        return False

    def _holds(self, now: float) -> bool:
        return now < self._until and now - self._moved_at < LET_GO_S
