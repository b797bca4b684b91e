"""Random questions: the control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_question
from gbs_irl_ros.core.questions import CONFIRM_REFUSED, QuestionKind


@dataclass(frozen=True)
class RandomQuery(QueryStrategy):
    """
    Ask about a state drawn uniformly from all of them. Utility: 0 everywhere.

    kind: of question, such as 'action' or 'reward', or several: 'action+reward' asks for one of
        them at random, as the paper's first experiment with rewards does.
    """

    name: ClassVar[str] = 'random'
    kind: str = 'action'

    def __post_init__(self) -> None:
        _ = self.kinds      # an unknown kind is refused at once

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Those that it was given."""
        kinds = tuple(QuestionKind(each) for each in str(self.kind).split('+'))
        if QuestionKind.CONFIRM in kinds:
            raise InvalidOptionError(CONFIRM_REFUSED)
        return kinds

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return any question that may be asked."""
        kinds, mdp = self.kinds, situation.hypotheses.mdp
        for place in range(1) if len(kinds) == 1 else rng.permutation(len(kinds)):
            with_actions = kinds[place] is QuestionKind.YES_NO or (
                kinds[place] is QuestionKind.REWARD and situation.hypotheses.rewards.per_action)
            shape = (mdp.num_states, mdp.num_actions) if with_actions else (mdp.num_states,)
            choice = choose_question(situation, kinds[place], np.zeros(shape), rng)
            if choice is not None:
                return choice
        return None
