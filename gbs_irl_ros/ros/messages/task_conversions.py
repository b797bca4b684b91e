"""Between the messages of a task and the task: its world, its hypotheses, its noise model."""

from __future__ import annotations

import array
import itertools
import json
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros import msg
from gbs_irl_ros.core.action_likelihood import ActionLikelihood, make_likelihood
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.planning.solver import bits_dtype
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.learning.written_options import read_options
from gbs_irl_ros.ros.messages.fields import (
    csr,
    key_of,
    numbers,
    real,
    text,
    texts,
    to_array,
    whole,
)
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import MAX_FLOOR_BYTES, Appearance, FloorImage, Picture, World

PICTURES = {
    Picture.LIST: msg.World.PICTURE_LIST, Picture.GRID: msg.World.PICTURE_GRID,
    Picture.MAP: msg.World.PICTURE_MAP, Picture.ROAD: msg.World.PICTURE_ROAD}
LIKELIHOODS: dict[Likelihood | ActionLikelihood, int] = {
    Likelihood.SINGLE_ACTION: msg.NoiseModel.LIKELIHOOD_SINGLE_ACTION,
    Likelihood.AGGREGATED: msg.NoiseModel.LIKELIHOOD_AGGREGATED,
    Likelihood.EXACT: msg.NoiseModel.LIKELIHOOD_EXACT}


def world_to_msg(world: World) -> msg.World:
    """Return a World message."""
    mdp, looks = world.mdp, world.appearance
    positions = np.empty((0, 2)) if looks.positions is None else looks.positions
    cells = np.empty((0, 2)) if looks.cells is None else looks.cells
    start_states = np.flatnonzero(world.start)
    return msg.World(
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
        synonym_of=texts('synonym_of', (
            name for name, words in looks.synonyms.items() for _ in words)),
        synonyms=texts('synonyms', itertools.chain.from_iterable(looks.synonyms.values())),
        frame_id=text('frame_id', looks.frame_id),
        state_x=numbers(positions[:, 0], np.float64),
        state_y=numbers(positions[:, 1], np.float64),
        state_column=numbers(cells[:, 0], np.uint32),
        state_row=numbers(cells[:, 1], np.uint32),
        cell_size=real('cell_size', looks.cell_size),
        floor_image=array.array('B', looks.floor.png if looks.floor else b''),
        floor_extent=numbers(looks.floor.extent if looks.floor else [], np.float64))


def world_from_msg(message: msg.World) -> World:
    """Return the world of a World message."""
    size, actions = message.num_states, message.num_actions
    transitions = csr('transitions', message.transition_offsets, message.successors,
                      message.probabilities, (size * actions, size))
    mdp = Mdp(transitions, actions, message.discount)   # now the number of states is a real one
    start = np.zeros(size)
    states = to_array(message.start_states, np.int64)
    if len(states) != len(message.start_probabilities) or np.any(states >= size):
        raise InvalidRecordError(
            f'start must be probabilities of states 0 .. {size - 1}, got {len(states)} states and '
            f'{len(message.start_probabilities)} probabilities')
    start[states] = message.start_probabilities
    positions = _pairs('positions', 'x as y', message.state_x, message.state_y, np.float64)
    cells = _pairs('cells', 'columns as rows', message.state_column, message.state_row, np.int64)
    looks = Appearance(
        tuple(message.action_names), tuple(message.action_keys),
        key_of('picture', PICTURES, message.picture), tuple(message.state_names), positions,
        message.cell_size, message.frame_id, _regions_from_msg(message), cells,
        _floor_from_msg(message), _synonyms_from_msg(message))
    return World(message.name, mdp, start, looks, message.description, message.hash)


def _floor_from_msg(message: msg.World) -> FloorImage | None:
    if not len(message.floor_image) and not len(message.floor_extent):
        return None
    if len(message.floor_image) > MAX_FLOOR_BYTES or len(message.floor_extent) != 4:
        raise InvalidRecordError(
            f'the floor must be an image of at most {MAX_FLOOR_BYTES} bytes with four edges, got '
            f'{len(message.floor_image)} bytes and {len(message.floor_extent)} edges')
    left, right, bottom, top = (float(edge) for edge in message.floor_extent)
    return FloorImage(bytes(message.floor_image), (left, right, bottom, top))


def _pairs(name: str, what: str, first: Any, second: Any,
           dtype: type[np.generic]) -> np.ndarray | None:
    """Return ``[S, 2]``, None if both are empty."""
    if len(first) != len(second):
        raise InvalidRecordError(
            f'{name} must have as many {what}, got {len(first)} and {len(second)}')
    return np.stack([to_array(first, dtype), to_array(second, dtype)], axis=1) \
        if len(first) else None


