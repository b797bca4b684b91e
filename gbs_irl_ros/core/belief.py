"""What is believed after some answers: of the task, and of the teacher."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from gbs_irl_ros.core.answers import RATED_KINDS, Answer, rated_kind
from gbs_irl_ros.core.caution import Caution
from gbs_irl_ros.core.copying import with_fields
from gbs_irl_ros.core.error_rates import ErrorRates, RateEstimate
from gbs_irl_ros.core.errors import UnknownNameError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.posterior import Posterior, log_sum
from gbs_irl_ros.core.statements import log_predictive
from gbs_irl_ros.core.unlisted import Unlisted


@dataclass(frozen=True, eq=False)
class Belief:
    """
    The joint belief over tasks and error rates.

    hypotheses, noise: what may be meant, and how the teacher errs where that is given.
    posterior: over the tasks.
    rates: over the error rates given each policy; None: they are as the noise model says.
    unlisted: what has been said, as far as it matters if none of the listed tasks is meant.
    start: ``[S]``, where the robot may start; None: anywhere.
    """

    hypotheses: Hypotheses
    noise: NoiseModel
    posterior: Posterior
    rates: ErrorRates | None
    unlisted: Unlisted
    start: np.ndarray | None = field(default=None, repr=False)

    @classmethod
    def before_answers(cls, hypotheses: Hypotheses, noise: NoiseModel, caution: Caution,
                       start: np.ndarray | None = None) -> Belief:
        """Return the prior."""
        prior = caution.error_rates
        return cls(hypotheses, noise,
                   Posterior.before_answers(hypotheses.log_prior, caution.none_of_these),
                   None if prior is None else ErrorRates(prior, hypotheses.num_policies),
                   Unlisted.before_answers(hypotheses, noise, prior), start)

    def told(self, answer: Answer) -> Belief:
        """Return the belief after an answer; raise if that cannot be used."""
        likelihood, rates = self._weighed(answer)
        if not self.posterior.allows_none:
            return with_fields(self, posterior=self.posterior.updated(likelihood), rates=rates)
        if_none, unlisted = self.unlisted.told(answer)
        return with_fields(self, posterior=self.posterior.updated(likelihood, if_none),
                           rates=rates, unlisted=unlisted)

    def weighing_none(self) -> Belief:
        """Return a belief that follows ``unlisted`` even if "none of these" is impossible."""
        none = Posterior.before_answers(self.posterior.log_weights, 0.5)
        return self if self.posterior.allows_none else replace(self, posterior=none)

    def evidence(self, answer: Answer) -> float:
        """Return ln P(answer | a listed task is meant) - ln P(answer | none is)."""
        likelihood, _ = self._weighed(answer)
        listed = log_sum(self.posterior.among_listed.log_weights + likelihood)
        return listed - self.unlisted.told(answer)[0]

    def evidence_for(self, reward: int, answer: Answer) -> float:
        """Return ln P(answer | this reward is meant) - ln P(answer | chance)."""
        likelihood, _ = self._weighed(answer)
        chance = Unlisted.before_answers(self.hypotheses, self.noise, self.unlisted.prior)
        return float(likelihood[reward]) - chance.told(answer)[0]

    def log_likelihood(self, answers: Iterable[Answer]) -> np.ndarray:
        """Return ``[H]``: log P(answers | reward), in this order, after those told so far."""
        total, belief = np.zeros(self.hypotheses.num_rewards), self
        for answer in answers:
            likelihood, rates = belief._weighed(answer)
            total, belief = total + likelihood, replace(belief, rates=rates)
        return total

    def error_rate(self, kind: str) -> RateEstimate:
        """Return what is believed of the error rate of a kind of answer: certain if given."""
        if kind not in RATED_KINDS:
            raise UnknownNameError('kind of answer with an error rate', kind, RATED_KINDS)
        if self.rates is None:
            return RateEstimate(np.array([1.0 - np.mean(self.noise.gamma_hat)]), np.ones(1))
        return self.rates.estimate(kind, self._policy_masses)

    @property
    def answer_counts(self) -> dict[str, tuple[float, float]]:
        """How many answers of each kind were right and wrong, as far as is known."""
        return {} if self.rates is None else self.rates.expected_counts(self._policy_masses)

    @property
    def _policy_masses(self) -> np.ndarray:
        """``[D]``; with "none of these" they sum to 1."""
        return self.hypotheses.merged(self.posterior.probabilities)

    def _weighed(self, answer: Answer) -> tuple[np.ndarray, ErrorRates | None]:
        """Return log P(answer | reward, answers so far) ``[H]``, and the error rates after it."""
        if self.rates is not None and isinstance(answer, get_args(Answer)) \
                and rated_kind(answer) is not None:
            return log_predictive(self.hypotheses, self.rates, answer, self.start)
        return log_likelihood(self.hypotheses, self.noise, answer, self.start), self.rates
