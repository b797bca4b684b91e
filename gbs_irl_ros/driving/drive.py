"""
What gets the robot to a point: ``Drive``, the seam behind which a robot's own navigation fits.

``SteeringDrive`` steers straight to it with velocity commands: for a robot that does nothing by
itself.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import STOP, Limits, Pose, Velocity, wrapped

TURN_GAIN = 4.0             # [1/s] rate of turn per angle still to be turned
SPEED_GAIN = 5.0            # [1/s] speed per distance still to go
TURN_ON_THE_SPOT = 0.6      # [rad] facing away by more than this, it does not drive
REMEMBERED = 1000           # own commands that may still be on their way back,
# and for how long. On a machine that does too much at once they are late: one that is taken for
# a person's silences the controller, which then leaves the robot to its own time-out.
ON_ITS_WAY_S = 3.0

Point = tuple[float, float]


class Progress(NamedEnum):
    """How far a drive has got on the path it was sent along."""

    UNDER_WAY = 'under_way'
    ARRIVED = 'arrived'     # as near to the last point as it gets
    FAILED = 'failed'       # it has given this path up and stands still


class Drive(Protocol):
    """
    Drives a robot to points in the frame of the task.

    It is told at every tick what to do: drive, stop or leave the robot to somebody else. Being
    told the same again must be harmless. All times are of a steady clock [s].

    limits: how fast the robot may go; may be changed at any time.
    trouble: why the path has failed, with the data of the reason, if the drive knows.
    finds_its_way: whether it may stand for a moment, or go round something, by itself. After
        ARRIVED at a wrong place it tries again, a few times.
    """

    limits: Limits
    trouble: Reason | None = None
    finds_its_way: bool = False

    def go(self, path: Sequence[Point], pose: Pose, now: float) -> Progress:
        """
        Drive to the first point, and on to the last; all lie in one line.

        A path that has failed is not tried again before a stop, or another path, unless its
        trouble has passed by itself.
        """

    def stop(self, now: float) -> None:
        """Make the robot stop, now."""

    def release(self) -> None:
        """Drive no further and send nothing: somebody else drives the robot."""

    def is_own(self, velocity: Velocity, now: float) -> bool:
        """Return whether a command seen on ``cmd_vel`` comes from this drive; asked once each."""

    def others_drive(self) -> bool:
        """Return whether somebody else drives the robot by the same means."""
        return False


def drive_to(drive: Drive, cells: CellMap, states: Sequence[int], pose: Pose,
             now: float) -> Progress:
    """
    Send a drive to the middle of the first cell, on its way to the last.

    ARRIVED if it is there, or ends in that cell.

    :param states: of cells that lie in one line.
    """
    if cells.has_arrived(pose, states[0]):
        return Progress.ARRIVED
    progress = drive.go([cells.centre(state) for state in states], pose, now)
    if progress is Progress.ARRIVED and cells.state_at(pose.x, pose.y) != states[0]:
        return Progress.UNDER_WAY if drive.finds_its_way else Progress.FAILED
    return progress


class SteeringDrive(Drive):
    """
    Turns to the point, then goes there. A ``Drive``.

    ROS does not tell who sent a message, so a command counts as its own if its numbers are those
    of one that it sent.
    """

    def __init__(self, send: Callable[[Velocity], None]) -> None:
        """:param send: makes the robot go this fast from now on."""
        self.limits = Limits()
        self._send = send
        self._own: deque[tuple[float, Velocity]] = deque(maxlen=REMEMBERED)
        self._own_stops: deque[tuple[float, Velocity]] = deque(maxlen=REMEMBERED)

    def go(self, path: Sequence[Point], pose: Pose, now: float) -> Progress:
        """Send the command that leads to the first point."""
        self.send(towards(pose, path[0], self.limits), now)
        return Progress.UNDER_WAY

    def stop(self, now: float) -> None:
        """Send a zero command."""
        self.send(STOP, now)

    def release(self) -> None:
        """Do nothing: what is not commanded again ends by itself."""

    def is_own(self, velocity: Velocity, now: float) -> bool:
        """Return whether these are the numbers of a command that has not come back yet."""
        own = self._own_stops if velocity.is_zero else self._own
        while own and now - own[0][0] > ON_ITS_WAY_S:
            own.popleft()
        for sent in own:
            if sent[1] == velocity:
                own.remove(sent)
                return True
        return False

    def send(self, velocity: Velocity, now: float) -> None:
        """Send a command and remember it."""
        (self._own_stops if velocity.is_zero else self._own).append((now, velocity))
        self._send(velocity)


def towards(pose: Pose, point: Point, limits: Limits) -> Velocity:
    """
    Return a velocity that leads to a point: first turn to it, then go, slower when near.

    Within the limits whatever the pose; zero at the point itself.
    """
    across, up = point[0] - pose.x, point[1] - pose.y
    distance = math.hypot(across, up)
    if distance == 0.0:
        return STOP
    error = wrapped(math.atan2(up, across) - pose.yaw)
    forward = SPEED_GAIN * distance * math.cos(error) if abs(error) < TURN_ON_THE_SPOT else 0.0
    return limits.bounded(forward, TURN_GAIN * error)
