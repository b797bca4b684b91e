"""Active sampling (Lopes, Melo and Montesano 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_state


@dataclass(frozen=True)
class ActiveSamplingQuery(QueryStrategy):
    """
    Ask where the probability of the single actions is most uncertain.

    mu_xa(k) is the posterior share of rewards whose pi(a | x) falls into bin k of [0, 1]; the
    utility is the mean over actions of its entropy, (1/A) sum_a -sum_k mu_xa(k) log mu_xa(k).
    """

    name: ClassVar[str] = 'active_sampling'
    bins: int = 10

    def __post_init__(self) -> None:
        if self.bins < 2:
            raise InvalidOptionError(f'bins must be at least 2, got {self.bins}')

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the largest mean entropy."""
        from scipy.special import entr  # slow to import, and not always needed
        sets, probabilities = situation.hypotheses.sets, situation.policy_probabilities
        others = np.ones((sets.num_classes, sets.num_actions))     # bin 0: hardly or never taken
        utilities = np.zeros(sets.num_classes)
        for sizes in self._sizes_by_bin(sets.pattern_sizes):
            mass = sets.optimal_mass_of_sizes(probabilities, sizes)
            utilities += entr(mass).sum(axis=1)
            others -= mass
        utilities += entr(np.maximum(others, 0.0)).sum(axis=1)
        return choose_state(situation, utilities / sets.num_actions, rng)

    def _sizes_by_bin(self, sizes: np.ndarray) -> list[frozenset[int]]:
        """Return the sizes n of greedy sets by the bin of 1 / n, except those in bin 0."""
        groups: dict[int, set[int]] = {}
        for size in np.unique(sizes):
            groups.setdefault(min(self.bins // int(size), self.bins - 1), set()).add(int(size))
        groups.pop(0, None)
        return [frozenset(group) for group in groups.values()]
