"""What the builder of a world makes, and the keys that several kinds of worlds share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks.files.spec import Field, Number, Whole
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.cells import Grid

DISCOUNT = Field(Number(at_least=0.0, below=1.0), 'discount of later rewards, in [0, 1)', 0.95)
CELL_SIZE = Field(Number(above=0.0, at_most=1000.0), 'edge of a cell [m]', 1.0)
SEED = Field(Whole(0, 2**32 - 1), 'seed of everything that is drawn', 0)


@dataclass(frozen=True, eq=False)
class BuiltWorld:
    """
    A world with what the hypotheses of a task file may refer to.

    own: the rewards that belong to the domain itself, if it has any.
    features: named columns ``[S]`` or ``[S * A]`` that rewards can be weighted sums of.
    own_weights: the weights of the features that make its own reward, if they do.
    grid: its cells, if it has any.
    """

    world: World
    own: Candidates | None = None
    features: Mapping[str, np.ndarray] = field(default_factory=dict)
    own_weights: Mapping[str, float] = field(default_factory=dict)
    grid: Grid | None = None

    @property
    def mdp(self) -> Mdp:
        """Return the MDP of the world."""
        return self.world.mdp

    @property
    def regions(self) -> Mapping[str, np.ndarray]:
        """Return the named sets of states."""
        return self.world.appearance.regions
