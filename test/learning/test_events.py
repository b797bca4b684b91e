"""What stands in a journal, there and back."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from typing import get_args

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    GoHereAnswer,
    LaterAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    RewardAnswer,
    TaskAnswer,
    WordsAnswer,
    WrongHereAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError, InvalidRecordError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.events import (
    FORMAT,
    Asked,
    Began,
    Changed,
    Event,
    Met,
    Opened,
    Paused,
    Revised,
    Settled,
    TaughtBefore,
    Undone,
    Withdrawn,
    event_from_json,
    event_to_json,
)
from gbs_irl_ros.learning.json_values import answer_from_json, object_from_json, to_json
from gbs_irl_ros.learning.person import AnswerCount
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    DemonstrationRecord,
    InventionRecord,
    PlaceRecord,
)
from gbs_irl_ros.learning.taught import TaughtBelief, TaughtPlace, TaughtTask
from gbs_irl_ros.tasks.invention import Idea, Invention
from gbs_irl_ros.tasks.shown_place import Place

MODEST = settings(deadline=None, derandomize=True, max_examples=60)
BELIEF = TaughtBelief('room', 'ab' * 32, '2026-01-01', True, 0.9, (TaughtTask('go to é', 0.9),), 1,
                      0.04, 0.06, (TaughtPlace(True, (1, 2, 3, 4), (0.5, 1.0, 2.0, 2.5), 'rug'),))
QUESTIONS = [
    Question(QuestionKind.ACTION, 3), Question(QuestionKind.YES_NO, 3, 0),
    Question(QuestionKind.REWARD, 3), Question(QuestionKind.REWARD, 3, 2),
    Question(QuestionKind.DEMONSTRATION, 3, steps=4),
    Question(QuestionKind.PLACE, 3, options=(4, 0), labels=('the desk', 'é')),
    Question(QuestionKind.PLACE, 3), Question(QuestionKind.TASK, 0, options=(7, 2)),
    Question(QuestionKind.COMPARE, 3, route=((3, 1), (4, 0)), other_route=((3, 0),)),
    Question(QuestionKind.CONFIRM, 3, route=((3, 1), (4, 0)))]
UNASKED = [DemonstrationAnswer(((3, 1), (4, 0))), GoHereAnswer((3, 4)), NeverHereAnswer((3,)),
           OnTheWayAnswer((4,)), WordsAnswer('to the é', (7, 2))]
GIVEN = [
    ActionAnswer(3, 1), YesNoAnswer(3, 0, True), YesNoAnswer(3, 0, False), RewardAnswer(3, -0.1),
    RewardAnswer(3, 2, 1), AllTheSameAnswer(3), EitherAnswer(3, (0, 1)), *UNASKED,
    TaskAnswer(QUESTIONS[-3], 2), NoneOfTheseAnswer(QUESTIONS[-3]),
    CompareAnswer(QUESTIONS[-2], 1),
    ConfirmAnswer(QUESTIONS[-1], True), WrongHereAnswer(QUESTIONS[-1], 4),
    *(kind(question) for kind in (DontKnowAnswer, LaterAnswer) for question in QUESTIONS)]
SHOWN = DemonstrationRecord('d-1', DemonstrationAnswer(((3, 1),)), 'teleop', True, 5)
EVENTS = [
    Began('s', 'f00', 'room', 5), Opened(5, {'strategy': 'gbs', 'kinds': ['action']}),
    Changed(5, {'strategy': 'random', 'kinds': []}),
    *(Asked(f's-{number}', number, question, 5) for number, question in enumerate(QUESTIONS)),
    *(AnswerRecord('s-0', answer, 'page', 5) for answer in GIVEN),
    SHOWN, dataclasses.replace(SHOWN, correction=False),
    *(DemonstrationRecord('d-2', answer, 'page', False, 5) for answer in UNASKED),
    PlaceRecord('p-1', Place(True, 3, 2, 5, 4, (0, 7)), 'page', 5),
    PlaceRecord('p-2', Place(False, 3, 2, 3, 2), 'page', 5),
    InventionRecord('i-1', Invention((Idea(3, 7), Idea(2, -1, 'rug', 'never'),
                                      Idea(0, weights=(0.5, -1.0))), 90, (1, 2)), 'page', 5),
    Met('anna', (AnswerCount('s', 'action', 3.5, 0.5),), 5), Met('anna', (), 5),
    TaughtBefore(BELIEF, (Place(True, 3, 2, 5, 4, (0, 7)),), True, 5),
    TaughtBefore(dataclasses.replace(BELIEF, places=()), (), False, 5),
    Withdrawn('s-1'), Undone('s-0', 5), Paused(True, 5), Paused(False, 5), Settled(True, 5),
    Settled(False, 5),
    *(Revised('s-0', answer, 'page', 5) for answer in GIVEN)]


def carried(values):
    """Return what is left of values on their way through a file."""
    return json.loads(json.dumps(values, allow_nan=False))


def test_an_answer_as_it_stands_in_the_file():
    given = AnswerRecord('s-0', ActionAnswer(3, 1), 'page', 5)
    assert event_to_json(given) == {
        'event': 'answered', 'id': 's-0', 'by': 'page', 'stamp': 5,
        'answer': {'kind': 'action', 'state': 3, 'action': 1}}


def test_a_demonstration_as_it_stands_in_the_file():
    assert event_to_json(SHOWN) == {
        'event': 'demonstrated', 'id': 'd-1', 'by': 'teleop', 'correction': True, 'stamp': 5,
        'answer': {'kind': 'demonstration', 'steps': [[3, 1]]}}


def test_a_question_as_it_stands_in_the_file():
    asked = Asked('s-0', 0, Question(QuestionKind.YES_NO, 3, 2), 5)
    assert event_to_json(asked) == {
        'event': 'asked', 'id': 's-0', 'number': 0, 'stamp': 5,
        'question': {'kind': 'yes_no', 'state': 3, 'action': 2, 'steps': 1}}


def test_the_first_entry_says_the_format_the_session_and_the_task():
    assert event_to_json(Began('s', 'f00', 'room', 5)) == {
        'event': 'began', 'session': 's', 'task_hash': 'f00', 'task_name': 'room', 'stamp': 5,
        'format': FORMAT}


def test_other_settings_as_they_stand_in_the_file():
    assert event_to_json(Changed(5, {'strategy': 'random'})) == {
        'event': 'changed', 'stamp': 5, 'settings': {'strategy': 'random'}}


@pytest.mark.parametrize('flag', [True, False])
def test_a_pause_and_its_end_as_they_stand_in_the_file(flag):
    assert event_to_json(Paused(flag, 5)) == {'event': 'paused', 'paused': flag, 'stamp': 5}
    assert event_to_json(Settled(flag, 5)) == {'event': 'settled', 'settled': flag, 'stamp': 5}


@for_each('event', EVENTS, ids=repr)
def test_every_event_comes_back_the_same(event):
    back = event_from_json(carried(event_to_json(event)))
    assert back == event
    assert type(back) is type(event)


@for_each('question', QUESTIONS, ids=repr)
def test_every_question_comes_back_the_same(question):
    assert object_from_json(Question, 'a question', carried(to_json(question))) == question


def test_every_kind_of_event_and_of_answer_is_tried_here():
    assert {type(event) for event in EVENTS} == set(get_args(Event))
    assert {type(answer) for answer in GIVEN} == set(get_args(Answer))


@for_each('answer', [
    ActionAnswer(np.int64(3), np.uint8(1)), YesNoAnswer(np.int32(3), np.int64(0), np.bool_(True)),
    RewardAnswer(np.int64(3), np.float64(0.1), np.int64(1)), RewardAnswer(3, np.float32(0.1)),
    DemonstrationAnswer(np.array([[3, 1], [4, 0]])), AllTheSameAnswer(np.int64(3)),
    EitherAnswer(np.int64(3), np.array([1, 0])),
    DontKnowAnswer(Question(QuestionKind.YES_NO, np.int64(3), np.int64(1))),
], ids=lambda answer: type(answer).__name__)
def test_numbers_of_numpy_are_written_as_plain_ones(answer):
    assert answer_from_json(carried(to_json(answer))) == answer


@MODEST
@given(some.floats(allow_nan=False, allow_infinity=False))
def test_a_reward_comes_back_to_the_last_bit(reward):
    back = answer_from_json(carried(to_json(RewardAnswer(0, reward))))
    assert back.reward.hex() == reward.hex()


@MODEST
@given(some.text(min_size=1), some.text())
def test_any_text_comes_back(name, by):
    event = AnswerRecord(name, AllTheSameAnswer(0), by, 0)
    assert event_from_json(carried(event_to_json(event))) == event


def test_an_answer_that_is_no_number_cannot_be_written():
    with pytest.raises(ValueError, match='not JSON compliant'):
        carried(to_json(RewardAnswer(0, math.nan)))


# What is refused.

def changed(event, **fields):
    return {**carried(event_to_json(event)), **fields}


ASKED = Asked('s-0', 0, QUESTIONS[0], 5)
ANSWERED = AnswerRecord('s-0', ActionAnswer(3, 1), 'page', 5)


@for_each(('entry', 'text'), [
    ({}, r"event must be one of \['answered', 'asked', .*\], got None"),
    ({'event': 'forgotten'}, r"event must be one of .*, got 'forgotten'"),
    ({'event': 7}, 'event must be one of .*, got 7'),
    ({'event': 'undone', 'id': 's-0'},
     r"the event 'undone' must have the field 'stamp', got {'id': 's-0'}"),
    ({'event': 'undone', 'id': 's-0', 'stamp': 5, 'why': ''},
     r"the event 'undone' has no field 'why'; expected \['id', 'stamp'\]"),
    (changed(ASKED, question={'kind': 'action'}),
     r"a question must have the field 'state', got {'kind': 'action'}"),
    (changed(ASKED, question={'kind': 'why', 'state': 3}), "unknown question kind 'why'"),
    (changed(ANSWERED, id=''), 'id must not be empty'),
    (changed(ANSWERED, answer={}), r"kind of an answer must be one of \['action', .*, got None"),
    (changed(ANSWERED, answer={'kind': 'shrug'}), "kind of an answer must be .*, got 'shrug'"),
    (changed(ANSWERED, answer={'kind': 'action', 'state': 3}),
     r"an answer of kind 'action' must have the field 'action', got {'state': 3}"),
    (changed(ANSWERED, answer={'kind': 'demonstration', 'steps': []}), 'at least one step'),
    (changed(ANSWERED, answer={'kind': 'demonstration', 'steps': [[1, 2, 3]]}),
     r'^steps\[0\] must be 2 values, got \[1, 2, 3\]$'),
    (changed(ANSWERED, answer={'kind': 'demonstration', 'steps': 3}),
     'steps must be a list, got 3'),
    (changed(ANSWERED, answer={'kind': 'demonstration', 'steps': [[1, 2], [3, '4']]}),
     r"steps\[1\]\[1\] must be a whole number, got '4'"),
    (changed(ANSWERED, answer={'kind': 'reward', 'state': 3, 'reward': '1'}),
     "reward must be a number, got '1'"),
    (changed(ANSWERED, answer={'kind': 'reward', 'state': 3, 'reward': 'x' * 3_000_000}),
     r"^reward must be a number, got 'x{199} \.\.\. \(3000002 characters\)$"),
    (changed(ASKED, question={'kind': 'confirm', 'state': 2, 'route': [[2, 1], [1]]}),
     r'^route\[1\] must be 2 values, got \[1\]$'),
    (changed(SHOWN, answer={'kind': 'all_the_same', 'state': 3}),
     r"kind of an answer must be one of \['demonstration', 'go_here', .*\], got 'all_the_same'"),
])
def test_what_is_no_event_is_refused(entry, text):
    with pytest.raises(GbsIrlError, match=text):
        event_from_json(entry)


@for_each('wrong', [None, True, 7, 'shrug', [], [1]], ids=repr)
def test_what_is_not_even_of_the_right_type_is_refused_as_well(wrong):
    for entry, text in (
            (changed(ASKED, question=wrong), 'a question must be an object'),
            (changed(ANSWERED, answer=wrong), 'an answer must be an object'),
            (changed(ANSWERED, answer={'kind': 'later', 'question': wrong}),
             'a question must be an object'),
            (changed(SHOWN, answer=wrong), 'an answer must be an object')):
        with pytest.raises(InvalidRecordError, match=re.escape(f'{text}, got {wrong!r}')):
            event_from_json(entry)


@for_each('wrong', [None, 0, 1, 1.0, '', 'true', [], [True], {}], ids=repr)
def test_a_pause_is_true_or_false_and_nothing_else(wrong):
    for event, key in ((Paused(True, 5), 'paused'), (Settled(True, 5), 'settled')):
        with pytest.raises(InvalidRecordError, match=re.escape(
                f'{key} must be true or false, got {wrong!r}')):
            event_from_json(changed(event, **{key: wrong}))


@pytest.mark.parametrize('event', [Paused(True, 5), Settled(True, 5)], ids=repr)
def test_a_pause_has_all_its_fields_and_no_others(event):
    key = type(event).__name__.lower()
    for entry, text in (({'event': key, key: True}, "must have the field 'stamp'"),
                        ({'event': key, 'stamp': 5}, f"must have the field '{key}'"),
                        (changed(event, why=''), "has no field 'why'"),
                        (changed(event, stamp=True), 'stamp must be a whole number, got True')):
        with pytest.raises(InvalidRecordError, match=text):
            event_from_json(entry)


@for_each('kind', [None, True, 7, [], ['action'], {}, {'action': 1}], ids=repr)
def test_a_kind_that_is_no_text_is_refused_as_well(kind):
    for entry, text in (({'event': kind}, 'event must be one of'),
                        (changed(ANSWERED, answer={'kind': kind}), 'kind of an answer must be')):
        with pytest.raises(InvalidRecordError, match=rf'{text} .*, got {re.escape(repr(kind))}'):
            event_from_json(entry)
    with pytest.raises(GbsIrlError, match=f'unknown question kind {re.escape(repr(kind))}'):
        event_from_json(changed(ASKED, question={'kind': kind, 'state': 3}))


@for_each('fields', [
    {}, {'format': 3}, {'format': '1'}, {'format': None, 'language': 'en'},
    {'format': [1], 'session': 's'}], ids=repr)
def test_another_format_is_told_before_anything_else_that_is_wrong_with_it(fields):
    with pytest.raises(InvalidRecordError, match=re.escape(
            f'the format of this journal is {fields.get("format")!r}; expected one of [1, 2]')):
        event_from_json({'event': 'began', **fields})


def test_in_this_format_the_other_fields_matter():
    with pytest.raises(InvalidRecordError, match="must have the field 'task_hash'"):
        event_from_json({'event': 'began', 'format': FORMAT, 'session': 's', 'stamp': 5})
    with pytest.raises(InvalidRecordError, match="has no field 'language'"):
        event_from_json(changed(EVENTS[0], language='en'))


def test_errors_are_about_the_record_and_keep_their_kind():
    with pytest.raises(InvalidRecordError):
        event_from_json({'event': 'undone'})
    with pytest.raises(InvalidAnswerError):
        event_from_json(changed(ANSWERED, answer={'kind': 'demonstration', 'steps': []}))


def test_reading_leaves_the_entry_as_it_was():
    for event in EVENTS:
        entry = carried(event_to_json(event))
        event_from_json(entry)
        assert entry == event_to_json(event)
