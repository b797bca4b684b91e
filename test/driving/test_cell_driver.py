"""A person drives from cell to cell: one command by hand, then through every world with cells."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.cell_driver import PATIENCE, TURN, CellDriver
from gbs_irl_ros.driving.cell_map import ARRIVED, CellMap
from gbs_irl_ros.driving.drive import Drive, Progress, SteeringDrive, towards
from gbs_irl_ros.driving.pose import STOP, Limits, Pose
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.worlds.grid import build_grid

NORTH, EAST, SOUTH, WEST, STAY = range(5)
FIVE = ('north', 'east', 'south', 'west', 'stay')
LIMITS = Limits(2.0, 4.0)
PATIENCE_S = PATIENCE * (1.0 / LIMITS.speed + TURN / LIMITS.turn)     # in cells of 1 m
STEP_S = 0.05
MAX_STEPS = 400        # 20 s
MIDDLE = Pose(1.5, 1.5, 0.0)
WITH_CELLS = [name for name in sorted(shipped_tasks())
              if load_task(name).world.layout is not None]


@cache
def square(rows=('...', '...', '...')):
    """States 0 1 2 / 3 4 5 / 6 7 8; the middle of state 4 is at (1.5, 1.5)."""
    built = build_grid(list(rows), {}, FIVE, 0.9)
    return CellMap(built.world)


@cache
def world_of(name):
    return load_task(name).world


class Person(CellDriver):
    """
    Drives by steering.

    sent: the commands, the last one last.
    """

    def __init__(self, cells):
        self.sent = []
        super().__init__(cells, SteeringDrive(self.sent.append))

    def velocity(self, pose, limits, now):
        """Return how the robot moves after a step."""
        self._drive.limits = limits
        self.step(pose, now)
        return self.sent[-1] if self.sent else STOP


class FakeDrive(Drive):
    """A drive that is as far as it is told, wherever the robot is."""

    limits = LIMITS

    def __init__(self, progress):
        self.progress, self.paths, self.stops = progress, [], []

    def go(self, path, pose, now):
        self.paths.append(path)
        return self.progress

    def stop(self, now):
        self.stops.append(now)


def driven(driver, cells, pose, rng, now=0.0, noise=0.0):
    """Drive until nothing is left to be driven; return the poses on the way."""
    body, poses = DifferentialDrive(cells, noise), [pose]
    for _ in range(MAX_STEPS):
        velocity = driver.velocity(poses[-1], LIMITS, now)
        if not driver.is_driving:
            assert velocity == STOP
            return poses
        poses.append(body.moved(poses[-1], velocity, STEP_S, rng))
        now += STEP_S
    raise AssertionError('it drives on and on')


def passed(cells, poses):
    """The states that were passed, each once in a row."""
    states = [cells.state_at(pose.x, pose.y) for pose in poses]
    return [state for state, before in zip(states, [None, *states], strict=False)
            if state != before]


def off_centre(cells, pose, state):
    """How far from the middle of a cell, in cells."""
    return math.dist((pose.x, pose.y), cells.centre(state)) / cells.cell_size


# ---- one command ----------------------------------------------------------------------------

def test_at_first_it_stands():
    driver = Person(square())
    assert not driver.is_driving
    assert driver.velocity(MIDDLE, LIMITS, 0.0) == STOP


@for_each(('action', 'target'), [(NORTH, 1), (EAST, 5), (SOUTH, 7), (WEST, 3)])
def test_an_action_is_a_drive_to_the_next_cell(action, target, rng):
    cells = square()
    driver = Person(cells)
    assert driver.go(action, MIDDLE, 0.0) == target
    assert driver.is_driving
    assert driver.velocity(MIDDLE, LIMITS, 0.0) == towards(
        MIDDLE, cells.centre(target), LIMITS)
    poses = driven(driver, cells, MIDDLE, rng)
    assert passed(cells, poses) == [4, target]
    assert off_centre(cells, poses[-1], target) <= ARRIVED


def test_who_has_arrived_stands_for_good():
    driver = Person(square())
    driver.go(EAST, MIDDLE, 0.0)
    assert driver.velocity(Pose(2.5 - ARRIVED + 1e-9, 1.5, 0.0), LIMITS, 0.1) == STOP
    assert not driver.is_driving
    assert driver.velocity(MIDDLE, LIMITS, 0.2) == STOP     # pushed back: nobody drives


def test_near_the_middle_is_not_there_yet():
    driver = Person(square())
    driver.go(EAST, MIDDLE, 0.0)
    assert driver.velocity(Pose(2.5 - ARRIVED - 1e-6, 1.5, 0.0), LIMITS, 0.1).forward > 0.0


def test_it_sets_out_from_the_cell_that_the_robot_is_in():
    driver = Person(square())
    assert driver.go(EAST, Pose(1.99, 1.01, 0.0), 0.0) == 5
    driver.halt(0.0)
    assert driver.go(EAST, Pose(0.99, 1.01, 0.0), 0.0) == 4


@for_each('limits', [Limits(0.1, 0.2), Limits(5.0, 0.3), Limits(0.3, 9.0)])
def test_it_keeps_to_the_limits(limits):
    driver = Person(square())
    driver.go(WEST, MIDDLE, 0.0)
    for yaw in np.linspace(-math.pi, math.pi, 20):
        velocity = driver.velocity(Pose(1.5, 1.4, yaw), limits, 0.1)
        assert 0.0 <= velocity.forward <= limits.speed
        assert abs(velocity.turn) <= limits.turn


# ---- what cannot be driven ------------------------------------------------------------------

@for_each(('action', 'pose'), [
    (STAY, MIDDLE), (NORTH, Pose(1.5, 2.5, 0.0)), (WEST, Pose(0.5, 0.5, 0.0))])
def test_against_a_wall_there_is_no_way(action, pose):
    driver = Person(square())
    with pytest.raises(GbsIrlError, match='there is no way in that direction'):
        driver.go(action, pose, 0.0)
    assert not driver.is_driving


def test_into_a_wall_in_the_middle_of_the_world_there_is_no_way():
    driver = Person(square(('...', '.#.', '...')))
    with pytest.raises(GbsIrlError, match='there is no way in that direction'):
        driver.go(SOUTH, Pose(1.5, 2.5, 0.0), 0.0)


@for_each(('cells', 'pose', 'text'), [
    (('...', '...', '...'), Pose(-0.01, 1.5, 0.0), r'at \(-0\.01, 1\.50\), outside all'),
    (('...', '...', '...'), Pose(1.5, 1e6, 0.0), r'at \(1\.50, 1000000\.00\), outside all'),
    (('...', '.#.', '...'), MIDDLE, r'at \(1\.50, 1\.50\), outside all cells of the task; bring')])
def test_from_outside_all_cells_it_does_not_set_out(cells, pose, text):
    driver = Person(square(cells))
    with pytest.raises(GbsIrlError, match=text):
        driver.go(EAST, pose, 0.0)
    assert not driver.is_driving


def test_a_command_that_is_refused_leaves_the_one_before(rng):
    cells = square()
    driver = Person(cells)
    driver.go(EAST, MIDDLE, 0.0)
    with pytest.raises(GbsIrlError, match='there is no way in that direction'):
        driver.go(EAST, MIDDLE, 0.1)        # behind the next cell is a wall
    assert passed(cells, driven(driver, cells, MIDDLE, rng)) == [4, 5]


def test_who_drifts_outside_while_driving_comes_back(rng):
    cells = square()
    driver = Person(cells)
    driver.go(EAST, MIDDLE, 0.0)
    poses = driven(driver, cells, Pose(3.3, 1.5, 0.0), rng)
    assert cells.state_at(poses[-1].x, poses[-1].y) == 5


# ---- one command behind the other -----------------------------------------------------------

def test_the_next_command_may_be_given_on_the_way(rng):
    cells = square()
    driver, start = Person(cells), Pose(0.5, 2.5, 0.0)
    assert driver.go(EAST, start, 0.0) == 1
    assert driver.go(SOUTH, start, 0.1) == 4
    poses = driven(driver, cells, start, rng)
    assert passed(cells, poses) == [0, 1, 4]
    assert min(off_centre(cells, pose, 1) for pose in poses) <= ARRIVED


def test_holding_a_key_down_is_not_a_long_drive(rng):
    cells = square(('......',))
    driver, start = Person(cells), Pose(0.5, 0.5, 0.0)
    assert [driver.go(EAST, start, 0.0) for _ in range(20)] == [1, *[2] * 19]
    assert passed(cells, driven(driver, cells, start, rng)) == [0, 1, 2]


def test_of_commands_on_the_way_the_last_counts(rng):
    cells = square()
    driver, start = Person(cells), Pose(0.5, 1.5, 0.0)
    driver.go(EAST, start, 0.0)
    for action in (EAST, NORTH, SOUTH):
        driver.go(action, start, 0.1)
    assert passed(cells, driven(driver, cells, start, rng)) == [3, 4, 7]


def test_one_may_turn_back(rng):
    cells = square()
    driver = Person(cells)
    driver.go(EAST, MIDDLE, 0.0)
    assert driver.go(WEST, MIDDLE, 0.1) == 4
    assert passed(cells, driven(driver, cells, MIDDLE, rng)) == [4, 5, 4]


# ---- giving up ------------------------------------------------------------------------------

def test_who_is_halted_stands_and_has_nothing_left_to_do():
    driver = Person(square())
    driver.go(WEST, MIDDLE, 0.0)
    driver.go(NORTH, MIDDLE, 0.0)
    driver.halt(0.0)
    assert not driver.is_driving
    assert driver.velocity(MIDDLE, LIMITS, 0.1) == STOP
    assert driver.go(EAST, MIDDLE, 0.2) == 5        # from where the robot is


def test_halting_nothing_is_allowed():
    driver = Person(square())
    driver.halt(0.0)
    assert not driver.is_driving


def test_a_cell_that_cannot_be_reached_is_given_up():
    driver = Person(square())
    driver.go(EAST, MIDDLE, 100.0)
    driver.go(NORTH, MIDDLE, 101.0)
    assert not driver.velocity(MIDDLE, LIMITS, 100.0 + PATIENCE_S).is_zero
    assert not driver.gave_up
    assert driver.velocity(MIDDLE, LIMITS, 100.1 + PATIENCE_S) == STOP
    assert not driver.is_driving
    assert driver.gave_up
    driver.go(EAST, MIDDLE, 200.0)
    assert not driver.gave_up


def test_patience_begins_again_with_every_cell():
    driver = Person(square())
    driver.go(EAST, MIDDLE, 0.0)
    driver.go(NORTH, MIDDLE, 0.0)
    driver.velocity(Pose(2.5, 1.5, 0.0), LIMITS, PATIENCE_S)        # there at the last moment
    assert driver.is_driving
    assert not driver.velocity(Pose(2.5, 1.6, 0.0), LIMITS, 2.0 * PATIENCE_S).is_zero
    assert driver.velocity(Pose(2.5, 1.6, 0.0), LIMITS, 2.0 * PATIENCE_S + 0.1) == STOP


def test_patience_begins_with_the_command_and_not_before():
    driver = Person(square())
    driver.velocity(MIDDLE, LIMITS, 0.0)
    driver.go(EAST, MIDDLE, 1000.0)
    assert not driver.velocity(MIDDLE, LIMITS, 1000.0).is_zero


# ---- any drive ------------------------------------------------------------------------------

def test_the_drive_is_told_one_cell_after_the_other():
    drive = FakeDrive(Progress.UNDER_WAY)
    driver = CellDriver(square(), drive)
    driver.go(EAST, MIDDLE, 0.0)
    driver.go(NORTH, MIDDLE, 0.0)
    driver.step(MIDDLE, 0.1)
    assert drive.paths == [[(2.5, 1.5)]]
    assert driver.is_driving


def test_a_drive_that_ends_in_the_cell_has_arrived_however_far_from_its_middle():
    drive = FakeDrive(Progress.ARRIVED)
    driver = CellDriver(square(), drive)
    driver.go(EAST, MIDDLE, 0.0)
    driver.step(Pose(2.01, 1.01, 0.0), 0.1)
    assert (driver.is_driving, driver.gave_up, drive.stops) == (False, False, [0.1])


@pytest.mark.parametrize('progress', [Progress.FAILED, Progress.ARRIVED])
def test_a_drive_that_ends_outside_the_cell_has_not_got_there(progress):
    drive = FakeDrive(progress)
    driver = CellDriver(square(), drive)
    driver.go(EAST, MIDDLE, 0.0)
    driver.step(MIDDLE, 0.1)
    assert (driver.is_driving, driver.gave_up, drive.stops) == (False, True, [0.1])


def test_a_drive_that_knows_why_it_fails_says_so():
    drive = FakeDrive(Progress.FAILED)
    drive.trouble = ExecutionReason.NAV2_MISSING, ('navigate_to_pose',)
    driver = CellDriver(square(), drive)
    driver.go(EAST, MIDDLE, 0.0)
    driver.step(MIDDLE, 0.1)
    assert (driver.gave_up, driver.trouble) == (True, drive.trouble)


# ---- every world ----------------------------------------------------------------------------

@for_each('name', WITH_CELLS)
class TestEveryWorld:
    def test_is_driven_cell_by_cell_as_its_actions_lead(self, name, rng):
        world, cells = world_of(name), CellMap(world_of(name))
        driver, state = Person(cells), int(rng.integers(world.mdp.num_states))
        pose, moves = Pose(*cells.centre(state), rng.uniform(-math.pi, math.pi)), 0
        for action in rng.integers(world.mdp.num_actions, size=40).tolist():
            target = int(world.targets[state, action])
            if target == state:
                with pytest.raises(GbsIrlError, match='there is no way in that direction'):
                    driver.go(action, pose, 0.0)
                continue
            assert driver.go(action, pose, 0.0) == target
            poses = driven(driver, cells, pose, rng, noise=0.05)
            assert passed(cells, poses)[-1] == target
            assert off_centre(cells, poses[-1], target) <= ARRIVED
            state, pose, moves = target, poses[-1], moves + 1
        assert moves > 10

    def test_is_driven_from_the_middle_of_a_cell_straight_into_the_next(self, name, rng):
        world, cells = world_of(name), CellMap(world_of(name))
        for state in rng.integers(world.mdp.num_states, size=5).tolist():
            for action in np.flatnonzero(world.targets[state] != state).tolist():
                driver, pose = Person(cells), Pose(*cells.centre(state), 0.3)
                target = driver.go(action, pose, 0.0)
                assert passed(cells, driven(driver, cells, pose, rng)) == [state, target]


@settings(deadline=None, derandomize=True, max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_wherever_in_a_cell_it_sets_out_it_arrives(seed):
    rng, cells = np.random.default_rng(seed), square()
    state = int(rng.integers(9))
    x, y = cells.centre(state)
    pose = Pose(*(np.array([x, y]) + rng.uniform(-0.49, 0.49, 2)), rng.uniform(-4.0, 4.0))
    action = int(rng.choice([each for each in range(4) if cells.target(state, each) != state]))
    driver = Person(cells)
    target = driver.go(action, pose, 0.0)
    end = driven(driver, cells, pose, rng, noise=0.1)[-1]
    assert off_centre(cells, end, target) <= ARRIVED


def test_a_slow_robot_is_given_more_time():
    driver, slow = Person(square()), Limits(0.02, 0.1)
    driver.go(EAST, MIDDLE, 0.0)
    assert not driver.velocity(MIDDLE, slow, 100.0).is_zero
