"""Confidence-based autonomy."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from worlds import hypotheses_of

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.confidence import ConfidenceQuery
from gbs_irl_ros.core.questions import Question, QuestionKind

# with probabilities .6 and .4 the confidence is .6, 1, .6
HYPOTHESES = hypotheses_of([[{0}, {1}], [{0}, {0, 1}], [{1}, {0}]], 2)
DIVIDED = [0.6, 0.4]


@pytest.mark.parametrize('state', [0, 2])
def test_it_asks_where_the_robot_is_when_in_doubt(situation_of, rng, state):
    choice = ConfidenceQuery().choose(
        situation_of(HYPOTHESES, DIVIDED, current_state=state), rng)
    assert choice.question == Question(QuestionKind.ACTION, state)
    np.testing.assert_allclose(choice.utilities, [-0.6, -1.0, -0.6], atol=1e-12)


def test_it_does_not_ask_where_it_is_confident(situation_of, rng):
    situation = situation_of(HYPOTHESES, DIVIDED, current_state=1)
    assert ConfidenceQuery().choose(situation, rng) is None


def test_the_threshold_decides_what_confidence_is(situation_of, rng):
    situation = situation_of(HYPOTHESES, DIVIDED, current_state=0)
    assert ConfidenceQuery(0.59).choose(situation, rng) is None
    assert ConfidenceQuery(0.61).choose(situation, rng) is not None


def test_at_the_threshold_it_is_confident(situation_of, rng):
    situation = situation_of(HYPOTHESES, [0.5, 0.5], current_state=0)
    assert ConfidenceQuery(0.5).choose(situation, rng) is None


def test_a_robot_that_is_nowhere_starts_where_it_may(situation_of):
    situation = situation_of(HYPOTHESES, DIVIDED, start=[0.25, 0.0, 0.75])
    states = [ConfidenceQuery().choose(situation, np.random.default_rng(seed)).question.state
              for seed in range(1500)]
    np.testing.assert_allclose(
        np.bincount(states, minlength=3) / 1500, [0.25, 0, 0.75], atol=0.05)


def test_it_does_not_ask_what_is_closed(situation_of, rng):
    closed = [Question(QuestionKind.ACTION, 0)]
    here = situation_of(HYPOTHESES, DIVIDED, current_state=0, closed=closed)
    there = situation_of(HYPOTHESES, DIVIDED, current_state=2, closed=closed)
    assert ConfidenceQuery().choose(here, rng) is None
    choice = ConfidenceQuery().choose(there, rng)
    np.testing.assert_allclose(choice.utilities, [-np.inf, -1.0, -0.6], atol=1e-12)


@for_each('value', [0.0, -1.0, 1.1, np.nan])
def test_the_threshold_is_a_probability_above_zero(value):
    text = rf'threshold must be in \(0, 1\], got {value}'
    with pytest.raises(InvalidOptionError, match=text):
        ConfidenceQuery(value)
