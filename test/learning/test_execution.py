"""Which stops are as they should be, and which are trouble."""

from __future__ import annotations

from gbs_irl_ros.learning.execution import (
    AS_EXPECTED,
    ExecutionReason,
    ExecutionRecord,
    ExecutionStatus,
)


def test_a_robot_that_waits_for_a_person_is_not_in_trouble():
    for reason in ExecutionReason:
        stopped = ExecutionRecord(ExecutionStatus.STOPPED, reason)
        assert stopped.is_trouble == (reason not in AS_EXPECTED), reason
    assert not ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.NOT_ALLOWED).is_trouble
    assert ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.OLD_ODOMETRY).is_trouble


def test_a_robot_that_drives_or_has_arrived_is_not_in_trouble():
    for status in set(ExecutionStatus) - {ExecutionStatus.STOPPED}:
        assert not ExecutionRecord(status, ExecutionReason.OLD_ODOMETRY).is_trouble, status
