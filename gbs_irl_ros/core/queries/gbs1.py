"""GBS-IRL, version 1: also ask between neighbours that are sure of different actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import (
    SAME_UTILITY,
    Choice,
    QueryStrategy,
    Situation,
    choose_state,
)
from gbs_irl_ros.core.questions import QuestionKind


@dataclass(frozen=True)
class Gbs1Query(QueryStrategy):
    """
    Algorithm 1 of the paper as printed, with the threshold c_t = min_i W(p_t, x_i).

    If there are 1-neighbours X_i, X_j with W above the threshold in both and different predicted
    actions A*, x_{t+1} is drawn from one of the two with probability 1/2; of several such pairs
    one is taken at random. Otherwise it is drawn from the class that minimises W. Predicted
    actions count as different if no action attains the maximum in both.

    Utility: -W(p_t, x), and 1 in the classes of such pairs.
    """

    name: ClassVar[str] = 'gbs1'
    version: ClassVar[int | None] = 1

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return a state of a disagreeing pair if there is one, of the minimum otherwise."""
        predictions = situation.weighted_predictions
        either = self._disagreeing_pairs(situation).ravel()     # any pair, either of its classes
        either = either[situation.open_classes()[either]]
        if not len(either):
            return choose_state(situation, -predictions, rng)
        drawn = np.full(len(predictions), -np.inf)
        drawn[rng.choice(either)] = 1.0
        choice = choose_state(situation, drawn, rng)
        assert choice is not None       # the class drawn is open
        by_class = np.where(np.isin(np.arange(len(predictions)), either), 1.0, -predictions)
        by_state = by_class[situation.hypotheses.sets.class_of_state]
        is_open = situation.open(QuestionKind.ACTION)
        return Choice(choice.question, np.where(is_open, by_state, -np.inf))

    def threshold(self, situation: Situation) -> float:
        """Return c_t."""
        return float(situation.weighted_predictions.min())

    def _disagreeing_pairs(self, situation: Situation) -> np.ndarray:
        pairs = situation.hypotheses.one_neighbours
        if not len(pairs):
            return pairs
        sure = situation.weighted_predictions > self.threshold(situation) + SAME_UTILITY
        pairs = pairs[sure[pairs].all(axis=1)]
        mass = situation.optimal_mass
        predicted = mass >= mass.max(axis=1, keepdims=True) - SAME_UTILITY
        agree = (predicted[pairs[:, 0]] & predicted[pairs[:, 1]]).any(axis=1)
        return pairs[~agree]


@dataclass(frozen=True)
class Gbs1CoherenceQuery(Gbs1Query):
    """
    Version 1 with the threshold c* of lemma 1, which the paper's proof uses, instead of c_t.

    Where c* is known as an interval only, its upper end is used.
    """

    name: ClassVar[str] = 'gbs1_cstar'

    def threshold(self, situation: Situation) -> float:
        """Return c*."""
        return situation.hypotheses.coherence.upper
