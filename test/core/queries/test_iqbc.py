"""Imitation query by committee."""

from __future__ import annotations

from math import log

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings
from worlds import hypotheses_of, random_sets

from gbs_irl_ros.core.queries.iqbc import IqbcQuery, IqbcRenormalisedQuery

MODEST = settings(deadline=None, derandomize=True, max_examples=30)


def vote_entropy(votes):
    return [-sum(v * log(v) for v in row if v > 0.0) for row in votes]


def test_votes_are_weighted_by_the_posterior_by_hand(situation_of, rng):
    sets = [[{0}, {1}, {2}], [{0}, {0}, {1}]]
    choice = IqbcQuery().choose(situation_of(hypotheses_of(sets, 3), [0.02, 0.02, 0.96]), rng)
    expected = [-0.04 * log(0.02) - 0.96 * log(0.96), -0.04 * log(0.04) - 0.96 * log(0.96)]
    np.testing.assert_allclose(choice.utilities, expected, atol=1e-12)
    assert choice.question.state == 0


def test_the_two_readings_differ_where_several_actions_are_optimal(situation_of, rng):
    """State 0: delta = 1, .5, .5; state 1: .5, .5, 0."""
    situation = situation_of(hypotheses_of([[{0, 1}, {0, 2}], [{0}, {1}]], 3))
    raw = IqbcQuery().choose(situation, rng)
    shares = IqbcRenormalisedQuery().choose(situation, rng)
    np.testing.assert_allclose(raw.utilities, [log(2), log(2)], atol=1e-12)
    np.testing.assert_allclose(shares.utilities, [1.5 * log(2), log(2)], atol=1e-12)
    assert shares.question.state == 0


@MODEST
@given(some.integers(0, 10**6), some.integers(2, 6), some.booleans())
def test_it_maximises_the_vote_entropy(situation_of, delta, seed, num_actions, single):
    rng = np.random.default_rng(seed)
    hypotheses = hypotheses_of(random_sets(rng, 5, 6, num_actions, single), num_actions)
    situation = situation_of(hypotheses, rng.dirichlet(np.ones(6)))
    votes = delta(situation)
    for strategy, expected in (
            (IqbcQuery(), vote_entropy(votes)),
            (IqbcRenormalisedQuery(), vote_entropy(votes / votes.sum(axis=1, keepdims=True)))):
        choice = strategy.choose(situation, rng)
        np.testing.assert_allclose(choice.utilities, expected, atol=1e-12)
        assert expected[choice.question.state] >= max(expected) - 1e-9


def test_with_one_optimal_action_the_two_readings_agree(situation_of, rng):
    situation = situation_of(hypotheses_of(random_sets(rng, 5, 6, 4), 4))
    np.testing.assert_allclose(IqbcQuery().choose(situation, rng).utilities,
                               IqbcRenormalisedQuery().choose(situation, rng).utilities,
                               atol=1e-12)


@pytest.mark.parametrize('strategy', [IqbcQuery(), IqbcRenormalisedQuery()])
def test_agreement_is_worth_nothing(strategy, situation_of, rng):
    situation = situation_of(hypotheses_of([[{0}, {0}], [{0}, {1}]], 2))
    assert strategy.choose(situation, rng).utilities[0] == pytest.approx(0.0, abs=1e-12)
