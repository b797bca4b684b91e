"""How long answers take: from the journal to what is asked next, and to the next lesson."""

from __future__ import annotations

import json
import shutil

import pytest
from cases import for_each
from small_lessons import LEFT, TASK, open_lesson

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    GoHereAnswer,
    LaterAnswer,
)
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.pace import Pace
from gbs_irl_ros.core.queries.bits_per_second import BitsPerSecondQuery
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import StopRule
from gbs_irl_ros.learning.answer_times import AnswerTimes
from gbs_irl_ros.learning.events import (
    Asked,
    Changed,
    Opened,
    Paused,
    Revised,
    Settled,
    Undone,
    Withdrawn,
)
from gbs_irl_ros.learning.people import People
from gbs_irl_ros.learning.person import AnswerTime, Profile, load_profile, person_file
from gbs_irl_ros.learning.question_mix import QuestionMix
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, Status

SECOND = 1_000_000_000
ACTION, PLACE = Question(QuestionKind.ACTION, 3), Question(QuestionKind.PLACE, 3, options=(0, 4))


def asked(question=ACTION, at=10.0, number=0):
    return Asked(f's-{number}', number, question, int(at * SECOND))


def said(answer=None, at=14.0, number=0, kind=AnswerRecord):
    return kind(f's-{number}', answer or ActionAnswer(3, LEFT), 'page', int(at * SECOND))


SHOWN = DemonstrationRecord('d', DemonstrationAnswer(((3, LEFT),)), stamp=12 * SECOND)


@for_each(('events', 'seconds'), [
    ([asked(), said()], [4.0]),
    ([asked(PLACE), said(GoHereAnswer((4,)), 11.5)], [1.5]),
    ([asked(), said(), asked(at=15.0, number=1), said(at=17.0, number=1)], [4.0, 2.0]),
    ([asked(), said(), said(at=30.0, kind=Revised)], [4.0]),        # the first one counts
    ([asked(), said(), Undone('s-0', 20 * SECOND)], []),
    ([asked(), said(at=10.2)], []),             # nobody reads as fast
    ([asked(), said(at=9.0)], []),              # clocks that do not agree
    ([asked(), AnswerRecord('s-0', ActionAnswer(3, LEFT))], []),     # without a time
    ([asked(), said(DontKnowAnswer(ACTION))], []), ([asked(), said(LaterAnswer(ACTION))], []),
    ([asked(), said(GoHereAnswer((4,)))], []),      # another kind than the one asked for
    *(([asked(), between, said()], []) for between in (
        Opened(11, {}), Changed(11, {}), Paused(True, 11), Settled(False, 11), SHOWN,
        Withdrawn('s-0'), said(at=12.0, number=7, kind=Revised)))])
def test_only_what_a_person_took_for_this_question_counts(events, seconds):
    times = AnswerTimes()
    for event in events:
        times.follow(event)
    assert [each for _, each in times.seconds.values()] == seconds
    assert times.pace == Pace().timed(times.seconds.values())


def by_seconds(path, **options):
    return open_lesson(path, strategy=BitsPerSecondQuery(**options))


def take_long(lesson, count, seconds=25.0, start=100.0):
    """Answer questions, each after a while."""
    for number in range(count):
        question = lesson.ask(int((start + 100.0 * number) * SECOND))
        answer = ActionAnswer(question.question.state, LEFT) \
            if question.question.kind is QuestionKind.ACTION \
            else DemonstrationAnswer(((question.question.state, LEFT),)) \
            if question.question.kind is QuestionKind.DEMONSTRATION else GoHereAnswer((0,))
        lesson.take(AnswerRecord(question.id, answer, 'page', int(
            (start + 100.0 * number + seconds) * SECOND)))


def test_who_is_slow_at_a_kind_is_asked_another(tmp_path):
    among = ('place', 'action')
    first = by_seconds(tmp_path / 'quick.jsonl', among=among).ask(1).question.kind
    slow = {first.value: (60.0, 600.0)}
    profile = Profile('anna', times=(AnswerTime('s-1', first.value, *slow[first.value]),))
    lesson = open_lesson(tmp_path / 'slow.jsonl', strategy=BitsPerSecondQuery(among=among),
                         teacher=profile)
    assert lesson.ask(1).question.kind is not first
    assert lesson.standing.past.person == 'anna'


