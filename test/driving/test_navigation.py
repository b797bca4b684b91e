"""Driving by a navigation that does everything it may do, and much that it should not."""

from __future__ import annotations

import math

import pytest
from cases import for_each

from gbs_irl_ros.driving.drive import Progress
from gbs_irl_ros.driving.navigation import (
    PAUSE_S,
    SLOWS_DOWN_S,
    NavigationDrive,
    Outcome,
    Patience,
)
from gbs_irl_ros.driving.pose import STOP, Pose, Velocity
from gbs_irl_ros.learning.execution import ExecutionReason

HERE = Pose(0.0, 0.0, 0.0)
EAST, NORTH = [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)], [(0.0, 1.0)]
MOTION = Velocity(0.2, 0.1)
PATIENCE = Patience(accept_s=2.0, silence_s=3.0, progress_s=10.0, tries=3)
TICK_S = 0.1
UNDER_WAY, ARRIVED, FAILED = Progress.UNDER_WAY, Progress.ARRIVED, Progress.FAILED


class FakeGoal:
    def __init__(self, pose, now):
        self.pose, self.heard_at = pose, now
        self.outcome, self.error = Outcome.SENT, ('0', 'no text')
        self.cancelled = 0

    def cancel(self):
        self.cancelled += 1


class FakeNavigator:
    """A navigation that does what the test says. goals: those that it was given."""

    name = 'navigate_to_pose'

    def __init__(self):
        self.is_installed = self.there = True
        self.goals, self.foreign, self.all_cancelled = [], False, 0

    def is_there(self):
        return self.there

    def send(self, pose, now):
        self.goals.append(FakeGoal(pose, now))
        return self.goals[-1]

    def others_drive(self):
        return self.foreign

    def cancel_all(self):
        self.all_cancelled += 1


class Rig:
    """A drive, its navigation, and a clock."""

    def __init__(self):
        self.navigator, self.sent, self.now = FakeNavigator(), [], 100.0
        self.drive = NavigationDrive(self.navigator, self.sent.append)
        self.drive.patience = PATIENCE

    @property
    def goal(self):
        return self.navigator.goals[-1]

    @property
    def live(self):
        """The goals that nobody has cancelled and that have not ended."""
        return [goal for goal in self.navigator.goals if not goal.cancelled
                and goal.outcome in (Outcome.SENT, Outcome.ACCEPTED)]

    def go(self, path=EAST, pose=HERE, *, later=TICK_S, heard=True):
        self.now += later
        if heard and self.navigator.goals:
            self.goal.heard_at = self.now
        return self.drive.go(path, pose, self.now)

    def going(self):
        """A goal has been given and accepted."""
        self.go()
        self.goal.outcome = Outcome.ACCEPTED
        assert self.go() is UNDER_WAY
        return self.goal


@pytest.fixture
def rig():
    return Rig()


# ---- goals ----------------------------------------------------------------------------------

def test_the_goal_is_the_end_of_the_stretch_heading_along_it(rig):
    assert rig.go() is UNDER_WAY
    assert rig.goal.pose == Pose(3.0, 0.0, 0.0)
    assert rig.go(NORTH, Pose(0.0, 0.2, 1.0)) is UNDER_WAY
    assert rig.goal.pose == Pose(0.0, 1.0, math.pi / 2.0)


def test_one_goal_is_enough_for_the_whole_stretch(rig):
    rig.going()
    for passed in range(3):
        for _ in range(20):
            assert rig.go(EAST[passed:], Pose(0.7 + passed, 0.0, 0.0)) is UNDER_WAY
    assert len(rig.navigator.goals) == 1


def test_another_stretch_replaces_the_goal_whose_end_is_not_taken_for_the_new_one(rig):
    old = rig.going()
    rig.go(NORTH)
    assert not old.cancelled, 'the robot would stop at every corner'
    old.outcome = Outcome.ABORTED           # as Nav2 ends what is replaced
    rig.goal.outcome = Outcome.ACCEPTED
    for _ in range(3):
        assert rig.go(NORTH) is UNDER_WAY
    assert len(rig.navigator.goals) == 2
    assert rig.sent == []


@for_each('outcome', [Outcome.ACCEPTED, Outcome.REJECTED, Outcome.ABORTED, Outcome.SUCCEEDED])
def test_what_was_replaced_is_cancelled_as_soon_as_the_new_one_is_answered(outcome):
    rig = Rig()
    old = rig.going()
    rig.go(NORTH)
    rig.goal.outcome = outcome
    rig.go(NORTH)
    assert old.cancelled == 1


# ---- every outcome --------------------------------------------------------------------------

# What the navigation does to each goal; what the drive says in the end, after how many goals.
@for_each(('outcome', 'reason', 'data', 'goals', 'waits'), [
    (Outcome.ABORTED, ExecutionReason.NAV2_ABORTED, ('208', 'no valid path'), 3, False),
    (Outcome.SUCCEEDED, ExecutionReason.NAV2_STOPS_SHORT, ('3.00',), 4, False),
    (Outcome.CANCELLED, ExecutionReason.NAV2_CANCELLED, (), 1, False),
    (Outcome.SENT, ExecutionReason.NAV2_SILENT, ('2.1',), 3, False),
    (Outcome.REJECTED, ExecutionReason.NAV2_REJECTED, ('navigate_to_pose',), None, True)])
