"""Nobody is asked the same again and again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import CAREFUL, PAPER_MODE, Learner, Mdp, Rewards
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    EitherAnswer,
    RewardAnswer,
    YesNoAnswer,
    answer_to,
)
from gbs_irl_ros.core.asking_again import closed_questions
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import DEFAULT, USUAL_CONDITION, make_stop_rule
from gbs_irl_ros.tasks import load_task

ASKED_FIRST = Question(QuestionKind.ACTION, 0)
ACTION, SHOW = Question(QuestionKind.ACTION, 3), Question(QuestionKind.DEMONSTRATION, 3, steps=2)
MANY = 12       # answers: more than anybody has patience for
CLOSED_BY = [
    (ActionAnswer(3, 1), ACTION), (EitherAnswer(3, (0, 1)), ACTION),
    (YesNoAnswer(3, 1, False), Question(QuestionKind.YES_NO, 3, 1)),
    (RewardAnswer(3, 0.5), Question(QuestionKind.REWARD, 3)),
    (RewardAnswer(3, 0.5, 1), Question(QuestionKind.REWARD, 3, 1))]


def test_where_all_is_the_same_nobody_is_asked_again():
    closed = closed_questions([AllTheSameAnswer(3), *([ActionAnswer(0, 1)] * 9)])
    assert {ACTION, SHOW} <= closed


@for_each(('answer', 'question'), CLOSED_BY)
def test_what_was_answered_is_asked_again_after_as_many_others(answer, question):
    other = DemonstrationAnswer(((0, 1),))
    assert closed_questions([answer], insists=False) == {question}
    assert closed_questions([answer, other], insists=False) == frozenset()
    assert closed_questions([answer, other, answer, other], insists=False) == {question}
    assert closed_questions([answer, other, answer, other, other], insists=False) == frozenset()
    assert closed_questions([answer, answer, answer]) == frozenset()        # as in the paper


def contrary(question, rng):
    """Answer at random, where one is asked about a state."""
    if question.kind is QuestionKind.ACTION:
        return answer_to(question, 'action', action=int(rng.integers(4)))
    if question.kind is QuestionKind.YES_NO:
        return answer_to(question, 'yes_no', yes=bool(rng.integers(2)))
    return answer_to(question, 'dont_know')


def indifferent(question, rng):
    return answer_to(question, 'all_the_same') if question.kind in (
        QuestionKind.ACTION, QuestionKind.DEMONSTRATION) else answer_to(question, 'dont_know')


def asked(task, strategy, reply, caution):
    learner = Learner(task, strategy, caution=caution,
                      stop=make_stop_rule(USUAL_CONDITION, DEFAULT.certainty))
    rng, found = np.random.default_rng(0), []
    while (question := learner.ask()) is not None and len(found) < MANY:
        found.append(question)
        learner = learner.tell(reply(question, rng))
    return [question for question in found if question.kind is not QuestionKind.CONFIRM]


@pytest.mark.slow
def test_whatever_a_person_answers_the_next_question_is_another_one():
    """It was the same one up to 25 times running."""
    task = load_task('room')
    for strategy in ('gbs', 'bits_per_second', 'information_gain'):
        for reply, most in ((indifferent, 1), (contrary, 4)):
            questions = asked(task, strategy, reply, CAREFUL)
            case = strategy, reply.__name__
            assert len(questions) > most, case
            assert all(one != other for one, other in pairwise(questions)), case
            assert max(map(questions.count, questions)) <= most, case


def contradicted(successors, caution):
    """Return the learner after an answer in state 0, which alone tells two tasks apart."""
    mdp = Mdp.from_successors(np.array(successors), 0.9)
    rewards = np.zeros((2, len(successors), 2))
    rewards[[0, 1], 0, [0, 1]] = 1.0
    learner = Learner.for_rewards(mdp, Rewards.from_dense(rewards, 2), caution=caution)
    assert learner.ask() == ASKED_FIRST
    return learner.tell(ActionAnswer(0, 0)).tell(ActionAnswer(0, 1))


def test_the_paper_asks_the_same_again_where_that_tells_most():
    assert contradicted([[0, 0], [0, 0]], PAPER_MODE).ask() == ASKED_FIRST
    assert contradicted([[0, 0], [0, 0]], CAREFUL).ask() != ASKED_FIRST


def test_where_nothing_else_is_left_the_same_is_asked():
    assert contradicted([[0, 0]], CAREFUL).ask() == ASKED_FIRST
