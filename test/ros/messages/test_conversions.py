"""Every message there and back, over real serialisation, with and without rclpy's field checks."""

from __future__ import annotations

import array
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from waiting import patience

rclpy_serialization = pytest.importorskip('rclpy.serialization', reason='needs ROS 2')

from gbs_irl_ros import msg, srv  # noqa: E402
from gbs_irl_ros.core import (  # noqa: E402
    ActionAnswer,
    AllTheSameAnswer,
    BoltzmannLikelihood,
    Candidates,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    LaterAnswer,
    Likelihood,
    Mdp,
    NoiseModel,
    Question,
    QuestionKind,
    RewardAnswer,
    Rewards,
    WrongHereAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.answers import Answer, Unasked  # noqa: E402
from gbs_irl_ros.core.errors import (  # noqa: E402
    GbsIrlError,
    InvalidAnswerError,
    InvalidPolicyError,
    InvalidRecordError,
)
from gbs_irl_ros.core.policy import Policy  # noqa: E402
from gbs_irl_ros.core.stopping import DoneReason  # noqa: E402
from gbs_irl_ros.core.task_answers import (  # noqa: E402
    CompareAnswer,
    GoHereAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    TaskAnswer,
    WordsAnswer,
)
from gbs_irl_ros.core.theory.forecast import Forecast  # noqa: E402
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus  # noqa: E402
from gbs_irl_ros.learning.execution_sentences import execution_text  # noqa: E402
from gbs_irl_ros.learning.records import (  # noqa: E402
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
from gbs_irl_ros.ros.messages import conversions, task_conversions  # noqa: E402
from gbs_irl_ros.tasks.invention import Idea, Invention  # noqa: E402
from gbs_irl_ros.tasks.shown_place import Place  # noqa: E402
from gbs_irl_ros.tasks.task import Task  # noqa: E402
from gbs_irl_ros.tasks.world import PNG, Appearance, FloorImage, Picture, World  # noqa: E402

pytestmark = pytest.mark.ros

STAMP = 1_700_000_000_123_456_789
ACTION = Question(QuestionKind.ACTION, 3)
YES_NO = Question(QuestionKind.YES_NO, 3, action=0)
REWARD = Question(QuestionKind.REWARD, 3)
REWARD_OF_ACTION = Question(QuestionKind.REWARD, 3, action=1)
SHOW = Question(QuestionKind.DEMONSTRATION, 3, steps=5)
ROUTE = Question(QuestionKind.CONFIRM, 3, route=((3, 1), (4, 0)))
WHERE = Question(QuestionKind.PLACE, 3, options=(4, 0), labels=('desk', 'ç → 漢'))
ANYWHERE = Question(QuestionKind.PLACE, 0)
WHICH = Question(QuestionKind.TASK, 0, options=(2, 2**32 - 1, 0), labels=('a', 'b', 'c'))
EITHER = Question(QuestionKind.COMPARE, 3, route=((3, 1), (4, 0)), other_route=((3, 0), (2, 0)))


def sent(message):
    """Return what arrives when a message is sent."""
    return rclpy_serialization.deserialize_message(
        rclpy_serialization.serialize_message(message), type(message))


def make_task(*, per_action=False, features=False, goals=False, never=False, pictured=True,
              likelihood='exact', per_state_noise=False):
    """Return a small task of some kind, with two rewards that act alike."""
    mdp = Mdp.from_dense(np.array([
        [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]],
        [[1.0, 0.0, 0.0], [0.0, 0.25, 0.75]],
        [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]), 0.9)
    columns = 6 if per_action else 3
    weights = np.zeros((3, columns))
    weights[0, 0] = weights[1, 0] = 1.0
    weights[1, 0], weights[2, columns - 1] = 2.0, -0.5 if features else 3.0
    feature_matrix = None
    if features:
        feature_matrix = sparse.csr_matrix(np.eye(columns)[::-1])
    rewards = Rewards(sparse.csr_matrix(weights), 3, 2, per_action, feature_matrix)
    hypotheses = Candidates.of(
        mdp, rewards, np.array([0.5, 0.25, 0.25]), names=('a', 'b', 'ç → 漢'),
        goals=sparse.csr_matrix(np.eye(3)) if goals else None,
        never=sparse.csr_matrix(np.eye(3, k=1)) if never else None).planned()
    looks = Appearance(
        ('left', 'right'), ('a', ''), Picture.GRID if pictured else Picture.LIST,
        ('x', 'y', 'z') if pictured else (),
        np.array([[0.0, 1.0], [1.0, -2.5], [2.0, 1e300]]) if pictured else None,
        0.5 if pictured else 0.0, 'map' if pictured else '',
        {'corner': np.array([0, 2]), 'nowhere': np.array([], dtype=int)} if pictured else {},
        np.array([[3, 1], [4, 8], [5, 0]]) if pictured else None,
        FloorImage(PNG + bytes(range(256)), (-1.0, 2.5, 0.0, 1e3)) if pictured else None)
    noise = NoiseModel(np.array([0.9, 0.8, 0.7]) if per_state_noise else 0.9, 1,
                       BoltzmannLikelihood((1.0, 2.0, 1e300)) if likelihood == 'boltzmann'
                       else Likelihood(likelihood))
    world = World('small', mdp, np.array([0, 1, 0]), looks, 'A small task.')
    return Task(world, hypotheses, noise)


TASKS = [
    make_task(),
    make_task(per_action=True, goals=True),
    make_task(features=True, pictured=False, likelihood='aggregated'),
    make_task(likelihood='boltzmann'),
    make_task(per_action=True, features=True, per_state_noise=True),
    make_task(goals=True, never=True),
]


INVENTION = Invention((Idea(3, 7), Idea(2, -1, 'rug', 'never'), Idea(0, weights=(0.5, -1.0))), 90,
                      (1, 2**63))


def policy_record(**changes):
    fields = {'session': 's', 'sequence': 2**63, 'task_hash': 'f' * 64, 'final': True,
              'stamp': STAMP,
              'policy': Policy(np.array([1, 3, 2]), np.array([1, 0, 0.5]), np.array([2]), 2,
                               np.array([0, 1]))}
    return PolicyRecord(**{**fields, **changes})


def belief_record(**changes):
    fields = {'session': 's', 'sequence': 7, 'task_hash': 'f' * 64, 'status': Status.ASKING,
              'status_text': 'asking', 'probabilities': np.array([1, 0]), 'map_hypothesis': 0,
              'map_probability': 1, 'entropy': 0, 'answers': 3, 'forecast': Forecast(4, 2, 9),
              'question_id': 'q', 'acknowledged': ('a', 'b'), 'certificate': 'none',
              'stamp': STAMP, 'reason': DoneReason.CERTAINTY, 'reason_value': 0.97,
              'none_of_these': 0.25, 'error_rate': 0.125,
              'unexplained': ('b',),
              'places': (Place(True, 3, 2, 5, 4, (0, 7)), INVENTION, Place(False, 1, 0, 1, 0))}
    return BeliefRecord(**{**fields, **changes})


def execution_record(**changes):
    fields = {'status': ExecutionStatus.DRIVING, 'reason': ExecutionReason.NO_CELLS,
              'data': ('the desk →',), 'state': 3, 'action': 1, 'target': 4, 'session': 's',
              'sequence': 2**63, 'stamp': STAMP, 'challenge': 'c' * 32}
    return ExecutionRecord(**{**fields, **changes})


class TestTask:
    @for_each('task', TASKS)
    def test_comes_back_with_the_same_content(self, task):
        response = sent(srv.GetTask.Response(
            ok=True, world=task_conversions.world_to_msg(task.world),
            hypotheses=task_conversions.hypotheses_to_msg(task)))
        back = task_conversions.task_from_msgs(response.world, response.hypotheses)
        assert back.hash == task.hash       # everything that is learned from
        assert back.hypotheses.names == task.hypotheses.names
        assert back.hypotheses.sets.bits.dtype == task.hypotheses.sets.bits.dtype
        assert (back.world.name, back.world.description) == ('small', 'A small task.')
        for field in ('action_names', 'action_keys', 'picture', 'state_names', 'cell_size',
                      'frame_id'):
            assert getattr(back.world.appearance, field) == getattr(task.world.appearance, field)
        np.testing.assert_equal(back.world.appearance.regions, task.world.appearance.regions)
        np.testing.assert_equal(back.world.appearance.positions, task.world.appearance.positions)
        np.testing.assert_equal(back.world.appearance.cells, task.world.appearance.cells)
        assert back.world.appearance.floor == task.world.appearance.floor

    @for_each(('image', 'extent', 'told'), [
        (PNG, [0.0, 1.0, 0.0], r'with four edges, got 8 bytes and 3 edges'),
        (PNG, [], r'with four edges, got 8 bytes and 0 edges'),
        (PNG + bytes(300_000), [0.0, 1.0, 0.0, 1.0], r'at most 300000 bytes .* got 300008 bytes'),
        (b'', [0.0, 1.0, 0.0, 1.0], r'must be a PNG of at most 300000 bytes, got 0'),
        (b'GIF89a' * 9, [0.0, 1.0, 0.0, 1.0], r"must be a PNG .* that begin with b'GIF89aGI'"),
        (PNG, [1.0, 1.0, 0.0, 1.0], r'left before right .* got \[1.0, 1.0, 0.0, 1.0\]'),
        (PNG, [0.0, np.nan, 0.0, 1.0], 'finite edges'), (PNG, [0.0, 1.0, 2.0, 1.0], 'top')])
    def test_a_floor_that_is_none_is_refused(self, image, extent, told):
        message = task_conversions.world_to_msg(TASKS[0].world)
        message.floor_image, message.floor_extent = array.array('B', image), extent
        with pytest.raises(GbsIrlError, match=told):
            task_conversions.world_from_msg(sent(message))

    def test_synonyms_arrive(self):
        looks = replace(TASKS[0].world.appearance, synonyms={
            'desk': ('table', 'Büro'), 'bed': ('bedroom',)})
        message = task_conversions.world_to_msg(replace(TASKS[0].world, appearance=looks))
        assert task_conversions.world_from_msg(sent(message)).appearance.synonyms == looks.synonyms

    def test_synonyms_without_a_name_are_refused(self):
        message = task_conversions.world_to_msg(TASKS[0].world)
        message.synonyms = ['table']
        with pytest.raises(InvalidRecordError, match='as many words as names, got 1 and 0'):
            task_conversions.world_from_msg(sent(message))

    def test_greedy_sets_of_all_hypotheses_arrive(self):
        task = TASKS[1]
        back = task_conversions.task_from_msgs(sent(task_conversions.world_to_msg(task.world)),
                                               sent(task_conversions.hypotheses_to_msg(task)))
        for policy in range(task.hypotheses.num_policies):
            np.testing.assert_array_equal(back.hypotheses.sets.policy_sets(policy),
                                          task.hypotheses.sets.policy_sets(policy))

    def test_hypotheses_of_another_task_are_refused(self):
        with pytest.raises(InvalidRecordError, match='the hypotheses belong to task'):
            task_conversions.task_from_msgs(task_conversions.world_to_msg(TASKS[0].world),
                                            task_conversions.hypotheses_to_msg(TASKS[1]))

    def test_content_that_does_not_fit_its_hash_is_refused(self):
        hypotheses = task_conversions.hypotheses_to_msg(TASKS[0])
        hypotheses.log_prior[0] -= 0.1
        with pytest.raises(GbsIrlError, match=r'has hash .* its world says'):
            task_conversions.task_from_msgs(task_conversions.world_to_msg(TASKS[0].world),
                                            hypotheses)

    @for_each(('change', 'text'), [
        (lambda m: m.transition_offsets.pop(), 'transitions: offsets must rise'),
        (lambda m: m.transition_offsets.__setitem__(1, 99), 'transitions: offsets must rise'),
        (lambda m: m.successors.pop(), 'transitions: there must be as many columns as values'),
        (lambda m: m.successors.__setitem__(0, 99), r'transitions: columns must be in 0 \.\. 2'),
        (lambda m: m.probabilities.__setitem__(0, float('nan')), 'probabilities must be finite'),
        (lambda m: m.start_states.__setitem__(0, 3), 'start must be probabilities of states'),
        (lambda m: m.start_probabilities.append(1.0), 'start must be probabilities of states'),
        (lambda m: m.state_x.pop(), 'as many x as y, got 2 and 3'),
        (lambda m: m.state_row.pop(), 'cells must have as many columns as rows, got 3 and 2'),
        (lambda m: m.region_offsets.pop(), 'region_offsets must rise from 0 to 2 in 3 entries'),
        (lambda m: m.region_states.__setitem__(0, 3), r"states 0 .. 2: 'corner' holds 2 .. 3"),
        (lambda m: setattr(m, 'picture', 9), r'picture must be one of \[0, 1, 2, 3\], got 9'),
        (lambda m: setattr(m, 'discount', 1.0), r'discount must be in \[0, 1\), got 1.0'),
        (lambda m: m.action_names.pop(), 'action_names must have 2 entries, got 1'),
        (lambda m: setattr(m, 'num_actions', 0), 'transitions: offsets must rise'),
    ])
    def test_a_damaged_world_is_refused(self, change, text):
        message = sent(task_conversions.world_to_msg(TASKS[0].world))
        change(message)
        with pytest.raises(GbsIrlError, match=text):
            task_conversions.world_from_msg(message)

    def test_a_number_of_states_alone_takes_no_memory(self):
        with pytest.raises(GbsIrlError, match=r'num_actions must be in 1 \.\. 64, got 0'):
            task_conversions.world_from_msg(msg.World(num_states=2**32 - 1,
                                                      transition_offsets=[0]))

    @for_each(('change', 'text'), [
        (lambda m: m.greedy_sets.pop(), r'greedy_sets must have \d \* 2 entries, got \d'),
        (lambda m: m.greedy_sets.__setitem__(0, 1 << 40), 'greedy sets must hold actions 0 .. 1'),
        (lambda m: m.greedy_sets.__setitem__(0, 0), 'every greedy set must hold an action'),
        (lambda m: m.class_of_state.__setitem__(0, 7), 'class_of_state must use every class'),
        (lambda m: m.noise.gamma_hat.pop(), 'gamma_hat must have one value'),
        (lambda m: setattr(m.noise, 'likelihood', 5), 'likelihood must be one of'),
        (lambda m: setattr(m.noise, 'likelihood', 3), "unknown likelihood ''"),
        (lambda m: m.weights.columns.__setitem__(0, 50), 'weights: columns must be in'),
        (lambda m: m.log_prior.pop(), 'log_prior must have one entry for each of the 3 rewards'),
    ])
    def test_damaged_hypotheses_are_refused(self, change, text):
        message = sent(task_conversions.hypotheses_to_msg(TASKS[0]))
        change(message)
        with pytest.raises(GbsIrlError, match=text):
            task_conversions.task_from_msgs(task_conversions.world_to_msg(TASKS[0].world), message)


@for_each('question', [ACTION, YES_NO, REWARD, REWARD_OF_ACTION, SHOW, ROUTE, WHERE, ANYWHERE,
                       WHICH, EITHER])
def test_a_question_comes_back(question):
    record = QuestionRecord('id', 'session', 4, question, 'What should I do here?',
                            (Rival('a', 1, (0, 1), -1), Rival('b', 0, (), 5, 'the desk')))
    back = conversions.question_from_msg(sent(conversions.question_to_msg(record)))
    assert back == record
    assert back.question.labels == question.labels      # which do not make another question


ANSWERED = [
    (ACTION, ActionAnswer(3, 1)),
    (ACTION, AllTheSameAnswer(3)),
    (ACTION, EitherAnswer(3, (0, 2))),
    (ACTION, DontKnowAnswer(ACTION)),
    (ACTION, LaterAnswer(ACTION)),
    (ACTION, DemonstrationAnswer(((3, 1), (4, 0)))),
    (YES_NO, YesNoAnswer(3, 0, True)),
    (YES_NO, YesNoAnswer(3, 0, False)),
    (YES_NO, DontKnowAnswer(YES_NO)),
    (REWARD, RewardAnswer(3, 1)),
    (REWARD, RewardAnswer(3, -1)),
    (REWARD_OF_ACTION, RewardAnswer(3, 0.25, 1)),
    (SHOW, DemonstrationAnswer(((3, 1),))),
    (SHOW, AllTheSameAnswer(3)),
    (ROUTE, ConfirmAnswer(ROUTE, True)),
    (ROUTE, ConfirmAnswer(ROUTE, False)),
    (ROUTE, WrongHereAnswer(ROUTE, 4)),
    (ROUTE, DontKnowAnswer(ROUTE)),
    (WHERE, GoHereAnswer((4,))),
    (ACTION, GoHereAnswer((2**32 - 1, 0, 3))),
    (ACTION, NeverHereAnswer((3, 4))),
    (EITHER, OnTheWayAnswer((4,))),
    (WHERE, NoneOfTheseAnswer(WHERE)),
    (WHICH, TaskAnswer(WHICH, 2**32 - 1)),
    (WHICH, NoneOfTheseAnswer(WHICH)),
    (EITHER, CompareAnswer(EITHER, 2)),
    (ACTION, WordsAnswer('to the ç → 漢', (0, 7))),
]


@for_each(('question', 'answer'), ANSWERED)
def test_an_answer_comes_back(question, answer):
    record = AnswerRecord('id', answer, 'someone', STAMP)
    back = conversions.answer_from_msg(sent(conversions.answer_to_msg(record)), question)
    assert back == record


@for_each(('question', 'kind'), [
    (ACTION, 'yes_no'), (ACTION, 'reward'), (YES_NO, 'action'), (REWARD, 'action'),
    (REWARD, 'all_the_same')])
def test_an_answer_of_another_kind_than_asked_for_is_refused(question, kind):
    text = f'an answer of kind {kind!r} does not fit a question of kind {question.kind.value!r}'
    with pytest.raises(InvalidAnswerError, match=text):
        conversions.answer_from_msg(
            msg.Answer(id='id', kind=conversions.ANSWER_KINDS[kind]), question)


def test_an_unknown_kind_of_answer_is_refused():
    with pytest.raises(InvalidRecordError, match=(
            r'kind of an answer must be one of \[0, 1, .*, 15, 16\], got 77')):
        conversions.answer_from_msg(msg.Answer(id='id', kind=77), ACTION)


def test_a_demonstration_without_steps_is_refused():
    with pytest.raises(GbsIrlError, match='at least one step, got none'):
        conversions.demonstration_from_msg(msg.Demonstration(id='id'))


def test_an_unknown_kind_of_question_is_refused():
    with pytest.raises(InvalidRecordError, match=r'kind must be one of \[0, .*, 7\], got 9'):
        conversions.question_from_msg(msg.Question(id='i', session='s', kind=9, steps=1))


SHOWN = [DemonstrationAnswer(((0, 1), (1, 1))), GoHereAnswer((2**32 - 1, 0)),
         NeverHereAnswer((3,)), OnTheWayAnswer((3, 4)), WordsAnswer('the desk', (3, 0))]


def test_everything_that_may_be_shown_unasked_comes_back():
    assert set(map(type, SHOWN)) == set(get_args(Unasked))
    for shown in SHOWN:
        record = DemonstrationRecord('d', shown, 'joystick', True, STAMP)
        assert conversions.demonstration_from_msg(
            sent(conversions.demonstration_to_msg(record))) == record


def test_steps_alone_are_a_demonstration():
    message = msg.Demonstration(id='d', steps=[msg.Step(state=3, action=1)])
    assert conversions.demonstration_from_msg(message).answer == DemonstrationAnswer(((3, 1),))


@for_each(('forged', 'told'), [
    ({'kind': 9}, r'kind of a demonstration must be one of \[0, 1, 2, 3, 4\], got 9'),
    ({'kind': 1}, 'a region must have at least one state, got none'),
    ({'kind': 2, 'states': [3, 4, 3]}, 'the states of a region must differ: 3 appears twice'),
    ({'kind': 3, 'states': [*range(200_000), 7]}, 'must differ: 7 appears twice'),
    ({'kind': 4, 'tasks': [1]}, "text must have 1 to 500 characters, .* got ''"),
    ({'kind': 4, 'tasks': [1], 'text': 'x' * 501}, 'text must have 1 to 500 characters'),
    ({'kind': 4, 'tasks': [1], 'text': 'x\x1b[2J'}, 'none of them a control character'),
    ({'kind': 4, 'text': 'desk'}, 'words must fit at least one task, got none')])
def test_what_nobody_can_have_said_is_refused(forged, told):
    with pytest.raises(GbsIrlError, match=told):
        conversions.demonstration_from_msg(sent(msg.Demonstration(id='d', **forged)))


def test_a_task_that_words_name_often_counts_once():
    message = msg.Demonstration(id='d', kind=4, text='desk', tasks=[1] * 100_000)
    assert conversions.demonstration_from_msg(sent(message)).answer.tasks == (1,)


def test_a_policy_comes_back():
    record = policy_record()
    back = conversions.policy_from_msg(sent(conversions.policy_to_msg(record)), 2)
    assert back.checksum == record.checksum
    assert (back.session, back.sequence, back.final, back.stamp) == ('s', 2**63, True, STAMP)
    np.testing.assert_array_equal(back.policy.action_sets, record.policy.action_sets)
    np.testing.assert_array_equal(back.policy.confidence, [1.0, 0.0, 0.5])
    np.testing.assert_array_equal(back.policy.goal_states, [2])


@for_each(('change', 'text'), [
    (lambda m: m.confidence.__setitem__(0, 0.9), 'is damaged'),
    (lambda m: setattr(m, 'sequence', 1), 'the policy 1 of session .s. is damaged'),
    (lambda m: setattr(m, 'task_hash', 'e' * 64), 'is damaged'),
    (lambda m: m.action_sets.__setitem__(0, 4), 'action sets must hold actions'),
    (lambda m: m.action_sets.__setitem__(0, 0), 'not be empty: that of state 0'),
    (lambda m: m.confidence.__setitem__(2, float('nan')), 'that of state 2 is nan'),
    (lambda m: m.goal_states.__setitem__(0, 3), 'goal states must be in 0 .. 2'),
    (lambda m: m.confidence.pop(), 'one action set and one confidence per state'),
    (lambda m: setattr(m, 'session', ''), 'session must not be empty'),
])
def test_a_policy_that_is_not_whole_is_refused(change, text):
    message = sent(conversions.policy_to_msg(policy_record()))
    change(message)
    with pytest.raises((InvalidPolicyError, InvalidRecordError), match=text):
        conversions.policy_from_msg(message, 2)


@for_each('record', [
    belief_record(), belief_record(forecast=None, status=Status.DONE),
    belief_record(probabilities=np.array([]), status=Status.WAITING, acknowledged=())])
def test_a_belief_comes_back(record):
    back = conversions.belief_from_msg(sent(conversions.belief_to_msg(record)))
    for name in BeliefRecord.__dataclass_fields__:
        np.testing.assert_equal(getattr(back, name), getattr(record, name))


@for_each(('change', 'text'), [
    (lambda m: m.probabilities.__setitem__(0, 2.0), 'sum to 1, got a sum of 2.0'),
    (lambda m: m.probabilities.__setitem__(0, float('nan')), 'sum of nan'),
    (lambda m: setattr(m, 'map_hypothesis', 2), 'map_hypothesis must be in 0 .. 1, got 2'),
    (lambda m: setattr(m, 'map_probability', 1.5), 'map_probability must be in'),
    (lambda m: setattr(m, 'entropy', float('inf')), 'entropy must not be negative, got inf'),
    (lambda m: setattr(m, 'reason_value', float('nan')), 'reason_value must be finite, got nan'),
    (lambda m: setattr(m, 'status', 9), 'status must be one of'),
    (lambda m: setattr(m, 'none_of_these', 1.5), r'none_of_these must be in \[0, 1\], got 1.5'),
    (lambda m: setattr(m, 'none_of_these', float('nan')), 'none_of_these must be in'),
    (lambda m: setattr(m, 'error_rate', -0.5),
     r'error_rate must be in \[0, 1\], or -1 if it is not estimated, got -0.5'),
    (lambda m: setattr(m, 'error_rate', float('nan')), 'error_rate must be in'),
])
def test_a_belief_that_contradicts_itself_is_refused(change, text):
    message = sent(conversions.belief_to_msg(belief_record()))
    change(message)
    with pytest.raises(InvalidRecordError, match=text):
        conversions.belief_from_msg(message)


def history_entry(question, answer, number=0, **fields):
    """Return something that was said when asked."""
    return HistoryEntry(
        AnswerRecord(f's-{number}', answer, 'page', STAMP + number),
        QuestionRecord(f's-{number}', 's', number, question, 'What should I do at ç → 漢?'),
        **{'said': f'answer {number}', **fields})


def unasked(answer, **fields):
    return HistoryEntry(AnswerRecord('shown-1', answer, 'joystick', STAMP), **fields)


def history_record(*entries, **changes):
    fields = {'session': 's', 'sequence': 2**63, 'total': len(entries), 'entries': entries,
              'stamp': STAMP}
    return HistoryRecord(**{**fields, **changes})


class TestHistory:
    WALK = DemonstrationAnswer(((2, 1), (0, 0)))

    def back(self, record):
        return conversions.history_from_msg(sent(conversions.history_to_msg(record)))

    def test_every_kind_of_answer_comes_back_in_its_place(self):
        entries = [history_entry(question, answer, number)
                   for number, (question, answer) in enumerate(ANSWERED)]
        assert {type(entry.answer.answer) for entry in entries} == set(get_args(Answer))
        record = history_record(*entries)
        assert self.back(record) == record

    @for_each('record', [
        history_record(), history_record(total=2**32 - 1), history_record(stamp=0),
        history_record(session='none', sequence=0),
        history_record(sequence=2**64 - 1), history_record(unasked(WALK), total=1000),
        history_record(unasked(WALK, correction=True, said='right, left')),
        history_record(unasked(WALK, correction=False, said='')),
        history_record(history_entry(ACTION, WALK, said='right, left'), unasked(WALK)),
        *(history_record(unasked(each)) for each in SHOWN),
        history_record(unasked(WALK), HistoryEntry(
            PlaceRecord('p-1', Place(True, 3, 2, 5, 4, (0, 7)), 'page', STAMP), said='keep off')),
        history_record(HistoryEntry(InventionRecord('i-1', INVENTION, 'page', STAMP), said='x')),
    ])
    def test_comes_back(self, record):
        assert self.back(record) == record

    def test_whether_it_was_asked_is_told(self):
        message = sent(conversions.history_to_msg(history_record(
            history_entry(ACTION, ActionAnswer(3, 1)), unasked(self.WALK, correction=True))))
        assert [(entry.asked, entry.question.id, entry.answer.id, entry.correction)
                for entry in message.entries] == [
                    (True, 's-0', 's-0', False), (False, '', 'shown-1', True)]

    @pytest.mark.parametrize('kind', [DontKnowAnswer, LaterAnswer])
    def test_what_was_shown_unasked_may_be_taken_back_since(self, kind):
        """It comes back as one of its kind; about which state, nobody has asked."""
        entry = unasked(kind(Question(QuestionKind.DEMONSTRATION, 4, steps=2)), said='nothing')
        back, = self.back(history_record(entry)).entries
        assert type(back.answer.answer) is kind
        assert (back.question, back.said, back.answer.id, back.answer.stamp) == (
            None, 'nothing', 'shown-1', STAMP)

    def test_every_field_is_told_apart_from_every_other(self):
        plain = conversions.history_to_msg(history_record(total=3))
        for field, value in (('session', 'x'), ('sequence', 1), ('total', 4), ('stamp', 1),
                             ('entries', (unasked(self.WALK),))):
            changed = conversions.history_to_msg(history_record(**{'total': 3, field: value}))
            assert [each for each in plain.get_fields_and_field_types()
                    if getattr(plain, each) != getattr(changed, each)] == [field]

    @for_each(('change', 'text'), [
        (lambda m: setattr(m, 'total', 1), 'total must be at least the 2 entries, got 1'),
        (lambda m: setattr(m, 'session', ''), 'session must not be empty'),
        (lambda m: setattr(m.entries[0].answer, 'id', ''), 'id must not be empty'),
        (lambda m: setattr(m.entries[0].answer, 'kind', 77),
         'kind of an answer must be one of .*, got 77'),
        (lambda m: setattr(m.entries[0].question, 'kind', 9), 'kind must be one of'),
        (lambda m: setattr(m.entries[1].answer, 'kind', msg.Answer.YES_NO),
         "an answer of kind 'yes_no' does not fit a question of kind 'demonstration'"),
        (lambda m: m.entries[1].answer.steps.clear(), 'at least one step, got none'),
    ])
    def test_one_that_contradicts_itself_is_refused(self, change, text):
        message = sent(conversions.history_to_msg(history_record(
            history_entry(ACTION, ActionAnswer(3, 1)), unasked(self.WALK))))
        change(message)
        with pytest.raises(GbsIrlError, match=text):
            conversions.history_from_msg(message)

    @for_each(('record', 'text'), [
        (history_record(total=2**32), r'total must be in 0 \.\. 2\^32 - 1, got 4294967296'),
        (history_record(total=1.0), 'total must be a whole number, got 1.0'),
        (history_record(sequence=2**64), 'sequence must be in 0'),
        (history_record(session='a\0b'), 'session must not contain a NUL'),
        (history_record(stamp=-1), 'stamp must be in 0'),
        (history_record(unasked(WALK, said=None)), 'said must be a string, got None'),
        (history_record(unasked(DemonstrationAnswer(((2**32, 0),)))), 'state must be in 0'),
    ])
    def test_what_no_field_can_carry_is_refused(self, record, text):
        with pytest.raises(InvalidRecordError, match=text):
            conversions.history_to_msg(record)

    def test_a_total_below_the_number_of_entries_is_no_record(self):
        with pytest.raises(InvalidRecordError,
                           match='total must be at least the 1 entries, got 0'):
            history_record(unasked(self.WALK), total=0)


def test_a_heartbeat_comes_back():
    record = HeartbeatRecord('s', 2**64 - 1, 12, STAMP)
    assert conversions.heartbeat_from_msg(sent(conversions.heartbeat_to_msg(record))) == record


class TestExecution:
    @for_each('record', [
        execution_record(), execution_record(state=0, action=0),
        execution_record(state=None, action=None), execution_record(state=5, action=None),
        execution_record(state=2**32 - 1, action=2**32 - 1, target=2**32 - 1),
        execution_record(data=()), execution_record(target=None),
        execution_record(session='', sequence=0), execution_record(stamp=0),
        ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.STARTING)])
    def test_comes_back(self, record):
        back = conversions.execution_from_msg(sent(conversions.execution_to_msg(record)))
        assert back == record

    @for_each('reason', ExecutionReason)
    def test_every_reason_comes_back_and_can_be_read(self, reason):
        record = execution_record(reason=reason, data=('1', '2'))
        message = sent(conversions.execution_to_msg(record))
        assert message.reason == getattr(msg.Execution, reason.name)
        assert message.status_text == execution_text(record)
        assert conversions.execution_from_msg(message) == record

    def test_the_text_is_not_read(self):
        message = conversions.execution_to_msg(execution_record())
        message.status_text = 'as somebody else would say it'
        assert conversions.execution_from_msg(message) == execution_record()

    @for_each('status', ExecutionStatus)
    def test_every_status_comes_back(self, status):
        message = sent(conversions.execution_to_msg(execution_record(status=status)))
        assert message.status == getattr(msg.Execution, status.name)
        assert conversions.execution_from_msg(message).status is status

    def test_every_field_is_told_apart_from_every_other(self):
        plain = conversions.execution_to_msg(execution_record())
        for field, value in (('status', ExecutionStatus.GOAL), ('data', ('x',)), ('state', 4),
                             ('reason', ExecutionReason.NO_TASK), ('action', 2),
                             ('target', 5), ('session', 'x'), ('sequence', 1), ('stamp', 1)):
            changed = conversions.execution_to_msg(execution_record(**{field: value}))
            name = {'data': 'reason_data'}.get(field, field)
            differing = [each for each in plain.get_fields_and_field_types()
                         if getattr(plain, each) != getattr(changed, each)]
            assert [each for each in differing if each != 'status_text'] == [name]

    def test_numbers_without_meaning_are_zero(self):
        message = conversions.execution_to_msg(execution_record(state=None, action=None))
        assert (message.has_state, message.state) == (False, 0)
        assert (message.has_action, message.action) == (False, 0)

    @pytest.mark.parametrize('value', [7, 255])
    def test_an_unknown_status_is_refused(self, value):
        message = sent(conversions.execution_to_msg(execution_record()))
        message.status = value
        with pytest.raises(InvalidRecordError,
                           match=rf'status must be one of \[0, 1, .*6\], got {value}'):
            conversions.execution_from_msg(message)

    @for_each(('changes', 'text'), [
        ({'state': -1}, 'state must be in 0 .. 2\\^32 - 1, got -1'),
        ({'state': 2**32}, 'state must be in 0'), ({'action': 2**32}, 'action must be in 0'),
        ({'action': 1.5}, 'action must be a whole number, got 1.5'),
        ({'sequence': 2**64}, 'sequence must be in 0'), ({'sequence': -1}, 'sequence must be in'),
        ({'data': ('a\0b',)}, 'reason_data must not contain a NUL'),
        ({'data': (None,)}, 'reason_data must be a string, got None'),
        ({'session': '\ud800'}, 'session must be valid Unicode'),
        ({'stamp': -1}, 'stamp must be in 0'), ({'stamp': 2**62}, 'stamp must be in 0'),
    ])
    def test_what_no_field_can_carry_is_refused(self, changes, text):
        with pytest.raises(InvalidRecordError, match=text):
            conversions.execution_to_msg(execution_record(**changes))


@for_each(('record', 'convert', 'text'), [
    (HeartbeatRecord('s', 2**64, 0), conversions.heartbeat_to_msg, 'sequence must be in 0'),
    (HeartbeatRecord('s', -1, 0), conversions.heartbeat_to_msg, 'sequence must be in .* got -1'),
    (HeartbeatRecord('s', 1.0, 0), conversions.heartbeat_to_msg, 'sequence must be a whole'),
    (HeartbeatRecord('a\0b', 1, 0), conversions.heartbeat_to_msg, 'must not contain a NUL'),
    (HeartbeatRecord('\ud800', 1, 0), conversions.heartbeat_to_msg, 'must be valid Unicode'),
    (HeartbeatRecord(7, 1, 0), conversions.heartbeat_to_msg, 'session must be a string, got 7'),
    (HeartbeatRecord('s', 1, 0, -1), conversions.heartbeat_to_msg, 'stamp must be in'),
    (AnswerRecord('i', RewardAnswer(0, float('inf'))), conversions.answer_to_msg,
     'reward must be finite, got inf'),
    (AnswerRecord('i', ActionAnswer(0, 2**32)), conversions.answer_to_msg, 'action must be in'),
])
def test_what_no_field_can_carry_is_refused(record, convert, text):
    with pytest.raises(InvalidRecordError, match=text):
        convert(record)


def test_every_message_and_service_has_a_conversion_or_is_part_of_one():
    """A new message that nobody converts would be read field by field somewhere else."""
    names = {name for name in vars(msg) if name[0].isupper()}
    text = ''.join(Path(module.__file__).read_text() for module in (conversions, task_conversions))
    used = set(re.findall(r'\bmsg\.(\w+)', text))
    assert names - used == set()


@pytest.mark.skipif('ROS_PYTHON_CHECK_FIELDS' in os.environ, reason='is the inner run')
def test_all_of_this_also_holds_when_rclpy_checks_fields():
    """In the runs above fields are not checked, as on a user's machine; here they are."""
    here = Path(__file__).parent
    others = [here.parent / 'robot' / 'test_robot_messages.py', here / 'test_rviz_markers.py',
              here.parent / 'test_diagnostics.py']
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', __file__,
         *map(str, others)],
        env={**os.environ, 'ROS_PYTHON_CHECK_FIELDS': '1'}, capture_output=True, text=True,
        timeout=patience(300))
    assert done.returncode == 0, done.stdout[-3000:]


@for_each(('sec', 'nanosec'), [(-1, 0), (0, 10**9), (2**31 - 1, 2**32 - 1)])
def test_a_time_that_could_not_be_sent_again_is_refused(sec, nanosec):
    message = msg.Demonstration(id='d', steps=[msg.Step()])
    message.stamp.sec, message.stamp.nanosec = sec, nanosec
    with pytest.raises(InvalidRecordError, match=f'a time must not be negative .* got {sec} s'):
        conversions.demonstration_from_msg(sent(message))
