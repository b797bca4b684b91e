"""Where a frame is in another one, whatever the frames look like."""

from __future__ import annotations

import math

import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.pose import Pose, wrapped
from gbs_irl_ros.driving.transform_tree import (
    HERE,
    MAX_FRAMES,
    NoTransformError,
    Transform,
    TransformTree,
    yaw_of,
)

INVARIANT = settings(deadline=None, derandomize=True, max_examples=60)
METRES, ANGLES = st.floats(-50.0, 50.0), st.floats(-3.0, 3.0)
FLAT = st.builds(lambda x, y, yaw: flat(x, y, yaw), METRES, METRES, ANGLES)
HALF = math.sqrt(0.5)


def flat(x, y, yaw):
    return Transform.of((x, y, 0.0), (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)))


def tree(*links):
    made = TransformTree()
    for child, parent, transform, seen_at in links:
        made.put(child, parent, transform, seen_at)
    return made


def robot():
    """As a robot with AMCL has it: two links that change, one that does not."""
    return tree(('odom', 'map', flat(10.0, 0.0, math.pi / 2.0), 3.0),
                ('base_footprint', 'odom', flat(2.0, 1.0, 0.5), 5.0),
                ('base_link', 'base_footprint', Transform.of((0.0, 0.0, 0.1), (0, 0, 0, 1)),
                 math.inf),
                ('laser', 'base_link', flat(0.2, 0.0, math.pi), math.inf))


def test_the_chain_is_composed_and_its_oldest_link_that_can_change_counts():
    found = robot().look_up('map', 'base_link')
    assert (found.pose.x, found.pose.y) == pytest.approx((9.0, 2.0))
    assert found.pose.yaw == pytest.approx(math.pi / 2.0 + 0.5)
    assert (found.seen_at, found.oldest) == (3.0, 'map -> odom')


def test_frames_may_be_given_the_other_way_round():
    """Some localisations give the map in the frame of the odometry."""
    inverse = tree(('map', 'odom', flat(10.0, 0.0, math.pi / 2.0).inverse, 3.0),
                   ('base_link', 'odom', flat(2.0, 1.0, 0.5), 5.0))
    found = inverse.look_up('map', 'base_link')
    assert (found.pose.x, found.pose.y) == pytest.approx((9.0, 2.0))
    assert found.oldest == 'odom -> map'


def test_what_can_never_change_has_no_age():
    assert robot().look_up('base_footprint', 'laser').seen_at == math.inf
    assert robot().look_up('map', 'map').pose == Pose(0.0, 0.0, 0.0)


def test_a_slash_in_front_is_of_ros_1_and_means_nothing():
    assert tree(('/base', '/map', flat(1.0, 2.0, 0.0), 0.0)).look_up('map', 'base').pose.x == 1.0


def test_the_newest_counts_also_with_another_parent():
    moved = robot()
    moved.put('odom', 'world', flat(0.0, 0.0, 0.0), 9.0)
    with pytest.raises(NoTransformError, match="nobody gives the frame 'map'"):
        moved.look_up('map', 'base_link')
    assert moved.look_up('world', 'base_link').pose.x == pytest.approx(2.0)


@for_each(('target', 'source', 'text'), [
    ('map', 'base', "nobody gives the frame 'base'"),
    ('world', 'base_link', "nobody gives the frame 'world'"),
    ('island', 'base_link', "the frame 'map', above 'base_link', is given in no other")])
def test_what_is_missing_is_said(target, source, text):
    broken = robot()
    broken.put('palm', 'island', HERE, 0.0)
    with pytest.raises(NoTransformError, match=text):
        broken.look_up(target, source)


def test_a_circle_is_noticed():
    circle = robot()
    circle.put('map', 'laser', HERE, 0.0)
    with pytest.raises(NoTransformError, match='the frames lead in a circle: base_link -> base_f'):
        circle.look_up('map', 'base_link')


@for_each(('shift', 'turn', 'text'), [
    ((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), 'the translation must be finite, got'),
    ((0.0, 0.0, math.inf), (0.0, 0.0, 0.0, 1.0), 'the translation must be finite, got'),
    ((0.0, 0.0, 0.0), (0.0, math.nan, 0.0, 1.0), 'the orientation must be a rotation, got'),
    ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), 'the orientation must be a rotation, got')])
def test_what_is_no_transform_is_refused(shift, turn, text):
    with pytest.raises(GbsIrlError, match=text):
        Transform.of(shift, turn)


@for_each(('child', 'parent'), [('a', 'a'), ('/a', 'a'), ('', 'a'), ('a', '')])
def test_a_transform_leads_from_one_frame_to_another(child, parent):
    with pytest.raises(GbsIrlError, match='must lead from one frame to another, got'):
        TransformTree().put(child, parent, HERE)


def test_there_is_an_end_to_frames():
    full = tree(*((str(number), 'map', HERE, 0.0) for number in range(MAX_FRAMES)))
    full.put('7', 'map', flat(1.0, 0.0, 0.0), 1.0)
    with pytest.raises(GbsIrlError, match=f"at most {MAX_FRAMES} frames, 'more' is one more"):
        full.put('more', 'map', HERE)


def test_a_robot_on_a_ramp_is_seen_from_above():
    tilted = Transform.of((0.0, 0.0, 0.0), (0.0, HALF / 2.0, 0.0, 1.0))
    up = flat(0.0, 0.0, 1.0).after(HERE)
    assert yaw_of(tilted.after(up).rotation) == pytest.approx(1.0)


@INVARIANT
@given(FLAT, FLAT)
def test_in_the_plane_it_is_what_poses_do(one, two):
    both, expected = one.after(two).pose, one.pose.after(two.pose)
    assert (both.x, both.y) == pytest.approx((expected.x, expected.y), abs=1e-9)
    assert wrapped(both.yaw - expected.yaw) == pytest.approx(0.0, abs=1e-9)


@INVARIANT
@given(FLAT)
def test_there_and_back_is_here(one):
    back = one.after(one.inverse).pose
    assert (back.x, back.y, back.yaw) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
