"""
How many publishers of a topic may be alive.

DDS lists the publishers of a process that was killed for 20 s more. A learner that has been
started again would have to wait for that long, since only one may be there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

Ids = frozenset[bytes]
NOBODY: Ids = frozenset()


class LivingPublishers:
    """
    Tells those that have died from the one that has taken their place.

    ROS does not tell who sent a message. But if nobody beats for a while, all who were there at
    the last beat are silent; if one more has come since, and there are beats again, they are its
    own. That holds as long as the beats are of one voice, which counts upwards. A beat that does
    not continue the count, or that comes while all are silent, is of one that is not dead:
    then everybody counts again. So nobody gains by coming while the learner lives.

    All times are of a steady clock [s].
    """

    def __init__(self) -> None:
        self._present: dict[str, Ids] = {}
        self._at_last_beat = self._silent = NOBODY
        self._beat_at = math.inf        # nobody is silent before there was a beat
        self._count: int | None = None  # of the voice that is heard, None: any may begin

    def see(self, topic: str, ids: Iterable[bytes]) -> None:
        """Learn who is listed as a publisher on a topic."""
        self._present[topic] = frozenset(ids)
        self._silent &= self._everybody

    def see_heartbeat(self, count: int, now: float, timeout_s: float) -> None:
        """
        Learn of a beat, whoever sent it and whether it is believed or not.

        :param count: of all beats of its process.
        """
        self._notice_silence(now, timeout_s)
        continues = self._count is None or count > self._count
        if not continues or not self._everybody - self._silent:
            self._silent = NOBODY
        self._at_last_beat, self._beat_at, self._count = self._everybody, now, count

    def number(self, topic: str, now: float, timeout_s: float) -> int:
        """
        Return how many of those on a topic may be alive.

        :param timeout_s: who has not beaten for longer than this is silent.
        """
        self._notice_silence(now, timeout_s)
        present = self._present.get(topic, NOBODY)
        return len(present) if len(present) <= 1 else len(present - self._silent)

    @property
    def _everybody(self) -> Ids:
        return NOBODY.union(*self._present.values())

    def _notice_silence(self, now: float, timeout_s: float) -> None:
        if now - self._beat_at > timeout_s:
            self._silent |= self._at_last_beat
            self._count = None
