"""Cells, walls and moves, by hand."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.tasks.worlds.cells import (
    MOVES,
    OPPOSITE,
    SIDES,
    Grid,
    distances_to,
    largest_component,
    walls_between,
)

NORTH, EAST, SOUTH, WEST, STAY = range(5)
FOUR = ('north', 'east', 'south', 'west')


def drawn(*rows, blocked=None, **options):
    return Grid(np.array([[character != '#' for character in row] for row in rows]),
                blocked or {}, **options)


def with_a_hole():
    """Nine cells, a wall in the middle; states 0 1 2 / 3 # 4 / 5 6 7."""
    return drawn('...', '.#.', '...')


def row_of(mdp, state, action):
    return mdp.transitions[state * mdp.num_actions + action].toarray()[0]


def steps_by_search(grid, goal):
    """Breadth first over cells, without the grid's own moves."""
    rows, columns = grid.shape
    places = {tuple(cell): state for state, cell in enumerate(grid.cells.tolist())}
    steps = np.full(grid.num_states, np.inf)
    steps[goal] = 0
    waiting = deque([goal])
    while waiting:
        state = waiting.popleft()
        column, row = grid.cells[state]
        for name, (dx, dy, _) in MOVES.items():
            before = places.get((int(column - dx), int(row - dy)))
            if name == 'stay' or before is None or not np.isinf(steps[before]):
                continue
            wall = grid.blocked.get(name, np.zeros((rows, columns), dtype=bool))
            if not wall[row - dy, column - dx]:
                steps[before] = steps[state] + 1
                waiting.append(before)
    return steps


def test_free_cells_are_numbered_row_by_row_from_the_top_left():
    grid = with_a_hole()
    assert grid.shape == (3, 3)
    assert grid.num_states == 8
    assert grid.state_of_cell.tolist() == [[0, 1, 2], [3, -1, 4], [5, 6, 7]]
    assert grid.cells.tolist() == [[0, 0], [1, 0], [2, 0], [0, 1], [2, 1], [0, 2], [1, 2], [2, 2]]


def test_cells_and_states_name_each_other(rng):
    grid = Grid(rng.random((7, 4)) < 0.6, {})
    columns, rows = grid.cells.T
    assert grid.state_of_cell[rows, columns].tolist() == list(range(grid.num_states))
    assert np.count_nonzero(grid.state_of_cell >= 0) == grid.num_states


def test_y_points_up_and_row_0_is_at_the_top():
    grid = drawn('...', '...', cell_size=0.5, origin=(10.0, -1.0))
    np.testing.assert_allclose(grid.positions(), [
        [10.25, -0.25], [10.75, -0.25], [11.25, -0.25],
        [10.25, -0.75], [10.75, -0.75], [11.25, -0.75]])


def test_walls_have_no_position():
    np.testing.assert_allclose(with_a_hole().positions()[[3, 4]], [[0.5, 1.5], [2.5, 1.5]])


@for_each(('move', 'expected'), [
    ('north', [0, 1, 2, 0, 2, 3, 6, 4]),
    ('east', [1, 2, 2, 3, 4, 6, 7, 7]),
    ('south', [3, 1, 4, 5, 7, 5, 6, 7]),
    ('west', [0, 0, 1, 3, 4, 5, 5, 6]),
    ('stay', [0, 1, 2, 3, 4, 5, 6, 7]),
])
def test_a_step_into_a_wall_or_off_the_grid_leads_nowhere(move, expected):
    assert with_a_hole().after(move).tolist() == expected


def test_a_wall_between_two_cells_is_there_from_both_sides():
    grid = drawn('...', blocked=walls_between((1, 3), np.array([[[0, 0], [1, 0]]])))
    assert grid.after('east').tolist() == [0, 2, 2]
    assert grid.after('west').tolist() == [0, 1, 1]


@pytest.mark.parametrize('order', [[[1, 0], [1, 1]], [[1, 1], [1, 0]]])
def test_the_order_of_the_two_cells_of_a_wall_does_not_matter(order):
    blocked = walls_between((2, 2), np.array([order]))
    assert {move: np.argwhere(wall).tolist() for move, wall in blocked.items()} == {
        'north': [[1, 1]], 'south': [[0, 1]], 'east': [], 'west': []}


