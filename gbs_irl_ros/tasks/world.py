"""The world a task is taught in: how it moves, where it starts and how it looks; no reward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.core.mdp import ROW_SUM_TOLERANCE, Mdp
from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.layout import STAY, Layout, Scene, headings, scene_of, usual_steps

MAX_CELLS = 100_000_000
MAX_FLOOR_BYTES = 300_000
PNG = b'\x89PNG\r\n\x1a\n'


class Picture(NamedEnum):
    """How to draw a world."""

    LIST = 'list'   # no geometry: states as a list
    GRID = 'grid'   # cells of a grid
    MAP = 'map'     # cells of a map of a real place
    ROAD = 'road'   # lanes and cars


@dataclass(frozen=True)
class FloorImage:
    """
    A picture of the floor, to be drawn under the cells; it means nothing to a learner or a robot.

    png: a file in that format, light where it is free.
    extent: left, right, bottom and top edge [m], in the frame of the positions.
    """

    png: bytes = field(repr=False)
    extent: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        if not self.png.startswith(PNG) or len(self.png) > MAX_FLOOR_BYTES:
            raise InvalidMdpError(f'the floor must be a PNG of at most {MAX_FLOOR_BYTES} bytes, '
                                  f'got {len(self.png)} that begin with {self.png[:8]!r}')
        left, right, bottom, top = self.extent
        if not np.isfinite(self.extent).all() or left >= right or bottom >= top:
            raise InvalidMdpError('the floor must have finite edges, left before right and bottom '
                                  f'before top, got {list(self.extent)}')


@dataclass(frozen=True, eq=False)
class Appearance:
    """
    How states and actions are shown and driven.

    action_names: one per action.
    action_keys: one per action, the key that means it; '' if none.
    state_names: one per state, or none: then a state is shown by its number.
    positions: ``[S, 2]``, x and y of each state [m], or None without geometry.
    cells: ``[S, 2]``, column and row of each state as the task file counts them, or None.
    cell_size: edge of a cell [m]; 0 without cells.
    regions: named sets of states, as a person knows them.
    frame_id: of the positions.
    floor: a picture to be drawn under the cells, or None.
    synonyms: for names of regions or tasks, other words that a person may say; see ``words``.
    """

    action_names: tuple[str, ...]
    action_keys: tuple[str, ...]
    picture: Picture = Picture.LIST
    state_names: tuple[str, ...] = ()
    positions: np.ndarray | None = None
    cell_size: float = 0.0
    frame_id: str = 'map'
    regions: Mapping[str, np.ndarray] = field(default_factory=dict)
    cells: np.ndarray | None = None
    floor: FloorImage | None = None
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless there is one of each for every state and action."""
        for name, values, count in (
                ('action_names', self.action_names, mdp.num_actions),
                ('action_keys', self.action_keys, mdp.num_actions),
                ('state_names', self.state_names or ('',) * mdp.num_states, mdp.num_states)):
            if len(values) != count:
                raise InvalidMdpError(f'{name} must have {count} entries, got {len(values)}')
        for name, states in self.regions.items():
            if len(states) and not 0 <= states.min() <= states.max() < mdp.num_states:
                raise InvalidMdpError(
                    f'regions must hold states 0 .. {mdp.num_states - 1}: {name!r} holds '
                    f'{states.min()} .. {states.max()}')
        keys = [key for key in self.action_keys if key]
        for key in keys:
            if keys.count(key) > 1:
                raise InvalidMdpError(f'action_keys must differ, got {key!r} twice')
        if not (np.isfinite(self.cell_size) and self.cell_size >= 0.0):
            raise InvalidMdpError(f'cell_size must not be negative, got {self.cell_size}')
        self._check_positions(mdp.num_states)
        self._check_cells(mdp.num_states)

    def _check_positions(self, count: int) -> None:
        if self.positions is None:
            return
        if self.positions.shape != (count, 2):
            raise InvalidMdpError(
                f'positions must have shape ({count}, 2), got {self.positions.shape}')
        bad = np.argwhere(~np.isfinite(self.positions))
        if len(bad):
            raise InvalidMdpError(
                f'positions must be finite: that of state {bad[0][0]} is '
                f'{self.positions[bad[0][0]].tolist()}')

    def _check_cells(self, count: int) -> None:
        if self.cells is None:
            return
        if self.positions is None or not self.cell_size > 0.0:
            raise InvalidMdpError(
                f'cells need positions and a cell_size, got {self.positions is not None} and '
                f'{self.cell_size}')
        if self.cells.shape != (count, 2):
            raise InvalidMdpError(f'cells must have shape ({count}, 2), got {self.cells.shape}')
        columns, rows = (int(size) for size in np.ptp(self.cells, axis=0) + 1)
        if columns * rows > MAX_CELLS:
            raise InvalidMdpError(
                f'cells must lie in a rectangle of at most {MAX_CELLS}, got {columns} x {rows}')


