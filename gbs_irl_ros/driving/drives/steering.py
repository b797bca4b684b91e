"""How to drive to a point."""

from __future__ import annotations

import math

from gbs_irl_ros.driving.pose import Limits, Pose, Velocity, wrapped

TURN_GAIN = 4.0             # [1/s] rate of turn per angle still to be turned
SPEED_GAIN = 5.0            # [1/s] speed per distance still to go
TURN_ON_THE_SPOT = 0.6      # [rad] facing away by more than this, it does not drive


def towards(pose: Pose, point: tuple[float, float], limits: Limits) -> Velocity:
    """
    Return a velocity that leads to a point: first turn to it, then go, slower when near.

    Within the limits whatever the pose; zero at the point itself.
    """
    across, up = point[0] - pose.x, point[1] - pose.y
    distance = math.hypot(across, up)
    if distance == 0.0:
        return Velocity()
    error = wrapped(math.atan2(up, across) - pose.yaw)
    forward = SPEED_GAIN * distance * math.cos(error) if abs(error) < TURN_ON_THE_SPOT else 0.0
    return limits.bounded(forward, TURN_GAIN * error)


def turn_needed(pose: Pose, point: tuple[float, float]) -> float:
    """Return by how much a robot must turn to face a point [rad], not negative."""
    return abs(wrapped(math.atan2(point[1] - pose.y, point[0] - pose.x) - pose.yaw))
