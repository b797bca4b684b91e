"""
Planning for rewards that pay in one state of a deterministic world: counting steps.

With d(x) steps to the goal, V(x) = gamma^d(x) V(goal), and at the goal itself c more steps lead
back to it: V(goal) = r / (1 - gamma^c). An action is optimal if it leads one step closer. That is
exact however far the goal is, where gamma^d is long below the smallest double.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.rewards import Rewards

GROUP = 64                  # goals searched for together by the kernel
UNREACHABLE = -1


def single_goals(mdp: Mdp, rewards: Rewards) -> np.ndarray | None:
    """Return the goal of every reward ``[H]``, or None if some reward is of another kind."""
    weights = rewards.weights
    if mdp.successors is None or mdp.discount == 0.0 or rewards.per_action \
            or rewards.features is not None or np.any(np.diff(weights.indptr) != 1) \
            or np.any(weights.data <= 0.0):
        return None
    return np.asarray(weights.indices, dtype=np.int32)


class GoalSearch:
    """A deterministic MDP whose moves can be followed backwards."""

    def __init__(self, mdp: Mdp) -> None:
        assert mdp.successors is not None       # single_goals has looked
        self._mdp = mdp
        self._successors = np.ascontiguousarray(mdp.successors, dtype=np.int32)
        ends = self._successors.ravel()
        # Moves sorted by where they end: counting where each state's begin is all it takes.
        order = np.argsort(ends, kind='stable')
        self._predecessors = (order // mdp.num_actions).astype(np.int32)
        self._predecessor_start = np.concatenate(
            [[0], np.cumsum(np.bincount(ends, minlength=mdp.num_states), dtype=np.int64)])

    def search(self, goals: np.ndarray, bits: np.ndarray, first: int,
               distances: np.ndarray | None) -> None:
        """
        Write the greedy sets of goals ``[G]`` into columns first .. of bits ``[S, H]``.

        :param distances: ``[G, S]`` int32, written too if given: steps, or UNREACHABLE.
        """
        if kernel.library() is None:
            self._search_with_scipy(goals, bits, first, distances)
            return
        kernel.call('gbs_goals', self._mdp.num_states, self._mdp.num_actions, self._successors,
                    self._predecessor_start, self._predecessors,
                    np.ascontiguousarray(goals, dtype=np.int32), len(goals),
                    bits.ctypes.data + first * bits.itemsize, bits.itemsize, bits.shape[1],
                    distances)

    def values(self, goals: np.ndarray, pay: np.ndarray, distances: np.ndarray) -> np.ndarray:
        """Return V* ``[G, S]`` of goals with these rewards, given the distances."""
        back = distances[np.arange(len(goals))[:, np.newaxis], self._successors[goals]]
        never = len(self._successors)       # more steps than there are states
        around = 1 + np.where(back == UNREACHABLE, never, back).min(axis=1)
        returns = np.where(around > never, 0.0, self._mdp.discount ** around.astype(float))
        with np.errstate(under='ignore'):
            factor = self._mdp.discount ** distances.astype(float)
        return np.where(distances == UNREACHABLE, 0.0,
                        factor * (pay / (1.0 - returns))[:, np.newaxis])

    def _search_with_scipy(self, goals: np.ndarray, bits: np.ndarray, first: int,
                           distances: np.ndarray | None) -> None:
        from scipy.sparse.csgraph import dijkstra  # slow to import, and not always needed
        size = self._mdp.num_states
        backwards = sparse.csr_matrix(
            (np.ones(len(self._predecessors)), self._predecessors, self._predecessor_start),
            shape=(size, size))
        for index, goal in enumerate(goals):
            steps = dijkstra(backwards, unweighted=True, indices=int(goal))
            ahead = steps[self._successors]
            best = ahead == ahead.min(axis=1, keepdims=True)
            words = bits.dtype.type(1) << np.arange(self._mdp.num_actions, dtype=bits.dtype)
            bits[:, first + index] = np.where(best, words, 0).sum(axis=1, dtype=bits.dtype)
            if distances is not None:
                distances[index] = np.where(np.isfinite(steps), steps, UNREACHABLE)
