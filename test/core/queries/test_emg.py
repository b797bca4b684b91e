"""Expected myopic gain."""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from worlds import corridor, hypotheses_of

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.queries.emg import EmgQuery, EmgShortlistQuery
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards

MODEST = settings(deadline=None, derandomize=True, max_examples=15)


def plan_value(mdp, reward, start):
    """V*(s_c) by value iteration."""
    moves = mdp.transitions.toarray().reshape(mdp.num_states, mdp.num_actions, mdp.num_states)
    reward = reward if reward.ndim == 2 else reward[:, np.newaxis]
    values = np.zeros(mdp.num_states)
    for _ in range(300):
        values = (reward + mdp.discount * moves @ values).max(axis=1)
    return values @ start


def slow_gain(situation, policies, state):
    """EMG(x): one loop over answers, one over hypotheses."""
    hypotheses, noise = situation.hypotheses, situation.noise
    mdp, weights = hypotheses.mdp, situation.posterior.probabilities
    shape = (mdp.num_states, mdp.num_actions) if hypotheses.rewards.per_action else mdp.num_states
    rewards = [row.reshape(shape) for row in hypotheses.rewards.dense()]
    start = situation.start if situation.current_state is None \
        else np.eye(mdp.num_states)[situation.current_state]
    gamma, after = noise.rate(state), 0.0
    for action in range(mdp.num_actions):
        chance, mixed = 0.0, np.zeros(shape)
        for p, policy, reward in zip(weights, policies, rewards, strict=True):
            size = len(policy[state])
            if size == mdp.num_actions:
                likelihood = 1.0 / size
            elif action in policy[state]:
                likelihood = gamma / size
            else:
                likelihood = (1.0 - gamma) / (mdp.num_actions - size)
            chance += p * likelihood
            mixed += p * likelihood * reward
        if chance > 0.0:
            after += chance * plan_value(mdp, mixed / chance, start)
    now = sum(p * reward for p, reward in zip(weights, rewards, strict=True))
    return after - plan_value(mdp, now, start)


@pytest.mark.slow
@for_each('seed', range(4))
@for_each('per_action', [False, True])
@for_each('current_state', [None, 2])
@for_each('likelihood', ['exact', 'aggregated'])
def test_gains_agree_with_a_double_loop(
        situation_of, problem, greedy, seed, per_action, current_state, likelihood):
    hypotheses = problem(seed, num_states=4, count=5, per_action=per_action, levels=3)
    draw = np.random.default_rng(seed)
    situation = situation_of(
        hypotheses, draw.dirichlet(np.ones(5)),
        NoiseModel(draw.uniform(0.6, 1.0, 4), likelihood=likelihood),
        draw.dirichlet(np.ones(4)), current_state)
    choice = EmgQuery().choose(situation, draw)
    policies = greedy(hypotheses)
    expected = [slow_gain(situation, policies, state) for state in range(4)]
    np.testing.assert_allclose(choice.utilities, expected, atol=1e-8)
    assert expected[choice.question.state] >= max(expected) - 1e-8


@MODEST
@given(some.integers(0, 10**6), some.sampled_from(['exact', 'aggregated']))
def test_gains_are_never_negative(situation_of, problem, seed, likelihood):
    noise = NoiseModel(np.random.default_rng(seed).uniform(0.55, 1.0, 6), likelihood=likelihood)
    situation = situation_of(problem(seed, levels=3), noise=noise)
    assert EmgQuery().choose(situation, np.random.default_rng(0)).utilities.min() > -1e-9


def test_the_gain_of_a_fork_by_hand(situation_of, rng):
    """
    Two goals at the ends of a corridor of three, the robot in the middle, gamma_hat = 1.

    The mean reward is 1/2 at both ends: worth 0.9 / 2 / 0.1 = 4.5 from the middle. Knowing the
    goal doubles it, and any state tells it but those that agree: none does.
    """
    rewards = Rewards.goals(corridor(3), [0, 2])
    hypotheses = Hypotheses.from_rewards(corridor(3), rewards)
    situation = situation_of(hypotheses, noise=NoiseModel(1.0), current_state=1)
    np.testing.assert_allclose(
        EmgQuery().choose(situation, rng).utilities, [4.5, 4.5, 4.5], rtol=1e-9)


def test_nothing_is_gained_where_all_agree(situation_of, rng):
    sets = [[{0}, {1}], [{1}, {1}]]
    choice = EmgQuery().choose(situation_of(hypotheses_of(sets, 2)), rng)
    assert choice.utilities[1] == pytest.approx(0.0, abs=1e-9)
    assert choice.utilities[0] > 0.01
    assert choice.question.state == 0


@for_each('size', [1, 2, 3])
def test_a_shortlist_holds_the_most_divided_states(situation_of, problem, delta, size):
    weights = np.random.default_rng(4).dirichlet(np.ones(40))
    situation = situation_of(problem(4, count=40), weights)
    doubt = (2.0 * delta(situation) - 1.0).max(axis=1)
    assert len(np.unique(doubt.round(9))) == 6      # no ties: every state is a class
    choice = EmgShortlistQuery(size).choose(situation, np.random.default_rng(0))
    listed = np.flatnonzero(np.isfinite(choice.utilities))
    assert sorted(listed) == sorted(np.argsort(doubt)[:size])
    every = EmgQuery().choose(situation, np.random.default_rng(0)).utilities
    np.testing.assert_allclose(choice.utilities[listed], every[listed], atol=1e-9)
    assert choice.question.state == listed[np.argmax(every[listed])]


def test_a_shortlist_of_all_states_is_emg_itself(situation_of, problem):
    for seed in range(5):
        situation = situation_of(problem(seed, levels=3))
        one = EmgQuery().choose(situation, np.random.default_rng(seed))
        other = EmgShortlistQuery(100).choose(situation, np.random.default_rng(seed))
        assert one.question == other.question
        np.testing.assert_allclose(one.utilities, other.utilities, rtol=1e-12)


def test_a_shortlist_passes_over_closed_questions(situation_of, problem):
    first = EmgShortlistQuery(1).choose(situation_of(problem(4)), np.random.default_rng(0))
    members = np.flatnonzero(np.isfinite(first.utilities)).tolist()
    closed = [Question(QuestionKind.ACTION, state) for state in members]
    second = EmgShortlistQuery(1).choose(
        situation_of(problem(4), closed=closed), np.random.default_rng(0))
    assert second.question.state not in members


def test_a_shortlist_is_not_empty():
    with pytest.raises(InvalidOptionError, match='size must be at least 1, got 0'):
        EmgShortlistQuery(0)
