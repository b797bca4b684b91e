"""GBS-IRL, version 3: stop when one optimal action is known in every state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_state


@dataclass(frozen=True)
class Gbs3Query(QueryStrategy):
    """
    Algorithm 3 of the paper: as version 2, but no question once min_i W(p_t, x_i) >= c_hat.

    c_hat: in (-1, 1); the learner then executes A_c(p, x) = {a : sum_h p(h) h(x, a) > c_hat} where
        it is not empty.
    """

    name: ClassVar[str] = 'gbs3'
    version: ClassVar[int | None] = 3
    c_hat: float = 0.9

    def __post_init__(self) -> None:
        if not -1.0 < self.c_hat < 1.0:
            raise InvalidOptionError(f'c_hat must be in (-1, 1), got {self.c_hat}')

    @property
    def known_above(self) -> float:
        """c_hat."""
        return self.c_hat

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the smallest weighted prediction, if that is small."""
        if situation.weighted_predictions.min() >= self.c_hat:
            return None
        return choose_state(situation, -situation.weighted_predictions, rng)
