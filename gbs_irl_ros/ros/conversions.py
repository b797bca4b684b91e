"""
Between messages and core types: the only file that reads or writes message fields.

rclpy does not check fields by default: an int in a float64 field arrives as another number, an
integer too large for its field is cut, a NUL ends a string. So everything that leaves passes
through ``ros.fields``, and everything that arrives is checked by the types it is made into.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from scipy import sparse

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.greedy_sets import GreedySets
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning import bits_dtype
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.records import (
    AnswerRecord,
    BeliefRecord,
    DemonstrationRecord,
    ExecutionRecord,
    ExecutionStatus,
    HeartbeatRecord,
    PolicyRecord,
    QuestionRecord,
    Rival,
    Status,
)
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.ros.fields import csr, numbers, real, text, texts, to_array, whole
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import Appearance, Picture, World

BILLION = 1_000_000_000

PICTURES = {
    Picture.LIST: msg.Task.PICTURE_LIST, Picture.GRID: msg.Task.PICTURE_GRID,
    Picture.MAP: msg.Task.PICTURE_MAP, Picture.ROAD: msg.Task.PICTURE_ROAD}
LIKELIHOODS = {
    Likelihood.SINGLE_ACTION: msg.NoiseModel.LIKELIHOOD_SINGLE_ACTION,
    Likelihood.AGGREGATED: msg.NoiseModel.LIKELIHOOD_AGGREGATED,
    Likelihood.EXACT: msg.NoiseModel.LIKELIHOOD_EXACT}
QUESTION_KINDS = {
    QuestionKind.ACTION: msg.Question.ACTION, QuestionKind.YES_NO: msg.Question.YES_NO,
    QuestionKind.REWARD: msg.Question.REWARD,
    QuestionKind.DEMONSTRATION: msg.Question.DEMONSTRATION}
STATUSES = {
    Status.WAITING: msg.Belief.WAITING, Status.ASKING: msg.Belief.ASKING,
    Status.PAUSED: msg.Belief.PAUSED, Status.DONE: msg.Belief.DONE,
    Status.FAILED: msg.Belief.FAILED}
EXECUTION_STATUSES = {
    ExecutionStatus.STOPPED: msg.Execution.STOPPED,
    ExecutionStatus.DRIVING: msg.Execution.DRIVING, ExecutionStatus.GOAL: msg.Execution.GOAL,
    ExecutionStatus.UNSURE: msg.Execution.UNSURE, ExecutionStatus.STAYING: msg.Execution.STAYING,
    ExecutionStatus.LOST: msg.Execution.LOST, ExecutionStatus.MANUAL: msg.Execution.MANUAL}


# ---- the task ----------------------------------------------------------------------------------

def world_to_msg(world: World) -> msg.Task:
    """Return a Task message."""
    mdp, looks = world.mdp, world.appearance
    positions = np.empty((0, 2)) if looks.positions is None else looks.positions
    start_states = np.flatnonzero(world.start)
    return msg.Task(
        name=text('name', world.name), description=text('description', world.description),
        hash=text('hash', world.hash),
        num_states=whole('num_states', mdp.num_states, 32),
        num_actions=whole('num_actions', mdp.num_actions, 32),
        discount=real('discount', mdp.discount),
        transition_offsets=numbers(mdp.transitions.indptr, np.uint64),
        successors=numbers(mdp.transitions.indices, np.uint32),
        probabilities=numbers(mdp.transitions.data, np.float64),
        start_states=numbers(start_states, np.uint32),
        start_probabilities=numbers(world.start[start_states], np.float64),
        picture=PICTURES[looks.picture],
        state_names=texts('state_names', looks.state_names),
        action_names=texts('action_names', looks.action_names),
        action_keys=texts('action_keys', looks.action_keys),
        region_names=texts('region_names', looks.regions),
        region_offsets=numbers(
            np.cumsum([0, *(len(states) for states in looks.regions.values())]), np.uint64),
        region_states=numbers(
            np.concatenate([np.empty(0, dtype=np.int64), *looks.regions.values()]), np.uint32),
        frame_id=text('frame_id', looks.frame_id),
        state_x=numbers(positions[:, 0], np.float64),
        state_y=numbers(positions[:, 1], np.float64),
        cell_size=real('cell_size', looks.cell_size))


def world_from_msg(message: msg.Task) -> World:
    """Return the world of a Task message."""
    size, actions = message.num_states, message.num_actions
    transitions = csr('transitions', message.transition_offsets, message.successors,
                      message.probabilities, (size * actions, size))
    start = np.zeros(size)
    states = to_array(message.start_states, np.int64)
    if len(states) != len(message.start_probabilities) or np.any(states >= size):
        raise InvalidRecordError(
            f'start must be probabilities of states 0 .. {size - 1}, got {len(states)} states and '
            f'{len(message.start_probabilities)} probabilities')
    start[states] = message.start_probabilities
    if len(message.state_x) != len(message.state_y):
        raise InvalidRecordError(
            f'positions must have as many x as y, got {len(message.state_x)} and '
            f'{len(message.state_y)}')
    positions = np.stack([message.state_x, message.state_y], axis=1) \
        if len(message.state_x) else None
    looks = Appearance(
        tuple(message.action_names), tuple(message.action_keys),
        _key('picture', PICTURES, message.picture), tuple(message.state_names), positions,
        message.cell_size, message.frame_id, _regions_from_msg(message))
    return World(message.name, Mdp(transitions, actions, message.discount), start, looks,
                 message.description, message.hash)


def _regions_from_msg(message: msg.Task) -> dict[str, np.ndarray]:
    offsets, names = to_array(message.region_offsets, np.int64), message.region_names
    states = to_array(message.region_states, np.int64)
    if len(offsets) != len(names) + 1 or offsets[0] != 0 or offsets[-1] != len(states) \
            or np.any(np.diff(offsets) < 0):
        raise InvalidRecordError(
            f'region_offsets must rise from 0 to {len(states)} in {len(names) + 1} entries, '
            f'got {len(offsets)} entries')
    return {name: states[offsets[i]:offsets[i + 1]] for i, name in enumerate(names)}


def hypotheses_to_msg(task: Task) -> msg.Hypotheses:
    """Return the Hypotheses message of a task."""
    hypotheses, sets = task.hypotheses, task.hypotheses.sets
    rewards, goals = hypotheses.rewards, hypotheses.goals
    return msg.Hypotheses(
        task_hash=text('task_hash', task.hash),
        names=texts('names', hypotheses.names),
        log_prior=numbers(hypotheses.log_prior, np.float64),
        num_classes=whole('num_classes', sets.num_classes, 32),
        num_policies=whole('num_policies', sets.num_policies, 32),
        class_of_state=numbers(sets.class_of_state, np.uint32),
        policy_of_hypothesis=numbers(hypotheses.policy_of_reward, np.uint32),
        greedy_sets=numbers(sets.bits.ravel(), np.uint64),
        reward_per_action=bool(rewards.per_action),
        weights=matrix_to_msg(rewards.weights),
        features=[] if rewards.features is None else [matrix_to_msg(rewards.features)],
        goals=msg.SparseMatrix(offsets=numbers(np.zeros(1), np.uint64)) if goals is None
        else matrix_to_msg(goals),
        noise=noise_to_msg(task.noise))


def task_from_msgs(task: msg.Task, hypotheses: msg.Hypotheses) -> Task:
    """Return the task that the two messages of a GetTask response describe."""
    if hypotheses.task_hash != task.hash:
        raise InvalidRecordError(
            f'the hypotheses belong to task {hypotheses.task_hash[:12]!r}, '
            f'not to {task.hash[:12]!r}')
    world = world_from_msg(task)
    shape = (hypotheses.num_classes, hypotheses.num_policies)
    if len(hypotheses.greedy_sets) != shape[0] * shape[1]:
        raise InvalidRecordError(
            f'greedy_sets must have {shape[0]} * {shape[1]} entries, '
            f'got {len(hypotheses.greedy_sets)}')
    bits = to_array(hypotheses.greedy_sets, np.uint64).reshape(shape)
    sets = GreedySets(
        _narrowed(bits, world.mdp.num_actions),
        to_array(hypotheses.class_of_state, np.int64), world.mdp.num_actions)
    features = [matrix_from_msg('features', matrix) for matrix in hypotheses.features]
    rewards = Rewards(
        matrix_from_msg('weights', hypotheses.weights), world.mdp.num_states,
        world.mdp.num_actions, bool(hypotheses.reward_per_action),
        features[0] if features else None)
    goals = matrix_from_msg('goals', hypotheses.goals) if hypotheses.goals.num_rows else None
    return Task.of_hypotheses(world, Hypotheses(
        world.mdp, rewards, sets, to_array(hypotheses.policy_of_hypothesis, np.int64),
        to_array(hypotheses.log_prior, np.float64), tuple(hypotheses.names), goals),
        noise_from_msg(hypotheses.noise))


def noise_to_msg(noise: NoiseModel) -> msg.NoiseModel:
    """Return a NoiseModel message."""
    return msg.NoiseModel(
        likelihood=LIKELIHOODS[noise.likelihood],
        gamma_hat=numbers(np.atleast_1d(noise.gamma_hat), np.float64),
        sigma_hat=real('sigma_hat', noise.sigma_hat))


def noise_from_msg(message: msg.NoiseModel) -> NoiseModel:
    """Return the noise model of a message."""
    rates = to_array(message.gamma_hat, np.float64)
    if not len(rates):
        raise InvalidRecordError('gamma_hat must have one value, or one per state, got none')
    return NoiseModel(float(rates[0]) if len(rates) == 1 else rates, message.sigma_hat,
                      _key('likelihood', LIKELIHOODS, message.likelihood))


def matrix_to_msg(matrix: sparse.csr_matrix) -> msg.SparseMatrix:
    """Return a SparseMatrix message."""
    return msg.SparseMatrix(
        num_rows=whole('num_rows', matrix.shape[0], 32),
        num_columns=whole('num_columns', matrix.shape[1], 32),
        offsets=numbers(matrix.indptr, np.uint64), columns=numbers(matrix.indices, np.uint32),
        values=numbers(matrix.data, np.float64))


def matrix_from_msg(name: str, message: msg.SparseMatrix) -> sparse.csr_matrix:
    """Return the matrix of a message."""
    return csr(name, message.offsets, message.columns, message.values,
               (message.num_rows, message.num_columns))


# ---- questions and answers ---------------------------------------------------------------------

def question_to_msg(record: QuestionRecord) -> msg.Question:
    """Return a Question message."""
    question = record.question
    return msg.Question(
        id=text('id', record.id), session=text('session', record.session),
        number=whole('number', record.number, 32), kind=QUESTION_KINDS[question.kind],
        state=whole('state', question.state, 32), has_action=question.action is not None,
        action=whole('action', question.action or 0, 32),
        steps=whole('steps', question.steps, 32), sentence=text('sentence', record.sentence),
        rivals=[rival_to_msg(rival) for rival in record.rivals])


def question_from_msg(message: msg.Question) -> QuestionRecord:
    """Return the question of a message."""
    question = Question(
        _key('kind', QUESTION_KINDS, message.kind), message.state,
        message.action if message.has_action else None, message.steps)
    return QuestionRecord(message.id, message.session, message.number, question, message.sentence,
                          tuple(rival_from_msg(rival) for rival in message.rivals))


def rival_to_msg(rival: Rival) -> msg.Rival:
    """Return a Rival message."""
    return msg.Rival(
        name=text('name', rival.name), probability=real('probability', rival.probability),
        actions=numbers(np.array(rival.actions, dtype=np.int64), np.uint32),
        reward=real('reward', rival.reward))


def rival_from_msg(message: msg.Rival) -> Rival:
    """Return the rival of a message."""
    return Rival(message.name, message.probability, tuple(int(a) for a in message.actions),
                 message.reward)


def answer_to_msg(record: AnswerRecord) -> msg.Answer:
    """Return an Answer message."""
    message = msg.Answer(
        id=text('id', record.id), stamp=stamp_to_msg(record.stamp),
        answered_by=text('answered_by', record.answered_by))
    answer = record.answer
    if isinstance(answer, ActionAnswer):
        message.kind, message.action = msg.Answer.ACTION, whole('action', answer.action, 32)
    elif isinstance(answer, YesNoAnswer):
        message.kind = msg.Answer.YES if answer.yes else msg.Answer.NO
    elif isinstance(answer, RewardAnswer):
        message.kind, message.reward = msg.Answer.REWARD, real('reward', answer.reward)
    elif isinstance(answer, DemonstrationAnswer):
        message.kind, message.steps = msg.Answer.DEMONSTRATION, _steps_to_msg(answer)
    else:
        message.kind = _KIND_WITHOUT_CONTENT[type(answer)]
    return message


def answer_from_msg(message: msg.Answer, question: Question) -> AnswerRecord:
    """
    Return the answer of a message to a question, which says what state it is about.

    Raises if the kind of answer does not fit the kind of question.
    """
    make = _ANSWERS.get((question.kind, message.kind)) or _ANSWERS.get((None, message.kind))
    if make is None:
        raise InvalidRecordError(
            f'an answer of kind {message.kind} does not fit a question of kind '
            f'{question.kind.value}')
    return AnswerRecord(message.id, make(message, question), message.answered_by,
                        stamp_from_msg(message.stamp))


def _steps_to_msg(demonstration: DemonstrationAnswer) -> list[msg.Step]:
    return [msg.Step(state=whole('state', state, 32), action=whole('action', action, 32))
            for state, action in demonstration.steps]


def _steps_from_msg(steps: Iterable[msg.Step]) -> DemonstrationAnswer:
    return DemonstrationAnswer(tuple((step.state, step.action) for step in steps))


_KIND_WITHOUT_CONTENT = {
    AllTheSameAnswer: msg.Answer.ALL_THE_SAME, DontKnowAnswer: msg.Answer.DONT_KNOW,
    LaterAnswer: msg.Answer.LATER}

# (kind of question, or None for any; kind of answer): how to make the answer
_ANSWERS: dict[tuple[QuestionKind | None, int], Any] = {
    (QuestionKind.ACTION, msg.Answer.ACTION):
        lambda message, question: ActionAnswer(question.state, message.action),
    (QuestionKind.ACTION, msg.Answer.ALL_THE_SAME):
        lambda message, question: AllTheSameAnswer(question.state),
    (QuestionKind.YES_NO, msg.Answer.YES):
        lambda message, question: YesNoAnswer(question.state, question.action, True),
    (QuestionKind.YES_NO, msg.Answer.NO):
        lambda message, question: YesNoAnswer(question.state, question.action, False),
    (QuestionKind.REWARD, msg.Answer.REWARD):
        lambda message, question: RewardAnswer(question.state, message.reward, question.action),
    (QuestionKind.DEMONSTRATION, msg.Answer.ALL_THE_SAME):
        lambda message, question: AllTheSameAnswer(question.state),
    (None, msg.Answer.DEMONSTRATION): lambda message, question: _steps_from_msg(message.steps),
    (None, msg.Answer.DONT_KNOW): lambda message, question: DontKnowAnswer(question),
    (None, msg.Answer.LATER): lambda message, question: LaterAnswer(question),
}


def demonstration_to_msg(record: DemonstrationRecord) -> msg.Demonstration:
    """Return a Demonstration message."""
    return msg.Demonstration(
        id=text('id', record.id), stamp=stamp_to_msg(record.stamp),
        demonstrated_by=text('demonstrated_by', record.demonstrated_by),
        correction=bool(record.correction), steps=_steps_to_msg(record.demonstration))


def demonstration_from_msg(message: msg.Demonstration) -> DemonstrationRecord:
    """Return the demonstration of a message."""
    return DemonstrationRecord(
        message.id, _steps_from_msg(message.steps), message.demonstrated_by,
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
        goal_states=numbers(policy.goal_states, np.uint32), checksum=record.checksum())


def policy_from_msg(message: msg.Policy, num_actions: int) -> PolicyRecord:
    """Return the policy of a message; raise if it is not whole."""
    policy = Policy(
        to_array(message.action_sets, np.uint64), to_array(message.confidence, np.float64),
        to_array(message.goal_states, np.int64), num_actions)
    record = PolicyRecord(message.session, message.sequence, message.task_hash, policy,
                          bool(message.final), stamp_from_msg(message.stamp))
    if record.checksum() != message.checksum:
        raise InvalidRecordError(
            f'the policy {message.sequence} of session {message.session!r} is damaged: '
            f'its checksum is {record.checksum()[:12]}..., it says {message.checksum[:12]}...')
    return record


def belief_to_msg(record: BeliefRecord) -> msg.Belief:
    """Return a Belief message."""
    expected = -1 if record.expected_questions is None else record.expected_questions
    return msg.Belief(
        stamp=stamp_to_msg(record.stamp), session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64),
        task_hash=text('task_hash', record.task_hash), status=STATUSES[record.status],
        status_text=text('status_text', record.status_text),
        probabilities=numbers(record.probabilities, np.float64),
        map_hypothesis=whole('map_hypothesis', record.map_hypothesis, 32),
        map_probability=real('map_probability', record.map_probability),
        entropy=real('entropy', record.entropy), answers=whole('answers', record.answers, 32),
        expected_questions=whole('expected_questions', expected, 31, lowest=-1),
        question_id=text('question_id', record.question_id),
        acknowledged=texts('acknowledged', record.acknowledged),
        certificate=text('certificate', record.certificate))


def belief_from_msg(message: msg.Belief) -> BeliefRecord:
    """Return the belief of a message."""
    return BeliefRecord(
        message.session, message.sequence, message.task_hash,
        _key('status', STATUSES, message.status), message.status_text,
        to_array(message.probabilities, np.float64), message.map_hypothesis,
        message.map_probability, message.entropy, message.answers,
        None if message.expected_questions < 0 else message.expected_questions,
        message.question_id, tuple(message.acknowledged), message.certificate,
        stamp_from_msg(message.stamp))


def heartbeat_to_msg(record: HeartbeatRecord) -> msg.Heartbeat:
    """Return a Heartbeat message."""
    return msg.Heartbeat(
        stamp=stamp_to_msg(record.stamp), session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64), count=whole('count', record.count, 64))


def heartbeat_from_msg(message: msg.Heartbeat) -> HeartbeatRecord:
    """Return the heartbeat of a message."""
    return HeartbeatRecord(message.session, message.sequence, message.count,
                           stamp_from_msg(message.stamp))


# ---- what the controller tells -----------------------------------------------------------------

def execution_to_msg(record: ExecutionRecord) -> msg.Execution:
    """Return an Execution message."""
    return msg.Execution(
        stamp=stamp_to_msg(record.stamp), status=EXECUTION_STATUSES[record.status],
        status_text=text('status_text', record.text), has_state=record.state is not None,
        state=whole('state', record.state or 0, 32), has_action=record.action is not None,
        action=whole('action', record.action or 0, 32), session=text('session', record.session),
        sequence=whole('sequence', record.sequence, 64))


def execution_from_msg(message: msg.Execution) -> ExecutionRecord:
    """Return what the controller is doing."""
    return ExecutionRecord(
        _key('status', EXECUTION_STATUSES, message.status), message.status_text,
        message.state if message.has_state else None,
        message.action if message.has_action else None, message.session, message.sequence,
        stamp_from_msg(message.stamp))


def stamp_to_msg(nanoseconds: int) -> Time:
    """Return a time."""
    seconds, rest = divmod(whole('stamp', nanoseconds, 62), BILLION)
    return Time(sec=whole('stamp in seconds', seconds, 31), nanosec=rest)


def stamp_from_msg(message: Time) -> int:
    """Return a time in nanoseconds."""
    return int(message.sec) * BILLION + int(message.nanosec)


def _narrowed(bits: np.ndarray, num_actions: int) -> np.ndarray:
    """Return greedy sets in the smallest type; raise if one would lose an action."""
    narrow = bits.astype(bits_dtype(num_actions))
    lost = np.argwhere(narrow != bits)
    if len(lost):
        raise InvalidRecordError(
            f'greedy sets must hold actions 0 .. {num_actions - 1}: that of class {lost[0][0]}, '
            f'policy {lost[0][1]} is {int(bits[tuple(lost[0])]):b}')
    return narrow


def _key(name: str, table: dict[Any, int], value: int) -> Any:
    """Return what a constant of a message stands for."""
    for key, constant in table.items():
        if constant == value:
            return key
    raise InvalidRecordError(
        f'{name} must be one of {sorted(table.values())}, got {value}')
