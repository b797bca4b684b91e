"""A person drives the robot from cell to cell: one action, one cell."""

from __future__ import annotations

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import Drive, Progress, drive_to
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Pose

PATIENCE = 5.0      # times what a cell should take: one that is not reached by then is given up
TURN = 4.0          # [rad] that may have to be turned, with something to spare


class CellDriver:
    """
    Drives to the cell that an action leads to; the next action may be given on the way.

    All times are of a steady clock [s]. gave_up: whether the last cell could not be reached.
    trouble: why, if the drive knows.
    """

    def __init__(self, cells: CellMap, drive: Drive) -> None:
        self._cells = cells
        self._drive = drive
        self._targets: list[int] = []       # the cell on the way to, and perhaps the one behind it
        self._since = 0.0
        self.gave_up = False
        self.trouble: Reason | None = None

    @property
    def is_driving(self) -> bool:
        """Return whether a cell is still to be reached."""
        return bool(self._targets)

    def go(self, action: int, pose: Pose, now: float) -> int:
        """Drive on by one action; return the cell it leads to. Raise if it leads nowhere."""
        state = self._targets[0] if self._targets else self._cells.state_at(pose.x, pose.y)
        if state is None:
            raise GbsIrlError(f'the robot is at ({ShortNumber(pose.x):.2f}, '
                              f'{ShortNumber(pose.y):.2f}), outside all cells of the task; bring '
                              'it back into one')
        target = self._cells.target(state, action)
        if target == state:
            raise GbsIrlError('there is no way in that direction')
        if not self._targets:
            self._since = now
        self.gave_up = False
        self._targets[1:] = [target]        # holding a key down must not mean a long drive
        return target

    def halt(self, now: float) -> None:
        """Stop the robot if it is driven, and give up what is still to be driven."""
        if self._targets:
            self._targets.clear()
            self._drive.stop(now)

    def step(self, pose: Pose, now: float) -> None:
        """Drive on; stop when the last cell is reached, or cannot be."""
        if not self._targets:
            return
        target, limits = self._targets[0], self._drive.limits
        should_take = self._cells.cell_size / limits.speed + TURN / limits.turn
        late = now - self._since > PATIENCE * should_take
        progress = Progress.FAILED if late and not self._cells.has_arrived(pose, target) \
            else drive_to(self._drive, self._cells, self._targets[:1], pose, now)
        if progress is Progress.ARRIVED and len(self._targets) > 1:
            self._targets.pop(0)
            self._since = now
            self.step(pose, now)
        elif progress is not Progress.UNDER_WAY:
            self.gave_up = progress is Progress.FAILED
            self.trouble = self._drive.trouble
            self.halt(now)
