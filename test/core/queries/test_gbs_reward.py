"""Reward questions."""

from __future__ import annotations

from itertools import pairwise
from math import erf, log, sqrt

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from worlds import corridor, hypotheses_of

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.queries import gbs_reward
from gbs_irl_ros.core.queries.gbs_reward import GbsRewardQuery
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards

EXACT = NoiseModel(sigma_hat=1e-12)


def entropy(table):
    return -sum(p * log(p) for p in np.ravel(table) if p > 0.0)


def doubtful_states(situation, delta):
    predictions = (2.0 * delta(situation) - 1.0).max(axis=1)
    return np.flatnonzero(predictions <= predictions.min() + 1e-12)


def slow_information(situation, policies, state, column, values):
    """I(A; U) with one loop for every sum; answers are read to the nearest of the values."""
    sigma, num_actions = situation.noise.sigma_hat, situation.hypotheses.mdp.num_actions
    edges = [-np.inf, *[(a + b) / 2 for a, b in pairwise(values)], np.inf]
    joint = np.zeros((num_actions, len(values)))
    rewards = situation.hypotheses.rewards.dense()[:, column]
    for p, policy, reward in zip(situation.posterior.probabilities, policies, rewards,
                                 strict=True):
        for action in policy[state]:
            for k in range(len(values)):
                chance = [0.5 * (1 + erf((edge - reward) / sqrt(sigma)))
                          for edge in (edges[k], edges[k + 1])]
                joint[action, k] += p / len(policy[state]) * (chance[1] - chance[0])
    return entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint)


def check(situation, greedy, delta, seed):
    choice = GbsRewardQuery().choose(situation, np.random.default_rng(seed))
    policies, rewards = greedy(situation.hypotheses), situation.hypotheses.rewards
    values = np.unique(rewards.dense())
    candidates = [
        [slow_information(situation, policies, state, column, values)
         for column in range(rewards.num_columns)]
        for state in doubtful_states(situation, delta)]
    assert any(np.allclose(choice.utilities.ravel(), expected, atol=1e-9)
               for expected in candidates)
    chosen = choice.utilities[choice.question.state] if choice.question.action is None \
        else choice.utilities[choice.question.state, choice.question.action]
    assert chosen == pytest.approx(choice.utilities.max(), abs=1e-9)
    return choice


@for_each('seed', range(6))
@for_each('per_action', [False, True])
@for_each('sigma', [1e-6, 0.05, 1.0])
def test_it_maximises_the_mutual_information(
        situation_of, problem, greedy, delta, seed, per_action, sigma):
    hypotheses = problem(seed, num_states=4, per_action=per_action, levels=4)
    weights = np.random.default_rng(seed).dirichlet(np.ones(7))
    noise = NoiseModel(sigma_hat=sigma)
    choice = check(situation_of(hypotheses, weights, noise), greedy, delta, seed)
    assert choice.question.kind is QuestionKind.REWARD
    assert (choice.question.action is not None) == per_action


def test_rewards_made_of_features_are_looked_at_column_by_column(
        situation_of, greedy, delta):
    features = np.array([[1, 0, 0, 1.0], [0, 1, 1, 0]])
    weights = np.array([[4, 1], [1, 4], [2, 3], [3, 1], [0, 2], [2, 0]])
    rewards = Rewards(sparse.csr_matrix(weights), 4, 2, features=sparse.csr_matrix(features))
    check(situation_of(Hypotheses.from_rewards(corridor(4), rewards), noise=EXACT),
          greedy, delta, 0)


def test_a_reward_that_tells_all_is_worth_the_entropy_of_the_action(situation_of, rng):
    dense = np.array([[0, 0, 0, 0, 1.0], [0, 0, 0, 0, 2.0], [1, 0, 0, 0, 0], [2, 0, 0, 0, 0]])
    hypotheses = Hypotheses.from_rewards(corridor(5), Rewards.from_dense(dense, 2))
    choice = GbsRewardQuery().choose(situation_of(hypotheses, noise=EXACT), rng)
    np.testing.assert_allclose(
        choice.utilities, [np.log(2), 0, 0, 0, np.log(2)], atol=1e-9)
    assert choice.question.state in (0, 4)


def test_the_worth_of_an_answer_falls_to_nothing_with_its_noise(situation_of, problem):
    best = [GbsRewardQuery().choose(
        situation_of(problem(1, levels=4), noise=NoiseModel(sigma_hat=sigma)),
        np.random.default_rng(0)).utilities.max() for sigma in (1e-9, 0.1, 1.0, 1e9)]
    assert best[0] > best[1] > best[2] > best[3]
    assert best[3] == pytest.approx(0.0, abs=1e-6)


def test_information_is_never_negative_nor_more_than_the_action_has(situation_of, problem):
    for seed in range(20):
        situation = situation_of(problem(seed), noise=NoiseModel(sigma_hat=0.01))
        utilities = GbsRewardQuery().choose(situation, np.random.default_rng(seed)).utilities
        assert utilities.min() > -1e-12
        assert utilities.max() <= np.log(3) + 1e-12


def test_many_different_rewards_are_read_to_a_fixed_number_of_values(
        situation_of, greedy, delta, problem):
    hypotheses = problem(5, num_states=4, count=12)      # 48 different rewards
    weights = np.random.default_rng(5).dirichlet(np.ones(12))
    situation = situation_of(hypotheses, weights, noise=EXACT)
    dense = hypotheses.rewards.dense()
    grid = np.linspace(dense.min(), dense.max(), gbs_reward.CELLS)
    nearest = np.abs(dense[:, :, np.newaxis] - grid).argmin(axis=2)
    choice = GbsRewardQuery().choose(situation, np.random.default_rng(0))
    [state] = doubtful_states(situation, delta)
    policies = greedy(hypotheses)
    for column in range(4):
        joint = np.zeros((3, len(grid)))
        for h, policy in enumerate(policies):
            for action in policy[state]:
                joint[action, nearest[h, column]] += weights[h] / len(policy[state])
        expected = entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint)
        assert choice.utilities[column] == pytest.approx(expected, abs=1e-9)


def test_small_blocks_give_the_same_utilities(situation_of, problem, monkeypatch):
    situation = situation_of(problem(2, levels=4))
    whole = GbsRewardQuery().choose(situation, np.random.default_rng(0))
    monkeypatch.setattr(gbs_reward, 'BLOCK_ENTRIES', 7)
    parts = GbsRewardQuery().choose(situation, np.random.default_rng(0))
    np.testing.assert_allclose(parts.utilities, whole.utilities, atol=1e-14)


def test_rewards_are_asked_for_though_nobody_knows_the_actions(situation_of, problem, rng):
    closed = [Question(QuestionKind.ACTION, state) for state in range(6)]
    choice = GbsRewardQuery().choose(situation_of(problem(0), closed=closed), rng)
    assert choice is not None


def test_hypotheses_that_are_ruled_out_count_for_nothing(situation_of, rng):
    hypotheses = hypotheses_of([[{0}, {1}, {0}], [{1}, {1}, {0}]], 2)
    with np.errstate(divide='ignore'):
        situation = situation_of(hypotheses, [0.5, 0.5, 0.0], noise=EXACT)
    choice = GbsRewardQuery().choose(situation, rng)
    np.testing.assert_allclose(
        choice.utilities, [[np.log(2), np.log(2)], [0, 0]], atol=1e-9)
