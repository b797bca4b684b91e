"""
Greedy sets found in another way than by the planner: the reference that it is checked against.

Howard's policy iteration for one reward, each policy evaluated by a sparse LU factorisation. It
ends only where no action is better than the one taken, so the result is optimal whatever policy it
starts from; started from one that is optimal already, it ends after one evaluation.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from gbs_irl_ros.core import Mdp
from gbs_irl_ros.core.planning.solver import TIE_TOLERANCE

BETTER = 1e-11      # relative to the size of a state's own values; rounding is far below
MAX_ROUNDS = 1000


def exact_solution(mdp: Mdp, reward: np.ndarray,
                   policy: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Return (whether each action is optimal ``[S, A]``, V* ``[S]``, Q* ``[S, A]``).

    :param reward: ``[S, A]``.
    :param policy: ``[S]``, where to start.
    """
    policy, states = policy.copy(), np.arange(mdp.num_states)
    for _ in range(MAX_ROUNDS):
        taken = reward[states, policy]
        values, sizes = _evaluate(mdp, policy, np.stack([taken, np.abs(taken)], axis=1))
        quality = reward + _expected(mdp, values)
        scale = (np.abs(reward) + _expected(mdp, sizes)).max(axis=1)
        best = quality.max(axis=1)
        improves = best > quality[states, policy] + BETTER * scale
        if not improves.any():
            optimal = quality >= (best - TIE_TOLERANCE * scale)[:, np.newaxis]
            return optimal, values, quality
        policy[improves] = quality.argmax(axis=1)[improves]
    raise RuntimeError(f'policy iteration did not end in {MAX_ROUNDS} rounds')


def _expected(mdp: Mdp, values: np.ndarray) -> np.ndarray:
    """Return gamma sum_y P(y | x, a) V(y), ``[S, A]``."""
    return mdp.discount * (mdp.transitions @ values).reshape(mdp.num_states, mdp.num_actions)


def _evaluate(mdp: Mdp, policy: np.ndarray, rewards: np.ndarray) -> np.ndarray:
    """Return the values ``[2, S]`` of rewards ``[S, 2]`` under a policy."""
    chain = mdp.transitions[np.arange(mdp.num_states) * mdp.num_actions + policy]
    system = sparse.csc_matrix(sparse.identity(mdp.num_states) - mdp.discount * chain)
    # Diagonally dominant: without pivoting small values keep their relative accuracy.
    factors = splu(system, diag_pivot_thresh=0.0, options={'SymmetricMode': True})
    return np.asarray(factors.solve(rewards)).T
