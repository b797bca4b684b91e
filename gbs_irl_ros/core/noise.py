"""
How a teacher errs: the noise models of the paper's sections 2.2, 3.2 and 3.3.

The likelihood of an action answer depends on the greedy set A_h(x) alone. With m = 1 if the action
is in the set (0 if not), n the size of the set and A the number of actions, it is

    gamma good + (1 - gamma) bad + flat,

where gamma = gamma_hat(x) is the chance of an optimal answer and

    likelihood       good     bad                flat
    single_action    m        (1 - m) / (A - 1)  0      one optimal action everywhere (version 1)
    aggregated       m        1 - m              0      the paper's experiments; not normalised
    exact            m / n    (1 - m) / (A - n)  0      normalised for sets of any size
    exact, n = A     0        0                  1 / A

The aggregated one cannot reject a hypothesis whose sets contain the true ones; the exact one can.
Others are classes of their own: ``core.action_likelihood``, ``core.boltzmann``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gbs_irl_ros.core.action_likelihood import (
    ActionLikelihood,
    Likelihood,
    checked_chances,
    make_likelihood,
)
from gbs_irl_ros.core.errors import InvalidNoiseError
from gbs_irl_ros.core.planning.greedy_sets import GreedySets

if TYPE_CHECKING:
    from gbs_irl_ros.core.hypotheses import Hypotheses

__all__ = ['CLOSING_ERROR', 'Likelihood', 'NoiseModel']
CLOSING_ERROR = 0.05    # how often a person is wrong about a route that the robot rehearses


@dataclass(frozen=True, eq=False, init=False)
class NoiseModel:
    """
    What the learner believes of the teacher's errors.

    gamma_hat: chance of an optimal answer in (0, 1], a number or ``[S]``.
    sigma_hat: spread of reward answers, > 0; their likelihood is exp(-(u - r)^2 / sigma_hat).
        (The paper prints the exponent without its minus sign.)
    likelihood: of action answers.
    """

    gamma_hat: float | np.ndarray
    sigma_hat: float
    likelihood: Likelihood | ActionLikelihood

    def __init__(self, gamma_hat: float | np.ndarray = 0.9, sigma_hat: float = 0.1,
                 likelihood: str | Likelihood | ActionLikelihood = Likelihood.EXACT) -> None:
        """Check the figures; a likelihood that needs no options may be given by its name."""
        rates = np.array(gamma_hat, dtype=np.float64)
        if rates.ndim > 1:
            raise InvalidNoiseError(
                f'gamma_hat must be a number or have one entry per state, got shape {rates.shape}')
        bad = np.flatnonzero(~((rates > 0.0) & (rates <= 1.0)).ravel())
        if len(bad):
            where = '' if rates.ndim == 0 else f' of state {bad[0]}'
            raise InvalidNoiseError(
                f'gamma_hat must be in (0, 1], that{where} is {rates.ravel()[bad[0]]}')
        if not (np.isfinite(sigma_hat) and sigma_hat > 0.0):
            raise InvalidNoiseError(f'sigma_hat must be positive and finite, got {sigma_hat}')
        rates.setflags(write=False)
        vars(self).update(gamma_hat=rates if rates.ndim else float(rates), sigma_hat=sigma_hat,
                          likelihood=likelihood if isinstance(likelihood, (
                              Likelihood, ActionLikelihood)) else make_likelihood(likelihood))

    def __repr__(self) -> str:
        rates = np.unique(self.gamma_hat)
        shown = f'{rates[0]:g}' + (f' .. {rates[-1]:g}' if len(rates) > 1 else '')
        return (f'NoiseModel(gamma_hat={shown}, sigma_hat={self.sigma_hat:g}, '
                f'likelihood={self.likelihood.value!r})')

    def check_fits(self, sets: GreedySets) -> None:
        """
        Raise unless this model is one for these sets.

        An optimal answer must be likelier than a wrong one: gamma_hat above beta_hat where one
        action is optimal. (With the exact likelihood and n of A optimal actions, a single optimal
        one is likelier only if gamma_hat > n / A; where it is not, answers there say less.)
        """
        if np.ndim(self.gamma_hat) and len(self.rates(sets.num_states)) != sets.num_states:
            raise InvalidNoiseError(
                f'gamma_hat must have one entry for each of the {sets.num_states} states, '
                f'got {len(np.atleast_1d(self.gamma_hat))}')
        if self.likelihood is Likelihood.SINGLE_ACTION and not sets.one_action_each:
            cls, policy = np.argwhere(~np.isin(
                sets.bits, sets.patterns[sets.pattern_sizes == 1]))[0]
            raise InvalidNoiseError(
                'the likelihood single_action needs one optimal action in every state: policy '
                f'{policy} has several in state {sets.members(cls)[0]}; use exact or aggregated')
        if sets.num_actions == 1 or isinstance(self.likelihood, ActionLikelihood):
            return
        floor = 0.5 if self.likelihood is Likelihood.AGGREGATED else 1.0 / sets.num_actions
        rates = np.atleast_1d(self.gamma_hat)
        low = np.flatnonzero(rates <= floor)
        if len(low):
            where = f' for state {low[0]}' if np.ndim(self.gamma_hat) else ''
            raise InvalidNoiseError(
                f'gamma_hat must be above {floor:.4g} for the likelihood {self.likelihood.value} '
                f'with {sets.num_actions} actions, or right answers count as wrong; '
                f'got {rates[low[0]]}{where}')

    def check_hypotheses(self, hypotheses: Hypotheses) -> None:
        """Raise unless answers about these hypotheses can be weighed so."""
        self.check_fits(hypotheses.sets)
        if isinstance(self.likelihood, ActionLikelihood):
            self.likelihood.check_fits(hypotheses)

    def reward_chances(self, hypotheses: Hypotheses, state: int) -> np.ndarray | None:
        """Return P(action | reward) ``[H, A]``; None if the policy is enough to know them."""
        if isinstance(self.likelihood, Likelihood):
            return None
        return checked_chances(self.likelihood, hypotheses, state, self.rate(state))

    def rate(self, state: int) -> float:
        """Return gamma_hat(x)."""
        return float(self.gamma_hat[state]) if isinstance(self.gamma_hat, np.ndarray) \
            else self.gamma_hat

    def rates(self, num_states: int) -> np.ndarray:
        """Return gamma_hat as ``[S]``."""
        if isinstance(self.gamma_hat, np.ndarray):
            return self.gamma_hat
        return np.full(num_states, self.gamma_hat)

    def wrong_rate(self, num_actions: int, rate: float) -> float:
        """Return beta_hat for a gamma_hat: the likelihood of one action that is not optimal."""
        if self.likelihood is Likelihood.AGGREGATED:
            return 1.0 - rate
        return (1.0 - rate) / max(num_actions - 1, 1)

    def normalised(self) -> NoiseModel:
        """Return this model with a likelihood that sums to 1 over the actions, for predictions."""
        if self.likelihood is Likelihood.AGGREGATED:
            return replace(self, likelihood=Likelihood.EXACT)
        return self

    def log_chances(self, sets: GreedySets, state: int, action: int) -> np.ndarray:
        """Return ``[D]``: ln P(action | h) at a state; minus infinity where it is impossible."""
        rate, row = self.rate(state), sets.sets_at(state)
        key = self.likelihood, rate
        table = sets.lookups.get(key)
        if table is None:
            with np.errstate(divide='ignore'):
                table = np.ascontiguousarray(sets.by_word(np.log(self.answer_table(sets, rate))).T)
            if not isinstance(self.gamma_hat, np.ndarray):      # else there may be one a state
                sets.lookups[key] = table
        return table[action].take(row if row.itemsize == 1 else sets.codes(row))

    def answer_table(self, sets: GreedySets, rate: float) -> np.ndarray:
        """Return ``[U, A]``: the likelihood of each answer for each greedy set that occurs."""
        holds = sets.pattern_table.astype(np.float64)
        sizes, actions = sets.pattern_sizes[:, np.newaxis], sets.num_actions
        if self.likelihood is Likelihood.EXACT:
            missing = actions - sizes
            table = rate * holds / sizes + (1.0 - rate) * (1.0 - holds) / np.maximum(missing, 1)
            return np.where(missing == 0, 1.0 / actions, table)
        return rate * holds + self.wrong_rate(actions, rate) * (1.0 - holds)
