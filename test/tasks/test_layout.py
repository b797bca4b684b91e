"""Where states are, and which way actions lead."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.layout import DOWN, LEFT, RIGHT, STAY, UP, Layout, headings, usual_steps
from gbs_irl_ros.tasks.worlds.cells import Grid, walls_between
from gbs_irl_ros.tasks.worlds.grid import build_grid

DRAWING = ['#####', '#..##', '##..#', '#####']


@pytest.fixture(scope='module')
def world():
    return build_grid(DRAWING, {}, ('north', 'east'), 0.9, cell_size=0.25,
                      origin=(3.0, -1.0)).world


def test_the_rectangle_is_just_large_enough_and_knows_where_it_is(world):
    layout = world.layout
    np.testing.assert_array_equal(layout.states, [[0, 1, -1], [-1, 2, 3]])
    assert (layout.first, layout.shape, layout.cell_size) == ((1, 1), (2, 3), 0.25)
    assert layout.corner == (3.25, -0.75)
    assert layout.extent == (3.25, 4.0, -0.75, -0.25)


@for_each('task', ['room', 'trap_world', 'grid_world'])
def test_every_position_is_in_its_cell(task):
    made = load_task(task).world
    assert [made.layout.state_at(x, y) for x, y in made.appearance.positions] \
        == list(range(made.mdp.num_states))


@for_each('point', [(3.2, -0.5), (4.1, -0.5), (3.5, 0.0), (3.5, -0.8), (3.9, -0.3), (1e300, 0.0),
                    (np.nan, 0.0)])
def test_a_point_outside_or_in_a_wall_is_in_no_cell(world, point):
    assert world.layout.state_at(*point) is None


def test_values_of_states_are_drawn_into_their_cells(world):
    np.testing.assert_array_equal(world.layout.drawn(np.array([5.0, 6.0, 7.0, 8.0]), -1.0),
                                  [[5, 6, -1], [-1, 7, 8]])


def test_walls_are_where_no_move_leads_and_known_to_be_one_way():
    shape = (2, 2)
    blocked = walls_between(shape, np.array([[[0, 0], [1, 0]]]))
    blocked['south'] = blocked['south'] | np.array([[True, False], [False, False]])
    grid = Grid(np.ones(shape, dtype=bool), blocked)
    mdp = grid.mdp(('north', 'east', 'south', 'west'), 0.9)
    layout = Layout.of(grid.cells, grid.positions(), 1.0)
    assert list(layout.walls(mdp.transitions)) == [(0, 0, RIGHT, False), (0, 0, DOWN, True)]


def test_a_field_without_walls_has_none():
    made = load_task('grid_world').world
    assert list(made.layout.walls(made.mdp.transitions)) == []


def test_a_world_without_cells_has_no_layout():
    made = load_task('random_mdp').world
    assert (made.layout, made.usual_steps, set(made.headings)) == (None, None, {None})


def test_the_usual_step_is_the_commonest_one():
    positions = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 5.0]])
    targets = np.array([[1, 0], [2, 1], [3, 2], [3, 3]])
    np.testing.assert_array_equal(usual_steps(targets, positions), [[1.0, 0.0], [0.0, 0.0]])


@for_each(('name', 'step', 'heading'), [
    ('north', (1.0, 0.0), UP), (' West ', (0.0, 0.0), LEFT), ('go', (1.0, 0.2), RIGHT),
    ('go', (0.1, -1.0), DOWN), ('go', (1.0, 1.0), None), ('wait', (0.0, 0.0), STAY),
    ('stay', (1.0, 0.0), STAY)])
def test_a_heading_is_that_of_the_name_or_else_of_the_usual_step(name, step, heading):
    assert headings([name], np.array([step])) == (heading,)


def test_without_places_only_names_tell_a_heading():
    assert headings(['up', 'go'], None) == (UP, None)


def test_only_a_road_has_scenes_and_its_states_are_places_of_their_own():
    road, room = load_task('driver').world, load_task('room').world
    assert road.scene(0) is not None
    assert room.scene(0) is None
    assert road.where(0) == road.state_name(0)
    assert room.where(0) == f'at {room.state_name(0)}'
