"""Imitation query by committee (Judah, Fern and Dietterich 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_state


@dataclass(frozen=True)
class IqbcQuery(QueryStrategy):
    """
    Ask where the vote of the policies has the largest entropy, weighted by the posterior.

    Utility: VE(x) = -sum_a delta(x, a) log delta(x, a). The paper counts hypotheses of the fixed
    set H, which would ask about one state forever; the counts are weighted by p_t here. With
    several optimal actions the shares delta sum to more than one, and are not renormalised: this
    is the stronger of the two rules.
    """

    name: ClassVar[str] = 'iqbc'

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the largest vote entropy."""
        from scipy.special import entr  # slow to import, and not always needed
        return choose_state(situation, entr(self._votes(situation)).sum(axis=1), rng)

    def _votes(self, situation: Situation) -> np.ndarray:
        return situation.optimal_mass


@dataclass(frozen=True)
class IqbcRenormalisedQuery(IqbcQuery):
    """The same with votes that sum to one: delta(x, a) / sum_b delta(x, b)."""

    name: ClassVar[str] = 'iqbc_renormalised'

    def _votes(self, situation: Situation) -> np.ndarray:
        mass = situation.optimal_mass
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))
