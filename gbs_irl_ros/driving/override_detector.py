"""Noticing that a person drives: commands on the topic that are not one's own."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros.driving.pose import Velocity

TIMEOUT_S = 1.0


class OverrideDetector:
    """
    Watches the commands on the topic; those that the drive did not send are a person's.

    Standing still is not driving: a joystick at rest may keep sending zeros.
    """

    def __init__(self, is_own: Callable[[Velocity, float], bool],
                 timeout_s: float = TIMEOUT_S) -> None:
        """:param is_own: tells whether a command is that of the drive, as ``Drive.is_own``."""
        self._is_own = is_own
        self._timeout_s = timeout_s
        self._last: float | None = None

    def saw(self, velocity: Velocity, now: float) -> bool:
        """Look at a command on the topic; return whether it is somebody else's."""
        if self._is_own(velocity, now):
            return False
        if not velocity.is_zero:
            self._last = now
        return True

    def take_over(self, now: float) -> None:
        """Note that a person drives who was noticed in another way."""
        self._last = now

    def is_driving(self, now: float) -> bool:
        """Return whether a person has driven in the last moments."""
        return self._last is not None and now - self._last <= self._timeout_s
