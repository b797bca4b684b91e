from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from scipy import sparse
from worlds import (
    EAST,
    LEFT,
    NORTH,
    RIGHT,
    corridor,
    grid,
    random_mdp,
    random_rewards,
    slippery_grid,
)

from gbs_irl_ros.core.errors import InvalidPolicyError, InvalidRewardsError, VanishingValuesError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel, policy_iteration, solver
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import bits_dtype, evaluate, solve
from gbs_irl_ros.core.rewards import Rewards

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=25)


@pytest.fixture(params=['kernel', 'numpy'], autouse=True)
def planner(request, monkeypatch):
    """Run every test with the compiled kernel and without."""
    if request.param == 'numpy':
        monkeypatch.setenv(kernel.VARIABLE, 'off')
    elif kernel.library() is None:
        pytest.skip(kernel.description())
    return request.param


def cube(mdp):
    """Return the transitions as ``[S, A, S]``."""
    return mdp.transitions.toarray().reshape(mdp.num_states, mdp.num_actions, mdp.num_states)


def best_of_all_policies(mdp, reward):
    """Return V* of one reward ``[S, A]`` by trying every deterministic policy."""
    transitions, states = cube(mdp), np.arange(mdp.num_states)
    best = np.full(mdp.num_states, -np.inf)
    for policy in product(range(mdp.num_actions), repeat=mdp.num_states):
        system = np.identity(mdp.num_states) - mdp.discount * transitions[states, policy]
        best = np.maximum(best, np.linalg.solve(system, reward[states, policy]))
    return best


def swept(mdp, reward):
    """Return V* of one reward ``[S, A]`` by sweeping until nothing changes."""
    transitions, values = cube(mdp), np.zeros(mdp.num_states)
    for _ in range(100_000):
        before, values = values, (reward + mdp.discount * transitions @ values).max(axis=1)
        if np.abs(values - before).max() <= 1e-13 * max(1.0, np.abs(values).max()):
            return values
    raise AssertionError('no end to the sweeps')


def greedy(mdp, reward, values):
    """Return ``[S, A]`` bool; only for problems without values that are nearly equal."""
    q = reward + mdp.discount * cube(mdp) @ values
    return q >= q.max(axis=1, keepdims=True) - 1e-9


def sets_of(solution, index, num_actions):
    """Return the greedy sets of one reward as a list of sets."""
    return [set(np.flatnonzero(row).tolist())
            for row in unpack(solution.greedy_bits[:, index], num_actions)]


def by_action(mdp, rewards):
    """Return the rewards as ``[H, S, A]``."""
    dense = rewards.dense().reshape(rewards.num_rewards, mdp.num_states, -1)
    return np.broadcast_to(dense, (*dense.shape[:2], mdp.num_actions))


def random_problem(seed, kind):
    """A small world and four rewards, often of few different numbers so that there are ties."""
    rng = np.random.default_rng(seed)
    successors = 1 if kind.startswith('deterministic') else int(rng.integers(2, 4))
    mdp = random_mdp(rng, int(rng.integers(1, 6)), int(rng.integers(1, 4)), successors,
                     float(rng.choice([0.0, 0.3, 0.9, 0.99])))
    shape = (4, mdp.num_states) if kind.endswith('states') \
        else (4, mdp.num_states, mdp.num_actions)
    few = rng.random() < 0.7
    dense = rng.integers(-1, 2, shape).astype(float) if few else rng.normal(size=shape)
    return mdp, Rewards.from_dense(dense, mdp.num_actions)


# ---- closed forms -------------------------------------------------------------------------------

def test_the_value_of_a_goal_in_a_corridor_falls_by_the_discount_with_distance():
    mdp, goal = corridor(7), 6
    solution = solve(mdp, Rewards.goals(mdp, [goal]), keep_values=True)
    distance = goal - np.arange(7)
    np.testing.assert_allclose(solution.values[0], 0.9 ** distance / (1.0 - 0.9), rtol=1e-13)
    assert sets_of(solution, 0, 2) == [{RIGHT}] * 7


