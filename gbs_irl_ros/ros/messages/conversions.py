"""
Between messages and the records of a lesson.

This file and ``task_conversions``, for the task, alone touch the fields of our messages.

rclpy does not check fields by default: an int in a float64 field arrives as another number, an
integer too large for its field is cut, a NUL ends a string. So everything that leaves passes
through ``ros.messages.fields``; what arrives is checked by the types it is made into.
"""

from __future__ import annotations

import array
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, get_args

import numpy as np
from builtin_interfaces.msg import Time

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import KINDS, Answer, Unasked, answer_to
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.core.theory.forecast import Forecast
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.lesson_state import step_of
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    DemonstrationRecord,
    HeartbeatRecord,
    HistoryEntry,
    HistoryRecord,
    InventionRecord,
    PlaceRecord,
    PolicyRecord,
    QuestionRecord,
    Rival,
    Status,
)
from gbs_irl_ros.ros.messages.fields import (
    into,
    key_of,
    numbers,
    out_of,
    real,
    text,
    texts,
    to_array,
    whole,
)
from gbs_irl_ros.tasks.growth import Step
from gbs_irl_ros.tasks.invention import AS_LISTED, Idea, Invention
from gbs_irl_ros.tasks.shown_place import Place

BILLION = 1_000_000_000

QUESTION_KINDS = {each: getattr(msg.Question, each.name) for each in QuestionKind}
ANSWER_KINDS = {kind: getattr(msg.Answer, kind.upper()) for kind in KINDS}
UNASKED_KINDS = {made.kind: getattr(msg.Demonstration, made.kind.upper())
                 for made in get_args(Unasked)}
STATUSES = {each: getattr(msg.Belief, each.name) for each in Status}
DONE_REASONS = {each: getattr(msg.Belief, each.name) for each in DoneReason}
EXECUTION_STATUSES = {each: getattr(msg.Execution, each.name) for each in ExecutionStatus}
EXECUTION_REASONS = {each: getattr(msg.Execution, each.name) for each in ExecutionReason}


# ---- questions and answers ---------------------------------------------------------------------

def question_to_msg(record: QuestionRecord) -> msg.Question:
    """Return a Question message."""
    question = record.question
    return msg.Question(
        id=text('id', record.id), session=text('session', record.session),
        number=whole('number', record.number, 32), kind=QUESTION_KINDS[question.kind],
        state=whole('state', question.state, 32), has_action=question.action is not None,
        action=whole('action', question.action or 0, 32),
        steps=whole('steps', question.steps, 32), route=_steps_to_msg('route', question.route),
        other_route=_steps_to_msg('other_route', question.other_route),
        options=_whole_numbers('options', question.options),
        labels=texts('labels', question.labels), sentence=text('sentence', record.sentence),
        rivals=[rival_to_msg(rival) for rival in record.rivals])


def question_from_msg(message: msg.Question) -> QuestionRecord:
    """Return the question of a message."""
    question = Question(
        key_of('kind', QUESTION_KINDS, message.kind), message.state,
        message.action if message.has_action else None, message.steps,
        _steps_from_msg(message.route), _steps_from_msg(message.other_route),
        _ints(message.options), tuple(message.labels))
    return QuestionRecord(message.id, message.session, message.number, question, message.sentence,
                          tuple(rival_from_msg(rival) for rival in message.rivals))


def rival_to_msg(rival: Rival) -> msg.Rival:
    """Return a Rival message."""
    return msg.Rival(
        name=text('name', rival.name), probability=real('probability', rival.probability),
        actions=_whole_numbers('actions', rival.actions),
        reward=real('reward', rival.reward), answer=text('answer', rival.answer))


def rival_from_msg(message: msg.Rival) -> Rival:
    """Return the rival of a message."""
    return Rival(message.name, message.probability, _ints(message.actions), message.reward,
                 message.answer)


