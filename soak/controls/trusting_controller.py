"""A controller that follows whatever policy came last, whoever sent it."""

from __future__ import annotations

from gbs_irl_ros.driving.gate import Gate, Reason
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord
from gbs_irl_ros.nodes import controller


def offer(self: Gate, policy: PolicyRecord | None) -> None:
    """Take any policy."""
    self.policy = policy


def put_in_force(self: Gate, beat: HeartbeatRecord) -> None:
    """Leave it at the last one."""


def no_wrong_learner(self: Gate, now: float) -> Reason | None:
    """Find nothing wrong with any learner."""
    return None


if __name__ == '__main__':
    Gate.offer = offer                          # type: ignore[method-assign]
    Gate._put_in_force = put_in_force           # type: ignore[method-assign]
    Gate._wrong_learner = no_wrong_learner      # type: ignore[method-assign]
    controller.main()
