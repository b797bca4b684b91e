"""When the learner knows enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.stop_conditions import (
    STOP_CONDITIONS,
    LosesNothing,
    StopCondition,
    make_stop_condition,
)


class DoneReason(NamedEnum):
    """Why a learner asks nothing more; what to say of it is for others to know."""

    NO_REASON = 'no_reason'             # it may still ask
    GOOD_ENOUGH = 'good_enough'         # the teacher says so
    NOTHING_TO_ASK = 'nothing_to_ask'
    CERTAINTY = 'certainty'             # the others are conditions of a stop rule
    EVERY_STATE = 'every_state'
    MAX_ANSWERS = 'max_answers'
    NONE_OF_THESE = 'none_of_these'     # no listed task is meant
    LOSES_NOTHING = 'loses_nothing'     # these four are the names of stop conditions
    VALUE_AT_RISK = 'value_at_risk'
    MINIMAX_REGRET = 'minimax_regret'
    CONFORMAL = 'conformal'


@dataclass(frozen=True)
class StopRule:
    """
    Stop as soon as any condition that is set holds.

    certainty: the most probable policy has at least this posterior probability, or "none of
        these" has.
    every_state: W(p_t, x_i) is at least this in every class: version 3's condition, with c_hat.
    max_answers: this many answers have been given, of any kind.
    condition: another one, such as ``make_stop_condition('value_at_risk', loss=0.1)``; or "none of
        these" has the certainty of that.
    """

    certainty: float | None = None
    every_state: float | None = None
    max_answers: int | None = None
    condition: StopCondition | None = None

    def __post_init__(self) -> None:
        for name, value, low in (('certainty', self.certainty, 0.0),
                                 ('every_state', self.every_state, -1.0)):
            if value is not None and not low < value <= 1.0:
                raise InvalidOptionError(f'{name} must be in ({low:g}, 1], got {value}')
        if self.max_answers is not None and self.max_answers < 0:
            raise InvalidOptionError(f'max_answers must not be negative, got {self.max_answers}')

    @property
    def wanted_certainty(self) -> float:
        """Return the probability that ends a lesson; infinite if none does."""
        wanted = [self.certainty, self.condition.certainty if self.condition else None]
        return min((each for each in wanted if each is not None), default=math.inf)

    def reason(self, situation: Situation, num_answers: int) -> StopReason | None:
        """Return the condition that holds and the value it was reached with; None to continue."""
        if self.max_answers is not None and num_answers >= self.max_answers:
            return DoneReason.MAX_ANSWERS, float(num_answers)
        if self.certainty is not None and (certainty := situation.certainty) >= self.certainty:
            return DoneReason.CERTAINTY, certainty
        if self.condition is not None \
                and (value := self.condition.reached(situation)) is not None:
            return DoneReason(self.condition.name), value
        if situation.none_of_these and situation.none_of_these >= self.wanted_certainty:
            return DoneReason.NONE_OF_THESE, situation.none_of_these
        if self.every_state is not None:
            lowest = float(situation.weighted_predictions.min())
            if lowest >= self.every_state:
                return DoneReason.EVERY_STATE, lowest
        return None


def make_stop_rule(name: str, certainty: float, every_state: float | None = None,
                   max_answers: int | None = None, **numbers: float) -> StopRule:
    """
    Return the rule that stops by the condition of that name, one of ``STOP_NAMES``.

    :param certainty: of the condition; 0: it never stops by that.
    :param numbers: that conditions have; those which this one does not have are not used.
    """
    if name not in STOP_NAMES:
        raise UnknownNameError('stop condition', name, STOP_NAMES)
    if not certainty or name == DoneReason.CERTAINTY.value:
        return StopRule(certainty or None, every_state, max_answers)
    given = {'certainty': certainty, **numbers}
    own = [each.name for each in fields(STOP_CONDITIONS[name])]     # type: ignore[arg-type]
    return StopRule(None, every_state, max_answers, make_stop_condition(
        name, **{each: given[each] for each in own if each in given}))


STOP_NAMES = (DoneReason.CERTAINTY.value, *STOP_CONDITIONS)
USUAL_CONDITION = LosesNothing.name     # of lessons with people; the paper's is certainty
UNCONFIRMED = frozenset({DoneReason.MAX_ANSWERS, DoneReason.NONE_OF_THESE})  # end a lesson as is
StopReason = tuple[DoneReason, float]
NEVER = StopRule()
DEFAULT = StopRule(certainty=0.95)
