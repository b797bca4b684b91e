"""Tasks that are added to those that are listed: built on one of them, each different from all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.tasks.hypotheses.places import NEVER, RATHER_NOT, RATHER_NOT_COST

MAX_LOOKED_AT = 256     # tasks with weighted features that new ones are compared with
DIGITS = 12             # of rewards that are compared


class Addition(NamedTuple):
    """One more task: what it is built on, its name, reward ``[C]``, goals and taboos ``[S]``."""

    base: int | None
    name: str
    reward: np.ndarray
    goals: np.ndarray
    never: np.ndarray

    @property
    def key(self) -> bytes:
        """Return what tells it from others."""
        return _key(self.reward, np.flatnonzero(self.never))


def going(candidates: Candidates, states: np.ndarray, base: int | None,
          where: str) -> Iterator[Addition]:
    """Yield the task to go to these states, in the manner of another one."""
    value, size = value_of_goal(candidates), candidates.mdp.num_states
    never, manner, rest = np.zeros(size, dtype=bool), np.zeros(size), ''
    if base is not None:
        never = never_of(candidates, base)
        manner = candidates.rewards.one(base)
        manner[candidates.goal_states(base)] -= value
        manner = np.round(manner, DIGITS) + 0.0     # no minus zero
        rest = manner_words(candidates, base, manner)
    goals = marked(states, size) & ~never
    reward = np.where(never, -value, manner + value * goals)
    yield Addition(base, f'go to {where}{rest}', by_column(candidates, reward), goals, never)


def kept_off(candidates: Candidates, states: np.ndarray, base: int,
             where: str) -> Iterator[Addition]:
    """Yield a task combined with never and with rather not driving over these states."""
    value, size = value_of_goal(candidates), candidates.mdp.num_states
    there, before = marked(states, size), never_of(candidates, base)
    reward = candidates.rewards.dense(slice(base, base + 1))[0]
    goals = marked(candidates.goal_states(base), size)
    name = candidates.name(base)
    if not before[states].all() and (goals & ~there).any():
        column_there, never = by_column(candidates, there), before | there
        yield Addition(base, f'{name}, {NEVER} over {where}',
                       np.where(column_there, -value, reward), goals & ~never, never)
        cost = RATHER_NOT_COST * value * by_column(candidates, there & ~before)
        if (reward[column_there] >= 0.0).any():
            yield Addition(base, f'{name}, {RATHER_NOT} over {where}', reward - cost, goals,
                           before)


def extended(candidates: Candidates, new: Sequence[Addition],
             log_prior: np.ndarray) -> Candidates:
    before, rows = candidates.rewards, sparse.csr_matrix(np.stack([each.reward for each in new]))
    rewards = replace(before, weights=sparse.vstack([before.weights, rows], format='csr')) \
        if before.features is None else replace(
            before, features=sparse.vstack([before.features, rows], format='csr'),
            weights=sparse.block_diag((before.weights, sparse.identity(len(new))), format='csr'))
    old_names = candidates.names or tuple(map(candidates.name, range(candidates.num_rewards)))
    never = candidates.never
    if never is None and any(each.never.any() for each in new):
        never = sparse.csr_matrix((candidates.num_rewards, candidates.mdp.num_states))
    return Candidates(
        candidates.mdp, rewards, log_prior, (*old_names, *(each.name for each in new)),
        _stacked(candidates.goals, (each.goals for each in new)),
        _stacked(never, (each.never for each in new)))


def _stacked(matrix: sparse.csr_matrix | None,
             rows: Iterable[np.ndarray]) -> sparse.csr_matrix | None:
    if matrix is None:
        return None
    return sparse.vstack([matrix, sparse.csr_matrix(np.stack(list(rows)), dtype=matrix.dtype)],
                         format='csr')


def has_manners(candidates: Candidates) -> bool:
    """Tell whether tasks are a goal and what to drive over on the way."""
    return candidates.goals is not None and not candidates.rewards.per_action \
        and candidates.rewards.limits[1] > 0.0


def value_of_goal(candidates: Candidates) -> float:
    """Return what a goal is worth: as much as the best of the listed ones."""
    most = candidates.rewards.limits[1]
    return most if most > 0.0 else 1.0


def manner_words(candidates: Candidates, base: int, manner: np.ndarray) -> str:
    """Return how the name of a task ends that says what it keeps off."""
    if not manner.any():
        return ''
    name = candidates.name(base)
    for word in (NEVER, RATHER_NOT, 'keep off'):
        start = name.find(f', {word} ')
        if start >= 0:
            return name[start:]
    return f', otherwise like {name!r}'


def known_keys(candidates: Candidates) -> set[bytes]:
    """Return the keys of the candidates; of weighted features, those of the first ones only."""
    rewards = candidates.rewards
    if rewards.features is not None:
        rewards = rewards.rows(np.arange(min(rewards.num_rewards, MAX_LOOKED_AT)))
    matrix = rewards.weights if rewards.features is None else rewards.weights @ rewards.features
    keys = set()
    for number in range(rewards.num_rewards):
        row = slice(matrix.indptr[number], matrix.indptr[number + 1])
        keys.add(_sparse_key(matrix.indices[row], matrix.data[row],
                             np.flatnonzero(never_of(candidates, number))))
    return keys


def _key(reward: np.ndarray, never: np.ndarray) -> bytes:
    columns = np.flatnonzero(reward)
    return _sparse_key(columns, reward[columns], never)


def _sparse_key(columns: np.ndarray, values: np.ndarray, never: np.ndarray) -> bytes:
    order = np.argsort(columns)
    return b';'.join((columns[order].astype(np.int64).tobytes(),
                      np.round(values[order], DIGITS).tobytes(), never.tobytes()))


def never_of(candidates: Candidates, base: int) -> np.ndarray:
    """``[S]`` bool, what a task never enters."""
    forbidden = [] if candidates.never is None else candidates.never[base].indices
    return marked(np.asarray(forbidden, dtype=np.int64), candidates.mdp.num_states)


def marked(states: np.ndarray, size: int) -> np.ndarray:
    marks = np.zeros(size, dtype=bool)
    marks[states] = True
    return marks


def by_column(candidates: Candidates, by_state: np.ndarray) -> np.ndarray:
    """Return values of states as values of the columns of the rewards."""
    return np.repeat(by_state, candidates.mdp.num_actions) if candidates.rewards.per_action \
        else by_state
