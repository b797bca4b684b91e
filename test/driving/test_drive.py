"""Driving to a point: by hand, in simulation, and from anywhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each
from hypothesis import example, given, settings, strategies as st

from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import SPEED_GAIN, TURN_ON_THE_SPOT, towards
from gbs_irl_ros.driving.pose import STOP, InvalidMotionError, Limits, Pose, Velocity
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.tasks.worlds.grid import build_grid

INVARIANT = settings(deadline=None, derandomize=True, max_examples=150)
SIMULATION = settings(deadline=None, derandomize=True, max_examples=25)
ANY = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(1e-6, 1e6)
INSIDE = st.floats(0.01, 9.99)
ANGLES = st.floats(-math.pi, math.pi)
LIMITS = Limits(2.0, 4.0)
STEP_S = 0.05


def open_field():
    """Ten by ten cells of one metre."""
    built = build_grid(['.' * 10] * 10, {}, ('north', 'east', 'south', 'west'), 0.9)
    return CellMap(built.world)


def driven(drive, pose, point, limits, seconds, rng):
    """Yield the poses on the way to a point."""
    for _ in range(round(seconds / STEP_S)):
        pose = drive.moved(pose, towards(pose, point, limits), STEP_S, rng)
        yield pose


def distance(pose, point):
    return math.dist((pose.x, pose.y), point)


def test_at_the_point_it_stands_whatever_it_faces():
    for yaw in (0.0, 1.0, -3.0):
        assert towards(Pose(3.0, 4.0, yaw), (3.0, 4.0), LIMITS) == STOP


def test_far_ahead_means_full_speed_and_no_turn():
    assert towards(Pose(0.0, 0.0, 0.0), (9.0, 0.0), LIMITS) == Velocity(2.0, 0.0)


def test_near_ahead_it_goes_slower_in_proportion():
    velocity = towards(Pose(0.0, 0.0, math.pi / 2.0), (0.0, 0.1), LIMITS)
    assert velocity.forward == pytest.approx(0.1 * SPEED_GAIN)
    assert velocity.turn == pytest.approx(0.0)


@pytest.mark.parametrize(('yaw', 'turn'), [(0.0, 4.0), (math.pi, -4.0)])
def test_what_is_at_the_side_is_faced_first(yaw, turn):
    assert towards(Pose(0.0, 0.0, yaw), (0.0, 5.0), LIMITS) == Velocity(0.0, turn)


def test_what_is_behind_is_faced_first_and_never_reversed_to():
    velocity = towards(Pose(0.0, 0.0, 0.0), (-5.0, 0.0), LIMITS)
    assert velocity.forward == 0.0
    assert abs(velocity.turn) == 4.0


def test_it_turns_the_short_way_round():
    assert towards(Pose(0.0, 0.0, 3.0), (math.cos(-3.0), math.sin(-3.0)), LIMITS).turn > 0.0
    assert towards(Pose(0.0, 0.0, -3.0), (math.cos(3.0), math.sin(3.0)), LIMITS).turn < 0.0


@for_each(('off', 'drives'), [
    (TURN_ON_THE_SPOT - 0.01, True), (TURN_ON_THE_SPOT + 0.01, False),
    (0.01 - TURN_ON_THE_SPOT, True), (-0.01 - TURN_ON_THE_SPOT, False)])
def test_it_drives_only_when_it_faces_the_point_well_enough(off, drives):
    velocity = towards(Pose(0.0, 0.0, -off), (1.0, 0.0), LIMITS)
    assert (velocity.forward > 0.0) == drives
    assert math.copysign(1.0, velocity.turn) == math.copysign(1.0, off)


def test_whole_turns_of_the_robot_make_no_difference():
    once = towards(Pose(1.0, 1.0, 0.3), (2.0, 2.0), LIMITS)
    again = towards(Pose(1.0, 1.0, 0.3 + 6.0 * math.pi), (2.0, 2.0), LIMITS)
    assert again.forward == pytest.approx(once.forward)
    assert again.turn == pytest.approx(once.turn)


@INVARIANT
@given(ANY, ANY, ANY, ANY, ANY, POSITIVE, POSITIVE)
@example(-1.7e308, -1.7e308, 1.7e308, 1.7e308, 1.7e308, 0.5, 1.5)
@example(5e-324, 0.0, 0.0, 0.0, 0.0, 0.5, 1.5)
def test_wherever_it_is_the_limits_hold_and_nothing_is_no_number(x, y, yaw, to_x, to_y, speed,
                                                                 turn):
    velocity = towards(Pose(x, y, yaw), (to_x, to_y), Limits(speed, turn))
    assert math.isfinite(velocity.forward)
    assert math.isfinite(velocity.turn)
    assert 0.0 <= velocity.forward <= speed
    assert abs(velocity.turn) <= turn


@pytest.mark.parametrize('point', [(math.nan, 0.0), (0.0, math.nan)])
def test_a_point_that_is_none_never_becomes_a_command(point):
    with pytest.raises(InvalidMotionError, match='velocity must be finite'):
        towards(Pose(1.0, 1.0, 0.0), point, LIMITS)


@SIMULATION
@given(INSIDE, INSIDE, ANGLES, INSIDE, INSIDE)
def test_it_arrives_from_anywhere(x, y, yaw, to_x, to_y):
    drive, rng = DifferentialDrive(open_field()), np.random.default_rng(0)
    *_, end = driven(drive, Pose(x, y, yaw), (to_x, to_y), LIMITS, 15.0, rng)
    assert distance(end, (to_x, to_y)) < 1e-3


@SIMULATION
@given(INSIDE, INSIDE, ANGLES, INSIDE, INSIDE, st.integers(0, 1000))
def test_it_arrives_with_a_body_that_errs(x, y, yaw, to_x, to_y, seed):
    drive, rng = DifferentialDrive(open_field(), 0.2), np.random.default_rng(seed)
    *_, end = driven(drive, Pose(x, y, yaw), (to_x, to_y), LIMITS, 20.0, rng)
    assert distance(end, (to_x, to_y)) < 0.01


def test_a_slow_robot_arrives_too(rng):
    drive = DifferentialDrive(open_field())
    *_, end = driven(drive, Pose(1.0, 1.0, 3.0), (9.0, 8.0), Limits(), 40.0, rng)
    assert distance(end, (9.0, 8.0)) < 0.01


@SIMULATION
@given(INSIDE, INSIDE, ANGLES, INSIDE, INSIDE)
def test_on_the_way_it_never_gets_farther(x, y, yaw, to_x, to_y):
    drive, rng, point = DifferentialDrive(open_field()), np.random.default_rng(0), (to_x, to_y)
    left = [distance(pose, point)
            for pose in driven(drive, Pose(x, y, yaw), point, LIMITS, 10.0, rng)]
    assert np.diff(left).max() < 1e-6
