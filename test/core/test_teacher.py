"""A simulated teacher."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from cases import for_each
from worlds import LEFT, RIGHT, corridor, random_mdp

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    DemonstrationAnswer,
    EitherAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError, InvalidNoiseError, InvalidQuestionError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.teacher import SimulatedTeacher

MANY = 4000


def at_the_end(accuracy=1.0, sigma=0.0):
    """A corridor of five states whose goal is the last: RIGHT is the one optimal action."""
    return SimulatedTeacher.for_reward(corridor(5), np.array([0, 0, 0, 0, 1.0]), accuracy, sigma)


def in_the_middle(accuracy=1.0):
    """Both ends of a corridor of three are goals, so in the middle both actions are optimal."""
    return SimulatedTeacher.for_reward(corridor(3), np.array([1.0, 0.0, 1.0]), accuracy)


def three_ways(accuracy):
    """Two of three actions earn the reward."""
    mdp = random_mdp(np.random.default_rng(0), 2, 3, successors=1)
    return SimulatedTeacher.for_reward(mdp, np.array([[1.0, 0.0, 1.0]] * 2), accuracy)


def action_counts(teacher, state, rng, count=3):
    asked = Question(QuestionKind.ACTION, state)
    return np.bincount([teacher.answer(asked, rng).action for _ in range(MANY)], minlength=count)


def test_a_teacher_without_errors_names_an_optimal_action(rng):
    for state in range(5):
        answer = at_the_end().answer(Question(QuestionKind.ACTION, state), rng)
        assert answer == ActionAnswer(state, RIGHT)


def test_a_teacher_who_always_errs_names_a_wrong_action(rng):
    answer = at_the_end(0.0).answer(Question(QuestionKind.ACTION, 2), rng)
    assert answer == ActionAnswer(2, LEFT)


def test_a_teacher_cannot_err_where_everything_is_right(rng):
    counts = action_counts(in_the_middle(0.0), 1, rng, 2)
    np.testing.assert_allclose(counts / MANY, 0.5, atol=0.05)


def test_errors_come_at_their_rate_and_answers_are_uniform_otherwise(rng):
    counts = action_counts(three_ways(0.8), 0, rng)
    np.testing.assert_allclose(counts / MANY, [0.4, 0.2, 0.4], atol=0.04)


def test_the_same_random_numbers_give_the_same_answers():
    asked = Question(QuestionKind.DEMONSTRATION, 0, steps=20)
    told = [at_the_end(0.5).answer(asked, np.random.default_rng(3)) for _ in range(2)]
    assert told[0] == told[1]


@pytest.mark.parametrize(('action', 'truth'), [(RIGHT, True), (LEFT, False)])
def test_yes_and_no_are_true_without_errors_and_false_with_nothing_else(action, truth, rng):
    asked = Question(QuestionKind.YES_NO, 1, action)
    assert at_the_end(1.0).answer(asked, rng) == YesNoAnswer(1, action, truth)
    assert at_the_end(0.0).answer(asked, rng) == YesNoAnswer(1, action, not truth)


def test_yes_is_wrong_at_the_error_rate(rng):
    asked = Question(QuestionKind.YES_NO, 1, RIGHT)
    teacher = at_the_end(0.7)
    share = np.mean([teacher.answer(asked, rng).yes for _ in range(MANY)])
    assert share == pytest.approx(0.7, abs=0.04)


def test_rewards_are_told_exactly_without_spread(rng):
    asked = Question(QuestionKind.REWARD, 4)
    assert at_the_end().answer(asked, rng) == RewardAnswer(4, 1.0, None)


def test_rewards_spread_with_half_the_variance_sigma(rng):
    asked, teacher = Question(QuestionKind.REWARD, 4), at_the_end(sigma=0.5)
    told = np.array([teacher.answer(asked, rng).reward for _ in range(MANY)])
    assert told.mean() == pytest.approx(1.0, abs=0.04)
    assert told.var() == pytest.approx(0.25, rel=0.1)


def test_rewards_of_actions_are_told_for_the_action_or_the_best(rng):
    teacher = three_ways(1.0)
    for action, value in ((0, 1.0), (1, 0.0), (None, 1.0)):
        told = teacher.answer(Question(QuestionKind.REWARD, 1, action), rng)
        assert told == RewardAnswer(1, value, action)


def test_a_demonstration_follows_the_transitions(rng):
    told = at_the_end().answer(Question(QuestionKind.DEMONSTRATION, 1, steps=5), rng)
    assert told == DemonstrationAnswer(
        ((1, RIGHT), (2, RIGHT), (3, RIGHT), (4, RIGHT), (4, RIGHT)))


def test_a_demonstration_reaches_possible_states_only(rng):
    mdp = random_mdp(rng, 6, 3, successors=2)
    teacher = SimulatedTeacher.for_reward(mdp, rng.random(6), 0.5)
    steps = teacher.answer(Question(QuestionKind.DEMONSTRATION, 0, steps=200), rng).steps
    rows = mdp.transitions.toarray()
    chances = [rows[state * 3 + action, after]
               for (state, action), (after, _) in pairwise(steps)]
    assert len(steps) == 200
    assert min(chances) > 0.0


@for_each('accuracy', [-0.1, 1.1, np.nan])
def test_accuracy_is_a_probability(accuracy):
    with pytest.raises(InvalidNoiseError, match=rf'accuracy must be in \[0, 1\], got {accuracy}'):
        at_the_end(accuracy)


@for_each('sigma', [-1.0, np.nan, np.inf])
def test_sigma_is_not_negative(sigma):
    with pytest.raises(InvalidNoiseError, match=f'sigma must .*not.* negative.*, got {sigma}'):
        at_the_end(sigma=sigma)


def test_a_question_must_be_about_something_that_exists(rng):
    with pytest.raises(InvalidQuestionError, match=r'state must be in 0 \.\. 4, got 5'):
        at_the_end().answer(Question(QuestionKind.ACTION, 5), rng)


def test_a_reward_must_fit_the_world():
    with pytest.raises(GbsIrlError, match=r'\(S, A\) = \(4, 2\), the MDP has \(S, A\) = \(5, 2\)'):
        SimulatedTeacher.for_reward(corridor(5), np.ones(4))


def test_a_teacher_of_a_hypothesis_means_what_one_of_its_reward_means(rng):
    mdp = corridor(5)
    hypotheses = Hypotheses.from_rewards(mdp, Rewards.goals(mdp, range(5)))
    one, other = (SimulatedTeacher.for_hypothesis(hypotheses, 3, 0.7, 0.2),
                  SimulatedTeacher.for_reward(mdp, hypotheses.rewards.one(3), 0.7, 0.2))
    assert (one.accuracy, one.sigma) == (other.accuracy, other.sigma) == (0.7, 0.2)
    np.testing.assert_array_equal(one.optimal_sets, other.optimal_sets)
    np.testing.assert_array_equal(one.reward, other.reward)


def test_a_teacher_may_name_all_optimal_actions(rng):
    asked = Question(QuestionKind.ACTION, 0)
    frank = replace(three_ways(1.0), says_either=True)
    assert frank.answer(asked, rng) == EitherAnswer(0, (0, 2))
    said = Counter(replace(frank, accuracy=0.8).answer(asked, rng).actions for _ in range(MANY))
    np.testing.assert_allclose([said[(0, 2)] / MANY, said[(0, 1)] / MANY, said[(1, 2)] / MANY],
                               [0.8, 0.1, 0.1], atol=0.04)
    only = replace(at_the_end(), says_either=True).answer(asked, rng)
    everything = replace(in_the_middle(), says_either=True).answer(
        Question(QuestionKind.ACTION, 1), rng)
    assert (only.kind, everything.kind) == ('action', 'action')


def test_a_teacher_who_names_several_names_choices_only(rng):
    asked = Question(QuestionKind.ACTION, 0)
    choices = np.array([[True, True, False]] * 2)
    frank = replace(three_ways(0.5), says_either=True, choices=choices)
    assert {frank.answer(asked, rng) for _ in range(30)} == {
        ActionAnswer(0, 0), ActionAnswer(0, 1)}
