"""A STOP that a relay holds: what is said can only prolong it."""

from __future__ import annotations

import math

from gbs_irl_ros.driving.drive_decision import HOLD_S
from gbs_irl_ros.driving.stop_hold import LET_GO_S, StopHold


def passes(hold, since, until, every=0.1):
    """Return when motion first gets past that somebody sends all the time; None if it does not."""
    for number in range(round((until - since) / every)):
        if not hold.stops(since + number * every):
            return since + number * every
    return None


def test_motion_gets_past_unless_a_stop_is_held():
    hold = StopHold()
    assert not hold.stops(0.0)
    hold.see_held(9.5, 1.0)
    assert passes(hold, 1.0, 10.4) is None
    assert 10.4 < passes(hold, 10.4, 12.0) < 10.7
    assert not hold.stops(12.0)


def test_whatever_was_said_before_a_stop_holds():
    hold = StopHold()
    hold.see_held(0.5, 1.0)                         # forged, when nobody was sending
    assert not hold.stops(5.0)
    hold.see_held(0.5, 5.0)                         # and again
    hold.see_held(9.5, 5.1)                         # a person
    hold.see_held(0.0, 5.2)
    assert passes(hold, 5.2, 14.5) is None


def test_it_ends_when_nobody_sends_motion_for_a_while_and_not_before():
    hold = StopHold()
    hold.see_held(9.5, 1.0)
    assert hold.stops(1.0 + 0.9 * LET_GO_S)
    hold.see_held(9.0, 1.0 + 1.8 * LET_GO_S)        # what is said is not motion
    assert not hold.stops(1.0 + 2.0 * LET_GO_S)
    assert not hold.stops(1.1 + 2.0 * LET_GO_S)


def test_however_long_it_is_said_to_last_it_is_believed_for_ten_seconds():
    for seconds in (1e9, math.inf, math.nan, -1.0):
        hold = StopHold()
        hold.see_held(seconds, 1.0)
        assert HOLD_S + 0.9 < passes(hold, 1.0, 20.0) < HOLD_S + 1.2
