"""
The trap world (Judah, Fern and Dietterich 2011): rooms, some of which one cannot simply leave.

A move out of a trap room does nothing unless the robot stands on that room's bottom left cell. The
paper's picture, and so its traps, walls and doors, is not public: a task file says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import check_world
from gbs_irl_ros.tasks.files.spec import Each, Field, Located, Record, Whole
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.built_world import CELL_SIZE, DISCOUNT, BuiltWorld
from gbs_irl_ros.tasks.worlds.cells import DIRECTIONS, Grid, grid_appearance, walls_between

Room = tuple[int, int]      # (column, row) of a room
ROOM = Each(Whole(0), 2, 2)

FIELDS = Record({
    'rooms': Field(Each(Whole(1, 50), 2, 2), 'rooms [across, down]', [3, 3]),
    'room_size': Field(Whole(1, 100), 'cells along the edge of a room', 10),
    'traps': Field(Each(ROOM), 'rooms [column, row] that are traps', []),
    'walls': Field(Each(Record({
        'between': Field(Each(ROOM, 2, 2), 'two neighbouring rooms'),
        'doors': Field(Each(Whole(0)), 'open places along the wall', []),
    })), 'walls between rooms', []),
    'discount': DISCOUNT, 'cell_size': CELL_SIZE})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world."""
    across, down = values.rooms

    def problem(room: list[int]) -> str | None:
        return None if room[0] < across and room[1] < down else \
            f'is not a room, got {room}; expected [column, row] below [{across}, {down}]'

    for i, room in enumerate(values.traps):
        values.refuse(problem(room), 'traps', i)
    for wall in values.walls:
        first, second = wall.between
        wall.refuse(problem(first) or problem(second), 'between')
        if abs(first[0] - second[0]) + abs(first[1] - second[1]) != 1:
            wall.refuse(f'rooms must be neighbours, got {first} and {second}', 'between')
        for door in wall.doors:
            if door >= values.room_size:
                wall.refuse(f'is beyond the wall, got {door}; expected less than room_size = '
                            f'{values.room_size}', 'doors')
    values.report.raise_if_any()
    cells = across * down * values.room_size ** 2
    check_world(values, 'room_size', cells, len(DIRECTIONS),
                f'{across * values.room_size} x {down * values.room_size} cells')
    walls = [(tuple(wall.between[0]), tuple(wall.between[1]), wall.doors)
             for wall in values.walls]
    return build_trap_world((across, down), values.room_size,
                            [tuple(room) for room in values.traps], walls, values.discount,
                            values.cell_size)


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
    looks = grid_appearance(grid, DIRECTIONS, regions={
        **({'traps': np.flatnonzero(in_trap)} if in_trap.any() else {}),
        'goal': np.array([goal])})
    own = Candidates.of(mdp, Rewards.goals(mdp, [goal]), names=('trap world',))
    return BuiltWorld(World('trap_world', mdp, mdp.checked_start(None), looks), own, grid=grid)


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
    for move in DIRECTIONS:
        was = blocked[move][way_out]
        blocked[move][edges[move]] = True
        blocked[move][way_out] = was
