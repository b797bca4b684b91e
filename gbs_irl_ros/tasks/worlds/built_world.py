"""What the builder of a world makes, and the keys that several kinds of a task file share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import AnyOf, Each, Field, Flag, Located, Number, Text, Whole
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.cells import Grid

DISCOUNT = Field(Number(at_least=0.0, below=1.0), 'discount of later rewards, in [0, 1)', 0.95)
CELL_SIZE = Field(Number(above=0.0, at_most=1000.0), 'edge of a cell [m]', 1.0)
SEED = Field(Whole(0, 2**32 - 1), 'seed of everything that is drawn', 0)
MAX_REWARDS = 100_000
PLACE = AnyOf([Each(Whole(0), 2, 2), Text()],
              'a cell [column, row] or the name of a region or state')
PRIOR = Field(AnyOf([Text(('uniform', 'sparsity')), Each(Number(above=0.0), 1)],
                    'uniform, sparsity, or a list with one positive number per hypothesis'),
              'probability of each hypothesis before any answer', 'uniform')
COUNT = Field(Whole(1, MAX_REWARDS), 'how many rewards, all in all', 500)
INCLUDE_OWN = Field(Flag(), "whether the domain's own reward is among them", False)


@dataclass(frozen=True, eq=False)
class BuiltWorld:
    """
    A world with what the hypotheses of a task file may refer to.

    own: the rewards that belong to the domain itself, if it has any.
    features: named columns ``[S]`` or ``[S * A]`` that rewards can be weighted sums of.
    feature_words: how a person calls them, where "the NAME" would not do.
    own_weights: the weights of the features that make its own reward, if they do.
    grid: its cells, if it has any.
    """

    world: World
    own: Candidates | None = None
    features: Mapping[str, np.ndarray] = field(default_factory=dict)
    own_weights: Mapping[str, float] = field(default_factory=dict)
    grid: Grid | None = None
    feature_words: Mapping[str, str] = field(default_factory=dict)

    @property
    def mdp(self) -> Mdp:
        """Return the MDP of the world."""
        return self.world.mdp

    @property
    def regions(self) -> Mapping[str, np.ndarray]:
        """Return the named sets of states."""
        return self.world.appearance.regions


def place_states(place: Any, built: BuiltWorld, values: Located, *path: Any) -> np.ndarray:
    """
    Return the states of a cell [column, row] or of a region; none after a report.

    :param path: where among the values the place is named.
    """
    states, problem = _place_states(place, built, values)
    values.refuse(problem, *path)
    return states


def place_name(place: Any) -> str:
    """Return how a place is called in the name of a hypothesis."""
    return place if isinstance(place, str) else f'({place[0]}, {place[1]})'


def _place_states(place: Any, built: BuiltWorld, values: Located) -> tuple[np.ndarray, str | None]:
    nothing = np.array([], dtype=np.int64)
    if isinstance(place, str):
        if place in built.regions:
            return built.regions[place], None
        return nothing, (f'is not a region or state, got {place!r}; expected one of '
                         f'{shown(list(built.regions))}'
                         + values.report.did_you_mean(place, built.regions))
    if built.grid is None:
        return nothing, f'there are no cells in this world, got {place}; expected a name'
    column, row = place
    rows, columns = built.grid.shape
    if column >= columns or row >= rows:
        return nothing, (f'cell ({column}, {row}) is outside the map, got {place}; expected '
                         f'[column, row] below [{columns}, {rows}]')
    state = built.grid.state_of_cell[row, column]
    if state < 0:
        return nothing, f'cell ({column}, {row}) is a wall, got {place}; expected a free cell'
    return np.array([state]), None
