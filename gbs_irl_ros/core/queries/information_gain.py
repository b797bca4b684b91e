"""Ask what tells most about the task, or about what matters of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.mdp import whole_number
from gbs_irl_ros.core.passing import MAX_STARTS, thinned
from gbs_irl_ros.core.queries.prospects import Outlook, Prospects, bits
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_best
from gbs_irl_ros.core.questions import CONFIRM_REFUSED, MAX_STEPS, QuestionKind
from gbs_irl_ros.core.regret import loses_nothing
from gbs_irl_ros.core.routes import route_from

ANYWHERE, ON_THE_WAY = 'anywhere', 'on_the_way'
WHERE = (ANYWHERE, ON_THE_WAY)
MAX_WAYS = 5            # the most probable policies whose ways are looked at


@dataclass(frozen=True)
class InformationGainQuery(QueryStrategy):
    """
    Ask the question of largest expected information gain I(answer; h).

    kind: of question.
    steps: of a demonstration.
    where: 'on_the_way': only where the robot will be anyway, whichever of the most probable tasks
        it does; 'anywhere': in any state.
    """

    name: ClassVar[str] = 'information_gain'
    kind: QuestionKind = QuestionKind.ACTION
    steps: int = 1
    where: str = ANYWHERE

    def __post_init__(self) -> None:
        object.__setattr__(self, 'kind', asked_kind(self.kind))
        check_asking(self.steps, self.where)

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Return the kind that it asks."""
        return (self.kind,)

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the question that tells most."""
        outlook = Outlook(situation, rng, asked_about(situation, self.where))
        found = outlook.of(self.kind, self.steps)
        return best_of(situation, found, gains(outlook, found, self._alike(situation)), rng)

    def _alike(self, situation: Situation) -> np.ndarray | None:
        """Return ``[D]`` bool: the policies that need not be told apart; None: none."""
        return None


@dataclass(frozen=True)
class ValueInformationQuery(InformationGainQuery):
    """
    Ask what tells most about what matters for the return.

    Tasks under which the most probable policy loses nothing, from where the robot starts, are one:
    which of them is meant need not be known. So the gain is I(answer; g), where g is that group or
    one of the policies outside it.
    """

    name: ClassVar[str] = 'value_information'

    def _alike(self, situation: Situation) -> np.ndarray | None:
        return as_good(situation)


def as_good(situation: Situation) -> np.ndarray:
    """Return ``[D]`` bool: the tasks under which the most probable policy loses nothing."""
    hypotheses = situation.hypotheses
    return loses_nothing(hypotheses, situation.start,
                         int(np.argmax(situation.policy_probabilities)),
                         np.arange(hypotheses.num_policies))


def gains(outlook: Outlook, found: list[Prospects],
          alike: np.ndarray | None = None) -> np.ndarray:
    """
    Return the bits that each question is expected to tell, one after the other.

    :param alike: ``[D]`` bool, policies that need not be told apart; None: none.
    """
    same = None if alike is None else alike[outlook.live]
    return np.concatenate([np.zeros(0), *(
        bits(each.chances, outlook.weights, same, each.doubts) for each in found)])


def best_of(situation: Situation, found: list[Prospects], utilities: np.ndarray,
            rng: np.random.Generator) -> Choice | None:
    """Return the question of largest utility, ties at random; None if there is none."""
    chosen = choose_best(utilities, rng)
    if chosen is None:
        return None
    questions = [question for each in found for question in each.questions]
    question, mdp = questions[chosen], situation.hypotheses.mdp
    if question.action is None:
        shown = np.full(mdp.num_states, -np.inf)
        np.maximum.at(shown, [each.state for each in questions], utilities)
    else:
        shown = np.full((mdp.num_states, mdp.num_actions), -np.inf)
        about = [(each.state, each.action, utility)
                 for each, utility in zip(questions, utilities, strict=True)
                 if each.action is not None]
        states, actions, worth = zip(*about, strict=True)
        np.maximum.at(shown, (states, actions), worth)
    return Choice(question, shown)


def asked_about(situation: Situation, where: str) -> np.ndarray:
    """Return ``[S]`` bool: the states that may be asked about."""
    hypotheses = situation.hypotheses
    if where == ANYWHERE:
        return np.ones(hypotheses.mdp.num_states, dtype=bool)
    allowed = np.zeros(hypotheses.mdp.num_states, dtype=bool)
    starts = [situation.current_state] if situation.current_state is not None \
        else thinned(np.flatnonzero(situation.start > 0.0), MAX_STARTS).tolist()
    for policy in np.argsort(-situation.policy_probabilities, kind='stable')[:MAX_WAYS]:
        sets = hypotheses.sets.policy_sets(int(policy))
        for start in starts:
            allowed[[state for state, _ in route_from(hypotheses.mdp, sets, int(start))]] = True
    return allowed


def asked_kind(kind: str | QuestionKind) -> QuestionKind:
    """Return a kind of question that a strategy may choose."""
    kind = QuestionKind(kind)
    if kind is QuestionKind.CONFIRM:
        raise InvalidOptionError(CONFIRM_REFUSED)
    return kind


def check_asking(steps: int, where: str) -> None:
    """Raise unless these are options of a strategy."""
    if not 1 <= whole_number('steps', steps, InvalidOptionError) <= MAX_STEPS:
        raise InvalidOptionError(f'steps must be in 1 .. {MAX_STEPS}, got {steps}')
    if where not in WHERE:
        raise UnknownNameError('place to ask about', where, WHERE)
