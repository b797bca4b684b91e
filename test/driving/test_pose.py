"""Poses, velocities and limits: plane geometry, and no number that is none."""

from __future__ import annotations

import math

import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.pose import STOP, InvalidMotionError, Limits, Pose, Velocity, wrapped

INVARIANT = settings(deadline=None, derandomize=True, max_examples=100)
NO_NUMBERS = (math.nan, math.inf, -math.inf)
ANY = st.floats(allow_nan=False, allow_infinity=False)
ANGLES = st.floats(-1e3, 1e3)
METRES = st.floats(-100.0, 100.0)
POSES = st.builds(Pose, METRES, METRES, ANGLES)
ORIGIN = Pose(0.0, 0.0, 0.0)


def is_same(one, other):
    turned = wrapped(one.yaw - other.yaw)
    return math.dist((one.x, one.y), (other.x, other.y)) < 1e-9 and abs(turned) < 1e-9


@for_each(('angle', 'expected'), [
    (0.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (2.0 * math.pi, 0.0), (1.5 * math.pi, -0.5 * math.pi),
    (-1.5 * math.pi, 0.5 * math.pi), (7.0 * math.pi / 2.0, -0.5 * math.pi),
    (1.0 + 200.0 * math.pi, 1.0)])
def test_whole_turns_are_taken_off_an_angle(angle, expected):
    assert wrapped(angle) == pytest.approx(expected, abs=1e-12)


@for_each('angle', [math.pi, -math.pi, 3.0 * math.pi])
def test_half_a_turn_stays_half_a_turn_to_either_side(angle):
    assert abs(wrapped(angle)) == pytest.approx(math.pi)


@INVARIANT
@given(ANY)
def test_a_wrapped_angle_is_at_most_half_a_turn(angle):
    assert -math.pi <= wrapped(angle) <= math.pi


@INVARIANT
@given(ANGLES)
def test_a_wrapped_angle_points_where_it_did(angle):
    assert math.cos(wrapped(angle)) == pytest.approx(math.cos(angle), abs=1e-9)
    assert math.sin(wrapped(angle)) == pytest.approx(math.sin(angle), abs=1e-9)


def test_a_frame_that_is_only_shifted_shifts_a_pose():
    assert Pose(1.0, 2.0, 0.5).after(Pose(10.0, -1.0, 0.0)) == Pose(11.0, 1.0, 0.5)


def test_a_frame_turned_to_the_left_puts_ahead_to_the_left():
    seen = Pose(2.0, 0.0, 0.0).after(Pose(1.0, 1.0, math.pi / 2.0))
    assert is_same(seen, Pose(1.0, 3.0, math.pi / 2.0))


def test_a_frame_turned_to_the_left_puts_the_left_behind():
    seen = Pose(0.0, 2.0, -0.5).after(Pose(1.0, 1.0, math.pi / 2.0))
    assert is_same(seen, Pose(-1.0, 1.0, math.pi / 2.0 - 0.5))


def test_a_frame_that_faces_back_turns_everything_round():
    seen = Pose(2.0, 1.0, math.pi / 2.0).after(Pose(0.0, 0.0, math.pi))
    assert is_same(seen, Pose(-2.0, -1.0, -math.pi / 2.0))


@INVARIANT
@given(POSES)
def test_the_origin_changes_nothing_on_either_side(pose):
    assert is_same(pose.after(ORIGIN), pose)
    assert is_same(ORIGIN.after(pose), pose)


@INVARIANT
@given(POSES, POSES, POSES)
def test_frames_in_frames_may_be_taken_in_any_order(one, two, three):
    assert is_same(one.after(two).after(three), one.after(two.after(three)))


@INVARIANT
@given(POSES, POSES, POSES)
def test_a_frame_changes_no_distance(one, two, frame):
    before = math.dist((one.x, one.y), (two.x, two.y))
    seen = [pose.after(frame) for pose in (one, two)]
    after = math.dist((seen[0].x, seen[0].y), (seen[1].x, seen[1].y))
    assert after == pytest.approx(before, abs=1e-9)


@for_each('bad', NO_NUMBERS)
@for_each('place', range(3))
def test_a_pose_of_what_is_no_number_is_refused(bad, place):
    values = [1.0, 2.0, 3.0]
    values[place] = bad
    with pytest.raises(InvalidMotionError, match=rf'pose must be finite, got \(.*{bad}.*\)'):
        Pose(*values)


@for_each('bad', NO_NUMBERS)
@for_each('place', range(2))
def test_a_velocity_of_what_is_no_number_is_refused(bad, place):
    values = [1.0, 2.0]
    values[place] = bad
    with pytest.raises(InvalidMotionError, match=rf'velocity must be finite, got \(.*{bad}.*\)'):
        Velocity(*values)


@for_each('bad', NO_NUMBERS)
@for_each('place', range(2))
def test_limits_of_what_is_no_number_are_refused(bad, place):
    values = [1.0, 2.0]
    values[place] = bad
    with pytest.raises(InvalidMotionError, match=rf'limits must be finite, got \(.*{bad}.*\)'):
        Limits(*values)


@for_each(('speed', 'turn'), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (1.0, -0.5)])
def test_a_robot_that_cannot_move_is_refused(speed, turn):
    with pytest.raises(InvalidMotionError,
                       match=f'speeds must be positive, got {speed} m/s and {turn} rad/s'):
        Limits(speed, turn)


def test_the_error_is_one_of_the_package_and_a_value_error():
    assert issubclass(InvalidMotionError, GbsIrlError)
    assert issubclass(InvalidMotionError, ValueError)


def test_what_a_frame_throws_out_of_all_numbers_is_refused():
    with pytest.raises(InvalidMotionError, match='pose must be finite'):
        Pose(1.7e308, 1.7e308, 0.0).after(Pose(0.0, 0.0, 0.8))


def test_only_no_motion_at_all_is_standing_still():
    assert STOP.is_zero
    assert Velocity() == STOP
    assert Velocity(-0.0, -0.0).is_zero
    assert not Velocity(1e-300, 0.0).is_zero
    assert not Velocity(0.0, -1e-300).is_zero


@for_each(('wanted', 'expected'), [
    ((0.2, 0.3), (0.2, 0.3)), ((9.0, 0.0), (0.5, 0.0)), ((-9.0, 0.0), (-0.5, 0.0)),
    ((0.0, 9.0), (0.0, 1.5)), ((0.1, -9.0), (0.1, -1.5)), ((0.5, 1.5), (0.5, 1.5)),
    ((math.inf, -math.inf), (0.5, -1.5))])
def test_too_fast_is_cut_to_the_limit_and_the_rest_is_left(wanted, expected):
    assert Limits(0.5, 1.5).bounded(*wanted) == Velocity(*expected)


@pytest.mark.parametrize('wanted', [(math.nan, 0.0), (0.0, math.nan)])
def test_limits_do_not_turn_what_is_no_number_into_one(wanted):
    with pytest.raises(InvalidMotionError, match='velocity must be finite'):
        Limits().bounded(*wanted)


@INVARIANT
@given(ANY, ANY)
def test_whatever_is_wanted_the_limits_hold(forward, turn):
    velocity = Limits(0.7, 0.9).bounded(forward, turn)
    assert abs(velocity.forward) <= 0.7
    assert abs(velocity.turn) <= 0.9
