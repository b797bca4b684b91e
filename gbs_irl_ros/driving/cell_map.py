"""Between the states of a task and places on the floor."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.tasks.world import World

ARRIVED = 0.2       # of a cell: this near its middle counts as there


class CellMap:
    """The cells of a world that a robot can drive in."""

    def __init__(self, world: World) -> None:
        layout = world.layout
        if layout is None:
            raise InvalidMdpError(
                f'the states of task {world.name!r} have no place on the floor, so no robot can '
                'drive there; it can be taught, not driven')
        positions = world.appearance.positions
        assert positions is not None
        self.cell_size = world.appearance.cell_size
        self.mdp = world.mdp
        self._targets = world.targets
        self._positions = positions
        self._layout = layout

    def state_at(self, x: float, y: float) -> int | None:
        """Return the state whose cell holds a point, None if none does."""
        return self._layout.state_at(x, y)

    def centre(self, state: int) -> tuple[float, float]:
        """Return the middle of a cell [m]."""
        x, y = self._positions[state]
        return float(x), float(y)

    def has_arrived(self, pose: Pose, state: int) -> bool:
        """Return whether a robot is near enough to the middle of a cell."""
        x, y = self._positions[state]
        return bool((pose.x - x) ** 2 + (pose.y - y) ** 2 <= (ARRIVED * self.cell_size) ** 2)

    def target(self, state: int, action: int) -> int:
        """Return where an action leads, as ``World.targets`` has it."""
        return int(self._targets[state, action])

    def passable(self, state: int, other: int) -> bool:
        """Return whether any action leads from one cell into the other."""
        first, last = state * self.mdp.num_actions, (state + 1) * self.mdp.num_actions
        offsets = self.mdp.transitions.indptr
        return bool(np.any(
            self.mdp.transitions.indices[offsets[first]:offsets[last]] == other))

    def action_between(self, state: int, other: int) -> int | None:
        """Return the action that most likely leads from one cell to the other, None if none."""
        if state == other:
            return None
        chances = []
        for action in range(self.mdp.num_actions):
            states, probabilities = self._row(state, action)
            chances.append(float(probabilities[states == other].sum()))
        best = int(np.argmax(chances))
        return best if chances[best] > 0.0 else None

    def _row(self, state: int, action: int) -> tuple[np.ndarray, np.ndarray]:
        transitions, row = self.mdp.transitions, state * self.mdp.num_actions + action
        part = slice(transitions.indptr[row], transitions.indptr[row + 1])
        return transitions.indices[part], transitions.data[part]
