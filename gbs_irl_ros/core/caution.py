"""What a learner guards against: a task that is not listed, a teacher of unknown reliability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.action_likelihood import ActionLikelihood
from gbs_irl_ros.core.error_rates import RatePrior
from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.noise import Likelihood, NoiseModel

NOTHING_FITS = 0.5      # "none of these" is at least as probable as all listed tasks together
LEAST_EXPECTED, MOST_EXPECTED = 0.03, 0.39      # error rates: inside the grid of a RatePrior


@dataclass(frozen=True)
class Caution:
    """
    What the learner allows for beyond the paper, which allows for none of it.

    none_of_these: prior probability that none of the listed tasks is meant, in [0, 1).
    error_rates: what is believed beforehand of the teacher's error rates, which are then learned;
        None: they are known, as the noise model says.
    closing_question: before it stops by itself, the learner shows what it would do and asks if
        that is what is meant; only two yeses, to different routes, end the lesson.
    """

    none_of_these: float = 0.0
    error_rates: RatePrior | None = None
    closing_question: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.none_of_these < 1.0:
            raise InvalidOptionError(f'none_of_these must be in [0, 1), got {self.none_of_these}')

    def check_fits(self, noise: NoiseModel) -> None:
        """Raise unless answers are weighed by chances, which sum to 1 over the actions."""
        for name, needed in (('none_of_these', self.none_of_these > 0.0),
                             ('error_rates', self.error_rates is not None)):
            if needed and name == 'error_rates' \
                    and isinstance(noise.likelihood, ActionLikelihood):
                raise InvalidOptionError(
                    f'error_rates needs the likelihood exact, got {noise.likelihood.value}, '
                    'which has no error rate that could be learned')
            if needed and isinstance(noise.likelihood, Likelihood) \
                    and noise.likelihood is not Likelihood.EXACT:
                raise InvalidOptionError(
                    f'{name} needs the likelihood exact, got {noise.likelihood.value}: only that '
                    'one is normalised for greedy sets of any size, and comparable with chance')


def caution_for(noise: NoiseModel, none_of_these: float, *, learn_error_rate: bool,
                closing_question: bool = False) -> Caution:
    """
    Return what to allow for: nothing, as in the paper, where answers are not weighed by chances.

    A learned error rate is expected to be what the noise model says.
    """
    if noise.likelihood is not Likelihood.EXACT:
        return PAPER_MODE
    expected = min(max(1.0 - float(np.mean(noise.gamma_hat)), LEAST_EXPECTED), MOST_EXPECTED)
    return Caution(none_of_these, RatePrior(mean=expected) if learn_error_rate else None,
                   closing_question)


PAPER_MODE = Caution()
CAREFUL = Caution(none_of_these=0.1, error_rates=RatePrior(), closing_question=True)
