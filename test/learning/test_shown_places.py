"""Lessons in which the teacher shows places: what may be meant grows, and nothing else changes."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from small_lessons import corridor_world, open_lesson

from gbs_irl_ros.core import (
    CAREFUL,
    ActionAnswer,
    Candidates,
    Learner,
    NoiseModel,
    Rewards,
    SimulatedTeacher,
)
from gbs_irl_ros.core.errors import InvalidAnswerError, InvalidPlaceError, InvalidRecordError
from gbs_irl_ros.core.stopping import NEVER
from gbs_irl_ros.core.task_answers import GoHereAnswer, WordsAnswer
from gbs_irl_ros.learning.growth import MAX_PLACES
from gbs_irl_ros.learning.journal import Journal, JournalError
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task

HERE = Place(False, 12, 8, 12, 8)
THERE = Place(False, 13, 8, 13, 8)
OFF = Place(True, 8, 3, 9, 4)
DESK = Place(False, 14, 9, 14, 9)
CARPET = Place(True, 7, 7, 11, 9)
WAY = Place(False, 3, 7, 3, 7, on_the_way=True)


@pytest.fixture
def lesson(room, tmp_path):
    return opened(tmp_path / 'lesson.jsonl', room)


def opened(path, room, **options):
    return open_lesson(path, room, **{'caution': CAREFUL, **options})


def show(lesson, place=HERE, known_as='p-1'):
    return lesson.show_place(known_as, lesson.plan_place(place), 7, 'page')


def answer(lesson, count, seed=0):
    """Answer this many questions, somehow."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        question = lesson.ask_about(int(rng.integers(95)), 5)
        assert lesson.take(AnswerRecord(
            question.id, ActionAnswer(question.question.state, int(rng.integers(5))), 'page', 5))


def weights(lesson):
    posterior = lesson.learner.posterior
    return (*posterior.log_weights.tolist(), posterior.log_none)


def reopened(lesson, room, tmp_path, number=0):
    """Return what a learner makes of the journal of one that was killed here."""
    return opened(shutil.copy(lesson.path, tmp_path / f'copy-{number}.jsonl'), room)


def test_where_nothing_fits_the_way_on_is_to_show_the_place(lesson):
    assert lesson.standing.misfit_text.endswith(
        'if nothing is, your task is not on the list. Then show its place on the map: go here, or '
        'keep off here.')


def test_new_tasks_come_behind_the_old_and_are_judged_on_the_whole_history(lesson, room):
    answer(lesson, 5)
    before = lesson.learner
    assert show(lesson)
    hypotheses, after = lesson.learner.task.hypotheses, lesson.learner
    assert hypotheses.names[:30] == room.names
    assert hypotheses.names[30] == 'go to (12, 8)'
    assert after.answers == before.answers
    assert np.diff(after.posterior.log_weights[:30]) == pytest.approx(
        np.diff(before.posterior.log_weights), abs=1e-9)
    fresh = Learner(after.task, stop=NEVER, caution=after.caution).replay(before.answers)
    assert fresh.posterior.log_weights.tolist() == after.posterior.log_weights.tolist()
    assert after.posterior.probabilities.sum() + after.none_of_these == pytest.approx(1.0)


def test_a_lesson_about_what_nobody_listed_ends_right(room, tmp_path):
    lesson = opened(tmp_path / 'lesson.jsonl', room, stop=Learner(room).stop)
    show(lesson)
    meant = lesson.learner.task.hypotheses
    teacher = SimulatedTeacher.for_hypothesis(meant, 30, accuracy=1.0)
    rng = np.random.default_rng(1)
    while (question := lesson.ask(9)) is not None:
        lesson.take(AnswerRecord(question.id, teacher.answer(question.question, rng)))
    assert lesson.standing.favourite == 'go to (12, 8)'
    policy, belief = lesson.report(9)
    assert policy.final
    assert policy.policy.goal_states.tolist() == meant.goal_states(30).tolist()
    assert (policy.task_hash, belief.task_hash) == (room.hash, room.hash)
    assert len(belief.probabilities) == 36
    assert [place.words for place in belief.places] == ['go to (12, 8)']


