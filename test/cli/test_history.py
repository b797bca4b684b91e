"""`gbs-irl history`: a journal in words."""

from __future__ import annotations

import csv
import io
import re

import pytest

from gbs_irl_ros.cli.main import main
from gbs_irl_ros.core import CAREFUL, ActionAnswer, DemonstrationAnswer, DontKnowAnswer, Learner
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.shown_place import Place

STAMP = 1_700_000_000_000_000_000


@pytest.fixture(scope='module')
def room():
    return load_task('room')


@pytest.fixture
def journal(room, tmp_path):
    """A lesson with everything in it, still being written."""
    learner = Learner(room, caution=CAREFUL)
    lesson = Lesson.open(room, learner, tmp_path / 'room.jsonl', stamp=STAMP)
    first = lesson.ask(STAMP)
    lesson.take(AnswerRecord(first.id, ActionAnswer(first.question.state, 1), 'me', STAMP))
    second = lesson.ask(STAMP)
    lesson.take(AnswerRecord(second.id, DontKnowAnswer(second.question), 'me', STAMP))
    lesson.undo(STAMP)
    lesson.revise(AnswerRecord(first.id, ActionAnswer(first.question.state, 2), 'me', STAMP))
    shown = DemonstrationAnswer(((3, 2), (7, 1)))
    lesson.watch(DemonstrationRecord('d', shown, 'me', True, STAMP))
    for known_as, place in (('p', Place(True, 8, 3, 9, 4)), ('q', Place(False, 12, 8, 12, 8))):
        lesson.show_place(known_as, lesson.plan_place(place), STAMP, 'me')
    yield tmp_path / 'room.jsonl'
    lesson.close()


def test_it_says_what_happened_in_order(journal, capsys):
    assert main(['history', str(journal)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('lesson ')
    assert 'about room, begun 2023-11-1' in lines[0]
    first, second = dict.fromkeys(re.findall(r'go (at [^?]+)\?', '\n'.join(lines)))
    assert [line[21:] for line in lines[1:]] == [
        f'1. Which way should I go {first}? -- east',
        f"2. Which way should I go {second}? -- I don't know",
        'taken back: 2.',
        f'replaced: 1. Which way should I go {first}? -- south',
        'correction: south, east',
        'never over 2 cells from (8, 3) to (8, 4)', 'shown: go to (12, 8)']


def test_it_is_a_table_for_other_programs(journal, capsys):
    assert main(['history', str(journal), '--csv']) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline='')))
    assert [row['event'] for row in rows] == [
        'began', 'opened', 'asked', 'answered', 'asked', 'answered', 'undone', 'revised',
        'corrected', 'said unasked', 'place shown']
    assert (rows[3]['seconds'], rows[3]['certainty'], rows[3]['code']) == ('0.000', '', '')


@pytest.mark.parametrize(('content', 'text'), [
    (None, 'the journal cannot be read: No such file or directory'),
    ('', 'is not a journal of a lesson'),
    ('nonsense\n', ':1: the journal is damaged'),
])
def test_what_is_no_journal_is_refused(tmp_path, capsys, content, text):
    file = tmp_path / 'x.jsonl'
    if content is not None:
        file.write_text(content)
    assert main(['history', str(file)]) == 2
    assert text in capsys.readouterr().err


def test_a_lesson_about_another_content_of_the_task_is_refused(journal, capsys):
    assert main(['history', str(journal), '--task', 'grid_world']) == 2
    error = capsys.readouterr().err
    assert "than 'grid_world' has now" in error
    assert 'give its file with --task' in error
