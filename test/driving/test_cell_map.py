"""States and cells on the floor: inverse to each other, and true to the transitions."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from cases import for_each
from hypothesis import example, given, settings, strategies as st

from gbs_irl_ros.core.errors import GbsIrlError, InvalidMdpError
from gbs_irl_ros.core.mdp import LIKELY
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.cells import SIDES, Grid, grid_appearance

NORTH, EAST, SOUTH, WEST, STAY = range(5)
FIVE = ('north', 'east', 'south', 'west', 'stay')
INVARIANT = settings(deadline=None, derandomize=True, max_examples=25)


@cache
def world_of(name):
    return load_task(name).world


WITH_CELLS = [name for name in sorted(shipped_tasks()) if world_of(name).layout is not None]
WITHOUT = sorted(set(shipped_tasks()) - set(WITH_CELLS))


def floor(*rows, blocked=None, cell_size=1.0, origin=(0.0, 0.0), **options):
    """A world drawn by hand; the five moves are its actions."""
    grid = Grid(np.array([[character != '#' for character in row] for row in rows]),
                blocked or {}, cell_size, origin)
    mdp = grid.mdp(FIVE, 0.9, **options)
    return World('drawn', mdp, mdp.checked_start(None), grid_appearance(grid, FIVE))


def with_a_hole():
    """States 0 1 2 / 3 # 4 / 5 6 7, cells of half a metre, the lower left corner at (10, -1)."""
    return floor('...', '.#.', '...', cell_size=0.5, origin=(10.0, -1.0))


def one_way():
    """Two cells; from the left one nothing leads into the right one."""
    return floor('..', blocked={'east': np.array([[True, False]])})


SMALL = {
    'open': lambda: floor('...', '...'),
    'with a hole': with_a_hole,
    'one-way': one_way,
    'slippery': lambda: floor('...', '..#', '...', slip=0.3),
    'mostly slipping': lambda: floor('...', '...', '...', slip=0.9),
    'sliding': lambda: floor('......', jumps={-1: 0.1, 0: 0.2, 1: 0.4, 2: 0.3}),
    'lazy': lambda: floor('...', '...', jumps={0: 0.6, 1: 0.4}),
    'one-way and slippery': lambda: floor(
        '...', '...', slip=0.2, blocked={'south': np.array([[True, False, True], [False] * 3])}),
}


def cube(mdp):
    """Return the transitions as ``[S, A, S]``."""
    return mdp.transitions.toarray().reshape(mdp.num_states, mdp.num_actions, mdp.num_states)


def check_moves(world, states=None):
    """Compare every question about moves with the whole transition matrix."""
    cells, chances = CellMap(world), cube(world.mdp)
    for state in range(world.mdp.num_states) if states is None else states:
        for action, row in enumerate(chances[state]):
            away, target = np.delete(row, state), cells.target(state, action)
            assert (target != state) == (away.max(initial=0.0) >= LIKELY)
            assert target == state or row[target] == away.max()
        for other in range(world.mdp.num_states):
            column = chances[state, :, other]
            assert cells.passable(state, other) == (column > 0.0).any()
            action = cells.action_between(state, other)
            if state == other or not column.any():
                assert action is None
            else:
                assert action == np.flatnonzero(column == column.max())[0]


def state_by_search(world, x, y):
    """The state whose middle is at most half a cell away in both directions, None if none."""
    off = np.abs(world.appearance.positions - (x, y)).max(axis=1)
    nearest = int(off.argmin())
    return nearest if off[nearest] <= world.appearance.cell_size / 2.0 else None


# ---- by hand --------------------------------------------------------------------------------

def test_the_middle_of_a_cell_by_hand():
    cells = CellMap(with_a_hole())
    assert cells.cell_size == 0.5
    assert cells.centre(0) == pytest.approx((10.25, 0.25))
    assert cells.centre(4) == pytest.approx((11.25, -0.25))
    assert cells.centre(5) == pytest.approx((10.25, -0.75))


@for_each(('x', 'y', 'state'), [
    (10.1, 0.4, 0), (10.6, 0.1, 1), (11.4, 0.3, 2), (10.4, -0.4, 3), (11.1, -0.1, 4),
    (10.1, -0.9, 5), (10.9, -0.6, 6), (11.4, -0.9, 7)])
def test_the_cell_of_a_point_by_hand(x, y, state):
    assert CellMap(with_a_hole()).state_at(x, y) == state


