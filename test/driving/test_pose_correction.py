"""Odometry that drifts, set right by poses that come late and seldom."""

from __future__ import annotations

import math

import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.driving.pose_correction import (
    AHEAD_S,
    HISTORY_S,
    OldPoseError,
    PoseCorrection,
    spread_of,
)

TICK_S = 0.05
POSES = st.builds(Pose, st.floats(-50.0, 50.0), st.floats(-50.0, 50.0), st.floats(-3.0, 3.0))


def near(pose, x, y, yaw=None):
    assert (pose.x, pose.y) == pytest.approx((x, y), abs=1e-6)
    assert yaw is None or pose.yaw == pytest.approx(yaw, abs=1e-6)


def driven(seconds=1.0, speed=0.5):
    """Odometry says that the robot has gone straight ahead from its origin."""
    correction = PoseCorrection()
    for number in range(round(seconds / TICK_S) + 1):
        correction.see_odometry(Pose(speed * TICK_S * number, 0.0, 0.0), TICK_S * number)
    return correction


def test_nothing_is_known_before_the_first_pose():
    correction = driven()
    assert correction.pose is None
    correction.see_pose(Pose(10.0, 5.0, math.pi / 2.0), 1.0)
    near(correction.pose, 10.0, 5.0, math.pi / 2.0)


def test_odometry_carries_on_what_the_localisation_said():
    correction = driven()
    correction.see_pose(Pose(10.0, 5.0, math.pi / 2.0), 1.0)
    correction.see_odometry(Pose(1.0, 0.0, 0.0), 2.0)       # half a metre ahead, which is up
    near(correction.pose, 10.0, 5.5, math.pi / 2.0)


def test_a_late_pose_is_compared_with_the_odometry_of_its_time():
    correction = driven()                                   # 0.5 m at 1 s
    correction.see_pose(Pose(3.0, 0.0, 0.0), 0.5)           # where odometry was at 0.25 m
    near(correction.pose, 3.25, 0.0, 0.0)


def test_between_two_messages_of_the_odometry_it_is_in_between():
    correction = driven()
    correction.see_pose(Pose(3.0, 0.0, 0.0), 0.51)
    near(correction.pose, 3.245, 0.0)


def test_half_way_of_a_turn_past_the_back_is_the_back():
    correction = PoseCorrection()
    correction.see_odometry(Pose(0.0, 0.0, 3.0), 0.0)
    correction.see_odometry(Pose(0.0, 0.0, 2.0 * math.pi - 3.0 - 2.0 * math.pi), 1.0)
    correction.see_pose(Pose(0.0, 0.0, 0.0), 0.5)
    assert abs(correction.offset.yaw) == pytest.approx(math.pi)


def test_one_that_is_ahead_waits_for_its_odometry():
    correction = driven()
    correction.see_pose(Pose(3.0, 0.0, 0.0), 1.2)
    assert correction.pose is None
    correction.see_odometry(Pose(0.6, 0.0, 0.0), 1.2)
    near(correction.pose, 3.0, 0.0)


def test_one_that_comes_before_all_odometry_waits_too():
    correction = PoseCorrection()
    correction.see_pose(Pose(3.0, 0.0, 0.0), 0.5)
    correction.see_odometry(Pose(7.0, 0.0, 0.0), 0.4)
    assert correction.pose is None
    correction.see_odometry(Pose(7.0, 0.0, 0.0), 0.6)
    near(correction.pose, 3.0, 0.0)


def test_one_without_a_stamp_is_of_now():
    correction = driven()
    correction.see_pose(Pose(3.0, 0.0, 0.0))
    near(correction.pose, 3.0, 0.0)


@for_each(('stamp', 'text'), [
    (100.0 - HISTORY_S - 1.0, 'the pose is 6.0 s older than the odometry'),
    (100.0 + AHEAD_S + 1.0, 'the pose is -2.0 s older than the odometry')])
def test_one_of_a_time_that_nobody_knows_of_is_refused(stamp, text):
    correction = PoseCorrection()
    for number in range(200):
        correction.see_odometry(Pose(0.0, 0.0, 0.0), 100.0 - TICK_S * (199 - number))
    with pytest.raises(OldPoseError, match=text):
        correction.see_pose(Pose(0.0, 0.0, 0.0), stamp)
    assert correction.pose is None


@for_each(('pose', 'stamp'), [
    (Pose(0.0, 0.0, 0.0), -5.0),            # another clock
    (Pose(40.0, 0.0, 0.0), 1.0 + TICK_S)])  # another origin
def test_a_robot_that_was_started_again_is_nowhere_until_the_next_pose(pose, stamp):
    correction = driven()
    correction.see_pose(Pose(3.0, 0.0, 0.0), 1.0)
    correction.see_odometry(pose, stamp)
    assert correction.pose is None
    correction.see_pose(Pose(4.0, 0.0, 0.0), stamp)
    near(correction.pose, 4.0, 0.0)


def test_odometry_that_was_overtaken_on_its_way_is_left_out():
    correction = driven()
    correction.see_pose(Pose(3.0, 0.0, 0.0), 1.0)
    correction.see_odometry(Pose(0.45, 0.0, 0.0), 0.9)
    near(correction.pose, 3.0, 0.0)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(POSES, POSES)
def test_whatever_the_frames_are_the_robot_is_where_it_is_said_to_be(odometry, pose):
    correction = PoseCorrection()
    correction.see_odometry(odometry, 0.0)
    correction.see_pose(pose, 0.0)
    near(correction.pose, pose.x, pose.y)
    assert math.cos(correction.pose.yaw - pose.yaw) == pytest.approx(1.0)


@for_each(('covariance', 'expected'), [
    ((0.0, 0.0, 0.0), 0.0), ((0.25, 0.0, 0.04), 0.5), ((0.04, 0.0, 0.25), 0.5),
    ((0.5, 0.5, 0.5), 1.0), ((1e-9, 1.0, 1e-9), 1.0)])
def test_how_far_off_a_place_may_be_by_hand(covariance, expected):
    assert spread_of(covariance) == pytest.approx(expected, abs=1e-6)


@for_each('covariance', [(math.nan, 0.0, 1.0), (1.0, math.inf, 1.0), (-1.0, 0.0, 1.0)])
def test_what_is_no_covariance_is_refused(covariance):
    with pytest.raises(GbsIrlError, match='the covariance of x and y must be finite and not neg'):
        spread_of(covariance)