def test_a_goal_inside_a_corridor_cannot_be_held_and_both_sides_of_it_tie():
    mdp = corridor(5)
    solution = solve(mdp, Rewards.goals(mdp, [2]), keep_values=True)
    assert sets_of(solution, 0, 2) == [{RIGHT}, {RIGHT}, {LEFT, RIGHT}, {LEFT}, {LEFT}]
    every_other_step = 1.0 / (1.0 - 0.9 ** 2)
    np.testing.assert_allclose(solution.values[0], every_other_step * 0.9 ** np.array(
        [2, 1, 0, 1, 2]), rtol=1e-13)


def test_two_states_by_hand():
    # 'stay' pays 1 in state 0 and 2 in state 1; 'swap' pays nothing.
    mdp = Mdp.from_successors(np.array([[0, 1], [1, 0]]), 0.5)
    rewards = Rewards.from_dense(np.array([
        [[1.0, 0.0], [2.0, 0.0]],       # V = (2, 4): stay 1 + 1 = swap 0 + 2, a tie in state 0
        [[0.9, 0.0], [2.0, 0.0]],       # 0.9 / (1 - 0.5) = 1.8 < 2: swap
        [[1.1, 0.0], [2.0, 0.0]]]), 2)  # 2.2 > 2: stay
    solution = solve(mdp, rewards, keep_values=True)
    np.testing.assert_allclose(solution.values, [[2.0, 4.0], [2.0, 4.0], [2.2, 4.0]], rtol=1e-14)
    assert [sets_of(solution, k, 2) for k in range(3)] == [
        [{0, 1}, {0}], [{1}, {0}], [{0}, {0}]]


def test_a_random_transition_by_hand():
    # Action 1 reaches the paying state 1 with probability p = 1/4 a step; state 1 is kept.
    dense = np.zeros((2, 2, 2))
    dense[0, 0] = 1.0, 0.0
    dense[0, 1] = 0.75, 0.25
    dense[1, :] = 0.0, 1.0
    mdp = Mdp.from_dense(dense, 0.8)
    solution = solve(mdp, Rewards.goals(mdp, [1]), keep_values=True)
    # V(1) = 5 and V(0) = 0.8 (0.75 V(0) + 0.25 V(1)) = 1 / (1 - 0.6)
    np.testing.assert_allclose(solution.values, [[2.5, 5.0]], rtol=1e-14)
    assert sets_of(solution, 0, 2) == [{1}, {0, 1}]


@for_each('world', [grid, slippery_grid])
@for_each(('width', 'height'), [(6, 4), (16, 10)])
def test_two_shortest_ways_in_a_grid_are_both_optimal(world, width, height):
    mdp = world(width, height)
    solution = solve(mdp, Rewards.goals(mdp, [width - 1]))
    for state, actions in enumerate(sets_of(solution, 0, 4)):
        x, y = state % width, state // width
        if (x, y) == (width - 1, 0):
            assert actions == {NORTH, EAST}      # both stay on the goal
        else:
            assert actions == ({EAST} if x < width - 1 else set()) | ({NORTH} if y > 0 else set())


def test_symmetric_goals_tie_in_the_middle():
    rewards = Rewards.from_dense(np.array([[1.0, 0, 0, 0, 1.0]]), 2)
    assert sets_of(solve(corridor(5), rewards), 0, 2) == [
        {LEFT}, {LEFT}, {LEFT, RIGHT}, {RIGHT}, {RIGHT}]


@for_each('value', [0.0, 1.0, -3.0, 1e-9, 1e12])
@for_each('successors', [1, 3])
def test_equal_rewards_make_every_action_optimal(rng, value, successors):
    mdp = random_mdp(rng, 20, 3, successors, discount=0.95)
    solution = solve(mdp, Rewards.from_dense(np.full((1, 20), value), 3), keep_values=True)
    assert (solution.greedy_bits == 0b111).all()
    np.testing.assert_allclose(solution.values, value / 0.05, rtol=1e-12)


def test_far_from_the_goal_the_one_right_action_is_still_found():
    length = 500
    mdp = corridor(length, 0.95)
    solution = solve(mdp, Rewards.goals(mdp, [length - 1]), keep_values=True)
    distance = length - 1.0 - np.arange(length)
    assert solution.values[0, 0] < 1e-9
    np.testing.assert_allclose(solution.values[0], 0.95 ** distance / 0.05, rtol=1e-11)
    assert (solution.greedy_bits == 1 << RIGHT).all()