def test_in_a_wall_there_is_no_state():
    cells = CellMap(with_a_hole())
    for x, y in ((10.75, -0.25), (10.51, -0.01), (10.99, -0.49)):
        assert cells.state_at(x, y) is None


@for_each(('x', 'y'), [
    (9.99, 0.0), (11.51, 0.0), (10.7, 0.51), (10.7, -1.01), (-1e6, 0.0), (1e6, 1e6), (0.0, 0.0)])
def test_outside_there_is_no_state(x, y):
    assert CellMap(with_a_hole()).state_at(x, y) is None


def test_an_edge_belongs_to_the_cell_on_its_right_or_above():
    cells = CellMap(floor('..', '..'))
    assert cells.state_at(1.0, 0.5) == 3
    assert cells.state_at(0.5, 1.0) == 0
    assert cells.state_at(0.0, 0.0) == 2
    assert cells.state_at(2.0, 0.5) is None
    assert cells.state_at(0.5, 2.0) is None


def test_where_actions_lead_by_hand():
    cells = CellMap(with_a_hole())
    assert [cells.target(0, action) for action in range(5)] == [0, 1, 3, 0, 0]
    assert [cells.target(3, action) for action in range(5)] == [0, 3, 5, 3, 3]


def test_the_action_between_two_cells_by_hand():
    cells = CellMap(with_a_hole())
    assert cells.action_between(3, 0) == NORTH
    assert cells.action_between(0, 1) == EAST
    assert cells.action_between(0, 3) == SOUTH
    assert cells.action_between(1, 0) == WEST
    assert cells.action_between(3, 4) is None      # the wall is between them
    assert cells.action_between(0, 7) is None
    assert cells.action_between(0, 0) is None


def test_a_one_way_wall_is_passed_one_way():
    cells = CellMap(one_way())
    assert cells.passable(1, 0)
    assert not cells.passable(0, 1)
    assert cells.action_between(1, 0) == WEST
    assert cells.action_between(0, 1) is None
    assert cells.target(0, EAST) == 0


def test_slipping_leads_ahead_most_likely_and_to_the_sides_too():
    cells = CellMap(floor('...', '...', '...', slip=0.2))
    assert [cells.target(4, action) for action in range(5)] == [1, 5, 7, 3, 4]
    assert all(cells.passable(4, other) for other in (1, 3, 5, 7))
    assert not cells.passable(4, 0)


@for_each(('chance', 'target'), [
    (1.0, 2), (0.5, 2), (0.301, 2), (LIKELY, 2), (0.299, 1), (0.1, 1)])
def test_an_action_that_often_fails_is_still_for_going_and_one_that_hardly_ever_goes_is_not(
        chance, target):
    cells = CellMap(floor('....', jumps={0: 1.0 - chance, 1: chance}))
    assert cells.target(1, EAST) == target


def test_the_likeliest_move_counts_even_if_staying_is_likelier():
    cells = CellMap(floor('......', jumps={-1: 0.1, 0: 0.55, 1: 0.35}))
    assert cells.target(2, EAST) == 3
    assert cells.target(2, WEST) == 1


def test_who_bumps_into_a_wall_and_may_slide_along_it_is_not_meant_to_slide():
    cells = CellMap(floor('...', '...', '...', slip=0.2))
    assert cells.target(1, NORTH) == 1         # to the left and right with a chance of 0.1 each
    assert cells.target(0, WEST) == 0


def test_of_all_actions_that_may_lead_there_the_likeliest_is_meant():
    cells = CellMap(floor('......', jumps={-1: 0.1, 1: 0.5, 2: 0.4}))
    assert cells.action_between(2, 3) == EAST      # west goes back by one, sometimes
    assert cells.action_between(2, 1) == WEST
    assert cells.action_between(2, 4) == EAST      # two at once
    assert cells.action_between(2, 5) is None


# ---- by brute force -------------------------------------------------------------------------

@for_each('name', SMALL)
def test_moves_agree_with_the_transitions_on_a_small_world(name):
    check_moves(SMALL[name]())


@INVARIANT
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2]),
       st.sampled_from([None, {1: 0.7, 2: 0.3}]))
def test_moves_agree_with_the_transitions_on_random_floors(seed, slip, jumps):
    rng = np.random.default_rng(seed)
    rows = [''.join(row) for row in rng.choice(list('...#'), (3, 4))]
    if '.' not in ''.join(rows):
        rows[0] = '....'
    blocked = {move: rng.random((3, 4)) < 0.3 for move in SIDES}
    check_moves(floor(*rows, blocked=blocked, slip=slip, jumps=jumps))


