"""What is known of a person who teaches: kept in a file, and the prior of the next lesson."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from small_lessons import open_lesson

from gbs_irl_ros.core import CAREFUL, PAPER_MODE, ActionAnswer, Learner, SimulatedTeacher
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.stopping import DEFAULT
from gbs_irl_ros.learning.doubts import error_rate
from gbs_irl_ros.learning.journal import Journal, JournalError
from gbs_irl_ros.learning.json_files import NotSavedError
from gbs_irl_ros.learning.people import People
from gbs_irl_ros.learning.person import (
    MAX_LESSONS,
    MOST_BYTES,
    AnswerCount,
    Profile,
    check_person,
    load_profile,
    person_file,
    save_profile,
)
from gbs_irl_ros.learning.records import AnswerRecord

CAREFUL_PERSON = Profile('anna', (AnswerCount('s-1', 'action', 80.0, 0.0),))
CARELESS = Profile('bert', (AnswerCount('s-1', 'action', 40.0, 20.0),
                            AnswerCount('s-2', 'action', 20.0, 12.0)))


@pytest.fixture
def told(tmp_path):
    """Return the sentences that were said, and the people whose files are here."""
    said = []
    return said, People(tmp_path, said.append)


def begun(room, path, teacher=None, **options):
    return open_lesson(path, room, teacher=teacher,
                       **{'caution': CAREFUL, 'stop': DEFAULT, **options})


def taught(room, path, teacher, *, accuracy=1.0, seed=0):
    """Return a lesson that is over."""
    lesson = begun(room, path, teacher)
    simulated = SimulatedTeacher.for_hypothesis(room.hypotheses, 3, accuracy=accuracy)
    rng = np.random.default_rng(seed)
    while (question := lesson.ask(4)) is not None:
        lesson.take(AnswerRecord(question.id, simulated.answer(question.question, rng)))
    return lesson


def weights(lesson):
    return (*lesson.learner.posterior.log_weights.tolist(), lesson.learner.posterior.log_none)


class TestFile:
    def test_it_comes_back_as_it_was_for_its_owner_alone(self, tmp_path):
        path = person_file(tmp_path, 'bert')
        save_profile(CARELESS, path)
        assert load_profile(path, 'bert') == CARELESS
        assert path == tmp_path / 'people' / 'bert.json'
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    @for_each('name', ['anna', 'Anna B. (2)', '安娜', 'a' * 64, '3', 'a-b_c'])
    def test_names_of_people(self, name):
        assert check_person(name) == name

    @for_each('name', ['', '..', '.a', '../a', 'a/b', '/a', 'a\\b', 'a\n', 'a\x1b[0m', 'a' * 65,
                       ' a', '-a', 'a\x00', '~'])
    def test_names_that_could_lead_elsewhere_are_refused(self, name, tmp_path):
        with pytest.raises(InvalidRecordError, match='the name of a person must have 1 to 64 '
                           'letters') as raised:
            person_file(tmp_path, name)
        assert str(raised.value).isprintable()

    @for_each(('changes', 'message'), [
        ({'format': 2}, 'its format must be 1, got 2'),
        ({'person': 'bob'}, "it is about 'bob', expected 'bert'"),
        ({'person': '../bert'}, 'the name of a person must have'),
        ({'updated': '\x1b'}, 'updated must have 1 to 100 characters'),
        ({'answers': 3}, 'answers must be a list, got 3'),
        ({'more': 3}, "a profile has no field 'more'"),
        ({'answers': [{'session': 's', 'kind': 'guess', 'right': 1, 'wrong': 1}]},
         "kind must be one of ['action'"),
        ({'answers': [{'session': 's', 'kind': 'action', 'right': -1, 'wrong': 1}]},
         'right must be in [0, 100000], got -1'),
        ({'answers': [{'session': 's', 'kind': 'action', 'right': 1, 'wrong': float('nan')}]},
         'wrong must be in [0, 100000], got nan'),
        ({'answers': [{'session': '', 'kind': 'action', 'right': 1, 'wrong': 1}]},
         'session must have 1 to 100 characters'),
        ({'answers': [{'session': 's', 'kind': 'action', 'right': 1, 'wrong': 1}] * 2000},
         'answers must have at most'),
    ])
    def test_what_is_wrong_is_told_and_the_lesson_begins(self, tmp_path, changes, message):
        said = []
        people = People(tmp_path, said.append)
        path = person_file(tmp_path, 'bert')
        save_profile(CARELESS, path)
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
        before = path.read_bytes()
        assert people.known('bert') == Profile('bert')
        text, = said
        assert text.startswith(f'{path}: is not the profile of a person: ')
        assert message in text
        assert text.endswith('; the lesson begins as with somebody unknown. Restore the file or '
                             'delete it')
        assert text.isprintable()
        assert path.read_bytes() == before

    @for_each(('content', 'message'), [
        (b'', 'is not the profile of a person'), (b'[]', 'a profile must be an object, got []'),
        (b'[' * 100_000, 'is not the profile'), (b'\xff', 'is not the profile'),
        (b' ' * (MOST_BYTES + 1), f'expected at most {MOST_BYTES}')])
    def test_other_files_are_refused(self, tmp_path, content, message):
        (tmp_path / 'a.json').write_bytes(content)
        with pytest.raises(InvalidRecordError, match=re.escape(message)):
            load_profile(tmp_path / 'a.json', 'a')

    def test_a_pipe_is_not_waited_for_and_nobody_is_unknown(self, tmp_path, told):
        said, people = told
        (tmp_path / 'people').mkdir()
        os.mkfifo(tmp_path / 'people' / 'anna.json')
        assert people.known('anna') == Profile('anna')
        assert 'cannot be read: it is not an ordinary file' in said[0]
        assert people.known('nobody') == Profile('nobody')
        assert people.known('') is None
        assert len(said) == 1

    def test_a_disk_that_is_full_is_told(self, tmp_path):
        (tmp_path / 'people' / 'bert.json').mkdir(parents=True)
        with pytest.raises(NotSavedError, match="what is known of 'bert' cannot be saved"):
            save_profile(CARELESS, person_file(tmp_path, 'bert'))


class TestLesson:
    def test_who_was_right_is_believed_and_who_erred_is_asked_more(self, room, tmp_path):
        answers = {}
        for name, teacher in (('sure', CAREFUL_PERSON), ('unknown', None), ('careless', CARELESS)):
            lesson = taught(room, tmp_path / f'{name}.jsonl', teacher)
            answers[name] = len(lesson.answers)
            first = begun(room, tmp_path / f'{name}-1.jsonl', teacher)
            answers[f'{name} errs'] = error_rate(first.learner)
        assert answers['sure errs'] < 0.05 < answers['unknown errs'] < 0.2 \
            < answers['careless errs'] < 0.4
        assert answers['sure'] <= answers['unknown'] <= answers['careless']
        assert answers['sure'] < answers['careless']

    def test_at_its_end_the_answers_are_counted_once(self, room, tmp_path, told):
        said, people = told
        lesson = taught(room, tmp_path / 'a.jsonl', people.known('anna'))
        people.remember(lesson, 5 * 10**9)
        path = person_file(tmp_path, 'anna')
        first = path.read_bytes()
        people.remember(lesson, 6 * 10**9)
        assert path.read_bytes() == first
        profile = people.known('anna')
        assert {count.session for count in profile.answers} == {lesson.session}
        right, wrong = (sum(getattr(count, what) for count in profile.answers)
                        for what in ('right', 'wrong'))
        counted = sum(isinstance(answer, ActionAnswer) for answer in lesson.answers.values())
        assert right > 5 * wrong
        assert 0.8 * counted < right + wrong <= counted
        second = taught(room, tmp_path / 'b.jsonl', profile, seed=1)
        people.remember(second, 7 * 10**9)
        assert {count.session for count in people.known('anna').answers} \
            == {lesson.session, second.session}
        assert said == []

    def test_a_lesson_that_is_not_over_is_not_counted(self, room, tmp_path, told):
        _, people = told
        lesson = begun(room, tmp_path / 'a.jsonl', people.known('anna'))
        lesson.ask(3)
        people.remember(lesson, 5)
        people.remember(taught(room, tmp_path / 'b.jsonl', None), 5)    # nobody in particular
        assert not (tmp_path / 'people').exists()

    def test_a_damaged_file_stays_as_it_is(self, room, tmp_path, told):
        said, people = told
        path = person_file(tmp_path, 'anna')
        path.parent.mkdir()
        path.write_text('{')
        people.remember(taught(room, tmp_path / 'a.jsonl', people.known('anna')), 5)
        assert path.read_text() == '{'
        assert said[1].startswith(f"nothing is remembered of 'anna': {path}: ")

    def test_only_the_last_lessons_are_remembered(self, room, tmp_path):
        learner = Learner(room, caution=CAREFUL).tell(ActionAnswer(3, 1))
        profile = Profile('anna')
        for number in range(MAX_LESSONS + 5):
            profile = profile.with_lesson(f's-{number}', learner, 0)
        assert [count.session for count in profile.answers] \
            == [f's-{number}' for number in range(5, MAX_LESSONS + 5)]

    def test_killed_it_resumes_bit_for_bit_whatever_the_file_says_now(self, room, tmp_path):
        lesson = begun(room, tmp_path / 'a.jsonl', CARELESS)
        for number in range(4):
            copied = Path(shutil.copy(lesson.path, tmp_path / f'{number}.jsonl'))
            again = begun(room, copied, CAREFUL_PERSON if number % 2 else None)
            assert weights(again) == weights(lesson)
            assert again.standing.past.person == 'bert'
            assert again.ask(6) == lesson.ask(6)
            question = lesson.ask_about(10 + number, 7)
            lesson.take(AnswerRecord(question.id, ActionAnswer(10 + number, 1)))
        before = weights(lesson)
        lesson.use(Learner(room, caution=CAREFUL, stop=DEFAULT), lesson.asking, 7)
        assert weights(lesson) == before        # other settings, the same person

    def test_paper_mode_does_not_know_people(self, room, tmp_path, told):
        _, people = told
        lesson = begun(room, tmp_path / 'a.jsonl', CARELESS, caution=PAPER_MODE)
        assert lesson.standing.past.person == ''
        assert weights(lesson) == weights(begun(room, tmp_path / 'b.jsonl', caution=PAPER_MODE))
        people.remember(lesson, 5)
        assert not (tmp_path / 'people').exists()

    def test_a_journal_that_says_it_late_is_refused(self, room, tmp_path):
        lesson = begun(room, tmp_path / 'a.jsonl', CARELESS)
        lesson.close()
        with Journal(lesson.path) as journal:
            journal.append(journal.entries[1])
        with pytest.raises(JournalError, match='who teaches is said only once'):
            begun(room, lesson.path)
