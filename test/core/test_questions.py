"""What can be asked."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError, InvalidQuestionError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.named_enum import no_other_case
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind

MDP = Mdp.from_successors(np.zeros((4, 3), dtype=int), 0.9)


def test_questions_of_every_kind_can_be_asked():
    Question(QuestionKind.ACTION, 0).check_fits(MDP)
    Question(QuestionKind.YES_NO, 3, 2).check_fits(MDP)
    Question(QuestionKind.REWARD, 1).check_fits(MDP)
    Question(QuestionKind.REWARD, 1, 0).check_fits(MDP)
    Question(QuestionKind.DEMONSTRATION, 2, steps=MAX_STEPS).check_fits(MDP)


def test_equal_questions_are_one_in_a_set():
    assert len({Question(QuestionKind.YES_NO, 1, 2), Question(QuestionKind.YES_NO, 1, 2),
                Question(QuestionKind.YES_NO, 1, 0)}) == 2


def test_a_question_cannot_be_changed():
    question = Question(QuestionKind.ACTION, 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        question.state = 1


def test_a_yes_no_question_needs_an_action():
    with pytest.raises(InvalidQuestionError, match='yes/no question must name an action, got No'):
        Question(QuestionKind.YES_NO, 0)


@pytest.mark.parametrize('kind', [QuestionKind.ACTION, QuestionKind.DEMONSTRATION])
def test_a_question_for_actions_names_none(kind):
    text = f'a question of kind {kind.value} must not name an action, got 2'
    with pytest.raises(InvalidQuestionError, match=text):
        Question(kind, 0, 2)


@for_each(('kind', 'steps', 'limit'), [
    (QuestionKind.ACTION, 2, 1), (QuestionKind.ACTION, 0, 1),
    (QuestionKind.DEMONSTRATION, 0, MAX_STEPS),
    (QuestionKind.DEMONSTRATION, MAX_STEPS + 1, MAX_STEPS)])
def test_the_number_of_steps_has_limits(kind, steps, limit):
    text = f'steps of a question of kind {kind.value} must be in 1 .. {limit}, got {steps}'
    with pytest.raises(InvalidQuestionError, match=f'^{re.escape(text)}$'):
        Question(kind, 0, steps=steps)


@pytest.mark.parametrize('steps', [1.5, float('nan')])
def test_the_number_of_steps_is_a_whole_number(steps):
    with pytest.raises(InvalidQuestionError, match='steps'):
        Question(QuestionKind.DEMONSTRATION, 0, steps=steps)


def test_a_kind_that_is_a_mere_string_is_refused_or_understood():
    try:
        question = Question('action', 0)
    except GbsIrlError:
        return
    assert question.kind is QuestionKind.ACTION


@for_each(('state', 'text'), [
    (4, r'state must be in 0 \.\. 3, got 4'), (-1, r'state must be in 0 \.\. 3, got -1'),
    (1.0, r'state must be a whole number, got 1\.0'),
    (True, 'state must be a whole number, got True')])
def test_the_state_must_exist(state, text):
    with pytest.raises(InvalidQuestionError, match=text):
        Question(QuestionKind.ACTION, state).check_fits(MDP)


def test_the_action_must_exist():
    with pytest.raises(InvalidQuestionError, match=r'action must be in 0 \.\. 2, got 3'):
        Question(QuestionKind.REWARD, 0, 3).check_fits(MDP)


def test_a_kind_that_was_forgotten_is_not_passed_over():
    with pytest.raises(AssertionError, match='there is no case for <QuestionKind'):
        no_other_case(QuestionKind.ACTION)


@for_each('fields, text', [
    ({'kind': 'task'}, r'of kind task must have 1 \.\. 30 different options, got \[\]'),
    ({'kind': 'task', 'options': tuple(range(31))}, r'must have 1 \.\. 30 different options'),
    ({'kind': 'place', 'options': (1, 1)}, r'must have 0 \.\. 30 different options, got \[1, 1\]'),
    ({'kind': 'place', 'options': (-1,)}, 'an option must not be negative, got -1'),
    ({'kind': 'action', 'options': (1,)}, r'of kind action must not have options, got \[1\]'),
    ({'kind': 'task', 'options': (1, 2), 'labels': ('a',)}, 'each of the 2 options, got 1'),
    ({'kind': 'compare', 'route': ((0, 0),)}, 'the other_route of a question must have'),
    ({'kind': 'confirm', 'route': ((0, 0),), 'other_route': ((0, 0),)},
     'must not have a second route')])
def test_options_and_ways_must_fit_the_kind(fields, text):
    with pytest.raises(InvalidQuestionError, match=text):
        Question(state=0, **fields)


def test_what_options_are_called_does_not_make_another_question():
    one, other = (Question(QuestionKind.TASK, 0, options=(1, 2), labels=labels)
                  for labels in ((), ('tidy', 'rest')))
    assert one == other
    assert hash(one) == hash(other)
    assert (one.label(1), other.label(1)) == ('task 2', 'rest')