def test_far_from_the_goal_of_a_random_world_the_one_right_action_is_still_found():
    # As above, but every move fails with probability 0.3: sparse systems instead of paths.
    length, states = 300, np.arange(300)
    moves = corridor(length).successors
    matrices = [0.7 * sparse.csr_matrix((np.ones(length), (states, moves[:, action])),
                                        shape=(length, length)) + 0.3 * sparse.identity(length)
                for action in (LEFT, RIGHT)]
    mdp = Mdp.from_action_matrices([sparse.csr_matrix(m) for m in matrices], 0.9)
    solution = solve(mdp, Rewards.goals(mdp, [length - 1]), keep_values=True)
    per_step = 0.7 * 0.9 / (1.0 - 0.3 * 0.9)
    np.testing.assert_allclose(solution.values[0], 10.0 * per_step ** (length - 1.0 - states),
                               rtol=1e-9)
    assert (solution.greedy_bits == 1 << RIGHT).all()


def test_gains_and_losses_that_cancel_do_not_hide_a_tie():
    # Both ways are worth 0: one pays 1 and then costs 1 / gamma, the other pays nothing.
    gamma = 0.9
    mdp = Mdp.from_successors(np.array([[1, 3], [2, 2], [3, 3], [3, 3]]), gamma)
    rewards = Rewards.from_dense(np.array([[0.0, 1.0, -1.0 / gamma, 0.0]]), 2)
    solution = solve(mdp, rewards, keep_values=True)
    np.testing.assert_allclose(solution.values[0], [0.0, 0.0, -1.0 / gamma, 0.0], atol=1e-15)
    assert (solution.greedy_bits == 0b11).all()


def test_gains_and_losses_that_cancel_over_many_steps_do_not_hide_a_tie():
    gamma, half = 0.9, 10
    table = [[1, 2 * half]] + [[k + 1, k + 1] for k in range(1, 2 * half)] + [[2 * half] * 2]
    numbers = np.random.default_rng(3).normal(size=half)
    reward = np.zeros(2 * half + 1)
    reward[1:half] = numbers[:-1]
    reward[2 * half - 1] = -(gamma ** np.arange(half - 1) @ reward[1:half]) \
        / gamma ** (2 * half - 2)
    solution = solve(Mdp.from_successors(np.array(table), gamma),
                     Rewards.from_dense(reward[np.newaxis], 2))
    assert solution.greedy_bits[0, 0] == 0b11


def test_a_small_but_real_difference_is_no_tie():
    mdp = Mdp.from_successors(np.array([[0, 0]]), 0.5)
    rewards = Rewards.from_dense(np.array([[[1.0, 1.0 + 1e-6]], [[1.0, 1.0 + 1e-12]]]), 2)
    assert solve(mdp, rewards).greedy_bits.tolist() == [[0b10, 0b11]]


def test_costs_alone_are_avoided():
    rewards = Rewards.from_dense(np.array([[0.0, 0.0, -1.0, 0.0]]), 2)
    solution = solve(corridor(4), rewards, keep_values=True)
    assert sets_of(solution, 0, 2) == [{LEFT, RIGHT}, {LEFT}, {LEFT, RIGHT}, {RIGHT}]
    np.testing.assert_array_equal(solution.values, [[0.0, 0.0, -1.0, 0.0]])


def test_without_foresight_only_the_reward_at_hand_counts():
    rewards = Rewards.from_dense(np.array([[[1.0, 2.0], [3.0, 3.0], [5.0, 4.0]]]), 2)
    solution = solve(corridor(3, discount=0.0), rewards, keep_values=True)
    assert sets_of(solution, 0, 2) == [{1}, {0, 1}, {0}]
    assert solution.values.tolist() == [[2.0, 3.0, 5.0]]


def test_a_discount_near_one_is_no_trouble():
    mdp = corridor(50, discount=0.999)
    solution = solve(mdp, Rewards.goals(mdp, [0, 49]), keep_values=True)
    np.testing.assert_allclose(solution.values[1], 0.999 ** (49.0 - np.arange(50)) / 0.001,
                               rtol=1e-10)
    assert (solution.greedy_bits[:, 0] == 1 << LEFT).all()
    assert (solution.greedy_bits[:, 1] == 1 << RIGHT).all()


