"""What must never be entered is avoided before all else, and costs nothing elsewhere."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from worlds import EAST, NORTH, SOUTH, WEST, corridor, grid, random_mdp, slippery_grid

from gbs_irl_ros.core.errors import InvalidHypothesesError, InvalidRewardsError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.metrics import ValueLossMeter
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.never import Never, ways_around
from gbs_irl_ros.core.planning.solver import evaluate, solve
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.teacher import SimulatedTeacher

CLOCKWISE, BACK = 0, 1


def ring(length, discount):
    """States in a circle, one step either way."""
    states = np.arange(length)
    return Mdp.from_successors(
        np.stack([(states + 1) % length, (states - 1) % length], axis=1), discount)


def never_of(mdp, forbidden, goals):
    """Of one task."""
    rows = np.zeros((2, mdp.num_states))
    rows[0, list(forbidden)] = 1.0
    rows[1, list(goals)] = 1.0
    return Never(sparse.csr_matrix(rows[:1]), sparse.csr_matrix(rows[1:]))


def planned(mdp, forbidden, goals, reward=None):
    """Return ``[S, A]`` bool, what is right on the way to a goal around what is forbidden."""
    if reward is None:
        reward = np.zeros(mdp.num_states)
        reward[list(goals)] = 1.0
    found = solve(mdp, Rewards.from_dense(np.asarray(reward)[np.newaxis], mdp.num_actions),
                  never=never_of(mdp, forbidden, goals))
    return unpack(found.greedy_bits[:, 0], mdp.num_actions)


def right(mdp, forbidden, goals, state, reward=None):
    return np.flatnonzero(planned(mdp, forbidden, goals, reward)[state]).tolist()


@for_each(('length', 'discount'), [(10, 0.95), (400, 0.5), (1000, 0.9), (50, 0.999)])
def test_no_detour_is_too_long(length, discount):
    """One step over the forbidden state, or all the way round the circle."""
    mdp = ring(length, discount)
    assert right(mdp, [1], [0], 2) == [CLOCKWISE]
    assert right(mdp, [1], [0], length // 3) == [CLOCKWISE]
    assert right(mdp, [], [0], 2) == [BACK]


def test_a_small_penalty_loses_against_a_detour_and_a_large_one_keeps_from_going_at_all():
    circle, line = ring(40, 0.9), corridor(7)
    small, large = np.zeros(40), np.zeros(7)
    small[:2], large[0], large[3] = (1.0, -1.0), 1.0, -1000.0
    over, stuck = (unpack(solve(mdp, Rewards.from_dense(reward[np.newaxis], 2)).greedy_bits, 2)
                   for mdp, reward in ((circle, small), (line, large)))
    assert over[5, 0].tolist() == [False, True]
    assert stuck[5, 0].tolist() == [True, True]         # to and fro
    assert right(circle, [1], [0], 5, small) == [CLOCKWISE]
    assert right(line, [3], [0], 5, large) == [0]


def test_whoever_stands_on_it_leaves_by_the_fewest_steps():
    """3 .. 8 are forbidden; the goal is at the left end, which 6, 7 and 8 do not care about."""
    mdp = ring(20, 0.95)
    forbidden = range(3, 9)
    assert [right(mdp, forbidden, [0], state) for state in (3, 4, 5, 6, 7, 8)] == [
        [BACK], [BACK], [BACK], [CLOCKWISE], [CLOCKWISE], [CLOCKWISE]]


def test_where_every_way_leads_over_it_the_way_with_the_fewest_is_taken():
    """The lower of two gaps in a wall is one cell wide, the upper one two; both are forbidden."""
    mdp = grid(6, 3)
    wall = [8, 9]                                    # thick where it can be walked around ...
    forbidden = [2, 3, *wall, 14]                    # ... over two cells above, or one below
    ways = ways_around(mdp, np.array(forbidden), np.array([5]))
    assert ways.entries[0] == ways.entries[12] == 1
    assert right(mdp, forbidden, [5], 1) == [SOUTH]
    assert right(mdp, forbidden, [5], 13) == [EAST]
    assert ways.entries[[4, 10, 15, 16]].tolist() == [0, 0, 0, 0]


def test_where_no_goal_can_be_reached_the_next_step_keeps_out():
    """1 and 2 are a trap: 2 is forbidden; the goal 0 is out of reach from there."""
    mdp = Mdp.from_successors(np.array([[0, 1], [1, 2], [1, 2]]), 0.9)
    ways = ways_around(mdp, np.array([2]), np.array([0]))
    assert np.isinf(ways.entries).tolist() == [False, True, True]
    assert right(mdp, [2], [0], 1) == [0]
    assert right(mdp, [2], [0], 2) == [0]


def test_a_task_without_goals_keeps_out():
    mdp, reward = corridor(3), np.array([0.0, 1.0, 5.0])
    assert right(mdp, [2], [], 1, reward) == [0]


def test_at_the_goal_the_robot_does_not_step_on_it_either():
    """Without a way to stay: back to the goal by the free neighbour, although both take two."""
    assert right(corridor(5), [3], [2], 2) == [0]


@for_each('seed', range(25))
def test_away_from_it_everything_is_as_if_it_did_not_exist(seed):
    """Where a clean way exists, the right actions are those of the world without these states."""
    rng = np.random.default_rng(seed)
    width, height = rng.integers(3, 9, 2)
    mdp, count = grid(int(width), int(height), float(rng.choice([0.3, 0.9, 0.99]))), width * height
    forbidden = rng.choice(count, rng.integers(1, count // 2), replace=False)
    goal = int(rng.choice(np.setdiff1d(np.arange(count), forbidden)))
    found = planned(mdp, forbidden, [goal])
    cut = mdp.successors.copy()
    states = np.arange(count)[:, np.newaxis]
    blocked = np.isin(cut, forbidden) & ~np.isin(states, forbidden)
    cut = np.where(blocked, states, cut)
    walled = solve(Mdp.from_successors(cut, mdp.discount), Rewards.goals(mdp, [goal]))
    expected = unpack(walled.greedy_bits[:, 0], 4)
    clean = ways_around(mdp, forbidden, np.array([goal])).entries == 0
    clean[forbidden] = False
    clean[goal] = False     # a move into a wall rests there, one onto what is forbidden does not
    np.testing.assert_array_equal(found[clean], expected[clean])


def chances(mdp, policy, ends, cost):
    """Return the expected cost until an end, by brute force."""
    chain = mdp.transitions[np.arange(mdp.num_states) * mdp.num_actions + policy].toarray()
    chain[ends] = 0.0
    total = np.where(ends, 0.0, cost[np.arange(len(policy)), policy])
    for _ in range(12):         # the first 4096 steps
        total, chain = total + chain @ total, chain @ chain
    return total


@for_each('seed', range(16))
def test_every_policy_of_a_small_random_world_is_worse_in_this_order(seed):
    """Chance of reaching the goal, then steps on what is forbidden, then the return."""
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 5, 2, successors=2)
    goal, forbidden, reward = 0, [1, 2], np.array([1.0, 0.0, 0.0, -0.3 * (seed % 2), 0.0])
    enters = np.asarray(mdp.transitions @ np.isin(np.arange(5), forbidden)).reshape(5, 2)
    hits = mdp.transitions[:, goal].toarray().reshape(5, 2)
    ways = ways_around(mdp, np.array(forbidden), np.array([goal]))
    ends, lost = np.arange(5) == goal, np.isinf(ways.entries)
    closed = np.flatnonzero(ends | lost)
    found = planned(mdp, forbidden, [goal], reward)
    scores = []
    for policy in map(np.array, product(range(2), repeat=5)):
        reached = chances(mdp, policy, ends | lost, hits)
        entered = chances(mdp, policy, ends | lost, enters)
        earned = evaluate(mdp, np.where(np.isin(np.arange(5), forbidden), 0.0, reward),
                          np.identity(2)[policy])
        if found[closed, policy[closed]].all():
            scores.append((policy, reached, entered, earned))
    where = np.flatnonzero(~(lost | ends))
    for number, better in ((1, np.max), (2, np.min), (3, np.max)):
        best = better([score[number][where] for score in scores], axis=0)
        scores = [score for score in scores
                  if np.allclose(score[number][where], best, rtol=1e-7, atol=1e-10)]
    assert scores
    for policy in map(np.array, product(range(2), repeat=5)):
        is_best = any(np.array_equal(policy, score[0]) for score in scores)
        assert found[where, policy[where]].all() or not is_best


def test_slips_are_avoided_as_far_as_possible():
    """A robot that may slip keeps its distance, however far it has to go."""
    rows = 4
    plain, count = grid(5, rows).successors, 5 * rows
    sides = {NORTH: (WEST, EAST), EAST: (NORTH, SOUTH), SOUTH: (WEST, EAST), WEST: (NORTH, SOUTH)}
    dense = np.zeros((count, 4, count))
    for state, action in product(range(count), range(4)):
        dense[state, action, plain[state, action]] += 0.8
        for side in sides[action]:
            dense[state, action, plain[state, side]] += 0.1
    mdp = Mdp.from_dense(dense, 0.9)
    forbidden, goal = [1, 2, 3], 4          # the top row between the corners
    found = planned(mdp, forbidden, [goal])
    assert np.flatnonzero(found[0]).tolist() == [WEST]      # slips to no forbidden cell at all
    assert np.flatnonzero(found[6]).tolist() == [SOUTH]     # beside them: away first
    assert EAST in np.flatnonzero(found[11])                # one row farther: safe to pass


def test_far_away_nothing_is_swallowed():
    """A narrow clean way of 900 steps: the goal's value there is below 1e-19."""
    mdp = ring(1000, 0.95)
    found = planned(mdp, [1], [0])
    np.testing.assert_array_equal(found[2:999, CLOCKWISE], True)
    np.testing.assert_array_equal(found[2:999, BACK], False)


