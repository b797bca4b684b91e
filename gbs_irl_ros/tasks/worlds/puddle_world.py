"""
The puddle worlds.

``puddle_world`` is that of Boyan and Moore (1995) as the paper describes it: 20 x 20 cells, two
puddles, a goal in the top right corner, and a robot that slides. ``puddle_world_lopes`` is that of
Lopes et al. (2009) and Cohn et al. (2011): 21 x 21 cells, two bumps of reward.
"""

from __future__ import annotations

import itertools

import numpy as np

from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld, OwnRewards
from gbs_irl_ros.tasks.worlds.grid import Grid
from gbs_irl_ros.tasks.worlds.grid_world import grid_appearance

SIZE = 20
RADIUS = 0.1        # of a puddle, in units of the whole world
PUDDLES = (((0.10, 0.75), (0.45, 0.75)), ((0.45, 0.40), (0.45, 0.80)))
JUMPS = {-1: 0.06, 0: 0.24, 1: 0.40, 2: 0.24, 3: 0.06}
DIRECTIONS = ('north', 'east', 'south', 'west')


def build_puddle_world(discount: float, cell_size: float) -> BuiltWorld:
    """
    Build the 20 x 20 puddle world.

    A puddle is a capsule of radius 0.1 around a line; the reward is -(depth / 0.1)^2, the deeper
    puddle counting, and +1 at the goal. Cells are at (i / 20, j / 20), so the worst is -1.
    """
    grid = _open_grid(SIZE, cell_size)
    columns, rows = grid.cells.T
    points = np.stack([columns, SIZE - 1 - rows], axis=1) / SIZE
    depth = np.max([RADIUS - _distance_to_line(points, *line) for line in PUDDLES], axis=0)
    depth = np.where(depth < 1e-12, 0.0, depth)     # the edge of a puddle is dry
    reward = -np.square(depth / RADIUS)
    goal = grid.state_of_cell[0, SIZE - 1]
    reward[goal] = 1.0
    return BuiltWorld(
        grid.mdp(DIRECTIONS, discount, jumps=JUMPS), grid_appearance(grid, DIRECTIONS),
        regions={'puddles': np.flatnonzero(depth > 0.0), 'goal': np.array([goal])},
        own=OwnRewards(Rewards.from_dense(reward[np.newaxis], 4), ('puddle world',)), grid=grid)


def build_lopes_world(discount: float, cell_size: float, size: int, width: float) -> BuiltWorld:
    """
    Build the world with two bumps, r = r1 exp(-|s1 - s| / 2 w^2) + r2 exp(-|s2 - s| / 2 w^2).

    r1 and r2 are -1 or 1, s1 and s2 any of 5 x 5 places: 2,500 ordered choices, 1,250 different
    rewards that are not zero. (A pair of equal bumps at one place is a reward of its own.)
    """
    grid = _open_grid(size, cell_size)
    places = np.round(np.linspace(0, size - 1, 5)).astype(int)
    centres = [(int(column), int(row)) for row in places for column in places]
    bumps = np.stack([np.exp(-np.hypot(*(grid.cells - centre).T) / (2.0 * width**2))
                      for centre in centres])
    rewards, names = [], []
    for (i, first), (j, second) in itertools.combinations_with_replacement(enumerate(centres), 2):
        for one, two in itertools.product((1, -1), repeat=2):
            if i == j and one != two:
                continue                            # they cancel
            rewards.append(one * bumps[i] + two * bumps[j])
            names.append(f'{_word(one)} at {first}, {_word(two)} at {second}')
    start = np.zeros(grid.num_states)
    start[grid.state_of_cell[size - 1, 0]] = 1.0
    return BuiltWorld(
        grid.mdp(DIRECTIONS, discount), grid_appearance(grid, DIRECTIONS),
        own=OwnRewards(Rewards.from_dense(np.stack(rewards), 4), tuple(names)), grid=grid,
        start=start)


def _open_grid(size: int, cell_size: float) -> Grid:
    return Grid(np.ones((size, size), dtype=bool), {}, cell_size)


def _distance_to_line(points: np.ndarray, start: tuple[float, float],
                      end: tuple[float, float]) -> np.ndarray:
    along = np.subtract(end, start)
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[:, np.newaxis] * along, axis=1))


def _word(sign: int) -> str:
    return 'good' if sign > 0 else 'bad'
