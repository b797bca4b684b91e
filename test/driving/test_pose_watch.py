"""A pose that cannot be right is noticed; one that can is not."""

from __future__ import annotations

import inspect
import math
import re

import pytest
from cases import for_each

from gbs_irl_ros.driving import pose_watch
from gbs_irl_ros.driving.drive import towards
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.driving.pose_watch import PAUSE_S, WINDOW_S, PoseWatch
from gbs_irl_ros.learning.execution import NEEDS_PERMISSION, ExecutionReason

LIMITS = Limits(0.5, 1.5)
CELL = 1.0
TICK_S = 0.05
TARGET = (5.0, 0.0)
ORIGIN = Pose(0.0, 0.0, 0.0)


def first_problem(poses, watch=None, target=TARGET, begin=0.0):
    """Return the number of the tick at which something is noticed, and what; None if nothing."""
    watch = watch or PoseWatch()
    for number, pose in enumerate(poses):
        reason = watch.check(pose, target, CELL, LIMITS, begin + TICK_S * number)
        if reason is not None:
            return number, reason
    return None


def driven(seconds, told=lambda pose: pose, start=ORIGIN, target=TARGET):
    """Return what a robot says that is steered to the target by what it says."""
    pose, said = start, []
    for _ in range(round(seconds / TICK_S)):
        said.append(told(pose))
        velocity = towards(said[-1], target, LIMITS)
        pose = Pose(pose.x + velocity.forward * TICK_S * math.cos(pose.yaw),
                    pose.y + velocity.forward * TICK_S * math.sin(pose.yaw),
                    pose.yaw + velocity.turn * TICK_S)
    return said


@for_each('start, target', [
    (Pose(0.0, 0.0, yaw), target) for yaw in (0.0, 1.0, math.pi, -2.5)
    for target in ((1.0, 0.0), (0.0, -1.0), (-3.0, 2.0))])
def test_a_robot_that_goes_where_it_is_sent_is_left_alone(start, target):
    poses = driven(8.0, start=start, target=target)
    arrived = next((number for number, pose in enumerate(poses)
                    if math.hypot(pose.x - target[0], pose.y - target[1]) < 0.1), None)
    assert first_problem(poses[:arrived], target=target) is None


def test_so_is_one_whose_pose_is_corrected_a_little_now_and_then():
    poses = [Pose(0.025 * number, 0.3 * (number // 10 % 2), 0.0) for number in range(100)]
    assert first_problem(poses) is None


def test_a_pose_that_jumps_is_noticed_at_once():
    poses = [Pose(0.025 * number + (1.0 if number >= 20 else 0.0), 0.0, 0.0)
             for number in range(40)]
    number, reason = first_problem(poses)
    assert number == 20
    assert reason == (ExecutionReason.POSE_JUMPED, ('1.02',))


def test_many_small_jumps_are_a_large_one_unless_the_robot_may_be_that_fast():
    poses = [Pose(0.6 * (number // 8), 0.0, 0.0) for number in range(100)]      # every 0.4 s
    number, reason = first_problem(poses)
    assert number * TICK_S < WINDOW_S + 2 * TICK_S
    assert reason[0] is ExecutionReason.POSE_JUMPED
    watch = PoseWatch()
    assert not any(watch.check(pose, (100.0, 0.0), CELL, LIMITS, TICK_S * number,
                               keeps_limits=False) for number, pose in enumerate(poses))


def test_one_that_is_told_to_drive_more_slowly_has_not_jumped():
    watch = PoseWatch()
    for number in range(100):
        limits = LIMITS if number < 40 else Limits(0.02, 1.0)
        x = 0.025 * number if number < 40 else 1.0 + 0.001 * (number - 40)
        assert watch.check(Pose(x, 0.0, 0.0), TARGET, 0.3, limits, TICK_S * number) is None


def test_a_jump_is_said_in_a_few_characters_however_far_it_is():
    _, reason = first_problem([ORIGIN, Pose(1e308, 0.0, 0.0)])
    assert reason == (ExecutionReason.POSE_JUMPED, ('1e+308',))


def test_a_pose_of_earlier_that_comes_late_has_not_jumped_unless_it_has():
    """How old it may be is for the gate to say."""
    watch = PoseWatch()
    assert watch.check(ORIGIN, TARGET, CELL, LIMITS, 10.0) is None
    assert watch.check(ORIGIN, TARGET, CELL, LIMITS, 8.0) is None
    assert watch.check(Pose(0.025, 0.0, 0.0), TARGET, CELL, LIMITS, 10.05) is None
    assert watch.check(Pose(-1.0, 0.0, 0.0), TARGET, CELL, LIMITS, 9.0) == (
        ExecutionReason.POSE_JUMPED, ('1.02',))


def test_after_whatever_is_noticed_the_robot_stands_until_it_is_allowed_to_move_again():
    noticed = set(re.findall(r'ExecutionReason\.(\w+)', inspect.getsource(pose_watch)))
    assert len(noticed) > 3
    assert noticed <= {reason.name for reason in NEEDS_PERMISSION}


def test_a_frozen_pose_is_noticed_after_a_while():
    number, reason = first_problem([Pose(1.0, 0.0, 0.0)] * 100)
    assert number * TICK_S == pytest.approx(WINDOW_S)
    assert reason == (ExecutionReason.NOT_MOVING, ('2',))


def test_turning_on_the_spot_is_moving():
    poses = [Pose(1.0, 0.0, 0.075 * number) for number in range(100)]
    assert first_problem(poses) is None


def test_a_slow_robot_moves_too():
    slow = Limits(0.01, 0.05)
    watch = PoseWatch()
    assert all(watch.check(Pose(0.01 * TICK_S * number, 0.0, 0.0), TARGET, CELL, slow,
                           TICK_S * number) is None for number in range(200))


def test_a_robot_that_says_it_looks_the_other_way_is_noticed_within_a_cell():
    poses = driven(8.0, told=lambda pose: Pose(pose.x, pose.y, pose.yaw + math.pi),
                   start=Pose(0.0, 0.0, math.pi))
    number, reason = first_problem(poses)
    assert reason[0] is ExecutionReason.WRONG_WAY
    assert poses[number].x > -1.1 * CELL


def test_a_robot_that_overshoots_once_on_a_busy_machine_is_left_alone():
    there = [Pose(0.025 * number, 0.0, 0.0) for number in range(201)]
    beyond = [Pose(5.0 + 0.05 * min(number, 15), 0.0, 0.2 * number) for number in range(18)]
    assert first_problem([*there, *beyond]) is None


def test_after_a_pause_the_robot_may_be_elsewhere():
    watch = PoseWatch()
    assert first_problem([Pose(0.0, 0.0, 0.0)] * 5, watch) is None
    assert first_problem([Pose(9.0, 3.0, 0.0)] * 5, watch, begin=PAUSE_S + 1.0) is None


def test_what_is_forgotten_is_not_compared():
    watch = PoseWatch()
    assert first_problem([Pose(0.0, 0.0, 0.0)] * 5, watch) is None
    watch.forget()
    assert first_problem([Pose(9.0, 3.0, 0.0)] * 5, watch, begin=0.25) is None


def test_another_target_may_be_farther_away():
    watch = PoseWatch()
    assert first_problem([Pose(4.5, 0.0, 0.0)] * 3, watch) is None
    assert first_problem([Pose(4.5, 0.0, 0.1)] * 3, watch, (0.0, 0.0), 0.15) is None
