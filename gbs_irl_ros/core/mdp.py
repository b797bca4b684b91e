"""A finite Markov decision process without its reward: (X, A, P, gamma), section 2.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidMdpError

MAX_ACTIONS = 64    # a greedy set is one machine word
ROW_SUM_TOLERANCE = 1e-9
LIKELY = 0.3        # chance of a move from which on it is what an action is for


@dataclass(frozen=True, eq=False)
class Mdp:
    """
    A finite MDP without its reward.

    transitions: sparse ``[S * A, S]``; row ``s * A + a`` is P(. | s, a).
    num_actions: A, at most 64.
    discount: in [0, 1).
    """

    transitions: sparse.csr_matrix
    num_actions: int
    discount: float

    def __post_init__(self) -> None:
        try:
            matrix = sparse.csr_matrix(self.transitions, dtype=np.float64, copy=True)
        except (TypeError, ValueError) as error:
            raise InvalidMdpError(f'transitions must be a sparse matrix: {error}') from None
        num_actions = whole_number('num_actions', self.num_actions, InvalidMdpError)
        if not 1 <= num_actions <= MAX_ACTIONS:
            raise InvalidMdpError(
                f'num_actions must be in 1 .. {MAX_ACTIONS}, got {self.num_actions}')
        if matrix.shape[1] == 0 or matrix.shape[0] != matrix.shape[1] * num_actions:
            raise InvalidMdpError(
                f'transitions must have shape (S * {num_actions}, S) with S > 0, '
                f'got {matrix.shape}')
        if not 0.0 <= self.discount < 1.0:
            raise InvalidMdpError(f'discount must be in [0, 1), got {self.discount}')
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        _check_probabilities(matrix, num_actions)
        certain = np.flatnonzero(np.diff(matrix.indptr) == 1)
        matrix.data[matrix.indptr[certain]] = 1.0       # as it was before rounding
        for array in (matrix.data, matrix.indices, matrix.indptr):
            array.setflags(write=False)     # frozen means frozen
        object.__setattr__(self, 'transitions', matrix)
        object.__setattr__(self, 'num_actions', num_actions)
        object.__setattr__(self, 'discount', float(self.discount))

    def __repr__(self) -> str:
        return (f'Mdp({self.num_states} states, {self.num_actions} actions, '
                f'discount {self.discount:g})')

    @classmethod
    def from_dense(cls, transitions: np.ndarray, discount: float) -> Mdp:
        """Build from ``[S, A, S]``, ``transitions[s, a, t]`` = P(t | s, a)."""
        array = np.asarray(transitions, dtype=np.float64)
        if array.ndim != 3 or array.shape[0] != array.shape[2] or 0 in array.shape:
            raise InvalidMdpError(f'transitions must have shape (S, A, S), got {array.shape}')
        num_states, num_actions, _ = array.shape
        rows = array.reshape(num_states * num_actions, num_states)
        return cls(sparse.csr_matrix(rows), num_actions, discount)

    @classmethod
    def from_action_matrices(cls, matrices: Sequence[sparse.spmatrix], discount: float) -> Mdp:
        """Build from one ``[S, S]`` matrix per action."""
        if not matrices:
            raise InvalidMdpError('matrices must hold one matrix per action, got none')
        shapes = {matrix.shape for matrix in matrices}
        if len(shapes) != 1 or len(set(next(iter(shapes)))) != 1:
            raise InvalidMdpError(f'matrices must all have shape (S, S), got {sorted(shapes)}')
        num_actions, num_states = len(matrices), matrices[0].shape[0]
        stacked = sparse.vstack(matrices, format='csr')
        by_state = np.arange(num_actions * num_states).reshape(num_actions, num_states).T.ravel()
        return cls(stacked[by_state], num_actions, discount)

    @classmethod
    def from_successors(cls, successors: np.ndarray, discount: float) -> Mdp:
        """Build a deterministic MDP from ``[S, A]``, the state that follows."""
        array = np.asarray(successors)
        if array.ndim != 2 or 0 in array.shape or not np.issubdtype(array.dtype, np.integer):
            raise InvalidMdpError(
                f'successors must be whole numbers of shape (S, A), got {array.dtype} '
                f'of shape {array.shape}')
        num_states, num_actions = array.shape
        outside = np.argwhere((array < 0) | (array >= num_states))
        if len(outside):
            s, a = outside[0]
            raise InvalidMdpError(
                f'successors must be states 0 .. {num_states - 1}: that of state {s}, action {a} '
                f'is {array[s, a]}')
        size = num_states * num_actions
        matrix = sparse.csr_matrix(
            (np.ones(size), array.ravel(), np.arange(size + 1)), shape=(size, num_states))
        return cls(matrix, num_actions, discount)

    @classmethod
    def from_gymnasium(cls, env: Any, discount: float) -> Mdp:
        """
        Build from the table of a Gymnasium environment, or of the one with that name.

        ``gymnasium_tables.GymnasiumTable.of`` also gives its rewards and where it starts.
        """
        from gbs_irl_ros.core.gymnasium_tables import GymnasiumTable
        return GymnasiumTable.of(env, discount).mdp

    @property
    def num_states(self) -> int:
        """S."""
        return int(self.transitions.shape[1])

    @cached_property
    def successors(self) -> np.ndarray | None:
        """``[S, A]``, the one state that follows, or None if any transition is random."""
        if self.transitions.nnz != self.transitions.shape[0]:
            return None
        return np.asarray(self.transitions.indices).reshape(self.num_states, self.num_actions)

    @cached_property
    def targets(self) -> np.ndarray:
        """
        Return ``[S, A]``, where each action leads: to the likeliest other state, if it is likely.

        A robot that often fails to move is still meant to move; one that bumps into a wall and
        sometimes slides along it is not.
        """
        transitions, actions = self.transitions, self.num_actions
        first = transitions.indptr[:-1]
        own = np.repeat(np.arange(self.num_states), actions)
        lengths = np.diff(transitions.indptr)
        moving = np.where(transitions.indices == np.repeat(own, lengths), 0.0, transitions.data)
        best = np.maximum.reduceat(moving, first)
        places = np.where(moving == np.repeat(best, lengths), np.arange(len(moving)), len(moving))
        likeliest = transitions.indices[np.minimum.reduceat(places, first)]
        return np.asarray(np.where(best >= LIKELY, likeliest, own)).reshape(-1, actions)

    def checked_start(self, start: np.ndarray | None) -> np.ndarray:
        """Return a start distribution ``[S]``, read-only; uniform if None is given."""
        count = self.num_states
        given = np.full(count, 1.0 / count) if start is None else np.array(start, dtype=float)
        if given.shape != (count,):
            raise InvalidMdpError(
                f'start must be a probability for each of the {count} states, '
                f'got shape {given.shape}')
        bad = np.flatnonzero(~(np.isfinite(given) & (given >= 0.0)))
        if len(bad):
            raise InvalidMdpError(
                f'start must be a probability for each state, that of state {bad[0]} is '
                f'{given[bad[0]]}')
        if abs(given.sum() - 1.0) > ROW_SUM_TOLERANCE:
            raise InvalidMdpError(
                f'start must be a probability for each state, summing to 1; got a sum of '
                f'{given.sum():.9g}')
        given.setflags(write=False)
        return given

    def check_state(self, state: object, error: type[Exception] = InvalidMdpError,
                    name: str = 'state') -> int:
        """Return the state as an int, or raise if it does not exist."""
        return check_index(name, state, self.num_states, error)

    def check_action(self, action: object, error: type[Exception] = InvalidMdpError,
                     name: str = 'action') -> int:
        """Return the action as an int, or raise if it does not exist."""
        return check_index(name, action, self.num_actions, error)


def check_index(name: str, value: object, size: int, error: type[Exception]) -> int:
    """Return a whole number in 0 .. size - 1 as an int."""
    if type(value) is int and 0 <= value < size:    # the usual case, in a hurry
        return value
    number = whole_number(name, value, error)
    if not 0 <= number < size:
        raise error(f'{name} must be in 0 .. {size - 1}, got {value}')
    return number


def whole_number(name: str, value: object, error: type[Exception]) -> int:
    """Return a whole number as an int; a bool or a float is refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise error(f'{name} must be a whole number, got {value!r}')
    return int(value)


def _check_probabilities(matrix: sparse.csr_matrix, num_actions: int) -> None:
    bad = np.flatnonzero(~np.isfinite(matrix.data) | (matrix.data < 0.0))
    if len(bad):
        row = int(np.searchsorted(matrix.indptr, bad[0], side='right')) - 1
        raise InvalidMdpError(
            f'probabilities must be finite and not negative: P({matrix.indices[bad[0]]} | '
            f'{row // num_actions}, {row % num_actions}) is {matrix.data[bad[0]]}')
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    wrong = np.flatnonzero(np.abs(sums - 1.0) > ROW_SUM_TOLERANCE)
    if len(wrong):
        s, a = divmod(int(wrong[0]), num_actions)
        raise InvalidMdpError(
            f'probabilities must sum to 1: those of state {s}, action {a} sum to '
            f'{sums[wrong[0]]:.9g}')
