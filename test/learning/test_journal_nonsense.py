"""A catalogue of journals whose every line has a right checksum, and that are nonsense."""

from __future__ import annotations

import itertools
import re
import zlib

import pytest
from cases import for_each
from small_lessons import TASK, open_lesson, random_lesson

from gbs_irl_ros.core.answers import ActionAnswer, DemonstrationAnswer, YesNoAnswer
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning import journal as module
from gbs_irl_ros.learning.events import (
    Asked,
    Began,
    Opened,
    Paused,
    Revised,
    Settled,
    Undone,
    Withdrawn,
    event_to_json,
)
from gbs_irl_ros.learning.journal import Journal, JournalError, decode
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord


def lines_of_a_lesson(folder, seed):
    path = folder / f'{seed}.jsonl'
    random_lesson(path, 16, seed=seed).close()
    return path.read_bytes().splitlines(keepends=True)


@pytest.fixture(scope='module')
def variants(tmp_path_factory):
    """Return what becomes of a journal when whole lines are moved about, by what was done."""
    folder = tmp_path_factory.mktemp('lessons')
    own, other = (lines_of_a_lesson(folder, seed) for seed in (1037, 3))
    count = len(own)
    found = {}
    for at in range(count):
        found[f'line {at} twice'] = [*own[:at + 1], *own[at:]]
        found[f'line {at} again at the end'] = [*own, own[at]]
        found[f'line {at} of another lesson instead'] = [
            *own[:at], other[at % len(other)], *own[at + 1:]]
        found[f'a line of another lesson before {at}'] = [*own[:at], other[-1], *own[at:]]
        if at < count - 1:
            found[f'without line {at}'] = own[:at] + own[at + 1:]
    for one, two in itertools.combinations(range(count), 2):
        swapped = list(own)
        swapped[one], swapped[two] = own[two], own[one]
        found[f'lines {one} and {two} change places'] = swapped
        if two < count - 1:
            found[f'without lines {one} to {two}'] = own[:one] + own[two + 1:]
    found['from the end to the beginning'] = own[::-1]
    found['two lessons in one'] = own + other
    # As two copies of one lesson that went on differently.
    found['the end of another lesson'] = own[:5] + other[5:]
    return {name: b''.join(lines) for name, lines in found.items()
            if lines not in (own, other)}


def is_opened(content):
    try:
        return decode(content, 'journal').entries != []
    except JournalError:
        return False


def opened_of(variants):
    return [name for name, content in variants.items() if is_opened(content)]


def test_no_journal_with_lines_moved_about_is_opened(variants):
    assert len(variants) > 351
    assert opened_of(variants) == []
    with pytest.raises(JournalError, match=r'^journal:3: the journal is damaged in the line .*; '
                                           r'it was changed, or is not the line that was written '
                                           r'here'):
        decode(variants['without line 2'], 'journal')


def test_checksums_of_single_lines_would_not_be_enough(variants):
    """A control: the same journals, with lines as they were written before."""
    singles = {}
    for name, content in variants.items():
        bodies = [line.split(b'"entry":', 1)[1][:-2].replace(b'"format":2', b'"format":1')
                  for line in content.splitlines(keepends=True)]
        singles[name] = b''.join(b'{"crc":"%08x","entry":%s}\n' % (zlib.crc32(body), body)
                                 for body in bodies)
    assert opened_of(singles) == list(variants)


def test_a_line_of_before_is_refused_behind_one_of_now_and_in_a_journal_of_now():
    body = b'{"n":1}'
    single = b'{"crc":"%08x","entry":%s}\n' % (zlib.crc32(body), body)
    assert decode(single, '').entries == [{'n': 1}]
    with pytest.raises(JournalError, match='journal:2: the journal is damaged'):
        decode(module.encode({'n': 0})[0] + single, 'journal')
    began = b'{"event":"began","format":2}'
    with pytest.raises(JournalError, match='journal:1: the journal is damaged'):
        decode(b'{"crc":"%08x","entry":%s}\n' % (zlib.crc32(began), began), 'journal')


