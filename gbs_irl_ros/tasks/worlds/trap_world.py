"""
The trap world (Judah, Fern and Dietterich 2011): rooms, some of which one cannot simply leave.

A move out of a trap room does nothing unless the robot stands on that room's bottom left cell. The
paper's picture, and so its traps, walls and doors, is not public: a task file says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld, OwnRewards
from gbs_irl_ros.tasks.worlds.grid import SIDES, Grid, walls_between
from gbs_irl_ros.tasks.worlds.grid_world import grid_appearance

DIRECTIONS = ('north', 'east', 'south', 'west')
Room = tuple[int, int]      # (column, row) of a room


def build_trap_world(rooms: tuple[int, int], room_size: int, traps: Sequence[Room],
                     walls: Sequence[tuple[Room, Room, Sequence[int]]], discount: float,
                     cell_size: float) -> BuiltWorld:
    """
    Build rooms of equal size.

    :param rooms: how many (columns, rows) of rooms.
    :param traps: rooms that are traps.
    :param walls: (room, neighbouring room, doors): a wall between the two, open at these places
        counted along it from the left or the top.
    """
    shape = (rooms[1] * room_size, rooms[0] * room_size)
    grid = Grid(np.ones(shape, dtype=bool), walls_between(shape, _wall_pairs(walls, room_size)),
                cell_size)
    blocked = {move: wall.copy() for move, wall in grid.blocked.items()}
    for trap in traps:
        _close(blocked, trap, room_size)
    grid = Grid(grid.free, blocked, cell_size)
    goal = grid.state_of_cell[shape[0] - 1, shape[1] - 1]
    room_of = grid.cells // room_size
    in_trap = np.zeros(grid.num_states, dtype=bool)
    for trap in traps:
        in_trap |= (room_of == trap).all(axis=1)
    mdp = grid.mdp(DIRECTIONS, discount)
    return BuiltWorld(
        mdp, grid_appearance(grid, DIRECTIONS),
        regions={**({'traps': np.flatnonzero(in_trap)} if in_trap.any() else {}),
                 'goal': np.array([goal])},
        own=OwnRewards(Rewards.goals(mdp, [goal]), ('trap world',)),
        grid=grid)


def _wall_pairs(walls: Sequence[tuple[Room, Room, Sequence[int]]], size: int) -> np.ndarray:
    pairs = []
    for first, second, doors in walls:
        low, high = sorted((first, second))
        for place in range(size):
            if place in doors:
                continue
            if low[1] == high[1]:               # side by side: the wall runs from top to bottom
                row = low[1] * size + place
                pairs.append(((high[0] * size - 1, row), (high[0] * size, row)))
            else:
                column = low[0] * size + place
                pairs.append(((column, high[1] * size - 1), (column, high[1] * size)))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2, 2)


def _close(blocked: dict[str, np.ndarray], room: Room, size: int) -> None:
    """Forbid the moves out of a room, but those from its bottom left cell."""
    columns = slice(room[0] * size, (room[0] + 1) * size)
    rows = slice(room[1] * size, (room[1] + 1) * size)
    edges: dict[str, Any] = {
        'north': (rows.start, columns), 'south': (rows.stop - 1, columns),
        'west': (rows, columns.start), 'east': (rows, columns.stop - 1)}
    way_out = (rows.stop - 1, columns.start)
    for move in SIDES:
        was = blocked[move][way_out]
        blocked[move][edges[move]] = True
        blocked[move][way_out] = was
