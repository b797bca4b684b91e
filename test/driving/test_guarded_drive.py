"""A robot that is steered stops for what is in its way, and drives again when that is gone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.driving.cell_driver import CellDriver
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive_decision import DriveDecider
from gbs_irl_ros.driving.guarded_drive import GuardedSteeringDrive
from gbs_irl_ros.driving.obstacles import CLEAR_FOR_S, ObstacleWatch, Scan
from gbs_irl_ros.driving.pose import STOP, Pose, Velocity
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.grid import build_grid

TICK_S = 0.05
EAST, WEST = 1, 3
BEAM = {'first_angle': 0.0, 'increment': 0.01, 'nearest': 0.05, 'farthest': 10.0}


class Robot:
    """
    Drives east along a corridor; its laser sees one thing that stands in it.

    obstacle: where that is [m], None if it is gone.
    """

    def __init__(self):
        built = build_grid(['..........'], {}, ('north', 'east', 'south', 'west'), 0.9)
        self.world = World('way', built.mdp, built.mdp.checked_start(None),
                           built.world.appearance, hash='c3' * 32)
        self.cells, self.sent = CellMap(self.world), []
        self.watch, self.rng = ObstacleWatch(), np.random.default_rng(0)
        self.drive = GuardedSteeringDrive(self.sent.append, self.watch)
        self.decider = DriveDecider(self.drive)
        self.decider.see_world(self.world)
        count = self.world.mdp.num_states
        self.decider.gate.policy = PolicyRecord('s', 1, self.world.hash, Policy(
            np.full(count, 1 << EAST), np.ones(count), np.array([count - 1]), 4), final=True)
        self.decider.gate.needs_learner = False
        self.decider.gate.permit(True)
        self.pose, self.now, self.obstacle = Pose(0.5, 0.5, 0.0), 0.0, None

    def see(self):
        far = math.inf if self.obstacle is None else self.obstacle - self.pose.x
        self.watch.see(Scan.of(np.array([far, far]), **BEAM), self.now)

    def go(self):
        """Live for one tick; return what is decided."""
        self.now += TICK_S
        self.see()
        self.decider.see_pose(self.pose, self.now)
        decision = self.decider.act(self.now)
        self.pose = DifferentialDrive(self.cells).moved(
            self.pose, self.sent[-1] if self.sent else STOP, TICK_S, self.rng)
        return decision

    def until(self, status, most_s=30.0):
        for _ in range(round(most_s / TICK_S)):
            decision = self.go()
            if decision.status is status:
                return decision
        raise AssertionError(f'never {status}: {decision}')


@pytest.fixture
def robot():
    return Robot()


def test_it_stands_before_what_is_in_its_way_and_says_so(robot):
    robot.obstacle = 4.0
    decision = robot.until(ExecutionStatus.STOPPED)
    assert decision.reason is ExecutionReason.OBSTACLE
    assert execution_text(decision) == f'something is in the way {decision.data[0]} m ahead'
    assert robot.sent[-1] == STOP
    for _ in range(100):
        assert robot.go().reason is ExecutionReason.OBSTACLE
    assert 4.0 - 0.2 - 0.5 <= robot.pose.x + 0.05 <= 4.0 - 0.2      # before it, not upon it


def test_it_drives_on_by_itself_when_the_way_was_clear_for_a_second(robot):
    robot.obstacle = 4.0
    robot.until(ExecutionStatus.STOPPED)
    robot.obstacle, left_at = None, robot.now
    robot.until(ExecutionStatus.DRIVING)
    assert CLEAR_FOR_S - TICK_S <= robot.now - left_at <= CLEAR_FOR_S + 2.0 * TICK_S
    robot.until(ExecutionStatus.GOAL)


def test_what_stands_beyond_the_goal_does_not_matter(robot):
    robot.obstacle = 10.0       # the wall at the end of the corridor
    robot.until(ExecutionStatus.GOAL)


def test_without_scans_it_does_not_move(robot):
    robot.see = lambda: None
    decision = robot.until(ExecutionStatus.STOPPED)
    assert execution_text(decision) == \
        'the robot cannot see what is in its way: no scan yet on scan'
    assert robot.pose == Pose(0.5, 0.5, 0.0)


def test_to_drive_round_it_by_hand_is_not_a_correction(robot):
    robot.obstacle = 4.0
    robot.until(ExecutionStatus.STOPPED)
    for x in (3.5, 2.5, 1.5):
        robot.now += TICK_S
        robot.decider.see_command(Velocity(-0.7, 0.1), robot.now)
        robot.decider.see_pose(Pose(x, 0.5, 0.0), robot.now)
        assert robot.decider.decide(robot.now).status is ExecutionStatus.MANUAL
    robot.now += 5.0
    robot.decider.decide(robot.now)
    assert robot.decider.take_correction() is None


def test_a_person_is_stopped_too_and_may_drive_elsewhere(robot):
    robot.obstacle, robot.pose = 2.1, Pose(1.5, 0.5, 0.0)
    robot.see()
    driver = CellDriver(robot.cells, robot.drive)
    driver.go(EAST, robot.pose, 0.0)
    driver.step(robot.pose, 0.0)
    assert driver.gave_up
    assert driver.trouble == (ExecutionReason.OBSTACLE, ('0.4',))
    assert robot.sent[-1] == STOP
    robot.watch.see(Scan.of(np.array([math.inf]), **BEAM), 2.0)
    driver.go(WEST, robot.pose, 2.0)
    driver.step(robot.pose, 2.0)
    assert driver.is_driving
