"""
The rule of GBS in plain numpy, as one would write it first: what `ask` and `tell` are measured by.

Like ours it stops when it is certain, and draws one of the best states. Unlike ours it checks
nothing, keeps no answers and cannot go back.

Whether each action is optimal in each state under each hypothesis is one array of floats, so that
the masses of all actions are one matrix product. It takes 8 bytes for each of S * A * H.
"""

from __future__ import annotations

import copy

import numpy as np

from gbs_irl_ros.core import Hypotheses
from gbs_irl_ros.core.planning.greedy_sets import unpack

SAME = 1e-9     # weighted predictions closer than this are alike


class PlainLearner:
    """
    A posterior over the hypotheses of a task.

    optimal: ``[S, A, H]``, 1 if the action is optimal, 0 if not.
    """

    def __init__(self, hypotheses: Hypotheses, gamma_hat: float) -> None:
        mdp, count = hypotheses.mdp, hypotheses.num_rewards
        self._gamma_hat = gamma_hat
        self._rng = np.random.default_rng(0)
        self._log_prior = hypotheses.log_prior
        self._log_weights = self._log_prior.copy()
        self.optimal = np.empty((mdp.num_states, mdp.num_actions, count))
        for reward, policy in enumerate(hypotheses.policy_of_reward):
            self.optimal[:, :, reward] = unpack(hypotheses.sets.policy_sets(int(policy)),
                                                mdp.num_actions)

    def anew(self) -> PlainLearner:
        """Return a learner that has been told nothing yet."""
        learner = copy.copy(self)
        learner._log_weights = self._log_prior.copy()
        return learner

    def tell(self, state: int, action: int) -> None:
        """Weigh the hypotheses by the exact likelihood of an answer."""
        holds = self.optimal[state]
        size, num_actions = holds.sum(axis=0), len(holds)
        likelihood = np.where(holds[action] > 0.0, self._gamma_hat / size,
                              (1.0 - self._gamma_hat) / np.maximum(num_actions - size, 1.0))
        likelihood[size == num_actions] = 1.0 / num_actions
        self._log_weights += np.log(likelihood)

    def ask(self, certainty: float) -> int | None:
        """Return a state to ask about; None if one hypothesis is as probable as that."""
        share = self.share()
        if share.max() >= certainty:
            return None
        return int(self._rng.choice(self.best_states(share)))

    def share(self) -> np.ndarray:
        """Return the probabilities of the hypotheses, ``[H]``."""
        weights = np.exp(self._log_weights - self._log_weights.max())
        return np.asarray(weights / weights.sum())

    def weighted_predictions(self, share: np.ndarray) -> np.ndarray:
        """Return W(p, x), ``[S]``."""
        return np.asarray(2.0 * (self.optimal @ share).max(axis=1) - 1.0)

    def best_states(self, share: np.ndarray) -> np.ndarray:
        """Return the states that GBS may ask about."""
        predictions = self.weighted_predictions(share)
        return np.flatnonzero(predictions <= predictions.min() + SAME)
