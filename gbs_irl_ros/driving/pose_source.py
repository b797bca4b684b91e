"""Where the robot is: the seam behind which odometry, tf or any localisation fits."""

from __future__ import annotations

from typing import Protocol

from gbs_irl_ros.driving.pose import Pose


class PoseSource(Protocol):
    """
    Knows where the robot is, and since when.

    pose: in the frame of the task, None as long as it is not known.
    frame: in which it was reported.
    seen_at: when, on a steady clock [s]; -inf before there is one.
    """

    pose: Pose | None
    frame: str
    seen_at: float
