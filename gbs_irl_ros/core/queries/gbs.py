"""GBS-IRL, version 2: ask where the posterior is most divided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_state


@dataclass(frozen=True)
class GbsQuery(QueryStrategy):
    """
    Algorithm 2 of the paper: x_{t+1} is drawn from the class that minimises W(p_t, x_i).

    Utility: -W(p_t, x).
    """

    name: ClassVar[str] = 'gbs'
    version: ClassVar[int | None] = 2

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the smallest weighted prediction."""
        return choose_state(situation, -situation.weighted_predictions, rng)
