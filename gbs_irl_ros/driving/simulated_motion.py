"""How a simulated robot moves: a differential drive between walls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import InvalidMotionError, Pose, Velocity, wrapped

LONGEST_STEP = 0.2      # of a cell: so that no wall is jumped over
LONGEST_TURN = 0.1      # [rad]: so that an arc is one
MAX_STEPS = 10_000
SKIN = 1e-6             # of a cell: how near a wall the robot gets


@dataclass(frozen=True, eq=False)
class DifferentialDrive:
    """
    A robot on the cells of a task.

    It goes from one cell to the next only where some action of the task leads there; elsewhere is
    a wall, along which it slides. The cells are walls to each other in one direction only where
    the task says so.

    noise: standard deviation of the velocities it really has, as a share of those it is told.
    """

    cells: CellMap
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.noise) and self.noise >= 0.0):
            raise InvalidMotionError(f'noise must not be negative, got {self.noise}')

    def moved(self, pose: Pose, velocity: Velocity, seconds: float,
              rng: np.random.Generator) -> Pose:
        """Return the pose after driving for some time."""
        if self.noise > 0.0:
            forward, turn = (value * (1.0 + self.noise * rng.standard_normal())
                             for value in (velocity.forward, velocity.turn))
        else:
            forward, turn = velocity.forward, velocity.turn
        lengths = abs(forward) * seconds / (LONGEST_STEP * self.cells.cell_size)
        turns = abs(turn) * seconds / LONGEST_TURN
        if not seconds >= 0.0:
            raise InvalidMotionError(f'seconds must not be negative, got {seconds}')
        if not max(lengths, turns) <= MAX_STEPS:
            raise InvalidMotionError(
                f'a move must be short: {velocity} for {seconds} s is too much at once')
        steps = max(1, math.ceil(max(lengths, turns)))
        part = seconds / steps
        for _ in range(steps):
            pose = self._step(pose, forward * part, turn * part)
        return pose

    def _step(self, pose: Pose, distance: float, angle: float) -> Pose:
        """Return the pose after a short arc: along the chord, which is exact to second order."""
        direction = pose.yaw + angle / 2.0
        x = self._crossed(pose.x, pose.y, pose.x + distance * math.cos(direction), pose.y)[0]
        y = self._crossed(x, pose.y, x, pose.y + distance * math.sin(direction))[1]
        return Pose(x, y, wrapped(pose.yaw + angle))

    def _crossed(self, x: float, y: float, new_x: float, new_y: float) -> tuple[float, float]:
        """Return where a move along one axis ends: at the wall if there is one."""
        here, there = self.cells.state_at(x, y), self.cells.state_at(new_x, new_y)
        if here is None:
            return new_x, new_y     # put into a wall by hand: let it out
        if there == here or (there is not None and self.cells.passable(here, there)):
            return new_x, new_y
        centre, room = self.cells.centre(here), self.cells.cell_size * (0.5 - SKIN)
        return (min(max(new_x, centre[0] - room), centre[0] + room),
                min(max(new_y, centre[1] - room), centre[1] + room))
