"""Nobody is offered a move into a wall, and nobody's is taken, unless it is how one stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import (
    ActionAnswer,
    AllTheSameAnswer,
    EitherAnswer,
    Question,
    QuestionKind,
    SimulatedTeacher,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.learning.sentences import sentence
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.worlds.grid import build_grid
from gbs_irl_ros.teaching.choices import check_offered, offer_in_words, offered
from gbs_irl_ros.teaching.keys import RESERVED, action_keys

FOUR = ('north', 'east', 'south', 'west')
TASKS = sorted(shipped_tasks())


def corner(moves=FOUR, **options):
    """Three cells: the middle one between two others, walls all around."""
    return build_grid(['...'], {}, moves, 0.9, **options).world


def at(world, state):
    return {offer.label: offer for offer in offered(Question(QuestionKind.ACTION, state), world)
            if isinstance(offer.answer, ActionAnswer)}


def test_with_an_action_that_stays_only_that_one_says_it():
    found = at(corner((*FOUR, 'stay')), 0)
    assert list(found) == ['east', 'stay']
    assert [offer.action for offer in found.values()] == [1, 4]


def test_without_one_a_single_choice_says_it_in_words():
    found = at(corner(), 0)
    assert list(found) == ['stay here', 'east']
    assert found['stay here'].answer == ActionAnswer(0, 0)
    assert (found['stay here'].key, found['stay here'].action) == ('x', None)


def test_where_every_action_moves_all_are_offered():
    world = build_grid(['...', '...', '...'], {}, FOUR, 0.9).world
    assert list(at(world, 4)) == list(FOUR)


def test_a_move_into_a_wall_that_may_slide_along_it_is_a_choice():
    world = corner(slip=0.2)
    assert list(at(world, 0)) == ['north', 'east', 'south', 'stay here']


def test_other_answers_are_offered_as_ever():
    kinds = {offer.answer.kind for offer in offered(Question(QuestionKind.ACTION, 0), corner())}
    assert kinds == {'action', 'dont_know', 'all_the_same', 'later'}
    both = offered(Question(QuestionKind.YES_NO, 0, 0), corner())
    assert [offer.label for offer in both][:2] == ['yes', 'no']


def test_a_question_about_such_a_move_asks_about_staying():
    world = corner()
    assert sentence(Question(QuestionKind.YES_NO, 0, 0), world) == 'Should I stay at (0, 0)?'
    assert sentence(Question(QuestionKind.YES_NO, 0, 1), world) == \
        'Should I go east at (0, 0)?'


def test_a_move_into_a_wall_is_not_taken():
    world = corner((*FOUR, 'stay'))
    with pytest.raises(InvalidAnswerError, match=(
            r"^'north' leads into a wall at \(1, 0\), so it is not taken as an answer; choose one "
            'of: east, west, stay$')):
        check_offered(ActionAnswer(1, 0), world)
    for answer in (ActionAnswer(1, 1), ActionAnswer(1, 4), YesNoAnswer(1, 0, True),
                   AllTheSameAnswer(1)):
        check_offered(answer, world)
    check_offered(ActionAnswer(0, 0), corner())     # how one stays
    check_offered(EitherAnswer(1, (1, 3)), world)
    with pytest.raises(InvalidAnswerError, match=r"^'south' leads into a wall at \(1, 0\), so"):
        check_offered(EitherAnswer(1, (1, 2)), world)


@for_each(('answer', 'text'), [
    (ActionAnswer(10, 0), r'state must be in 0 .. 2, got 10'),
    (ActionAnswer(0, 1 << 70), r'action must be in 0 .. 3, got')])
def test_what_does_not_exist_is_refused_in_words(answer, text):
    with pytest.raises(InvalidAnswerError, match=text):
        check_offered(answer, corner())


@for_each('name', TASKS)
class TestEveryTask:
    def test_every_offer_is_taken_and_has_a_key_of_its_own(self, name):
        world = load_task(name).world
        for state in range(0, world.mdp.num_states, 7):
            found = offered(Question(QuestionKind.ACTION, state), world)
            keys = [offer.key for offer in found]
            assert len(set(keys)) == len(keys)
            for offer in found:
                check_offered(offer.answer, world)
                if offer.label == 'stay here':
                    assert offer.key not in {*action_keys(world), *RESERVED}

    def test_every_state_has_a_choice_and_moves_are_choices(self, name):
        world = load_task(name).world
        assert world.choices.any(axis=1).all()
        assert world.choices[~world.stays].all()
        if world.appearance.cells is None:
            assert world.choices.all()
        else:
            assert (world.choices & world.stays).sum(axis=1).max() <= 1

    @pytest.mark.slow
    def test_whatever_is_right_can_be_said(self, name):
        """Moves into walls do the same, so one of them stands for all."""
        task = load_task(name)
        bits, classes = task.hypotheses.sets.bits, task.hypotheses.sets.class_of_state
        for state in range(task.world.mdp.num_states):
            right = unpack(np.unique(bits[classes[state]]), task.world.mdp.num_actions)
            assert (right & task.world.choices[state]).any(axis=1).all()


def test_a_simulated_teacher_names_only_choices():
    task = load_task('room')
    exact = SimulatedTeacher.for_hypothesis(task.hypotheses, 3, accuracy=0.5)
    teacher, rng = replace(exact, choices=task.world.choices), np.random.default_rng(0)
    for state in range(task.world.mdp.num_states):
        for _ in range(10):
            answer = teacher.answer(Question(QuestionKind.ACTION, state), rng)
            assert task.world.choices[state, answer.action]
    moves = [exact.answer(Question(QuestionKind.ACTION, state), rng)
             for state in range(task.world.mdp.num_states) for _ in range(10)]
    assert not all(task.world.choices[answer.state, answer.action] for answer in moves)


@for_each('text, given', [('yes', True), ('Yes!', True), (' no. ', False), ('north', None),
                          ('yes please', None), ('', None)])
def test_an_answer_may_be_said_in_words(text, given):
    found = offer_in_words(text, Question(QuestionKind.YES_NO, 1, 1), corner())
    assert (found and found.answer) == (
        None if given is None else YesNoAnswer(1, 1, given)), text


def test_a_direction_may_be_said_in_words_and_the_name_of_a_task_is_said_of_the_whole():
    asked = Question(QuestionKind.ACTION, 1)
    assert offer_in_words('East', asked, corner()).answer == ActionAnswer(1, 1)
    named = Question(QuestionKind.TASK, 0, options=(0, 1), labels=('go left', 'go right'))
    assert offer_in_words('go left', named, corner()) is None
    assert offer_in_words('none of these', named, corner()) is not None
