"""Noticing that the pose cannot be right: the robot does not do what it is told, or so it says."""

from __future__ import annotations

import math
from collections import deque

from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Limits, Pose, wrapped
from gbs_irl_ros.learning.execution import ExecutionReason

WINDOW_S = 2.0          # told to drive for this long, a robot must have moved
TICKS = 20              # seen so often meanwhile: fewer say nothing, on a machine that is too busy
LEAST_SHARE = 0.1       # of what it could have done meanwhile, or of a cell,
LEAST_TURN = 0.2        # or by this angle [rad]
JUMP = 0.75             # cells that a correction of the pose may move it at once,
JUMP_TURN = 1.0         # and the angle by which it may turn it [rad]
WRONG_WAY = 0.5         # cells by which it may move away from where it is sent, in that time
PAUSE_S = 1.0           # without being told to drive for this long, all begins again

Point = tuple[float, float]


class PoseWatch:
    """Compares what the robot says with where it was sent, while it is told to drive."""

    def __init__(self) -> None:
        # When it was where, where it was sent from there, and how much nearer it came by then.
        self._seen: deque[tuple[float, Pose, Point, float]] = deque()

    def forget(self) -> None:
        """Begin again: the robot may have been moved."""
        self._seen.clear()

    def check(self, pose: Pose, target: Point, cell_size: float, limits: Limits,
              now: float) -> Reason | None:
        """
        Return what is wrong with the pose of a robot that is told to drive, None if nothing.

        To be called at every tick at which it is.

        :param now: when the robot was there, on a steady clock [s].
        """
        if self._seen and now - self._seen[-1][0] > PAUSE_S:
            self.forget()
        reason = self._jumped(pose, cell_size, limits, now)
        self._seen.append((now, pose, target, self._progress(pose)))
        while self._seen[0][0] < now - WINDOW_S and self._seen[1][0] <= now - WINDOW_S:
            self._seen.popleft()
        return reason or self._stuck(cell_size, limits, now) or self._recedes(cell_size)

    def _progress(self, pose: Pose) -> float:
        """Return how far it has come since it was last seen, in the direction it was sent [m]."""
        if not self._seen:
            return 0.0
        _, before, target, _ = self._seen[-1]
        across, up = target[0] - before.x, target[1] - before.y
        distance = math.hypot(across, up)
        return ((pose.x - before.x) * across + (pose.y - before.y) * up) / distance \
            if distance > 0.0 else 0.0

    def _jumped(self, pose: Pose, cell_size: float, limits: Limits, now: float) -> Reason | None:
        if not self._seen:
            return None
        then, before, _, _ = self._seen[-1]
        moved = _distance(before, pose)
        possible = 2.0 * limits.speed * (now - then) + JUMP * cell_size
        if moved > possible:
            return ExecutionReason.POSE_JUMPED, (f'{moved:.2f}',)
        turned = abs(wrapped(pose.yaw - before.yaw))
        possible = 2.0 * limits.turn * (now - then) + JUMP_TURN
        return (ExecutionReason.POSE_TURNED, (f'{turned:.2f}',)) if turned > possible else None

    def _stuck(self, cell_size: float, limits: Limits, now: float) -> Reason | None:
        first = self._seen[0][1]
        if len(self._seen) <= TICKS or now - self._seen[0][0] < WINDOW_S:
            return None
        far = min(LEAST_SHARE * limits.speed * WINDOW_S, LEAST_SHARE * cell_size)
        turn = min(LEAST_SHARE * limits.turn * WINDOW_S, LEAST_TURN)
        moves = any(_distance(first, pose) > far or abs(wrapped(pose.yaw - first.yaw)) > turn
                    for _, pose, _, _ in self._seen)
        return None if moves else (ExecutionReason.NOT_MOVING, (f'{WINDOW_S:.0f}',))

    def _recedes(self, cell_size: float) -> Reason | None:
        nearer = sum(progress for _, _, _, progress in self._seen)
        return (ExecutionReason.WRONG_WAY, (f'{-nearer:.2f}',)) \
            if nearer < -WRONG_WAY * cell_size else None


def _distance(one: Pose, other: Pose) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)
