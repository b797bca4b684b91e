"""
How often the teacher errs, learned together with the task.

Each kind of answer has an error rate of its own, unknown but the same throughout a lesson, on a
grid with prior w. Given a policy h, the answers of a kind are independent statements that are
right or wrong under h, so their likelihood depends on two numbers alone: R_h right ones and W_h
wrong ones. Given h the rates of different kinds are independent too, and

    p(h, answers) = p(h) prod_kinds [ c_h sum_e w(e) (1 - e)^R_h e^W_h ],

where c_h (one over the sizes of greedy sets and of their complements) does not depend on the rate:
exact, and O(G + H) for each kind instead of G^kinds. The sum changes by the factor

    P(next answer is right | h, answers) = 1 - E[e | R_h, W_h]

or its complement with every answer, so a learned rate is the exact likelihood of ``core.noise`` in
which gamma_hat is the posterior mean under each policy: ``ErrorRates.accuracy``. Statements that
say nothing about the rate, where every action is optimal, are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gbs_irl_ros.core.answers import RATED_KINDS
from gbs_irl_ros.core.errors import InvalidNoiseError, UnknownNameError

GRID = tuple(round(0.02 * number, 2) for number in range(1, 21))
STEEPEST = 1e6      # of the prior, over the whole grid: all weight is on its end
ROUNDING = 1e-12


@dataclass(frozen=True)
class RatePrior:
    """
    What is believed of a teacher's error rates before the first answer.

    rates: that are possible, rising, in (0, 1/2).
    mean: of the prior, which falls or rises exponentially over the grid.
    earlier: how many answers of a kind were right and wrong in earlier lessons, as far as is
        known; they count as if given in this one. Fractions are welcome.
    """

    rates: tuple[float, ...] = GRID
    mean: float = 0.13
    earlier: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rates = tuple(float(rate) for rate in self.rates)
        object.__setattr__(self, 'rates', rates)
        object.__setattr__(self, 'earlier', {
            kind: (float(right), float(wrong)) for kind, (right, wrong) in self.earlier.items()})
        if not (len(rates) >= 2 and rates[0] > 0.0 and rates[-1] < 0.5
                and np.all(np.diff(rates) > 0.0)):
            raise InvalidNoiseError('rates must be at least two rising numbers in (0, 0.5), '
                                    f'got {list(rates)}')
        if not rates[0] < self.mean < rates[-1]:
            raise InvalidNoiseError(
                f'mean must be between the rates {rates[0]:g} and {rates[-1]:g}, got {self.mean}')
        for kind, counts in self.earlier.items():
            if kind not in RATED_KINDS:
                raise UnknownNameError('kind of answer with an error rate', kind, RATED_KINDS)
            if not (np.isfinite(counts).all() and min(counts) >= 0.0):
                raise InvalidNoiseError(
                    f'earlier answers of kind {kind!r} must be two counts that are not negative '
                    f'(right, wrong), got {counts}')

    @cached_property
    def log_weights(self) -> np.ndarray:
        """``[G]``, log w up to a constant, earlier answers not counted."""
        rates = np.array(self.rates)
        along = (rates - rates[0]) / (rates[-1] - rates[0])

        def mean(slope: float) -> float:
            weights = np.exp(slope * along - max(slope, 0.0))
            return float(weights @ rates / weights.sum())

        low, high = -STEEPEST, STEEPEST
        while low < (slope := (low + high) / 2.0) < high:   # the mean rises with the slope
            low, high = (slope, high) if mean(slope) < self.mean else (low, slope)
        return np.asarray(slope * along)

    def posterior(self, kind: str, right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
        """Return ``[..., G]``: the rates' probabilities after as many right and wrong answers."""
        before = self.earlier.get(kind, (0.0, 0.0))
        rates = np.array(self.rates)
        log_weights = (self.log_weights
                       + np.multiply.outer(right + before[0], np.log1p(-rates))
                       + np.multiply.outer(wrong + before[1], np.log(rates)))
        weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class RateEstimate:
    """
    What is believed of the error rate of one kind of answer.

    rates, probabilities: ``[G]``.
    """

    rates: np.ndarray
    probabilities: np.ndarray

    @property
    def mean(self) -> float:
        """Return the expected rate."""
        return float(self.probabilities @ self.rates)

    def at_most(self, probability: float) -> float:
        """Return the smallest rate of the grid that is not exceeded with this probability."""
        place = int(np.searchsorted(np.cumsum(self.probabilities), probability - ROUNDING))
        return float(self.rates[min(place, len(self.rates) - 1)])


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """
    What the answers so far say of the error rates under each policy.

    prior: before the first answer.
    num_policies: D.
    counts: by kind of answer, ``[2, D]``: how many statements each policy calls right and wrong.
    """

    prior: RatePrior
    num_policies: int
    counts: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f'ErrorRates({self.num_policies} policies, {sorted(self.counts)})'

    def told(self, kind: str, right: np.ndarray, wrong: np.ndarray) -> ErrorRates:
        """Return the rates after a statement that is right or wrong under policies ``[D]``."""
        return replace(self, counts={**self.counts,
                                     kind: self._counts(kind) + np.stack([right, wrong])})

    def accuracy(self, kind: str) -> np.ndarray:
        """Return ``[D]``: how likely the next statement of a kind is right under each policy."""
        pairs, pair_of_policy = self._pairs(kind)
        means = self.prior.posterior(kind, *pairs) @ np.array(self.prior.rates)
        return np.asarray(1.0 - means[pair_of_policy])

    def estimate(self, kind: str, policy_probabilities: np.ndarray) -> RateEstimate:
        """
        Return what is believed of the rate of a kind, whatever the policy.

        :param policy_probabilities: ``[D]``; what they lack to 1 is "none of these", under which
            answers say nothing about the rate.
        """
        pairs, pair_of_policy = self._pairs(kind)
        mass = np.bincount(pair_of_policy, weights=policy_probabilities)
        nothing = self.prior.posterior(kind, np.array(0.0), np.array(0.0))
        probabilities = mass @ self.prior.posterior(kind, *pairs) + (1.0 - mass.sum()) * nothing
        return RateEstimate(np.array(self.prior.rates), probabilities)

    def expected_counts(self, policy_probabilities: np.ndarray) -> dict[str, tuple[float, float]]:
        """Return how many statements of each kind were right and wrong, as far as is known."""
        return {kind: (float(right), float(wrong)) for kind, (right, wrong) in
                ((kind, counts @ policy_probabilities) for kind, counts in self.counts.items())}

    def _counts(self, kind: str) -> np.ndarray:
        if kind not in self.counts:
            return np.zeros((2, self.num_policies), dtype=np.int64)
        return self.counts[kind]

    def _pairs(self, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the different pairs of counts ``[2, U]``, and which of them policies have."""
        right, wrong = self._counts(kind)
        base = int(wrong.max()) + 1
        codes, pair_of_policy = np.unique(right * base + wrong, return_inverse=True)
        return np.stack(np.divmod(codes, base)), pair_of_policy
