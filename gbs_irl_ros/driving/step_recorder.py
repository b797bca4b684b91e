"""Driving seen from outside, as a demonstration: which cell, then which action."""

from __future__ import annotations

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.questions import MAX_STEPS
from gbs_irl_ros.driving.cell_map import CellMap


class StepRecorder:
    """Turns the cells that a robot passes into steps of a demonstration."""

    def __init__(self, cells: CellMap) -> None:
        self._cells = cells
        self._state: int | None = None
        self._steps: list[tuple[int, int]] = []

    def see(self, state: int | None) -> None:
        """Note where the robot is now; a jump that no action explains is not a step."""
        if state is not None and self._state is not None and len(self._steps) < MAX_STEPS:
            action = self._cells.action_between(self._state, state)
            if action is not None:
                self._steps.append((self._state, action))
        self._state = state

    def take(self) -> DemonstrationAnswer | None:
        """Return what was shown since the last call, None if nothing."""
        steps, self._steps = self._steps, []
        return DemonstrationAnswer(tuple(steps)) if steps else None

    def clear(self) -> None:
        """Forget everything, also where the robot is."""
        self._state, self._steps = None, []
