"""What a strategy looks at, and how ties are broken."""

from __future__ import annotations

import dataclasses

import hypothesis.strategies as some
import numpy as np
from hypothesis import given, settings
from worlds import hypotheses_of

from gbs_irl_ros.core.queries.situation import SAME_UTILITY, choose_best, choose_state
from gbs_irl_ros.core.questions import Question, QuestionKind

MODEST = settings(deadline=None, derandomize=True, max_examples=25)


@MODEST
@given(some.integers(0, 10**6), some.integers(1, 6), some.sampled_from([None, 2]))
def test_masses_and_predictions_agree_with_their_definition(
        situation_of, problem, delta, seed, num_actions, levels):
    hypotheses = problem(seed, num_actions=num_actions, levels=levels)
    situation = situation_of(hypotheses, np.random.default_rng(seed).dirichlet(np.ones(7)))
    expected, by_state = delta(situation), hypotheses.sets.class_of_state
    np.testing.assert_allclose(situation.optimal_mass[by_state], expected, atol=1e-12)
    signed = 2.0 * expected - 1.0       # sum_h p(h) h(x, a)
    np.testing.assert_allclose(
        situation.weighted_predictions[by_state], signed.max(axis=1), atol=1e-12)
    assert (np.abs(situation.weighted_predictions) <= 1.0).all()


def test_policies_have_the_mass_of_all_their_rewards(situation_of):
    hypotheses = hypotheses_of([[{0}, {1}, {0}]], 2)
    hypotheses = dataclasses.replace(
        hypotheses, sets=hypotheses_of([[{0}, {1}]], 2).sets, policy_of_reward=np.array([0, 1, 0]))
    situation = situation_of(hypotheses, [0.2, 0.5, 0.3])
    np.testing.assert_allclose(situation.policy_probabilities, [0.5, 0.5])


def test_moving_the_robot_changes_nothing_else(situation_of, problem):
    situation = situation_of(problem(3), closed=[Question(QuestionKind.ACTION, 1)])
    before = situation.weighted_predictions
    moved = situation.at(4)
    assert (moved.current_state, situation.current_state) == (4, None)
    assert moved.closed == situation.closed
    assert moved.posterior is situation.posterior
    np.testing.assert_array_equal(moved.weighted_predictions, before)
    np.testing.assert_array_equal(
        situation_of(problem(3)).at(4).weighted_predictions, before)


def test_closed_questions_are_closed_for_their_kind_and_action_alone(situation_of, problem):
    closed = [Question(QuestionKind.ACTION, 1), Question(QuestionKind.YES_NO, 2, 0),
              Question(QuestionKind.REWARD, 3), Question(QuestionKind.REWARD, 4, 2)]
    situation = situation_of(problem(0), closed=closed)
    yes_no = situation.open(QuestionKind.YES_NO, with_actions=True)
    reward = situation.open(QuestionKind.REWARD, with_actions=True)
    assert np.flatnonzero(~situation.open(QuestionKind.ACTION)).tolist() == [1]
    assert np.argwhere(~yes_no).tolist() == [[2, 0]]
    assert np.flatnonzero(~situation.open(QuestionKind.REWARD)).tolist() == [3]
    assert np.argwhere(~reward).tolist() == [[4, 2]]
    assert situation.open(QuestionKind.DEMONSTRATION).all()


def test_the_best_is_chosen(rng):
    assert choose_best(np.array([[0.0, 3.0], [2.0, -np.inf]]), rng) == 1


def test_ties_are_broken_at_random_and_evenly(rng):
    utilities = np.array([1.0, 0.0, 1.0 - SAME_UTILITY / 2, 1.0, 1.0 - 1e-9])
    counts = np.bincount([choose_best(utilities, rng) for _ in range(3000)], minlength=5)
    np.testing.assert_allclose(counts / 3000, [1 / 3, 0, 1 / 3, 1 / 3, 0], atol=0.05)


def test_where_nothing_may_be_asked_nothing_is_chosen(rng):
    assert choose_best(np.full(3, -np.inf), rng) is None
    assert choose_best(np.array([]), rng) is None


def test_states_of_the_best_class_are_equally_likely(situation_of, rng):
    same, other = [{0}, {1}], [{0}, {0}]
    situation = situation_of(hypotheses_of([same, other, same, same], 2))
    states = [choose_state(situation, np.array([1.0, 0.5]), rng).question.state
              for _ in range(3000)]
    np.testing.assert_allclose(
        np.bincount(states, minlength=4) / 3000, [1 / 3, 0, 1 / 3, 1 / 3], atol=0.05)


def test_a_class_with_an_open_state_left_is_still_asked_about(situation_of, rng):
    same, other = [{0}, {1}], [{0}, {0}]
    closed = [Question(QuestionKind.ACTION, state) for state in (0, 2)]
    situation = situation_of(hypotheses_of([same, other, same, same], 2), closed=closed)
    choices = [choose_state(situation, np.array([1.0, 0.5]), rng) for _ in range(20)]
    assert {choice.question for choice in choices} == {Question(QuestionKind.ACTION, 3)}
    choice = choices[0]
    np.testing.assert_array_equal(choice.utilities, [-np.inf, 0.5, -np.inf, 1.0])


def test_a_class_without_an_open_state_gives_way_to_the_next(situation_of, rng):
    closed = [Question(QuestionKind.ACTION, 0)]
    situation = situation_of(hypotheses_of([[{0}, {1}], [{0}, {0}]], 2), closed=closed)
    assert choose_state(situation, np.array([1.0, 0.5]), rng).question.state == 1