def test_no_walls_block_nothing():
    blocked = walls_between((2, 3), np.empty((0, 2, 2), dtype=int))
    assert sorted(blocked) == sorted(SIDES)
    assert not any(wall.any() for wall in blocked.values())


def test_a_wall_on_one_side_only_is_a_one_way_passage():
    only_back = {'east': np.array([[True, False]])}
    grid = drawn('..', blocked=only_back)
    assert grid.after('east').tolist() == [0, 1]
    assert grid.after('west').tolist() == [0, 0]


def test_the_moves_are_the_actions_in_their_order():
    mdp = with_a_hole().mdp(('stay', 'west', 'north'), 0.9)
    assert mdp.num_actions == 3
    assert mdp.discount == 0.9
    assert mdp.successors[7].tolist() == [7, 6, 4]


def test_the_rows_of_a_small_grid_by_hand():
    mdp = with_a_hole().mdp(FOUR, 0.95)
    assert mdp.successors.tolist() == [
        [0, 1, 3, 0], [1, 2, 1, 0], [2, 2, 4, 1],
        [0, 3, 5, 3], [2, 4, 7, 4],
        [3, 6, 5, 5], [6, 7, 6, 5], [4, 7, 7, 6]]


def test_slipping_goes_to_both_sides_equally():
    mdp = drawn('...', '...', '...').mdp(FOUR, 0.95, slip=0.2)
    middle = row_of(mdp, 4, NORTH)
    np.testing.assert_allclose(middle, [0, 0.8, 0, 0.1, 0, 0.1, 0, 0, 0])
    np.testing.assert_allclose(row_of(mdp, 4, EAST), [0, 0.1, 0, 0, 0, 0.8, 0, 0.1, 0])


def test_slipping_into_a_wall_stays():
    mdp = with_a_hole().mdp(FOUR, 0.95, slip=0.3)
    np.testing.assert_allclose(row_of(mdp, 0, EAST), [0.15, 0.7, 0, 0.15, 0, 0, 0, 0])
    np.testing.assert_allclose(row_of(mdp, 3, NORTH), [0.7, 0, 0, 0.3, 0, 0, 0, 0])


def test_staying_never_slips():
    mdp = drawn('...', '...', '...').mdp((*FOUR, 'stay'), 0.95, slip=0.5)
    np.testing.assert_allclose(row_of(mdp, 4, STAY), np.eye(9)[4])


def test_always_slipping_never_goes_ahead():
    mdp = drawn('...', '...', '...').mdp(FOUR, 0.95, slip=1.0)
    np.testing.assert_allclose(row_of(mdp, 4, SOUTH), [0, 0, 0, 0.5, 0, 0.5, 0, 0, 0])


def test_jumps_go_so_many_steps_ahead_or_back():
    mdp = drawn('.......').mdp(('east', 'west'), 0.9, jumps={-1: 0.1, 0: 0.2, 2: 0.3, 3: 0.4})
    np.testing.assert_allclose(row_of(mdp, 3, 0), [0, 0, 0.1, 0.2, 0, 0.3, 0.4])
    np.testing.assert_allclose(row_of(mdp, 3, 1), [0.4, 0.3, 0, 0.2, 0.1, 0, 0])


def test_a_wall_ends_a_jump_where_it_stands():
    mdp = drawn('..#..').mdp(('east', 'west'), 0.9, jumps={1: 0.5, 3: 0.5})
    np.testing.assert_allclose(row_of(mdp, 0, 0), [0, 1, 0, 0])     # not over the wall
    np.testing.assert_allclose(row_of(mdp, 3, 1), [0, 0, 1, 0])


def test_a_thin_wall_ends_a_jump_too():
    walls = walls_between((1, 4), np.array([[[1, 0], [2, 0]]]))
    mdp = drawn('....', blocked=walls).mdp(('east',), 0.9, jumps={3: 0.75, -1: 0.25})
    np.testing.assert_allclose(row_of(mdp, 0, 0), [0.25, 0.75, 0, 0])
    np.testing.assert_allclose(row_of(mdp, 2, 0), [0, 0, 0.25, 0.75])


