"""
How probable an action answer is under each reward, where greedy sets alone do not say it.

The likelihoods of the paper (``core.noise.Likelihood``) depend on the greedy set A_h(x) alone, of
which few different ones occur. Any other is a class derived from ``ActionLikelihood``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError, PluginError
from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.core.registry import Registry, made, origin, told

if TYPE_CHECKING:
    from gbs_irl_ros.core.hypotheses import Hypotheses

SUM_TOLERANCE = 1e-9


class Likelihood(NamedEnum):
    """The three likelihoods of an action answer that depend on greedy sets alone."""

    SINGLE_ACTION = 'single_action'
    AGGREGATED = 'aggregated'
    EXACT = 'exact'


class ActionLikelihood(ABC):
    """
    One way to weigh an action answer: a frozen dataclass whose fields are its options.

    name: what it is called in task files and parameters.
    """

    name: ClassVar[str]

    @property
    def value(self) -> str:
        """Return the name, as the members of ``Likelihood`` do."""
        return self.name

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options, ready for JSON."""
        return {field.name: getattr(self, field.name)
                for field in fields(self)}      # type: ignore[arg-type]

    def check_fits(self, hypotheses: Hypotheses) -> None:
        """Raise InvalidNoiseError if answers about these hypotheses cannot be weighed so."""
        return

    @abstractmethod
    def chances(self, hypotheses: Hypotheses, state: int, rate: float) -> np.ndarray:
        """
        Return P(action | reward) at a state: ``[H, A]``, rows summing to 1.

        :param rate: gamma_hat at that state.
        """


Kind = TypeVar('Kind', bound=type[ActionLikelihood])


def _wrong(likelihood: Any) -> str | None:
    if isinstance(likelihood, Likelihood):
        return None
    name = getattr(likelihood, 'name', None)
    if isinstance(likelihood, type) and issubclass(likelihood, ActionLikelihood) \
            and is_dataclass(likelihood) and isinstance(name, str) and name:
        return None
    return ('a likelihood must be a dataclass that is derived from ActionLikelihood and has a '
            f'name, got {likelihood!r}')


LIKELIHOODS: Registry[Any] = Registry(
    'likelihood', 'gbs_irl_ros.likelihoods', _wrong, lambda likelihood: likelihood.name)
for _each in Likelihood:
    LIKELIHOODS.register(_each.value, _each)


def register_likelihood(likelihood: Kind) -> Kind:
    """
    Add a likelihood to ``LIKELIHOODS``, so that it can be named wherever one is chosen by name.

    Also a decorator: put it above ``@dataclass(frozen=True)``.
    """
    LIKELIHOODS.register(getattr(likelihood, 'name', ''), likelihood)
    return likelihood


def make_likelihood(name: str, **options: Any) -> Likelihood | ActionLikelihood:
    """Return the likelihood of that name; options are its fields."""
    found = LIKELIHOODS[name]
    if not isinstance(found, Likelihood):
        likelihood: ActionLikelihood = made(found, 'likelihood', options)
        return likelihood
    for option in options:
        raise InvalidOptionError(f'likelihood {name!r} has no option {option!r}; it has none')
    return found


def checked_chances(likelihood: ActionLikelihood, hypotheses: Hypotheses, state: int,
                    rate: float) -> np.ndarray:
    """Return P(action | reward) ``[H, A]``; raise PluginError if it is not one."""
    name = f'the likelihood {likelihood.name!r} ({origin(likelihood)})'
    try:
        chances = np.asarray(likelihood.chances(hypotheses, state, rate), dtype=np.float64)
    except Exception as error:
        raise PluginError(f'{name} failed: {told(error)}') from error
    shape = (hypotheses.num_rewards, hypotheses.mdp.num_actions)
    if chances.shape != shape:
        raise PluginError(f'{name} must return chances of shape {shape}, got {chances.shape}')
    sums = chances.sum(axis=1)
    bad = np.flatnonzero(~((np.abs(sums - 1.0) <= SUM_TOLERANCE) & (chances >= 0.0).all(axis=1)))
    if len(bad):
        raise PluginError(
            f'{name} must return chances that are not negative and sum to 1 over the actions: '
            f'those of state {state} under reward {bad[0]} are {chances[bad[0]].tolist()}')
    return chances
