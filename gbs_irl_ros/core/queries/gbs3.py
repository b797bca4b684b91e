"""GBS-IRL, version 3: stop when one optimal action is known in every state."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.situation import Choice, Situation, choose_state


class Gbs3Query:
    """
    Algorithm 3 of the paper: as version 2, but no question once min_i W(p_t, x_i) >= c_hat.

    c_hat: in (-1, 1); the learner then executes A_c(p, x) = {a : sum_h p(h) h(x, a) > c_hat} where
        it is not empty.
    """

    name: ClassVar[str] = 'gbs3'

    def __init__(self, c_hat: float = 0.9) -> None:
        if not -1.0 < c_hat < 1.0:
            raise InvalidOptionError(f'c_hat must be in (-1, 1), got {c_hat}')
        self.c_hat = c_hat

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the smallest weighted prediction, if that is small."""
        if situation.weighted_predictions.min() >= self.c_hat:
            return None
        return choose_state(situation, -situation.weighted_predictions, rng)
