"""Active sampling."""

from __future__ import annotations

from math import log

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings
from worlds import hypotheses_of, random_sets

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.active_sampling import ActiveSamplingQuery

MODEST = settings(deadline=None, derandomize=True, max_examples=30)


def slow_utility(weights, policies, state, num_actions, bins):
    total = 0.0
    for action in range(num_actions):
        share = [0.0] * bins
        for p, policy in zip(weights, policies, strict=True):
            chosen = policy[state]
            chance = 1.0 / len(chosen) if action in chosen else 0.0
            share[min(int(chance * bins), bins - 1)] += p
        total -= sum(mu * log(mu) for mu in share if mu > 0.0)
    return total / num_actions


def test_the_mean_entropy_of_single_actions_by_hand(situation_of, rng):
    """State 0: actions 0 and 1 are 0 or 1 evenly, 2 never; state 1: 0 is 1 or 1/2, 1 is 0, 1/2."""
    situation = situation_of(hypotheses_of([[{0}, {1}], [{0}, {0, 1}], [{0}, {0}]], 3))
    choice = ActiveSamplingQuery().choose(situation, rng)
    np.testing.assert_allclose(
        choice.utilities, [2 * log(2) / 3, 2 * log(2) / 3, 0.0], atol=1e-12)
    assert choice.question.state in (0, 1)


def test_wide_bins_do_not_tell_a_sure_action_from_a_shared_one(situation_of, rng):
    situation = situation_of(hypotheses_of([[{0}, {0, 1}], [{0}, {0}]], 3))
    narrow = ActiveSamplingQuery(10).choose(situation, rng).utilities
    wide = ActiveSamplingQuery(2).choose(situation, rng).utilities
    np.testing.assert_allclose(narrow, [2 * log(2) / 3, 0.0], atol=1e-12)
    np.testing.assert_allclose(wide, [log(2) / 3, 0.0], atol=1e-12)


@pytest.mark.slow
@MODEST
@given(some.integers(0, 10**6), some.integers(2, 6), some.booleans(), some.integers(2, 12))
def test_it_maximises_the_mean_entropy(situation_of, greedy, seed, num_actions, single, bins):
    rng = np.random.default_rng(seed)
    hypotheses = hypotheses_of(random_sets(rng, 5, 6, num_actions, single), num_actions)
    situation = situation_of(hypotheses, rng.dirichlet(np.ones(6)))
    policies = greedy(hypotheses)
    expected = [slow_utility(situation.posterior.probabilities, policies, state, num_actions, bins)
                for state in range(5)]
    choice = ActiveSamplingQuery(bins).choose(situation, rng)
    np.testing.assert_allclose(choice.utilities, expected, atol=1e-12)
    assert expected[choice.question.state] >= max(expected) - 1e-9


def test_there_are_at_least_two_bins():
    with pytest.raises(InvalidOptionError, match='bins must be at least 2, got 1'):
        ActiveSamplingQuery(1)
