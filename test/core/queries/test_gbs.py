"""GBS-IRL, version 2."""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
from hypothesis import given, settings
from worlds import hypotheses_of, random_sets, threshold_corridor

from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.questions import Question, QuestionKind

MODEST = settings(deadline=None, derandomize=True, max_examples=30)


def test_it_asks_where_the_posterior_is_divided_by_hand(situation_of, rng):
    """delta = [.6, .4], [.9, .1], [.5, .5], so that W = 0.2, 0.8, 0."""
    sets = [[{0}, {1}, {0}], [{0}, {0}, {1}], [{0}, {1}, {1}]]
    choice = GbsQuery().choose(situation_of(hypotheses_of(sets, 2), [0.5, 0.4, 0.1]), rng)
    assert choice.question == Question(QuestionKind.ACTION, 2)
    np.testing.assert_allclose(choice.utilities, [-0.2, -0.8, 0.0], atol=1e-12)


def test_several_optimal_actions_make_a_state_less_divided(situation_of, rng):
    """Action 1 is optimal under both in state 0, where votes alone look split."""
    sets = [[{0, 1}, {1, 2}], [{0}, {1}]]
    choice = GbsQuery().choose(situation_of(hypotheses_of(sets, 3)), rng)
    assert choice.question.state == 1
    np.testing.assert_allclose(choice.utilities, [-1.0, 0.0], atol=1e-12)


def test_it_halves_a_corridor(situation_of, rng):
    choice = GbsQuery().choose(situation_of(threshold_corridor(10)), rng)
    assert choice.question.state in (4, 5)


@MODEST
@given(some.integers(0, 10**6), some.integers(2, 5), some.booleans())
def test_it_minimises_the_weighted_prediction(situation_of, delta, seed, num_actions, single):
    rng = np.random.default_rng(seed)
    hypotheses = hypotheses_of(random_sets(rng, 6, 5, num_actions, single), num_actions)
    situation = situation_of(hypotheses, rng.dirichlet(np.ones(5)))
    choice = GbsQuery().choose(situation, rng)
    predictions = (2.0 * delta(situation) - 1.0).max(axis=1)
    np.testing.assert_allclose(choice.utilities, -predictions, atol=1e-12)
    assert predictions[choice.question.state] <= predictions.min() + 1e-9
