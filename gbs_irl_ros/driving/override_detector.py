"""Noticing that a person drives: commands on the topic that are not one's own."""

from __future__ import annotations

from collections import deque

from gbs_irl_ros.driving.pose import Velocity

REMEMBERED = 1000   # own commands that may still be on their way back,
ON_ITS_WAY_S = 1.0  # and for how long
TIMEOUT_S = 1.0


class OverrideDetector:
    """
    Compares the commands on the topic with those sent by this controller.

    ROS does not tell who sent a message, so a command counts as somebody else's if its numbers
    are not those of one's own. Standing still is nobody's: a joystick at rest may go on saying so.
    """

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._own: deque[tuple[float, Velocity]] = deque(maxlen=REMEMBERED)
        self._timeout_s = timeout_s
        self._last: float | None = None

    def sent(self, velocity: Velocity, now: float) -> None:
        """Remember a command of one's own."""
        if not velocity.is_zero:
            self._own.append((now, velocity))

    def saw(self, velocity: Velocity, now: float) -> None:
        """Look at a command on the topic."""
        while self._own and now - self._own[0][0] > ON_ITS_WAY_S:
            self._own.popleft()
        if velocity.is_zero:
            return
        for sent in self._own:
            if sent[1] == velocity:
                self._own.remove(sent)
                return
        self._last = now

    def is_driving(self, now: float) -> bool:
        """Return whether a person has driven in the last moments."""
        return self._last is not None and now - self._last <= self._timeout_s