def test_every_outcome(outcome, reason, data, goals, waits):
    rig, seen = Rig(), []
    for _ in range(150):
        seen.append(rig.go())
        if rig.navigator.goals:
            rig.goal.outcome, rig.goal.error = outcome, ('208', 'no valid path')
    assert seen[-1] is FAILED
    assert rig.drive.trouble == (reason, data)
    assert rig.live == []
    assert rig.sent[-1] == STOP
    if waits:       # and drives as soon as it is let
        assert rig.drive.go(EAST, HERE, rig.now + PAUSE_S) is FAILED
        rig.goal.outcome = Outcome.ACCEPTED
        assert rig.go() is UNDER_WAY
        assert rig.drive.trouble is None
    else:
        assert len(rig.navigator.goals) == goals
        assert FAILED not in seen[:seen.index(FAILED)]
        rig.drive.stop(rig.now)
        assert rig.go() is UNDER_WAY, 'after a stop it is tried again'
        assert len(rig.navigator.goals) == goals + 1


def test_success_is_told_every_time_and_another_try_may_get_there(rig):
    rig.going().outcome = Outcome.SUCCEEDED
    assert rig.go() is ARRIVED
    assert rig.go() is UNDER_WAY            # the caller says that it is not there
    assert len(rig.navigator.goals) == 2
    rig.goal.outcome = Outcome.ACCEPTED
    assert rig.go(NORTH) is UNDER_WAY       # it was there: on to the next
    assert rig.drive.trouble is None


def test_one_abort_is_no_reason_to_stop(rig):
    rig.going().outcome = Outcome.ABORTED
    assert rig.go() is UNDER_WAY
    assert rig.sent[-1] == STOP
    assert rig.go(later=PAUSE_S / 2.0) is UNDER_WAY
    assert len(rig.navigator.goals) == 1
    assert rig.sent[-1] == STOP, 'it stands while it waits'
    assert rig.go(later=PAUSE_S) is UNDER_WAY
    assert len(rig.navigator.goals) == 2
    rig.goal.outcome = Outcome.ACCEPTED
    assert rig.go() is UNDER_WAY


def test_silence_about_an_accepted_goal_is_noticed_and_the_goal_cancelled(rig):
    goal = rig.going()
    assert rig.go(later=PATIENCE.silence_s, heard=False) is UNDER_WAY
    assert rig.go(heard=False) is UNDER_WAY
    assert goal.cancelled == 1
    assert rig.sent == [STOP]
    assert rig.live == []


def test_a_robot_that_stands_for_too_long_is_noticed(rig):
    goal = rig.going()
    for number in range(20):
        assert rig.go(pose=Pose(0.1 * number, 0.0, 0.0), later=2.0) is UNDER_WAY
    assert rig.go(pose=Pose(1.9, 0.0, 0.5), later=9.0) is UNDER_WAY    # it turns
    assert not goal.cancelled
    for _ in range(6):
        rig.go(pose=Pose(1.92, 0.0, 0.5), later=2.0)
    assert goal.cancelled == 1
    while rig.go(pose=Pose(1.92, 0.0, 0.5), later=1.5) is UNDER_WAY:
        rig.goal.outcome = Outcome.ACCEPTED
    assert rig.drive.trouble == (ExecutionReason.NAV2_NO_PROGRESS, ('10',))


def test_without_a_server_it_waits_for_one(rig):
    rig.navigator.there = False
    for _ in range(30):
        assert rig.go() is FAILED
    assert rig.drive.trouble == (ExecutionReason.NAV2_MISSING, ('navigate_to_pose',))
    assert rig.sent == [STOP] * 3, 'whenever it is looked for, and not all the time'
    rig.navigator.there = True
    rig.go(later=PAUSE_S)
    rig.goal.outcome = Outcome.ACCEPTED
    assert rig.go() is UNDER_WAY


def test_without_the_messages_of_nav2_it_never_drives(rig):
    rig.navigator.is_installed = False
    for _ in range(30):
        assert rig.go() is FAILED
    assert rig.drive.trouble == (ExecutionReason.NAV2_NOT_INSTALLED, ())
    assert (rig.navigator.goals, rig.sent) == ([], [])


# ---- stopping, and whose commands they are ---------------------------------------------------

@for_each('accepted', [False, True])
def test_a_stop_cancels_at_once_and_sends_zero(accepted):
    rig = Rig()
    old = rig.going()
    rig.go(NORTH)
    if accepted:
        rig.goal.outcome = Outcome.ACCEPTED
    rig.drive.stop(rig.now)
    assert (old.cancelled, rig.goal.cancelled, rig.sent) == (1, 1, [STOP])
    rig.drive.stop(rig.now)
    assert (rig.goal.cancelled, rig.sent) == (1, [STOP, STOP])
    assert rig.navigator.all_cancelled == 0


def test_a_release_cancels_and_sends_nothing(rig):
    goal = rig.going()
    rig.drive.release()
    rig.drive.release()
    assert (goal.cancelled, rig.sent) == (1, [])


def test_a_stop_also_cancels_what_somebody_else_wants(rig):
    rig.navigator.foreign = True
    assert rig.drive.others_drive()
    rig.drive.stop(rig.now)
    assert rig.navigator.all_cancelled == 1
    rig.navigator.foreign = False
    rig.drive.stop(rig.now)
    assert rig.navigator.all_cancelled == 1


def test_commands_are_those_of_the_navigation_while_it_has_a_goal_and_a_moment_longer(rig):
    assert not rig.drive.is_own(MOTION, rig.now)
    rig.going()
    for velocity in (MOTION, STOP):
        assert rig.drive.is_own(velocity, rig.now)
    rig.drive.stop(rig.now)
    assert rig.drive.is_own(STOP, rig.now)
    assert rig.drive.is_own(MOTION, rig.now + SLOWS_DOWN_S - 0.01)
    assert not rig.drive.is_own(MOTION, rig.now + SLOWS_DOWN_S)


def test_who_takes_over_is_noticed_at_once(rig):
    rig.going()
    rig.drive.release()
    assert not rig.drive.is_own(MOTION, rig.now)
