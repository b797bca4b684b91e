"""The world of Lopes et al. (2009) and Cohn et al. (2011): 21 x 21 cells, two bumps of reward."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import DENSE_ENTRY, check_world
from gbs_irl_ros.tasks.files.spec import Field, Located, Number, Record, Whole
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.built_world import CELL_SIZE, DISCOUNT, BuiltWorld
from gbs_irl_ros.tasks.worlds.cells import DIRECTIONS, grid_appearance, open_grid

NARROWEST_BUMP = 0.01
REWARDS = 1250
SIGNS = {1: 'good', -1: 'bad'}

FIELDS = Record({
    'discount': DISCOUNT, 'cell_size': CELL_SIZE,
    'size': Field(Whole(5, 200), 'cells along an edge', 21),
    'width': Field(Number(above=0.0), 'width of a bump [cells]', 2.0)})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world."""
    if not NARROWEST_BUMP <= values.width <= 100.0 * values.size:
        values.refuse(f'makes bumps that nobody can tell apart, got {values.width}; expected '
                      f'{NARROWEST_BUMP} to {100 * values.size}', 'width')
    values.report.raise_if_any()
    cells = values.size ** 2
    check_world(values, 'size', cells, len(DIRECTIONS), f'{values.size} x {values.size} cells and '
                f'{REWARDS} rewards', more=DENSE_ENTRY * (REWARDS * cells))
    return build_lopes_world(values.discount, values.cell_size, values.size, values.width)


def build_lopes_world(discount: float, cell_size: float, size: int, width: float) -> BuiltWorld:
    """
    Build the world with two bumps, r = r1 exp(-|s1 - s| / 2 w^2) + r2 exp(-|s2 - s| / 2 w^2).

    r1 and r2 are -1 or 1, s1 and s2 any of 5 x 5 places: 2,500 ordered choices, 1,250 different
    rewards that are not zero. (A pair of equal bumps at one place is a reward of its own.)
    """
    grid = open_grid(size, cell_size)
    places = np.round(np.linspace(0, size - 1, 5)).astype(int)
    centres = [(int(column), int(row)) for row in places for column in places]
    bumps = np.stack([np.exp(-np.hypot(*(grid.cells - centre).T) / (2.0 * width**2))
                      for centre in centres])
    rewards, names = [], []
    for (i, first), (j, second) in itertools.combinations_with_replacement(enumerate(centres), 2):
        for one, two in itertools.product(SIGNS, repeat=2):
            if i == j and one != two:
                continue                            # they cancel
            rewards.append(one * bumps[i] + two * bumps[j])
            names.append(f'{SIGNS[one]} at {first}, {SIGNS[two]} at {second}')
    start = np.zeros(grid.num_states)
    start[grid.state_of_cell[size - 1, 0]] = 1.0
    mdp = grid.mdp(DIRECTIONS, discount)
    own = Candidates.of(mdp, Rewards.from_dense(np.stack(rewards), 4), names=names)
    looks = grid_appearance(grid, DIRECTIONS)
    return BuiltWorld(World('puddle_world_lopes', mdp, start, looks), own, grid=grid)
