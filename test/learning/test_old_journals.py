"""Journals written by earlier versions are still read, and mean the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.caution import CAREFUL, PAPER_MODE
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.learning.events import event_from_json, event_to_json
from gbs_irl_ros.learning.journal import JournalError, decode, encode, read_journal
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.question_mix import QuestionMix
from gbs_irl_ros.tasks import load_task

FOLDER = Path(__file__).parent / 'journals'
EXPECTED = json.loads((FOLDER / 'expected.json').read_text())


@for_each('caution', [PAPER_MODE, CAREFUL], ids=['paper', 'careful'])
@for_each('name', EXPECTED)
def test_a_lesson_of_an_earlier_version_is_opened_with_the_same_belief(name, caution, tmp_path):
    expected = EXPECTED[name]
    path = Path(shutil.copy(FOLDER / f'{name}.jsonl', tmp_path))
    task = load_task(expected['task'])
    mix = QuestionMix(('action', 'yes_no', 'reward', 'demonstration'))
    lesson = Lesson.open(task, Learner(task, expected['strategy'], expected['seed'],
                                       caution=caution), path, stamp=5, asking=mix)
    asked = lesson.ask(5)
    assert (asked.id if asked else None) == expected['open_question']
    assert lesson.status.value == expected['status']
    assert lesson.session == expected['session']
    assert list(lesson.answers) == expected['answers']
    assert list(lesson.acknowledged) == expected['acknowledged']
    assert [entry.said for entry in lesson.history(5).entries] == expected['said']
    probabilities = lesson.learner.posterior.probabilities
    for number, probability in expected['most_probable'].items():
        assert probabilities[int(number)] == pytest.approx(probability, rel=1e-9)
    believed = probabilities[probabilities > 0.0]
    assert -np.sum(believed * np.log(believed)) == pytest.approx(expected['entropy_nats'])
    lesson.close()


@for_each('name', EXPECTED)
def test_the_events_on_disk_have_not_changed_by_a_byte(name):
    content = (FOLDER / f'{name}.jsonl').read_bytes()
    bodies = [line.split(b'"entry":', 1)[1][:-1] for line in content.splitlines()]
    for entry, body in zip(read_journal(FOLDER / f'{name}.jsonl'), bodies, strict=True):
        again = event_to_json(event_from_json(entry))
        assert encode(again)[0].split(b'"entry":', 1)[1] == body + b'}\n'


def test_a_lesson_of_an_earlier_version_is_sealed_when_it_goes_on(tmp_path):
    name = 'every_event'
    expected = EXPECTED[name]
    path = Path(shutil.copy(FOLDER / f'{name}.jsonl', tmp_path))
    old = path.read_bytes()
    task = load_task(expected['task'])
    Lesson.open(task, Learner(task, seed=expected['seed']), path, stamp=5).close()
    content = path.read_bytes()
    assert content.startswith(old)
    assert content[len(old):].startswith(b'{"sum":"')
    lines = content.splitlines(keepends=True)
    changed = [b''.join(lines[:at] + lines[at + 1:]) for at in range(len(lines) - 1)]
    changed += [content + lines[0], content + lines[-1]]
    for wrong in changed:
        with pytest.raises(JournalError, match='the journal is damaged in the line'):
            decode(wrong, str(path))


def test_the_journals_have_every_kind_of_event_and_of_answer():
    entries = [entry for name in EXPECTED for entry in read_journal(FOLDER / f'{name}.jsonl')]
    assert {entry['event'] for entry in entries} == {
        'began', 'opened', 'changed', 'asked', 'withdrawn', 'answered', 'demonstrated', 'undone',
        'revised', 'paused', 'settled'}
    assert {entry['answer']['kind'] for entry in entries if 'answer' in entry} == {
        'action', 'yes_no', 'reward', 'demonstration', 'all_the_same', 'dont_know', 'later'}