def test_it_is_the_same_without_the_kernel(monkeypatch):
    mdp, reward = slippery_grid(6, 5), np.zeros(30)
    reward[29], reward[[3, 8]] = 1.0, -0.2
    before = planned(mdp, [13, 14, 15], [29], reward)
    monkeypatch.setenv(kernel.VARIABLE, 'off')
    np.testing.assert_array_equal(planned(mdp, [13, 14, 15], [29], reward), before)


def test_rewards_of_actions_and_of_features_give_the_same():
    mdp = grid(4, 3)
    reward = np.zeros(12)
    reward[11], reward[6] = 1.0, -0.4
    plain = Rewards.from_dense(reward[np.newaxis], 4)
    per_action = Rewards.from_dense(np.repeat(reward, 4).reshape(1, 12, 4), 4)
    never = never_of(mdp, [5, 9], [11])
    same = [Rewards(sparse.csr_matrix([[1.0]]), 12, 4, rewards.per_action, rewards.weights)
            for rewards in (plain, per_action)]
    first, *others = (solve(mdp, rewards, never=never).greedy_bits
                      for rewards in (plain, per_action, *same))
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_tasks_of_one_call_do_not_disturb_each_other():
    mdp = grid(5, 4)
    rng = np.random.default_rng(3)
    rows, goals = rng.random((12, 20)) < 0.2, rng.integers(0, 20, 12)
    rows[::4] = False
    where = np.zeros((12, 20))
    where[np.arange(12), goals] = 1.0
    together = solve(mdp, Rewards.from_dense(where, 4), keep_values=True,
                     never=Never(sparse.csr_matrix(rows), sparse.csr_matrix(where)))
    for task in range(12):
        alone = solve(mdp, Rewards.from_dense(where[[task]], 4), keep_values=True,
                      never=never_of(mdp, np.flatnonzero(rows[task]), [goals[task]]))
        np.testing.assert_array_equal(together.greedy_bits[:, task], alone.greedy_bits[:, 0])
        np.testing.assert_allclose(together.values[task], alone.values[0], rtol=1e-12)
    plain = solve(mdp, Rewards.from_dense(where[::4], 4))
    np.testing.assert_array_equal(together.greedy_bits[:, ::4], plain.greedy_bits)