def _regions_from_msg(message: msg.World) -> dict[str, np.ndarray]:
    offsets, names = to_array(message.region_offsets, np.int64), message.region_names
    states = to_array(message.region_states, np.int64)
    if len(offsets) != len(names) + 1 or offsets[0] != 0 or offsets[-1] != len(states) \
            or np.any(np.diff(offsets) < 0):
        raise InvalidRecordError(
            f'region_offsets must rise from 0 to {len(states)} in {len(names) + 1} entries, '
            f'got {len(offsets)} entries')
    return {name: states[offsets[i]:offsets[i + 1]] for i, name in enumerate(names)}


def _synonyms_from_msg(message: msg.World) -> dict[str, tuple[str, ...]]:
    if len(message.synonym_of) != len(message.synonyms):
        raise InvalidRecordError(
            f'synonyms must have as many words as names, got {len(message.synonyms)} and '
            f'{len(message.synonym_of)}')
    found: dict[str, tuple[str, ...]] = {}
    for name, word in zip(message.synonym_of, message.synonyms, strict=True):
        found[name] = (*found.get(name, ()), word)
    return found


def hypotheses_to_msg(task: Task) -> msg.Hypotheses:
    """Return the Hypotheses message of a task."""
    hypotheses, sets = task.hypotheses, task.hypotheses.sets
    rewards = hypotheses.rewards
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
        goals=_optional_to_msg(hypotheses.goals), never=_optional_to_msg(hypotheses.never),
        noise=noise_to_msg(task.noise))


def task_from_msgs(world_msg: msg.World, hypotheses: msg.Hypotheses) -> Task:
    """Return the task that the two messages of a GetTask response describe."""
    if hypotheses.task_hash != world_msg.hash:
        raise InvalidRecordError(
            f'the hypotheses belong to task {hypotheses.task_hash[:12]!r}, '
            f'not to {world_msg.hash[:12]!r}')
    world = world_from_msg(world_msg)
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
    return Task(world, Hypotheses(
        world.mdp, rewards, to_array(hypotheses.log_prior, np.float64), tuple(hypotheses.names),
        _optional_from_msg('goals', hypotheses.goals),
        _optional_from_msg('never', hypotheses.never), sets=sets,
        policy_of_reward=to_array(hypotheses.policy_of_hypothesis, np.int64)),
        noise_from_msg(hypotheses.noise))


def noise_to_msg(noise: NoiseModel) -> msg.NoiseModel:
    """Return a NoiseModel message."""
    named = noise.likelihood if isinstance(noise.likelihood, ActionLikelihood) else None
    return msg.NoiseModel(
        likelihood=LIKELIHOODS.get(noise.likelihood, msg.NoiseModel.LIKELIHOOD_NAMED),
        likelihood_name='' if named is None else text('likelihood_name', named.name),
        likelihood_options='' if named is None
        else text('likelihood_options', json.dumps(named.options)),
        gamma_hat=numbers(np.atleast_1d(noise.gamma_hat), np.float64),
        sigma_hat=real('sigma_hat', noise.sigma_hat))


def noise_from_msg(message: msg.NoiseModel) -> NoiseModel:
    """Return the noise model of a message."""
    rates = to_array(message.gamma_hat, np.float64)
    if not len(rates):
        raise InvalidRecordError('gamma_hat must have one value, or one per state, got none')
    likelihood = make_likelihood(
        message.likelihood_name, **read_options(message.likelihood_options)) \
        if message.likelihood == msg.NoiseModel.LIKELIHOOD_NAMED \
        else key_of('likelihood', LIKELIHOODS, message.likelihood)
    return NoiseModel(float(rates[0]) if len(rates) == 1 else rates, message.sigma_hat, likelihood)


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


def _optional_to_msg(matrix: sparse.csr_matrix | None) -> msg.SparseMatrix:
    """Return a matrix, or one without rows if there is none."""
    return msg.SparseMatrix(offsets=numbers(np.zeros(1), np.uint64)) if matrix is None \
        else matrix_to_msg(matrix)


def _optional_from_msg(name: str, message: msg.SparseMatrix) -> sparse.csr_matrix | None:
    return matrix_from_msg(name, message) if message.num_rows else None


def _narrowed(bits: np.ndarray, num_actions: int) -> np.ndarray:
    """Return greedy sets in the smallest type; raise if one would lose an action."""
    narrow = bits.astype(bits_dtype(num_actions))
    lost = np.argwhere(narrow != bits)
    if len(lost):
        raise InvalidRecordError(
            f'greedy sets must hold actions 0 .. {num_actions - 1}: that of class {lost[0][0]}, '
            f'policy {lost[0][1]} is {int(bits[tuple(lost[0])]):b}')
    return narrow
