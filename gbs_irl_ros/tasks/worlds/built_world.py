"""A world as its builder leaves it: with the names that the rest of a task file may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.world import Appearance
from gbs_irl_ros.tasks.worlds.grid import Grid


@dataclass(frozen=True, eq=False)
class OwnRewards:
    """
    Rewards that belong to a domain.

    rewards: one or more.
    names: one each.
    """

    rewards: Rewards
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BuiltWorld:
    """
    What a builder makes.

    regions: named sets of states.
    features: named columns ``[S]`` or ``[S * A]`` that rewards can be weighted sums of.
    own: the rewards of the domain itself, if it has any.
    own_weights: the weights of the features that make its own reward, if they do.
    grid: its cells, if it has any.
    start: ``[S]``, or None for everywhere.
    """

    mdp: Mdp
    appearance: Appearance
    regions: Mapping[str, np.ndarray] = field(default_factory=dict)
    features: Mapping[str, np.ndarray] = field(default_factory=dict)
    own: OwnRewards | None = None
    own_weights: Mapping[str, float] = field(default_factory=dict)
    grid: Grid | None = None
    start: np.ndarray | None = None