@INVARIANT
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.3, 1.0, 7.0]),
       st.floats(-1000.0, 1000.0), st.floats(-1000.0, 1000.0))
def test_points_and_cells_agree_wherever_the_floor_is(seed, cell_size, x, y):
    rng = np.random.default_rng(seed)
    free = rng.random((4, 5)) < 0.6
    free[0, 0] = True
    rows = [''.join('.' if cell else '#' for cell in row) for row in free]
    world = floor(*rows, cell_size=cell_size, origin=(x, y))
    cells = CellMap(world)
    for point in (x, y) + cell_size * rng.uniform(-1.0, 6.0, (50, 2)):
        assert cells.state_at(*point) == state_by_search(world, *point)


@for_each('far', [1.7e308, -1.7e308, math.inf, -math.inf, math.nan])
def test_no_place_is_too_far_away_to_be_asked_for(far):
    cells = CellMap(with_a_hole())
    assert cells.state_at(far, 0.0) is None
    assert cells.state_at(10.25, far) is None


@INVARIANT
@given(st.floats(), st.floats())
@example(math.nextafter(10.0, 0.0), -0.9)
@example(math.nextafter(11.5, 0.0), math.nextafter(0.5, 0.0))
@example(10.0, -1.0)
def test_wherever_a_point_is_its_cell_is_near_it_or_there_is_none(x, y):
    world = with_a_hole()
    state = CellMap(world).state_at(x, y)
    inside = 10.0 <= x < 11.5 and -1.0 <= y < 0.5
    assert inside or state is None
    if state is not None:
        off = np.abs(world.appearance.positions[state] - (x, y))
        assert off.max() <= 0.25 + 1e-9


# ---- every task -----------------------------------------------------------------------------

def test_the_room_and_the_grids_can_be_driven_in():
    assert {'room', 'grid_world', 'puddle_world', 'trap_world'} <= set(WITH_CELLS)


@pytest.mark.parametrize('name', WITHOUT)
def test_a_task_without_cells_is_refused(name):
    with pytest.raises(InvalidMdpError, match=(
            f"the states of task '{name}' have no place on the floor, so no robot can drive "
            'there; it can be taught, not driven')) as caught:
        CellMap(world_of(name))
    assert isinstance(caught.value, GbsIrlError)


@for_each('name', WITH_CELLS)
class TestEveryTask:
    def test_has_a_place_for_every_state_and_finds_it_there(self, name):
        world = world_of(name)
        cells, most = CellMap(world), 0.499 * world.appearance.cell_size
        for state in range(world.mdp.num_states):
            x, y = cells.centre(state)
            for across, up in ((0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
                assert cells.state_at(x + across * most, y + up * most) == state

    def test_has_no_state_in_walls_or_outside(self, name):
        world = world_of(name)
        cells, size = CellMap(world), world.appearance.cell_size
        low, high = (edge(world.appearance.positions, axis=0) for edge in (np.min, np.max))
        columns, rows = (np.arange(low[axis] - 2 * size, high[axis] + 2.5 * size, size)
                         for axis in (0, 1))
        found = [cells.state_at(x, y) for x in columns for y in rows]
        assert sorted(state for state in found if state is not None) == \
            list(range(world.mdp.num_states))
        assert all(state is None for state in found[:2 * len(rows)] + found[-2 * len(rows):])

    def test_agrees_with_a_search_for_the_nearest_cell(self, name, rng):
        world = world_of(name)
        positions, cells = world.appearance.positions, CellMap(world)
        points = rng.uniform(positions.min() - 2.0, positions.max() + 2.0, (1000, 2))
        assert [cells.state_at(*point) for point in points] == \
            [state_by_search(world, *point) for point in points]

    @pytest.mark.slow
    def test_has_moves_that_agree_with_its_transitions(self, name, rng):
        world = world_of(name)
        check_moves(world, rng.choice(world.mdp.num_states, 8, replace=False).tolist())

    def test_has_likeliest_moves_to_neighbours_only(self, name):
        world = world_of(name)
        cells, size = CellMap(world), world.appearance.cell_size
        for state in range(world.mdp.num_states):
            for action in range(world.mdp.num_actions):
                off = np.subtract(cells.centre(cells.target(state, action)),
                                  cells.centre(state))
                assert np.abs(off).sum() < 1.001 * size
