"""What a teacher can say."""

from __future__ import annotations

import dataclasses
import re
from typing import get_args

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    GoHereAnswer,
    LaterAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    RewardAnswer,
    TaskAnswer,
    WordsAnswer,
    WrongHereAnswer,
    YesNoAnswer,
    answer_naming,
    answer_to,
    check_answers,
)
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError, UnknownNameError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question, QuestionKind

MDP = Mdp.from_successors(np.zeros((4, 3), dtype=int), 0.9)
ASKED = Question(QuestionKind.ACTION, 3)
SHOWN = Question(QuestionKind.CONFIRM, 3, route=((3, 0), (0, 2)))
GOOD = [
    ActionAnswer(3, 2), YesNoAnswer(0, 0, True), YesNoAnswer(0, 0, np.False_),
    RewardAnswer(1, -2.5), RewardAnswer(1, np.float32(2), 1), RewardAnswer(1, 3),
    DemonstrationAnswer(((0, 1), (3, 2))), AllTheSameAnswer(2), EitherAnswer(2, (2, 0)),
    DontKnowAnswer(ASKED),
    LaterAnswer(ASKED), ActionAnswer(np.int64(3), np.uint8(2)), ConfirmAnswer(SHOWN, True),
    ConfirmAnswer(SHOWN, np.False_), WrongHereAnswer(SHOWN, 0)]


@for_each('answer', GOOD, ids=repr)
def test_what_exists_can_be_talked_about(answer):
    answer.check_fits(MDP)


@for_each('answer', GOOD, ids=repr)
def test_an_answer_cannot_be_changed(answer):
    name = dataclasses.fields(answer)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(answer, name, 0)


@for_each('answer', [
    ActionAnswer(4, 0), YesNoAnswer(4, 0, True), RewardAnswer(4, 1.0), AllTheSameAnswer(4),
    DemonstrationAnswer(((0, 0), (4, 0))), DontKnowAnswer(Question(QuestionKind.ACTION, 4)),
    LaterAnswer(Question(QuestionKind.ACTION, 4)),
    ConfirmAnswer(Question(QuestionKind.CONFIRM, 3, route=((3, 0), (4, 0))), True)], ids=repr)
def test_the_state_must_exist(answer):
    with pytest.raises(GbsIrlError, match=r'state.* must be in 0 \.\. 3, got 4'):
        answer.check_fits(MDP)


@for_each('answer', [
    ActionAnswer(0, -1), YesNoAnswer(0, -1, True), RewardAnswer(0, 1.0, -1),
    DemonstrationAnswer(((0, 0), (1, -1)))], ids=repr)
def test_the_action_must_exist(answer):
    with pytest.raises(InvalidAnswerError, match=r'action.* must be in 0 \.\. 2, got -1'):
        answer.check_fits(MDP)


@for_each('action', [1.0, '1', None, True])
def test_the_action_is_a_whole_number(action):
    with pytest.raises(InvalidAnswerError, match=f'action must be a whole number, got {action!r}'):
        ActionAnswer(0, action).check_fits(MDP)


@for_each('yes', [1, 'yes', None])
def test_yes_is_true_or_false(yes):
    with pytest.raises(InvalidAnswerError, match=f'yes must be True or False, got {yes!r}'):
        YesNoAnswer(0, 0, yes).check_fits(MDP)


@for_each('reward', [float('nan'), float('inf'), '3', None, True])
def test_a_reward_is_a_finite_number(reward):
    text = f'reward must be a finite number, got {reward!r}'
    with pytest.raises(InvalidAnswerError, match=text):
        RewardAnswer(0, reward).check_fits(MDP)


