"""Lessons in which the learner thinks of tasks that nobody listed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from small_lessons import open_lesson

from gbs_irl_ros.core import CAREFUL, PAPER_MODE, ActionAnswer, SimulatedTeacher
from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import DEFAULT, NEVER
from gbs_irl_ros.learning.growth import MAX_PLACES
from gbs_irl_ros.learning.records import AnswerRecord
from gbs_irl_ros.learning.transfer import transferred
from gbs_irl_ros.tasks import Place
from gbs_irl_ros.tasks.growth import with_places
from gbs_irl_ros.tasks.invention import Invention

UNLISTED = 80       # a cell of room that no task is about: (9, 9)
TOLD = (80, 79, 81, 70, 20, 36, 83, 80, 79)


@pytest.fixture(scope='module')
def teacher(room):
    return SimulatedTeacher.for_reward(
        room.world.mdp, np.eye(room.world.mdp.num_states)[UNLISTED], accuracy=1.0)


def begun(room, path, **options):
    return open_lesson(path, room, **{'caution': CAREFUL, 'stop': NEVER, **options})


def told(lesson, teacher, states=TOLD):
    rng = np.random.default_rng(0)
    for number, state in enumerate(states):
        shown = teacher.answer(Question(QuestionKind.ACTION, state), rng)
        question = lesson.open_question
        if lesson.learner.nothing_fits:
            question = lesson.ask(5)
            state = question.question.state
            shown = teacher.answer(question.question, rng)
        else:
            question = lesson.ask_about(state, 5)
        lesson.take(AnswerRecord(question.id, shown, 'page', number))
    return lesson


def invent(lesson, known_as='i-1'):
    return lesson.show_place(known_as, lesson.plan_invention(), 7, 'page')


def weights(lesson):
    return (*lesson.learner.posterior.log_weights.tolist(), lesson.learner.posterior.log_none)


def test_a_lesson_about_what_nobody_listed_ends_right(room, teacher, tmp_path):
    lesson = told(begun(room, tmp_path / 'a.jsonl', stop=DEFAULT), teacher)
    assert lesson.learner.nothing_fits
    assert invent(lesson)
    assert not lesson.learner.nothing_fits
    rng = np.random.default_rng(1)
    for _ in range(30):
        question = lesson.ask(9)
        if question is None:
            break
        lesson.take(AnswerRecord(question.id, teacher.answer(question.question, rng)))
    assert lesson.report(9)[0].final
    assert lesson.standing.favourite == 'go to (9, 9)'
    policy, belief = lesson.report(10)
    assert policy.policy.goal_states.tolist() == [UNLISTED]
    step, = belief.places
    assert isinstance(step, Invention)
    shown = with_places(room, belief.places)        # as those see it who only look
    assert shown.candidates.names == lesson.learner.task.hypotheses.names
    assert [entry.said for entry in lesson.history(9).entries if entry.question is None] \
        == [f'think of other tasks ({len(step.ideas)} found)']


def test_killed_after_any_event_it_resumes_bit_for_bit(room, teacher, tmp_path):
    lesson = told(begun(room, tmp_path / 'a.jsonl'), teacher)
    happenings = [
        lambda: invent(lesson), lambda: told(lesson, teacher, (12, 15)),
        lambda: lesson.show_place('p', lesson.plan_place(Place(True, 8, 3, 9, 4)), 7),
        lambda: invent(lesson, 'i-2'), lambda: lesson.undo(8), lambda: lesson.undo(8),
        lambda: lesson.undo(8), lambda: lesson.ask(9)]
    for number, happen in enumerate(happenings):
        happen()
        again = begun(room, Path(shutil.copy(lesson.path, tmp_path / f'{number}.jsonl')))
        assert weights(again) == weights(lesson), number
        assert again.learner.task.hypotheses.names == lesson.learner.task.hypotheses.names
        assert again.ask(10) == lesson.ask(10), number
        again.close()


def test_it_is_taken_back_like_an_answer(room, teacher, tmp_path):
    lesson = told(begun(room, tmp_path / 'a.jsonl'), teacher)
    before = weights(lesson)
    invent(lesson)
    assert len(weights(lesson)) > len(before)
    assert lesson.undo(8) == 'i-1'
    assert weights(lesson) == before
    assert lesson.report(9)[1].places == ()


def test_answers_may_come_while_it_thinks(room, teacher, tmp_path):
    lesson = told(begun(room, tmp_path / 'a.jsonl'), teacher)
    planned = lesson.plan_invention()
    told(lesson, teacher, (12,))
    assert lesson.show_place('i-1', planned, 7)
    again = begun(room, Path(shutil.copy(lesson.path, tmp_path / 'b.jsonl')))
    assert weights(again) == weights(lesson)


def test_it_is_not_done_where_one_of_the_listed_is_meant_for_certain(room, tmp_path):
    lesson = begun(room, tmp_path / 'a.jsonl', caution=PAPER_MODE)
    question = lesson.ask_about(3, 4)
    lesson.take(AnswerRecord(question.id, ActionAnswer(3, 1)))
    with pytest.raises(InvalidPlaceError, match='one of the listed tasks is taken to be meant'):
        lesson.plan_invention()


def test_it_thinks_only_so_often(room, teacher, tmp_path, monkeypatch):
    monkeypatch.setattr('gbs_irl_ros.learning.growth.MAX_PLACES', 1)
    lesson = told(begun(room, tmp_path / 'a.jsonl'), teacher)
    invent(lesson)
    with pytest.raises(InvalidPlaceError, match='1 places have been shown, and no more can be'):
        lesson.plan_invention()
    assert MAX_PLACES == 8


def test_what_was_invented_can_be_used_elsewhere(room, teacher, tmp_path):
    lesson = told(begun(room, tmp_path / 'a.jsonl'), teacher)
    invent(lesson)
    told(lesson, teacher, (12, 15, 80, 66))
    taught = lesson.standing.taught(room.world, 5)
    assert taught.favourite.name == 'go to (9, 9)'
    assert (9, 9, 9, 9) in [place.cells for place in taught.places]
    found = transferred(taught, begun(room, tmp_path / 'b.jsonl').learner, room)
    assert found.learner.policy.goal_states.tolist() == [UNLISTED]