def test_killed_after_any_event_it_resumes_with_the_same_belief_bit_for_bit(lesson, room,
                                                                            tmp_path):
    happenings = [
        lambda: answer(lesson, 2, 1), lambda: show(lesson), lambda: answer(lesson, 2, 2),
        lambda: show(lesson, replace(HERE, keep_off=True, row=7), 'p-2'),
        lambda: [lesson.undo(8) for _ in range(2)], lambda: lesson.ask(9)]
    for number, happen in enumerate(happenings):
        happen()
        again = reopened(lesson, room, tmp_path, number)
        assert weights(again) == weights(lesson), number
        assert again.learner.task.hypotheses.names == lesson.learner.task.hypotheses.names
        assert again.open_question == lesson.open_question, number
        assert again.ask(10) == lesson.ask(10), number
        again.close()


def test_a_place_is_taken_back_like_an_answer(lesson):
    answer(lesson, 3)
    before = weights(lesson)
    show(lesson)
    assert len(weights(lesson)) == 37
    assert lesson.undo(8) == 'p-1'
    assert weights(lesson) == before
    assert lesson.report(9)[1].places == ()


def test_answers_before_and_after_a_place_are_taken_back(lesson, room, tmp_path):
    answer(lesson, 2, 1)
    show(lesson)
    grown = weights(lesson)
    answer(lesson, 2, 2)
    lesson.undo(8)
    lesson.undo(8)
    assert weights(lesson) == grown
    lesson.undo(8)          # the place
    lesson.undo(8)
    other = opened(tmp_path / 'other.jsonl', room)
    answer(other, 1, 1)
    assert weights(lesson) == weights(other)


def test_an_earlier_answer_is_replaced_under_the_grown_set(lesson):
    answer(lesson, 1)
    show(lesson)
    answer(lesson, 1, 2)
    first = next(iter(lesson.answers))
    state = lesson.question_of(first).state
    lesson.revise(AnswerRecord(first, ActionAnswer(state, 3)))
    assert lesson.learner.answers[0] == ActionAnswer(state, 3)
    assert len(weights(lesson)) == 37


def test_a_place_is_not_replaced_by_an_answer(lesson):
    show(lesson)
    with pytest.raises(InvalidAnswerError, match="no answer with the id 'p-1' counts"):
        lesson.revise(AnswerRecord('p-1', ActionAnswer(0, 0)))


def test_other_settings_keep_what_has_grown(lesson, room):
    answer(lesson, 3)
    show(lesson)
    lesson.use(Learner(room, 'random', stop=NEVER, caution=CAREFUL), lesson.asking, 9)
    before = weights(lesson)
    assert len(before) == 37
    with pytest.raises(InvalidPlaceError, match='set the parameter none_of_these'):
        lesson.use(Learner(room, stop=NEVER), lesson.asking, 9)
    assert weights(lesson) == before


def test_the_open_question_stays_open_and_hears_of_the_new_rivals(lesson):
    question = lesson.ask_about(40, 5)
    show(lesson)
    assert lesson.open_question.id == question.id
    assert sum(rival.probability for rival in question.rivals) == pytest.approx(1.0)
    assert lesson.open_question.rivals != question.rivals
    assert lesson.take(AnswerRecord(question.id, ActionAnswer(40, 1)))


def test_answers_that_come_while_it_is_planned_count(lesson, room, tmp_path):
    answer(lesson, 2, 1)
    planned = lesson.plan_place(HERE)
    answer(lesson, 2, 2)
    assert lesson.show_place('p-1', planned, 7)
    assert len(lesson.learner.answers) == 4
    assert weights(reopened(lesson, room, tmp_path)) == weights(lesson)


def test_answers_that_are_taken_back_while_it_is_planned_do_not(lesson, room, tmp_path):
    answer(lesson, 2, 1)
    planned = lesson.plan_place(HERE)
    lesson.undo(7)
    lesson.show_place('p-1', planned, 7)
    assert len(lesson.learner.answers) == 1
    assert weights(reopened(lesson, room, tmp_path)) == weights(lesson)


@for_each('come_between', [
    lambda lesson, room: show(lesson, THERE, 'p-2'),
    lambda lesson, room: lesson.use(Learner(room, caution=CAREFUL), lesson.asking, 7)])
