"""A person drives the robot from cell to cell: one action, one cell."""

from __future__ import annotations

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drives.steering import towards
from gbs_irl_ros.driving.policy_follower import ARRIVED
from gbs_irl_ros.driving.pose import STOP, Limits, Pose, Velocity

PATIENCE = 5.0      # times what a cell should take: one that is not reached by then is given up
TURN = 4.0          # [rad] that may have to be turned, with something to spare


class CellDriver:
    """
    Drives to the cell that an action leads to; the next action may be given on the way.

    All times are of a steady clock [s]. gave_up: whether the last cell could not be reached.
    """

    def __init__(self, places: CellMap) -> None:
        self._places = places
        self._targets: list[int] = []       # the cell on the way to, and perhaps the one behind it
        self._since = 0.0
        self.gave_up = False

    @property
    def is_driving(self) -> bool:
        """Return whether a cell is still to be reached."""
        return bool(self._targets)

    def go(self, action: int, pose: Pose, now: float) -> int:
        """Drive on by one action; return the cell it leads to. Raise if it leads nowhere."""
        state = self._targets[0] if self._targets else self._places.state_at(pose.x, pose.y)
        if state is None:
            raise GbsIrlError(f'the robot is at ({pose.x:.2f}, {pose.y:.2f}), where no cell of '
                              'the task is; bring it back to one')
        target = self._places.target(state, action)
        if target == state:
            raise GbsIrlError('there is no way in that direction')
        if not self._targets:
            self._since = now
        self.gave_up = False
        self._targets[1:] = [target]        # whoever keeps a key pressed must not drive for long
        return target

    def halt(self) -> None:
        """Give up what is still to be driven."""
        self._targets.clear()

    def velocity(self, pose: Pose, limits: Limits, now: float) -> Velocity:
        """Return how to drive now: zero when the last cell is reached, or cannot be."""
        if self._targets and self._has_arrived(pose):
            self._targets.pop(0)
            self._since = now
        should_take = self._places.cell_size / limits.speed + TURN / limits.turn
        if self._targets and now - self._since > PATIENCE * should_take:
            self.halt()
            self.gave_up = True
        if not self._targets:
            return STOP
        return towards(pose, self._places.centre(self._targets[0]), limits)

    def _has_arrived(self, pose: Pose) -> bool:
        x, y = self._places.centre(self._targets[0])
        near = ARRIVED * self._places.cell_size
        return (pose.x - x) ** 2 + (pose.y - y) ** 2 <= near ** 2
