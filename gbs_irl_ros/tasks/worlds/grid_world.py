"""Grids drawn as text: walls, a start, and named regions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gbs_irl_ros.tasks.world import Appearance, Picture
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld
from gbs_irl_ros.tasks.worlds.grid import MOVES, Grid

WALL, FREE, START = '#', '.', 'S'
MAX_NAMES = 100_000
BUILT_IN = {WALL: 'a wall', FREE: 'a free cell', START: 'a free cell to start in'}


def build_grid_world(rows: list[str], legend: Mapping[str, str], moves: tuple[str, ...],
                     discount: float, *, slip: float = 0.0,
                     jumps: Mapping[int, float] | None = None, cell_size: float = 1.0,
                     origin: tuple[float, float] = (0.0, 0.0)) -> BuiltWorld:
    """
    Build a world from rows of equal length.

    :param legend: the region that a character stands for; cells of one region may be anywhere.
    """
    characters = np.array([list(row) for row in rows])
    grid = Grid(characters != WALL, {}, cell_size, origin)
    regions: dict[str, list[int]] = {name: [] for name in legend.values()}
    for character, name in legend.items():
        regions[name].extend(grid.state_of_cell[characters == character].tolist())
    starts = grid.state_of_cell[characters == START]
    start = None
    if len(starts):
        start = np.zeros(grid.num_states)
        start[starts] = 1.0 / len(starts)
    return BuiltWorld(
        grid.mdp(moves, discount, slip=slip, jumps=jumps), grid_appearance(grid, moves),
        regions={name: np.array(sorted(states), dtype=np.int64)
                 for name, states in regions.items()},
        grid=grid, start=start)


def grid_appearance(grid: Grid, moves: tuple[str, ...],
                    picture: Picture = Picture.GRID) -> Appearance:
    """Return how a grid looks and is driven; cells of very large ones have no names."""
    names = tuple(f'({column}, {row})' for column, row in grid.cells.tolist()) \
        if grid.num_states <= MAX_NAMES else ()
    return Appearance(moves, tuple(MOVES[move][2] for move in moves), picture, names,
                      grid.positions(), grid.cell_size)
