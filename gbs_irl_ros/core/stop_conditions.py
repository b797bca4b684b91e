"""
Conditions for the end of a lesson that promise something about what the robot will do.

Each is a frozen dataclass: its fields are the numbers of its claim, its name is that of the reason
to stop. The sentence for it is in ``learning.sentences``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.regret import loses_nothing, losses

MOST_COMPARED = 40      # policies: while more are needed for the certainty, it is too early
NEGLIGIBLE = 1e-9       # probability of a policy that is not worth comparing
ROUNDING = 1e-12


class StopCondition(ABC):
    """
    One way to know enough.

    name: in parameters, tables and reasons.
    certainty: of the claim, a probability.
    """

    name: ClassVar[str]
    certainty: float

    @abstractmethod
    def reached(self, situation: Situation) -> float | None:
        """Return the value that the claim holds with; None as long as it does not."""


@dataclass(frozen=True)
class LosesNothing(StopCondition):
    """
    The most probable policy is as good as any, with this probability.

    Tasks that the robot would do equally well count as one, however different they are elsewhere.
    """

    name: ClassVar[str] = 'loses_nothing'
    certainty: float = 0.95

    def __post_init__(self) -> None:
        _check_share('certainty', self.certainty)

    def reached(self, situation: Situation) -> float | None:
        """Return the probability that nothing is lost."""
        live = _most_probable(situation)[:MOST_COMPARED]
        probabilities = situation.listed * situation.policy_probabilities[live]
        if probabilities.sum() < self.certainty:    # too early, or "none of these"
            return None
        same = loses_nothing(situation.hypotheses, situation.start, int(live[0]), live)
        probability = float(probabilities[same].sum())
        return probability if probability >= self.certainty else None


@dataclass(frozen=True)
class ValueAtRisk(StopCondition):
    """
    The loss is at most this large with this probability (Brown, Niekum 2018).

    loss: as a share of what the task's own policy gains over chance.
    """

    name: ClassVar[str] = 'value_at_risk'
    loss: float = 0.05
    certainty: float = 0.95

    def __post_init__(self) -> None:
        _check_share('certainty', self.certainty)
        _check_loss(self.loss)

    def reached(self, situation: Situation) -> float | None:
        """Return the probability that no more is lost."""
        return _probability_of_loss_up_to(situation, self.loss, self.certainty)


@dataclass(frozen=True)
class MinimaxRegret(StopCondition):
    """
    The loss is at most this large whichever of the live tasks is meant.

    loss: as a share of what the task's own policy gains over chance.
    certainty: of the live tasks together: the most probable ones that reach it.
    """

    name: ClassVar[str] = 'minimax_regret'
    loss: float = 0.05
    certainty: float = 0.99

    def __post_init__(self) -> None:
        _check_share('certainty', self.certainty)
        _check_loss(self.loss)

    def reached(self, situation: Situation) -> float | None:
        """Return the largest loss."""
        live = _live(situation, self.certainty)
        if live is None:
            return None
        worst = float(losses(situation.hypotheses, situation.start, int(live[0]), live).max())
        return worst if worst <= self.loss else None


@dataclass(frozen=True)
class Conformal(StopCondition):
    """
    One policy alone is as probable as the right one was at the end of simulated lessons.

    threshold: probability that the right policy reached in all but a share 1 - certainty of
        them; from ``Conformal.from_scores``.
    """

    name: ClassVar[str] = 'conformal'
    threshold: float = 0.05
    certainty: float = 0.95

    def __post_init__(self) -> None:
        _check_share('certainty', self.certainty)
        if not 0.0 <= self.threshold <= 1.0:
            raise InvalidOptionError(f'threshold must be in [0, 1], got {self.threshold}')

    @classmethod
    def from_scores(cls, probabilities: Sequence[float], certainty: float = 0.95) -> Conformal:
        """
        Return the condition for what the right policy's probability was in simulated lessons.

        The quantile is number ceil((N + 1) certainty) of the N scores 1 - p, so that the right
        policy of one more lesson is in the set with this certainty. It takes N >= certainty /
        (1 - certainty) lessons.
        """
        scores = np.sort(1.0 - np.asarray(probabilities, dtype=np.float64))
        rank = math.ceil((len(scores) + 1) * certainty)
        if rank > len(scores):
            raise InvalidOptionError(
                f'a certainty of {certainty:g} takes at least '
                f'{math.ceil(certainty / (1.0 - certainty))} simulated lessons, '
                f'got {len(scores)}')
        return cls(float(np.clip(1.0 - scores[rank - 1], 0.0, 1.0)), certainty)

    def reached(self, situation: Situation) -> float | None:
        """Return the probability of the one policy in the set."""
        shares = np.append(situation.listed * situation.policy_probabilities,
                           situation.none_of_these)
        inside = shares >= min(self.threshold, situation.certainty)
        alone = inside.sum() == 1 and not inside[-1] and situation.certainty >= self.certainty
        return situation.certainty if alone else None


STOP_CONDITIONS: dict[str, type[StopCondition]] = {
    made.name: made for made in (LosesNothing, ValueAtRisk, MinimaxRegret, Conformal)}


def make_stop_condition(name: str, **options: Any) -> StopCondition:
    """Return the condition of that name; options are its fields."""
    if name not in STOP_CONDITIONS:
        raise UnknownNameError('stop condition', name, STOP_CONDITIONS)
    condition = STOP_CONDITIONS[name]
    known = [field.name for field in fields(condition)]      # type: ignore[arg-type]
    for option in options:
        if option not in known:
            raise InvalidOptionError(
                f'stop condition {name!r} has no option {option!r}; it has {known}')
    return condition(**options)


def _probability_of_loss_up_to(situation: Situation, loss: float,
                               certainty: float) -> float | None:
    live = _most_probable(situation)[:MOST_COMPARED]
    probabilities = situation.listed * situation.policy_probabilities[live]
    if probabilities.sum() < certainty:     # too early, or "none of these"
        return None
    lost = losses(situation.hypotheses, situation.start, int(live[0]), live)
    probability = float(probabilities[lost <= loss].sum())
    return probability if probability >= certainty else None


def _live(situation: Situation, certainty: float) -> np.ndarray | None:
    """Return the most probable policies that have a probability; None if it takes too many."""
    order = _most_probable(situation)
    mass = situation.listed * np.cumsum(situation.policy_probabilities[order])
    count = int(np.searchsorted(mass, certainty - ROUNDING)) + 1
    return order[:count] if count <= min(MOST_COMPARED, len(order)) else None


def _most_probable(situation: Situation) -> np.ndarray:
    """Return the policies that count, the most probable first."""
    order = np.argsort(-situation.policy_probabilities, kind='stable')
    return order[situation.policy_probabilities[order] > NEGLIGIBLE]


def _check_share(name: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise InvalidOptionError(f'{name} must be in (0, 1), got {value}')


def _check_loss(loss: float) -> None:
    if not (math.isfinite(loss) and loss >= 0.0):
        raise InvalidOptionError(f'loss must not be negative, got {loss}')
