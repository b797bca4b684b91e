"""Tests of tasks that are built from a place which the teacher shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import CAREFUL, ActionAnswer, Learner
from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.tasks import Task, load_task
from gbs_irl_ros.tasks.growth import MAX_BUILT_ON, grown, usable
from gbs_irl_ros.tasks.shown_place import Place, place_states

GRID = """
format: 1
world:
  kind: grid
  map: |
    ll...r
    ..##.r
    ..mm..
    bbmm..
  legend: {l: left, m: mat, r: right, b: bottom}
hypotheses: {%s}
start: [[0, 3]]
"""
GOALS = 'kind: goals, goals: [[0, 0], [5, 0]]'
PLACES = 'kind: places, places: [left, right], over: {mat: [free, rather not, never]}'
NONE = 0.1


@pytest.fixture
def file(tmp_path):
    """Return a function that makes a task on the grid, with these hypotheses."""
    def make(hypotheses):
        path = tmp_path / 'grid.yaml'
        path.write_text(GRID % hypotheses)
        return load_task(path)
    return make


def cell(column, row, keep_off=False):
    return Place(keep_off, column, row, column, row)


def grow(task, *places, none_of_these=NONE, probabilities=None):
    """Return (a planned task that has grown, what is left for "none of these")."""
    for place in places:
        even = np.ones(task.candidates.num_rewards)
        wanted = usable(place, task, even if probabilities is None else probabilities)
        candidates, none_of_these = grown(task, wanted, none_of_these)
        task = Task(task.world, candidates.planned_after(task.hypotheses), task.noise,
                    began_as=task.hash)
    return task, none_of_these


def taught(task, none_of_these, count=12):
    """Return a learner after some answers, the same for every task in this world."""
    rng = np.random.default_rng(3)
    learner = Learner(task, caution=replace(CAREFUL, none_of_these=none_of_these))
    for _ in range(count):
        learner = learner.tell(ActionAnswer(int(rng.integers(task.world.mdp.num_states)),
                                            int(rng.integers(4))))
    return learner


def by_name(learner):
    probabilities = learner.posterior.probabilities
    return {learner.task.hypotheses.name(i): float(p) for i, p in enumerate(probabilities)}


def assert_same(one, other):
    """Assert that two learners believe the same, and would do the same for every name."""
    assert by_name(one) == pytest.approx(by_name(other), rel=1e-12)
    assert one.none_of_these == pytest.approx(other.none_of_these, rel=1e-12)
    mine, theirs = one.task.hypotheses, other.task.hypotheses
    for number, name in enumerate(mine.names):
        same = theirs.names.index(name)
        assert np.array_equal(mine.rewards.one(number), theirs.rewards.one(same)), name
        assert np.array_equal(mine.goal_states(number), theirs.goal_states(same)), name
        assert np.array_equal(
            mine.sets.policy_sets(mine.policy_of_reward[number]),
            theirs.sets.policy_sets(theirs.policy_of_reward[same])), name


class TestIsAsIfItHadBeenListed:
    def test_a_goal(self, file):
        task, left = grow(file(GOALS), cell(3, 3))
        assert task.names[2:] == ('go to (3, 3)',)
        listed = file('kind: goals, goals: [[0, 0], [5, 0], [3, 3]], prior: [0.45, 0.45, 0.05]')
        assert_same(taught(task, left), taught(listed, 0.05))

    def test_two_goals_one_after_the_other(self, file):
        task, left = grow(file(GOALS), cell(3, 3), Place(False, 0, 2, 1, 2))
        assert task.names[2:] == ('go to (3, 3)', 'go to (0, 2) to (1, 2)')
        assert left == 0.025
        assert np.exp(task.hypotheses.log_prior) * (1 - left) == pytest.approx(
            [0.45, 0.45, 0.05, 0.025], rel=1e-12)

    def test_a_region_with_every_manner_that_is_known(self, file):
        task, left = grow(file(PLACES), Place(False, 0, 3, 1, 3))
        prior = [0.15] * 6 + [0.05 / 3] * 3
        listed = file(PLACES.replace('left, right', 'left, right, bottom') + f', prior: {prior}')
        assert task.names == listed.names
        assert_same(taught(task, left), taught(listed, 0.05))

    def test_a_goal_on_what_is_rather_not_driven_over(self, file):
        task, _ = grow(file(PLACES), Place(False, 2, 2, 3, 3))
        assert task.names[6:] == ('go to mat', 'go to mat, rather not over the mat')
        reward = task.rewards.one(7)
        assert np.array_equal(reward[place_states(Place(False, 2, 2, 3, 3), task.world)],
                              np.full(4, 0.5))

    def test_a_place_to_keep_off(self, file):
        task, left = grow(file('kind: places, places: [left, right]'), Place(True, 2, 2, 3, 3))
        places = 'kind: places, places: [left, right], over: {mat: [free, never, rather not]}'
        names = list(file(places).names)
        weights = [0.45 if name in ('go to left', 'go to right') else 0.0125 for name in names]
        listed = file(f'{places}, prior: {weights}')
        assert set(task.names) == set(names)
        assert_same(taught(task, left), taught(listed, 0.05))

    def test_a_goal_and_then_what_to_keep_off_on_the_way_to_it(self, file):
        task, _ = grow(file(GOALS), cell(3, 3), Place(True, 2, 2, 2, 3))
        assert 'go to (3, 3), never over (2, 2) to (2, 3)' in task.names


@for_each('name, place', [
    ('room', cell(12, 8)), ('room', Place(True, 8, 3, 9, 4)), ('puddle_world', cell(3, 3)),
    ('grid_world', Place(True, 8, 3, 9, 4))])
def test_planning_for_the_new_ones_is_planning_for_all(name, place):
    task = load_task(name)
    candidates = grown(task, usable(place, task, np.exp(task.candidates.log_prior)),
                       NONE).candidates
    some, every = candidates.planned_after(task.hypotheses), candidates.planned()
    assert np.array_equal(some.sets.bits, every.sets.bits)
    assert np.array_equal(some.sets.class_of_state, every.sets.class_of_state)
    assert np.array_equal(some.policy_of_reward, every.policy_of_reward)


class TestPrior:
    @for_each('name', ['room', 'puddle_world_lopes', 'trap_world'])
    def test_the_listed_keep_theirs_and_the_new_get_half_of_none(self, name):
        task = load_task(name)
        candidates, left = grown(
            task, usable(cell(3, 3), task, np.exp(task.candidates.log_prior)), NONE)
        before, after = np.exp(task.candidates.log_prior), np.exp(candidates.log_prior)
        count = len(before)
        assert (1 - left) * after[:count] == pytest.approx((1 - NONE) * before, rel=1e-12)
        assert (1 - left) * after[count:].sum() == pytest.approx(NONE / 2, rel=1e-12)
        assert after.sum() == pytest.approx(1.0, abs=1e-12)

    def test_it_follows_that_of_the_tasks_built_on(self, file):
        task = file(GOALS + ', prior: [3, 1]')
        candidates = grown(task, usable(Place(True, 2, 2, 3, 3), task, np.ones(2)), NONE)[0]
        new = np.exp(candidates.log_prior[2:])
        assert new == pytest.approx(new[0] * np.array([1, 1, 1 / 3, 1 / 3]), rel=1e-12)

    def test_without_none_of_these_there_is_nothing_to_give(self, file):
        task = file(GOALS)
        with pytest.raises(InvalidPlaceError, match='taken to be meant for certain, so no place '
                                                    'can add others; set the parameter none_of'):
            grown(task, usable(cell(3, 3), task, np.ones(2)), 0.0)


def test_the_most_probable_are_combined(file):
    task = file('kind: goals, goals: free')
    probabilities = np.arange(task.candidates.num_rewards)
    assert task.candidates.num_rewards < MAX_BUILT_ON
    assert usable(Place(True, 2, 2, 3, 3), task, probabilities).built_on[:2] == (21, 20)


def test_only_so_many_are_combined():
    task = load_task('grid_world')
    probabilities = np.arange(task.candidates.num_rewards)[::-1]
    built_on = usable(Place(True, 8, 3, 9, 4), task, probabilities).built_on
    assert built_on == tuple(range(MAX_BUILT_ON))


def test_rewards_of_features_stay_to_the_bit(file):
    task = file('kind: features, weights: {left: [1, 0.3], mat: [0, -0.7, 0.1]}, count: 5')
    candidates = grown(task, usable(cell(5, 3), task, np.ones(5)), NONE).candidates
    assert np.array_equal(candidates.rewards.dense()[:5], task.rewards.dense())
    assert np.flatnonzero(candidates.rewards.one(5)).tolist() == [21]
    assert candidates.names[5] == 'go to (5, 3)'
    assert candidates.goal_states(5).tolist() == [21]


def test_a_task_keeps_its_hash_when_it_grows(file):
    task = file(GOALS)
    more, _ = grow(task, cell(3, 3))
    assert more.hash == task.hash
    assert more.world.hash == task.hash


class TestRefused:
    @for_each('place, text', [
        (cell(2, 1), r'there is nothing but wall at \(2, 1\); show a free cell'),
        (Place(True, 2, 1, 3, 1), r'nothing but wall at \(2, 1\) to \(3, 1\)'),
        (cell(6, 0), r'cell \(6, 0\) is outside the map; expected a column from 0 to 5 and a row '
                     'from 0 to 3'),
        (Place(True, 0, 0, 0, 4), r'cell \(0, 4\) is outside the map'),
        (cell(-1, 0), r'cell \(-1, 0\) is outside the map'),
        (Place(True, 3, 3, 2, 3), r'the last cell of a place must not lie left of the first or '
                                  r'above it, got \(3, 3\) to \(2, 3\)'),
        (Place(True, 0, 0, 5, 3), r'covers everything: the robot could not keep off; show a '
                                  'smaller place'),
        (Place(True, 0, 0, 5, 0), r'\(0, 0\) to \(5, 0\) covers the goal of every task that I '
                                  'know; show a place that leaves some of it'),
        (cell(5, 0), r'to go to \(5, 0\) is listed already; answer the questions, or show')])
    def test_a_place_that_cannot_be_used(self, file, place, text):
        with pytest.raises(InvalidPlaceError, match=text):
            usable(place, file(GOALS), np.ones(2))

    def test_one_that_is_listed_as_forbidden(self, file):
        task = file('kind: places, places: [left, right], over: {mat: never}')
        with pytest.raises(InvalidPlaceError, match=r'to keep off \(2, 2\) to \(3, 3\) is listed'):
            usable(Place(True, 2, 2, 3, 3), task, np.ones(2))
        with pytest.raises(InvalidPlaceError, match=r'every task that I know never enters \(2, 2'):
            usable(cell(2, 2), task, np.ones(2))

    def test_one_that_is_listed_where_rewards_tell_the_way(self):
        task = load_task('grid_world_shaped')
        with pytest.raises(InvalidPlaceError, match=r'to go to \(3, 3\) is listed already'):
            usable(cell(3, 3), task, np.exp(task.candidates.log_prior))

    @for_each('name', ['driver', 'random_mdp'])
    def test_a_world_without_cells(self, name):
        task = load_task(name)
        with pytest.raises(InvalidPlaceError, match='its states have no cells on a map; answer'):
            usable(cell(0, 0), task, np.exp(task.candidates.log_prior))

    def test_more_than_planning_may_cost(self, file, monkeypatch):
        task = file(GOALS)
        monkeypatch.setattr('gbs_irl_ros.tasks.cost.MOST_SECONDS', 1e-9)
        with pytest.raises(InvalidPlaceError, match='this world is too large to show places in: '
                                                    'planning for 4 more tasks needs about'):
            usable(Place(True, 2, 2, 3, 3), task, np.ones(2))

    def test_one_built_on_a_task_that_is_not_there(self, file):
        with pytest.raises(InvalidPlaceError, match='is built on task 2; expected one of the 2'):
            grown(file(GOALS), replace(cell(3, 3), built_on=(2,)), NONE)

    def test_one_that_adds_nothing(self, file):
        with pytest.raises(InvalidPlaceError, match=r'go to \(5, 0\) adds no task to those that'):
            grown(file(GOALS), replace(cell(5, 0), built_on=(0,)), NONE)
