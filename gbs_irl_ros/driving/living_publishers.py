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

    ROS does not tell who sent a message. But if nobody beats for a while, and one more has come
    when there are beats again, they are its own: those who were there at the last beat are dead.
    The same holds if the count starts again at a lower number while nobody is known to be dead,
    even if the new publisher is not listed yet. If none has joined and the count continues, the
    one that was heard was only slow; nothing changes for the others.

    That holds as long as the beats are of one voice, which counts upwards. A beat that does not
    continue the count is of one that is not dead: then everybody counts again. So nobody gains by
    coming while the learner lives.

    All times are of a steady clock [s].
    """

    def __init__(self) -> None:
        self._present: dict[str, Ids] = {}
        self._at_last_beat = self._dead = NOBODY
        self._beat_at = math.inf        # nobody is silent before there was a beat
        self._began_at = -math.inf      # when a voice was heard for the first time
        self._count = -1                # of the voice that is heard

    def see(self, topic: str, ids: Iterable[bytes]) -> None:
        """Learn who is listed as a publisher on a topic."""
        self._present[topic] = frozenset(ids)
        self._dead &= self._everybody

    def see_heartbeat(self, count: int, now: float, timeout_s: float) -> None:
        """
        Learn of a beat, whoever sent it and whether it is believed or not.

        :param count: of all beats of its process.
        """
        everybody, continues = self._everybody, count > self._count
        if now - self._beat_at > timeout_s:
            if everybody - self._silent(now, timeout_s) or not (continues or self._dead):
                self._dead, self._began_at = self._silent(now, timeout_s), now
            elif not continues:
                self._dead = NOBODY
        elif not continues or (
                not everybody - self._dead and now - self._began_at > timeout_s):
            self._dead = NOBODY
        self._at_last_beat, self._beat_at, self._count = everybody, now, count

    def number(self, topic: str, now: float, timeout_s: float) -> int:
        """
        Return how many of those on a topic may be alive.

        :param timeout_s: who has not beaten for longer than this is silent.
        """
        present = self._present.get(topic, NOBODY)
        return len(present) if len(present) <= 1 else len(present - self._silent(now, timeout_s))

    @property
    def _everybody(self) -> Ids:
        return NOBODY.union(*self._present.values())

    def _silent(self, now: float, timeout_s: float) -> Ids:
        return self._dead | self._at_last_beat if now - self._beat_at > timeout_s else self._dead
