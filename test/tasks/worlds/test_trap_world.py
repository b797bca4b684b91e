"""Rooms that one cannot simply leave."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.worlds.trap_world import build_trap_world

NORTH, EAST, SOUTH, WEST = range(4)
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
SHIPPED_TRAPS = ((1, 0), (0, 1), (2, 0))
SHIPPED_WALLS = (((0, 0), (0, 1), (8, 9)), ((1, 1), (2, 1), (0, 1)), ((1, 1), (1, 2), (4, 5)),
                 ((2, 0), (2, 1), (8, 9)))


def build(rooms=(2, 2), room_size=3, traps=(), walls=()):
    return build_trap_world(rooms, room_size, traps, walls, 0.95, 1.0)


@pytest.fixture(scope='module')
def shipped():
    return build(  # as config/tasks/trap_world.yaml; a test below compares the two
        (3, 3), 10, SHIPPED_TRAPS, SHIPPED_WALLS)


def after(built, cell, action):
    """The cell that follows."""
    state = built.grid.state_of_cell[cell[1], cell[0]]
    return tuple(built.grid.cells[built.mdp.successors[state, action]].tolist())


def walled(first, second, walls=SHIPPED_WALLS, size=10):
    """Whether a wall of the list stands between two neighbouring cells, by its definition."""
    rooms = {(first[0] // size, first[1] // size), (second[0] // size, second[1] // size)}
    along = first[1] % size if first[0] != second[0] else first[0] % size
    return any(rooms == {one, two} and along not in doors for one, two, doors in walls)


def test_the_task_file_is_the_world_tested_here(shipped):
    task = load_task('trap_world')
    assert (task.world.mdp.transitions != shipped.mdp.transitions).nnz == 0


def test_has_the_size_of_the_paper(shipped):
    assert shipped.mdp.num_states == 900
    assert shipped.mdp.num_actions == 4
    assert shipped.mdp.successors is not None      # deterministic
    assert shipped.mdp.discount == 0.95


def test_only_the_bottom_right_cell_is_worth_anything(shipped):
    reward = shipped.own.rewards.dense()
    assert reward.shape == (1, 900)
    assert np.flatnonzero(reward[0]).tolist() == [shipped.grid.state_of_cell[29, 29]]
    assert reward.max() == 1.0
    assert shipped.regions['goal'].tolist() == [899]


@pytest.mark.parametrize('trap', SHIPPED_TRAPS)
def test_no_border_cell_of_a_trap_leads_out_but_the_bottom_left_one(shipped, trap):
    left, top = trap[0] * 10, trap[1] * 10
    way_out, checked, out = (left, top + 9), 0, 0
    for column in range(left, left + 10):
        for row in range(top, top + 10):
            for action, (dx, dy) in enumerate(STEPS):
                target = (column + dx, row + dy)
                if (target[0] // 10, target[1] // 10) == trap:
                    continue
                inside = 0 <= target[0] < 30 and 0 <= target[1] < 30
                leaves = (column, row) == way_out and inside \
                    and not walled((column, row), target)
                expected = target if leaves else (column, row)
                assert after(shipped, (column, row), action) == expected
                checked += 1
                out += leaves
    assert checked == 40        # ten cells on each side
    assert out >= 1


def test_every_move_of_the_shipped_world_is_as_its_rules_say(shipped):
    for column in range(30):
        for row in range(30):
            for action, (dx, dy) in enumerate(STEPS):
                target = (column + dx, row + dy)
                room, other = (column // 10, row // 10), (target[0] // 10, target[1] // 10)
                caught = room in SHIPPED_TRAPS and other != room \
                    and (column % 10, row % 10) != (0, 9)
                stays = not (0 <= target[0] < 30 and 0 <= target[1] < 30) or caught \
                    or walled((column, row), target)
                assert after(shipped, (column, row), action) == \
                    ((column, row) if stays else target)


def test_the_region_of_the_traps_is_their_cells(shipped):
    expected = [state for state, (column, row) in enumerate(shipped.grid.cells)
                if (column // 10, row // 10) in SHIPPED_TRAPS]
    assert shipped.regions['traps'].tolist() == expected
    assert len(expected) == 300


def test_the_goal_can_be_reached_from_everywhere(shipped):
    backwards = sparse.csr_matrix(
        (np.ones(3600), (shipped.mdp.successors.ravel(), np.repeat(np.arange(900), 4))),
        shape=(900, 900))
    reached = sparse.csgraph.breadth_first_order(backwards, 899, return_predecessors=False)
    assert len(reached) == 900


@pytest.mark.parametrize('order', [((0, 0), (1, 0)), ((1, 0), (0, 0))])
def test_a_wall_between_rooms_side_by_side_blocks_both_ways_and_its_door_none(order):
    built = build(walls=[(*order, [1])])
    for row, opened in ((0, False), (1, True), (2, False)):
        assert after(built, (2, row), EAST) == ((3, row) if opened else (2, row))
        assert after(built, (3, row), WEST) == ((2, row) if opened else (3, row))
    assert after(built, (2, 4), EAST) == (3, 4)     # the rooms below are open


@pytest.mark.parametrize('order', [((1, 0), (1, 1)), ((1, 1), (1, 0))])
def test_a_wall_between_rooms_above_each_other_blocks_both_ways_and_its_door_none(order):
    built = build(walls=[(*order, [0, 2])])
    for column, opened in ((3, True), (4, False), (5, True)):
        assert after(built, (column, 2), SOUTH) == ((column, 3) if opened else (column, 2))
        assert after(built, (column, 3), NORTH) == ((column, 2) if opened else (column, 3))
    assert after(built, (1, 2), SOUTH) == (1, 3)


def test_a_trap_can_be_entered_anywhere():
    built = build(traps=[(1, 0)])
    for row in range(3):
        assert after(built, (2, row), EAST) == (3, row)
        assert after(built, (3, row), WEST) == ((2, row) if row == 2 else (3, row))
    assert after(built, (3, 2), SOUTH) == (3, 3)
    assert after(built, (4, 2), SOUTH) == (4, 2)


def test_a_wall_closes_the_way_out_of_a_trap_too():
    built = build(traps=[(1, 0)], walls=[((0, 0), (1, 0), []), ((1, 0), (1, 1), [0])])
    assert after(built, (3, 2), WEST) == (3, 2)
    assert after(built, (3, 2), SOUTH) == (3, 3)


def test_of_two_neighbouring_traps_each_has_its_own_way_out():
    built = build(traps=[(0, 0), (1, 0)])
    assert after(built, (2, 2), EAST) == (2, 2)
    assert after(built, (3, 2), WEST) == (2, 2)
    assert after(built, (0, 2), SOUTH) == (0, 3)


def test_moves_within_a_trap_are_free():
    built = build(traps=[(0, 0)])
    assert [after(built, (1, 1), action) for action in range(4)] == \
        [(1, 0), (2, 1), (1, 2), (0, 1)]


def test_rooms_need_not_be_as_many_across_as_down():
    built = build(rooms=(3, 1), room_size=2, traps=[(2, 0)])
    assert built.grid.shape == (2, 6)
    assert built.regions['traps'].tolist() == [4, 5, 10, 11]
    assert after(built, (4, 0), WEST) == (4, 0)
    assert after(built, (4, 1), WEST) == (3, 1)


def test_without_traps_and_walls_it_is_an_open_grid():
    built = build()
    assert list(built.regions) == ['goal']
    assert sum(built.mdp.successors.ravel() == np.repeat(np.arange(36), 4)) == 24
