"""
The coherence parameter c* of the paper's lemma 1.

    c*(X, H) = max_a min_mu max_h sum_i h(x_i, a) mu(X_i)

For each action it is the value of a matrix game: one player mixes classes of states (mu), the
other picks a policy. Small games are one linear program. Large ones are grown: solve the game
restricted to a few classes and policies, add each player's best reply among all of them, repeat.
The best replies bound the value from both sides at any time, so even an unfinished search gives a
certified interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.errors import NotConvergedError
from gbs_irl_ros.core.planning.greedy_sets import GreedySets

SMALL_GAME = 40_000     # entries that one linear program handles in well under a second
TOLERANCE = 1e-6
MAX_ROUNDS = 500
REPLIES_PER_ROUND = 8   # adding several replies at once takes fewer linear programs


@dataclass(frozen=True)
class Coherence:
    """
    A certified interval for c*.

    lower, upper: lower <= c* <= upper; equal up to the tolerance where the search finished.
    """

    lower: float
    upper: float

    @property
    def exact(self) -> bool:
        """Whether the interval is a point for all practical purposes."""
        return self.upper - self.lower <= 2.0 * TOLERANCE

    def __str__(self) -> str:
        if self.exact:
            return f'{self.upper:.4g}'
        return f'in [{self.lower:.4g}, {self.upper:.4g}]'


def coherence(sets: GreedySets, *, tolerance: float = TOLERANCE,
              max_rounds: int = MAX_ROUNDS) -> Coherence:
    """
    Return c* as an interval.

    :param tolerance: stop when the interval of an action is no longer than this.
    :param max_rounds: linear programs per action at the most; then the interval is what it is.
    """
    values = [_game_value(_signs(sets, action), tolerance, max_rounds)
              for action in range(sets.num_actions)]
    return Coherence(max(low for low, _ in values), max(high for _, high in values))


def _signs(sets: GreedySets, action: int) -> np.ndarray:
    """Return h(x_i, a) as ``[D', N']`` of -1 and 1, equal rows and columns only once."""
    dtype = sets.bits.dtype.type
    holds = ((sets.bits >> dtype(action)) & dtype(1)).astype(np.int8).T
    return 2 * np.unique(np.unique(holds, axis=0), axis=1) - 1


def _game_value(signs: np.ndarray, tolerance: float, max_rounds: int) -> tuple[float, float]:
    """Return bounds of min_mu max_h (signs @ mu)_h."""
    if (signs == 1).all(axis=1).any():      # some policy always calls the action optimal
        return 1.0, 1.0
    if (signs == -1).all(axis=0).any():     # somewhere none does
        return -1.0, -1.0
    if signs.size <= SMALL_GAME:
        _, _, value = _solve_game(signs.astype(np.float64))
        return value, value
    return _grow_game(signs, tolerance, max_rounds)


def _grow_game(signs: np.ndarray, tolerance: float, max_rounds: int) -> tuple[float, float]:
    rows, columns = [0], [0]
    low, high = -1.0, 1.0
    for _ in range(max_rounds):
        mu, weights, _ = _solve_game(signs[np.ix_(rows, columns)].astype(np.float64))
        against_mu = signs[:, columns] @ mu             # [D'] payoff of every policy
        against_weights = weights @ signs[rows, :]      # [N'] payoff in every class
        low = max(low, float(against_weights.min()))
        high = min(high, float(against_mu.max()))
        if high - low <= tolerance:
            break
        new_rows = _best_new(-against_mu, rows)
        new_columns = _best_new(against_weights, columns)
        if not new_rows and not new_columns:
            break
        rows += new_rows
        columns += new_columns
    return low, high


def _best_new(payoffs: np.ndarray, known: list[int]) -> list[int]:
    """Return a few indices of lowest payoff that are not known yet."""
    count = min(len(payoffs), REPLIES_PER_ROUND + len(known))
    lowest = np.argpartition(payoffs, count - 1)[:count]
    lowest = lowest[np.argsort(payoffs[lowest], kind='stable')]
    fresh = [int(i) for i in lowest if i not in set(known)]
    return fresh[:REPLIES_PER_ROUND]


def _solve_game(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """
    Solve min_mu max_row (payoffs @ mu) exactly.

    Returns mu, the optimal weights of the rows (the dual solution) and the value.
    """
    num_rows, num_columns = payoffs.shape
    from scipy.optimize import linprog  # takes half a second to import, and is needed seldom
    result = linprog(
        c=np.r_[np.zeros(num_columns), 1.0],
        A_ub=np.c_[payoffs, -np.ones(num_rows)], b_ub=np.zeros(num_rows),
        A_eq=np.r_[np.ones(num_columns), 0.0][np.newaxis, :], b_eq=[1.0],
        bounds=[(0.0, None)] * num_columns + [(None, None)], method='highs')
    if result.status != 0:
        raise NotConvergedError(f'the linear program for c* failed: {result.message}')
    weights = np.maximum(-result.ineqlin.marginals, 0.0)
    mu = np.maximum(result.x[:-1], 0.0)
    return mu / mu.sum(), weights / weights.sum(), float(result.fun)
