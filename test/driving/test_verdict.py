"""The verdict: small tasks by hand, the rule, then tasks that come with the package."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import for_each
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.verdict import ENOUGH, Verdict, judge
from gbs_irl_ros.tasks import Task, Truth, World, load_task, load_truth
from gbs_irl_ros.tasks.worlds.grid import build_grid

EAST, WEST = 0b01, 0b10
BOTH = EAST | WEST
NOWHERE = ()


def corridor(reward, *, goals=None, discount=0.5, length=3, slip=0.0):
    """
    Cells in a row, actions east and west; at the ends the robot stays where it is.

    goals: states where the task is accomplished; None: where the reward is largest.
    """
    built = build_grid(['.' * length], {}, ('east', 'west'), discount, slip=slip)
    rewards = np.array([reward], dtype=float)
    marked = None
    if goals is not None:
        marked = sparse.lil_matrix((1, length), dtype=bool)
        for state in goals:
            marked[0, state] = True
        marked = sparse.csr_matrix(marked)
    world = World('corridor', built.mdp, built.mdp.checked_start(None), built.world.appearance)
    task = Task(world, Candidates.of(world.mdp, Rewards.from_dense(rewards, 2), goals=marked),
                NoiseModel())
    return task, Truth(0, 'this', rewards[0])


def one_cell(good, poor):
    """Two actions that stay in the only cell and pay so much; no place is a goal."""
    return corridor([[good, poor]], goals=[], length=1)


def policy(*sets, num_actions=2):
    return Policy(np.array(sets), np.ones(len(sets)), np.array([], dtype=int), num_actions)


@cache
def shipped(name):
    task = load_task(name)
    task.compile()
    return task, load_truth(name)


def policy_for(task, hypothesis):
    hypotheses = task.hypotheses
    sets = hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[hypothesis]))
    return policy(*sets.tolist(), num_actions=task.world.mdp.num_actions)


def truth_of(task, hypothesis):
    avoidance = task.candidates.avoidance
    return Truth(hypothesis, task.hypotheses.name(hypothesis), task.rewards.one(hypothesis),
                 None if avoidance is None else avoidance.one(hypothesis))


def walk(task, policy, start, most=200):
    """The states that a robot goes through which does what it is told, until it stays."""
    cells, path = CellMap(task.world), [start]
    while len(path) < most:
        moves = [target for action in policy.actions(path[-1])
                 if (target := cells.target(path[-1], action)) != path[-1]]
        if not moves or path[-1] in path[:-1]:
            break
        path.append(moves[0])
    return path


def summed(mdp, reward, policy, start, steps=600):
    """What a policy earns, added up step by step."""
    chances, total, weight = policy.probabilities(), 0.0, 1.0
    at = np.array(start, dtype=float)
    for _ in range(steps):
        together = at[:, np.newaxis] * chances
        total += weight * float((together * reward.reshape(len(at), -1)).sum())
        at, weight = mdp.transitions.T @ together.ravel(), weight * mdp.discount
    return total


# ---- by hand --------------------------------------------------------------------------------

def test_the_best_policy_passes_by_hand():
    # The right cell pays 1 and discount is 1/2: V* = (1/2, 1, 2).
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(EAST, EAST, EAST), NOWHERE)
    assert verdict.accuracy == 1.0
    assert verdict.earned == pytest.approx(3.5 / 3.0)
    assert verdict.optimal == pytest.approx(3.5 / 3.0)
    assert verdict.reached is None
    assert verdict.learned
    assert verdict.passed


def test_a_policy_for_the_wrong_goal_fails_by_hand():
    # Going west it earns only where it starts at the goal: V = (0, 0, 1).
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(WEST, WEST, WEST), NOWHERE)
    assert verdict.accuracy == 0.0
    assert verdict.earned == pytest.approx(1.0 / 3.0)
    assert verdict.optimal == pytest.approx(3.5 / 3.0)
    assert not verdict.learned
    assert not verdict.passed


def test_a_policy_that_tosses_a_coin_by_hand():
    # V0 = (V0 + V1) / 4, V1 = (V0 + V2) / 4, V2 = 1 + (V1 + V2) / 4: V = (2, 6, 22) / 15.
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(BOTH, BOTH, BOTH), NOWHERE)
    assert verdict.accuracy == pytest.approx(0.5)
    assert verdict.earned == pytest.approx(30.0 / 45.0)
    assert not verdict.learned


def test_a_policy_that_is_wrong_in_one_state_by_hand():
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(WEST, EAST, EAST), NOWHERE)
    assert verdict.accuracy == pytest.approx(2.0 / 3.0)
    assert verdict.earned == pytest.approx(3.0 / 3.0)       # V = (0, 1, 2)


@for_each(('path', 'optimal', 'reached'), [
    ([0, 1, 2], 0.5, True), ([1, 2], 1.0, True), ([2], 2.0, True), ([1, 0, 1, 2, 2], 1.0, True),
    ([0, 1], 0.5, False), ([0], 0.5, False), ([1, 2, 1], 1.0, False)])
def test_a_robot_is_judged_from_where_it_started_and_by_where_it_ended(path, optimal, reached):
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(EAST, EAST, EAST), path)
    assert verdict.earned == pytest.approx(optimal)
    assert verdict.optimal == pytest.approx(optimal)
    assert verdict.reached is reached
    assert verdict.learned
    assert verdict.passed is reached


def test_where_a_robot_is_good_by_chance_the_policy_is_judged_all_the_same():
    """West is wrong, but from the middle a robot was pushed to the goal."""
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(WEST, WEST, WEST), [1, 2])
    assert verdict.reached is True
    assert not verdict.passed


def test_a_path_may_be_an_array():
    verdict = judge(*corridor([0.0, 0.0, 1.0]), policy(EAST, EAST, EAST), np.array([0, 1, 2]))
    assert verdict.reached is True


def test_the_start_of_the_task_counts_when_no_robot_drove():
    task, truth = corridor([0.0, 0.0, 1.0])
    from_left = World('corridor', task.world.mdp, np.array([1.0, 0.0, 0.0]),
                      task.world.appearance)
    task = Task(from_left, Candidates.of(task.world.mdp, task.rewards), task.noise)
    assert judge(task, truth, policy(EAST, EAST, EAST), NOWHERE).optimal == pytest.approx(0.5)


def test_negative_rewards_by_hand():
    # Every step outside the right cell costs 1: V* = (-3/2, -1, 0).
    costs = corridor([-1.0, -1.0, 0.0], goals=[2])
    best = judge(*costs, policy(EAST, EAST, EAST), [0, 1, 2])
    assert (best.earned, best.optimal) == pytest.approx((-1.5, -1.5))
    assert best.passed
    # West for ever: V = (-2, -2, -1).
    worst = judge(*costs, policy(WEST, WEST, WEST), [1, 0, 0])
    assert (worst.earned, worst.optimal) == pytest.approx((-2.0, -1.0))
    assert not worst.learned
    assert worst.reached is False


def test_rewards_of_actions_by_hand():
    # Going east pays 1 everywhere, going west nothing: V* = 2.
    by_action = corridor([[1.0, 0.0]] * 3, goals=[])
    assert judge(*by_action, policy(EAST, EAST, EAST), NOWHERE).earned == pytest.approx(2.0)
    assert judge(*by_action, policy(BOTH, BOTH, BOTH), NOWHERE).earned == pytest.approx(1.0)


# ---- goals ----------------------------------------------------------------------------------

@for_each(('reward', 'goals', 'expected'), [
    ([0.0, 0.5, 1.0], None, [2]), ([1.0, 0.0, 1.0], None, [0, 2]), ([0.0, 0.5, 1.0], [0], [0]),
    ([0.0, 0.5, 1.0], [], []), ([-1.0, -2.0, 0.0], None, []), ([-1.0, -2.0, -3.0], None, []),
    ([-1.0, -2.0, 0.0], [0, 2], [0, 2])])
def test_a_task_is_accomplished_where_it_says_or_where_the_reward_is_largest(
        reward, goals, expected):
    task = corridor(reward, goals=goals)
    reached = [judge(*task, policy(EAST, EAST, EAST), [0, last]).reached for last in range(3)]
    assert reached == [last in expected if expected else None for last in range(3)]


@pytest.mark.parametrize('path', [[0], [0, 1, 2]])
def test_where_there_is_no_goal_none_is_reached_or_missed(path):
    verdict = judge(*corridor([0.0, 0.0, 1.0], goals=[]), policy(EAST, EAST, EAST), path)
    assert verdict.reached is None
    assert verdict.passed


def test_without_a_drive_no_goal_is_reached_or_missed():
    verdict = judge(*corridor([0.0, 0.0, 1.0], goals=[2]), policy(EAST, EAST, EAST), NOWHERE)
    assert verdict.reached is None
    assert verdict.passed


# ---- enough ---------------------------------------------------------------------------------

def test_enough_is_so_much():
    assert ENOUGH == 0.95


@for_each(('earned', 'optimal', 'learned'), [
    (100.0, 100.0, True), (95.01, 100.0, True), (94.99, 100.0, False), (0.0, 100.0, False),
    (-100.0, 100.0, False), (-100.0, -100.0, True), (-104.99, -100.0, True),
    (-105.01, -100.0, False), (-200.0, -100.0, False), (0.0, 0.0, True), (-0.01, 0.0, False),
    (0.9501e-6, 1e-6, True), (0.9499e-6, 1e-6, False)])
def test_at_most_a_twentieth_of_the_optimum_may_be_missing(earned, optimal, learned):
    assert Verdict(1.0, earned, optimal, None).learned is learned


@for_each(('learned', 'reached', 'passed'), [
    (True, True, True), (True, None, True), (True, False, False), (False, True, False),
    (False, None, False), (False, False, False)])
def test_who_has_learned_and_not_missed_the_goal_passes(learned, reached, passed):
    assert Verdict(0.5, 1.0 if learned else 0.0, 1.0, reached).passed is passed


@for_each(('good', 'poor', 'learned'), [
    (1.0, 0.96, True), (1.0, 0.94, False), (1.0, -1.0, False), (-1.0, -1.04, True),
    (-1.0, -1.06, False), (-1.0, -2.0, False), (0.0, -0.01, False), (50.0, 47.6, True),
    (50.0, 47.4, False)])
def test_a_task_without_a_goal_is_judged_by_what_the_policy_earns(good, poor, learned):
    task = one_cell(good, poor)
    best = judge(*task, policy(0b01), [0])
    assert (best.accuracy, best.reached, best.passed) == (1.0, None, True)
    assert (best.earned, best.optimal) == pytest.approx((2.0 * good, 2.0 * good))
    other = judge(*task, policy(0b10), [0])
    assert (other.accuracy, other.reached) == (0.0, None)
    assert other.earned == pytest.approx(2.0 * poor)
    assert other.learned is learned
    assert other.passed is learned


@pytest.mark.parametrize('start', [0, 1])
def test_the_best_policy_passes_where_the_optimum_is_nothing(start):
    """The right cell costs 1 and can be avoided by going west; slipping changes nothing."""
    costs = corridor([0.0, 0.0, -1.0], discount=0.9, slip=0.1)
    verdict = judge(*costs, policy(WEST, WEST, WEST), [start])
    assert (verdict.earned, verdict.optimal) == pytest.approx((0.0, 0.0))
    assert verdict.learned


# ---- tasks that come with the package -------------------------------------------------------

@pytest.mark.parametrize('name', ['room', 'random_mdp'])
class TestShippedTask:
    def test_is_passed_by_the_policy_that_is_meant(self, name):
        task, truth = shipped(name)
        verdict = judge(task, truth, policy_for(task, truth.index), NOWHERE)
        assert verdict.accuracy == 1.0
        assert verdict.earned == pytest.approx(verdict.optimal)
        assert verdict.passed

    def test_is_failed_by_chance(self, name):
        task, truth = shipped(name)
        mdp = task.world.mdp
        chance = policy(*[(1 << mdp.num_actions) - 1] * mdp.num_states,
                        num_actions=mdp.num_actions)
        verdict = judge(task, truth, chance, NOWHERE)
        assert verdict.accuracy < 0.9
        assert not verdict.passed

    def test_is_judged_by_what_adds_up_step_by_step(self, name, rng):
        task, truth = shipped(name)
        mdp = task.world.mdp
        some = policy(*rng.integers(1, 1 << mdp.num_actions, mdp.num_states).tolist(),
                      num_actions=mdp.num_actions)
        best, start = policy_for(task, truth.index), int(rng.integers(mdp.num_states))
        for path, begin in ((NOWHERE, task.start), ([start], np.eye(mdp.num_states)[start])):
            verdict = judge(task, truth, some, path)
            assert verdict.earned == pytest.approx(summed(mdp, truth.reward, some, begin))
            assert verdict.optimal == pytest.approx(summed(mdp, truth.reward, best, begin))
            assert verdict.earned <= verdict.optimal

    def test_says_where_it_is_accomplished(self, name):
        task, truth = shipped(name)
        goals = task.hypotheses.goal_states(truth.index)
        for last in [*range(5), *goals.tolist()]:
            verdict = judge(task, truth, policy_for(task, truth.index), [0, last])
            assert verdict.reached is (last in goals)


def test_in_the_room_the_policy_that_is_meant_passes_and_one_for_another_place_fails():
    task, _ = shipped('room')
    start, every = int(np.argmax(task.start)), range(task.hypotheses.num_rewards)
    goals = [task.hypotheses.goal_states(meant) for meant in every]
    for meant in every:
        elsewhere = next(other for other in every if not set(goals[meant]) & set(goals[other]))
        for followed in (meant, elsewhere):
            learned = policy_for(task, followed)
            verdict = judge(task, truth_of(task, meant), learned, walk(task, learned, start))
            assert verdict.reached is (followed == meant)
            assert verdict.learned is (followed == meant)


def test_who_drives_over_what_must_never_be_entered_fails_even_if_he_arrives():
    task, _ = shipped('room')
    start = int(np.argmax(task.start))
    meant, careless = (task.names.index(name)
                       for name in ('go to desk, never over the toys', 'go to desk'))
    learned, short = (policy_for(task, followed) for followed in (meant, careless))
    ways = {name: walk(task, policy, start)
            for name, policy in (('round', learned), ('across', short))}
    toys = set(task.world.appearance.regions['toys'].tolist())
    assert toys & set(ways['across'])
    assert not toys & set(ways['round'])
    across, round_it = (judge(task, truth_of(task, meant), learned, ways[name])
                        for name in ('across', 'round'))
    assert (across.reached, across.trespassed, across.passed) == (True, True, False)
    assert (round_it.reached, round_it.trespassed, round_it.passed) == (True, False, True)
    indifferent = judge(task, truth_of(task, careless), short, ways['across'])
    assert (indifferent.trespassed, indifferent.passed) == (False, True)


# ---- the text -------------------------------------------------------------------------------

@for_each(('verdict', 'text'), [
    (Verdict(1.0, 2.0, 2.0, True),
     'policy accuracy 100.0%; it earns 2 of 2 on average from the start'),
    (Verdict(0.87543, 1.23456, 1.5, None),
     'policy accuracy 87.5%; it earns 1.235 of 1.5 on average from the start'),
    (Verdict(0.0, -12345.6, -1.0, False),
     'policy accuracy 0.0%; it earns -1.235e+04 of -1 on average from the start')])
def test_a_verdict_reads_like_this(verdict, text):
    assert str(verdict) == text
