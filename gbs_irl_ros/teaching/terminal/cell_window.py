"""The part of a world of cells that fits into a terminal, around one of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from gbs_irl_ros.tasks.pictures.text_view import FREE, WALL
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.terminal.styled_text import FAINT, Line, Piece

Marks = Mapping[int, Piece]
Cell = tuple[int, int]      # row and column in a layout
NOWHERE: Mapping[Cell, Piece] = {}


@lru_cache(maxsize=4)
def layout_of(world: World) -> np.ndarray | None:
    """Return the states of the cells with a wall around them, -1 for a wall; None without any."""
    layout = world.layout
    return None if layout is None else np.pad(layout.states, 1, constant_values=-1)


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
    wall, free = Piece(WALL, FAINT), Piece(FREE, FAINT)
    pieces = [[wall if state < 0 else marks.get(int(state), free) for state in row]
              for row in layout]
    for (row, column), piece in over.items():
        if 0 <= row - first[0] < layout.shape[0] and 0 <= column - first[1] < layout.shape[1]:
            pieces[row - first[0]][column - first[1]] = piece
    return tuple(map(_joined, pieces))


def _joined(pieces: list[Piece]) -> Line:
    """Return a line with neighbours of one style joined: a screen full has many cells."""
    return tuple(Piece(''.join(piece.text for piece in group), style)
                 for style, group in itertools.groupby(pieces, lambda piece: piece.style))
