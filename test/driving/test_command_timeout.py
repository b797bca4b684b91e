"""When a base is told to stand because nobody commands."""

from __future__ import annotations

import itertools
import math

import pytest
from cases import for_each

from gbs_irl_ros.driving.command_timeout import REPEAT_S, CommandTimeout
from gbs_irl_ros.driving.pose import InvalidMotionError


def zeros(timeout, times, commands=()):
    """Return when zeros are sent, asked at these times, with commands at those."""
    sent, commands = [], sorted(commands)
    for now in times:
        while commands and commands[0] <= now:
            timeout.see_command(commands.pop(0))
        if timeout.wants_zero(now):
            sent.append(now)
    return sent


def test_the_first_thing_that_a_base_hears_is_a_zero_and_then_one_every_second():
    times = [0.08 * number for number in range(40)]
    sent = zeros(CommandTimeout(0.4), times)
    assert sent[0] == 0.0
    assert sent == pytest.approx([0.0, 1.04, 2.08, 3.12])
    assert REPEAT_S == 1.0


@for_each('timeout_s', [0.1, 0.4, 0.5])
@for_each('offset', [0.0, 0.25, 0.5, 0.99])
def test_a_zero_is_sent_before_the_time_is_out_whenever_the_last_command_came(timeout_s, offset):
    timeout = CommandTimeout(timeout_s)
    period = timeout.period_s
    last = 3.0 + offset * period
    commands = [last - 0.3 * period * number for number in range(30)]
    sent = zeros(timeout, [period * number for number in range(round(7.0 / period))], commands)
    after = [time for time in sent if time >= min(commands)]
    assert 0.8 * timeout_s - 1e-9 <= after[0] - last <= timeout_s + 1e-9
    assert min(b - a for a, b in itertools.pairwise(after)) >= REPEAT_S


def test_while_commands_come_there_is_none_and_after_the_next_silence_there_is_at_once():
    timeout = CommandTimeout(0.4)
    times = [0.05 * number for number in range(100)]
    sent = zeros(timeout, times, [0.0, *(time for time in times if 1.0 <= time <= 3.0)])
    assert [time for time in sent if 1.0 < time < 3.3] == []
    assert min(time for time in sent if time > 3.0) == pytest.approx(3.35)
    # A short command right after a zero does not wait for the second to be over.
    timeout.see_command(5.0)
    assert (timeout.is_silent(5.1), timeout.is_silent(5.35)) == (False, True)
    assert timeout.wants_zero(5.35)


@for_each('value', [0.0, -1.0, math.nan, math.inf])
def test_a_time_that_is_none_is_refused(value):
    with pytest.raises(InvalidMotionError, match='timeout_s must be above 0 and finite, got '):
        CommandTimeout(value)
