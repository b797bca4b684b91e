"""What gets the robot to a point: the seam behind which a robot's own navigation fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import Limits, Pose, Velocity

Point = tuple[float, float]


class Progress(NamedEnum):
    """How far a drive has got on the path it was sent along."""

    UNDER_WAY = 'under_way'
    ARRIVED = 'arrived'     # as near to the first point as it gets
    FAILED = 'failed'       # it has given this path up and stands still


class Drive(Protocol):
    """
    Drives a robot to points in the frame of the task.

    It is told at every tick what to do: drive, stop or leave the robot to somebody else. Being
    told the same again must be harmless. All times are of a steady clock [s].

    limits: how fast the robot may go; may be changed at any time.
    """

    limits: Limits

    def go(self, path: Sequence[Point], pose: Pose, now: float) -> Progress:
        """
        Drive to the first point; the others come next, for drives that plan ahead.

        A path that has failed is not tried again before a stop, or another path.
        """

    def stop(self, now: float) -> None:
        """Make the robot stop, now."""

    def release(self) -> None:
        """Drive no further and send nothing: somebody else drives the robot."""

    def is_own(self, velocity: Velocity, now: float) -> bool:
        """Return whether a command seen on ``cmd_vel`` comes from this drive; asked once each."""


def drive_to(drive: Drive, cells: CellMap, states: Sequence[int], pose: Pose,
             now: float) -> Progress:
    """Send a drive to the middle of the first cell; ARRIVED if it ends there or in the cell."""
    if cells.has_arrived(pose, states[0]):
        return Progress.ARRIVED
    progress = drive.go([cells.centre(state) for state in states], pose, now)
    if progress is Progress.ARRIVED and cells.state_at(pose.x, pose.y) != states[0]:
        return Progress.FAILED
    return progress
