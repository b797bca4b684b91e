"""The CSV file of a user study: rows from events, kept whole over restarts and full disks."""

from __future__ import annotations

import csv
import io
import json
import stat

import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, corridor_task, open_lesson, random_lesson

from gbs_irl_ros.core.answers import ActionAnswer, DemonstrationAnswer, GoHereAnswer, WordsAnswer
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import StopRule
from gbs_irl_ros.learning.events import (
    EVENTS,
    Asked,
    Began,
    Changed,
    Met,
    Opened,
    Paused,
    Revised,
    Settled,
    Undone,
    Withdrawn,
    event_from_json,
)
from gbs_irl_ros.learning.journal import read_journal
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, PlaceRecord
from gbs_irl_ros.learning.study_file import (
    COLUMNS,
    NAMES,
    OF_THE_BELIEF,
    StudyFile,
    StudyRows,
    check_code,
    study_path,
    write_csv,
)
from gbs_irl_ros.tasks.shown_place import Place

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND
STUDY = {'study': 'P07'}
NASTY = 'to "A",\nthen; B\r\n=1+1 ü'
WORDS = 'to "A", then; \'B\' ü'       # in which there is no line break


def at(seconds):
    return START + int(seconds * SECOND)


def read(path):
    with path.open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def told(rows, *columns):
    return [tuple(row.get(name, '') for name in columns) for row in rows]


def test_every_event_of_a_journal_has_its_row():
    action = Question(QuestionKind.ACTION, 3)
    rows = StudyRows.of([
        Began('5e55', 'hash', 'corridor', at(0)), Met('Anna Bell', (), at(0)),
        Opened(at(0), STUDY),
        Asked('5e55-0', 0, action, at(1)),
        AnswerRecord('5e55-0', ActionAnswer(3, LEFT), 'page', at(3.25)),
        Asked('5e55-1', 1, action, at(4)), Paused(True, at(5)), Paused(False, at(6)),
        AnswerRecord('5e55-1', ActionAnswer(3, RIGHT), 'page', at(9)),
        Undone('5e55-1', at(10)),
        Revised('5e55-0', ActionAnswer(3, RIGHT), 'page', at(11)),
        DemonstrationRecord('d', DemonstrationAnswer(((0, LEFT),)), stamp=at(12)),
        DemonstrationRecord('c', DemonstrationAnswer(((0, LEFT),)), 'page', True, at(13)),
        DemonstrationRecord('w', GoHereAnswer((4,)), stamp=at(14)),
        PlaceRecord('p', Place(True, 1, 2, 1, 2), stamp=at(15)),
        Asked('5e55-2', 2, action, at(16)), Withdrawn('5e55-2'),
        Asked('5e55-3', 3, action, at(17)),
        AnswerRecord('5e55-3', ActionAnswer(3, LEFT), 'page', at(16)),     # clocks differ
        Settled(True, at(18)), Settled(False, at(19)),
        Changed(at(20), {'study': 'P08'})]).rows
    assert told(rows, 'event', 'question', 'kind', 'state', 'answer_kind', 'seconds',
                'interrupted') == [
        ('began', '', '', '', '', '', ''), ('person known', '', '', '', '', '', ''),
        ('opened', '', '', '', '', '', ''),
        ('asked', '1', 'action', '3', '', '', ''),
        ('answered', '1', 'action', '3', 'action', '2.250', 'no'),
        ('asked', '2', 'action', '3', '', '', ''),
        ('paused', '', '', '', '', '', ''), ('resumed', '', '', '', '', '', ''),
        ('answered', '2', 'action', '3', 'action', '5.000', 'yes'),
        ('undone', '2', 'action', '3', '', '', ''),
        ('revised', '1', 'action', '3', 'action', '', ''),
        ('demonstrated', '', '', '', 'demonstration', '', ''),
        ('corrected', '', '', '', 'demonstration', '', ''),
        ('said unasked', '', '', '', 'go_here', '', ''),
        ('place shown', '', '', '', 'place', '', ''),
        ('asked', '3', 'action', '3', '', '', ''), ('withdrawn', '3', 'action', '3', '', '', ''),
        ('asked', '4', 'action', '3', '', '', ''),
        ('answered', '4', 'action', '3', 'action', '', ''),
        ('good enough', '', '', '', '', '', ''), ('asked for more', '', '', '', '', '', ''),
        ('settings changed', '', '', '', '', '', '')]
    assert [row['number'] for row in rows] == [str(each) for each in range(1, len(rows) + 1)]
    assert {row['lesson'] for row in rows} == {'5e55'}
    assert {row['task'] for row in rows} == {'corridor'}
    assert [row['code'] for row in rows] == ['', '', *['P07'] * (len(rows) - 3), 'P08']
    assert rows[4]['stamp'] == '2023-11-14T22:13:23.250+00:00'
    assert json.loads(rows[4]['answer']) == {'kind': 'action', 'state': 3, 'action': LEFT}
    assert 'Anna' not in str(rows)      # a pseudonym is all that it says of a person


def test_each_kind_of_event_has_a_name():
    assert {*NAMES, DemonstrationRecord, Paused, Settled} == set(EVENTS.values())


