"""
Stopping for what is in the way, as a laser scanner sees it.

A robot that is steered goes straight from point to point; what its body would sweep on the next
metres of that way is looked at, and nothing else: a wall beside the way or behind the last point
is not in it. All times are of a steady clock [s].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import InvalidMotionError, Pose
from gbs_irl_ros.learning.execution import ExecutionReason

CLEAR_FOR_S = 1.0       # nothing in the way for this long: it drives again
SCAN_TIMEOUT_S = 0.4
MAX_RAYS = 100_000

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Scan:
    """
    What a laser scanner saw at one time.

    points: ``[N, 2]``, x and y of everything it hit, in its own frame [m].
    num_valid: rays that say anything, those that hit nothing included.
    """

    points: np.ndarray
    num_valid: int

    @classmethod
    def of(cls, ranges: np.ndarray, *, first_angle: float, increment: float, nearest: float,
           farthest: float) -> Scan:
        """
        Return a scan of distances, as REP 117 has them; raise if they cannot be a scan.

        +inf: nothing is within reach. -inf: something is too near to be measured. NaN: this ray
        says nothing. Below ``nearest``, as drivers of before have it, it says nothing either; from
        ``farthest`` on nothing is within reach.

        :param ranges: ``[N]`` [m]. first_angle, increment: of the rays, counter-clockwise [rad].
        """
        _check_scan(ranges, first_angle, increment, nearest, farthest)
        too_near = np.isneginf(ranges)
        with np.errstate(invalid='ignore'):
            hit = (ranges >= nearest) & (ranges < farthest)
            valid = hit | (ranges >= farthest) | too_near
        distances = np.where(too_near, nearest, ranges)[hit | too_near]
        angles = (first_angle + increment * np.arange(len(ranges)))[hit | too_near]
        return cls(np.column_stack((distances * np.cos(angles), distances * np.sin(angles))),
                   int(valid.sum()))


def _check_scan(ranges: np.ndarray, first_angle: float, increment: float, nearest: float,
                farthest: float) -> None:
    if not len(ranges):
        raise InvalidRecordError('a scan must have rays, got none')
    if len(ranges) > MAX_RAYS:
        raise InvalidRecordError(f'a scan must have at most {MAX_RAYS} rays, got {len(ranges)}')
    if not (math.isfinite(first_angle) and math.isfinite(increment)) \
            or (increment == 0.0 and len(ranges) > 1) \
            or abs(increment) * (len(ranges) - 1) > 2.0 * math.pi * 1.01:
        raise InvalidRecordError(
            f'the rays of a scan must go round at most once, got {len(ranges)} from '
            f'{first_angle} rad in steps of {increment} rad')
    if not 0.0 <= nearest < farthest:       # not true of NaN either
        raise InvalidRecordError(
            f'a scan must reach from range_min to range_max, got {nearest} to {farthest} m')


@dataclass(frozen=True)
class Body:
    """
    The robot, seen from above: a circle with a laser scanner on it.

    radius: of the robot [m]. laser: where the scanner is, seen from the robot's centre.
    """

    radius: float = 0.2
    laser: Pose = field(default_factory=lambda: Pose(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        if not (math.isfinite(self.radius) and self.radius > 0.0):
            raise InvalidMotionError(f'the radius of a robot must be positive, got {self.radius}')


class ObstacleWatch:
    """
    Tells whether something is in the way.

    body, stop_distance [m], timeout_s: may be changed at any time.
    """

    def __init__(self, topic: str = 'scan') -> None:
        self.body = Body()
        self.stop_distance = 0.5
        self.timeout_s = SCAN_TIMEOUT_S
        self._topic = topic
        self._points = np.empty((0, 2))     # seen from the robot's centre
        self._seen_at: float | None = None
        self._problem = ''                  # with the last scan
        self._last: Reason | None = None    # what was in the way,
        self._last_at = -math.inf           # and when

    def see(self, scan: Scan, seen_at: float) -> None:
        """Take what the scanner saw, and when that was."""
        self._problem = '' if scan.num_valid else 'no ray of the scan says anything'
        self._seen_at = seen_at
        laser = self.body.laser
        cosine, sine = math.cos(laser.yaw), math.sin(laser.yaw)
        x, y = scan.points.T
        self._points = np.column_stack((laser.x + cosine * x - sine * y,
                                        laser.y + sine * x + cosine * y))

    def see_problem(self, problem: str) -> None:
        """Note that a scan came that cannot be used; the robot is blind until the next."""
        self._problem = problem

    def reason_to_stop(self, path: Sequence[Point], pose: Pose, now: float, *,
                       turning: bool) -> Reason | None:
        """
        Return what is in the way, None if nothing has been for a moment.

        :param path: the points to go to, in the frame of the pose.
        :param turning: it turns on the spot before it goes.
        """
        blind = self._blind(now)
        if blind is not None:
            return blind
        distance = self._touching() if turning else self._ahead(path, pose)
        if distance is not None:
            self._last, self._last_at = (
                ExecutionReason.OBSTACLE, (f'{ShortNumber(distance):.1f}',)), now
        return self._last if now - self._last_at < CLEAR_FOR_S else None

    def _blind(self, now: float) -> Reason | None:
        if self._problem:
            return ExecutionReason.BLIND, (self._topic, self._problem)
        if self._seen_at is None:
            return ExecutionReason.BLIND, (self._topic, 'no scan yet')
        age_s = now - self._seen_at
        return (ExecutionReason.BLIND, (self._topic, f'no scan for {age_s:.1f} s')) \
            if age_s > self.timeout_s else None

    def _touching(self) -> float | None:
        return 0.0 if np.any(np.hypot(*self._points.T) < self.body.radius) else None

    def _ahead(self, path: Sequence[Point], pose: Pose) -> float | None:
        """Return how far the robot can go before it touches something [m], None if far enough."""
        left, gone, nearest = self.stop_distance, 0.0, math.inf
        start = (0.0, 0.0)
        for point in path:
            end = _seen_from(pose, point)
            length = math.dist(start, end)
            part = min(length, left)
            if length > 0.0:
                nearest = min(nearest, gone + self._along(start, end, length, part))
            gone, left, start = gone + part, left - part, end
            if left <= 0.0:
                break
        return nearest if nearest < math.inf else None

    def _along(self, start: Point, end: Point, length: float, part: float) -> float:
        """Return how far the circle gets on a straight line; inf if as far as that part of it."""
        across, up = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        x, y = self._points[:, 0] - start[0], self._points[:, 1] - start[1]
        ahead, aside = across * x + up * y, np.abs(across * y - up * x)
        radius = self.body.radius
        inside = (aside < radius) & (ahead > 0.0)
        if not inside.any():
            return math.inf
        free = ahead[inside] - np.sqrt(radius ** 2 - aside[inside] ** 2)
        nearest = max(0.0, float(free.min()))
        return nearest if nearest <= part else math.inf


def _seen_from(pose: Pose, point: Point) -> Point:
    """Return a point as the robot sees it: x ahead, y to the left."""
    across, up = point[0] - pose.x, point[1] - pose.y
    cosine, sine = math.cos(pose.yaw), math.sin(pose.yaw)
    return cosine * across + sine * up, cosine * up - sine * across
