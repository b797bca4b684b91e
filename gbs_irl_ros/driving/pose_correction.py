"""
Odometry, set right by what a localisation says now and then.

Odometry is smooth and quick and drifts; a localisation on a map (AMCL, SLAM) does not drift, and
speaks only after the robot has moved a little. So each of its poses says where the frame of the
odometry is on the map, and the odometry carries the robot on from there. All stamps and times are
in seconds.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.pose import Pose, wrapped

HISTORY_S = 5.0         # a localisation may think for as long,
MAX_HISTORY = 2000      # of odometry at any rate
AHEAD_S = 1.0           # its clock may be ahead of the odometry's by this
EARLIER_S = 1.0         # odometry that is older than the last by less has been overtaken
FASTEST, LEAP = 5.0, 0.3    # [m/s], [m]: odometry that moves farther has been reset


class OldPoseError(GbsIrlError):
    """A pose of a time of which the odometry is not known; ``seconds``: how long ago that is."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f'the pose is {seconds:.1f} s older than the odometry')
        self.seconds = seconds


class PoseCorrection:
    """
    Where the odometry's frame is in the frame of the task.

    offset: that pose, None until the first pose of a localisation has come.
    """

    def __init__(self) -> None:
        self.offset: Pose | None = None
        self._stamps: deque[float] = deque(maxlen=MAX_HISTORY)
        self._poses: deque[Pose] = deque(maxlen=MAX_HISTORY)
        self._early: tuple[Pose, float] | None = None   # of a time that odometry has yet to reach

    @property
    def pose(self) -> Pose | None:
        """Return where the robot is in the frame of the task, None if that is not known."""
        return None if self.offset is None or not self._poses \
            else self._poses[-1].after(self.offset)

    def see_odometry(self, pose: Pose, stamp: float) -> None:
        """
        Learn where the robot is in the odometry's frame.

        A robot that was started again begins at its origin again, and so does this: only the next
        pose of the localisation says where that is.
        """
        if self._stamps and self._stamps[-1] - EARLIER_S < stamp < self._stamps[-1]:
            return      # overtaken on its way
        if self._stamps and (stamp < self._stamps[-1] or self._leaps(pose, stamp)):
            self._stamps.clear()
            self._poses.clear()
            self.offset = self._early = None
        self._stamps.append(stamp)
        self._poses.append(pose)
        while self._stamps[0] < stamp - HISTORY_S:
            self._stamps.popleft()
            self._poses.popleft()
        if self._early is not None and stamp >= self._early[1]:
            self._correct(*self._early)

    def _leaps(self, pose: Pose, stamp: float) -> bool:
        before = self._poses[-1]
        far = FASTEST * (stamp - self._stamps[-1]) + LEAP
        return math.hypot(pose.x - before.x, pose.y - before.y) > far

    def see_pose(self, pose: Pose, stamp: float | None = None) -> None:
        """
        Learn where the robot is, or was, in the frame of the task.

        :param stamp: when, on the clock of the odometry's stamps; None: now.
        """
        if not self._poses:
            self._early = None if stamp is None else (pose, stamp)
        elif stamp is None or stamp <= self._stamps[-1]:
            self._correct(pose, self._stamps[-1] if stamp is None else stamp)
        elif stamp <= self._stamps[-1] + AHEAD_S:
            self._early = pose, stamp
        else:
            raise OldPoseError(self._stamps[-1] - stamp)

    def _correct(self, pose: Pose, stamp: float) -> None:
        self._early = None
        if stamp < self._stamps[0]:
            raise OldPoseError(self._stamps[-1] - stamp)
        self.offset = pose.offset_for(self._odometry_at(stamp))

    def _odometry_at(self, stamp: float) -> Pose:
        """Return where the odometry was, between the two that are nearest in time."""
        later = bisect_left(self._stamps, stamp)
        if self._stamps[later] == stamp:
            return self._poses[later]
        before, after = self._poses[later - 1], self._poses[later]
        share = (stamp - self._stamps[later - 1]) / (self._stamps[later] - self._stamps[later - 1])
        return Pose(before.x + share * (after.x - before.x),
                    before.y + share * (after.y - before.y),
                    before.yaw + share * wrapped(after.yaw - before.yaw))


def spread_of(covariance: tuple[float, float, float]) -> float:
    """
    Return how far off a place may be: the largest standard deviation in any direction [m].

    Raise if it is not a covariance.

    :param covariance: of x with itself, of x with y, of y with itself [m^2].
    """
    xx, xy, yy = covariance
    if not all(math.isfinite(value) for value in covariance) or xx < 0.0 or yy < 0.0:
        raise GbsIrlError(f'the covariance of x and y must be finite and not negative, got '
                          f'{covariance}')
    return math.sqrt(max(0.0, (xx + yy) / 2.0 + math.hypot((xx - yy) / 2.0, xy)))
