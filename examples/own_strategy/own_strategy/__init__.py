"""A question strategy that is not part of gbs_irl_ros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core import Choice, QueryStrategy, Situation, choose_state

__all__ = ['GiniQuery']


@dataclass(frozen=True)
class GiniQuery(QueryStrategy):
    """
    Ask where the Gini impurity of the actions is largest.

    Utility: sum_a delta(x, a) (1 - delta(x, a))^power, delta the posterior mass that calls action
    a optimal at state x.

    power: how much actions that are almost certain count for less.
    """

    name: ClassVar[str] = 'gini'
    power: float = 1.0

    def __post_init__(self) -> None:
        if not self.power > 0.0:
            raise ValueError(f'power must be positive, got {self.power}')

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of the class with the largest impurity."""
        mass = situation.optimal_mass       # [classes of states, actions]
        return choose_state(situation, (mass * (1.0 - mass) ** self.power).sum(axis=1), rng)
