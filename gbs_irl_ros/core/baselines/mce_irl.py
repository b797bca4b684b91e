"""
Maximum causal entropy IRL: the least committed policy that visits what the teacher visits.

Of all policies with the teacher's expected discounted features, the one of largest causal entropy
is the soft-optimal one of some reward r = sum_k w_k phi_k (Ziebart, Bagnell and Dey 2010,
"Modeling interaction via the principle of maximum causal entropy"):

    pi(a | s) = exp(Q(s, a) - V(s)),  Q = r + gamma P V,  V(s) = ln sum_a exp Q(s, a),

and w maximises the discounted causal likelihood sum gamma^t ln pi(a_t | s_t) of what was shown,
whose gradient is the difference of expected features, the teacher's minus the policy's. A route
that is cut off after T steps is continued by the policy itself: the gradient is that of the
likelihood, so where it ended counts with the features expected from there on. A ridge
lambda / 2 |w|^2 keeps weights finite. Maximised by L-BFGS from w = 0; stops as ML-IRL does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from gbs_irl_ros.core.baselines.reward_gradient import (
    best_weights,
    log_softmax,
    q_values,
    reward_gradient,
)
from gbs_irl_ros.core.baselines.shown import Learned, Shown, as_reward, best_policy, feature_matrix
from gbs_irl_ros.core.errors import NotConvergedError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.solver import policy_system

MAX_ROUNDS = 30
RIDGE = 0.1             # the best of 0.001 to 0.1 in a pilot with other seeds
PRECISE = 1e-10         # relative change of the values at which soft planning ends
MAX_EVALUATIONS = 200   # of soft planning; about ten are usual


def mce_irl(shown: Shown, features: Sequence[np.ndarray] | sparse.spmatrix | None = None, *,
            ridge: float = RIDGE, max_rounds: int = MAX_ROUNDS) -> Learned:
    """
    Learn a reward from demonstrations, and the optimal policy for it.

    :param features: ``[F, S]`` or ``[F, S * A]``; one for each state if None.
    """
    matrix = feature_matrix(shown.mdp, features)
    likelihood = CausalLikelihood(
        shown.mdp, shown.counts(shown.mdp.discount) / len(shown.routes))
    weights = best_weights(likelihood, matrix, ridge, max_rounds)
    reward = as_reward(shown.mdp, matrix.T @ weights)
    return Learned(best_policy(shown.mdp, reward), reward)


class CausalLikelihood:
    """ln of the probability of what was shown under soft-optimal policies, one after another."""

    def __init__(self, mdp: Mdp, counts: np.ndarray) -> None:
        self._mdp, self._counts = mdp, counts
        self._values = np.zeros(mdp.num_states)

    def value_and_slope(self, reward: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the log-likelihood of a reward ``[S * A]`` and its slope ``[S, A]``."""
        table = np.asarray(reward).reshape(self._counts.shape)
        self._values, policy = soft_plan(self._mdp, table, self._values)    # the next one is near
        log_policy = log_softmax(q_values(self._mdp, table, self._values))
        shown_here = self._counts.sum(axis=1, keepdims=True)
        return (float((self._counts * log_policy).sum()),
                reward_gradient(self._mdp, self._counts - shown_here * policy, policy))


def soft_plan(mdp: Mdp, reward: np.ndarray, initial: np.ndarray | None = None
              ) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the soft values ``[S]`` and the soft-optimal policy ``[S, A]``.

    Soft policy iteration, which is Newton's method on V = ln sum_a exp Q: each policy is evaluated
    exactly, its entropy counted in. Stops when no value changes by more than PRECISE of the
    largest.

    :param reward: ``[S]`` or ``[S, A]``.
    :param initial: ``[S]``, values to begin with.
    """
    table = np.broadcast_to(np.asarray(reward, dtype=np.float64).reshape(mdp.num_states, -1),
                            (mdp.num_states, mdp.num_actions))
    values = np.zeros(mdp.num_states) if initial is None else initial
    for _ in range(MAX_EVALUATIONS):
        log_policy = log_softmax(q_values(mdp, table, values))
        policy = np.exp(log_policy)
        before = values
        values = splu(policy_system(mdp, policy)).solve(
            (policy * (table - log_policy)).sum(axis=1))
        if np.abs(values - before).max() <= PRECISE * max(1.0, np.abs(values).max()):
            return values, policy
    raise NotConvergedError(f'soft planning did not converge in {MAX_EVALUATIONS} evaluations')