def test_words_with_commas_quotes_and_line_breaks_come_back(tmp_path):
    task = corridor_task(name=NASTY)
    lesson = open_lesson(tmp_path / 'lesson.jsonl', task, settings=STUDY)
    lesson.watch(DemonstrationRecord('w', WordsAnswer(WORDS, (1,)), stamp=at(1)))
    StudyFile(tmp_path, 'P07', pytest.fail).write(lesson)
    last = read(study_path(tmp_path, 'P07', lesson.session))[-1]
    assert (last['task'], json.loads(last['answer'])['text']) == (NASTY, WORDS)
    assert list(last) == list(COLUMNS)


def answer(lesson, seconds, action=LEFT):
    question = lesson.ask(at(seconds))
    lesson.take(AnswerRecord(question.id, ActionAnswer(question.question.state, action), 'page',
                             at(seconds + 1)))
    lesson.ask(at(seconds + 1))


def test_a_learner_that_starts_again_continues_the_file(tmp_path):
    """Also if it was killed between the journal and the file."""
    journal = tmp_path / 'lesson.jsonl'
    lesson = open_lesson(journal, settings=STUDY)
    file = StudyFile(tmp_path, 'P07', pytest.fail)
    path = study_path(tmp_path, 'P07', lesson.session)
    file.write(lesson)
    answer(lesson, 0)
    file.write(lesson)
    before = read(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert told(before[-2:], 'event', 'favourite', 'done') == [
        (event, lesson.standing.favourite, 'no') for event in ('answered', 'asked')]
    probabilities = lesson.learner.situation.posterior.probabilities
    assert before[-2]['probability'] == f'{probabilities.max():.6f}'
    assert before[-2]['certainty'] == f'{lesson.learner.certainty:.6f}'
    answer(lesson, 10)          # which the file does not get to know
    lost = f'{lesson.learner.certainty:.6f}'
    lesson.close()

    again = open_lesson(journal, settings=STUDY, stamp=at(20))
    file = StudyFile(tmp_path, 'P07', pytest.fail)
    file.write(again)
    rows = read(path)
    assert rows[:len(before)] == before
    assert told(rows[len(before):], 'event', 'certainty') == [
        ('answered', lost), ('asked', lost), ('opened', lost)]
    content = path.read_bytes()
    file.write(again)
    StudyFile(tmp_path, 'P07', pytest.fail).write(again)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_what_was_believed_is_not_made_up(tmp_path):
    """Of several answers at once only the last belief is known; a file of others has none."""
    lesson = open_lesson(tmp_path / 'lesson.jsonl', settings=STUDY)
    path = study_path(tmp_path, 'P07', lesson.session)
    for content in (b'', b'number,certainty\n5,0.5\n', b'\xff\x00"'):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        answer(lesson, 0)
        StudyFile(tmp_path, 'P07', pytest.fail).write(lesson)
        believed = [row['event'] for row in read(path) if row['certainty']]
        assert believed == ['opened', 'asked', 'answered', 'asked'][-len(believed):]
        assert len(believed) <= 2
        assert read(path)[-1]['number'] == str(len(read_journal(lesson.path)))


def test_the_end_of_a_lesson_is_told(tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', settings=STUDY, stop=StopRule(max_answers=2))
    file = StudyFile(tmp_path, 'P07', pytest.fail)
    for number in range(2):
        answer(lesson, 10 * number)
        file.write(lesson)
    rows = read(study_path(tmp_path, 'P07', lesson.session))
    assert [row['done'] for row in rows if row['event'] == 'answered'] == ['no', 'yes']


def test_whatever_happens_the_journal_gives_the_same_rows(tmp_path):
    lesson = random_lesson(tmp_path / 'lesson.jsonl', 60, settings=STUDY)
    StudyFile(tmp_path, 'P07', pytest.fail).write(lesson)
    rows = read(study_path(tmp_path, 'P07', lesson.session))
    text = io.StringIO()
    write_csv(StudyRows.of(map(event_from_json, read_journal(lesson.path))).rows, text)
    again = list(csv.DictReader(io.StringIO(text.getvalue(), newline='')))
    assert len(rows) == len(lesson.standing.past.events) > 60
    for row in (*rows, *again):
        for name in OF_THE_BELIEF:
            del row[name]
    assert rows == again


def test_a_disk_that_fails_is_told_once_and_loses_nothing(tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', settings=STUDY)
    (tmp_path / 'studies').write_text('in the way')
    warnings = []
    file = StudyFile(tmp_path, 'P07', warnings.append)
    for number in range(3):
        answer(lesson, 10 * number)
        file.write(lesson)
    warning, = warnings
    assert 'the file of the study cannot be written: File exists; the lesson continues, and its ' \
           'journal has all events. Make room or fix the disk' in warning
    (tmp_path / 'studies').unlink()
    file.write(lesson)
    rows = read(study_path(tmp_path, 'P07', lesson.session))
    assert len(rows) == len(lesson.standing.past.events)
    assert all(row['certainty'] for row in rows if row['event'] == 'answered')


@for_each('code', ['', 'Anna B', '../a', 'a/b', 'a.b', 'P07\n', 'é', 'x' * 41, '٣'])
def test_a_code_that_cannot_name_a_file_is_refused(code):
    with pytest.raises(InvalidRecordError) as caught:
        check_code(code)
    assert 'the code of a participant must have 1 to 40 letters from a to z, digits, "_" and ' \
           '"-", for it names a file, got ' in str(caught.value)
    assert check_code('x' * 40) == 'x' * 40