def test_what_was_planned_for_something_else_is_not_used(room, tmp_path, come_between):
    lesson = opened(tmp_path / 'lesson.jsonl', room)
    planned = lesson.plan_place(HERE)
    come_between(lesson, room)
    before = weights(lesson)
    with pytest.raises(InvalidPlaceError, match='have come between; show it again'):
        lesson.show_place('p-1', planned, 7)
    assert weights(lesson) == before


def test_the_same_id_again_is_the_same_place(lesson):
    assert show(lesson)
    assert not lesson.show_place('p-1', lesson.plan_place(OFF), 8)
    assert len(weights(lesson)) == 37


def test_the_id_of_a_question_is_refused(lesson):
    question = lesson.ask(5)
    with pytest.raises(InvalidPlaceError, match='a place must have an id of its own, got that'):
        show(lesson, known_as=question.id)


def test_a_place_without_an_id_is_refused(lesson):
    content = lesson.path.read_bytes()
    with pytest.raises(InvalidRecordError, match='id must not be empty'):
        show(lesson, known_as='')
    assert lesson.path.read_bytes() == content
    assert lesson.learner.task.hypotheses.num_rewards == 30


def test_answers_are_numbered_with_the_places_between_them(lesson):
    answer(lesson, 1, 1)
    show(lesson)
    while not lesson.learner.nothing_fits:      # to stay is what no task wants
        question = lesson.ask(5)
        lesson.take(AnswerRecord(question.id, ActionAnswer(question.question.state, 4)))
    said = re.search(r'explains your answers ([\d, and]+)\.', lesson.status_text).group(1)
    numbers = [int(number) for number in re.findall(r'\d+', said)]
    assert max(numbers) == len(lesson.answers) + 1
    ids = [entry.answer.id for entry in lesson.history(9).entries]
    assert [ids[number - 1] for number in numbers] == list(lesson.report(9)[1].unexplained)


def test_only_so_many_places_count(lesson, room):
    goals = {int(state) for task in range(30) for state in room.goal_states(task)}
    cells = [cell for state, cell in enumerate(room.world.appearance.cells.tolist())
             if state not in goals]
    for number, cell in enumerate(cells[:MAX_PLACES]):
        show(lesson, Place(False, *cell, *cell), f'p-{number}')
    before = weights(lesson)
    with pytest.raises(InvalidPlaceError, match=f'{MAX_PLACES} places have been shown, and no '
                                                'more can be: take one back'):
        show(lesson, Place(False, *cells[-1], *cells[-1]))
    assert weights(lesson) == before
    assert np.exp(before).sum() == pytest.approx(1.0)


@for_each('place, text', [
    (Place(False, 0, 0, 0, 0), 'outside the map'), (Place(True, 1, 1, 14, 10), 'everything'),
    (Place(False, 1, 1, 14, 10), 'everything: that tells nothing; show a smaller place'),
    (replace(WAY, column=1, row=1, last_column=14, last_row=10), 'everything'),
    (Place(False, 2, 1, 2, 1), 'nothing but wall'),
    (Place(False, 1, 4, 2, 5, on_the_way=True), 'none of the 30 tasks I know passes there. That '
     'tells nothing new; answer the questions, or show another place'),
    (Place(True, 1, 4, 2, 5), 'all of the 30 tasks I know keep off. That tells nothing')])
def test_a_place_that_cannot_be_used_changes_nothing(room, tmp_path, place, text):
    lesson = opened(tmp_path / 'lesson.jsonl', room)
    content = lesson.path.read_bytes()
    with pytest.raises(InvalidPlaceError, match=text):
        show(lesson, place)
    assert lesson.path.read_bytes() == content


