"""Cells that were passed become steps of a demonstration."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from cases import for_each

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import MAX_STEPS
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import towards
from gbs_irl_ros.driving.policy_follower import PolicyFollower
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.driving.step_recorder import StepRecorder
from gbs_irl_ros.tasks import load_task, load_truth, shipped_tasks
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.cells import Grid, grid_appearance

NORTH, EAST, SOUTH, WEST = range(4)
FOUR = ('north', 'east', 'south', 'west')
WITH_CELLS = [name for name in sorted(shipped_tasks())
              if load_task(name).world.layout is not None]


def floor(*rows, blocked=None, **options):
    grid = Grid(np.array([[character != '#' for character in row] for row in rows]), blocked or {})
    mdp = grid.mdp(FOUR, 0.9, **options)
    return CellMap(World('drawn', mdp, mdp.checked_start(None), grid_appearance(grid, FOUR)))


@cache
def world_of(name):
    return load_task(name).world


def recorder(*states, cells=None):
    """A recorder that has seen these, in a square of states 0 1 2 / 3 4 5 / 6 7 8."""
    seeing = StepRecorder(cells or floor('...', '...', '...'))
    for state in states:
        seeing.see(state)
    return seeing


def steps_of(*states, cells=None):
    shown = recorder(*states, cells=cells).take()
    return None if shown is None else list(shown.steps)


def test_a_path_becomes_states_and_the_actions_that_leave_them():
    assert recorder(0, 1, 4, 3, 0).take() == DemonstrationAnswer(
        ((0, EAST), (1, SOUTH), (4, WEST), (3, NORTH)))


def test_nothing_seen_is_nothing_shown():
    assert recorder().take() is None


def test_one_place_is_nothing_shown():
    assert recorder(4).take() is None


def test_a_place_seen_again_and_again_is_one_place():
    assert steps_of(0, 0, 0, 1, 1, 4, 4, 4) == [(0, EAST), (1, SOUTH)]


def test_going_back_and_forth_is_shown_as_it_was():
    assert steps_of(0, 1, 0, 1) == [(0, EAST), (1, WEST), (0, EAST)]


@for_each('jump', [2, 4, 8])
def test_a_jump_is_no_step_and_the_path_goes_on_behind_it(jump):
    after = {2: (5, SOUTH), 4: (7, SOUTH), 8: (7, WEST)}[jump]
    assert steps_of(3, 0, jump, after[0]) == [(3, NORTH), (jump, after[1])]


def test_being_nowhere_breaks_a_path():
    assert steps_of(0, 1, None, 4, 5) == [(0, EAST), (4, EAST)]
    assert steps_of(None, 0, None, None, 1) is None


def test_the_wrong_way_through_a_one_way_wall_is_no_step():
    cells = floor('..', blocked={'east': np.array([[True, False]])})
    assert steps_of(1, 0, cells=cells) == [(1, WEST)]
    assert steps_of(0, 1, cells=cells) is None


def test_two_cells_at_once_are_a_step_where_the_robot_slides():
    cells = floor('....', jumps={1: 0.6, 2: 0.4})
    assert steps_of(0, 2, 3, cells=cells) == [(0, EAST), (2, EAST)]
    assert steps_of(0, 3, cells=cells) is None


def test_taking_clears_what_was_shown():
    seeing = recorder(0, 1, 2)
    assert seeing.take() is not None
    assert seeing.take() is None


def test_after_taking_the_path_goes_on_from_where_the_robot_is():
    seeing = recorder(0, 1)
    seeing.take()
    seeing.see(4)
    assert seeing.take() == DemonstrationAnswer(((1, SOUTH),))


def test_after_clearing_nothing_is_known_any_more():
    seeing = recorder(0, 1)
    seeing.clear()
    seeing.see(4)
    assert seeing.take() is None
    seeing.see(5)
    assert seeing.take() == DemonstrationAnswer(((4, EAST),))


def test_no_more_steps_are_kept_than_a_demonstration_may_have():
    seeing = recorder(*[0, 1] * MAX_STEPS)
    shown = seeing.take()
    assert len(shown.steps) == MAX_STEPS
    assert shown.steps[:2] == ((0, EAST), (1, WEST))
    seeing.see(4)
    assert seeing.take() == DemonstrationAnswer(((1, SOUTH),))


def test_what_was_taken_does_not_change_afterwards():
    seeing = recorder(0, 1)
    shown = seeing.take()
    seeing.see(4)
    assert shown == DemonstrationAnswer(((0, EAST),))


@for_each('name', WITH_CELLS)
class TestEveryTask:
    def test_gets_back_the_states_of_a_walk_by_replaying_its_steps(self, name, rng):
        """Along likeliest successors, which the transition matrix names here."""
        world = world_of(name)
        likeliest = np.asarray(world.mdp.transitions.argmax(axis=1)).reshape(
            world.mdp.num_states, world.mdp.num_actions)
        for _ in range(5):
            walk = [int(rng.integers(world.mdp.num_states))]
            for action in rng.integers(world.mdp.num_actions, size=200):
                walk.append(int(likeliest[walk[-1], action]))
            passed = [state for index, state in enumerate(walk)
                      if index == 0 or walk[index - 1] != state]
            shown = recorder(*walk, cells=CellMap(world)).take()
            shown.check_fits(world.mdp)
            replayed = [passed[0]]
            for state, action in shown.steps:
                assert state == replayed[-1]
                replayed.append(int(likeliest[state, action]))
            assert replayed == passed

    def test_gets_demonstrations_of_its_policy_from_a_drive(self, name, rng):
        world, cells = world_of(name), CellMap(world_of(name))
        right = SimulatedTeacher.for_reward(world.mdp, load_truth(name).reward).optimal_sets
        policy = Policy(right, np.ones(len(right)), np.array([]), world.mdp.num_actions)
        for start in rng.choice(len(right), 5, replace=False).tolist():
            seeing, robot = StepRecorder(cells), PolicyFollower(cells, 0.9)
            pose = Pose(*cells.centre(start), rng.uniform(-math.pi, math.pi))
            for _ in range(200):
                decision = robot.decide(policy, pose)
                seeing.see(decision.state)
                if decision.target is not None:
                    velocity = towards(pose, cells.centre(decision.target), Limits(2.0, 4.0))
                    pose = DifferentialDrive(cells).moved(pose, velocity, 0.05, rng)
            steps = seeing.take().steps
            assert steps[0][0] == start
            assert all(action in policy.actions(state) for state, action in steps)
