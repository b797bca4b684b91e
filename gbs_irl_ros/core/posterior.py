"""The distribution p_t over rewards, in log space."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.copying import made
from gbs_irl_ros.core.errors import ImpossibleAnswerError
from gbs_irl_ros.core.lazy import lazy_property


@dataclass(frozen=True, eq=False)
class Posterior:
    """
    A normalised distribution over H listed hypotheses and "none of these".

    log_weights: ``[H]``; minus infinity for a hypothesis that an answer has ruled out.
    log_none: of "none of these"; minus infinity: one of the listed is meant for certain.
    """

    log_weights: np.ndarray
    log_none: float = -math.inf

    def __post_init__(self) -> None:
        weights = np.array(self.log_weights, dtype=np.float64)
        weights.setflags(write=False)
        object.__setattr__(self, 'log_weights', weights)

    def __repr__(self) -> str:
        return f'Posterior({len(self.log_weights)} hypotheses, {self.entropy:.2f} bits)'

    @classmethod
    def uniform(cls, count: int) -> Posterior:
        """Return the uniform distribution over this many hypotheses."""
        return cls(np.full(count, -np.log(count)))

    @classmethod
    def before_answers(cls, log_prior: np.ndarray, none_of_these: float) -> Posterior:
        """
        Return the prior.

        :param log_prior: ``[H]``, of each hypothesis if one of them is meant.
        :param none_of_these: probability in [0, 1) that none is.
        """
        if none_of_these == 0.0:
            return cls(log_prior)
        return cls(log_prior + math.log1p(-none_of_these), math.log(none_of_these))

    def updated(self, log_likelihood: np.ndarray, log_if_none: float = 0.0) -> Posterior:
        """
        Return the posterior after an answer (Bayes' rule).

        :param log_likelihood: ``[H]``, of the answer under each hypothesis.
        :param log_if_none: the same if none of them is meant.
        """
        unnormalised, none = self.log_weights + log_likelihood, self.log_none + log_if_none
        largest = max(largest_of(unnormalised), none)
        if not math.isfinite(largest):
            raise ImpossibleAnswerError('the answer is impossible under every hypothesis left')
        weights = unnormalised - largest
        np.exp(weights, out=weights)
        total = float(np.add.reduce(weights)) + math.exp(none - largest)
        log_total = largest + math.log(total)
        unnormalised -= log_total
        weights /= total
        for array in (unnormalised, weights):
            array.setflags(write=False)
        return made(Posterior, log_weights=unnormalised, log_none=none - log_total,
                    probabilities=weights)      # which are at hand already

    @lazy_property
    def probabilities(self) -> np.ndarray:
        """``[H]``; with ``none_of_these`` they sum to 1."""
        weights = np.exp(self.log_weights)
        weights /= weights.sum() + math.exp(self.log_none)
        weights.setflags(write=False)
        return weights

    @property
    def allows_none(self) -> bool:
        """Tell whether it is possible that none of the listed hypotheses is meant."""
        return self.log_none > -math.inf

    @property
    def none_of_these(self) -> float:
        """Probability that none of the listed hypotheses is meant."""
        if not self.allows_none:
            return 0.0
        none = math.exp(self.log_none)
        return none / (float(np.exp(self.log_weights).sum()) + none)

    @property
    def among_listed(self) -> Posterior:
        """
        Return what is believed if one of the listed hypotheses is meant.

        Uniform where the answers have ruled out all of them.
        """
        # Not kept where it is itself: what refers to itself stays until garbage is looked for.
        return self._among_listed if self.allows_none else self

    @lazy_property
    def _among_listed(self) -> Posterior:
        total = log_sum(self.log_weights)
        if total == -math.inf:
            return Posterior.uniform(len(self.log_weights))
        return Posterior(self.log_weights - total)

    @property
    def entropy(self) -> float:
        """Entropy in bits."""
        return entropy_bits(self.probabilities) + entropy_bits(np.array(self.none_of_these))


def largest_of(array: np.ndarray) -> float:
    """Return the largest entry, or NaN if there is one: in half the time of ``max``."""
    return float(array[array.argmax()])


def log_sum(log_weights: np.ndarray) -> float:
    """Return ln sum_h exp(log_weights): ten times as fast as ``np.logaddexp.reduce``."""
    largest = largest_of(log_weights)
    if not math.isfinite(largest):
        return largest
    return largest + math.log(np.exp(log_weights - largest).sum())


def entropy_bits(probabilities: np.ndarray) -> float:
    """Return the entropy [bit] of a distribution."""
    positive = probabilities[probabilities > 0.0]
    return 0.0 - float((positive * np.log2(positive)).sum())
