"""What a laser sees in the way of the robot, and what it sees elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.obstacles import CLEAR_FOR_S, MAX_RAYS, Body, ObstacleWatch, Scan
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.learning.execution import ExecutionReason

RAYS = 360
ROUND = {'first_angle': -math.pi, 'increment': 2.0 * math.pi / RAYS, 'nearest': 0.1,
         'farthest': 5.0}
ORIGIN = Pose(0.0, 0.0, 0.0)
AHEAD = [(2.0, 0.0)]


def scan(*points, laser=ORIGIN, else_=math.inf):
    """A scan all round that hits these points, seen from the robot, and nothing else."""
    ranges = np.full(RAYS, else_)
    for x, y in points:
        across, up = x - laser.x, y - laser.y
        angle = math.atan2(up, across) - laser.yaw
        ray = round((angle + math.pi) / ROUND['increment']) % RAYS
        ranges[ray] = math.hypot(across, up)
    return Scan.of(ranges, **ROUND)


def watch(*points, stop_distance=0.5, radius=0.2, laser=ORIGIN):
    made = ObstacleWatch()
    made.body, made.stop_distance = Body(radius, laser), stop_distance
    made.see(scan(*points, laser=laser), 0.0)
    return made


def why(made, path=AHEAD, pose=ORIGIN, now=0.0, turning=False):
    return made.reason_to_stop(path, pose, now, turning=turning)


@for_each(('point', 'distance'), [
    ((0.6, 0.0), '0.4'), ((0.69, 0.0), '0.5'), ((0.71, 0.0), None), ((0.15, 0.0), '0.0'),
    ((0.5, 0.1), '0.3'), ((0.5, -0.1), '0.3'), ((0.5, 0.21), None),     # beside the way
    ((-0.3, 0.0), None), ((0.0, 0.3), None)])
def test_what_the_robot_would_touch_within_the_distance_is_in_the_way(point, distance):
    expected = None if distance is None else (ExecutionReason.OBSTACLE, (distance,))
    assert why(watch(point)) == expected


def test_the_way_leads_to_the_point_wherever_the_robot_looks_and_stands():
    """The obstacle is to its left; it goes there, or straight ahead past it."""
    pose = Pose(3.0, 1.0, math.pi / 2.0)        # its left is -x
    made = watch((0.0, 0.6))
    assert why(made, [(1.0, 1.0)], pose)[1] == ('0.4',)
    assert why(watch((0.0, 0.6)), [(3.0, 3.0)], pose) is None


def test_what_lies_behind_the_last_point_is_not_in_the_way():
    """Else a robot would never get to a cell at a wall."""
    assert why(watch((0.6, 0.0)), [(0.3, 0.0)]) is None
    assert why(watch((0.49, 0.0)), [(0.3, 0.0)])[1] == ('0.3',)


def test_the_distance_is_measured_along_the_way_round_a_corner():
    corner = [(0.3, 0.0), (0.3, 2.0)]
    assert why(watch((0.3, 0.35)), corner)[1] == ('0.4',)       # 0.3 m, then 0.15 m
    assert why(watch((0.3, 0.45)), corner) is None
    assert why(watch((0.8, 0.0)), corner) is None               # where it does not go


def test_while_it_turns_only_what_it_would_touch_counts():
    assert why(watch((0.3, 0.0)), turning=True) is None
    assert why(watch((0.0, 0.15)), turning=True) == (ExecutionReason.OBSTACLE, ('0.0',))


def test_a_laser_that_is_mounted_elsewhere_sees_the_same():
    behind = Pose(-0.1, 0.05, math.pi)
    assert why(watch((0.6, 0.0), laser=behind))[1] == ('0.4',)
    assert why(watch((-0.6, 0.0), laser=behind)) is None


def test_it_drives_again_when_nothing_was_in_the_way_for_a_moment():
    made = watch((0.6, 0.0))
    assert why(made, now=0.0) is not None
    for now in (0.1, 0.9 * CLEAR_FOR_S):
        made.see(scan(), now)
        assert why(made, now=now)[1] == ('0.4',)
    made.see(scan(), CLEAR_FOR_S)
    assert why(made, now=CLEAR_FOR_S) is None


def test_one_that_sees_nothing_stops():
    made = ObstacleWatch('front_scan')
    assert why(made) == (ExecutionReason.BLIND, ('front_scan', 'no scan yet'))
    made.see(scan(), 0.0)
    assert why(made, now=made.timeout_s) is None
    assert why(made, now=made.timeout_s + 0.1) == (
        ExecutionReason.BLIND, ('front_scan', 'no scan for 0.5 s'))
    made.see(scan(else_=math.nan), 1.0)
    assert why(made, now=1.0)[1] == ('front_scan', 'no ray of the scan says anything')
    made.see(scan(), 1.0)
    made.see_problem('a scan must have rays, got none')
    assert why(made, now=1.0)[1][1] == 'a scan must have rays, got none'
    made.see(scan(), 1.1)
    assert why(made, now=1.1) is None


@for_each(('value', 'valid', 'hits'), [
    (math.inf, True, 0), (5.0, True, 0), (7.0, True, 0),        # nothing within reach
    (-math.inf, True, 1),                                       # too near to be measured
    (math.nan, False, 0), (0.0, False, 0), (0.05, False, 0), (-3.0, False, 0),
    (0.1, True, 1), (4.9, True, 1)])
def test_a_distance_means_what_rep_117_says(value, valid, hits):
    made = Scan.of(np.array([value]), **{**ROUND, 'increment': 0.0})
    assert (made.num_valid, len(made.points)) == (int(valid), hits)
    if value == -math.inf:
        np.testing.assert_allclose(np.hypot(*made.points.T), 0.1)


def test_all_that_is_too_near_stops_it_wherever_it_is():
    assert why(watch_of(Scan.of(np.full(RAYS, -math.inf), **ROUND)))[0] is ExecutionReason.OBSTACLE


def watch_of(seen):
    made = ObstacleWatch()
    made.see(seen, 0.0)
    return made


@for_each(('changes', 'count', 'text'), [
    ({}, 0, 'a scan must have rays, got none'),
    ({}, MAX_RAYS + 1, f'a scan must have at most {MAX_RAYS} rays, got {MAX_RAYS + 1}'),
    ({'increment': 0.0}, 5, 'must go round at most once, got 5 from .* in steps of 0.0 rad'),
    ({'increment': 1.0}, 10, 'must go round at most once, got 10 from'),
    ({'increment': math.nan}, 5, 'must go round at most once'),
    ({'first_angle': math.inf}, 5, 'must go round at most once'),
    ({'nearest': 2.0, 'farthest': 1.0}, 5, 'must reach from range_min to range_max, got 2.0 to 1'),
    ({'farthest': math.nan}, 5, 'must reach from range_min to range_max, got 0.1 to nan m')])
def test_what_cannot_be_a_scan_is_refused(changes, count, text):
    with pytest.raises(GbsIrlError, match=text):
        Scan.of(np.ones(count), **{**ROUND, **changes})


@for_each('radius', [0.0, -1.0, math.nan, math.inf])
def test_a_robot_has_a_size(radius):
    with pytest.raises(GbsIrlError, match='the radius of a robot must be positive, got'):
        Body(radius)
