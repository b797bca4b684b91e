"""The best way to know the pose is used, a better one without a jump; what is wrong is kept."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from cases import for_each

from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.driving.pose_choice import STANDS_S, PoseChoice
from gbs_irl_ros.driving.pose_trouble import (
    AHEAD_S,
    HOLDS_S,
    SAME_CLOCK_S,
    FutureStampError,
    Stamps,
    Trouble,
)
from gbs_irl_ros.learning.execution import ExecutionReason

NANO = 1_000_000_000
WRONG = (ExecutionReason.WRONG_FRAME, ('odom', 'a', 'b'))
HERE = Pose(1.0, 1.0, 0.0)


@dataclass
class Way:
    """A way to know the pose; its own source."""

    name: str
    pose: Pose | None = None
    wrong: tuple | None = None
    there: bool = False
    frame: str = ''
    seen_at: float = 0.0

    @property
    def source(self):
        return self

    def trouble(self, now):
        return self.wrong

    def is_there(self, now):
        return self.there


@pytest.fixture
def ways():
    return Way('tf'), Way('pose_topic'), Way('odometry', HERE, there=True)


def moved(choice, speed=0.0, turn=0.0, until=1.0):
    for number in range(round(until / 0.05) + 1):
        choice.see_odometry(Pose(speed * 0.05 * number, 0.0, turn * 0.05 * number), 0.05 * number)


@for_each('there, name', [
    ((True, True), 'tf'), ((True, False), 'tf'), ((False, True), 'pose_topic'),
    ((False, False), 'odometry')])
def test_at_the_beginning_it_is_the_best_that_is_there(there, name):
    ways = Way('tf', HERE, there=there[0]), Way('pose_topic', there=there[1]), \
        Way('odometry', HERE, there=True)
    choice = PoseChoice(ways)
    assert choice.chosen is None
    assert choice.choose(0.0).name == name


def test_one_that_goes_before_it_has_told_a_pose_is_given_up(ways):
    choice = PoseChoice(ways)
    ways[1].there = True
    assert choice.choose(0.0).name == 'pose_topic'
    ways[1].there = False
    assert choice.choose(0.1).name == 'odometry'
    ways[1].there, ways[1].pose = True, HERE
    moved(choice)
    assert choice.choose(1.0).name == 'pose_topic'
    ways[1].there = False
    assert choice.choose(1.1).name == 'pose_topic'      # it has told one


@for_each('speed, turn, better, taken', [
    (0.0, 0.0, Pose(5.0, 5.0, 1.0), True),              # it stands
    (0.5, 0.0, Pose(1.05, 1.0, 0.1), True),             # it says the same
    (0.5, 0.0, Pose(1.5, 1.0, 0.0), False),             # a jump
    (0.0, 0.5, Pose(1.0, 1.0, 0.5), False),             # a jump of the direction
    (0.5, 0.0, None, False)])
def test_a_better_one_is_taken_without_a_jump(speed, turn, better, taken):
    ways = Way('tf'), Way('pose_topic'), Way('odometry', HERE, there=True)
    choice = PoseChoice(ways)
    choice.choose(0.0)
    moved(choice, speed, turn)
    ways[0].pose, ways[0].there = better, True
    assert choice.choose(1.0).name == ('tf' if taken else 'odometry')


def test_a_robot_that_has_only_just_come_to_rest_does_not_stand_yet(ways):
    choice = PoseChoice(ways)
    choice.choose(0.0)
    moved(choice, until=STANDS_S / 2.0)
    ways[0].pose, ways[0].there = Pose(5.0, 5.0, 0.0), True
    assert choice.choose(STANDS_S / 2.0).name == 'odometry'


def test_while_it_moves_one_that_is_in_trouble_is_not_taken(ways):
    choice = PoseChoice(ways)
    choice.choose(0.0)
    moved(choice, 0.5)
    ways[1].pose, ways[1].there, ways[1].wrong = HERE, True, WRONG
    assert choice.choose(1.0).name == 'odometry'


def test_none_is_given_up_for_a_worse_one(ways):
    tf = ways[0]
    tf.pose, tf.there = HERE, True
    choice = PoseChoice(ways)
    assert choice.choose(0.0) is tf
    moved(choice)
    tf.there, tf.wrong = False, WRONG
    assert choice.choose(1.0) is tf


def test_what_was_wrong_holds_for_a_moment():
    trouble = Trouble()
    assert trouble.current(0.0) is None
    trouble.report(WRONG, 5.0)
    assert trouble.current(5.0) == trouble.current(5.0 + 0.9 * HOLDS_S) == WRONG
    assert trouble.current(5.0 + HOLDS_S) is None


@for_each(('age_s', 'expected'), [
    (0.0, 100.0), (0.25, 99.75), (-1.0, 100.0),     # from the future, as AMCL's transforms are
    (SAME_CLOCK_S + 1.0, 100.0)])                   # from a clock that is not meant to agree
def test_a_stamp_says_when_something_was_true(age_s, expected):
    stamp = 1000 * NANO
    seen_at = Stamps().seen_at(stamp, stamp + round(age_s * NANO), 100.0)
    assert seen_at == pytest.approx(expected)


@for_each('ahead_s', [AHEAD_S + 0.1, 0.9 * SAME_CLOCK_S])
def test_what_nobody_can_have_seen_yet_is_refused(ahead_s):
    stamp, stamps = 1000 * NANO, Stamps()
    for _ in range(2):      # however often it comes
        with pytest.raises(FutureStampError, match=rf'^its stamp is {ahead_s:.1f} s ahead of this '
                           'clock: set the clocks of both computers$'):
            stamps.seen_at(stamp, stamp - round(ahead_s * NANO), 100.0)
    assert stamps.seen_at(stamp, stamp, 100.0) == 100.0     # its time has come


def test_the_same_stamp_again_says_nothing_new_and_none_says_now():
    stamps = Stamps()
    stamp = 1000 * NANO
    for seconds in (0, 1, 59, 61, 3600):
        assert stamps.seen_at(stamp, stamp + seconds * NANO, 100.0 + seconds) == 100.0
    assert stamps.seen_at(0, stamp, 200.0) == 200.0
    assert stamps.seen_at(0, stamp, 201.0) == 201.0
