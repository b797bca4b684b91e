from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.pictures.text_view import policy_marks, world_as_text
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.grid import build_grid

DRAWING = ['..#', '#..']
MOVES = ('north', 'east', 'south', 'west', 'stay')


def small_world():
    built = build_grid(DRAWING, {}, MOVES, 0.9, cell_size=0.25, origin=(3.0, -1.0))
    return World('small', built.mdp, built.mdp.checked_start(None), built.world.appearance)


def test_a_grid_comes_back_as_it_was_drawn():
    assert world_as_text(small_world()) == '#####\n#..##\n##..#\n#####'


def test_marks_stand_on_their_states():
    assert world_as_text(small_world(), {0: '?', 3: 'S'}) == '#####\n#?.##\n##.S#\n#####'


def test_a_policy_is_drawn_with_arrows():
    sets = np.array([1 << 1, 1 << 2, 1 << 1 | 1 << 0, 1 << 4])
    policy = Policy(sets, np.ones(4), np.array([3]), 5)
    assert world_as_text(small_world(), policy_marks(small_world(), policy)) == (
        '#####\n#→↓##\n##+•#\n#####')


def test_the_layout_numbers_the_states_and_leaves_walls_out():
    np.testing.assert_array_equal(small_world().layout.states, [[0, 1, -1], [-1, 2, 3]])


def test_a_world_without_cells_is_a_list():
    world = load_task('random_mdp').world
    assert world.layout is None
    text = world_as_text(world)
    assert text.startswith('state 0\nstate 1\n')
    assert text.endswith('... and 30 more states')


def test_in_a_list_only_the_marked_states_are_shown():
    assert world_as_text(load_task('random_mdp').world, {7: '?'}).splitlines() == [
        '? state 7', '... and 49 more states']
