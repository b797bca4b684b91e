"""
What the paper proves about the error: theorem 2 and its corollaries, with their preconditions.

    P[h_t != h*] <= C_0 (1 - lambda)^t

with lambda = epsilon min{(1 - c*) / 2, 1 / 4} for version 1 (theorem 2) and
lambda = epsilon (1 - c*) / 2 for versions 2 and 3 (corollaries 2 and 3). C_0 is |H| for a uniform
prior and max_h (1 - p_0(h)) / p_0(h) for any other: the proof starts from C_0 = (1 - p_0(h*)) /
p_0(h*), which |H| bounds only if all hypotheses are equally likely.

A bound is void if a precondition fails, and then it says why instead of giving a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gbs_irl_ros.core.action_likelihood import ActionLikelihood
from gbs_irl_ros.core.errors import InvalidNoiseError, InvalidOptionError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.theory.coherence import Coherence


def epsilon(num_actions: int, noise: NoiseModel, true_gamma: float) -> float:
    """
    Return the paper's epsilon, defined after its theorem 2: the smallest over states.

        epsilon = gamma* (gamma^ - beta^) / gamma^ + beta* (beta^ - gamma^) / beta^
                = (gamma^ - beta^) (gamma* / gamma^ - beta* / beta^)

    It is 0 when the estimates are exact: then the bound says nothing.

    :param true_gamma: gamma*, the true chance of an optimal answer (or a lower bound of it).
    """
    if not 0.0 < true_gamma <= 1.0:
        raise InvalidNoiseError(f'true_gamma must be in (0, 1], got {true_gamma}')
    true_beta = noise.wrong_rate(num_actions, true_gamma)
    smallest = math.inf
    for gamma in np.unique(np.atleast_1d(noise.gamma_hat)):
        beta = noise.wrong_rate(num_actions, float(gamma))
        if beta == 0.0:     # no noise assumed: right if there is none, hopeless otherwise
            value = true_gamma if true_beta == 0.0 else -math.inf
        else:
            value = (gamma - beta) * (true_gamma / gamma - true_beta / beta)
        smallest = min(smallest, value)
    return float(smallest)


def rate(version: int, eps: float, c_star: float) -> float:
    """Return lambda for a version of GBS-IRL."""
    if version not in (1, 2, 3):
        raise InvalidOptionError(f'version must be 1, 2 or 3, got {version}')
    by_coherence = (1.0 - c_star) / 2.0
    return eps * (min(by_coherence, 0.25) if version == 1 else by_coherence)


def prior_factor(hypotheses: Hypotheses) -> float:
    """Return C_0: |H| for a uniform prior over the policies, max (1 - p) / p for any other."""
    prior = hypotheses.merged(np.exp(hypotheses.log_prior))
    if np.allclose(prior, 1.0 / len(prior), rtol=1e-9):
        return float(len(prior))
    return float(np.max((1.0 - prior) / prior))


@dataclass(frozen=True)
class ErrorBound:
    """
    The bound C_0 (1 - lambda)^t on the chance that the most probable policy is wrong.

    version: of GBS-IRL whose questions it is about.
    epsilon, coherence, rate, factor: the quantities above; rate is lambda.
    void: why the bound says nothing, each reason a sentence; empty if it holds.
    """

    version: int
    epsilon: float
    coherence: Coherence
    rate: float
    factor: float
    void: tuple[str, ...]

    @property
    def while_divided(self) -> bool:
        """Whether it holds only as long as min W(p, x_i) <= c* before every question."""
        return self.version != 1

    def error(self, answers: int) -> float | None:
        """Return the bound after this many answers, at most 1; None if it is void."""
        if self.void:
            return None
        return min(1.0, self.factor * (1.0 - self.rate) ** answers)

    def answers_for(self, delta: float) -> int | None:
        """
        Return how many answers make the error at most delta (corollary 1); None if void.

        t >= log(C_0 / delta) / lambda.
        """
        if not 0.0 < delta < 1.0:
            raise InvalidOptionError(f'delta must be in (0, 1), got {delta}')
        if self.void:
            return None
        return max(0, math.ceil(math.log(self.factor / delta) / self.rate))

    def with_reasons(self, reasons: Iterable[str]) -> ErrorBound:
        """Return this bound, void for these reasons too."""
        return replace(self, void=self.void + tuple(reasons))

    def __str__(self) -> str:
        if self.void:
            return 'no guarantee: ' + '; '.join(self.void)
        condition = f', while some W <= {self.coherence}' if self.while_divided else ''
        return (f'P(wrong after t answers) <= {self.factor:.4g} * (1 - {self.rate:.4g})^t'
                f'{condition}')


def void_bound(reason: str) -> ErrorBound:
    """Return a bound that says nothing, and why."""
    return ErrorBound(2, 0.0, Coherence(-1.0, 1.0), 0.0, math.inf, (reason,))


def error_bound(hypotheses: Hypotheses, noise: NoiseModel, version: int,
                true_gamma: float | None) -> ErrorBound:
    """
    Return the bound for a version of GBS-IRL, void with the reasons where it does not hold.

    :param true_gamma: a lower bound of the teacher's true chance of an optimal answer, or None if
        nothing is known of it.
    """
    num_actions = hypotheses.mdp.num_actions
    c_star = hypotheses.coherence
    eps = epsilon(num_actions, noise, true_gamma) if true_gamma is not None else 0.0
    reasons = []
    if true_gamma is None:
        reasons.append("nothing is assumed about the teacher's true noise (true_gamma)")
    elif eps <= 0.0:
        reasons.append(
            f'the noise must be overestimated: gamma_hat must be below the true gamma '
            f'{true_gamma:g}, got {float(np.max(noise.gamma_hat)):g} (epsilon = {eps:.3g})')
    if not hypotheses.sets.one_action_each:
        reasons.append('some policy has several optimal actions in a state, and the proof needs '
                       'one (assumption 1)')
    elif isinstance(noise.likelihood, ActionLikelihood):
        reasons.append(f'the proof is about the likelihood single_action, not about '
                       f'{noise.likelihood.value}')
    elif noise.likelihood is Likelihood.AGGREGATED and num_actions > 2:
        reasons.append('the aggregated likelihood is not normalised over more than two actions; '
                       'use single_action')
    if c_star.upper >= 1.0:
        reasons.append(f'the coherence c* is {c_star}, and the rate is 0 unless it is below 1')
    if version == 1 and hypotheses.neighbourliness > 1:
        reasons.append('(X, H) is not 1-neighborly, which version 1 needs')
    return ErrorBound(version, eps, c_star, rate(version, max(eps, 0.0), c_star.upper),
                      prior_factor(hypotheses), tuple(reasons))
