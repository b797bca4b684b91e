"""
How the likelihood of what was shown changes with the reward: one linear system for all weights.

ML-IRL and MCE-IRL both maximise L = sum c(s, a) ln pi(a | s) for a policy pi = softmax of Q. With
w = dL/dQ, and a policy p that says how values follow from Q (dV = sum_a p dQ), the chain rule
through Q = r + gamma P V gives

    dL/dr(s, a) = w(s, a) + m(s) p(a | s),    m = gamma P' w + gamma P_p' m.

So it takes one solve with one right side, however many features there are; the gradient of the
weights is that of the reward times the features.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.solver import policy_system


class Likelihood(Protocol):
    """ln of the probability of what was shown, given a reward."""

    def value_and_slope(self, reward: np.ndarray) -> tuple[float, np.ndarray]:
        """Return it for a reward ``[S * A]``, and its slope ``[S, A]``."""
        ...


def best_weights(likelihood: Likelihood, features: sparse.csr_matrix, ridge: float,
                 max_rounds: int) -> np.ndarray:
    """
    Return the weights ``[F]`` that maximise the likelihood less ridge / 2 |w|^2, by L-BFGS.

    :param features: ``[F, S * A]``.
    """
    from scipy.optimize import minimize  # slow to import, and not needed by any node

    def cost(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = likelihood.value_and_slope(features.T @ weights)
        return (0.5 * ridge * float(weights @ weights) - value,
                ridge * weights - features @ slope.ravel())

    found = minimize(cost, np.zeros(features.shape[0]), jac=True, method='L-BFGS-B',
                     options={'maxiter': max_rounds})
    return np.asarray(found.x)


def reward_gradient(mdp: Mdp, weights: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """
    Return dL/dr, ``[S, A]``.

    :param weights: ``[S, A]``, dL/dQ with the values held fixed.
    :param policy: ``[S, A]``, how values follow from Q.
    """
    arriving = mdp.discount * (mdp.transitions.T @ weights.ravel())
    visits = splu(policy_system(mdp, policy)).solve(arriving, trans='T')
    return np.asarray(weights + visits[:, np.newaxis] * policy)


def q_values(mdp: Mdp, reward: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return ``[S, A]`` for a reward ``[S, A]`` and values ``[S]``."""
    return np.asarray(reward + mdp.discount * (mdp.transitions @ values).reshape(reward.shape))


def log_softmax(values: np.ndarray) -> np.ndarray:
    """Return the logarithm of the softmax over the last axis."""
    shifted = values - values.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
