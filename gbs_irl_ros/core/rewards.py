"""
Many rewards for one MDP: the set R_rho of the paper.

A reward is a number for each state, r(x), or for each state and action, r(x, a). All rewards of a
set are kept as one sparse matrix, directly or as weights of shared features, because 500 dense
rewards of 16,875 states and 5 actions would be 340 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidRewardsError
from gbs_irl_ros.core.mdp import Mdp, check_index

LARGEST = 1e300     # of |r|: what is added up over steps must still be a number
BLOCK_ENTRIES = 4_000_000   # rewards * columns multiplied out at once


@dataclass(frozen=True, eq=False)
class Rewards:
    """
    H rewards: row h of ``weights @ features``, or of ``weights`` where there are no features.

    weights: sparse ``[H, C]``, or ``[H, F]`` with F features.
    num_states, num_actions: S and A of the MDP.
    per_action: False: a column is a state, C = S. True: column ``s * A + a``, C = S * A.
    features: sparse ``[F, C]`` or None.
    """

    weights: sparse.csr_matrix
    num_states: int
    num_actions: int
    per_action: bool = False
    features: sparse.csr_matrix | None = None

    def __post_init__(self) -> None:
        weights = _sparse('weights', self.weights)
        features = None if self.features is None else _sparse('features', self.features)
        columns = (weights if features is None else features).shape[1]
        if columns != self.num_columns:
            what = 'S * A' if self.per_action else 'S'
            raise InvalidRewardsError(
                f'rewards must have {what} = {self.num_columns} columns, got {columns}')
        if features is not None and weights.shape[1] != features.shape[0]:
            raise InvalidRewardsError(
                f'weights must have one column per feature: got {weights.shape[1]} columns '
                f'for {features.shape[0]} features')
        if weights.shape[0] == 0:
            raise InvalidRewardsError('there must be at least one reward, got none')
        largest = np.abs(weights).max(axis=1).toarray().max(initial=0.0) if features is None \
            else (np.abs(weights) @ np.abs(features).max(axis=1)).toarray().max(initial=0.0)
        if not largest <= LARGEST:
            raise InvalidRewardsError(f'rewards must be below {LARGEST:g}, got {largest:g}')
        object.__setattr__(self, 'weights', weights)
        object.__setattr__(self, 'features', features)

    def __repr__(self) -> str:
        return (f'Rewards({self.num_rewards} on {self.num_states} states'
                + (f' and {self.num_actions} actions)' if self.per_action else ')'))

    @classmethod
    def from_dense(cls, rewards: np.ndarray, num_actions: int) -> Rewards:
        """Build from ``[H, S]`` (on states) or ``[H, S, A]`` (on states and actions)."""
        array = np.asarray(rewards, dtype=np.float64)
        if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] != num_actions):
            raise InvalidRewardsError(
                f'rewards must have shape (H, S) or (H, S, {num_actions}), got {array.shape}')
        if len(array) == 0:
            raise InvalidRewardsError('there must be at least one reward, got none')
        matrix = sparse.csr_matrix(array.reshape(len(array), -1))
        return cls(matrix, array.shape[1], num_actions, per_action=array.ndim == 3)

    @classmethod
    def goals(cls, mdp: Mdp, states: Sequence[int] | np.ndarray) -> Rewards:
        """Build one reward for each of these H states: 1 there, 0 elsewhere."""
        goals = [mdp.check_state(state, InvalidRewardsError, 'goal') for state in states]
        count = len(goals)
        matrix = sparse.csr_matrix(
            (np.ones(count), goals, np.arange(count + 1)), shape=(count, mdp.num_states))
        return cls(matrix, mdp.num_states, mdp.num_actions)

    @property
    def num_rewards(self) -> int:
        """H."""
        return int(self.weights.shape[0])

    @property
    def num_columns(self) -> int:
        """C: S, or S * A where rewards depend on the action."""
        return self.num_states * (self.num_actions if self.per_action else 1)

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless these rewards are for an MDP of that size."""
        mine, theirs = (self.num_states, self.num_actions), (mdp.num_states, mdp.num_actions)
        if mine != theirs:
            raise InvalidRewardsError(
                f'rewards are for (S, A) = {mine}, the MDP has (S, A) = {theirs}')

    def rows(self, rows: np.ndarray) -> Rewards:
        """Return only these rewards."""
        return replace(self, weights=self.weights[rows])

    def dense(self, rows: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Return the chosen rewards as ``[B, C]``."""
        weights = self.weights[rows]
        product = weights if self.features is None else weights @ self.features
        return np.asarray(product.toarray())

    def one(self, index: int) -> np.ndarray:
        """Return one reward: ``[S]``, or ``[S, A]`` where it depends on the action."""
        index = check_index('index', index, self.num_rewards, InvalidRewardsError)
        row = self.dense(slice(index, index + 1))[0]
        return row.reshape(self.num_states, -1) if self.per_action else row

    def by_state(self, index: int) -> np.ndarray:
        """Return one reward by state, ``[S]``: that of the best action where it depends on it."""
        reward = self.one(index)
        return np.asarray(reward.max(axis=1)) if self.per_action else reward

    def positive(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the states ``[n]`` where one reward is positive by state, and how much it is."""
        if self.features is not None or self.per_action:
            best = self.by_state(index)
            states = np.flatnonzero(best > 0.0)
            return states, best[states]
        row = slice(self.weights.indptr[index], self.weights.indptr[index + 1])
        states, values = self.weights.indices[row], self.weights.data[row]
        order = np.argsort(states)
        order = order[values[order] > 0.0]
        return states[order].astype(int), values[order]

    def column(self, state: int, action: int | None = None) -> np.ndarray:
        """
        Return r_h(state) or r_h(state, action) for every reward: ``[H]``.

        Without an action, rewards that depend on one give their best value there.
        """
        if not self.per_action:
            return self.columns(np.array([state]))[:, 0]
        if action is not None:
            return self.columns(np.array([state * self.num_actions + action]))[:, 0]
        first = state * self.num_actions
        best: np.ndarray = self.columns(np.arange(first, first + self.num_actions)).max(axis=1)
        return best

    def mixtures(self, probabilities: np.ndarray) -> Rewards:
        """Return B mixtures of all rewards for ``[B, H]``, or one for ``[H]`` probabilities."""
        return replace(self, weights=sparse.csr_matrix(probabilities) @ self.weights)

    def num_nonzero(self) -> np.ndarray:
        """Return how many entries of each reward are not zero: ``[H]``."""
        matrix = self.weights if self.features is None else self.weights @ self.features
        matrix = sparse.csr_matrix(matrix)
        matrix.eliminate_zeros()
        return np.diff(matrix.indptr)

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Return the smallest and the largest entry of all rewards."""
        low, high = np.inf, -np.inf
        for first in range(0, self.num_rewards, size := max(1, BLOCK_ENTRIES // self.num_columns)):
            block = self.weights[first:first + size]
            entries = block if self.features is None else block @ self.features
            low, high = min(low, entries.min()), max(high, entries.max())
        return float(low), float(high)

    @cached_property
    def column_groups(self) -> tuple[np.ndarray, np.ndarray]:
        """
        Columns that are equal in every reward: ``(representatives [G], group_of_column [C])``.

        Rewards of few features have few different columns however many states there are.
        """
        shared = self.features if self.features is not None else self.weights
        columns = sparse.csc_matrix(shared)
        columns.sort_indices()
        known: dict[bytes, int] = {}
        representatives: list[int] = []
        group_of_column = np.empty(self.num_columns, dtype=np.int64)
        for column in range(self.num_columns):
            part = slice(columns.indptr[column], columns.indptr[column + 1])
            key = columns.indices[part].tobytes() + columns.data[part].tobytes()
            group = known.setdefault(key, len(representatives))
            if group == len(representatives):
                representatives.append(column)
            group_of_column[column] = group
        return np.array(representatives), group_of_column

    def columns(self, columns: np.ndarray) -> np.ndarray:
        """Return these columns of every reward: ``[H, B]``."""
        if self.features is not None:
            return np.asarray((self.weights @ self._by_column[:, columns]).toarray())
        return np.asarray(self._by_column[:, columns].toarray())

    def sums(self, columns: np.ndarray, amounts: sparse.csr_matrix) -> np.ndarray:
        """Return ``[H, n]``: n sums of these columns of every reward, amounts ``[B, n]``."""
        total = self._by_column[:, columns] @ amounts
        return np.asarray((total if self.features is None else self.weights @ total).toarray())

    @cached_property
    def _by_column(self) -> sparse.csc_matrix:
        return sparse.csc_matrix(self.weights if self.features is None else self.features)


def _sparse(name: str, matrix: sparse.spmatrix) -> sparse.csr_matrix:
    result = sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
    bad = np.flatnonzero(~np.isfinite(result.data))
    if len(bad):
        row = int(np.searchsorted(result.indptr, bad[0], side='right')) - 1
        raise InvalidRewardsError(
            f'{name} must be finite: row {row}, column {result.indices[bad[0]]} is '
            f'{result.data[bad[0]]}')
    result.sum_duplicates()
    result.eliminate_zeros()
    return result
