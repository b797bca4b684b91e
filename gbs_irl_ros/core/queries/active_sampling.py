"""Active sampling (Lopes, Melo and Montesano 2009)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import entr

from gbs_irl_ros.core.errors import InvalidQuestionError
from gbs_irl_ros.core.queries.situation import Choice, Situation, choose_state


class ActiveSamplingQuery:
    """
    Ask where the probability of the single actions is most uncertain.

    mu_xa(k) is the posterior share of rewards whose pi(a | x) falls into bin k of [0, 1]; the
    utility is the mean over actions of its entropy, (1/A) sum_a -sum_k mu_xa(k) log mu_xa(k).
    """

    name: ClassVar[str] = 'active_sampling'

    def __init__(self, bins: int = 10) -> None:
        if bins < 2:
            raise InvalidQuestionError(f'bins must be at least 2, got {bins}')
        self.bins = bins

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the largest mean entropy."""
        sets = situation.hypotheses.sets
        policies = sets.pattern_table / sets.pattern_sizes[:, np.newaxis]           # [U, A]
        bin_of = np.minimum((policies * self.bins).astype(int), self.bins - 1)
        mass = sets.pattern_mass(situation.policy_probabilities)                    # [N, U]
        utilities = np.zeros(sets.num_classes)
        for k in np.unique(bin_of):
            utilities += entr(mass @ (bin_of == k).astype(np.float64)).sum(axis=1)
        return choose_state(situation, utilities / sets.num_actions, rng)
