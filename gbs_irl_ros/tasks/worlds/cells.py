"""
Worlds made of square cells, and how a robot moves in them.

Cells are named (column, row) as they are drawn: column 0 is at the left, row 0 at the top.
Positions are in metres with y pointing up, as everywhere in ROS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks.files.spec import Each, Field, Located, Number, Text
from gbs_irl_ros.tasks.world import Appearance, Picture

# name: (column step, row step, key); the order is the order of the actions
MOVES = {
    'north': (0, -1, 'w'),
    'east': (1, 0, 'd'),
    'south': (0, 1, 's'),
    'west': (-1, 0, 'a'),
    'stay': (0, 0, 'x'),
}
OPPOSITE = {'north': 'south', 'south': 'north', 'east': 'west', 'west': 'east', 'stay': 'stay'}
SIDES = {'north': ('west', 'east'), 'east': ('north', 'south'), 'south': ('west', 'east'),
         'west': ('north', 'south')}
DIRECTIONS = tuple(SIDES)
MAX_NAMES = 100_000

MOVE_LIST = Field(Each(Text(tuple(MOVES)), 1, len(MOVES)), 'the actions, in this order',
                  ['north', 'east', 'south', 'west'])
SLIP = Field(Number(at_least=0.0, at_most=1.0),
             'chance that a move goes to one of its two sides instead', 0.0)


@dataclass(frozen=True, eq=False)
class Grid:
    """
    Free cells and the walls between them.

    free: ``[rows, columns]`` bool.
    blocked: for a move, ``[rows, columns]`` bool: a wall on that side of the cell.
    cell_size: edge of a cell [m].
    origin: x and y [m] of the lower left corner of the drawing.
    """

    free: np.ndarray
    blocked: Mapping[str, np.ndarray]
    cell_size: float = 1.0
    origin: tuple[float, float] = (0.0, 0.0)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.free.shape[0], self.free.shape[1]

    @cached_property
    def state_of_cell(self) -> np.ndarray:
        """``[rows, columns]``: the number of a free cell as a state, -1 for the others."""
        states = np.full(self.shape, -1, dtype=np.int64)
        states[self.free] = np.arange(np.count_nonzero(self.free))
        return states

    @cached_property
    def cells(self) -> np.ndarray:
        """``[S, 2]``: (column, row) of each state."""
        rows, columns = np.nonzero(self.free)
        return np.stack([columns, rows], axis=1)

    @property
    def num_states(self) -> int:
        """S."""
        return len(self.cells)

    def positions(self) -> np.ndarray:
        """Return ``[S, 2]``: the middle of each free cell [m]."""
        columns, rows = self.cells.T
        x = self.origin[0] + (columns + 0.5) * self.cell_size
        y = self.origin[1] + (self.shape[0] - rows - 0.5) * self.cell_size
        return np.stack([x, y], axis=1)

    def after(self, move: str) -> np.ndarray:
        """Return ``[S]``: where one step leads; into a wall or off the grid, nowhere."""
        column_step, row_step, _ = MOVES[move]
        columns, rows = self.cells.T
        new_columns, new_rows = columns + column_step, rows + row_step
        inside = (new_columns >= 0) & (new_columns < self.shape[1]) \
            & (new_rows >= 0) & (new_rows < self.shape[0])
        if move in self.blocked:
            inside &= ~self.blocked[move][rows, columns]
        target = self.state_of_cell[np.where(inside, new_rows, rows),
                                    np.where(inside, new_columns, columns)]
        return np.where(target >= 0, target, np.arange(self.num_states))

    def mdp(self, moves: tuple[str, ...], discount: float, *, slip: float = 0.0,
            jumps: Mapping[int, float] | None = None) -> Mdp:
        """
        Return the MDP of a robot that makes these moves.

        :param slip: chance to go to one of the two sides instead, half each.
        :param jumps: probability of each number of steps in the direction of the move; negative
            ones go back, and a wall ends them. One step if None.
        """
        matrices = {move: self._jumps(move, jumps or {1: 1.0}) for move in moves}
        if slip == 0.0:
            return Mdp.from_action_matrices(list(matrices.values()), discount)
        mixed = []
        for move in moves:
            if move == 'stay':
                mixed.append(matrices[move])
                continue
            left, right = (self._jumps(side, jumps or {1: 1.0}) for side in SIDES[move])
            mixed.append((1.0 - slip) * matrices[move] + slip / 2.0 * (left + right))
        return Mdp.from_action_matrices(mixed, discount)

    def _jumps(self, move: str, jumps: Mapping[int, float]) -> sparse.csr_matrix:
        ahead, back = self.after(move), self.after(OPPOSITE[move])
        here = np.arange(self.num_states)
        total = sparse.csr_matrix((self.num_states, self.num_states))
        for steps, probability in jumps.items():
            target = here
            for _ in range(abs(steps)):
                target = (ahead if steps > 0 else back)[target]
            total = total + sparse.csr_matrix(
                (np.full(self.num_states, probability), (here, target)), shape=total.shape)
        return total


def open_grid(size: int, cell_size: float) -> Grid:
    """Return a square without walls."""
    return Grid(np.ones((size, size), dtype=bool), {}, cell_size)


def grid_appearance(grid: Grid, moves: tuple[str, ...], picture: Picture = Picture.GRID,
                    regions: Mapping[str, np.ndarray] | None = None) -> Appearance:
    """Return how a grid looks and is driven; cells of very large ones have no names."""
    names = tuple(f'({column}, {row})' for column, row in grid.cells.tolist()) \
        if grid.num_states <= MAX_NAMES else ()
    return Appearance(moves, tuple(MOVES[move][2] for move in moves), picture, names,
                      grid.positions(), grid.cell_size, regions=regions or {}, cells=grid.cells)


def check_moves(values: Located) -> None:
    """Report a move that a task file lists twice."""
    twice = next((move for move in values.moves if values.moves.count(move) > 1), None)
    if twice is not None:
        values.refuse(f'every move must appear once, got {twice!r} twice', 'moves')


def walls_between(shape: tuple[int, int], pairs: np.ndarray) -> dict[str, np.ndarray]:
    """
    Return ``Grid.blocked`` for walls between neighbouring cells.

    :param pairs: ``[P, 2, 2]``, two cells (column, row) on both sides of each wall.
    """
    blocked = {move: np.zeros(shape, dtype=bool) for move in SIDES}
    names = {(step[0], step[1]): name for name, step in MOVES.items()}
    for first, second in np.asarray(pairs).reshape(-1, 2, 2):
        for cell, other in ((first, second), (second, first)):
            name = names[int(other[0] - cell[0]), int(other[1] - cell[1])]
            blocked[name][cell[1], cell[0]] = True
    return blocked


def largest_component(grid: Grid) -> np.ndarray:
    """Return ``[rows, columns]`` bool: the largest set of connected free cells."""
    label = _connected(np.stack([grid.after(move) for move in SIDES]))
    keep = np.zeros(grid.shape, dtype=bool)
    columns, rows = grid.cells[label == np.bincount(label).argmax()].T
    keep[rows, columns] = True
    return keep


def _connected(following: np.ndarray) -> np.ndarray:
    """
    Return ``[S]``: the first state of all that are connected with each.

    Every state points to an earlier one. Those that are pointed to take the earliest that any
    neighbour of theirs knows, and all ways are halved (Zhang et al., "FastSV", 2020): that takes
    about log S rounds. ``scipy.sparse.csgraph`` would be as fast, but takes longer to be imported.

    :param following: ``[N, S]``, the neighbours of each state, perhaps in one direction only.
    """
    parent = np.arange(following.shape[1])
    while True:
        known, before = parent[parent], parent
        lowest = known.copy()
        for neighbours in following:
            np.minimum(lowest, known[neighbours], out=lowest)
            np.minimum.at(lowest, neighbours, known)
        parent = parent.copy()
        np.minimum.at(parent, before, lowest)
        np.minimum(parent, lowest, out=parent)
        if np.array_equal(parent, before):
            return parent


def distances_to(grid: Grid, states: np.ndarray) -> np.ndarray:
    """Return ``[len(states), S]``: steps from every state to each of these, inf if none leads."""
    here = np.arange(grid.num_states)
    moves = [grid.after(move) for move in SIDES]
    ends = np.concatenate(moves)
    starts = np.tile(here, len(moves))
    moved = ends != starts
    links = sparse.csr_matrix((np.ones(moved.sum()), (ends[moved], starts[moved])),
                              shape=(grid.num_states,) * 2)
    return np.asarray(sparse.csgraph.dijkstra(links, indices=states, unweighted=True))
