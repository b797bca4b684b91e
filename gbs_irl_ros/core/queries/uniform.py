"""Random questions: the control."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import Choice, Situation, choose_best
from gbs_irl_ros.core.questions import Question, QuestionKind


class RandomQuery:
    """
    Ask about a state drawn uniformly from all of them. Utility: 0 everywhere.

    kind: of question, such as 'action' or 'reward', or several: 'action+reward' asks for one of
        them at random, as the paper's first experiment with rewards does.
    """

    name: ClassVar[str] = 'random'

    def __init__(self, kind: str = 'action') -> None:
        self.kinds = tuple(QuestionKind(each) for each in kind.split('+'))

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return any state that may be asked about."""
        order = range(1) if len(self.kinds) == 1 else rng.permutation(len(self.kinds))
        choices = (_any_question(self.kinds[place], situation, rng) for place in order)
        return next((choice for choice in choices if choice is not None), None)


def _any_question(kind: QuestionKind, situation: Situation, rng: np.random.Generator
                  ) -> Choice | None:
    with_actions = kind is QuestionKind.YES_NO or (
        kind is QuestionKind.REWARD and situation.hypotheses.rewards.per_action)
    is_open = situation.open(kind, with_actions=with_actions)
    utilities = np.where(is_open, 0.0, -np.inf)
    chosen = choose_best(utilities, rng)
    if chosen is None:
        return None
    if with_actions:
        state, action = divmod(chosen, utilities.shape[1])
        return Choice(Question(kind, state, action), utilities)
    return Choice(Question(kind, chosen), utilities)