def test_in_paper_mode_nothing_can_be_added(room, tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', room)
    with pytest.raises(InvalidPlaceError, match='taken to be meant for certain'):
        lesson.plan_place(HERE)


def test_a_finished_lesson_continues_with_what_is_shown(lesson):
    lesson.finish(5)
    show(lesson)
    assert lesson.ask(9) is not None


def test_it_is_in_the_history(lesson):
    answer(lesson, 1)
    show(lesson)
    entry = lesson.history(9).entries[-1]
    assert entry.said == 'go to (12, 8)'
    assert entry.answer.id == 'p-1'
    assert entry.question is None
    assert lesson.acknowledged[-1] == 'p-1'


@for_each('change, text', [
    (lambda entry: entry['place'].update(built_on=[99]), 'is built on task 99'),
    (lambda entry: entry['place'].update(column=99), 'outside the map|must not lie left'),
    (lambda entry: entry.update(id=''), 'id must not be empty'),
    (lambda entry: entry['place'].update(row='x'), 'row must be a whole number')])
def test_a_journal_with_a_place_that_cannot_be_is_refused(room, tmp_path, change, text):
    lesson = opened(tmp_path / 'lesson.jsonl', room)
    show(lesson)
    lesson.close()
    with Journal(lesson.path) as journal:
        entries = journal.entries
    change(entries[-1])
    with Journal(tmp_path / 'changed.jsonl') as journal:
        for entry in entries:
            journal.append(entry)
    with pytest.raises(JournalError, match=text):
        opened(tmp_path / 'changed.jsonl', room)


def test_without_planning_again_the_prior_follows_other_settings(lesson, room):
    show(lesson)
    careless = replace(CAREFUL, none_of_these=0.4)
    lesson.use(Learner(room, stop=NEVER, caution=careless), lesson.asking, 9)
    assert lesson.learner.none_of_these == pytest.approx(0.2)
    assert lesson.learner.posterior.probabilities[30:].sum() == pytest.approx(0.2)


# ---- what a place says about the listed tasks --------------------------------------------------

@for_each(('place', 'said', 'told', 'likely', 'not_likely'), [
    (DESK, 'go to desk', '6 of the 30 tasks I know end there.', 'desk', 'sofa'),
    (Place(False, 14, 8, 14, 9), 'go to 2 cells from (14, 8) to (14, 9)', '6 of', 'desk', 'bed'),
    (Place(False, 1, 3, 4, 9), None, '12 of the 30 tasks I know end there.', 'sofa', 'desk'),
    (CARPET, 'never over the carpet', ' of the 30 tasks I know keep off.',
     'desk, never over the carpet', 'desk'),
    (Place(True, 8, 3, 8, 3), 'never over (8, 3)', '6 of the 30 tasks I know keep off.', 'door',
     'desk'),
    (WAY, 'on the way: (3, 7)', ' of the 30 tasks I know pass there.',
     'sofa, never over the toys', 'sofa')])
def test_what_holds_for_some_tasks_is_an_answer_that_nobody_had_asked_for(
        room, tmp_path, place, said, told, likely, not_likely):
    lesson = opened(tmp_path / 'lesson.jsonl', room)
    question, planned = lesson.ask(5), lesson.plan_place(place)
    assert planned.told.startswith('Thank you: ')
    assert told in planned.told
    assert lesson.show_place('p-1', planned, 7, 'page')
    assert lesson.learner.task.hypotheses.num_rewards == 30
    believed = dict(zip(room.names, lesson.learner.posterior.probabilities, strict=True))
    assert believed[f'go to {likely}'] > 3.0 * believed[f'go to {not_likely}']
    entry, = lesson.history(9).entries
    assert entry.said == (said or planned.words)
    assert (entry.question, entry.answer.id, entry.answer.by) == (None, 'p-1', 'page')
    assert (lesson.acknowledged, lesson.open_question) == (('p-1',), None)
    assert not lesson.show_place('p-1', lesson.plan_place(place), 8)
    assert lesson.ask(9).id != question.id      # another one may be better now
    again = reopened(lesson, room, tmp_path)
    assert weights(again) == weights(lesson)
    assert again.ask(9) == lesson.ask(9)
    lesson.revise(AnswerRecord('p-1', GoHereAnswer((3,)), 'page', 9))
    assert lesson.undo(9) == 'p-1'
    assert weights(lesson) == weights(opened(tmp_path / 'other.jsonl', room))


def test_a_place_may_be_said_of_a_lesson_in_which_nothing_can_grow(room, tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', room)
    assert show(lesson, DESK)
    with pytest.raises(InvalidPlaceError, match='no place can add others; set the parameter none'):
        show(lesson, HERE, 'p-2')


def test_keep_off_what_the_likely_tasks_enter_adds_tasks(lesson):
    """That those to other places keep off does not matter any more."""
    show(lesson, DESK)
    planned = lesson.plan_place(OFF)
    assert planned.told == 'keep off (8, 3) to (9, 4): I do so from now on'
    show(lesson, OFF, 'p-2')
    assert lesson.learner.task.hypotheses.num_rewards > 30
    assert 'never over (8, 3) to (9, 4)' in '; '.join(lesson.learner.task.hypotheses.names)


def test_never_at_the_only_goal_is_refused(tmp_path):
    cells = np.array([[column, 0] for column in range(5)])
    world = corridor_world(cells=cells, positions=cells + 0.5, cell_size=1.0)
    task = Task(world, Candidates.of(world.mdp, Rewards.from_dense(
        np.array([[0.0, 0, 0, 0, 1], [-1.0, 0, 0, 0, 1]]), 3)), NoiseModel())
    lesson = open_lesson(tmp_path / 'only.jsonl', task, caution=CAREFUL)
    content = lesson.path.read_bytes()
    with pytest.raises(InvalidPlaceError, match='covers the goal of every task that I know; show '
                                                'a place that leaves some of it'):
        show(lesson, Place(True, 4, 0, 4, 0))
    assert lesson.path.read_bytes() == content


def test_statements_that_contradict_each_other_speak_for_none_of_these(lesson, room, tmp_path):
    doubts = [lesson.learner.none_of_these]
    for number, place in enumerate((DESK, Place(False, 7, 1, 8, 1), DESK, replace(
            DESK, keep_off=True), Place(False, 11, 1, 11, 2))):
        show(lesson, place, f'p-{number}')
        doubts.append(lesson.learner.none_of_these)
    assert doubts[-1] > doubts[0]
    assert [entry.answer.id for entry in lesson.history(9).entries] == [
        f'p-{number}' for number in range(5)]
    assert weights(reopened(lesson, room, tmp_path)) == weights(lesson)
    for _ in range(5):
        lesson.undo(9)
    assert lesson.learner.none_of_these == doubts[0]


def test_keep_off_before_go_here_is_told_and_shown_again_adds_tasks_that_do_both(lesson):
    """Every way to the desk that is listed leads through that place."""
    show(lesson, OFF)
    assert lesson.plan_place(DESK).told.endswith(
        'But none of them fits what you said before: never over 2 cells from (8, 3) to (8, 4). '
        'If both are meant, show that again, and I add tasks that do both; if one of them was a '
        'slip, take it back.')
    show(lesson, DESK, 'p-2')
    show(lesson, OFF, 'p-3')
    assert any('go to desk' in name and 'never over (8, 3) to (9, 4)' in name
               for name in lesson.learner.task.hypotheses.names[30:])
    assert list(lesson.answers) == ['p-1', 'p-2']


def test_two_places_to_go_to_contradict_each_other_and_both_count(lesson):
    show(lesson, DESK)
    planned = lesson.plan_place(Place(False, 7, 1, 8, 1))
    assert 'But none of them fits what you said before: go to' in planned.told
    assert planned.told.endswith('Both count; if one of them was a slip, take it back.')
    assert show(lesson, Place(False, 7, 1, 8, 1), 'p-2')
    assert list(lesson.answers) == ['p-1', 'p-2']


def test_a_place_that_is_said_has_an_id_of_its_own(lesson):
    question = lesson.ask(5)
    with pytest.raises(InvalidAnswerError, match='must have an id of its own, got that of quest'):
        show(lesson, DESK, question.id)
    assert not lesson.answers


def test_words_about_a_task_that_is_not_there_are_refused(lesson):
    content = lesson.path.read_bytes()
    with pytest.raises(InvalidAnswerError, match=r'of a task must be in 0 \.\. 29, got 30'):
        lesson.watch(DemonstrationRecord('w-1', WordsAnswer('the desk', (3, 30))))
    assert lesson.path.read_bytes() == content
