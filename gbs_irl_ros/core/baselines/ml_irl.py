"""
Maximum-likelihood IRL: the reward under which what was shown is most probable.

    max_w  sum_(s, a) c(s, a) ln pi_w(a | s) - lambda / 2 |w|^2,
    pi_w(a | s) = exp(eta Q*_w(s, a)) / sum_b exp(eta Q*_w(s, b)),    r = sum_k w_k phi_k,

with c the number of times that a was shown in s and Q* the optimal values (Neu and Szepesvari
2007, "Apprenticeship learning using IRL and gradient methods"; Lopes, Melo and Montesano 2009;
Babes, Marivate, Subramanian and Littman 2011). Q* is piecewise linear in w: where several actions
are optimal, their mean is taken, which is one of the subgradients. Maximised by L-BFGS from w = 0,
or near it; stops when the projected gradient or the gain is below the tolerance of scipy, or
after ``max_rounds``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.baselines.reward_gradient import (
    best_weights,
    log_softmax,
    q_values,
    reward_gradient,
)
from gbs_irl_ros.core.baselines.shown import Learned, Shown, as_reward, best_policy, feature_matrix
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.rewards import Rewards

MAX_ROUNDS = 30
RIDGE = 1.0             # the best of 0.01 to 1 in a pilot with other seeds


def ml_irl(shown: Shown, features: Sequence[np.ndarray] | sparse.spmatrix | None = None, *,
           eta: float = 1.0, ridge: float = RIDGE, max_rounds: int = MAX_ROUNDS) -> Learned:
    """
    Learn a reward and the optimal policy for it.

    :param features: ``[F, S]`` or ``[F, S * A]``; one for each state if None.
    :param eta: how sure the teacher is of better actions.
    :param ridge: lambda, which keeps weights finite that nothing was shown about.
    """
    matrix = feature_matrix(shown.mdp, features)
    likelihood = BoltzmannLikelihood(shown.mdp, shown.counts(), eta)
    weights = best_weights(likelihood, matrix, ridge, max_rounds)
    reward = as_reward(shown.mdp, matrix.T @ weights)
    return Learned(best_policy(shown.mdp, reward), reward)


class BoltzmannLikelihood:
    """ln of the probability of what was shown, for one reward after another."""

    def __init__(self, mdp: Mdp, counts: np.ndarray, eta: float) -> None:
        self._mdp, self._counts, self._eta = mdp, counts, eta
        self._values: np.ndarray | None = None

    def value(self, reward: np.ndarray) -> float:
        """Return the log-likelihood of a reward ``[S * A]``."""
        return float((self._counts * self._planned(reward)[0]).sum())

    def value_and_slope(self, reward: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the log-likelihood of a reward ``[S * A]`` and its slope ``[S, A]``."""
        log_policy, greedy = self._planned(reward)
        shown_here = self._counts.sum(axis=1, keepdims=True)
        slope = reward_gradient(
            self._mdp, self._eta * (self._counts - shown_here * np.exp(log_policy)),
            greedy / greedy.sum(axis=1, keepdims=True))
        return float((self._counts * log_policy).sum()), slope

    def _planned(self, reward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ln pi ``[S, A]`` and which actions are optimal ``[S, A]``."""
        table = np.asarray(reward).reshape(self._counts.shape)
        found = solve(self._mdp, Rewards.from_dense(table[np.newaxis], self._mdp.num_actions),
                      keep_values=True, initial=self._values, allow_vanishing=True)
        assert found.values is not None
        self._values = found.values[0]          # the next reward is near this one
        log_policy = log_softmax(self._eta * q_values(self._mdp, table, self._values))
        return log_policy, unpack(found.greedy_bits[:, 0], self._mdp.num_actions)
