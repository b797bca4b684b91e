"""Counting steps to one goal, by the kernel and by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from kernel_help import assert_same, need_kernel, solved_by
from scipy import sparse
from worlds import LEFT, RIGHT, corridor, grid, random_mdp

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.planning.goal_search import UNREACHABLE, GoalSearch, single_goals
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import bits_dtype
from gbs_irl_ros.core.rewards import Rewards

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=25)


@pytest.fixture(params=['kernel', 'scipy'])
def searcher(request, monkeypatch):
    """Run a test with the compiled kernel and without."""
    if request.param == 'scipy':
        monkeypatch.setenv(kernel.VARIABLE, 'off')
    else:
        need_kernel()
    return request.param


def searched(mdp, goals, first=0, width=None):
    """Return (bits ``[S, H]``, distances ``[G, S]``)."""
    width = len(goals) if width is None else width
    bits = np.zeros((mdp.num_states, width), dtype=bits_dtype(mdp.num_actions))
    distances = np.empty((len(goals), mdp.num_states), dtype=np.int32)
    GoalSearch(mdp).search(np.asarray(goals), bits, first, distances)
    return bits, distances


def sets_of(bits, num_actions):
    return [set(np.flatnonzero(row).tolist()) for row in unpack(bits, num_actions)]


def walled_grid(width, height, walls, discount=0.9):
    """As a grid, but moves into a wall do nothing either; walls are states without a way."""
    successors = grid(width, height).successors.copy()
    blocked = np.isin(np.arange(width * height), walls)
    stay = np.tile(np.arange(width * height)[:, np.newaxis], 4)
    successors = np.where(blocked[successors] | blocked[:, np.newaxis], stay, successors)
    return Mdp.from_successors(successors, discount)


# ---- closed forms -------------------------------------------------------------------------------

def test_distances_in_a_corridor_are_differences(searcher):
    bits, distances = searched(corridor(9), [0, 3, 8])
    np.testing.assert_array_equal(
        distances, np.abs(np.arange(9) - np.array([[0], [3], [8]])))
    assert sets_of(bits[:, 0], 2) == [{LEFT}] * 9
    assert sets_of(bits[:, 1], 2) == [{RIGHT}] * 3 + [{LEFT, RIGHT}] + [{LEFT}] * 5
    assert sets_of(bits[:, 2], 2) == [{RIGHT}] * 9


@for_each('discount', [0.5, 0.95, 0.9999])
def test_values_in_a_corridor_are_powers_of_the_discount(searcher, discount):
    solution = solved_by('steps', corridor(9, discount), Rewards(
        sparse.csr_matrix(([3.0, 2.0], [8, 4], [0, 1, 2]), shape=(2, 9)), 9, 2))
    steps = np.abs(np.arange(9) - np.array([[8.0], [4.0]]))
    at_goal = np.array([[3.0 / (1.0 - discount)], [2.0 / (1.0 - discount ** 2)]])
    np.testing.assert_allclose(solution.values, discount ** steps * at_goal, rtol=1e-12)


def test_distances_in_a_grid_without_walls_are_those_of_manhattan(searcher):
    width, height = 7, 5
    mdp, goals = grid(width, height), np.arange(35)
    _, distances = searched(mdp, goals)
    x, y = goals % width, goals // width
    np.testing.assert_array_equal(
        distances, np.abs(x[:, np.newaxis] - x) + np.abs(y[:, np.newaxis] - y))


def test_walls_are_gone_around(searcher):
    # 0 1 2
    # # # 5       the goal is 6, the way from 0 leads around both walls
    # 6 7 8
    mdp = walled_grid(3, 3, [3, 4])
    bits, distances = searched(mdp, [6])
    assert distances[0].tolist() == [6, 5, 4, UNREACHABLE, UNREACHABLE, 3, 0, 1, 2]
    north, east, south, west = range(4)
    sets = sets_of(bits[:, 0], 4)
    assert [sets[state] for state in (0, 1, 2, 5, 8, 7)] == [
        {east}, {east}, {south}, {south}, {west}, {west}]
    assert sets[6] == {north, south, west}          # all of them stay at the goal
    assert sets[3] == sets[4] == {north, east, south, west}


def test_a_goal_that_cannot_be_reached_makes_all_actions_equal(searcher):
    mdp = Mdp.from_successors(np.array([[1, 0], [0, 1], [2, 2]]), 0.9)
    solution = solved_by('steps', mdp, Rewards.goals(mdp, [2]))
    assert solution.greedy_bits[:, 0].tolist() == [0b11, 0b11, 0b11]
    np.testing.assert_allclose(solution.values, [[0.0, 0.0, 10.0]])


def test_a_goal_that_cannot_be_returned_to_pays_once(searcher):
    mdp = Mdp.from_successors(np.array([[1, 0], [2, 2], [2, 2]]), 0.9)     # 0 -> 1 -> 2, the end
    solution = solved_by('steps', mdp, Rewards.goals(mdp, [1, 0]))
    np.testing.assert_allclose(solution.values[0], [0.9, 1.0, 0.0])
    assert solution.greedy_bits[:, 0].tolist() == [0b01, 0b11, 0b11]
    np.testing.assert_allclose(solution.values[1], [10.0, 0.0, 0.0])
    assert solution.greedy_bits[:, 1].tolist() == [0b10, 0b11, 0b11]


def test_a_goal_returned_to_by_the_longest_way_there_is(searcher):
    size = 12       # a ring: the way back has as many steps as there are states
    mdp = Mdp.from_successors((np.arange(size)[:, np.newaxis] + 1) % size, 0.9)
    solution = solved_by('steps', mdp, Rewards.goals(mdp, [5]))
    steps = (5 - np.arange(size)) % size
    np.testing.assert_allclose(solution.values[0], 0.9 ** steps / (1.0 - 0.9 ** size), rtol=1e-13)


def test_a_goal_is_kept_where_an_action_stays(searcher):
    mdp = Mdp.from_successors(np.array([[1, 0], [0, 1]]), 0.8)
    solution = solved_by('steps', mdp, Rewards.goals(mdp, [0]))
    np.testing.assert_allclose(solution.values, [[5.0, 4.0]])
    assert solution.greedy_bits[:, 0].tolist() == [0b10, 0b01]


def test_one_state_is_its_own_goal(searcher):
    bits, distances = searched(Mdp.from_successors(np.array([[0, 0, 0]]), 0.9), [0])
    assert bits.tolist() == [[0b111]]
    assert distances.tolist() == [[0]]


def test_a_chain_of_100_000_states_where_values_underflow(searcher):
    length = 100_000
    mdp = corridor(length, 0.95)
    solution = solved_by('steps', mdp, Rewards.goals(mdp, [length - 1, 0]))
    assert (solution.greedy_bits == [1 << RIGHT, 1 << LEFT]).all()
    assert solution.values[0, 0] == 0.0
    near = np.arange(2000)
    np.testing.assert_allclose(solution.values[0, ::-1][:2000], 0.95 ** near.astype(float) / 0.05,
                               rtol=1e-11)


# ---- against others -----------------------------------------------------------------------------

@for_each('actions', [1, 3, 4, 8, 9, 17, 33, 64])
def test_the_kernel_and_scipy_find_the_same(rng, monkeypatch, actions):
    need_kernel()
    mdp = random_mdp(rng, 70, actions, 1)
    goals = rng.integers(0, 70, 131)            # more than two groups, some goals twice
    bits, distances = searched(mdp, goals, 2, 140)
    monkeypatch.setenv(kernel.VARIABLE, 'off')
    expected_bits, expected = searched(mdp, goals, 2, 140)
    np.testing.assert_array_equal(bits, expected_bits)
    np.testing.assert_array_equal(distances, expected)
    assert (bits[:, :2] == 0).all()             # nothing is written beside its columns
    assert (bits[:, 133:] == 0).all()


@INVARIANT
@given(seed=SEEDS)
def test_steps_lead_to_what_policy_iteration_finds(seed):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, int(rng.integers(1, 40)), int(rng.integers(1, 5)), 1,
                     float(rng.choice([0.3, 0.9, 0.99])))
    goals = rng.integers(0, mdp.num_states, 5)
    weights = sparse.csr_matrix(
        (rng.choice([1e-9, 0.5, 1.0, 1e12], 5), goals, np.arange(6)), shape=(5, mdp.num_states))
    rewards = Rewards(weights, mdp.num_states, mdp.num_actions)
    assert single_goals(mdp, rewards).tolist() == goals.tolist()
    expected = solved_by('numpy', mdp, rewards)
    assert_same(solved_by('steps', mdp, rewards), expected, 1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(kernel.VARIABLE, 'off')
        assert_same(solved_by('steps', mdp, rewards), expected, 1e-12)


@for_each('count', [1, 63, 64, 65, 200])
def test_goals_are_searched_for_in_groups_and_told_of(searcher, count):
    mdp, told = corridor(count + 1), []
    solution = solved_by('steps', mdp, Rewards.goals(mdp, range(count)),
                         progress=lambda *done: told.append(done))
    assert told == [(min(done, count), count) for done in range(64, count + 64, 64)]
    state, goal = np.indices((count + 1, count))
    expected = np.where(state < goal, 1 << RIGHT, np.where(state > goal, 1 << LEFT, 0b11))
    expected[0, 0] = 1 << LEFT                  # at the end of the corridor LEFT stays
    np.testing.assert_array_equal(solution.greedy_bits, expected)


# ---- other rewards are left to others -----------------------------------------------------------

def test_positive_goals_of_a_deterministic_world_are_recognised():
    goals = single_goals(corridor(5), Rewards.goals(corridor(5), [3, 0, 3]))
    assert goals.tolist() == [3, 0, 3]
    assert goals.dtype == np.int32


@for_each('dense', [
    [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]],        # a cost
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]],         # two entries
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],         # none
])
def test_other_rewards_are_no_goals(dense):
    assert single_goals(corridor(3), Rewards.from_dense(np.array(dense), 2)) is None


def test_goals_of_actions_features_random_worlds_and_without_foresight_are_left_to_others(rng):
    goals = Rewards.goals(corridor(3), [1])
    per_action = np.zeros((1, 3, 2))
    per_action[0, 1, 0] = 1.0
    features = Rewards(sparse.csr_matrix([[1.0]]), 3, 2,
                       features=sparse.csr_matrix([[0.0, 1.0, 0.0]]))
    assert single_goals(corridor(3), goals) is not None
    assert single_goals(corridor(3), Rewards.from_dense(per_action, 2)) is None
    assert single_goals(corridor(3), features) is None
    assert single_goals(random_mdp(rng, 3, 2, 2), goals) is None
    assert single_goals(corridor(3, 0.0), goals) is None
