"""A place that a teacher shows on a map: its cells, its metres, and the name it has there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.layout import Layout
from gbs_irl_ros.tasks.world import World

ROUNDING = 1e-6         # of a cell
FURTHEST = 1e9          # cells from the map, for a number that can be told
METRES_DIGITS = 6


@dataclass(frozen=True)
class Place:
    """
    A place on the map that a teacher shows: a cell, or a rectangle of cells.

    keep_off: the robot is to keep off; otherwise to go there.
    column, row, last_column, last_row: its first and last cell, as a task file counts them.
    built_on: the numbers of the tasks that it is combined with; none: a goal and nothing else.
    on_the_way: it is what the robot passes; no task is built from it.
    """

    keep_off: bool
    column: int
    row: int
    last_column: int
    last_row: int
    built_on: tuple[int, ...] = ()
    on_the_way: bool = field(default=False, metadata={'optional': True})

    def __post_init__(self) -> None:
        if self.keep_off and self.on_the_way:
            raise InvalidPlaceError('a place must not be kept off and lie on the way, got both')

    @property
    def words(self) -> str:
        """Return what the teacher says."""
        if self.keep_off:
            return tr('keep off {cells}', cells=self.cells)
        return tr('on the way: {place}', place=self.cells) if self.on_the_way \
            else tr('go to {name}', name=self.cells)

    @property
    def cells(self) -> str:
        """Return where it is."""
        first, last = (self.column, self.row), (self.last_column, self.last_row)
        return str(first) if first == last \
            else tr('{first} to {last}', first=first, last=last)


def place_states(place: Place, world: World) -> np.ndarray:
    """Return the states of a place; raise if there are none."""
    layout = _layout(world)
    (rows, columns), (left, top) = layout.shape, layout.first
    if place.last_column < place.column or place.last_row < place.row:
        raise InvalidPlaceError(tr('the last cell of a place must not lie left of the first or '
                                   'above it, got {cells}', cells=place.cells))
    for column, row in ((place.column, place.row), (place.last_column, place.last_row)):
        if not (left <= column < left + columns and top <= row < top + rows):
            raise InvalidPlaceError(tr(
                'cell ({column}, {row}) is outside the map; expected a column from {left} to '
                '{right} and a row from {top} to {bottom}', column=column, row=row, left=left,
                right=left + columns - 1, top=top, bottom=top + rows - 1))
    cells = layout.states[place.row - top:place.last_row - top + 1,
                          place.column - left:place.last_column - left + 1]
    states = np.sort(cells[cells >= 0])
    if not len(states):
        raise InvalidPlaceError(tr('there is nothing but wall at {cells}; show a free cell',
                                   cells=place.cells))
    return states


def region_of(states: np.ndarray, world: World) -> str:
    """Return the name of the region that has exactly these states, '' if none has."""
    return next((name for name, cells in world.appearance.regions.items()
                 if np.array_equal(np.sort(cells), states)), '')


def metres_of(place: Place, world: World) -> tuple[float, float, float, float]:
    """Return x from, y from, x to and y to of a place [m]."""
    layout = _layout(world)
    (left, top), size = _corner(layout), layout.cell_size
    first, last = layout.first, (place.last_column + 1, place.last_row + 1)
    edges = (left + (place.column - first[0]) * size, top - (last[1] - first[1]) * size,
             left + (last[0] - first[0]) * size, top - (place.row - first[1]) * size)
    x_from, y_from, x_to, y_to = (round(edge, METRES_DIGITS) for edge in edges)
    return x_from, y_from, x_to, y_to


def place_in_metres(keep_off: bool, metres: Sequence[float], world: World) -> Place:
    """
    Return the cells whose middles lie in a rectangle, of a small one that in its middle.

    Whether there are any is checked by ``place_states``.

    :param metres: x from, y from, x to, y to.
    """
    layout = _layout(world)
    (left, top), size = _corner(layout), layout.cell_size
    x_from, y_from, x_to, y_to = metres
    column, last_column = _cells((x_from - left) / size, (x_to - left) / size)
    row, last_row = _cells((top - y_to) / size, (top - y_from) / size)
    across, down = layout.first
    return Place(keep_off, column + across, row + down, last_column + across, last_row + down)


def place_of_region(keep_off: bool, region: str, world: World) -> Place | None:
    """Return where the region of a name is, None if there is none, or it is not a rectangle."""
    states, cells = world.appearance.regions.get(region), world.appearance.cells
    if states is None or not len(states) or cells is None:
        return None
    (column, row), (last_column, last_row) = cells[states].min(axis=0), cells[states].max(axis=0)
    place = Place(keep_off, int(column), int(row), int(last_column), int(last_row))
    return place if np.array_equal(place_states(place, world), np.sort(states)) else None


def _layout(world: World) -> Layout:
    if world.layout is None:
        raise InvalidPlaceError(tr(
            'places cannot be shown in {task!r}: its states have no cells on a map; answer the '
            'questions instead', task=world.name))
    return world.layout


def _corner(layout: Layout) -> tuple[float, float]:
    """Return x and y of the upper left corner [m]."""
    left, _, _, top = layout.extent
    return left, top


def _cells(start: float, end: float) -> tuple[int, int]:
    """Return the first and the last cell whose middles lie between two points, in cells."""
    start, end = (min(max(each, -FURTHEST), FURTHEST) for each in (start, end))
    first, last = math.ceil(start - 0.5 - ROUNDING), math.floor(end - 0.5 + ROUNDING)
    return (first, last) if first <= last else (math.floor((start + end) / 2.0),) * 2