@for_each('discount', [0.0, 0.9, 0.999])
def test_one_state_and_one_action_is_the_geometric_series(discount):
    mdp = Mdp.from_successors(np.array([[0]]), discount)
    solution = solve(mdp, Rewards.from_dense(np.array([[2.0]]), 1), keep_values=True)
    np.testing.assert_allclose(solution.values, 2.0 / (1.0 - discount), rtol=1e-12)
    assert solution.greedy_bits.tolist() == [[1]]


# ---- a slow and obvious reference ---------------------------------------------------------------

KINDS = ['deterministic, states', 'deterministic, actions', 'random, states', 'random, actions']


@pytest.mark.slow
@for_each('kind', KINDS)
@INVARIANT
@given(seed=SEEDS)
def test_solutions_agree_with_trying_every_policy(kind, seed):
    mdp, rewards = random_problem(seed, kind)
    solution = solve(mdp, rewards, keep_values=True)
    assert solution.converged.all()
    for index, reward in enumerate(by_action(mdp, rewards)):
        values = best_of_all_policies(mdp, reward)
        np.testing.assert_allclose(
            solution.values[index], values, rtol=0.0, atol=1e-10 * np.abs(values).max() + 1e-12)
        np.testing.assert_array_equal(
            unpack(solution.greedy_bits[:, index], mdp.num_actions), greedy(mdp, reward, values))


@for_each('states', [40, 150])
@for_each('successors', [1, 3])
def test_solutions_agree_with_sweeping_to_the_end(rng, states, successors):
    mdp = random_mdp(rng, states, 4, successors, discount=0.8)
    rewards = Rewards.from_dense(rng.normal(size=(3, states)), 4)
    solution = solve(mdp, rewards, keep_values=True)
    for index, reward in enumerate(by_action(mdp, rewards)):
        values = swept(mdp, reward)
        np.testing.assert_allclose(solution.values[index], values, atol=1e-11)
        np.testing.assert_array_equal(
            unpack(solution.greedy_bits[:, index], 4), greedy(mdp, reward, values))


def test_where_gains_and_losses_are_out_of_reach_no_rounding_decides(rng):
    # Some of these values are exactly 0: comparing rounding with rounding finds no ties there.
    length, states = 60, np.arange(60)
    moves = corridor(length).successors
    matrices = [0.7 * sparse.csr_matrix((np.ones(length), (states, moves[:, action])),
                                        shape=(length, length)) + 0.3 * sparse.identity(length)
                for action in (LEFT, RIGHT)]
    mdp = Mdp.from_action_matrices([sparse.csr_matrix(m) for m in matrices], 0.95)
    reward = np.zeros((1, length))
    reward[0, [20, 40]] = -1.0
    solution = solve(mdp, Rewards.from_dense(reward, 2), keep_values=True)
    assert (solution.values[0, :20] == 0.0).all()
    assert sets_of(solution, 0, 2)[:20] == [{LEFT, RIGHT}] * 19 + [{LEFT}]


# ---- invariants ---------------------------------------------------------------------------------

@INVARIANT
@given(seed=SEEDS, successors=st.sampled_from([1, 3]))
def test_shaping_by_a_potential_keeps_the_greedy_sets(seed, successors):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 12, 3, successors)
    dense = rng.integers(0, 2, (5, 12)).astype(float)
    potential = rng.normal(size=12)
    shaped = dense[..., np.newaxis] + mdp.discount * cube(mdp) @ potential \
        - potential[:, np.newaxis]
    plain = solve(mdp, Rewards.from_dense(dense, 3), keep_values=True)
    other = solve(mdp, Rewards.from_dense(shaped, 3), keep_values=True)
    np.testing.assert_array_equal(plain.greedy_bits, other.greedy_bits)
    np.testing.assert_allclose(other.values, plain.values - potential, atol=1e-11)


def test_shaping_by_the_value_itself_keeps_the_greedy_sets_of_a_grid():
    mdp = grid(8, 5)
    goal = Rewards.goals(mdp, [7])
    plain = solve(mdp, goal, keep_values=True)
    potential = plain.values[0]
    shaped = goal.dense()[..., np.newaxis] + 0.95 * potential[mdp.successors] \
        - potential[:, np.newaxis]
    other = solve(mdp, Rewards.from_dense(shaped, 4), keep_values=True)
    np.testing.assert_array_equal(plain.greedy_bits, other.greedy_bits)
    np.testing.assert_allclose(other.values, 0.0, atol=1e-11)