def answer_to_msg(record: AnswerRecord) -> msg.Answer:
    """Return an Answer message: what the teacher gave; the rest the question says."""
    answer = record.answer
    message = msg.Answer(
        id=text('id', record.id), stamp=stamp_to_msg(record.stamp),
        answered_by=text('answered_by', record.by), kind=ANSWER_KINDS[answer.kind])
    return _filled(message, answer)


def answer_from_msg(message: msg.Answer, question: Question) -> AnswerRecord:
    """
    Return the answer of a message to a question, which says what state it is about.

    Raises if the kind of answer does not fit the kind of question.
    """
    kind = key_of('kind of an answer', ANSWER_KINDS, message.kind)
    return AnswerRecord(message.id, answer_to(question, kind, **_given(message, kind)),
                        message.answered_by, stamp_from_msg(message.stamp))


def _filled(message: Any, answer: Answer) -> Any:
    """Return the message with what the teacher gave."""
    for name in answer.given:
        to_field, _ = _FIELDS[_ANSWER_TYPES[name]]
        setattr(message, name, to_field(name, getattr(answer, name)))
    return message


def _given(message: Any, kind: str) -> dict[str, Any]:
    """Return what the teacher gave in an answer of this kind."""
    return {name: _FIELDS[_ANSWER_TYPES[name]][1](getattr(message, name))
            for name in KINDS[kind].given}


def _steps_to_msg(name: str, steps: Iterable[tuple[int, int]]) -> list[msg.Step]:
    return [msg.Step(state=whole('state', state, 32), action=whole('action', action, 32))
            for state, action in steps]


def _steps_from_msg(steps: Iterable[msg.Step]) -> tuple[tuple[int, int], ...]:
    return tuple((step.state, step.action) for step in steps)


def _whole_numbers(name: str, values: Iterable[int]) -> array.array:
    return numbers(np.array([whole(name, value, 32) for value in values], dtype=np.int64),
                   np.uint32)


def _ints(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(map(int, values))


_ANSWER_TYPES = msg.Answer.get_fields_and_field_types()
# Of each type of field: what a value becomes in it, and back.
_FIELDS: dict[str, tuple[Callable[[str, Any], Any], Callable[[Any], Any]]] = {
    'uint32': (partial(whole, bits=32), int), 'double': (real, float),
    'boolean': (lambda _, value: bool(value), bool), 'string': (text, str),
    'sequence<uint32>': (_whole_numbers, _ints),
    'sequence<gbs_irl_ros/Step>': (_steps_to_msg, _steps_from_msg)}


def demonstration_to_msg(record: DemonstrationRecord) -> msg.Demonstration:
    """Return a Demonstration message."""
    return _filled(msg.Demonstration(
        id=text('id', record.id), stamp=stamp_to_msg(record.stamp),
        demonstrated_by=text('demonstrated_by', record.by), correction=bool(record.correction),
        kind=UNASKED_KINDS[record.answer.kind]), record.answer)


def demonstration_from_msg(message: msg.Demonstration) -> DemonstrationRecord:
    """Return what was shown or said unasked."""
    kind = key_of('kind of a demonstration', UNASKED_KINDS, message.kind)
    return DemonstrationRecord(
        message.id, KINDS[kind](**_given(message, kind)), message.demonstrated_by,
        bool(message.correction), stamp_from_msg(message.stamp))


# ---- what the learner tells --------------------------------------------------------------------

def policy_to_msg(record: PolicyRecord) -> msg.Policy:
    """Return a Policy message."""
    policy = record.policy
    return msg.Policy(
        stamp=stamp_to_msg(record.stamp), session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64),
        task_hash=text('task_hash', record.task_hash), final=bool(record.final),
        action_sets=numbers(policy.action_sets, np.uint64),
        confidence=numbers(policy.confidence, np.float64),
        goal_states=numbers(policy.goal_states, np.uint32),
        never=numbers(policy.never, np.uint32), checksum=record.checksum)


