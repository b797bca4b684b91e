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


@lru_cache(maxsize=4)
def layout_of(world: World) -> np.ndarray | None:
    """Return the states of the cells with a wall around them, -1 for a wall; None without any."""
    layout = world.layout
    return None if layout is None else np.pad(layout.states, 1, constant_values=-1)


def cell_window(layout: np.ndarray, marks: Marks, focus: int, columns: int,
                rows: int) -> tuple[tuple[Line, ...], str]:
    """
    Return the cells around one of them, one character each, as many as fit.

    Also return what is missing, as a person reads it; '' if nothing is.
    """
    height, width = layout.shape
    if height <= rows and width <= columns:
        return _drawn(layout, marks), ''
    rows = max(rows - 1, 1)         # for the note
    at_row, at_column = (int(part[0]) for part in np.nonzero(layout == focus))
    top, left = _begin(at_row, rows, height), _begin(at_column, columns, width)
    part = layout[top:top + rows, left:left + columns]
    return (_drawn(part, marks),
            f'cropped: {part.shape[1]} x {part.shape[0]} of {width} x {height} cells')


def _begin(focus: int, shown: int, size: int) -> int:
    """Return where a window begins that has the focus in its middle, if it can."""
    return max(0, min(focus - shown // 2, size - shown))


def _drawn(layout: np.ndarray, marks: Marks) -> tuple[Line, ...]:
    wall, free = Piece(WALL, FAINT), Piece(FREE, FAINT)
    return tuple(_joined([wall if state < 0 else marks.get(int(state), free) for state in row])
                 for row in layout)


def _joined(pieces: list[Piece]) -> Line:
    """Return a line with neighbours of one style joined: a screen full has many cells."""
    return tuple(Piece(''.join(piece.text for piece in group), style)
                 for style, group in itertools.groupby(pieces, lambda piece: piece.style))
