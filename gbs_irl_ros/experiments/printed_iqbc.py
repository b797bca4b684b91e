"""Query by committee as the paper prints it: kept for comparison, not for use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import entr

from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_state


@dataclass(frozen=True)
class PrintedIqbcQuery(QueryStrategy):
    """
    Ask where the hypotheses disagree most, each counting the same whatever was answered.

    Utility: VE(x) = -sum_a n_H(x, a) / |H| log(n_H(x, a) / |H|), with n_H(x, a) hypotheses of the
    fixed set H that call a optimal in x. It never changes, so one class of states is asked about
    for ever. ``core.queries.iqbc`` weights the votes by the posterior, which is what IQBC does.
    """

    name: ClassVar[str] = 'iqbc_printed'

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the largest vote entropy."""
        sets = situation.hypotheses.sets
        share = np.full(sets.num_policies, 1.0 / sets.num_policies)
        return choose_state(situation, entr(sets.optimal_mass(share)).sum(axis=1), rng)
