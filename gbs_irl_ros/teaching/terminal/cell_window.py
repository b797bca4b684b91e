"""The part of a world of cells that fits into a terminal, around one of them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.tasks.layout import DOWN, RIGHT
from gbs_irl_ros.tasks.pictures.text_view import FREE, WALL
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.terminal.styled_text import FAINT, Line, Piece

Marks = Mapping[int, Piece]
Cell = tuple[int, int]      # row and column as they are drawn
NOWHERE: Mapping[Cell, Piece] = {}


# What is drawn between two cells. Cells are their states, or -1 for a wall.
GAP, UPRIGHT, LEVEL, UPRIGHT_ONE_WAY, LEVEL_ONE_WAY = -2, -3, -4, -5, -6
SIGNS = {-1: WALL, GAP: ' ', UPRIGHT: '│', LEVEL: '─', UPRIGHT_ONE_WAY: '┆', LEVEL_ONE_WAY: '┄'}


class Floor(NamedTuple):
    """
    A world of cells as it is drawn, with a wall around it.

    Where walls stand between cells, there is a line between two rows or columns for them.

    states: of the cells, -1 for a wall, and the signs between cells.
    rows, columns: of ``states``, by those of the layout with a wall around it.
    """

    states: np.ndarray
    rows: np.ndarray
    columns: np.ndarray

    def has(self, *signs: int) -> bool:
        """Tell whether one of these signs is drawn."""
        return bool(np.isin(self.states, signs).any())


@lru_cache(maxsize=4)
def floor_of(world: World) -> Floor | None:
    """Return how the cells of a world are drawn; None if it has none."""
    layout = world.layout
    if layout is None:
        return None
    walls = list(layout.walls(world.mdp.transitions))
    cells = np.pad(layout.states, 1, constant_values=-1)
    rows, new_rows = _with_lines(len(cells), {row + 1 for row, _, side, _ in walls
                                              if side == DOWN})
    columns, new_columns = _with_lines(cells.shape[1], {column + 1 for _, column, side, _ in walls
                                                        if side == RIGHT})
    drawn = np.full((rows[-1] + 1, columns[-1] + 1), GAP)
    drawn[np.ix_(rows, columns)] = cells
    # Walls of whole cells have no gaps.
    drawn[:, new_columns] = np.where(
        (drawn[:, new_columns - 1] == -1) | (drawn[:, new_columns + 1] == -1), -1, GAP)
    drawn[new_rows] = np.where((drawn[new_rows - 1] == -1) | (drawn[new_rows + 1] == -1), -1, GAP)
    for row, column, side, one_way in walls:
        if side == RIGHT:
            drawn[rows[row + 1], columns[column + 1] + 1] = \
                UPRIGHT_ONE_WAY if one_way else UPRIGHT
        else:
            drawn[rows[row + 1] + 1, columns[column + 1]] = LEVEL_ONE_WAY if one_way else LEVEL
    crossings = np.ix_(new_rows, new_columns)
    level, upright = (
        (drawn[np.ix_(new_rows - down, new_columns - right)] == sign)
        | (drawn[np.ix_(new_rows + down, new_columns + right)] == sign)
        for down, right, sign in ((0, 1, LEVEL), (1, 0, UPRIGHT)))
    drawn[crossings] = np.select([level, upright], [LEVEL, UPRIGHT], drawn[crossings])
    return Floor(drawn, rows, columns)


def _with_lines(count: int, after: Collection[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return where rows or columns are drawn, and the lines that come after some of them."""
    numbers, before = np.arange(count), np.array(sorted(after), dtype=int)
    places = numbers + np.searchsorted(before, numbers)
    return places, places[before] + 1


def cell_of(layout: np.ndarray, state: int) -> Cell:
    """Return where a state is."""
    row, column = (int(part[0]) for part in np.nonzero(layout == state))
    return row, column


def cell_window(layout: np.ndarray, marks: Marks, focus: Cell, columns: int, rows: int,
                over: Mapping[Cell, Piece] = NOWHERE) -> tuple[tuple[Line, ...], str]:
    """
    Return the cells around one of them, one character each, as many as fit.

    Also return what is missing, as a person reads it; '' if nothing is.

    :param over: drawn over everything else, walls too.
    """
    height, width = layout.shape
    if height <= rows and width <= columns:
        return _drawn(layout, marks, over), ''
    rows = max(rows - 1, 1)         # for the note
    top, left = _begin(focus[0], rows, height), _begin(focus[1], columns, width)
    part = layout[top:top + rows, left:left + columns]
    return (_drawn(part, marks, over, (top, left)),
            f'cropped: {part.shape[1]} x {part.shape[0]} of {width} x {height} cells')


def _begin(focus: int, shown: int, size: int) -> int:
    """Return where a window begins that has the focus in its middle, if it can."""
    return max(0, min(focus - shown // 2, size - shown))


def _drawn(layout: np.ndarray, marks: Marks, over: Mapping[Cell, Piece],
           first: Cell = (0, 0)) -> tuple[Line, ...]:
    free = Piece(FREE, FAINT)
    walls = {sign: Piece(text, FAINT) for sign, text in SIGNS.items()}
    pieces = [[walls[state] if state < 0 else marks.get(state, free) for state in row]
              for row in layout.tolist()]
    for (row, column), piece in over.items():
        if 0 <= row - first[0] < layout.shape[0] and 0 <= column - first[1] < layout.shape[1]:
            pieces[row - first[0]][column - first[1]] = piece
    return tuple(map(_joined, pieces))


def _joined(pieces: list[Piece]) -> Line:
    """Return a line with neighbours of one style joined: a screen full has many cells."""
    return tuple(Piece(''.join(piece.text for piece in group), style)
                 for style, group in itertools.groupby(pieces, lambda piece: piece.style))
