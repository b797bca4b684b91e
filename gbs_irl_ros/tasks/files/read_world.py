"""From the `world` part of a task file to a world; every rule that a schema cannot express."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import ROW_SUM_TOLERANCE, Mdp
from gbs_irl_ros.tasks.files.file_report import Report, TaskFileError, shown
from gbs_irl_ros.tasks.files.spec import Located
from gbs_irl_ros.tasks.world import Appearance
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld
from gbs_irl_ros.tasks.worlds.driver import build_driver
from gbs_irl_ros.tasks.worlds.grid_world import BUILT_IN, WALL, build_grid_world
from gbs_irl_ros.tasks.worlds.nav2_map import (
    IMAGE_KINDS,
    build_map_world,
    grid_of_map,
    is_file,
    is_inside,
    read_map,
)
from gbs_irl_ros.tasks.worlds.puddle_world import build_lopes_world, build_puddle_world
from gbs_irl_ros.tasks.worlds.random_mdp import build_random_mdp
from gbs_irl_ros.tasks.worlds.trap_world import build_trap_world

MAX_GRID_CELLS = 4_000_000
MAX_JUMP = 100
MAX_TRANSITIONS = 20_000_000
SMALLEST_BUMP = 0.01


def read_world(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    """Return the world, or None after a report."""
    return _READERS[values.kind](values, folder, report)


def _read_grid(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    rows = values.map.rstrip('\n').split('\n')
    legend_ok = _check_legend(values, rows, report)
    rows_ok = _check_rows(values, rows, report)
    jumps = _read_jumps(values, report)
    moves_ok = _check_moves(values, report)
    if not (legend_ok and rows_ok and moves_ok) or jumps is None:
        return None
    return build_grid_world(
        rows, values.legend, tuple(values.moves), values.discount, slip=values.slip,
        jumps=jumps, cell_size=values.cell_size, origin=tuple(values.origin))


def _check_rows(values: Located, rows: list[str], report: Report) -> bool:
    key = values.key_of('map')
    known = {*BUILT_IN, *(character for character in values.legend if len(character) == 1)}
    first_line = values.line_of('map') + 1 if values.begins_below('map') else values.line_of('map')
    fine = True
    for number, row in enumerate(rows):
        line = first_line + (number if values.begins_below('map') else 0)
        if len(row) != len(rows[0]):
            report.add(line, key, f'every row must be as long as the first, got {len(row)} '
                                  f'characters; expected {len(rows[0])}')
            fine = False
        for column, character in enumerate(row):
            if character not in known:
                report.add(line, key, f'cell ({column}, {number}) is not known, got '
                                      f'{shown(character)}; expected one of {sorted(known)}')
                fine = False
    if fine and len(rows) * len(rows[0]) > MAX_GRID_CELLS:
        report.add(first_line, key, f'has too many cells, got {len(rows[0])} x {len(rows)}; '
                                    f'expected at most {MAX_GRID_CELLS} in all')
        return False
    if fine and not any(character != WALL for row in rows for character in row):
        report.add(first_line, key, 'has no free cell; expected at least one')
        fine = False
    return fine


def _check_legend(values: Located, rows: list[str], report: Report) -> bool:
    fine = True
    drawn = set(''.join(rows))
    for character in values.legend:
        key = f'{values.key_of("legend")}.{character}'
        line = values.line_of('legend', character)
        if len(character) != 1:
            report.add(line, key, f'must be one character, got {shown(character)}; expected the '
                                  'character that stands in the map')
            fine = False
        elif character in BUILT_IN:
            report.add(line, key, f'cannot be redefined, got {shown(character)}; it always means '
                                  f'{BUILT_IN[character]}')
            fine = False
        elif character not in drawn:
            report.add(line, key, f'does not stand in the map, got {shown(character)}; draw it or '
                                  'leave it out')
            fine = False
    return fine


def _check_moves(values: Located, report: Report) -> bool:
    if len(set(values.moves)) == len(values.moves):
        return True
    twice = next(move for move in values.moves if values.moves.count(move) > 1)
    report.add(values.line_of('moves'), values.key_of('moves'),
               f'every move must stand once, got {twice!r} twice')
    return False


def _read_jumps(values: Located, report: Report) -> dict[int, float] | None:
    key = values.key_of('jumps')
    if not values.jumps:
        return {1: 1.0}
    jumps: dict[int, float] = {}
    for word, probability in values.jumps.items():
        line, where = values.line_of('jumps', word), f'{key}.{word}'
        if not re.fullmatch(r'[-+]?[0-9]{1,9}', word):
            report.add(line, where, f'must be a number of steps, got {shown(word)}; expected a '
                                    'whole number')
            return None
        steps = int(word)
        if abs(steps) > MAX_JUMP:
            report.add(line, where, f'is too far, got {steps} steps; expected at most {MAX_JUMP}')
            return None
        if steps in jumps:
            report.add(line, where, f'stands twice, got {steps} steps again')
            return None
        jumps[steps] = probability
    total = sum(jumps.values())
    if abs(total - 1.0) > ROW_SUM_TOLERANCE:
        report.add(values.line_of('jumps'), key,
                   f'probabilities must sum to 1, got {total:.9g}')
        return None
    return jumps


def _read_map(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    moves_ok = _check_moves(values, report)
    path = folder / values.file
    line, key = values.line_of('file'), values.key_of('file')
    if Path(values.file).is_absolute() or not is_inside(path, folder):
        report.add(line, key, f'must lie in the folder of the task file, got {values.file!r}; '
                              'expected a relative path below it')
        return None
    if path.suffix.lower() in IMAGE_KINDS:
        report.add(line, key, f'is an image, got {shown(values.file)}; expected the map.yaml that '
                              'names it')
        return None
    if not is_file(path):
        report.add(line, key, f'cannot be found, got {shown(values.file)}; expected a map.yaml')
        return None
    occupancy = read_map(path, folder, str(Path(report.file).parent / values.file))
    try:
        grid = grid_of_map(occupancy, values.cell_size, values.robot_radius)
    except TaskFileError as error:
        name = str(error).split(':', 1)[0]
        report.add(values.line_of(name), values.key_of(name), str(error).split(': ', 1)[1])
        return None
    if not moves_ok:
        return None
    built = build_map_world(grid, values.regions, tuple(values.moves), values.discount,
                            values.slip)
    for name, states in built.regions.items():
        if not len(states):
            report.add(values.line_of('regions', name), f'{values.key_of("regions")}.{name}',
                       f'holds no free cell, got {values.regions[name]}; expected '
                       '[x from, y from, x to, y to] in metres around free space')
    return None if report else built


def _read_mdp(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    actions = [(action, '') if isinstance(action, str) else (action.name, action.key)
               for action in values.actions]
    names = [name for name, _ in actions]
    fine = _check_unique(values, 'states', values.states, report)
    fine = _check_unique(values, 'actions', names, report) and fine
    keys = [key for _, key in actions if key]
    fine = _check_unique(values, 'actions', keys, report, 'key') and fine
    known = set(values.states)
    for state in values.positions:
        if state not in known:
            _unknown(values.line_of('positions', state), f'{values.key_of("positions")}.{state}',
                     state, values.states, 'state', report)
            fine = False
    if values.positions and fine and len(values.positions) != len(values.states):
        without = next(state for state in values.states if state not in values.positions)
        report.add(values.line_of('positions'), values.key_of('positions'),
                   f'must name every state or none, got none for {without!r}')
        fine = False
    transitions = _read_transitions(values, names, report)
    if transitions is None or not fine:
        return None
    positions = np.array([values.positions[state] for state in values.states]) \
        if values.positions else None
    looks = Appearance(tuple(names), tuple(key for _, key in actions),
                       state_names=tuple(values.states), positions=positions)
    regions = {state: np.array([i]) for i, state in enumerate(values.states)}
    return BuiltWorld(Mdp(transitions, len(names), values.discount), looks, regions=regions)


def _read_transitions(values: Located, actions: list[str],
                      report: Report) -> sparse.csr_matrix | None:
    states = {state: i for i, state in enumerate(values.states)}
    matrix = sparse.lil_matrix((len(states) * len(actions), len(states)))
    given: dict[tuple[str, str], int] = {}
    before = bool(report)
    for number, entry in enumerate(values.transitions):
        source, action = getattr(entry, 'from'), entry.action
        key = f'{values.key_of("transitions")}[{number}]'
        line = values.line_of('transitions', number)
        if source not in states:
            _unknown(line, f'{key}.from', source, states, 'state', report)
        if action not in actions:
            _unknown(line, f'{key}.action', action, actions, 'action', report)
        for target in entry.to:
            if target not in states:
                _unknown(line, f'{key}.to', target, states, 'state', report)
        total = sum(entry.to.values())
        if abs(total - 1.0) > ROW_SUM_TOLERANCE:
            report.add(line, f'{key}.to', f'probabilities must sum to 1, got {total:.9g}')
        if (source, action) in given:
            report.add(line, key, f'{source!r} with {action!r} stands twice, first as entry '
                                  f'{given[source, action]}')
        given[source, action] = number
        if not report:
            row = states[source] * len(actions) + actions.index(action)
            for target, probability in entry.to.items():
                matrix[row, states[target]] = probability
    missing = [(state, action) for state in values.states for action in actions
               if (state, action) not in given]
    if missing and not report:
        more = f' (and {len(missing) - 1} more)' if len(missing) > 1 else ''
        report.add(values.line_of('transitions'), values.key_of('transitions'),
                   f'must say where every action leads, got nothing for {missing[0][0]!r} with '
                   f'{missing[0][1]!r}{more}')
    return None if report and not before else sparse.csr_matrix(matrix)


def _check_unique(values: Located, name: str, words: list[str], report: Report,
                  what: str = 'name') -> bool:
    twice = next((word for word, count in Counter(words).items() if count > 1), None)
    if twice is None:
        return True
    report.add(values.line_of(name), values.key_of(name),
               f'every {what} must stand once, got {twice!r} twice')
    return False


def _unknown(line: int, key: str, word: str, known: Any, what: str, report: Report) -> None:
    report.add(line, key, f'is no {what}, got {shown(word)}; expected one of '
                          f'{shown(list(known))}' + report.did_you_mean(word, known))


def _read_trap_world(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    across, down = values.rooms

    def check_room(room: list[int], line: int, key: str) -> bool:
        if room[0] < across and room[1] < down:
            return True
        report.add(line, key, f'is no room, got {room}; expected [column, row] below '
                              f'[{across}, {down}]')
        return False

    fine = True
    for i, room in enumerate(values.traps):
        fine = check_room(room, values.line_of('traps', i),
                          f'{values.key_of("traps")}[{i}]') and fine
    for i, wall in enumerate(values.walls):
        key, line = f'{values.key_of("walls")}[{i}]', values.line_of('walls', i)
        first, second = wall.between
        fine = check_room(first, line, f'{key}.between') \
            and check_room(second, line, f'{key}.between') and fine
        if abs(first[0] - second[0]) + abs(first[1] - second[1]) != 1:
            report.add(line, f'{key}.between', f'rooms must be neighbours, got {first} and '
                                               f'{second}')
            fine = False
        for door in wall.doors:
            if door >= values.room_size:
                report.add(line, f'{key}.doors', f'is beyond the wall, got {door}; expected less '
                                                 f'than room_size = {values.room_size}')
                fine = False
    if not fine:
        return None
    walls = [(tuple(wall.between[0]), tuple(wall.between[1]), wall.doors)
             for wall in values.walls]
    return build_trap_world((across, down), values.room_size,
                            [tuple(room) for room in values.traps], walls, values.discount,
                            values.cell_size)


def _read_lopes_world(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    if not SMALLEST_BUMP <= values.width <= 100.0 * values.size:
        report.add(values.line_of('width'), values.key_of('width'),
                   f'makes bumps that nobody can tell apart, got {values.width}; expected '
                   f'{SMALLEST_BUMP} to {100 * values.size}')
        return None
    return build_lopes_world(values.discount, values.cell_size, values.size, values.width)


def _read_random_mdp(values: Located, folder: Path, report: Report) -> BuiltWorld | None:
    size = values.states * values.actions * min(values.successors, values.states)
    if size > MAX_TRANSITIONS:
        report.add(values.line_of('states'), values.key_of('states'),
                   f'makes too many transitions, got {size}; expected at most {MAX_TRANSITIONS} '
                   '(states x actions x successors)')
        return None
    if values.successors > values.states:
        report.add(values.line_of('successors'), values.key_of('successors'),
                   f'is too many, got {values.successors}; expected at most states = '
                   f'{values.states}')
        return None
    return build_random_mdp(values.states, values.actions, values.successors, values.seed,
                            values.discount)


_READERS: dict[str, Callable[[Located, Path, Report], BuiltWorld | None]] = {
    'grid': _read_grid,
    'map': _read_map,
    'mdp': _read_mdp,
    'puddle_world': lambda values, folder, report: build_puddle_world(
        values.discount, values.cell_size),
    'puddle_world_lopes': _read_lopes_world,
    'trap_world': _read_trap_world,
    'driver': lambda values, folder, report: build_driver(values.discount),
    'random_mdp': _read_random_mdp,
}
