"""Ways to choose the next question: one file each, registered here by name."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, TypeVar

from gbs_irl_ros.core.queries.active_sampling import ActiveSamplingQuery
from gbs_irl_ros.core.queries.bits_per_second import BitsPerSecondQuery
from gbs_irl_ros.core.queries.confidence import ConfidenceQuery
from gbs_irl_ros.core.queries.emg import EmgQuery, EmgShortlistQuery
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.queries.gbs1 import Gbs1CoherenceQuery, Gbs1Query
from gbs_irl_ros.core.queries.gbs3 import Gbs3Query
from gbs_irl_ros.core.queries.gbs_binary import GbsBinaryQuery
from gbs_irl_ros.core.queries.gbs_reward import GbsRewardQuery
from gbs_irl_ros.core.queries.information_gain import InformationGainQuery, ValueInformationQuery
from gbs_irl_ros.core.queries.iqbc import IqbcQuery, IqbcRenormalisedQuery
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.core.queries.uniform import RandomQuery
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.registry import Registry, made

Strategy = TypeVar('Strategy', bound=type[QueryStrategy])


def _wrong(strategy: Any) -> str | None:
    name = getattr(strategy, 'name', None)
    if isinstance(strategy, type) and issubclass(strategy, QueryStrategy) \
            and is_dataclass(strategy) and isinstance(name, str) and name:
        return None
    return ('a strategy must be a dataclass that is derived from QueryStrategy and has a name, '
            f'got {strategy!r}')


STRATEGIES: Registry[type[QueryStrategy]] = Registry(
    'question strategy', 'gbs_irl_ros.strategies', _wrong, lambda strategy: strategy.name)


def register_strategy(strategy: Strategy) -> Strategy:
    """
    Add a strategy to ``STRATEGIES``, so that it can be named wherever one is chosen by name.

    Also a decorator: put it above ``@dataclass(frozen=True)``.
    """
    STRATEGIES.register(getattr(strategy, 'name', ''), strategy)
    return strategy


for _strategy in (      # the first that asks for a kind is the usual one for it
        GbsQuery, Gbs1Query, Gbs1CoherenceQuery, Gbs3Query, GbsBinaryQuery, GbsRewardQuery,
        IqbcQuery, IqbcRenormalisedQuery, EmgQuery, EmgShortlistQuery, ActiveSamplingQuery,
        ConfidenceQuery, RandomQuery, InformationGainQuery, ValueInformationQuery,
        BitsPerSecondQuery):
    register_strategy(_strategy)
STRATEGIES.seal()


def make_strategy(name: str, **options: Any) -> QueryStrategy:
    """Return the strategy of that name; options are its fields."""
    return made(STRATEGIES[name], 'strategy', options)


def usual_strategy(kind: QuestionKind) -> QueryStrategy:
    """Return the strategy that chooses questions of a kind unless another one is named."""
    return next((strategy for strategy in map(make_strategy, STRATEGIES.ours)
                 if strategy.kinds == (kind,)), InformationGainQuery(kind))
