"""Confidence-based autonomy (Chernova and Veloso 2009): ask where the robot is, when in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation
from gbs_irl_ros.core.questions import Question, QuestionKind


@dataclass(frozen=True)
class ConfidenceQuery(QueryStrategy):
    """
    Ask at the current state if max_a delta(x, a) is below a threshold there.

    Stream-based and mellow: it never looks for a better place to ask. Where the robot has no
    state yet, one is drawn from the start distribution. Utility: minus the confidence.

    threshold: in (0, 1].
    """

    name: ClassVar[str] = 'confidence'
    threshold: float = 0.9

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold <= 1.0:
            raise InvalidOptionError(f'threshold must be in (0, 1], got {self.threshold}')

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the current state, or None if the learner is confident there."""
        state = situation.current_state
        if state is None:
            state = int(rng.choice(len(situation.start), p=situation.start))
        surest = situation.listed * situation.optimal_mass.max(axis=1)
        confidence = surest[situation.hypotheses.sets.class_of_state]
        is_open = situation.open(QuestionKind.ACTION)
        if confidence[state] >= self.threshold or not is_open[state]:
            return None
        utilities = np.where(is_open, -confidence, -np.inf)
        return Choice(Question(QuestionKind.ACTION, state), utilities)
