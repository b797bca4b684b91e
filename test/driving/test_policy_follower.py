"""Following a policy: one leg by hand, then every task from anywhere."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.driving.cell_map import ARRIVED, CellMap
from gbs_irl_ros.driving.drive import towards
from gbs_irl_ros.driving.policy_follower import PolicyFollower
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.tasks import load_task, load_truth, shipped_tasks
from gbs_irl_ros.tasks.worlds.grid import build_grid
from gbs_irl_ros.teaching.paths import rehearse

NORTH, EAST, SOUTH, WEST, STAY = range(5)
FIVE = ('north', 'east', 'south', 'west', 'stay')
LIMITS = Limits(2.0, 4.0)
STEP_S = 0.05
MAX_STEPS = 4000       # 200 s
CONFIDENCE = 0.9
UP, DOWN, LEFT = math.pi / 2.0, -math.pi / 2.0, math.pi
DRIVING, UNSURE = ExecutionStatus.DRIVING, ExecutionStatus.UNSURE
GOAL, STAYING, LOST = ExecutionStatus.GOAL, ExecutionStatus.STAYING, ExecutionStatus.LOST
FORBIDDEN = ExecutionReason.FORBIDDEN
WITH_CELLS = [name for name in sorted(shipped_tasks())
              if load_task(name).world.layout is not None]


@cache
def square(rows=('...', '...', '...')):
    """States 0 1 2 / 3 4 5 / 6 7 8; the middle of state 4 is at (1.5, 1.5)."""
    return CellMap(square_world(rows))


@cache
def square_world(rows=('...', '...', '...')):
    return build_grid(list(rows), {}, FIVE, 0.9).world


@cache
def places_of(name):
    return CellMap(load_task(name).world)


@cache
def true_policy(name):
    """What the teacher means, as sure as can be; planned for alone."""
    task, truth = load_task(name), load_truth(name)
    mdp = task.world.mdp
    goals = task.candidates.goals
    goals = None if goals is None else goals[[truth.index]]
    alone = Hypotheses.from_rewards(
        mdp, Rewards.from_dense(truth.reward[np.newaxis], mdp.num_actions), goals=goals)
    return Policy(alone.sets.policy_sets(0), np.ones(mdp.num_states), alone.goal_states(0),
                  mdp.num_actions)


def policy(*actions, confidence=None, goals=(), count=9):
    """Everywhere these actions; with a dictionary, others in some states."""
    others = actions[-1] if isinstance(actions[-1], dict) else {}
    common = [action for action in actions if not isinstance(action, dict)]
    sets = [sum(1 << action for action in others.get(state, common)) for state in range(count)]
    sure = np.ones(count)
    for state, value in (confidence or {}).items():
        sure[state] = value
    return Policy(np.array(sets), sure, np.array(goals, dtype=int), len(FIVE))


def follower(cells=None, confidence=CONFIDENCE):
    return PolicyFollower(cells or square(), confidence)


def drives(cells, follower, policy, pose, rng, noise=0.0):
    """Yield each decision with the pose it was made at, up to the first that is not to drive."""
    drive = DifferentialDrive(cells, noise)
    for _ in range(MAX_STEPS):
        decision = follower.decide(policy, pose)
        yield decision, pose
        if decision.status is not DRIVING:
            return
        pose = moved(drive, pose, decision, rng)


def moved(drive, pose, decision, rng):
    """Return the pose after a step as decided."""
    if decision.target is None:
        return pose
    velocity = towards(pose, drive.cells.centre(decision.target), LIMITS)
    return drive.moved(pose, velocity, STEP_S, rng)


def anywhere(cells, num_states, rng):
    """A pose anywhere in a cell, facing anywhere."""
    x, y = cells.centre(int(rng.integers(num_states)))
    off = rng.uniform(-0.49, 0.49, 2) * cells.cell_size
    return Pose(x + off[0], y + off[1], rng.uniform(-math.pi, math.pi))


def off_centre(cells, pose, state):
    """How far from the middle of a cell, in cells."""
    return math.dist((pose.x, pose.y), cells.centre(state)) / cells.cell_size


# ---- one decision ---------------------------------------------------------------------------

def test_it_drives_to_the_next_cell_as_the_policy_says():
    pose = Pose(1.4, 1.6, 0.3)
    decision = follower().decide(policy(EAST), pose)
    assert decision.status is DRIVING
    assert execution_text(decision) == 'driving to state 5'
    assert (decision.state, decision.action) == (4, EAST)
    assert decision.target == 5


def test_at_a_goal_it_stands():
    decision = follower().decide(policy(EAST, goals=[4, 7]), Pose(1.5, 1.5, 0.0))
    assert decision.status is GOAL
    assert execution_text(decision) == 'the goal is reached'
    assert (decision.target, decision.state, decision.action) == (None, 4, None)


def test_where_it_is_not_sure_it_stands_and_says_how_sure_it_is():
    decision = follower().decide(policy(EAST, confidence={4: 0.756}), Pose(1.5, 1.5, 0.0))
    assert decision.status is UNSURE
    assert execution_text(decision) == (
        'not sure what to do at state 4: confidence 0.76, at least 0.90 is needed')
    assert (decision.target, decision.state, decision.action) == (None, 4, None)


def test_just_sure_enough_is_sure():
    pose = Pose(1.5, 1.5, 0.0)
    below = float(np.nextafter(CONFIDENCE, 0.0))
    assert follower().decide(policy(EAST, confidence={4: CONFIDENCE}), pose).status is DRIVING
    assert follower().decide(policy(EAST, confidence={4: below}), pose).status is UNSURE


@for_each(('confidence', 'status'), [(1e-9, DRIVING), (0.0, UNSURE)])
def test_without_a_threshold_it_drives_unless_nothing_is_concluded(confidence, status):
    decision = follower(confidence=0.0).decide(
        policy(EAST, confidence={4: confidence}), Pose(1.5, 1.5, 0.0))
    assert decision.status is status


def test_a_goal_it_is_not_sure_of_is_asked_about():
    decision = follower().decide(policy(EAST, confidence={4: 0.5}, goals=[4]),
                                 Pose(1.5, 1.5, 0.0))
    assert decision.status is UNSURE


def test_where_the_policy_stays_it_stays():
    decision = follower().decide(policy(STAY), Pose(1.5, 1.5, 0.0))
    assert decision.status is STAYING
    assert execution_text(decision) == 'the policy stays here'
    assert (decision.target, decision.state, decision.action) == (None, 4, STAY)


def test_where_all_actions_lead_into_walls_it_stays():
    decision = follower().decide(policy(NORTH, WEST), Pose(0.5, 2.5, 0.0))
    assert decision.status is STAYING
    assert decision.action == NORTH


def test_where_it_may_stay_or_go_it_goes():
    decision = follower().decide(policy(STAY, SOUTH), Pose(1.5, 1.5, 0.0))
    assert (decision.status, decision.action) == (DRIVING, SOUTH)


@for_each(('x', 'y'), [(-0.01, 1.5), (1.5, 3.01), (1e6, -1e6)])
def test_outside_all_cells_it_is_lost(x, y):
    decision = follower().decide(policy(EAST), Pose(x, y, 0.0))
    assert decision.status is LOST
    assert execution_text(decision) == (
        f'the robot is at ({x:.2f}, {y:.2f}), outside all cells of the task')
    assert (decision.target, decision.state, decision.action) == (None, None, None)


def test_however_far_outside_it_says_so_in_one_line():
    assert execution_text(follower().decide(policy(EAST), Pose(1e308, -2.5e99, 0.0))) == (
        'the robot is at (1e+308, -2.5e+99), outside all cells of the task')


def test_in_a_wall_it_is_lost():
    cells = square(('...', '.#.', '...'))
    decision = follower(cells).decide(policy(EAST, count=8), Pose(1.5, 1.5, 0.0))
    assert decision.status is LOST


@for_each('yaw', [UP, 0.0, DOWN, LEFT])
def test_it_drives_the_way_that_is_shown_wherever_it_looks(yaw, rng):
    ties = policy(SOUTH, EAST, {2: [SOUTH], 5: [SOUTH], 6: [EAST], 7: [EAST]}, goals=[8])
    shown = rehearse(square_world(), ties, 0)
    seen = drives(square(), follower(), ties, Pose(0.5, 2.5, yaw), rng)
    passed = list(dict.fromkeys(decision.state for decision, _ in seen))
    assert tuple(passed) == shown.states == (0, 1, 2, 5, 8)


def test_of_good_actions_it_takes_only_those():
    assert follower().decide(policy(NORTH, WEST), Pose(1.5, 1.5, 0.1)).action == NORTH
    assert follower().decide(policy(SOUTH, WEST), Pose(1.5, 1.5, 0.1)).action == SOUTH


@for_each(('start', 'over', 'status'), [
    (3, (), FORBIDDEN), (3, (4,), DRIVING), (3, (1, 4, 7), DRIVING), (3, (1,), FORBIDDEN),
    (4, (), DRIVING), (0, (), FORBIDDEN)])
def test_what_must_never_be_entered_is_left_and_not_entered(start, over, status):
    through = replace(policy(EAST, {0: [SOUTH]}, goals=[5]), never=np.array([1, 4, 7]))
    decision = follower().decide(through, Pose(*square().centre(start), 0.0), over=frozenset(over))
    assert status in (decision.status, decision.reason)
    assert (decision.target is None) == (status is FORBIDDEN)


def test_a_leg_that_must_not_be_driven_any_more_is_given_up_before_the_cell_is_left():
    allowed, never = begun(), replace(policy(EAST), never=np.array([5]))
    assert allowed.decide(never, Pose(1.6, 1.5, 0.0)).reason is FORBIDDEN
    assert begun().decide(never, Pose(2.1, 1.5, 0.0)).status is DRIVING


@for_each('confidence', [-0.1, 1.1, math.nan])
def test_confidence_is_a_probability(confidence):
    with pytest.raises(InvalidRecordError,
                       match=rf'confidence must be in \[0, 1\], got {confidence}'):
        follower(confidence=confidence)


# ---- legs -----------------------------------------------------------------------------------

def begun(leg=None):
    """An follower that has set out from state 4 to the east."""
    robot = follower()
    assert robot.decide(leg or policy(EAST), Pose(1.5, 1.5, 0.0)).action == EAST
    return robot


@for_each(('x', 'status'), [
    (1.9, 'driving to state 5'), (2.01, 'driving to state 5'),
    (2.5 - ARRIVED - 0.01, 'driving to state 5'), (2.5 - ARRIVED + 0.01, 'driving to state 2')])
def test_a_leg_is_driven_to_the_middle_of_its_cell(x, status):
    then_north = policy(EAST, {5: [NORTH]})
    assert execution_text(begun(then_north).decide(then_north, Pose(x, 1.5, 0.0))) == status


def test_a_leg_into_a_goal_ends_in_its_middle():
    to_goal = policy(EAST, goals=[5])
    robot = begun(to_goal)
    assert robot.decide(to_goal, Pose(2.1, 1.5, 0.0)).status is DRIVING
    assert robot.decide(to_goal, Pose(2.4, 1.5, 0.0)).status is GOAL


def test_a_leg_into_a_cell_it_is_not_sure_of_ends_in_its_middle():
    into = policy(EAST, {5: [NORTH]}, confidence={5: 0.1})
    robot = begun(into)
    assert robot.decide(into, Pose(2.1, 1.5, 0.0)).status is DRIVING
    assert robot.decide(into, Pose(2.4, 1.5, 0.0)).status is UNSURE


def test_a_leg_that_is_begun_is_kept_when_another_comes_first():
    two_ways = policy(NORTH, EAST)
    robot = begun()
    assert robot.decide(two_ways, Pose(1.6, 1.5, UP)).action == EAST
    assert follower().decide(two_ways, Pose(1.6, 1.5, UP)).action == NORTH


@pytest.mark.parametrize('x', [1.7, 2.1])
def test_a_policy_that_no_longer_wants_a_leg_is_obeyed_at_once(x):
    decision = begun().decide(policy(SOUTH), Pose(x, 1.5, 0.0))
    assert (decision.status, decision.action) == (DRIVING, SOUTH)
    assert execution_text(decision) == f'driving to state {7 if x < 2.0 else 8}'


@for_each(('changed', 'status'), [
    (policy(STAY), STAYING), (policy(SOUTH, goals=[4]), GOAL),
    (policy(SOUTH, confidence={4: 0.1}), UNSURE)])
def test_a_policy_that_no_longer_wants_a_leg_may_end_the_drive(changed, status):
    decision = begun().decide(changed, Pose(1.7, 1.5, 0.0))
    assert (decision.status, decision.target) == (status, None)


def test_a_policy_that_still_wants_a_leg_changes_nothing():
    decision = begun().decide(policy(NORTH, {4: [EAST, WEST]}), Pose(2.1, 1.5, LEFT))
    assert execution_text(decision) == 'driving to state 5'


@pytest.mark.parametrize(('changed', 'status'), [
    (policy(EAST, confidence={4: 0.1}), UNSURE), (policy(EAST, goals=[4]), GOAL)])
def test_who_has_not_left_a_cell_stops_when_the_policy_says_stop_there(changed, status):
    decision = begun().decide(changed, Pose(1.6, 1.5, 0.0))
    assert (decision.status, decision.target, decision.state) == (status, None, 4)


@pytest.mark.parametrize('changed', [
    policy(EAST, confidence={4: 0.1}), policy(EAST, goals=[4])])
def test_who_has_left_a_cell_drives_on_whatever_became_of_it(changed):
    assert execution_text(begun().decide(changed, Pose(2.1, 1.5, 0.0))) == 'driving to state 5'


def test_who_had_to_stop_has_no_leg_any_more():
    two_ways = policy(NORTH, EAST)
    robot = begun()
    robot.decide(policy(NORTH, EAST, confidence={4: 0.1}), Pose(1.6, 1.5, 0.0))
    assert robot.decide(two_ways, Pose(1.6, 1.5, UP)).action == NORTH


def test_who_is_pushed_aside_goes_on_from_there():
    robot = begun()
    decision = robot.decide(policy(EAST, {1: [WEST]}), Pose(1.5, 2.4, 0.0))
    assert (decision.state, decision.action) == (1, WEST)


def test_who_was_lost_has_no_leg_any_more():
    robot, two_ways = begun(), policy(NORTH, EAST)
    robot.decide(two_ways, Pose(9.0, 9.0, 0.0))
    assert robot.decide(two_ways, Pose(1.5, 1.5, UP)).action == NORTH


def test_who_forgets_has_no_leg_any_more():
    robot, two_ways = begun(), policy(NORTH, EAST)
    robot.forget()
    assert robot.decide(two_ways, Pose(1.5, 1.5, UP)).action == NORTH


def test_who_forgets_in_the_next_cell_sets_out_from_there():
    then_north = policy(EAST, {5: [NORTH]})
    robot = begun(then_north)
    robot.forget()
    assert execution_text(robot.decide(then_north, Pose(2.05, 1.5, 0.0))) == 'driving to state 2'


def test_forgetting_nothing_is_allowed():
    robot = follower()
    robot.forget()
    assert robot.decide(policy(EAST), Pose(1.5, 1.5, 0.0)).status is DRIVING


# ---- whole drives ---------------------------------------------------------------------------

def test_a_drive_round_a_corner_passes_the_cells_of_the_policy(rng):
    around = policy(EAST, {2: [SOUTH], 5: [SOUTH]}, goals=[8])
    seen = list(drives(square(), follower(), around, Pose(0.5, 2.5, DOWN), rng))
    states = [decision.state for decision, _ in seen]
    assert list(dict.fromkeys(states)) == [0, 1, 2, 5, 8]
    assert seen[-1][0].status is GOAL
    assert off_centre(square(), seen[-1][1], 8) <= ARRIVED


@settings(deadline=None, derandomize=True, max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_where_it_is_not_sure_it_never_sets_out(seed):
    """In such a cell it drives only to its middle, having come from one it is sure of."""
    cells, rng = places_of('grid_world'), np.random.default_rng(seed)
    count = true_policy('grid_world').num_states
    doubtful = Policy(rng.integers(1, 16, count), rng.choice([0.5, 1.0], count, p=[0.2, 0.8]),
                      rng.choice(count, 5), 4)
    came_from, state = None, None
    seen = drives(cells, follower(cells), doubtful, anywhere(cells, count, rng), rng, 0.1)
    for decision, pose in islice(seen, 400):
        if decision.state != state:
            came_from, state = state, decision.state
        may_stand = doubtful.confidence[state] < CONFIDENCE or state in doubtful.goal_states
        if decision.status is DRIVING and may_stand:
            assert came_from is not None
            assert doubtful.confidence[came_from] >= CONFIDENCE
            assert came_from not in doubtful.goal_states
            assert off_centre(cells, pose, state) > ARRIVED
        assert (decision.target is not None) == (decision.status is DRIVING)


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_whatever_policies_come_where_it_must_stand_it_drives_to_the_middle_only(seed):
    cells, rng = places_of('grid_world'), np.random.default_rng(seed)
    count, robot = true_policy('grid_world').num_states, follower(places_of('grid_world'))
    pose, drive = anywhere(cells, count, rng), DifferentialDrive(cells, 0.1)
    for step in range(300):
        if step % 7 == 0:
            sure = rng.choice([0.5, 1.0], count, p=[0.1, 0.9])
            newest = Policy(rng.integers(1, 16, count), sure, rng.choice(count, 5), 4)
        decision = robot.decide(newest, pose)
        must_stand = newest.confidence[decision.state] < CONFIDENCE \
            or decision.state in newest.goal_states
        if must_stand and decision.status is DRIVING:
            assert execution_text(decision) == f'driving to state {decision.state}'
        pose = moved(drive, pose, decision, rng)


@for_each('name', WITH_CELLS)
class TestEveryTask:
    @pytest.mark.slow
    def test_has_a_policy_that_leads_to_a_goal_from_anywhere(self, name, rng):
        cells, right = places_of(name), true_policy(name)
        for _ in range(8):
            *_, (end, pose) = drives(cells, follower(cells), right,
                                     anywhere(cells, right.num_states, rng), rng, 0.1)
            assert end.status is GOAL
            assert end.target is None
            assert cells.state_at(pose.x, pose.y) in right.goal_states

    def test_has_a_policy_that_is_followed_action_by_action(self, name, rng):
        cells, right = places_of(name), true_policy(name)
        for _ in range(10):
            start = int(rng.integers(right.num_states))
            pose = Pose(*cells.centre(start), rng.uniform(-math.pi, math.pi))
            before = start
            for decision, _ in drives(cells, follower(cells), right, pose, rng):
                if decision.state != before:
                    assert decision.state in [cells.target(before, action)
                                              for action in right.actions(before)]
                before = decision.state

    def test_is_not_driven_at_all_without_confidence(self, name, rng):
        cells, right = places_of(name), true_policy(name)
        unsure = Policy(right.action_sets, np.full(right.num_states, 0.89), right.goal_states,
                        right.num_actions)
        for _ in range(20):
            decision = follower(cells).decide(unsure, anywhere(cells, right.num_states, rng))
            assert (decision.status, decision.target) == (UNSURE, None)
