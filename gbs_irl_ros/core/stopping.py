"""When the learner knows enough."""

from __future__ import annotations

from dataclasses import dataclass

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.situation import Situation


@dataclass(frozen=True)
class StopRule:
    """
    Stop as soon as any condition that is set holds.

    certainty: the most probable policy has at least this posterior probability.
    every_state: W(p_t, x_i) is at least this in every class: version 3's condition, with c_hat.
    max_answers: this many answers have been given, of any kind.
    """

    certainty: float | None = None
    every_state: float | None = None
    max_answers: int | None = None

    def __post_init__(self) -> None:
        for name, value, low in (('certainty', self.certainty, 0.0),
                                 ('every_state', self.every_state, -1.0)):
            if value is not None and not low < value <= 1.0:
                raise InvalidOptionError(f'{name} must be in ({low:g}, 1], got {value}')
        if self.max_answers is not None and self.max_answers < 0:
            raise InvalidOptionError(f'max_answers must not be negative, got {self.max_answers}')

    def reason(self, situation: Situation, num_answers: int) -> str | None:
        """Return why to stop, as a person reads it, or None to continue."""
        if self.max_answers is not None and num_answers >= self.max_answers:
            return f'{num_answers} answers were given, as many as asked for'
        if self.certainty is not None:
            probability = float(situation.policy_probabilities.max())
            if probability >= self.certainty:
                return f'one policy has probability {probability:.3f}'
        if self.every_state is not None:
            lowest = float(situation.weighted_predictions.min())
            if lowest >= self.every_state:
                return f'an optimal action is known in every state (W is at least {lowest:.3f})'
        return None


NEVER = StopRule()
DEFAULT = StopRule(certainty=0.95)
