"""The part of a world that fits."""

from __future__ import annotations

import numpy as np
from cases import for_each

from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.teaching.terminal.cell_window import cell_of, cell_window, floor_of
from gbs_irl_ros.teaching.terminal.styled_text import MARKED, Piece, plain

LAYOUT = np.pad(np.arange(6 * 40).reshape(6, 40), 1, constant_values=-1)


def texts(window):
    return [plain(line) for line in window[0]]


def test_what_fits_is_shown_whole():
    window = cell_window(LAYOUT, {0: Piece('?', MARKED)}, (1, 1), 42, 8)
    assert texts(window) == ['#' * 42, '#?' + '.' * 39 + '#', *['#' + '.' * 40 + '#'] * 5,
                             '#' * 42]
    assert window[1] == ''


@for_each('focus', [0, 39, 100, 200, 239])
@for_each(('columns', 'rows'), [(20, 8), (42, 5), (10, 4), (1, 2), (80, 3)])
def test_the_focus_is_always_seen_and_what_is_missing_is_said(focus, columns, rows):
    window = cell_window(LAYOUT, {focus: Piece('?', MARKED)}, cell_of(LAYOUT, focus), columns,
                         rows)
    assert ''.join(texts(window)).count('?') == 1
    assert len(window[0]) == rows - 1        # one is for the note
    assert all(len(line) == min(columns, 42) for line in texts(window))
    assert window[1] == f'cropped: {min(columns, 42)} x {rows - 1} of 42 x 8 cells'


def test_the_focus_is_in_the_middle():
    window = cell_window(LAYOUT, {100: Piece('?')}, cell_of(LAYOUT, 100), 11, 6)
    assert [line.index('?') for line in texts(window) if '?' in line] == [5]


def test_what_lies_over_the_cells_is_drawn_on_walls_too_and_only_where_it_is_seen():
    over = {(0, 0): Piece('%'), (7, 41): Piece('%'), (3, 20): Piece('%')}
    assert ''.join(texts(cell_window(LAYOUT, {}, (0, 0), 42, 8, over))).count('%') == 3
    cropped = texts(cell_window(LAYOUT, {}, (7, 41), 5, 4, over))
    assert ''.join(cropped).count('%') == 1
    assert cropped[-1][-1] == '%'


def test_a_world_without_cells_has_no_floor():
    assert floor_of(load_task('random_mdp').world) is None
    world = load_task('room').world
    assert floor_of(world) is floor_of(world)       # computed once


def test_thin_walls_are_drawn_between_cells_and_nothing_where_there_are_none():
    floor = floor_of(load_task('trap_world').world)
    drawn = texts(cell_window(floor.states, {}, (1, 1), 99, 99))
    room, border, blank = '.' * 10, '#' * 34, ' ' * 10
    assert drawn == [
        border, *[f'#{room}┆{room}│{room}#'] * 9, f'#{room} {room}┆{room}#',
        '#────────┄┄  ┄┄┄┄┄┄┄┄┄─────────┄┄#', *[f'#{room}┆{room} {room}#'] * 2,
        *[f'#{room}┆{room}│{room}#'] * 8, f'# ┄┄┄┄┄┄┄┄┄─────  ─────{blank}#',
        *[f'#{room} {room} {room}#'] * 10, border]
    assert floor_of(load_task('grid_world').world).states.shape == (12, 21)


def test_every_cell_is_found_where_it_is_drawn():
    for name in ('room', 'trap_world', 'grid_world'):
        world = load_task(name).world
        floor = floor_of(world)
        assert np.array_equal(floor.states[np.ix_(floor.rows, floor.columns)][1:-1, 1:-1],
                              world.layout.states), name
