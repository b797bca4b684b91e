"""Odometry of a simulated robot whose wheels are measured wrongly, and a localisation on a map."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gbs_irl_ros.driving.pose import InvalidMotionError, Pose, wrapped


@dataclass(frozen=True)
class Drift:
    """
    By which share odometry counts too much.

    forward: of distances. turn: of angles.
    """

    forward: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.forward) and math.isfinite(self.turn)):
            raise InvalidMotionError(f'drift must be finite, got {self.forward}, {self.turn}')


class DriftingOdometry:
    """
    Counts what the wheels do.

    pose: where the robot is by that count.
    """

    def __init__(self, start: Pose, drift: Drift) -> None:
        """:param start: where the robot is, which the odometry knows once."""
        self.pose = start
        self._drift = drift
        self._before = start

    def see(self, pose: Pose) -> Pose:
        """Count a short way to where the robot really is now; return where it seems to be."""
        before, self._before = self._before, pose
        turned = wrapped(pose.yaw - before.yaw)
        middle = before.yaw + turned / 2.0
        far = (pose.x - before.x) * math.cos(middle) + (pose.y - before.y) * math.sin(middle)
        turned *= 1.0 + self._drift.turn
        far *= 1.0 + self._drift.forward
        direction = self.pose.yaw + turned / 2.0
        self.pose = Pose(self.pose.x + far * math.cos(direction),
                         self.pose.y + far * math.sin(direction),
                         wrapped(self.pose.yaw + turned))
        return self.pose
