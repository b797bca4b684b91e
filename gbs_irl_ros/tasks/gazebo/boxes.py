"""What stands and lies in a world, as few rectangles: walls, thin walls, places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.tasks.layout import RIGHT, Layout
from gbs_irl_ros.tasks.world import World

THIN = 0.04             # thickness of a wall between two cells, in cells
THICKEST_BORDER = 0.1   # [m] of the walls around everything; at most half a cell


@dataclass(frozen=True)
class Box:
    """A rectangle on the floor: x and y of its middle, its width and its height [m]."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def between(cls, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the rectangle with these edges."""
        return cls((left + right) / 2.0, (bottom + top) / 2.0, right - left, top - bottom)

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Return its left, bottom, right and top edge."""
        return (self.x - self.width / 2.0, self.y - self.height / 2.0,
                self.x + self.width / 2.0, self.y + self.height / 2.0)


@dataclass(frozen=True, eq=False)
class Scenery:
    """
    Everything in a world that has a place, but for the robot.

    floor: reaches as far as the outermost walls.
    border: the walls around the cells.
    blocks: cells that are walls, merged.
    thin_walls: walls between two cells.
    one_way: borders of cells that can be crossed in one direction only: nothing stands there.
    places: what a person knows by name, each as a few rectangles.
    """

    floor: Box
    border: tuple[Box, ...]
    blocks: tuple[Box, ...]
    thin_walls: tuple[Box, ...]
    one_way: tuple[Box, ...]
    places: tuple[tuple[str, tuple[Box, ...]], ...]

    @classmethod
    def of(cls, world: World, layout: Layout) -> Scenery:
        """Return the scenery of a world with cells."""
        left, right, bottom, top = layout.extent
        thick = border_thickness(layout.cell_size)
        solid, one_way = _walls_between(world, layout)
        return cls(
            Box.between(left - thick, bottom - thick, right + thick, top + thick),
            (Box.between(left - thick, top, right + thick, top + thick),
             Box.between(left - thick, bottom - thick, right + thick, bottom),
             Box.between(left - thick, bottom, left, top),
             Box.between(right, bottom, right + thick, top)),
            merged(layout, layout.states < 0), solid, one_way, tuple(_places(world, layout)))

    @property
    def walls(self) -> tuple[Box, ...]:
        """Return everything that a robot can run into."""
        return self.border + self.blocks + self.thin_walls


def border_thickness(cell_size: float) -> float:
    """Return how thick the walls around everything are [m]."""
    return min(THICKEST_BORDER, cell_size / 2.0)


def merged(layout: Layout, marked: np.ndarray) -> tuple[Box, ...]:
    """Return the marked cells ``[rows, columns]`` as few rectangles that do not overlap."""
    left, _, _, top = layout.extent
    size = layout.cell_size
    lying = list(_rectangles(marked))
    upright = [(column, row, columns, rows)
               for row, column, rows, columns in _rectangles(marked.T)]
    return tuple(
        Box.between(left + column * size, top - (row + rows) * size,
                    left + (column + columns) * size, top - row * size)
        for row, column, rows, columns in min(lying, upright, key=len))


def _rectangles(marked: np.ndarray) -> Iterable[tuple[int, int, int, int]]:
    """Yield (row, column, rows, columns): runs within rows, joined where they are the same."""
    open_runs: dict[tuple[int, int], int] = {}      # (first column, behind the last): first row
    for number, row in enumerate(np.vstack([marked, np.zeros_like(marked[:1])])):
        steps = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
        runs = {(int(first), int(last)) for first, last in steps.reshape(-1, 2)}
        for run in [run for run in open_runs if run not in runs]:
            first = open_runs.pop(run)
            yield first, run[0], number - first, run[1] - run[0]
        for run in sorted(runs):
            open_runs.setdefault(run, number)


def _walls_between(world: World, layout: Layout) -> tuple[tuple[Box, ...], tuple[Box, ...]]:
    """Return the walls between neighbouring cells, and what can be crossed one way only."""
    rows, columns = layout.shape
    marked = {(one_way, upright): np.zeros((rows, columns), dtype=bool)
              for one_way in (False, True) for upright in (False, True)}
    for row, column, side, one_way in layout.walls(world.mdp.transitions):
        marked[one_way, side == RIGHT][row, column] = True
    return tuple(_strips(layout, marked[False, True], marked[False, False])), \
        tuple(_strips(layout, marked[True, True], marked[True, False]))


def _strips(layout: Layout, right_of: np.ndarray, below: np.ndarray) -> Iterable[Box]:
    """Yield walls right of cells and below them, in as long pieces as they come."""
    left, _, _, top = layout.extent
    size = layout.cell_size
    half = THIN * size / 2.0
    for column in range(layout.shape[1]):
        for first, _, count, _ in _rectangles(right_of[:, column:column + 1]):
            x = left + (column + 1) * size
            yield Box.between(x - half, top - (first + count) * size - half,
                              x + half, top - first * size + half)
    for row in range(layout.shape[0]):
        for _, first, _, count in _rectangles(below[row:row + 1]):
            y = top - (row + 1) * size
            yield Box.between(left + first * size - half, y - half,
                              left + (first + count) * size + half, y + half)


def _places(world: World, layout: Layout) -> Iterable[tuple[str, tuple[Box, ...]]]:
    """Yield the regions that can be told from the rest: not those that are nearly everywhere."""
    for name, states in world.appearance.regions.items():
        if 0 < len(states) <= world.mdp.num_states // 2:
            yield name, merged(layout, np.isin(layout.states, states))
