"""Noticing that the pose cannot be right: the robot does not do what it is told, or so it says."""

from __future__ import annotations

import math
from collections import deque

from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Limits, Pose, wrapped
from gbs_irl_ros.learning.records import ExecutionReason

WINDOW_S = 2.0          # told to drive for this long, a robot must have moved
LEAST_SHARE = 0.1       # of what it could have done meanwhile, or of a cell,
LEAST_TURN = 0.2        # or by this angle [rad]
JUMP = 0.75             # cells that a correction of the pose may move it at once
WRONG_WAY = 0.5         # cells by which it may get farther from where it is sent
PAUSE_S = 1.0           # without being told to drive for this long, all begins again


class PoseWatch:
    """Compares what the robot says with where it was sent, while it is told to drive."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, Pose]] = deque()
        self._target: tuple[float, float] | None = None
        self._nearest = math.inf

    def forget(self) -> None:
        """Begin again: the robot may have been moved."""
        self._seen.clear()
        self._target = None

    def check(self, pose: Pose, target: tuple[float, float], cell_size: float, limits: Limits,
              now: float) -> Reason | None:
        """
        Return what is wrong with the pose of a robot that is told to drive, None if nothing.

        To be called at every tick at which it is.
        """
        if self._seen and now - self._seen[-1][0] > PAUSE_S:
            self.forget()
        reason = self._jumped(pose, cell_size, limits, now) \
            or self._stuck(pose, cell_size, limits, now) \
            or self._goes_away(pose, target, cell_size)
        self._seen.append((now, pose))
        while self._seen[0][0] < now - WINDOW_S and self._seen[1][0] <= now - WINDOW_S:
            self._seen.popleft()
        return reason

    def _jumped(self, pose: Pose, cell_size: float, limits: Limits, now: float) -> Reason | None:
        if not self._seen:
            return None
        then, before = self._seen[-1]
        moved = _distance(before, pose)
        possible = 2.0 * limits.speed * (now - then) + JUMP * cell_size
        return (ExecutionReason.POSE_JUMPED, (f'{moved:.2f}',)) if moved > possible else None

    def _stuck(self, pose: Pose, cell_size: float, limits: Limits, now: float) -> Reason | None:
        if not self._seen or now - self._seen[0][0] < WINDOW_S:
            return None
        first = self._seen[0][1]
        far = min(LEAST_SHARE * limits.speed * WINDOW_S, LEAST_SHARE * cell_size)
        turn = min(LEAST_SHARE * limits.turn * WINDOW_S, LEAST_TURN)
        moves = any(_distance(first, each) > far or abs(wrapped(each.yaw - first.yaw)) > turn
                    for each in (*(each for _, each in self._seen), pose))
        return None if moves else (ExecutionReason.NOT_MOVING, (f'{WINDOW_S:.0f}',))

    def _goes_away(self, pose: Pose, target: tuple[float, float],
                   cell_size: float) -> Reason | None:
        distance = math.hypot(pose.x - target[0], pose.y - target[1])
        if target != self._target:
            self._target, self._nearest = target, distance
        self._nearest = min(self._nearest, distance)
        away = distance - self._nearest
        return (ExecutionReason.WRONG_WAY, (f'{away:.2f}',)) \
            if away > WRONG_WAY * cell_size else None


def _distance(one: Pose, other: Pose) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)
