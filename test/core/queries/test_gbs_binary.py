"""Yes/no questions."""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
from hypothesis import given, settings
from worlds import hypotheses_of, random_sets

from gbs_irl_ros.core.queries.gbs_binary import GbsBinaryQuery
from gbs_irl_ros.core.questions import Question, QuestionKind

MODEST = settings(deadline=None, derandomize=True, max_examples=30)


def test_it_asks_about_the_action_the_posterior_is_split_on_by_hand(situation_of, rng):
    """|2 delta - 1| is .4, .2, .8 in state 0 and 1, .0, .0 in state 1, of which one is closed."""
    sets = [[{0}, {0, 1}, {1, 2}, {2}], [{1}, {1}, {2}, {2}]]
    situation = situation_of(hypotheses_of(sets, 3), [0.4, 0.1, 0.3, 0.2],
                             closed=[Question(QuestionKind.YES_NO, 0, 0)])
    choice = GbsBinaryQuery().choose(situation, rng)
    np.testing.assert_allclose(
        choice.utilities, [[-np.inf, -0.2, -0.0], [-1.0, -0.0, -0.0]], atol=1e-12)
    assert choice.question.kind is QuestionKind.YES_NO
    assert (choice.question.state, choice.question.action) in {(0, 2), (1, 1), (1, 2)}


def test_ties_are_broken_among_states_and_actions(situation_of):
    situation = situation_of(hypotheses_of([[{0}, {1}], [{2}, {2}], [{0}, {1}]], 3))
    asked = {(q.state, q.action) for q in (
        GbsBinaryQuery().choose(situation, np.random.default_rng(seed)).question
        for seed in range(60))}
    assert asked == {(0, 0), (0, 1), (2, 0), (2, 1)}


@MODEST
@given(some.integers(0, 10**6), some.integers(1, 5), some.booleans())
def test_it_minimises_the_absolute_sum_of_votes(situation_of, greedy, seed, num_actions, single):
    rng = np.random.default_rng(seed)
    single = single or num_actions == 1
    hypotheses = hypotheses_of(random_sets(rng, 5, 6, num_actions, single), num_actions) \
        if num_actions > 1 else hypotheses_of([[{0}]] * 5, 1)
    situation = situation_of(hypotheses, rng.dirichlet(np.ones(hypotheses.num_rewards)))
    policies, weights = greedy(hypotheses), situation.posterior.probabilities
    votes = np.array([[abs(sum(p * (1 if a in policy[s] else -1)
                               for p, policy in zip(weights, policies, strict=True)))
                       for a in range(num_actions)] for s in range(5)])
    choice = GbsBinaryQuery().choose(situation, rng)
    np.testing.assert_allclose(choice.utilities, -votes, atol=1e-12)
    assert votes[choice.question.state, choice.question.action] <= votes.min() + 1e-9
