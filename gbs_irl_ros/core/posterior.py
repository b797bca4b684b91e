"""The distribution p_t over rewards, in log space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import entr

from gbs_irl_ros.core.errors import ImpossibleAnswerError


@dataclass(frozen=True, eq=False)
class Posterior:
    """
    A normalised distribution.

    log_weights: ``[H]``; minus infinity for a hypothesis that an answer has ruled out.
    """

    log_weights: np.ndarray

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

    def updated(self, log_likelihood: np.ndarray) -> Posterior:
        """Return the posterior after an answer, given its log-likelihood ``[H]`` (Bayes' rule)."""
        unnormalised = self.log_weights + log_likelihood
        total = np.logaddexp.reduce(unnormalised)
        if not np.isfinite(total):
            raise ImpossibleAnswerError('the answer is impossible under every hypothesis left')
        return Posterior(unnormalised - total)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """``[H]``, summing to 1."""
        weights = np.exp(self.log_weights)
        weights /= weights.sum()
        weights.setflags(write=False)
        return weights

    @property
    def entropy(self) -> float:
        """Entropy in bits."""
        return entropy_bits(self.probabilities)


def entropy_bits(probabilities: np.ndarray) -> float:
    """Return the entropy [bit] of a distribution."""
    return float(entr(probabilities).sum() / np.log(2.0))