def policy_from_msg(message: msg.Policy, num_actions: int) -> PolicyRecord:
    """Return the policy of a message; raise if it is not whole."""
    policy = Policy(
        to_array(message.action_sets, np.uint64), to_array(message.confidence, np.float64),
        to_array(message.goal_states, np.int64), num_actions, to_array(message.never, np.int64))
    record = PolicyRecord(message.session, message.sequence, message.task_hash, policy,
                          bool(message.final), stamp_from_msg(message.stamp))
    if record.checksum != message.checksum:
        raise InvalidRecordError(
            f'the policy {message.sequence} of session {message.session!r} is damaged: '
            f'its checksum is {record.checksum[:12]}..., it says {message.checksum[:12]}...')
    return record


def belief_to_msg(record: BeliefRecord) -> msg.Belief:
    """Return a Belief message."""
    forecast = record.forecast
    likely, fewest, most = (msg.Belief.NOT_KNOWN,) * 3 if forecast is None else (
        forecast.likely, forecast.fewest, forecast.most)
    return msg.Belief(
        **into(msg.Belief, record, *_BELIEF_OWN), stamp=stamp_to_msg(record.stamp),
        status=STATUSES[record.status], reason=DONE_REASONS[record.reason],
        expected_questions=whole('expected_questions', likely, 31, lowest=-1),
        fewest_questions=whole('fewest_questions', fewest, 31, lowest=-1),
        most_questions=whole('most_questions', most, 31, lowest=-1),
        places=[step_to_msg(step) for step in record.places])


def belief_from_msg(message: msg.Belief) -> BeliefRecord:
    """Return the belief of a message."""
    return BeliefRecord(
        **out_of(message, *_BELIEF_OWN), stamp=stamp_from_msg(message.stamp),
        status=key_of('status', STATUSES, message.status),
        reason=key_of('reason', DONE_REASONS, message.reason),
        forecast=None if message.expected_questions < 0 else Forecast(
            message.expected_questions, message.fewest_questions, message.most_questions),
        places=tuple(step_from_msg(place) for place in message.places))


# All others go as they are.
_BELIEF_OWN = ('stamp', 'status', 'reason', 'expected_questions', 'fewest_questions',
               'most_questions', 'places')


def step_to_msg(step: Step) -> msg.Place:
    """Return a Place message, of a place or of an invention."""
    if isinstance(step, Place):
        return place_to_msg(step)
    return msg.Place(
        looked_at=step.looked_at, seed=numbers(np.array(step.seed, dtype=np.uint64), np.uint64),
        ideas=[msg.Idea(**into(msg.Idea, idea, 'has_goal', 'goal', 'weights'),
                        has_goal=idea.goal != AS_LISTED, goal=max(idea.goal, 0),
                        weights=numbers(np.array(idea.weights), np.float64))
               for idea in step.ideas])


def step_from_msg(message: msg.Place) -> Step:
    """Return a place, or an invention."""
    if not message.ideas:
        return place_from_msg(message)
    return Invention(
        tuple(Idea(**out_of(idea, 'has_goal', 'goal', 'weights'),
                   goal=idea.goal if idea.has_goal else AS_LISTED,
                   weights=tuple(map(float, idea.weights)))
              for idea in message.ideas), message.looked_at, _ints(message.seed))


def place_to_msg(place: Place) -> msg.Place:
    """Return a Place message."""
    return msg.Place(**into(msg.Place, place, 'built_on', 'ideas', 'looked_at', 'seed'),
                     built_on=_whole_numbers('built_on', place.built_on))


def place_from_msg(message: msg.Place) -> Place:
    """Return the place of a message."""
    return Place(**out_of(message, 'built_on', 'ideas', 'looked_at', 'seed'),
                 built_on=_ints(message.built_on))


def history_to_msg(record: HistoryRecord) -> msg.History:
    """Return a History message."""
    return msg.History(
        stamp=stamp_to_msg(record.stamp), session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64), total=whole('total', record.total, 32),
        entries=[_entry_to_msg(entry) for entry in record.entries])


def history_from_msg(message: msg.History) -> HistoryRecord:
    """Return the history of a message."""
    return HistoryRecord(
        message.session, message.sequence, message.total,
        tuple(_entry_from_msg(entry) for entry in message.entries), stamp_from_msg(message.stamp))