@INVARIANT
@given(seed=SEEDS, successors=st.sampled_from([1, 3]))
def test_renumbering_states_actions_and_rewards_renumbers_the_solution(seed, successors):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 9, 3, successors)
    dense = rng.integers(-1, 3, (6, 9, 3)).astype(float)
    states, actions, order = rng.permutation(9), rng.permutation(3), rng.permutation(6)
    plain = solve(mdp, Rewards.from_dense(dense, 3), keep_values=True)
    moved = solve(Mdp.from_dense(cube(mdp)[states][:, actions][:, :, states], mdp.discount),
                  Rewards.from_dense(dense[order][:, states][:, :, actions], 3), keep_values=True)
    np.testing.assert_array_equal(
        unpack(moved.greedy_bits, 3),
        unpack(plain.greedy_bits, 3)[states][:, order][:, :, actions])
    np.testing.assert_allclose(moved.values, plain.values[order][:, states], atol=1e-11)


@INVARIANT
@given(seed=SEEDS, scale=st.sampled_from([1e-200, 1e-9, 3.0, 1e200]))
def test_the_unit_of_the_reward_does_not_matter(seed, scale):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 10, 3, int(rng.choice([1, 3])))
    dense = rng.integers(-1, 2, (4, 10)).astype(float)
    plain = solve(mdp, Rewards.from_dense(dense, 3))
    scaled = solve(mdp, Rewards.from_dense(dense * scale, 3))
    np.testing.assert_array_equal(plain.greedy_bits, scaled.greedy_bits)


