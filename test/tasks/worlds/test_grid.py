"""Grids drawn as text."""

from __future__ import annotations

import numpy as np
import pytest

from gbs_irl_ros.tasks.world import Picture
from gbs_irl_ros.tasks.worlds.cells import Grid, grid_appearance
from gbs_irl_ros.tasks.worlds.grid import build_grid

FOUR = ('north', 'east', 'south', 'west')


def flat(rows=('S.K', '.#K', 'C.S'), legend=None, moves=FOUR, **options):
    legend = {'K': 'kitchen', 'C': 'carpet'} if legend is None else legend
    return build_grid(list(rows), legend, moves, 0.9, **options)


def test_everything_but_a_wall_is_free():
    built = flat()
    assert built.mdp.num_states == 8
    assert built.grid.state_of_cell.tolist() == [[0, 1, 2], [3, -1, 4], [5, 6, 7]]


def test_regions_are_the_states_of_their_characters_in_order():
    regions = flat().regions
    assert {name: states.tolist() for name, states in regions.items()} == {
        'kitchen': [2, 4], 'carpet': [5]}


def test_two_characters_may_draw_one_region():
    built = flat(('a.b', 'b.a'), {'a': 'edge', 'b': 'edge'})
    assert built.regions['edge'].tolist() == [0, 2, 3, 5]


def test_a_region_that_is_not_drawn_is_empty():
    assert flat(('..',), {'K': 'kitchen'}).regions['kitchen'].tolist() == []


def test_the_start_is_uniform_over_the_cells_marked_so():
    np.testing.assert_allclose(flat().world.start, [0.5, 0, 0, 0, 0, 0, 0, 0.5])


def test_without_a_mark_there_is_no_start_of_its_own():
    np.testing.assert_allclose(flat(('...',), {}).world.start, 1 / 3)


def test_moves_slip_and_jumps_reach_the_mdp():
    built = flat(('.....',), {}, ('stay', 'east'), slip=0.2, jumps={2: 1.0})
    row = built.mdp.transitions[1].toarray()[0]
    np.testing.assert_allclose(row, [0.2, 0, 0.8, 0, 0])      # sideways are walls
    np.testing.assert_allclose(built.mdp.transitions[0].toarray()[0], [1, 0, 0, 0, 0])
    assert built.mdp.discount == 0.9


def test_cells_are_placed_by_size_and_origin():
    built = flat(('..', '.#'), {}, cell_size=2.0, origin=(-1.0, 5.0))
    np.testing.assert_allclose(built.world.appearance.positions, [[0, 8], [2, 8], [0, 6]])
    assert built.world.appearance.cell_size == 2.0


def test_states_are_shown_by_column_and_row():
    assert flat().world.appearance.state_names[3:5] == ('(0, 1)', '(2, 1)')


@pytest.mark.parametrize(('moves', 'keys'), [
    (FOUR, ('w', 'd', 's', 'a')), (('stay', 'north'), ('x', 'w'))])
def test_actions_have_the_keys_of_their_moves(moves, keys):
    looks = flat(moves=moves).world.appearance
    assert looks.action_names == moves
    assert looks.action_keys == keys
    assert looks.picture is Picture.GRID


def test_the_looks_of_a_grid_fit_its_mdp():
    grid = Grid(np.array([[True, False], [True, True]]), {}, 0.5)
    looks = grid_appearance(grid, FOUR, Picture.MAP)
    looks.check_fits(grid.mdp(FOUR, 0.9))
    assert looks.picture is Picture.MAP
    assert looks.state_names == ('(0, 0)', '(0, 1)', '(1, 1)')
