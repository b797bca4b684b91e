"""Noticing that the pose cannot be right: the robot does not do what it is told, or so it says."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Limits, Pose, wrapped
from gbs_irl_ros.learning.execution import ExecutionReason

WINDOW_S = 2.0          # told to drive for this long, a robot must have moved
TICKS = 20              # seen so often meanwhile: fewer say nothing, on a machine that is too busy
LEAST_SHARE = 0.1       # of what it could have done meanwhile, or of a cell,
LEAST_TURN = 0.2        # or by this angle [rad]
JUMP = 0.75             # cells that a correction of the pose may move it at once,
JUMP_TURN = 1.0         # and the angle by which it may turn it [rad]
FASTER = 1.5            # than it may drive: in that time it cannot have got further than so
WRONG_WAY = 0.5         # cells by which it may move away from where it is sent, in that time
PAUSE_S = 1.0           # without being told to drive for this long, all begins again

Point = tuple[float, float]


class Seen(NamedTuple):
    """
    When the robot was where, and where it was sent from there.

    nearer: how much nearer it came to where it was sent before [m].
    possible: how far it can have driven since it was seen before [m].
    """

    at: float
    pose: Pose
    target: Point
    nearer: float
    possible: float


class PoseWatch:
    """Compares what the robot says with where it was sent, while it is told to drive."""

    def __init__(self) -> None:
        self._seen: deque[Seen] = deque()

    def forget(self) -> None:
        """Begin again: the robot may have been moved."""
        self._seen.clear()

    def check(self, pose: Pose, target: Point, cell_size: float, limits: Limits, now: float, *,
              keeps_limits: bool = True) -> Reason | None:
        """
        Return what is wrong with the pose of a robot that is told to drive, None if nothing.

        To be called at every tick at which it is.

        :param now: when the robot was there, on a steady clock [s].
        :param keeps_limits: whether it drives within the limits, by that clock.
        """
        if self._seen:
            now = max(now, self._seen[-1].at)   # what comes late has moved no further meanwhile
            if now - self._seen[-1].at > PAUSE_S:
                self.forget()
        reason = self.jumped(pose, cell_size, limits, now)
        possible = FASTER * limits.speed * (now - self._seen[-1].at) if self._seen else 0.0
        self._seen.append(Seen(now, pose, target, self._progress(pose), possible))
        while self._seen[0].at < now - WINDOW_S and self._seen[1].at <= now - WINDOW_S:
            self._seen.popleft()
        if reason is None and keeps_limits:
            reason = self._too_far(cell_size)
        return reason or self._stuck(cell_size, limits, now) or self._recedes(cell_size)

    def _progress(self, pose: Pose) -> float:
        """Return how far it has come since it was last seen, in the direction it was sent [m]."""
        if not self._seen:
            return 0.0
        _, before, target, *_ = self._seen[-1]
        across, up = target[0] - before.x, target[1] - before.y
        distance = math.hypot(across, up)
        return ((pose.x - before.x) * across + (pose.y - before.y) * up) / distance \
            if distance > 0.0 else 0.0

    def jumped(self, pose: Pose, cell_size: float, limits: Limits, now: float) -> Reason | None:
        """Return that the robot is where it cannot have got to since the last check, if it is."""
        if not self._seen:
            return None
        then, before, *_ = self._seen[-1]
        now = max(now, then)
        moved = _distance(before, pose)
        possible = 2.0 * limits.speed * (now - then) + JUMP * cell_size
        if moved > possible:
            return ExecutionReason.POSE_JUMPED, (f'{ShortNumber(moved):.2f}',)
        turned = abs(wrapped(pose.yaw - before.yaw))
        possible = 2.0 * limits.turn * (now - then) + JUMP_TURN
        return (ExecutionReason.POSE_TURNED, (f'{turned:.2f}',)) if turned > possible else None

    def _too_far(self, cell_size: float) -> Reason | None:
        """Return that many small jumps are a large one, if they are."""
        first, *others = self._seen
        moved = _distance(first.pose, self._seen[-1].pose)
        surplus = moved - sum(seen.possible for seen in others)
        return (ExecutionReason.POSE_JUMPED, (f'{surplus:.2f}',)) \
            if surplus > JUMP * cell_size else None

    def _stuck(self, cell_size: float, limits: Limits, now: float) -> Reason | None:
        first = self._seen[0].pose
        if len(self._seen) <= TICKS or now - self._seen[0].at < WINDOW_S:
            return None
        far = min(LEAST_SHARE * limits.speed * WINDOW_S, LEAST_SHARE * cell_size)
        turn = min(LEAST_SHARE * limits.turn * WINDOW_S, LEAST_TURN)
        moves = any(_distance(first, seen.pose) > far
                    or abs(wrapped(seen.pose.yaw - first.yaw)) > turn for seen in self._seen)
        return None if moves else (ExecutionReason.NOT_MOVING, (f'{WINDOW_S:.0f}',))

    def _recedes(self, cell_size: float) -> Reason | None:
        nearer = sum(seen.nearer for seen in self._seen)
        return (ExecutionReason.WRONG_WAY, (f'{ShortNumber(-nearer):.2f}',)) \
            if nearer < -WRONG_WAY * cell_size else None


def _distance(one: Pose, other: Pose) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)
