"""Which of several ways to know the pose is used: the best that there is, and no jump."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from gbs_irl_ros.driving.pose import Pose, PoseSource, wrapped

STANDS_S = 0.5                          # within this time a robot that stands
STANDS_M, STANDS_RAD = 0.01, 0.02       # has moved no further than this
SMOOTH_M, SMOOTH_RAD = 0.1, 0.15        # poses that differ by less: no jump


class Candidate(Protocol):
    """A way to know the pose, and whether it is there at all."""

    source: PoseSource

    def is_there(self, now: float) -> bool:
        """Return whether somebody tells the pose in this way, be it known by now or not."""


class PoseChoice:
    """
    Takes the best that is there when the first pose comes, and better ones as they appear.

    A better one is taken while the robot stands, or if it says the same. Once it has told a pose,
    it is never given up for a worse one: then the robot stops, and the reason is said.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        """:param candidates: the best first; the last is always there."""
        self._candidates = candidates
        self._seen: deque[tuple[float, Pose]] = deque()
        self.chosen: Candidate | None = None

    def see_odometry(self, pose: Pose, now: float) -> None:
        """Note how the robot moves, in any frame."""
        self._seen.append((now, pose))
        while self._seen[0][0] < now - STANDS_S and self._seen[1][0] <= now - STANDS_S:
            self._seen.popleft()

    def choose(self, now: float) -> Candidate:
        """Return which one is used from now on."""
        if self.chosen is not None and self.chosen.source.pose is None \
                and not self.chosen.is_there(now):
            self.chosen = None      # somebody who was there for a moment, and said nothing
        better = self._candidates if self.chosen is None \
            else self._candidates[:self._candidates.index(self.chosen)]
        for candidate in better:
            if candidate is self._candidates[-1] \
                    or (candidate.is_there(now) and self._may_take(candidate, now)):
                self.chosen = candidate
                break
        assert self.chosen is not None      # the last is always there
        return self.chosen

    def _may_take(self, candidate: Candidate, now: float) -> bool:
        if self.chosen is None or self.chosen.source.pose is None or self._stands(now):
            return True
        pose, before = candidate.source.pose, self.chosen.source.pose
        return pose is not None and candidate.source.trouble(now) is None \
            and _is_near(pose, before, SMOOTH_M, SMOOTH_RAD)

    def _stands(self, now: float) -> bool:
        if not self._seen or self._seen[0][0] > now - STANDS_S:
            return False
        last = self._seen[-1][1]
        return all(_is_near(pose, last, STANDS_M, STANDS_RAD) for _, pose in self._seen)


def _is_near(one: Pose, other: Pose, metres: float, radians: float) -> bool:
    return math.hypot(one.x - other.x, one.y - other.y) <= metres \
        and abs(wrapped(one.yaw - other.yaw)) <= radians
