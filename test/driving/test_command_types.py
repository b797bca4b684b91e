"""Twist or TwistStamped: whether those who send and take commands agree."""

from __future__ import annotations

from cases import for_each

from gbs_irl_ros.driving.command_types import STAMPED, TWIST, CommandTypes
from gbs_irl_ros.driving.gate import Gate
from gbs_irl_ros.learning.execution import ExecutionReason

BOTH = frozenset({TWIST, STAMPED})


@for_each(('sent', 'taken', 'mismatch'), [
    (TWIST, (), None), (STAMPED, (), None), (TWIST, {TWIST}, None), (STAMPED, BOTH, None),
    (TWIST, {STAMPED}, (TWIST, STAMPED, 'true')), (STAMPED, {TWIST}, (STAMPED, TWIST, 'false'))])
def test_they_differ_only_if_nobody_takes_what_is_sent(sent, taken, mismatch):
    types = CommandTypes(sent, frozenset(taken))
    assert types.mismatch == mismatch
    assert bool(types.complaints) == (mismatch is not None)
    if mismatch is not None:
        assert types.complaints[0].endswith(f'parameter stamped_cmd_vel: {mismatch[-1]}')


@for_each(('sent', 'given', 'says'), [
    (TWIST, {TWIST}, False), (TWIST, BOTH, True), (STAMPED, {TWIST}, True), (STAMPED, (), False)])
def test_commands_that_are_not_seen_are_warned_of_and_stop_nothing(sent, given, says):
    types = CommandTypes(sent, frozenset({sent}), frozenset(given))
    assert types.mismatch is None
    assert [('is not seen here' in line) for line in types.complaints] == [True] * says


def test_the_gate_says_it_as_soon_as_motion_is_allowed():
    gate = Gate(wrong_commands=(TWIST, STAMPED, 'true'))
    assert gate.reason_to_stop(0.0) == (ExecutionReason.NOT_ALLOWED, ())
    gate.permit(True)
    assert gate.reason_to_stop(0.0) == (ExecutionReason.COMMAND_TYPE, gate.wrong_commands)
    gate.wrong_commands = None
    assert gate.reason_to_stop(0.0) == (ExecutionReason.NO_TASK, ())
