"""Grids drawn as text: walls, a start, and named regions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.mdp import ROW_SUM_TOLERANCE
from gbs_irl_ros.tasks.cost import check_world
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import Each, Field, Located, Number, Record, Table, Text
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.built_world import CELL_SIZE, DISCOUNT, BuiltWorld
from gbs_irl_ros.tasks.worlds.cells import MOVE_LIST, SLIP, Grid, check_moves, grid_appearance

WALL, FREE, START = '#', '.', 'S'
BUILT_IN = {WALL: 'a wall', FREE: 'a free cell', START: 'a free cell to start in'}
MAX_CELLS = 4_000_000
MAX_JUMP = 100

FIELDS = Record({
    'map': Field(Text(longest=8_000_000, lines=True),
                 'the drawing: # wall, . free, S start, other characters by legend'),
    'legend': Field(Table(Text()), 'character: name of the region it draws', {}),
    'moves': MOVE_LIST, 'slip': SLIP,
    'jumps': Field(Table(Number(0.0, 1.0)),
                   'number of steps: probability, in the direction of a move', {}),
    'cell_size': CELL_SIZE,
    'origin': Field(Each(Number(), 2, 2), 'x and y of the lower left corner [m]', [0.0, 0.0]),
    'discount': DISCOUNT})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world of a drawing."""
    rows = values.map.rstrip('\n').split('\n')
    _check_legend(values, rows)
    _check_rows(values, rows)
    jumps = _read_jumps(values)
    check_moves(values)
    values.report.raise_if_any()
    ways = len(jumps) * (3 if values.slip else 1)
    free = sum(len(row) - row.count(WALL) for row in rows)
    check_world(values, 'map', free, len(values.moves), f'{free} free cells with '
                f'{len(values.moves)} moves of {ways} outcome{"s" * (ways != 1)}', ways=ways)
    return build_grid(rows, values.legend, tuple(values.moves), values.discount,
                      slip=values.slip, jumps=jumps, cell_size=values.cell_size,
                      origin=tuple(values.origin))


def build_grid(rows: list[str], legend: Mapping[str, str], moves: tuple[str, ...],
               discount: float, *, slip: float = 0.0, jumps: Mapping[int, float] | None = None,
               cell_size: float = 1.0, origin: tuple[float, float] = (0.0, 0.0)) -> BuiltWorld:
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
    looks = grid_appearance(grid, moves, regions={
        name: np.array(sorted(states), dtype=np.int64) for name, states in regions.items()})
    mdp = grid.mdp(moves, discount, slip=slip, jumps=jumps)
    return BuiltWorld(World('grid', mdp, mdp.checked_start(start), looks), grid=grid)


def _check_rows(values: Located, rows: list[str]) -> None:
    known = {*BUILT_IN, *(character for character in values.legend if len(character) == 1)}
    below = values.begins_below('map')
    first_line = values.line_of('map') + below
    key, report = values.key_of('map'), values.report
    fine = True
    for number, row in enumerate(rows):
        line = first_line + (number if below else 0)
        if len(row) != len(rows[0]):
            report.add(line, key, f'every row must be as long as the first, got {len(row)} '
                                  f'characters; expected {len(rows[0])}')
            fine = False
        for column, character in enumerate(row):
            if character not in known:
                report.add(line, key, f'cell ({column}, {number}) is not known, got '
                                      f'{shown(character)}; expected one of {sorted(known)}')
                fine = False
    if fine and len(rows) * len(rows[0]) > MAX_CELLS:
        report.add(first_line, key, f'has too many cells, got {len(rows[0])} x {len(rows)}; '
                                    f'expected at most {MAX_CELLS} in all')
    elif fine and not any(character != WALL for row in rows for character in row):
        report.add(first_line, key, 'has no free cell; expected at least one')


def _check_legend(values: Located, rows: list[str]) -> None:
    drawn = set(''.join(rows))
    for character in values.legend:
        if len(character) != 1:
            values.refuse(f'must be one character, got {shown(character)}; expected the character '
                          'used in the map', 'legend', character)
        elif character in BUILT_IN:
            values.refuse(f'cannot be redefined, got {shown(character)}; it always means '
                          f'{BUILT_IN[character]}', 'legend', character)
        elif character not in drawn:
            values.refuse(f'does not appear in the map, got {shown(character)}; draw it or leave '
                          'it out', 'legend', character)


def _read_jumps(values: Located) -> dict[int, float]:
    jumps: dict[int, float] = {}
    for word, probability in values.jumps.items():
        if not re.fullmatch(r'[-+]?[0-9]{1,9}', word):
            values.refuse(f'must be a number of steps, got {shown(word)}; expected a whole number',
                          'jumps', word)
            return {}
        steps = int(word)
        if abs(steps) > MAX_JUMP:
            values.refuse(f'is too far, got {steps} steps; expected at most {MAX_JUMP}',
                          'jumps', word)
            return {}
        if steps in jumps:
            values.refuse(f'appears twice, got {steps} steps again', 'jumps', word)
            return {}
        jumps[steps] = probability
    total = sum(jumps.values())
    if jumps and abs(total - 1.0) > ROW_SUM_TOLERANCE:
        values.refuse(f'probabilities must sum to 1, got {total:.9g}', 'jumps')
    return jumps or {1: 1.0}
