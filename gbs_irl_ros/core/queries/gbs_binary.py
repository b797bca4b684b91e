"""Yes/no questions: Nowak's generalized binary search over states and actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_question
from gbs_irl_ros.core.questions import QuestionKind


@dataclass(frozen=True)
class GbsBinaryQuery(QueryStrategy):
    """
    "Is action a optimal in state x?" at argmin over (x, a) of |sum_h p(h) h(x, a)|.

    End of the paper's section 3.3; the rule is that of Nowak (2011). Utility: minus that sum.
    """

    name: ClassVar[str] = 'gbs_binary'

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Yes/no questions."""
        return (QuestionKind.YES_NO,)

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the pair on which the posterior is most evenly split."""
        by_class = -np.abs(2.0 * situation.optimal_mass - 1.0)
        by_state = by_class[situation.hypotheses.sets.class_of_state]
        return choose_question(situation, QuestionKind.YES_NO, by_state, rng)