@dataclass(frozen=True, eq=False)
class World:
    """
    An MDP with its start and its looks.

    start: ``[S]``, probability to start in each state.
    """

    name: str
    mdp: Mdp
    start: np.ndarray
    appearance: Appearance
    description: str = ''
    hash: str = field(default='')

    def __post_init__(self) -> None:
        object.__setattr__(self, 'start', self.mdp.checked_start(self.start))
        self.appearance.check_fits(self.mdp)

    def state_name(self, state: int) -> str:
        """Return how a person calls a state."""
        names = self.appearance.state_names
        return names[state] if names else tr('state {state}', state=state)

    def where(self, state: int) -> str:
        """Return a state as a place in a sentence; those of a road are called "in the ..."."""
        name = self.state_name(state)
        return name if self.appearance.picture is Picture.ROAD else tr('at {place}', place=name)

    def scene(self, state: int) -> Scene | None:
        """Return the state of a road, None in other worlds."""
        return scene_of(state) if self.appearance.picture is Picture.ROAD else None

    @cached_property
    def layout(self) -> Layout | None:
        """Return the cells, None in a world without any."""
        looks = self.appearance
        return None if looks.cells is None or looks.positions is None \
            else Layout.of(looks.cells, looks.positions, looks.cell_size)

    @cached_property
    def usual_steps(self) -> np.ndarray | None:
        """Return ``[A, 2]``, (x, y) in cells, or in metres without cells; None without places."""
        looks = self.appearance
        return None if looks.positions is None \
            else usual_steps(self.targets, looks.positions / (looks.cell_size or 1.0))

    @cached_property
    def headings(self) -> tuple[str | None, ...]:
        """Return which way each action leads: see ``layout.headings``."""
        return headings(self.appearance.action_names, self.usual_steps)

    @cached_property
    def stays(self) -> np.ndarray:
        """Return ``[S, A]`` bool: actions that surely leave everything as it is."""
        count, actions = self.mdp.num_states, self.mdp.num_actions
        own = np.repeat(np.arange(count), actions)
        here = np.asarray(self.mdp.transitions[np.arange(count * actions), own]).reshape(-1)
        return (here >= 1.0 - ROW_SUM_TOLERANCE).reshape(count, actions)

    @cached_property
    def rests(self) -> np.ndarray:
        """Return ``[A]`` bool: actions that are for staying, not moves with walls everywhere."""
        return self.stays.all(axis=0) & np.array([each == STAY for each in self.headings])

    @cached_property
    def choices(self) -> np.ndarray:
        """
        Return ``[S, A]`` bool: what a teacher can mean.

        A move into a wall says no more than "stay". In worlds with cells it is not offered where
        an action of its own says that; without such an action, the first such move of a cell says
        it for all.
        """
        if self.appearance.cells is None:
            return np.ones_like(self.stays)
        first = np.zeros_like(self.stays)
        first[np.arange(len(first)), self.stays.argmax(axis=1)] = not self.rests.any()
        return ~self.stays | self.rests | (self.stays & first)

    @property
    def targets(self) -> np.ndarray:
        """Return ``[S, A]``, where each action leads: see ``Mdp.targets``."""
        return self.mdp.targets
