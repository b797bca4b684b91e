"""Where a robot is, who knows it, and how fast it is to go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.gate import Reason


class InvalidMotionError(GbsIrlError, ValueError):
    """A pose, a velocity or a limit that no robot can have."""


def _check_finite(what: str, values: tuple[float, ...]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise InvalidMotionError(f'{what} must be finite, got {values}')


@dataclass(frozen=True)
class Pose:
    """
    A place and a direction in the plane.

    x, y: [m]. yaw: [rad], counter-clockwise from the x axis, any number of turns.
    """

    x: float
    y: float
    yaw: float

    def __post_init__(self) -> None:
        _check_finite('pose', (self.x, self.y, self.yaw))

    def after(self, offset: Pose) -> Pose:
        """Return this pose as seen from a frame in which its own frame has that pose."""
        cosine, sine = math.cos(offset.yaw), math.sin(offset.yaw)
        return Pose(offset.x + cosine * self.x - sine * self.y,
                    offset.y + sine * self.x + cosine * self.y,
                    wrapped(offset.yaw + self.yaw))

    def offset_for(self, seen: Pose) -> Pose:
        """Return the offset with which ``seen.after(offset)`` is this pose."""
        yaw = wrapped(self.yaw - seen.yaw)
        turned = seen.after(Pose(0.0, 0.0, yaw))
        return Pose(self.x - turned.x, self.y - turned.y, yaw)


class PoseSource(Protocol):
    """
    Knows where the robot is: the seam behind which odometry, tf or any localisation fits.

    name: how it is known, as the parameter ``pose_source`` calls it.
    pose: in the frame of the task, None as long as it is not known.
    frame: in which it was reported.
    seen_at: when, on a steady clock [s]; -inf before there is one.
    """

    name: str
    pose: Pose | None
    frame: str
    seen_at: float

    def trouble(self, now: float) -> Reason | None:
        """Return why the robot must not drive by this pose, None if it may."""


@dataclass(frozen=True)
class Velocity:
    """
    What a robot is told.

    forward: [m/s]. turn: [rad/s], counter-clockwise. sideways: [m/s], to the left; only robots
    that can do so are sent it, by somebody else.
    """

    forward: float = 0.0
    turn: float = 0.0
    sideways: float = 0.0

    def __post_init__(self) -> None:
        _check_finite('velocity', (self.forward, self.turn, self.sideways))

    @property
    def is_zero(self) -> bool:
        """Whether it means: stand still."""
        return self.forward == self.turn == self.sideways == 0.0


STOP = Velocity()


@dataclass(frozen=True)
class Limits:
    """
    How fast a robot may go.

    speed: [m/s]. turn: [rad/s].
    """

    speed: float = 0.5
    turn: float = 1.5

    def __post_init__(self) -> None:
        _check_finite('limits', (self.speed, self.turn))
        if self.speed <= 0.0 or self.turn <= 0.0:
            raise InvalidMotionError(
                f'speeds must be positive, got {self.speed} m/s and {self.turn} rad/s')

    def bounded(self, forward: float, turn: float) -> Velocity:
        """Return a velocity within the limits."""
        return Velocity(min(max(forward, -self.speed), self.speed),
                        min(max(turn, -self.turn), self.turn))


def wrapped(angle: float) -> float:
    """Return the same direction as an angle in [-pi, pi]."""
    return math.remainder(angle, 2.0 * math.pi)
