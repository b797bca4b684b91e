"""Ways to choose the next question: one file each, registered here by name."""

from __future__ import annotations

import inspect
from typing import Any

from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.queries.active_sampling import ActiveSamplingQuery
from gbs_irl_ros.core.queries.confidence import ConfidenceQuery
from gbs_irl_ros.core.queries.emg import EmgQuery, EmgShortlistQuery
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.queries.gbs1 import Gbs1CoherenceQuery, Gbs1Query
from gbs_irl_ros.core.queries.gbs3 import Gbs3Query
from gbs_irl_ros.core.queries.gbs_binary import GbsBinaryQuery
from gbs_irl_ros.core.queries.gbs_reward import GbsRewardQuery
from gbs_irl_ros.core.queries.iqbc import IqbcQuery, IqbcRenormalisedQuery
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation
from gbs_irl_ros.core.queries.uniform import RandomQuery

__all__ = ['STRATEGIES', 'Choice', 'QueryStrategy', 'Situation', 'make_strategy']

STRATEGIES: dict[str, type] = {strategy.name: strategy for strategy in (
    GbsQuery, Gbs1Query, Gbs1CoherenceQuery, Gbs3Query, GbsBinaryQuery, GbsRewardQuery,
    IqbcQuery, IqbcRenormalisedQuery, EmgQuery, EmgShortlistQuery, ActiveSamplingQuery,
    ConfidenceQuery, RandomQuery)}


def make_strategy(name: str, **options: Any) -> QueryStrategy:
    """Return the strategy of that name; options are its constructor's arguments."""
    if name not in STRATEGIES:
        raise UnknownNameError('question strategy', name, STRATEGIES)
    strategy = STRATEGIES[name]
    known = list(inspect.signature(strategy).parameters)
    for option in options:
        if option not in known:
            raise InvalidOptionError(
                f'strategy {name!r} has no option {option!r}; it has {known or "none"}')
    made: QueryStrategy = strategy(**options)
    return made
