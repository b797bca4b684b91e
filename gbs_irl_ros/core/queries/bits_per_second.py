"""Ask what tells most in the time that the person needs for the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.pace import Pace
from gbs_irl_ros.core.queries.information_gain import (
    ANYWHERE,
    as_good,
    asked_about,
    asked_kind,
    best_of,
    check_asking,
    gains,
)
from gbs_irl_ros.core.queries.prospects import Outlook, Prospects
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation
from gbs_irl_ros.core.questions import QuestionKind

ALL_KINDS = tuple(kind for kind in QuestionKind
                  if kind not in (QuestionKind.CONFIRM, QuestionKind.REWARD))
STEPS = {QuestionKind.DEMONSTRATION: (2, 3, 4)}


@dataclass(frozen=True)
class BitsPerSecondQuery(QueryStrategy):
    """
    Choose the kind of each question, too: the most expected information for each second.

    among: the kinds that may be asked; a person who dislikes one leaves it out.
    pace: how long the person takes for each, and the robot to get there.
    where: as of ``information_gain``.
    what_matters: only what matters for the return counts, as for ``value_information``.
    """

    name: ClassVar[str] = 'bits_per_second'
    among: tuple[QuestionKind, ...] = ALL_KINDS
    pace: Pace = field(default_factory=Pace)
    where: str = ANYWHERE
    what_matters: bool = False

    def __post_init__(self) -> None:
        if not self.among:
            raise InvalidOptionError('among must name at least one kind of question, got none')
        object.__setattr__(self, 'among', tuple(dict.fromkeys(map(asked_kind, self.among))))
        check_asking(1, self.where)

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Return the kinds that it asks."""
        return self.among

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the question that tells most in a second."""
        outlook = Outlook(situation, rng, asked_about(situation, self.where))
        found = [each for kind in self.among for steps in STEPS.get(kind, (1,))
                 for each in outlook.of(kind, steps)]
        told = gains(outlook, found, as_good(situation) if self.what_matters else None)
        return best_of(situation, found, told / self._seconds(situation, found), rng)

    def _seconds(self, situation: Situation, found: list[Prospects]) -> np.ndarray:
        """Return how long each question takes."""
        here, questions = situation.current_state, [
            question for each in found for question in each.questions]
        if self.pace.way == 0.0 or here is None:
            return np.array([self.pace.seconds(question) for question in questions])
        far = steps_from(situation.hypotheses.mdp, here)
        return np.array([self.pace.seconds(question, far[question.state])
                         for question in questions])


def steps_from(mdp: Mdp, state: int) -> np.ndarray:
    """Return ``[S]``: how many steps each state is away; S if it cannot be reached."""
    rows = np.repeat(np.arange(mdp.num_states), mdp.num_actions)
    links = sparse.csr_matrix((np.ones(len(rows)), (rows, mdp.targets.ravel())),
                              shape=(mdp.num_states, mdp.num_states))
    far = sparse.csgraph.shortest_path(links, unweighted=True, indices=state)
    return np.asarray(np.minimum(far, mdp.num_states))
