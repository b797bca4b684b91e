"""
Where states are: cells on the floor, walls between them, the ways that actions lead, the road.

Everything that draws a world or drives in it asks here, through ``World``. Cells are (column, row)
as a task file counts them: column 0 at the left, row 0 at the top. Positions are in metres with y
pointing up, as everywhere in ROS.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from gbs_irl_ros.languages.speaking import marked

UP, RIGHT, DOWN, LEFT, STAY = 'up', 'right', 'down', 'left', 'stay'
UNIT = {UP: (0, 1), RIGHT: (1, 0), DOWN: (0, -1), LEFT: (-1, 0), STAY: (0, 0)}      # (x, y)
NAMED = {'north': UP, 'forward': UP, 'east': RIGHT, 'south': DOWN, 'back': DOWN,
         'backward': DOWN, 'west': LEFT, **{word: word for word in UNIT}}
STRAIGHT = 2.0      # times as far along one axis as along the other: else it is a diagonal
LANES, CAR_LANES, DISTANCES, CARS = 5, 3, 5, 3
LANE_NAMES = marked(
    ('left shoulder', 'left lane', 'middle lane', 'right lane', 'right shoulder'))
ROAD_SHAPE = (LANES,) + (CAR_LANES, DISTANCES) * CARS       # of the states of a road


@dataclass(frozen=True, eq=False)
class Layout:
    """
    The cells of a world, in a rectangle just large enough for them.

    states: ``[rows, columns]``, the state of each cell, -1 where there is none.
    first: the cell in the upper left corner of the rectangle.
    corner: x and y of its lower left corner [m].
    cell_size: edge of a cell [m].
    """

    states: np.ndarray
    first: tuple[int, int]
    corner: tuple[float, float]
    cell_size: float

    @classmethod
    def of(cls, cells: np.ndarray, positions: np.ndarray, cell_size: float) -> Layout:
        """Lay out the cells ``[S, 2]`` whose middles are at the positions ``[S, 2]``."""
        first = cells.min(axis=0)
        columns, rows = (cells - first).T
        states = np.full((rows.max() + 1, columns.max() + 1), -1, dtype=np.int64)
        states[rows, columns] = np.arange(len(cells))
        left, bottom = positions.min(axis=0) - cell_size / 2.0
        return cls(states, (int(first[0]), int(first[1])), (float(left), float(bottom)), cell_size)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.states.shape[0], self.states.shape[1]

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top edge [m]."""
        (rows, columns), (left, bottom) = self.shape, self.corner
        return left, left + columns * self.cell_size, bottom, bottom + rows * self.cell_size

    def state_at(self, x: float, y: float) -> int | None:
        """Return the state whose cell holds a point, None if none does."""
        (rows, columns), (left, bottom) = self.shape, self.corner
        across, up = x - left, y - bottom                   # compared before they are divided:
        if not (0.0 <= across < columns * self.cell_size and 0.0 <= up < rows * self.cell_size):
            return None                                     # a huge number would overflow
        column = min(int(across / self.cell_size), columns - 1)
        row = rows - 1 - min(int(up / self.cell_size), rows - 1)
        state = int(self.states[row, column])
        return None if state < 0 else state

    def drawn(self, values: np.ndarray, elsewhere: float) -> np.ndarray:
        """Return values ``[S]`` of states as ``[rows, columns]``."""
        return np.where(self.states >= 0, values[np.maximum(self.states, 0)], elsewhere)

    def walls(self, transitions: sparse.csr_matrix) -> Iterator[tuple[int, int, str, bool]]:
        """
        Yield (row, column, side, one way) where a move to or from the next cell is missing.

        Rows and columns are those of the rectangle, the side is RIGHT or DOWN; one way: a move
        leads through in one of the two directions.

        :param transitions: ``[S * A, S]``.
        """
        size = transitions.shape[1]
        actions = transitions.shape[0] // size
        states, columns = self.states, self.shape[1]
        cell_of = np.full(size, -2 - columns)       # of a state without a cell nothing is next
        cell_of[states[states >= 0]] = np.flatnonzero(states >= 0)
        start = np.repeat(cell_of, np.diff(transitions.indptr[::actions]))
        end = cell_of[transitions.indices]

        def joined(step: int, first: np.ndarray, last: np.ndarray) -> np.ndarray:
            leads = np.zeros(states.size, dtype=bool)
            leads[first[last == first + step]] = True
            return leads.reshape(states.shape)
        for side, step, near in ((RIGHT, 1, np.s_[:, :-1]), (DOWN, columns, np.s_[:-1])):
            one, other = states[near], states[np.s_[:, 1:] if side == RIGHT else np.s_[1:]]
            there, back = (joined(step, *ends)[near] for ends in ((start, end), (end, start)))
            for row, column in np.argwhere((one >= 0) & (other >= 0) & ~(there & back)):
                yield int(row), int(column), side, bool(there[row, column] | back[row, column])


def usual_steps(targets: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """
    Return ``[A, 2]``, the step (x, y) that each action usually makes where it makes one at all.

    :param targets: ``[S, A]``, where each action leads.
    """
    found = np.zeros((targets.shape[1], 2))
    for action, after in enumerate(targets.T):
        moves = np.round(positions[after] - positions, 6)
        moves = moves[np.any(moves != 0.0, axis=1)]
        if len(moves):
            steps, counts = np.unique(moves, axis=0, return_counts=True)
            found[action] = steps[np.argmax(counts)]
    return found


def headings(names: Sequence[str], steps: np.ndarray | None) -> tuple[str | None, ...]:
    """
    Return which way each action leads: UP, RIGHT, DOWN, LEFT, STAY, or None if none of these.

    :param names: of the actions; one such as `north` or `left` says it.
    :param steps: ``[A, 2]``, as in ``usual_steps``, for actions with other names.
    """
    return tuple(NAMED.get(name.strip().lower(), None if steps is None else _heading(*steps[i]))
                 for i, name in enumerate(names))


def _heading(x: float, y: float) -> str | None:
    if x == y == 0.0:
        return STAY
    if abs(x) >= STRAIGHT * abs(y):
        return RIGHT if x > 0.0 else LEFT
    if abs(y) >= STRAIGHT * abs(x):
        return UP if y > 0.0 else DOWN
    return None


@dataclass(frozen=True)
class Scene:
    """
    A state of the road, to be drawn.

    own: the lane of one's own car. cars: lane and distance ahead of each other one.
    """

    own: int
    cars: tuple[tuple[int, int], ...]


def scene_of(state: int) -> Scene:
    """Return what a state of the road looks like."""
    own, *others = (int(part) for part in np.unravel_index(state, ROAD_SHAPE))
    lanes, ahead = others[::2], others[1::2]
    return Scene(own, tuple((lane + 1, far) for lane, far in zip(lanes, ahead, strict=True)))
