"""Steering that stops for what is in the way, as long as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gbs_irl_ros.driving.drive import Point, Progress, SteeringDrive, towards
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.obstacles import ObstacleWatch
from gbs_irl_ros.driving.pose import Pose, Velocity


class GuardedSteeringDrive(SteeringDrive):
    """
    Steers to the point if nothing is in the way there. A ``Drive``.

    It stands while something is, and goes to the point again when nothing has been for a moment.

    trouble: what is in the way, or why that is not known; None if it drives.
    """

    trouble: Reason | None

    def __init__(self, send: Callable[[Velocity], None], obstacles: ObstacleWatch) -> None:
        """:param send: makes the robot go this fast from now on."""
        super().__init__(send)
        self.trouble = None
        self._obstacles = obstacles

    def go(self, path: Sequence[Point], pose: Pose, now: float) -> Progress:
        """Send the command that leads to the first point, or a stop; look ahead to the last."""
        velocity = towards(pose, path[0], self.limits)
        self.trouble = self._obstacles.reason_to_stop(
            path, pose, now, turning=velocity.forward == 0.0)
        if self.trouble is not None:
            self.stop(now)
            return Progress.FAILED
        self.send(velocity, now)
        return Progress.UNDER_WAY
