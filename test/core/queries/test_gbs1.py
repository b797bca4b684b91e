"""GBS-IRL, version 1, in its two readings."""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings
from worlds import hypotheses_of, random_sets, threshold_corridor, vote_cube

from gbs_irl_ros.core.queries.gbs1 import Gbs1CoherenceQuery, Gbs1Query
from gbs_irl_ros.core.questions import Question, QuestionKind

MODEST = settings(deadline=None, derandomize=True, max_examples=30)
BOTH = pytest.mark.parametrize('strategy', [Gbs1Query(), Gbs1CoherenceQuery()],
                               ids=lambda strategy: strategy.name)


def disagreeing_pairs(situation, delta, threshold):
    """Algorithm 1, line 6, class by class and hypothesis by hypothesis."""
    hypotheses, sets = situation.hypotheses, situation.hypotheses.sets
    mass = delta(situation)[[sets.members(cls)[0] for cls in range(sets.num_classes)]]
    found = set()
    for i in range(sets.num_classes):
        for j in range(i + 1, sets.num_classes):
            differ = sum(sets.bits[i, d] != sets.bits[j, d]
                         for d in range(hypotheses.num_policies))
            best = [{a for a in range(sets.num_actions) if mass[c, a] >= mass[c].max() - 1e-12}
                    for c in (i, j)]
            sure = all(2.0 * mass[c].max() - 1.0 > threshold + 1e-12 for c in (i, j))
            if differ <= 1 and sure and not best[0] & best[1]:
                found.add((i, j))
    return found


def asked_states(strategy, situation, count=2000):
    return np.bincount([
        strategy.choose(situation, np.random.default_rng(seed)).question.state
        for seed in range(count)], minlength=situation.hypotheses.mdp.num_states) / count


@pytest.mark.slow
def test_both_sides_of_a_disagreeing_pair_are_asked_about_equally_often(situation_of):
    """States 2 and 3 are sure of RIGHT and of LEFT, and one hypothesis tells them apart."""
    weights = np.array([0.01, 0.01, 0.94, 0.02, 0.02])
    situation = situation_of(threshold_corridor(6), weights)
    predictions = situation.weighted_predictions
    assert predictions.min() == pytest.approx(0.92)      # at state 3: delta = .96, .04
    shares = asked_states(Gbs1CoherenceQuery(), situation)
    np.testing.assert_allclose(shares, [0, 0, 0.5, 0.5, 0, 0], atol=0.04)


def test_the_literal_rule_leaves_out_a_pair_that_holds_the_minimum(situation_of):
    """State 3 above has the smallest W, so as printed the pair does not count."""
    situation = situation_of(threshold_corridor(6), [0.01, 0.01, 0.94, 0.02, 0.02])
    np.testing.assert_array_equal(asked_states(Gbs1Query(), situation, 50), [0, 0, 0, 1, 0, 0])


@pytest.mark.slow
def test_the_literal_rule_asks_on_both_sides_of_a_pair_above_the_minimum(situation_of):
    """Policy 0 alone tells states 0 and 1 apart; W = 0.6 in both, and 0.2 in state 2."""
    sets = [[{0}, {0}, {1}], [{1}, {0}, {1}], [{0}, {1}, {1}]]
    situation = situation_of(hypotheses_of(sets, 2), [0.6, 0.2, 0.2])
    np.testing.assert_allclose(situation.weighted_predictions, [0.6, 0.6, 0.2])
    np.testing.assert_allclose(asked_states(Gbs1Query(), situation), [0.5, 0.5, 0], atol=0.04)


@BOTH
@pytest.mark.parametrize('length', [4, 7, 12])
def test_without_a_pair_it_asks_like_version_two(strategy, length, situation_of, delta):
    situation = situation_of(hypotheses_of(
        random_sets(np.random.default_rng(length), length, 9, 3), 3))
    assert not disagreeing_pairs(situation, delta, -1.0)
    choice = strategy.choose(situation, np.random.default_rng(0))
    predictions = (2.0 * delta(situation) - 1.0).max(axis=1)
    assert predictions[choice.question.state] <= predictions.min() + 1e-9
    np.testing.assert_allclose(choice.utilities, -predictions, atol=1e-12)


@pytest.mark.slow
@MODEST
@given(some.integers(0, 10**6), some.sampled_from(['corridor', 'cube']))
def test_it_asks_in_a_disagreeing_pair_whenever_there_is_one(situation_of, delta, seed, kind):
    rng = np.random.default_rng(seed)
    hypotheses = threshold_corridor(7) if kind == 'corridor' else vote_cube(4, (1, 2, 3))
    weights = rng.dirichlet(np.full(hypotheses.num_rewards, 0.5)) + 1e-6
    situation = situation_of(hypotheses, weights)
    predictions = (2.0 * delta(situation) - 1.0).max(axis=1)
    for strategy, threshold in ((Gbs1Query(), predictions.min()),
                                (Gbs1CoherenceQuery(), hypotheses.coherence.upper)):
        choice = strategy.choose(situation, rng)
        pairs = disagreeing_pairs(situation, delta, threshold)
        chosen = hypotheses.sets.class_of_state[choice.question.state]
        if pairs:
            inside = np.isin(hypotheses.sets.class_of_state, list({c for p in pairs for c in p}))
            assert chosen in {c for pair in pairs for c in pair}
            np.testing.assert_allclose(
                choice.utilities, np.where(inside, 1.0, -predictions), atol=1e-12)
        else:
            assert predictions[choice.question.state] <= predictions.min() + 1e-9


@pytest.mark.slow
def test_of_several_pairs_each_is_taken_equally_often(situation_of, delta):
    situation = situation_of(vote_cube(3, (1, 2)))
    pairs = disagreeing_pairs(situation, delta, situation.hypotheses.coherence.upper)
    count = np.zeros(situation.hypotheses.mdp.num_states)
    for pair in pairs:
        count[list(pair)] += 0.5
    assert len(pairs) > 1
    np.testing.assert_allclose(
        asked_states(Gbs1CoherenceQuery(), situation), count / len(pairs), atol=0.05)


def test_thresholds_are_the_minimum_and_the_coherence(situation_of):
    situation = situation_of(vote_cube(4, (1, 2)))
    assert Gbs1Query().threshold(situation) == situation.weighted_predictions.min()
    assert Gbs1CoherenceQuery().threshold(situation) == pytest.approx(0.0, abs=1e-9)


def test_a_closed_side_of_the_only_pair_leaves_the_other_side(situation_of):
    situation = situation_of(threshold_corridor(6), [0.01, 0.01, 0.94, 0.02, 0.02],
                             closed=[Question(QuestionKind.ACTION, 3)])
    shares = asked_states(Gbs1CoherenceQuery(), situation, 100)
    assert shares[2] == 1.0


def test_closed_questions_have_no_utility(situation_of, rng):
    situation = situation_of(threshold_corridor(6), [0.01, 0.01, 0.94, 0.02, 0.02],
                             closed=[Question(QuestionKind.ACTION, 0)])
    choice = Gbs1CoherenceQuery().choose(situation, rng)
    assert choice.utilities[0] == -np.inf