@pytest.mark.parametrize('reward', [10**400, -10**400])
def test_a_whole_number_that_no_float_can_hold_is_no_reward(reward):
    with pytest.raises(InvalidAnswerError, match=f'reward must be a finite number, got {reward}'):
        RewardAnswer(0, reward).check_fits(MDP)
    RewardAnswer(0, reward // 10**100).check_fits(MDP)


def test_a_demonstration_has_a_step():
    with pytest.raises(InvalidAnswerError, match='must have at least one step, got none'):
        DemonstrationAnswer(())


def test_a_demonstration_keeps_its_steps_whatever_happens_to_the_list():
    steps = [[0, 1], [2, 0]]
    answer = DemonstrationAnswer(steps)
    steps[0][0] = 3
    assert answer.steps == ((0, 1), (2, 0))
    assert hash(answer) == hash(DemonstrationAnswer(((0, 1), (2, 0))))


def test_a_step_that_is_no_pair_is_an_error_of_ours():
    with pytest.raises(GbsIrlError):
        DemonstrationAnswer(((0, 1), (0, 1, 2)))


@for_each('make, text', [
    (lambda: GoHereAnswer(()), 'a region must have at least one state, got none'),
    (lambda: NeverHereAnswer((1, 2, 1)), 'the states of a region must differ: 1 appears twice'),
    (lambda: OnTheWayAnswer((4,)).check_fits(MDP),
     r'state of the region must be in 0 \.\. 3, got 4'),
    (lambda: TaskAnswer(TASK, 6).check_fits(MDP),
     r'task must be one of \[5, 7\], which were offered, got 6'),
    (lambda: CompareAnswer(COMPARE, 3).check_fits(MDP), r'better must be 0 .* got 3'),
    (lambda: WordsAnswer(' ', (1,)), 'text must have 1 to 500 characters'),
    (lambda: WordsAnswer('x' * 501, (1,)), 'text must have 1 to 500 characters'),
    (lambda: WordsAnswer('a\x1b[2J', (1,)), 'none of them a control character'),
    (lambda: WordsAnswer('desk', ()), 'words must fit at least one task, got none'),
    (lambda: WordsAnswer('desk', (-1,)).check_fits(MDP), 'must not be negative, got -1')])
def test_what_cannot_be_said_of_a_whole_task(make, text):
    with pytest.raises(InvalidAnswerError, match=text):
        make()


# Which answers fit which questions.

(ACTION, YES_NO, REWARD, REWARD_OF_ACTION, DEMONSTRATION, CONFIRM, PLACE, TASK,
 COMPARE) = QUESTIONS = (
    Question(QuestionKind.ACTION, 3), Question(QuestionKind.YES_NO, 3, 1),
    Question(QuestionKind.REWARD, 3), Question(QuestionKind.REWARD, 3, 1),
    Question(QuestionKind.DEMONSTRATION, 3, steps=2), SHOWN,
    Question(QuestionKind.PLACE, 3, options=(0, 2), labels=('bed', 'desk')),
    Question(QuestionKind.TASK, 3, options=(5, 7), labels=('tidy', 'rest')),
    Question(QuestionKind.COMPARE, 3, route=((3, 0), (0, 2)), other_route=((3, 1),)))
FITTING = [
    (ActionAnswer(3, 0), (ACTION,)),
    (ActionAnswer(np.int64(3), np.uint8(0)), (ACTION,)),
    (ActionAnswer(2, 0), ()),
    (YesNoAnswer(3, 1, True), (YES_NO,)),
    (YesNoAnswer(3, np.int64(1), np.False_), (YES_NO,)),
    (YesNoAnswer(3, 0, True), ()),
    (YesNoAnswer(2, 1, True), ()),
    (RewardAnswer(3, 0.5), (REWARD,)),
    (RewardAnswer(3, 0.5, 1), (REWARD_OF_ACTION,)),
    (RewardAnswer(3, 0.5, 0), ()),
    (RewardAnswer(2, 0.5), ()),
    (AllTheSameAnswer(3), (ACTION, DEMONSTRATION)),
    (AllTheSameAnswer(2), ()),
    (EitherAnswer(3, (0, 2)), (ACTION,)), (EitherAnswer(2, (0, 2)), ()),
    (DemonstrationAnswer(((3, 0),)), QUESTIONS),
    (DemonstrationAnswer(((0, 0), (1, 2), (2, 1))), QUESTIONS),
    *((kind((0, 2)), QUESTIONS) for kind in (GoHereAnswer, NeverHereAnswer, OnTheWayAnswer)),
    (WordsAnswer('to the desk', (1, 4)), QUESTIONS),
    (TaskAnswer(TASK, 7), (TASK,)), (CompareAnswer(COMPARE, 2), (COMPARE,)),
    (NoneOfTheseAnswer(TASK), (TASK,)), (NoneOfTheseAnswer(PLACE), (PLACE,)),
    *((kind(question), (question,)) for kind in (DontKnowAnswer, LaterAnswer)
      for question in QUESTIONS),
    (DontKnowAnswer(Question(QuestionKind.ACTION, 2)), ()),
    (LaterAnswer(Question(QuestionKind.DEMONSTRATION, 3, steps=3)), ()),
    (ConfirmAnswer(CONFIRM, True), (CONFIRM,)),
    (WrongHereAnswer(CONFIRM, 0), (CONFIRM,)),
    (ConfirmAnswer(Question(QuestionKind.CONFIRM, 3, route=((3, 1),)), True), ()),
]


@for_each(('answer', 'questions'), FITTING, ids=lambda value: str(value)[:60])
def test_an_answer_fits_the_question_it_is_about_and_no_other(answer, questions):
    for question in QUESTIONS:
        if question in questions:
            check_answers(question, answer)
        else:
            with pytest.raises(InvalidAnswerError, match=re.escape(
                    f'{answer} does not answer {question}')):
                check_answers(question, answer)


def test_every_kind_of_answer_is_tried_with_every_kind_of_question():
    assert {type(answer) for answer, _ in FITTING} == set(get_args(Answer))
    assert {question.kind for question in QUESTIONS} == set(QuestionKind)


@for_each(('answer', 'text'), [
    (ActionAnswer(3, 1), 'right'),
    (YesNoAnswer(3, 1, True), 'yes'),
    (YesNoAnswer(3, 1, False), 'no'),
    (RewardAnswer(3, 0.123456), '0.123'),
    (RewardAnswer(3, -1), '-1'),
    (RewardAnswer(3, 0), '0'),
    (DemonstrationAnswer(((3, 1), (4, 2))), 'right, stay'),
    (AllTheSameAnswer(3), 'any direction is fine'),
    (EitherAnswer(3, (2, 0)), 'left or stay'),
    (DontKnowAnswer(ACTION), "I don't know"),
    (LaterAnswer(ACTION), 'ask me later'),
    (ConfirmAnswer(CONFIRM, True), 'yes, that is it'),
    (ConfirmAnswer(CONFIRM, False), 'no, not like that'),
    (WrongHereAnswer(CONFIRM, 0), 'almost: not stay there'),
    (GoHereAnswer((3,)), 'go there'), (NeverHereAnswer((3,)), 'never go there'),
    (OnTheWayAnswer((3,)), 'that is on the way'), (TaskAnswer(TASK, 7), 'rest'),
    (NoneOfTheseAnswer(TASK), 'none of these'), (CompareAnswer(COMPARE, 0), 'the first way'),
    (CompareAnswer(COMPARE, 1), 'the second way'), (CompareAnswer(COMPARE, 2), 'either way'),
    (WordsAnswer('to the desk', (1,)), '"to the desk"'),
])
def test_every_answer_is_told(answer, text):
    assert answer.words(('left', 'right', 'stay')) == text


def test_every_kind_of_answer_is_told_here():
    marks = test_every_answer_is_told.cases
    assert {type(answer) for answer, _ in marks} == set(get_args(Answer))


def test_an_unknown_kind_of_answer_is_named_with_those_that_are_known():
    with pytest.raises(UnknownNameError, match=r"unknown kind of answer 'yes'; known: .*'yes_no'"):
        answer_to(YES_NO, 'yes')


@for_each(('actions', 'text'), [
    ((1,), r"an answer of kind 'either' must name at least two actions, got \[1\]"),
    ((), r"an answer of kind 'either' must name at least two actions, got \[\]"),
    ((2, 0, 2), r"the actions of an answer of kind 'either' must differ, got \[0, 2, 2\]"),
    ((0, 9), r'action must be in 0 \.\. 2, got 9'),
    ((0, 1, 2), "an answer of kind 'either' must not name all 3 actions: that is 'all_the_same'"),
])
def test_either_names_different_actions_that_exist_and_leaves_some_out(actions, text):
    with pytest.raises(InvalidAnswerError, match=text):
        EitherAnswer(0, actions).check_fits(MDP)


@for_each(('actions', 'answer'), [
    ((1,), ActionAnswer(3, 1)), ((2, 0), EitherAnswer(3, (0, 2))),
    ((2, 0, 1), AllTheSameAnswer(3))])
def test_naming_one_several_or_all_actions(actions, answer):
    assert answer_naming(ACTION, actions, 3) == answer