def test_jumping_and_slipping_go_together():
    mdp = drawn('...', '...', '...').mdp(FOUR, 0.9, slip=0.2, jumps={0: 0.5, 1: 0.5})
    np.testing.assert_allclose(row_of(mdp, 4, NORTH), [0, 0.4, 0, 0.05, 0.5, 0.05, 0, 0, 0])


def test_every_row_is_a_distribution_whatever_the_walls(rng):
    blocked = {move: rng.random((6, 5)) < 0.3 for move in SIDES}
    grid = Grid(rng.random((6, 5)) < 0.8, blocked)
    mdp = grid.mdp((*FOUR, 'stay'), 0.9, slip=0.1, jumps={-2: 0.2, 1: 0.5, 4: 0.3})
    np.testing.assert_allclose(mdp.transitions.sum(axis=1), 1.0)


def test_every_move_has_an_opposite_and_its_own_key():
    for move, (column, row, _) in MOVES.items():
        back = MOVES[OPPOSITE[move]]
        assert (back[0], back[1]) == (-column, -row)
    assert len({key for _, _, key in MOVES.values()}) == len(MOVES)


def test_the_sides_of_a_move_are_at_right_angles_to_it():
    for move, sides in SIDES.items():
        for side in sides:
            assert np.dot(MOVES[move][:2], MOVES[side][:2]) == 0
        assert len(set(sides)) == 2


def test_distances_around_a_wall_by_hand():
    steps = distances_to(with_a_hole(), np.array([0, 7]))
    assert steps.tolist() == [[0, 1, 2, 1, 3, 2, 3, 4], [4, 3, 2, 3, 1, 2, 1, 0]]


def test_what_cannot_be_reached_is_infinitely_far():
    steps = distances_to(drawn('.#.'), np.array([0]))
    assert steps.tolist() == [[0, np.inf]]


def test_distances_are_counted_towards_the_state_on_a_one_way_passage():
    grid = drawn('..', blocked={'east': np.array([[True, False]])})
    assert distances_to(grid, np.array([0])).tolist() == [[0, 1]]
    assert distances_to(grid, np.array([1])).tolist() == [[np.inf, 0]]


def test_distances_agree_with_a_search_on_random_grids(rng):
    for _ in range(10):
        blocked = {move: rng.random((6, 7)) < 0.2 for move in SIDES}
        grid = Grid(rng.random((6, 7)) < 0.8, blocked)
        goals = rng.choice(grid.num_states, 3, replace=False)
        np.testing.assert_array_equal(
            distances_to(grid, goals), [steps_by_search(grid, goal) for goal in goals])


def test_the_largest_part_is_kept():
    grid = drawn('..#...', '..#..#', '####.#')
    assert largest_component(grid).astype(int).tolist() == [
        [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 1, 0]]


def test_thin_walls_separate_parts():
    walls = walls_between((1, 5), np.array([[[1, 0], [2, 0]]]))
    assert largest_component(drawn('.....', blocked=walls)).tolist() == [
        [False, False, True, True, True]]


def test_cells_that_touch_at_a_corner_do_not_hang_together():
    assert np.count_nonzero(largest_component(drawn('.#', '#.'))) == 1


def test_all_of_an_open_grid_is_kept():
    assert largest_component(drawn('...', '...')).all()


def test_the_largest_part_agrees_with_a_search_on_random_mazes(rng):
    """Long ways, too: where half the cells are walls, parts wind."""
    for share in (0.55, 0.65, 0.99):
        grid = Grid(rng.random((40, 50)) < share, {})
        reached = np.isfinite(distances_to(grid, np.arange(grid.num_states)))
        sizes = reached.sum(axis=1)
        columns, rows = grid.cells[reached[sizes.argmax()]].T
        kept = largest_component(grid)
        assert np.count_nonzero(kept) == len(rows) == sizes.max()
        assert kept[rows, columns].all()
