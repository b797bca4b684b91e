"""When a robot was told to stop: by the clock of whoever told it, not of who listens."""

from __future__ import annotations

import bisect
import math
import threading
import time
from typing import Any

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, ReliabilityPolicy
from waiting import wait_for

from gbs_irl_ros.ros import names

DEEP = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)
STAYS_S = 0.2               # it must stand for this long
LATE_S = 20.0               # by which what was sent may be heard, on a machine that is overloaded
NANO = 1e-9


class DriveLog:
    """Every command to a robot, or every report of its speed, with the time it was sent."""

    def __init__(self, graph: Any, kind: type = Twist, messages: list[Any] | None = None) -> None:
        """
        Listen.

        :param kind: Twist: what the robot is told; Odometry: what it does.
        :param messages: where all that is heard goes, too.
        """
        self._messages = messages
        self._lock = threading.Lock()
        self._seen: list[tuple[float, bool]] = []       # when [s], whether it was motion
        topic = names.CMD_VEL if kind is Twist else names.ODOM
        self._subscription = graph.node.create_subscription(kind, topic, self._hear, DEEP)

    def _hear(self, message: Any, info: dict[str, Any]) -> None:
        twist = message.twist.twist if isinstance(message, Odometry) else message
        moves = twist.linear.x != 0.0 or twist.angular.z != 0.0
        if self._messages is not None:
            self._messages.append(message)
        with self._lock:
            bisect.insort(self._seen, (info['source_timestamp'] * NANO, moves))

    @property
    def is_moving(self) -> bool:
        """Return whether the last that was heard is motion."""
        with self._lock:
            return bool(self._seen) and self._seen[-1][1]

    def forget(self) -> None:
        """Forget all but the last, which says whether it moves."""
        with self._lock:
            del self._seen[:-1]

    def begin(self) -> None:
        """Forget all: what a sender said that has been replaced says nothing of the new one."""
        with self._lock:
            self._seen.clear()

    def last(self, since: float) -> str:
        """Return the last that was heard, in seconds after a moment, + where it is motion."""
        with self._lock:
            return ' '.join(f'{sent - since:.2f}{"+" * moves}' for sent, moves in self._seen[-10:])

    def stopped_after(self, since: float, never_s: float) -> float:
        """
        Return how long after a moment motion ended for good.

        Infinite if it did not, not a number if it had ended before.

        :param since: seconds of the system's clock, as `time.time` has it.
        :param never_s: after this long it counts as not ended at all.
        """
        ended = wait_for(lambda: self._ended(since, never_s), 'motion to end or time to pass',
                         never_s + 2 * LATE_S)
        return ended[0]

    def _ended(self, since: float, never_s: float) -> tuple[float] | None:
        with self._lock:
            seen = list(self._seen)
        moving = [number for number, (_, moves) in enumerate(seen) if moves]
        after = seen[moving[-1] + 1:] if moving else seen
        now = time.time()
        # A robot that is told nothing for a while is not stopped by that: it must be told to.
        if after and now - max(after[0][0], since) >= STAYS_S:
            return (after[0][0] - since if after[0][0] >= since else math.nan,)
        # One who listens may be late himself: what was sent in that time must have been heard.
        heard_all = bool(seen) and seen[-1][0] > since + never_s
        return (math.inf,) if heard_all or now - since > never_s + LATE_S else None
