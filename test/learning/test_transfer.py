"""What was taught on one map, used on another: the same names, planned for again."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from small_lessons import open_lesson

from gbs_irl_ros.core import CAREFUL, PAPER_MODE, ActionAnswer, Learner, SimulatedTeacher
from gbs_irl_ros.core.stopping import DEFAULT
from gbs_irl_ros.learning.journal import Journal, JournalError
from gbs_irl_ros.learning.records import AnswerRecord, Status
from gbs_irl_ros.learning.taught import TaughtTask, belief_of, load_taught, save_taught
from gbs_irl_ros.learning.transfer import (
    LEAST_UNLISTED,
    CannotTransferError,
    reweighed,
    transferred,
)
from gbs_irl_ros.tasks import Place, find_task, load_task

MEANT = 'go to desk, never over the carpet'
HERE = Place(False, 12, 8, 12, 8)


def other_room(folder, **words):
    """Return the room with other words in its file."""
    file = find_task('room')
    shutil.copytree(file.parent / 'maps', folder / 'maps', dirs_exist_ok=True)
    text = file.read_text().replace('name: room', 'name: other room')
    text = re.sub(r'^truth.*\n', '', text, flags=re.M)
    for before, after in words.values():
        assert before in text
        text = text.replace(before, after)
    (folder / 'other.yaml').write_text(text)
    return load_task(str(folder / 'other.yaml'))


def moved(folder):
    """Return the room after the desk was moved to the kitchen, and another start."""
    return other_room(folder, kitchen=('kitchen: [0.5, 4.0, 2.5, 4.9]',
                                       'kitchen: [6.9, 0.9, 8.0, 1.5]'),
                      desk=('desk: [6.9, 0.9, 8.0, 1.5]', 'desk: [0.5, 4.0, 2.5, 4.9]'),
                      start=('start: [door]', 'start: [bed]'))


def learner_of(task, **options):
    return Learner(task, **{'caution': CAREFUL, **options})


def taught_lesson(room, path, meant, *, shows=None):
    """Return a lesson that is over, in which this was meant."""
    lesson = open_lesson(path, room, caution=CAREFUL, stop=DEFAULT)
    if shows is not None:
        lesson.show_place('p', lesson.plan_place(shows), 3)
    names = lesson.learner.task.hypotheses.names
    teacher = SimulatedTeacher.for_hypothesis(
        lesson.learner.task.hypotheses, names.index(meant), accuracy=1.0)
    rng = np.random.default_rng(0)
    while (question := lesson.ask(4)) is not None:
        lesson.take(AnswerRecord(question.id, teacher.answer(question.question, rng)))
    assert lesson.standing.favourite == meant
    return lesson


@pytest.fixture
def taught(room, tmp_path):
    lesson = taught_lesson(room, tmp_path / 'first.jsonl', MEANT)
    return lesson.standing.taught(room.world, 5)


def names_of(learner):
    return learner.task.hypotheses.names


class TestTransfer:
    def test_on_a_changed_map_the_same_is_meant_and_planned_for_again(self, taught, tmp_path):
        task = moved(tmp_path)
        found = transferred(taught, learner_of(task), task)
        assert found.settled
        learner = found.learner
        assert names_of(learner)[learner.most_probable_reward] == MEANT
        assert learner.certainty == pytest.approx(taught.certainty, abs=0.01)
        assert set(learner.policy.goal_states) == set(task.world.appearance.regions['desk'])
        assert learner.task.hash == task.hash

    def test_what_is_missing_is_said(self, taught, tmp_path):
        task = other_room(tmp_path, places=('places: [kitchen, sofa, desk,',
                                            'places: [kitchen, sofa,'))
        with pytest.raises(CannotTransferError, match=re.escape(
                f"{MEANT!r} is not among the 24 tasks of 'other room'; closest: "
                "'go to bed, never over the carpet', ")):
            transferred(taught, learner_of(task), task)

    def test_what_has_a_number_for_a_name_means_something_only_where_it_was_taught(self, room):
        task = load_task('random_mdp')
        plain = learner_of(task, caution=PAPER_MODE)
        same = belief_of(plain, task.world, done=False, stamp=0)
        assert transferred(same, plain, task).learner.certainty == pytest.approx(plain.certainty)
        with pytest.raises(CannotTransferError, match="'random reward 0' is a number and not a "
                           "name: it means something only in 'random_mdp', where it was taught, "
                           "not in 'room'"):
            transferred(replace(same, tasks=(TaughtTask('random reward 0', 1.0),), others=0.0),
                        learner_of(room), room)

    def test_more_tasks_share_half_of_none_of_these(self, taught, tmp_path):
        task = other_room(tmp_path, places=('bed, door]', 'bed, door, hall]'),
                          hall=('    door: [', '    hall: [3.5, 4, 4, 5]\n    door: ['))
        before = replace(taught, none_of_these=0.1, others=0.0, num_others=0,
                         tasks=(TaughtTask(MEANT, 0.9),))
        found = reweighed(task.candidates, before, 0.1)
        named = task.names.index(MEANT)
        assert found.none_of_these == pytest.approx(0.05)
        assert found.probabilities[named] == pytest.approx(0.9 / 0.95, abs=2e-3)
        assert found.probabilities.sum() == pytest.approx(1.0)

    def test_what_is_not_here_counts_as_none_of_these(self, room, taught):
        away = replace(taught, none_of_these=0.1, others=0.0, num_others=0, places=(), tasks=(
            *(TaughtTask(name, 0.8 / 30) for name in room.names), TaughtTask('fly', 0.1)))
        assert reweighed(room.candidates, away, 0.1).none_of_these == pytest.approx(0.2)
        assert reweighed(room.candidates, away, 0.0).none_of_these == 0.0
        sure = replace(away, none_of_these=0.0, tasks=away.tasks[:30], others=0.2, num_others=0)
        assert reweighed(room.candidates, replace(sure, others=0.0, tasks=(
            TaughtTask(MEANT, 1.0),), num_others=29), 0.1).none_of_these == LEAST_UNLISTED

    def test_no_task_becomes_impossible(self, room, taught):
        certain = replace(taught, none_of_these=0.0, others=0.0, num_others=29,
                          tasks=(TaughtTask(MEANT, 1.0),))
        assert reweighed(room.candidates, certain, 0.1).probabilities.min() > 1e-5

    def test_where_rivals_need_other_ways_now_it_is_not_settled(self, room, taught):
        divided = replace(taught, none_of_these=0.0, others=0.0, num_others=28, certainty=1.0,
                          tasks=(TaughtTask(MEANT, 0.5), TaughtTask('go to bed', 0.5)))
        assert not transferred(divided, learner_of(room), room).settled
        unfinished = replace(taught, done=False)
        assert not transferred(unfinished, learner_of(room), room).settled

    @for_each('shift', [0.0, 0.5])
    def test_a_place_that_was_shown_is_found_again(self, room, tmp_path, shift):
        lesson = taught_lesson(room, tmp_path / 'first.jsonl', 'go to (12, 8)', shows=HERE)
        taught = lesson.standing.taught(room.world, 5)
        x_from, y_from, x_to, y_to = taught.places[0].metres
        taught = replace(taught, places=(replace(taught.places[0], metres=(
            x_from - shift, y_from, x_to - shift, y_to)),))
        found = transferred(taught, learner_of(room), room)
        column = 12 - round(2 * shift)
        assert [place.words for place in found.places] == [f'go to ({column}, 8)']
        assert found.belief.favourite.name == f'go to ({column}, 8)'
        goal, = found.learner.policy.goal_states
        assert room.world.appearance.cells[goal].tolist() == [column, 8]
        assert found.settled

    @for_each(('metres', 'message'), [
        ((90.0, 90.0, 91.0, 91.0), 'outside the map'), ((0.5, 2.0, 1.0, 2.5), ''),
        ((2.0, 2.0, 2.5, 2.5), 'there is nothing but wall')])
    def test_a_place_that_is_not_there_is_said(self, room, tmp_path, metres, message):
        lesson = taught_lesson(room, tmp_path / 'first.jsonl', 'go to (12, 8)', shows=HERE)
        taught = lesson.standing.taught(room.world, 5)
        taught = replace(taught, places=(replace(taught.places[0], metres=metres),))
        if not message:
            assert transferred(taught, learner_of(room), room).settled
            return
        with pytest.raises(CannotTransferError, match=rf'"go to \(12, 8\)" was shown, and cannot '
                           rf"be found on the map of 'room': .*{message}"):
            transferred(taught, learner_of(room), room)


class TestLesson:
    def begun(self, taught, task, tmp_path, **options):
        file = tmp_path / 'a.taught.json'
        save_taught(taught, file)
        return open_lesson(tmp_path / 'lesson.jsonl', task, **{
            'caution': CAREFUL, 'stop': DEFAULT, 'taught': file, **options})

    def test_it_is_done_at_once_and_can_be_corrected(self, taught, tmp_path):
        task = moved(tmp_path)
        lesson = self.begun(taught, task, tmp_path)
        assert lesson.ask(2) is None
        policy, belief = lesson.report(3)
        assert policy.final
        assert (belief.status, belief.answers) == (Status.DONE, 0)
        assert belief.status_text == \
            f"done: taught before, in 'room' ({lesson.standing.belief_words})"
        assert lesson.standing.belief_words.startswith(f'{MEANT}: ')
        assert set(policy.policy.goal_states) == set(task.world.appearance.regions['desk'])
        lesson.pause(False, 4)
        rng = np.random.default_rng(0)
        teacher = SimulatedTeacher.for_hypothesis(
            task.hypotheses, task.names.index('go to bed'), accuracy=1.0)
        while (question := lesson.ask(5)) is not None:
            lesson.take(AnswerRecord(question.id, teacher.answer(question.question, rng)))
        assert lesson.standing.favourite == 'go to bed'
        assert lesson.standing.taught(task.world, 6).favourite.name == 'go to bed'

    def test_killed_it_resumes_bit_for_bit_though_the_file_is_gone(self, room, tmp_path):
        first = taught_lesson(room, tmp_path / 'first.jsonl', 'go to (12, 8)', shows=HERE)
        lesson = self.begun(first.standing.taught(room.world, 5), room, tmp_path)
        assert lesson.standing.favourite == 'go to (12, 8)'
        (tmp_path / 'a.taught.json').unlink()
        for number in range(4):
            again = open_lesson(Path(shutil.copy(lesson.path, tmp_path / f'{number}.jsonl')), room,
                                caution=CAREFUL, stop=DEFAULT, taught=tmp_path / 'a.taught.json')
            assert again.learner.posterior.log_weights.tolist() \
                == lesson.learner.posterior.log_weights.tolist()
            assert again.learner.posterior.log_none == lesson.learner.posterior.log_none
            assert again.ask(7) == lesson.ask(7)
            if number == 0:
                lesson.pause(False, 8)
            elif number == 1:
                question = lesson.ask_about(3, 9)
                lesson.take(AnswerRecord(question.id, ActionAnswer(3, 1)))
            else:
                lesson.undo(10)
        assert len(lesson.learner.posterior.log_weights) == 30    # the place was taken back
        entry = lesson.history(11).entries
        assert entry == ()

    def test_without_the_file_it_does_not_begin(self, room, tmp_path):
        with pytest.raises(ValueError, match='cannot be read: No such file'):
            open_lesson(tmp_path / 'lesson.jsonl', room, taught=tmp_path / 'none.json')
        assert open_lesson(tmp_path / 'lesson.jsonl', room).learner.answers == ()

    def test_a_journal_in_which_it_comes_late_is_refused(self, room, taught, tmp_path):
        lesson = self.begun(taught, room, tmp_path)
        lesson.close()
        with Journal(lesson.path) as journal:
            journal.append(journal.entries[1])
        with pytest.raises(JournalError, match='start from what was taught before only once'):
            open_lesson(lesson.path, room)

    def test_what_a_lesson_led_to_can_be_saved_again(self, room, taught, tmp_path):
        lesson = self.begun(taught, room, tmp_path)
        lesson.ask(2)
        save_taught(lesson.standing.taught(room.world, 5), tmp_path / 'b.json')
        assert load_taught(tmp_path / 'b.json').favourite.name == MEANT