def test_progress_is_told():
    mdp, told = grid(4, 3), []
    where = np.zeros((3, 12))
    where[[0, 1, 2], [0, 5, 11]] = 1.0
    solve(mdp, Rewards.from_dense(where, 4), progress=lambda *both: told.append(both),
          never=Never(sparse.csr_matrix(np.roll(where, 1, axis=1)), sparse.csr_matrix(where)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_teacher_and_a_meter_mean_the_same():
    mdp, reward = ring(12, 0.9), np.zeros(12)
    reward[0], reward[1] = 1.0, -1.0
    never = never_of(mdp, [1], [0])
    teacher = SimulatedTeacher.for_reward(mdp, reward, never=never)
    meter = ValueLossMeter(mdp, reward, never)
    np.testing.assert_array_equal(teacher.optimal_sets, meter.optimal_sets)
    assert unpack(meter.optimal_sets[2], 2).tolist() == [True, False]
    best = unpack(meter.optimal_sets, 2)
    np.testing.assert_allclose(meter.optimal_values, evaluate(
        mdp, reward, best / best.sum(axis=1, keepdims=True)))


def test_candidates_are_planned_around_it_whether_their_goals_are_given_or_not():
    mdp = ring(12, 0.9)
    reward = np.zeros((1, 12))
    reward[0, 0] = 1.0
    never = sparse.csr_matrix(np.eye(1, 12, 1))
    for goals in (None, sparse.csr_matrix(reward)):
        found = Candidates.of(mdp, Rewards.from_dense(reward, 2), goals=goals,
                              never=never).planned()
        assert unpack(found.sets.sets_at(2)[0], 2).tolist() == [True, False]
        np.testing.assert_array_equal(found.never.toarray(), never.toarray())


@for_each(('make', 'error', 'says'), [
    (lambda: Never(sparse.csr_matrix((1, 3)), sparse.csr_matrix((1, 4))), InvalidRewardsError,
     r'states and goals must have one shape, got \(1, 3\) and \(1, 4\)'),
    (lambda: solve(corridor(4), Rewards.goals(corridor(4), [0, 1]),
                   never=never_of(corridor(4), [2], [0])), InvalidRewardsError,
     r'what must never be entered must have shape \(2, 4\), got \(1, 4\)'),
    (lambda: Candidates.of(corridor(4), Rewards.goals(corridor(4), [0]),
                           never=sparse.csr_matrix((1, 3))), InvalidHypothesesError,
     r'never must have shape \(1, 4\), got \(1, 3\)')])
def test_what_does_not_fit_is_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()