@pytest.mark.parametrize('planner', ['numpy'], indirect=True)
@for_each('block', [1, 45, 100])
@for_each('successors', [1, 3])
def test_solving_in_blocks_gives_the_same(rng, monkeypatch, block, successors):
    mdp = random_mdp(rng, 15, 3, successors)
    rewards = random_rewards(rng, mdp, 11, 2)
    whole = solve(mdp, rewards, keep_values=True)
    monkeypatch.setattr(policy_iteration, 'BLOCK_ENTRIES', block)
    calls = []
    parts = solve(mdp, rewards, keep_values=True, progress=lambda *call: calls.append(call))
    np.testing.assert_array_equal(whole.greedy_bits, parts.greedy_bits)
    np.testing.assert_allclose(whole.values, parts.values, rtol=1e-12)
    assert parts.converged.all()
    size = max(1, block // 15)
    assert calls == [(min(done, 11), 11) for done in range(size, 11 + size, size)]


def test_values_are_kept_only_if_asked_for(rng):
    mdp = random_mdp(rng, 5, 2)
    assert solve(mdp, random_rewards(rng, mdp, 2, 1)).values is None


# ---- stopping -----------------------------------------------------------------------------------

@pytest.mark.parametrize('planner', ['numpy'], indirect=True)
def test_one_round_does_not_do_where_the_first_policy_is_wrong(monkeypatch):
    monkeypatch.setattr(solver, 'single_goals', lambda mdp, rewards: None)
    monkeypatch.setattr(policy_iteration.RewardBlock, 'iterate_values', lambda self: None)
    mdp = corridor(30)
    rewards = Rewards.goals(mdp, [0, 29])
    solution = solve(mdp, rewards, max_rounds=1)        # the first policy is LEFT everywhere
    assert solution.converged.tolist() == [True, False]
    assert solution.num_rounds.tolist() == [1, 1]
    finished = solve(mdp, rewards)
    assert finished.converged.all()
    assert finished.num_rounds[1] > 1
    assert (finished.greedy_bits == np.array([1 << LEFT, 1 << RIGHT])).all()


@pytest.mark.parametrize('planner', ['numpy'], indirect=True)
def test_without_rounds_nothing_has_converged(monkeypatch):
    monkeypatch.setattr(solver, 'single_goals', lambda mdp, rewards: None)
    solution = solve(corridor(4), Rewards.goals(corridor(4), [0, 1]), max_rounds=0)
    assert not solution.converged.any()
    assert (solution.num_rounds == 0).all()


@for_each('discount', [0.5, 0.95, 0.999])
def test_planning_ends_soon_in_worlds_full_of_ties(rng, discount):
    mdp = grid(12, 12, discount)
    dense = rng.integers(0, 2, (40, 144)).astype(float)
    solution = solve(mdp, Rewards.from_dense(dense, 4))
    assert solution.converged.all()
    assert solution.num_rounds.max() < 100


@for_each('size', [7, 12])
def test_planning_ends_soon_where_rounding_blurs_the_ties(rng, size):
    # Without a margin for changing an action half of these cycle for ever.
    mdp, states = slippery_grid(size, size), size * size
    goals = np.identity(states)[rng.integers(0, states, 10)]
    coins = 0.1 * rng.integers(0, 2, (10, states))
    solution = solve(mdp, Rewards.from_dense(np.concatenate([goals, coins]), 4), max_rounds=50)
    assert solution.converged.all()


@for_each('successors', [1, 2])
def test_planning_ends_soon_where_actions_are_copies_of_each_other(rng, successors):
    one = random_mdp(rng, 30, 2, successors, 0.99)
    copies = Mdp.from_dense(np.repeat(cube(one), 3, axis=1), 0.99)
    dense = rng.normal(size=(20, 30))
    solution = solve(copies, Rewards.from_dense(dense, 6))
    assert solution.converged.all()
    assert solution.num_rounds.max() < 50
    sets = unpack(solution.greedy_bits, 6)
    np.testing.assert_array_equal(sets, np.repeat(
        unpack(solve(one, Rewards.from_dense(dense, 2)).greedy_bits, 2), 3, axis=2))


# ---- many actions -------------------------------------------------------------------------------

@for_each(('num_actions', 'dtype'), [
    (1, np.uint8), (8, np.uint8), (9, np.uint16), (16, np.uint16), (17, np.uint32),
    (32, np.uint32), (33, np.uint64), (64, np.uint64)])
def test_a_greedy_set_is_the_smallest_word_with_a_bit_per_action(num_actions, dtype):
    assert bits_dtype(num_actions) is dtype
    mdp = Mdp.from_successors(np.zeros((num_actions, num_actions), dtype=int), 0.5)
    dense = np.identity(num_actions)[np.newaxis]        # in state s action s is right
    solution = solve(mdp, Rewards.from_dense(dense, num_actions))
    assert solution.greedy_bits.dtype == dtype
    assert [int(bits) for bits in solution.greedy_bits[:, 0]] == [
        1 << action for action in range(num_actions)]


# ---- evaluation ---------------------------------------------------------------------------------

@INVARIANT
@given(seed=SEEDS, successors=st.sampled_from([1, 3]), per_action=st.booleans())
def test_evaluation_agrees_with_the_linear_system(seed, successors, per_action):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 8, 3, successors, float(rng.choice([0.0, 0.9, 0.999])))
    reward = rng.normal(size=(8, 3) if per_action else 8)
    policy = rng.dirichlet(np.ones(3), 8)
    chain = np.einsum('sa,sat->st', policy, cube(mdp))
    expected = (policy * reward).sum(axis=1) if per_action else reward
    np.testing.assert_allclose(
        evaluate(mdp, reward, policy),
        np.linalg.solve(np.identity(8) - mdp.discount * chain, expected), rtol=1e-9, atol=1e-11)


def test_no_policy_is_worth_more_than_the_optimal_values(rng):
    mdp = random_mdp(rng, 10, 3)
    rewards = random_rewards(rng, mdp, 1, 3)
    solution = solve(mdp, rewards, keep_values=True)
    reward = rewards.dense()[0]
    holds = unpack(solution.greedy_bits[:, 0], 3)
    np.testing.assert_allclose(
        evaluate(mdp, reward, holds / holds.sum(axis=1, keepdims=True)), solution.values[0])
    for _ in range(20):
        values = evaluate(mdp, reward, rng.dirichlet(np.ones(3), 10))
        assert (values <= solution.values[0] + 1e-12).all()


def test_a_policy_of_the_wrong_shape_is_refused():
    with pytest.raises(InvalidPolicyError,
                       match=r'policy must have shape \(3, 2\), got \(2, 3\)'):
        evaluate(corridor(3), np.zeros(3), np.ones((2, 3)) / 3)


