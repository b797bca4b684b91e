"""
The puddle world of Boyan and Moore (1995), as the paper describes it.

20 x 20 cells, two puddles, a goal in the top right corner, and a robot that slides.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.files.spec import Located, Record
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.built_world import CELL_SIZE, DISCOUNT, BuiltWorld
from gbs_irl_ros.tasks.worlds.cells import DIRECTIONS, grid_appearance, open_grid

SIZE = 20
RADIUS = 0.1        # of a puddle, in units of the whole world
PUDDLES = (((0.10, 0.75), (0.45, 0.75)), ((0.45, 0.40), (0.45, 0.80)))
JUMPS = {-1: 0.06, 0: 0.24, 1: 0.40, 2: 0.24, 3: 0.06}

FIELDS = Record({'discount': DISCOUNT, 'cell_size': CELL_SIZE})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world."""
    return build_puddle_world(values.discount, values.cell_size)


def build_puddle_world(discount: float, cell_size: float) -> BuiltWorld:
    """
    Build the 20 x 20 puddle world.

    A puddle is a capsule of radius 0.1 around a line; the reward is -(depth / 0.1)^2, the deeper
    puddle counting, and +1 at the goal. Cells are at (i / 20, j / 20), so the worst is -1.
    """
    grid = open_grid(SIZE, cell_size)
    columns, rows = grid.cells.T
    points = np.stack([columns, SIZE - 1 - rows], axis=1) / SIZE
    depth = np.max([RADIUS - _distance_to_line(points, *line) for line in PUDDLES], axis=0)
    depth = np.where(depth < 1e-12, 0.0, depth)     # the edge of a puddle is dry
    reward = -np.square(depth / RADIUS)
    goal = grid.state_of_cell[0, SIZE - 1]
    reward[goal] = 1.0
    mdp = grid.mdp(DIRECTIONS, discount, jumps=JUMPS)
    looks = grid_appearance(grid, DIRECTIONS, regions={
        'puddles': np.flatnonzero(depth > 0.0), 'goal': np.array([goal])})
    own = Candidates.of(mdp, Rewards.from_dense(reward[np.newaxis], 4), names=('puddle world',))
    return BuiltWorld(World('puddle_world', mdp, mdp.checked_start(None), looks), own, grid=grid)


def _distance_to_line(points: np.ndarray, start: tuple[float, float],
                      end: tuple[float, float]) -> np.ndarray:
    along = np.subtract(end, start)
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[:, np.newaxis] * along, axis=1))