def test_a_whole_last_line_that_does_not_belong_there_is_not_taken_for_a_torn_one():
    first, after = module.encode({'n': 0})
    second, last = module.encode({'n': 1}, after)[0], module.encode({'n': 2})[0]
    for end in (last[:-1], last[:-1] + b'x', second[:-1] + b'x'):
        with pytest.raises(JournalError, match='journal:2: the journal is damaged'):
            decode(first + end, 'journal')
    assert decode(first + last[:-2], 'journal').entries == [{'n': 0}]


# ---- what cannot have happened, with checksums that are right throughout ------------------------

BEGAN, OPENED = Began('s', TASK.hash, 'corridor', 1), Opened(1, {})
ACTION = Question(QuestionKind.ACTION, 0)
ASKED, ANSWERED = Asked('s-0', 0, ACTION, 1), AnswerRecord('s-0', ActionAnswer(0, 1))
SHOWN = DemonstrationRecord('shown-0', DemonstrationAnswer(((0, 1),)))
BEFORE = [BEGAN, OPENED, ASKED]
NO_QUESTION = ("no question with the id 's-1' was asked in this lesson (s); the answer is not "
               'used')
IMPOSSIBLE = [
    ([OPENED, BEGAN], 'the journal does not say how the lesson began'),
    ([*BEFORE, BEGAN], 'a lesson begins only once'),
    ([BEGAN, Asked('s-1', 1, ACTION, 1)],
     "question 0 must have the id 's-0', got number 1 with the id 's-1'"),
    ([*BEFORE, ASKED], "question 1 must have the id 's-1', got number 0 with the id 's-0'"),
    ([BEGAN, Asked('other-0', 0, ACTION, 1)],
     "question 0 must have the id 's-0', got number 0 with the id 'other-0'"),
    ([BEGAN, Asked('s-0', 0, Question(QuestionKind.ACTION, 99), 1)], 'state must be in 0 ..'),
    ([*BEFORE, Withdrawn('s-1')], NO_QUESTION),
    ([*BEFORE, AnswerRecord('s-1', ActionAnswer(0, 1))], NO_QUESTION),
    ([*BEFORE, ANSWERED, ANSWERED], "what has the id 's-0' was said before"),
    ([*BEFORE, AnswerRecord('s-0', ActionAnswer(3, 1))], 'does not answer'),
    ([*BEFORE, AnswerRecord('s-0', YesNoAnswer(0, 1, True))], 'does not answer'),
    ([*BEFORE, SHOWN, SHOWN], "what has the id 'shown-0' was said before"),
    ([*BEFORE, DemonstrationRecord('s-0', SHOWN.answer)],
     "what was shown unasked has the id 's-0' of a question"),
    ([*BEFORE, SHOWN, AnswerRecord('shown-0', ActionAnswer(0, 1))],
     "what has the id 'shown-0' was said before"),
    ([*BEFORE, Revised('s-0', ActionAnswer(0, 1))], "there is no answer 's-0' to be replaced"),
    ([*BEFORE, ANSWERED, Revised('s-0', ActionAnswer(3, 1))], 'does not answer'),
    ([*BEFORE, ANSWERED, SHOWN, Undone('s-0', 1)],
     "'s-0' is not the last answer, so it cannot have been taken back"),
]


@for_each('events, words', IMPOSSIBLE)
def test_what_cannot_have_happened_is_refused_with_its_line(events, words, tmp_path):
    path = tmp_path / 'lesson.jsonl'
    with Journal(path) as journal:
        for event in events:
            journal.append(event_to_json(event))
    before = path.read_bytes()
    with pytest.raises(JournalError, match=re.escape(words)) as raised:
        open_lesson(path)
    number = 1 if events[0] is OPENED else len(events)
    assert str(raised.value).startswith(f'{path}:{number}: ')
    assert path.read_bytes() == before


def test_all_that_can_happen_there_is_opened(tmp_path):
    """A control: the same events, where they belong."""
    path = tmp_path / 'lesson.jsonl'
    with Journal(path) as journal:
        for event in (*BEFORE, Withdrawn('s-0'), ANSWERED, SHOWN, Revised('s-0', ANSWERED.answer),
                      Revised('shown-0', ActionAnswer(3, 1)), Undone('shown-0', 1),
                      Paused(True, 1), Settled(True, 1)):
            journal.append(event_to_json(event))
    assert list(open_lesson(path).answers) == ['s-0']
