"""Random questions."""

from __future__ import annotations

import numpy as np
import pytest
from worlds import hypotheses_of

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.uniform import RandomQuery
from gbs_irl_ros.core.questions import Question, QuestionKind

MANY = 3000


def asked(strategy, situation):
    return [strategy.choose(situation, np.random.default_rng(seed)).question
            for seed in range(MANY)]


def test_every_state_is_as_likely_though_one_class_holds_most(situation_of):
    hypotheses = hypotheses_of([[{0}, {1}], [{0}, {1}], [{0}, {1}], [{0}, {0}]], 2)
    questions = asked(RandomQuery(), situation_of(hypotheses, [0.9, 0.1]))
    assert {question.kind for question in questions} == {QuestionKind.ACTION}
    counts = np.bincount([question.state for question in questions], minlength=4)
    np.testing.assert_allclose(counts / MANY, 0.25, atol=0.04)


def test_rewards_on_states_are_asked_for_by_state(situation_of, problem):
    questions = asked(RandomQuery('reward'), situation_of(problem(0, num_states=4)))
    assert {(q.kind, q.state, q.action) for q in questions} == {
        (QuestionKind.REWARD, state, None) for state in range(4)}


def test_rewards_on_actions_are_asked_for_by_state_and_action(situation_of, problem):
    situation = situation_of(problem(0, num_states=2, num_actions=3, per_action=True))
    questions = asked(RandomQuery('reward'), situation)
    counts = np.bincount([3 * q.state + q.action for q in questions], minlength=6)
    np.testing.assert_allclose(counts / MANY, 1 / 6, atol=0.03)
    choice = RandomQuery('reward').choose(situation, np.random.default_rng(0))
    np.testing.assert_array_equal(choice.utilities, np.zeros((2, 3)))


def test_yes_no_questions_name_an_action(situation_of, problem):
    questions = asked(RandomQuery('yes_no'), situation_of(problem(0, num_states=2)))
    assert {(q.state, q.action) for q in questions} == {
        (state, action) for state in range(2) for action in range(3)}


def test_of_several_kinds_each_is_as_likely(situation_of, problem):
    questions = asked(RandomQuery('action+reward'), situation_of(problem(0, num_states=2)))
    counts = {kind: sum(q.kind is kind for q in questions)
              for kind in (QuestionKind.ACTION, QuestionKind.REWARD)}
    assert sum(counts.values()) == MANY
    assert counts[QuestionKind.ACTION] / MANY == pytest.approx(0.5, abs=0.04)


def test_where_one_kind_is_closed_the_other_is_asked(situation_of, problem):
    closed = [Question(QuestionKind.REWARD, state) for state in range(2)]
    questions = asked(RandomQuery('action+reward'),
                      situation_of(problem(0, num_states=2), closed=closed))
    assert {question.kind for question in questions} == {QuestionKind.ACTION}


def test_closed_states_are_left_out_until_none_is_left(situation_of, problem, rng):
    closed = [Question(QuestionKind.ACTION, state) for state in (0, 1, 3)]
    situation = situation_of(problem(0, num_states=4), closed=closed)
    assert {q.state for q in asked(RandomQuery(), situation)} == {2}
    closed.append(Question(QuestionKind.ACTION, 2))
    assert RandomQuery().choose(situation_of(problem(0, num_states=4), closed=closed), rng) is None


def test_an_unknown_kind_is_an_error_of_ours_that_lists_the_known_ones():
    with pytest.raises(GbsIrlError, match=r'(?s)actoin.*action.*reward'):
        make_strategy('random', kind='actoin')