def test_a_policy_that_does_not_sum_to_one_is_refused():
    policy = np.full((3, 2), 0.5)
    policy[1] = 0.5, 0.25
    with pytest.raises(InvalidPolicyError, match=(
            r'probabilities that sum to 1: those of state 1 are \[0\.5, 0\.25\]')):
        evaluate(corridor(3), np.zeros(3), policy)


def test_a_negative_probability_is_refused_and_named():
    policy = np.full((3, 2), 0.5)
    policy[1] = 1.5, -0.5
    with pytest.raises(InvalidPolicyError, match=r'policy must .*state 1.*-0\.5'):
        evaluate(corridor(3), np.zeros(3), policy)


@for_each('shape', [(2,), (3, 3), (1, 3, 2)])
def test_a_reward_of_the_wrong_shape_is_refused(shape):
    with pytest.raises(InvalidRewardsError, match=(
            r'reward must have shape \(S,\) or \(S, A\), got \(' + str(shape[0]))):
        evaluate(corridor(3), np.zeros(shape), np.full((3, 2), 0.5))


def test_rewards_of_another_world_are_refused():
    with pytest.raises(InvalidRewardsError, match=r'rewards are for \(S, A\) = \(4, 2\)'):
        solve(corridor(3), Rewards.goals(corridor(4), [0]))


# ---- a start ------------------------------------------------------------------------------------

@for_each('start', [np.zeros(3), np.zeros((4, 1)), np.full(4, np.nan),
                    np.array([0.0, np.inf, 0.0, 0.0])])
def test_a_start_that_is_no_value_for_each_state_is_refused(start):
    with pytest.raises(InvalidRewardsError, match=(
            r'initial must be a finite number for each of the 4 states, got shape \(')):
        solve(corridor(4), Rewards.from_dense(np.ones((1, 4)), 2), initial=start)


@for_each('discount', [0.9, 0.999])
@for_each('start', [1e9, 1e6, -1e9])
def test_a_start_far_off_changes_no_set(rng, discount, start):
    mdp = random_mdp(rng, 40, 3, 3, discount)
    rewards = Rewards.from_dense(rng.normal(size=(5, 40)), 3)
    np.testing.assert_array_equal(
        solve(mdp, rewards, initial=np.full(40, start)).greedy_bits,
        solve(mdp, rewards).greedy_bits)


def test_with_a_start_no_sweep_is_spent_on_rewards_that_are_zero(rng):
    mdp = random_mdp(rng, 60, 3, 3, 0.95)
    dense = rng.random((5, 60))         # five: the last ones share their lanes with nothing
    dense[1] = 0.0
    plain = solve(mdp, Rewards.from_dense(dense, 3), keep_values=True)
    begun = solve(mdp, Rewards.from_dense(dense, 3), initial=plain.values[0])
    assert begun.num_updates.max() <= 60 * 200
    np.testing.assert_array_equal(begun.greedy_bits, plain.greedy_bits)


def test_values_that_vanish_can_be_had_without_their_sets():
    mdp, reward = corridor(80, 1e-9), np.zeros((1, 80))
    reward[0, [0, 79]] = 1.0, 0.5
    with pytest.raises(VanishingValuesError, match=(
            r'the values of reward 0 vanish at state \d+: it is so far .* discount 1e-09 leaves')):
        solve(mdp, Rewards.from_dense(reward, 2))
    values = solve(mdp, Rewards.from_dense(reward, 2), keep_values=True,
                   allow_vanishing=True).values
    assert values[0, 0] == pytest.approx(1.0)
    assert values[0, 1] == pytest.approx(1e-9)


@pytest.mark.slow
@for_each('discount', [0.9999, 0.999999])
def test_a_discount_very_near_one_ends(rng, discount):
    for _ in range(10):
        mdp = random_mdp(rng, 150, 3, 1, discount)
        dense = rng.integers(-1, 3, (8, 150)).astype(float)
        solution = solve(mdp, Rewards.from_dense(dense, 3), max_rounds=50, keep_values=True)
        assert solution.converged.all()
        for index, reward in enumerate(dense):
            holds = unpack(solution.greedy_bits[:, index], 3)
            followed = evaluate(mdp, reward, holds / holds.sum(axis=1, keepdims=True))
            np.testing.assert_allclose(followed, solution.values[index], rtol=1e-3)
