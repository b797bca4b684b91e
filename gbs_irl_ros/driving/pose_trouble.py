"""What is wrong with what is said about the pose of the robot, and since when things were so."""

from __future__ import annotations

import math

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.gate import Reason

HOLDS_S = 1.0           # what was wrong counts for this long: right and wrong may alternate
SAME_CLOCK_S = 60.0     # clocks that differ by more are not meant to agree
AHEAD_S = 2.5           # a localisation may say what holds until then, as AMCL does in tf


class FutureStampError(GbsIrlError):
    """Nobody can have seen that yet."""


class Trouble:
    """The last thing that was wrong, for a moment."""

    def __init__(self) -> None:
        self._reason: Reason | None = None
        self._at = -math.inf

    def report(self, reason: Reason, now: float) -> None:
        """Note what is wrong."""
        self._reason, self._at = reason, now

    def current(self, now: float) -> Reason | None:
        """Return what is wrong, None if all was well for a moment."""
        return self._reason if now - self._at < HOLDS_S else None


class Stamps:
    """
    Tells of messages of one kind, which carry stamps, when they were true on a steady clock [s].

    Nobody can tell of one without a stamp, or of a robot whose clock is not meant to agree: these
    are true when they come. One that has the stamp of the one before says nothing new.
    """

    def __init__(self) -> None:
        self._last = 0
        self._seen_at = -math.inf

    def seen_at(self, stamp: int, ros_now: int, steady_now: float) -> float:
        """
        Return when a message was true that comes now; raise if it is of the future.

        :param stamp: of the message [ns]; 0: none.
        :param ros_now: time of the clock from which the stamp should be [ns].
        """
        if stamp == 0 or stamp != self._last:
            age_s = (ros_now - stamp) * 1e-9
            if stamp and -SAME_CLOCK_S < age_s < -AHEAD_S:
                raise FutureStampError(f'its stamp is {-age_s:.1f} s ahead of this clock: set the '
                                       'clocks of both computers')
            on_its_way = age_s if stamp and 0.0 < age_s < SAME_CLOCK_S else 0.0
            self._last, self._seen_at = stamp, steady_now - on_its_way
        return self._seen_at
