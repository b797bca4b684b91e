"""How good a learned policy is, measured with the true reward in hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.planning.solver import evaluate, solve
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.rewards import Rewards

ROUNDING = 1e-12    # losses below this share of the values are rounding


def policy_accuracy(policy: Policy, optimal_sets: np.ndarray) -> float:
    """
    Return the mean over states of the share of the policy's actions that are optimal.

    :param optimal_sets: ``[S]``, greedy sets of the true reward as bits.
    """
    chosen = unpack(policy.action_sets, policy.num_actions)
    right = unpack(policy.action_sets & np.asarray(optimal_sets, dtype=np.uint64),
                   policy.num_actions)
    return float((right.sum(axis=1) / chosen.sum(axis=1)).mean())


@dataclass(frozen=True)
class ValueLoss:
    """
    What following a policy costs under the true reward.

    absolute: mean over states of V*(x) - V^pi(x).
    relative: the same divided by that of the uniformly random policy: 0 is optimal, 1 as bad as
        chance. 0 where chance loses nothing.
    """

    absolute: float
    relative: float


class ValueLossMeter:
    """Measures the value loss of many policies under one true reward."""

    def __init__(self, mdp: Mdp, reward: np.ndarray, never: Never | None = None) -> None:
        """
        Plan for the true reward once.

        :param reward: ``[S]`` or ``[S, A]``.
        :param never: what must never be entered; the optimum is then the best that avoids it.
        """
        self._mdp = mdp
        self._reward = np.asarray(reward, dtype=np.float64)
        solution = solve(mdp, Rewards.from_dense(self._reward[np.newaxis], mdp.num_actions),
                         keep_values=True, never=never)
        self.optimal_sets: np.ndarray = solution.greedy_bits[:, 0]
        self.optimal_values: np.ndarray = solution.values[0]  # type: ignore[index]
        if never is not None:       # planning left out the rewards of what is avoided
            best = unpack(self.optimal_sets, mdp.num_actions)
            self.optimal_values = evaluate(
                mdp, self._reward, best / best.sum(axis=1, keepdims=True))
        chance = np.full((mdp.num_states, mdp.num_actions), 1.0 / mdp.num_actions)
        self._chance_loss = self._loss(chance)
        self._rounding = ROUNDING * float(np.abs(self.optimal_values).mean())

    def loss(self, policy: Policy) -> ValueLoss:
        """Return the loss of a policy that takes each of its actions equally often."""
        absolute = self._loss(policy.probabilities())
        matters = self._chance_loss > self._rounding
        relative = absolute / self._chance_loss if matters else 0.0
        return ValueLoss(absolute, relative)

    def expected_return(self, policy: Policy, start: np.ndarray) -> float:
        """Return what a policy earns on average from a start ``[S]``."""
        return float(start @ evaluate(self._mdp, self._reward, policy.probabilities()))

    def optimal_return(self, start: np.ndarray) -> float:
        """Return the most that can be earned on average from a start ``[S]``."""
        return float(start @ self.optimal_values)

    def _loss(self, probabilities: np.ndarray) -> float:
        values = evaluate(self._mdp, self._reward, probabilities)
        return max(0.0, float((self.optimal_values - values).mean()))
