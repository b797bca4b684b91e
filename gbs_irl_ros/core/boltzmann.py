"""
The noisily rational teacher: actions by the softmax of their values.

    P(a | x, h) = exp(eta Q_h(x, a)) / sum_b exp(eta Q_h(x, b)),

the usual model of inverse reinforcement learning (Ramachandran and Amir 2007; Ziebart et al. 2008
for the entropy of whole paths). Costly errors are rarer than cheap ones, and how rare depends on
the scale of the rewards: eta is in units of one over reward.

Greedy sets do not say it, so V* of every reward is kept while this likelihood is used: 8 bytes for
each reward and state. Q at a state is made of the values of what may follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gbs_irl_ros.core.action_likelihood import LIKELIHOODS, ActionLikelihood, register_likelihood
from gbs_irl_ros.core.errors import InvalidNoiseError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.core.teachers import TEACHERS, register_teacher

if TYPE_CHECKING:
    Rates = float | Iterable[float]

ETA = 5.0


@register_likelihood
@dataclass(frozen=True)
class BoltzmannLikelihood(ActionLikelihood):
    """
    Softmax of eta Q.

    eta: how rational the teacher is, > 0, a number or one for each state ``[S]``. From 0, where
        answers say nothing, to infinity, where only optimal actions are shown.
    """

    name: ClassVar[str] = 'boltzmann'
    eta: Rates = ETA

    def __post_init__(self) -> None:
        object.__setattr__(self, 'eta', _checked(self.eta))

    def check_fits(self, hypotheses: Hypotheses) -> None:
        """Raise unless there is one rate for each state, and room for the values."""
        _check_states(self.eta, hypotheses.mdp.num_states)
        hypotheses.check_values_fit()

    def chances(self, hypotheses: Hypotheses, state: int, rate: float) -> np.ndarray:
        """Return P(action | reward) ``[H, A]``; gamma_hat does not count."""
        return np.asarray(_softmax(_at(self.eta, state) * hypotheses.q_values(state), axis=1))


@register_teacher
@dataclass(frozen=True, eq=False)
class BoltzmannTeacher(SimulatedTeacher):
    """
    Shows actions by the softmax of eta Q; every other question is answered with ``accuracy``.

    eta: as in the likelihood.
    """

    name: ClassVar[str] = 'boltzmann'
    avoids: ClassVar[bool] = False
    eta: Rates = ETA

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, 'eta', _checked(self.eta))
        _check_states(self.eta, self.mdp.num_states)

    @cached_property
    def q_values(self) -> np.ndarray:
        """Return Q* ``[S, A]``."""
        shape = (self.mdp.num_states, self.mdp.num_actions)
        rewards = Rewards.from_dense(self.reward[np.newaxis], shape[1])
        values = solve(self.mdp, rewards, keep_values=True, allow_vanishing=True).values
        assert values is not None
        gained = self.reward if self.reward.ndim == 2 else self.reward[:, np.newaxis]
        return np.asarray(
            gained + self.mdp.discount * (self.mdp.transitions @ values[0]).reshape(shape))

    def action(self, state: int, rng: np.random.Generator) -> int:
        """Return an action, likelier the better it is; only such as the teacher would name."""
        among = self._named(state, np.ones(self.mdp.num_actions, dtype=bool))
        chances = _softmax(_at(self.eta, state) * self.q_values[state, among])
        return int(rng.choice(among, p=chances))


def _checked(eta: Rates) -> float | tuple[float, ...]:
    rates = np.asarray(eta, dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(rates) & (rates > 0.0)).ravel())
    if rates.ndim > 1 or len(bad):
        got = f'shape {rates.shape}' if rates.ndim > 1 else f'{rates.ravel()[bad[0]]}' + (
            f' for state {bad[0]}' if rates.ndim else '')
        raise InvalidNoiseError(
            f'eta must be a positive number, or one for each state, got {got}')
    return float(rates) if rates.ndim == 0 else tuple(rates.tolist())


def _check_states(eta: Rates, num_states: int) -> None:
    if isinstance(eta, tuple) and len(eta) != num_states:
        raise InvalidNoiseError(
            f'eta must have one entry for each of the {num_states} states, got {len(eta)}')


def _at(eta: Rates, state: int) -> float:
    return eta[state] if isinstance(eta, tuple) else eta    # type: ignore[return-value]


LIKELIHOODS.seal()
TEACHERS.seal()


def _softmax(values: np.ndarray, axis: int | None = None) -> np.ndarray:
    from scipy.special import softmax  # only this likelihood needs it: it takes a while to import
    return softmax(values, axis=axis)
