"""Which action an arrow means."""

from __future__ import annotations

import numpy as np
from cases import for_each
from small_lessons import LEFT as WEST, RIGHT as EAST, corridor_world

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.layout import DOWN, LEFT, RIGHT, UP
from gbs_irl_ros.tasks.world import Appearance, World
from gbs_irl_ros.teaching.keys import arrow_actions


def test_by_name():
    world = load_task('room').world
    names = world.appearance.action_names
    assert {arrow: names[action] for arrow, action in arrow_actions(world, 0).items()} == {
        UP: 'north', RIGHT: 'east', DOWN: 'south', LEFT: 'west'}


def test_by_where_they_lead():
    positions = np.column_stack([np.arange(5.0), np.zeros(5)])
    world = corridor_world(names=('one', 'other', 'stay'), positions=positions)
    assert arrow_actions(world, 0) == {LEFT: WEST, RIGHT: EAST}


def test_a_diagonal_has_no_arrow():
    mdp = Mdp.from_successors(np.array([[1, 0], [1, 0]]), 0.9)
    world = World('slope', mdp, mdp.checked_start(None), Appearance(
        ('go', 'back'), ('', ''), positions=np.array([[0.0, 0.0], [1.0, 1.0]])))
    assert arrow_actions(world, 0) == {DOWN: 1}      # by its name


def test_without_geometry_and_with_other_names_there_are_none():
    assert arrow_actions(load_task('random_mdp').world, 0) == {}


@for_each(('lane', 'arrows'), [
    (0, {UP: 0, RIGHT: 1}), (2, {UP: 2, LEFT: 1, RIGHT: 3}), (4, {UP: 4, LEFT: 3})])
def test_on_a_road_they_steer(lane, arrows):
    world = load_task('driver').world
    assert arrow_actions(world, lane * world.mdp.num_states // 5) == arrows