def _entry_to_msg(entry: HistoryEntry) -> msg.HistoryEntry:
    message = msg.HistoryEntry(
        asked=entry.question is not None,
        question=msg.Question() if entry.question is None else question_to_msg(entry.question),
        correction=bool(entry.correction), said=text('said', entry.said))
    if isinstance(entry.answer, PlaceRecord | InventionRecord):
        message.is_place, message.place = True, step_to_msg(step_of(entry.answer))
        message.answer = msg.Answer(
            id=text('id', entry.answer.id), stamp=stamp_to_msg(entry.answer.stamp),
            answered_by=text('answered_by', entry.answer.by))
    else:
        message.answer = answer_to_msg(entry.answer)
    return message


def _entry_from_msg(message: msg.HistoryEntry) -> HistoryEntry:
    if message.is_place:
        shown, step = message.answer, step_from_msg(message.place)
        about = (shown.answered_by, stamp_from_msg(shown.stamp))
        return HistoryEntry(
            PlaceRecord(shown.id, step, *about) if isinstance(step, Place)
            else InventionRecord(shown.id, step, *about), said=message.said)
    asked = question_from_msg(message.question) if message.asked else None
    # Shown unasked, and perhaps taken back since: what it would have answered does not matter.
    question = asked.question if asked is not None else Question(QuestionKind.DEMONSTRATION, 0)
    return HistoryEntry(answer_from_msg(message.answer, question), asked,
                        bool(message.correction), message.said)


def heartbeat_to_msg(record: HeartbeatRecord) -> msg.Heartbeat:
    """Return a Heartbeat message."""
    return msg.Heartbeat(
        stamp=stamp_to_msg(record.stamp), session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64), count=whole('count', record.count, 64),
        policy_checksum=text('policy_checksum', record.checksum),
        signature=text('signature', record.signature))


def heartbeat_from_msg(message: msg.Heartbeat) -> HeartbeatRecord:
    """Return the heartbeat of a message."""
    return HeartbeatRecord(message.session, message.sequence, message.count,
                           stamp_from_msg(message.stamp), message.policy_checksum,
                           message.signature)


# ---- what the controller tells -----------------------------------------------------------------

def execution_to_msg(record: ExecutionRecord) -> msg.Execution:
    """Return an Execution message."""
    return msg.Execution(
        stamp=stamp_to_msg(record.stamp), status=EXECUTION_STATUSES[record.status],
        reason=EXECUTION_REASONS[record.reason], reason_data=texts('reason_data', record.data),
        status_text=text('status_text', execution_text(record)),
        has_state=record.state is not None, state=whole('state', record.state or 0, 32),
        has_action=record.action is not None, action=whole('action', record.action or 0, 32),
        has_target=record.target is not None, target=whole('target', record.target or 0, 32),
        session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64),
        challenge=text('challenge', record.challenge), stops=whole('stops', record.stops, 32))


def execution_from_msg(message: msg.Execution) -> ExecutionRecord:
    """Return what the controller is doing."""
    return ExecutionRecord(
        key_of('status', EXECUTION_STATUSES, message.status),
        key_of('reason', EXECUTION_REASONS, message.reason), tuple(message.reason_data),
        message.state if message.has_state else None,
        message.action if message.has_action else None,
        message.target if message.has_target else None, message.session, message.sequence,
        stamp_from_msg(message.stamp), message.challenge, message.stops)


def stamp_to_msg(nanoseconds: int) -> Time:
    """Return a time."""
    seconds, rest = divmod(whole('stamp', nanoseconds, 62), BILLION)
    return Time(sec=whole('stamp in seconds', seconds, 31), nanosec=rest)


def stamp_from_msg(message: Time) -> int:
    """Return a time in nanoseconds; raise if it could not be sent again."""
    if message.sec < 0 or message.nanosec >= BILLION:
        raise InvalidRecordError('a time must not be negative and have fewer than 1e9 ns, got '
                                 f'{message.sec} s and {message.nanosec} ns')
    return int(message.sec) * BILLION + int(message.nanosec)
