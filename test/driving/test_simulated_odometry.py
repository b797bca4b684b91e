"""
A hundred drives by odometry that drifts by 3 %, set right twice a second: no wall is touched.

Without ROS and faster than real time, with the very classes that drive a robot: decider, follower,
steering, correction of the pose, and the simulated robot between its walls.
"""

from __future__ import annotations

import math
from collections import deque
from functools import cache

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import SteeringDrive
from gbs_irl_ros.driving.drive_decision import DriveDecider
from gbs_irl_ros.driving.pose import STOP, Limits, Pose
from gbs_irl_ros.driving.pose_correction import PoseCorrection
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.driving.simulated_odometry import Drift, DriftingOdometry
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.tasks import load_task, load_truth

TICK_S = 0.05
FIX_EVERY, FIX_LATE = 10, 3         # ticks: 2 Hz, each 0.15 s late
FIX_SPREAD = 0.02                   # [m], [rad]
DRIFT = 0.03
RADIUS = 0.2                        # of the robot, in cells: 0.1 m in a room of 0.5 m cells
LONGEST_S = 240.0
TASKS = ('room', 'puddle_world', 'trap_world', 'room', 'grid_world')
RIM = [(math.cos(angle), math.sin(angle)) for angle in np.arange(8) * math.pi / 4.0]


@cache
def taught(name):
    """A task, and what its teacher means, planned for alone."""
    task, truth = load_task(name), load_truth(name)
    mdp, goals = task.world.mdp, task.candidates.goals
    alone = Hypotheses.from_rewards(
        mdp, Rewards.from_dense(truth.reward[np.newaxis], mdp.num_actions),
        goals=None if goals is None else goals[[truth.index]])
    return task, Policy(alone.sets.policy_sets(0), np.ones(mdp.num_states), alone.goal_states(0),
                        mdp.num_actions)


class Drive:
    """
    One drive of a robot by odometry that drifts, from anywhere to the goal.

    contacts: ticks at which the robot touched a wall.
    """

    def __init__(self, name, seed, corrected=True):
        task, policy = taught(name)
        self.rng, self.corrected = np.random.default_rng(seed), corrected
        self.cells, self.sent, self.contacts = CellMap(task.world), [], 0
        start = int(self.rng.integers(policy.num_states))
        self.pose = Pose(*self.cells.centre(start), self.rng.uniform(-math.pi, math.pi))
        self.motion = DifferentialDrive(self.cells, noise=0.05)
        self.odometry = DriftingOdometry(self.pose, Drift(*self.rng.choice([-DRIFT, DRIFT], 2)))
        self.correction = PoseCorrection()
        steering = SteeringDrive(self.sent.append)
        steering.limits = Limits(0.5, 1.5)
        self.decider = DriveDecider(steering)
        self.decider.see_world(task.world)
        self.decider.gate.needs_learner = False
        self.decider.gate.permit(True)
        self.decider.gate.policy = PolicyRecord('alone', 1, task.hash, policy, final=True)
        self.correction.see_odometry(self.odometry.pose, 0.0)
        self.correction.see_pose(self.pose, 0.0)

    def run(self):
        """Drive; return the last decision."""
        fixes = deque()
        for tick in range(1, round(LONGEST_S / TICK_S)):
            now = TICK_S * tick
            self.correction.see_odometry(self.odometry.see(self.pose), now)
            if self.corrected and tick % FIX_EVERY == 0:
                fixes.append((tick + FIX_LATE, self.measured(), now))
            if fixes and fixes[0][0] == tick:
                _, fix, stamp = fixes.popleft()
                self.correction.see_pose(fix, stamp)
            self.decider.see_pose(self.correction.pose, now)
            decision = self.decider.act(now)
            if decision.target is None:
                return decision
            self.pose = self.motion.moved(self.pose, self.sent[-1] if self.sent else STOP,
                                          TICK_S, self.rng)
            self.contacts += self.touches()
        return decision

    def measured(self):
        """Return where a localisation has the robot."""
        x, y, yaw = self.rng.normal((self.pose.x, self.pose.y, self.pose.yaw), FIX_SPREAD)
        return Pose(float(x), float(y), float(yaw))

    def touches(self):
        here, radius = self.cells.state_at(self.pose.x, self.pose.y), RADIUS * self.cells.cell_size
        for across, up in RIM:
            there = self.cells.state_at(self.pose.x + radius * across, self.pose.y + radius * up)
            if there is None or (there != here and 0.0 in (round(across, 9), round(up, 9))
                                 and not self.cells.passable(here, there)
                                 and not self.cells.passable(there, here)):     # one way
                return True
        return False


def driven(count, corrected):
    """Return the drives, and how each ended."""
    drives = [Drive(TASKS[seed % len(TASKS)], seed, corrected) for seed in range(count)]
    return [(drive, drive.run()) for drive in drives]


@pytest.mark.slow
def test_in_a_hundred_drives_with_corrections_no_wall_is_touched():
    drives = driven(100, corrected=True)
    assert {end.status for _, end in drives} == {ExecutionStatus.GOAL}
    assert sum(drive.contacts for drive, _ in drives) == 0
    for drive, _ in drives:     # it is where it says
        assert drive.cells.state_at(drive.pose.x, drive.pose.y) \
            in drive.decider.gate.policy.policy.goal_states


@pytest.mark.slow
def test_without_corrections_walls_are_touched():
    """So the drives above could have touched some."""
    drives = driven(20, corrected=False)
    assert sum(drive.contacts > 0 for drive, _ in drives) >= 4


def test_odometry_that_is_measured_well_is_right():
    odometry = DriftingOdometry(Pose(1.0, 2.0, 0.0), Drift())
    for pose in (Pose(1.1, 2.0, 0.1), Pose(1.2, 2.02, 0.3), Pose(1.2, 2.02, -3.0)):
        assert odometry.see(pose).yaw == pytest.approx(pose.yaw)
        assert math.dist((odometry.pose.x, odometry.pose.y), (pose.x, pose.y)) < 0.01


def test_one_that_counts_too_much_is_ahead_by_that_share():
    odometry = DriftingOdometry(Pose(0.0, 0.0, 0.0), Drift(0.03, -0.03))
    for number in range(1, 101):
        odometry.see(Pose(0.1 * number, 0.0, 0.0))
    assert odometry.pose.x == pytest.approx(10.3)
    odometry.see(Pose(10.0, 0.0, 1.0))
    assert odometry.pose.yaw == pytest.approx(0.97)


@for_each('values', [(math.nan, 0.0), (0.0, math.inf)])
def test_drift_is_a_number(values):
    with pytest.raises(GbsIrlError, match='drift must be finite, got'):
        Drift(*values)