def test_what_was_measured_is_found_again_in_the_journal(tmp_path):
    lesson = by_seconds(tmp_path / 'lesson.jsonl', pace=Pace(way=2.0))
    for number in range(5):
        take_long(lesson, 1, seconds=3.0 + number, start=1000.0 * number)
        copy = shutil.copy(lesson.path, tmp_path / f'copy-{number}.jsonl')
        again = by_seconds(copy, pace=Pace(way=2.0))
        past, known = lesson.standing.past, again.standing.past
        assert known.pace(2.0) == past.pace(2.0)
        assert known.times.seconds == past.times.seconds
        asked_next = lesson.ask(10**15)
        assert again.ask(10**15).question == asked_next.question
        again.close()
    assert lesson.standing.past.times.means()
    assert lesson.standing.past.pace(2.0).way == 2.0
    assert lesson.learner.strategy.pace == Pace(way=2.0)        # what simulated lessons go by


def test_the_next_lesson_of_a_person_knows_them(tmp_path):
    told = []
    people = People(tmp_path, told.append)
    lesson = open_lesson(tmp_path / 'one.jsonl', teacher=people.known('anna'),
                         strategy=BitsPerSecondQuery(), stop=StopRule(max_answers=3))
    take_long(lesson, 3)
    lesson.ask(10**15)
    assert lesson.status is Status.DONE
    people.remember(lesson, 5)
    measured = tuple((kind, count, round(total, 6))
                     for kind, count, total in lesson.standing.past.times.pace.measured)
    known = people.known('anna')
    assert tuple((each.kind, each.count, each.total) for each in known.times) == measured
    assert {each.session for each in known.times} == {lesson.session}
    people.remember(lesson, 6)
    assert people.known('anna') == known
    second = open_lesson(tmp_path / 'two.jsonl', teacher=known, strategy=BitsPerSecondQuery())
    assert second.standing.past.pace(0.0).measured == measured
    assert not told


def test_a_file_from_before_times_were_kept_is_still_read(tmp_path):
    path = person_file(tmp_path, 'anna')
    path.parent.mkdir()
    path.write_text(json.dumps({'person': 'anna', 'answers': [], 'updated': 'never', 'format': 1}))
    assert load_profile(path, 'anna') == Profile('anna')


@for_each(('given', 'told'), [
    (('s', 'acton', 1.0, 1.0), "kind must be one of .*, got 'acton'"),
    (('s', 'action', -1.0, 1.0), r'count must be in \[0, 100000\], got -1.0'),
    (('s', 'action', 1.0, float('nan')), r'total must be in \[0, 100000\], got nan'),
    (('', 'action', 1.0, 1.0), 'session must have 1 to 100 characters')])
def test_times_that_cannot_be_are_refused(given, told):
    with pytest.raises(InvalidRecordError, match=told):
        AnswerTime(*given)


def test_only_so_many_times_are_kept():
    time = AnswerTime('s', 'action', 1.0, 1.0)
    with pytest.raises(InvalidRecordError, match='times must have at most 160 entries, got 161'):
        Profile('anna', times=(time,) * 161)
    profile = Profile('anna')
    for number in range(25):
        profile = profile.with_lesson(f's-{number}', Learner(TASK), 0, Pace((('action', 1, 2),)))
    assert [each.session for each in profile.times] == [f's-{number}' for number in range(5, 25)]


def test_a_lesson_of_before_kinds_were_chosen_goes_on_as_it_was_begun(tmp_path):
    path = tmp_path / 'lesson.jsonl'
    before = {'strategy': 'gbs3', 'strategy_options': 'c_hat=0.5', 'question_kinds': 'yes_no',
              'demonstration_steps': 4, 'none_of_these': 0.0, 'closing_question': False}
    open_lesson(path, settings=before).close()
    again = open_lesson(path, strategy=BitsPerSecondQuery(), settings={'disliked_kinds': ''})
    assert (again.learner.strategy.name, again.learner.strategy.c_hat) == ('gbs3', 0.5)
    assert again.asking == QuestionMix(('yes_no',), 4)
    assert again.is_of_earlier_version
    assert again.ask(2).question.kind is QuestionKind.YES_NO
    again.close()
    wanted = open_lesson(path, strategy='random')       # somebody has said so now
    assert wanted.learner.strategy.name == 'random'
    wanted.close()
    for settings in ({}, {**before, 'disliked_kinds': ''}):
        path = tmp_path / f'{len(settings)}.jsonl'
        open_lesson(path, strategy=GbsQuery(), settings=settings).close()
        new = open_lesson(path, strategy=BitsPerSecondQuery())
        assert new.learner.strategy == BitsPerSecondQuery()
        assert not new.is_of_earlier_version
