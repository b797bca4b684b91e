"""Where trials take place: what is drawn there, and that the right reward hides well."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from scipy import stats

from gbs_irl_ros.core.hypotheses import sparsity_prior
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.experiments import domains
from gbs_irl_ros.experiments.domains import (
    Driver,
    DriverFeatures,
    GoalGrid,
    RandomMdps,
    ShippedTask,
    similar_rewards,
)
from gbs_irl_ros.tasks import load_task, load_truth

UNLIKELY = 1e-3     # chances below this are taken for a fault; seeds are fixed
NORTH, EAST = 0, 1


def drawn(domain, seed=0):
    return domain.draw(domain.mdp(0), np.random.default_rng(seed))


def as_pairs(rewards):
    """Return the rewards as ``[H, S, A]``."""
    return rewards.dense().reshape(rewards.num_rewards, rewards.num_states, rewards.num_actions)


def true_row(draw):
    return draw.rewards.dense(np.array([draw.truth]))[0]


def target_of(size, states=40):
    target = np.zeros(states)
    target[3:3 + size] = np.linspace(-2.0, 5.0, size) if size > 1 else 5.0
    return target


# ---- rewards like a given one -------------------------------------------------------------------

@for_each(('size', 'fewest', 'most'),
          [(1, 1, 1), (2, 1, 3), (3, 2, 4), (10, 5, 15)])
def test_similar_rewards_have_half_to_one_and_a_half_times_the_entries(rng, size, fewest, most):
    target = target_of(size)
    assert np.count_nonzero(target) == size
    matrix, truth = similar_rewards(target, 400, rng)
    assert matrix.shape == (400, 40)
    np.testing.assert_array_equal(matrix[truth].toarray()[0], target)
    sizes = np.delete(np.diff(matrix.indptr), truth)
    assert set(sizes) == set(range(fewest, most + 1))


def test_similar_rewards_have_values_in_the_range_of_the_target(rng):
    matrix, truth = similar_rewards(np.array([0.0, -3.0, 0.0, -1.0, 0.0, 0.0]), 500, rng)
    others = matrix[[row for row in range(500) if row != truth]].data
    assert -3.0 <= others.min() < -2.95
    assert -1.05 < others.max() <= -1.0
    assert stats.kstest(others, stats.uniform(-3.0, 2.0).cdf).pvalue > UNLIKELY


def test_where_all_entries_are_equal_those_of_similar_rewards_are_too(rng):
    matrix, _ = similar_rewards(np.array([0.0, 7.0, 7.0, 0.0, 0.0]), 50, rng)
    assert set(matrix.data) == {7.0}


def test_similar_rewards_are_anywhere(rng):
    matrix, truth = similar_rewards(target_of(6, 20), 2000, rng)
    counts = np.bincount(np.delete(matrix.toarray(), truth, axis=0).nonzero()[1], minlength=20)
    assert stats.chisquare(counts).pvalue > UNLIKELY


@pytest.mark.slow
def test_the_place_of_the_target_is_uniform(rng):
    places = [similar_rewards(target_of(4), 5, rng)[1] for _ in range(1000)]
    counts = np.bincount(places, minlength=5)
    assert len(counts) == 5
    assert stats.chisquare(counts).pvalue > UNLIKELY


# ---- random MDPs --------------------------------------------------------------------------------

@for_each(('domain', 'most', 'low'), [
    (RandomMdps(10, 5), 5, 0.0), (RandomMdps(7, 2), 3, 0.0), (RandomMdps(50, 5, most=3), 3, 0.0),
    (RandomMdps(20, 3, low=-1.0), 10, -1.0)])
def test_rewards_of_random_mdps_are_sparse_and_in_range(domain, most, low):
    draw = drawn(domain)
    sizes = draw.rewards.num_nonzero()
    assert draw.rewards.num_rewards == 500
    assert not draw.rewards.per_action
    assert stats.chisquare(np.bincount(sizes, minlength=most + 1)[1:]).pvalue > UNLIKELY
    assert set(sizes) == set(range(1, most + 1))
    values = draw.rewards.weights.data
    assert values.min() >= low
    assert values.max() <= 1.0
    assert stats.kstest(values, stats.uniform(low, 1.0 - low).cdf).pvalue > UNLIKELY
    np.testing.assert_allclose(draw.prior, 1.0 - sizes / domain.states)


def test_any_of_the_random_rewards_is_the_right_one(rng):
    domain = RandomMdps(4, 2, count=5)
    mdp = domain.mdp(0)
    truths = [domain.draw(mdp, rng).truth for _ in range(800)]
    assert stats.chisquare(np.bincount(truths, minlength=5)).pvalue > UNLIKELY


def test_random_mdps_have_three_successors_and_depend_on_the_seed_alone():
    domain = RandomMdps(12, 4)
    mdp = domain.mdp(5)
    assert (mdp.num_states, mdp.num_actions, mdp.discount) == (12, 4, 0.95)
    assert set(np.diff(mdp.transitions.indptr)) == {3}
    domains._random_mdp.cache_clear()
    again = domain.mdp(5)
    assert again is not mdp
    np.testing.assert_array_equal(again.transitions.toarray(), mdp.transitions.toarray())
    assert (domain.mdp(6).transitions != mdp.transitions).nnz > 0


# ---- tasks that come with the package -----------------------------------------------------------

def test_all_rewards_of_the_trap_world_are_one_at_one_place():
    draw = drawn(ShippedTask('trap_world'))
    assert set(draw.rewards.num_nonzero()) == {1}
    assert set(draw.rewards.weights.data) == {1.0}
    assert len(set(draw.rewards.weights.indices)) > 300
    np.testing.assert_allclose(draw.prior, 899 / 900)


@pytest.mark.parametrize('name', ['trap_world', 'puddle_world'])
def test_a_shipped_task_is_among_rewards_like_its_own(name):
    domain = ShippedTask(name, count=20)
    draw, reward = drawn(domain), load_truth(name).reward
    np.testing.assert_array_equal(true_row(draw), reward)
    np.testing.assert_array_equal(domain.mdp(0).transitions.toarray(),
                                  load_task(name).world.mdp.transitions.toarray())
    assert draw.rewards.num_rewards == 20
    assert draw.rewards.dense().min() >= reward.min()
    assert draw.rewards.dense().max() <= reward.max()
    np.testing.assert_array_equal(draw.prior, sparsity_prior(draw.rewards))


# ---- the driver ---------------------------------------------------------------------------------

def lane_changes():
    """Return bool ``[S, A]``: the own lane is the first part of a state, actions name lanes."""
    return np.repeat(np.arange(5), 3375)[:, np.newaxis] != np.arange(5)


def test_changing_lanes_costs_the_same_under_every_reward_of_the_driver():
    rewards = as_pairs(drawn(Driver(5)).rewards)
    assert rewards.shape == (5, 16875, 5)
    changes = lane_changes()
    extra = rewards - rewards[:, ~changes][:, :, np.newaxis]     # one action keeps the lane
    np.testing.assert_allclose(extra[:, changes], -0.1, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(extra[:, ~changes], 0.0)


@pytest.mark.slow
@for_each('domain', [Driver(5), DriverFeatures(5)], ids=lambda domain: repr(domain))
@for_each('seed', [0, 1])
def test_the_true_reward_of_the_driver_is_its_own(domain, seed):
    draw = drawn(domain, seed)
    rewards, own = as_pairs(draw.rewards), load_truth('driver').reward
    equal = [bool(np.allclose(reward, own, rtol=0.0, atol=1e-12)) for reward in rewards]
    assert equal == [place == draw.truth for place in range(5)]


def test_rivals_of_the_driver_are_like_it_apart_from_lane_changes():
    draw = drawn(Driver(5))
    staying = as_pairs(draw.rewards)[:, ~lane_changes()]
    sizes = np.count_nonzero(staying, axis=1)
    own = sizes[draw.truth]
    assert (sizes >= own / 2).all()
    assert (sizes <= own * 1.5).all()
    assert len(set(sizes)) == 5
    assert staying.min() >= -10.0
    assert np.delete(staying, draw.truth, axis=0).max() == 0.0
    np.testing.assert_allclose(draw.prior, 1.0 - sizes / 16875)


@pytest.mark.slow
def test_the_driver_is_anywhere_among_its_rivals():
    for domain in (Driver(2), DriverFeatures(2)):
        assert {drawn(domain, seed).truth for seed in range(8)} == {0, 1}


@pytest.fixture
def few_features(monkeypatch):
    """15 rewards on lanes only, of which one is the same everywhere."""
    monkeypatch.setattr(domains, 'DRIVER_FEATURES', ('shoulder', 'lane_1', 'lane_2', 'lane_3'))
    monkeypatch.setattr(domains, 'COSTS', (0.0, -1.0))


@pytest.mark.usefixtures('few_features')
@for_each('seed', range(6))
def test_a_reward_that_is_the_same_everywhere_is_left_out_and_the_truth_still_found(seed):
    draw = drawn(DriverFeatures(15), seed)
    weights = draw.rewards.weights.toarray()
    assert weights[draw.truth].tolist() == [-1.0, 0.0, 0.0, 0.0]
    assert len({tuple(row) for row in weights}) == len(weights) == 14
    assert [-1.0] * 4 not in weights.tolist()
    assert len(draw.prior) == 14


def test_no_feature_reward_of_the_driver_is_the_same_everywhere():
    rewards = as_pairs(drawn(DriverFeatures(40)).rewards)
    assert (np.ptp(rewards, axis=(1, 2)) > 0.0).all()


# ---- the grid -----------------------------------------------------------------------------------

def goals_of(draw):
    """Return ``[H]``, the goal of each sparse reward."""
    rewards = draw.rewards.dense()
    np.testing.assert_array_equal(np.sort(rewards, axis=1)[:, :-1], 0.0)
    np.testing.assert_array_equal(rewards.max(axis=1), 1.0)
    return rewards.argmax(axis=1)


def test_every_cell_is_a_goal_once_and_the_top_right_one_is_meant():
    grid = GoalGrid()
    mdp = grid.mdp(0)
    draw = drawn(grid)
    goals = goals_of(draw)
    assert sorted(goals) == list(range(190))
    goal = goals[draw.truth]
    assert mdp.successors[goal, NORTH] == mdp.successors[goal, EAST] == goal
    assert [cell for cell in range(190)
            if mdp.successors[cell, NORTH] == mdp.successors[cell, EAST] == cell] == [goal]
    np.testing.assert_array_equal(draw.prior, np.ones(190))


def test_the_order_of_the_goals_is_drawn_anew():
    first, second = (drawn(GoalGrid(), seed) for seed in (0, 1))
    assert first.truth != second.truth
    assert goals_of(first).tolist() != goals_of(second).tolist()


def test_goals_anywhere_are_everywhere(rng):
    grid = GoalGrid(anywhere=True)
    mdp = grid.mdp(0)
    draws = [grid.draw(mdp, rng) for _ in range(400)]
    goals = [int(draw.rewards.weights[draw.truth].indices[0]) for draw in draws]
    assert stats.chisquare(np.bincount(np.array(goals) // 19, minlength=10)).pvalue > UNLIKELY
    assert stats.chisquare(np.bincount(np.array(goals) % 19, minlength=19)).pvalue > UNLIKELY


def test_shaped_rewards_have_the_policies_of_sparse_ones_in_the_same_order():
    sparse, shaped = drawn(GoalGrid()), drawn(GoalGrid(shaped=True))
    mdp = GoalGrid().mdp(0)
    assert sparse.truth == shaped.truth
    assert shaped.rewards.per_action
    assert shaped.rewards.num_nonzero().min() > 190 * 3
    np.testing.assert_array_equal(solve(mdp, shaped.rewards).greedy_bits,
                                  solve(mdp, sparse.rewards).greedy_bits)
