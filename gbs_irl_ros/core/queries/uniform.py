"""Random questions: the control."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import Choice, Situation, choose_best
from gbs_irl_ros.core.questions import Question, QuestionKind


class RandomQuery:
    """
    Ask about a state drawn uniformly from all of them. Utility: 0 everywhere.

    kind: of question, 'action' or 'reward'; the paper's first reward experiment uses both.
    """

    name: ClassVar[str] = 'random'

    def __init__(self, kind: str = 'action') -> None:
        self.kind = QuestionKind(kind)

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return any state that may be asked about."""
        with_actions = self.kind is QuestionKind.YES_NO or (
            self.kind is QuestionKind.REWARD and situation.hypotheses.rewards.per_action)
        is_open = situation.open(self.kind, with_actions=with_actions)
        utilities = np.where(is_open, 0.0, -np.inf)
        chosen = choose_best(utilities, rng)
        if chosen is None:
            return None
        if with_actions:
            state, action = divmod(chosen, utilities.shape[1])
            return Choice(Question(self.kind, state, action), utilities)
        return Choice(Question(self.kind, chosen), utilities)
