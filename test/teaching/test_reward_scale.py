"""The scale for "how good is this?": words by hand, then a contract for every task."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from small_lessons import corridor_world

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.teaching.reward_scale import MAX_MARKS, NEITHER, reward_scale

INVARIANT = settings(deadline=None, derandomize=True, max_examples=40)
ASKED_ABOUT = 25        # states of each task


@cache
def task_of(name):
    return load_task(name)


def worth(here, elsewhere=0.0, per_action=False):
    """A task of two states: what each hypothesis finds in the first, and in the second."""
    world = corridor_world(2)
    here = np.asarray(here, dtype=float)
    dense = np.stack([here, np.broadcast_to(elsewhere, here.shape)], axis=1)
    if per_action:
        dense = np.repeat(dense[:, :, np.newaxis], 3, axis=2) * np.array([1.0, 2.0, 0.0])
    return Task(world, Candidates.of(world.mdp, Rewards.from_dense(dense, 3)), NoiseModel(0.9))


def scale(task, state=0, action=None):
    return [(mark.answer.reward, mark.label) for mark in reward_scale(
        task, Question(QuestionKind.REWARD, state, action))]


@for_each(('here', 'expected'), [
    ([0, 1], [(0.0, NEITHER), (1.0, 'good')]),
    ([0, -1], [(-1.0, 'bad'), (0.0, NEITHER)]),
    ([1, 2], [(0.0, NEITHER), (1.0, 'good'), (2.0, 'very good')]),
    ([3, 1, 2], [(0.0, NEITHER), (1.0, 'a little good'), (2.0, 'good'), (3.0, 'very good')]),
    ([-10, -0.1, 5], [(-10.0, 'very bad'), (-0.1, 'bad'), (0.0, NEITHER), (5.0, 'good')]),
    ([1, 2, 3, 4], [(0.0, NEITHER), (1.0, 'good (1 of 4)'), (2.0, 'good (2 of 4)'),
                    (3.0, 'good (3 of 4)'), (4.0, 'good (4 of 4)')]),
    ([-1, -2, -3, -4, 1], [(-4.0, 'bad (4 of 4)'), (-3.0, 'bad (3 of 4)'),
            (-2.0, 'bad (2 of 4)'), (-1.0, 'bad (1 of 4)'), (0.0, NEITHER),
            (1.0, 'good')]),
])
def test_few_rewards_are_all_on_the_scale(here, expected):
    assert scale(worth(here)) == expected


def test_rewards_that_differ_by_less_than_three_digits_are_one_mark():
    assert [value for value, _ in scale(worth([0.1234, 0.12341, 0.5]))] == [0.0, 0.123, 0.5]


def test_where_all_tasks_agree_the_extremes_of_anywhere_are_offered_too():
    task = worth([1.0, 1.0, 1.0], elsewhere=[-3.0, 0.0, 7.0])
    assert scale(task) == [(-3.0, 'bad'), (0.0, NEITHER), (1.0, 'good'), (7.0, 'very good')]


def test_where_nothing_is_worth_anything_the_extremes_are_offered():
    assert scale(worth([0.0, 0.0], elsewhere=[-1.0, 2.0])) == [
        (-1.0, 'bad'), (0.0, NEITHER), (2.0, 'good')]


def test_where_nothing_is_worth_anything_anywhere_there_is_one_mark():
    assert scale(worth([0.0])) == [(0.0, NEITHER)]


def test_many_rewards_are_thinned_out_evenly_on_each_side():
    values = [value for value, _ in scale(worth(np.linspace(-6.0, 3.0, 91)))]
    np.testing.assert_allclose(values, [-6.0, -4.0, -2.0, 0.0, 1.0, 2.0, 3.0])


def test_many_rewards_on_one_side_are_thinned_out_there():
    assert scale(worth(np.linspace(0.1, 3.0, 30))) == [
        (0.0, NEITHER), (1.0, 'a little good'), (2.0, 'good'), (3.0, 'very good')]


def test_an_action_is_judged_by_its_own_reward_and_a_place_by_its_best():
    task = worth([1.0, 3.0], per_action=True)
    assert [value for value, _ in scale(task, action=0)] == [0.0, 1.0, 3.0]
    assert [value for value, _ in scale(task, action=1)] == [0.0, 2.0, 6.0]
    assert [value for value, _ in scale(task)] == [0.0, 2.0, 6.0]


def check_contract(task, state, action):
    marks = reward_scale(task, Question(QuestionKind.REWARD, state, action))
    values, labels = [mark.answer.reward for mark in marks], [mark.label for mark in marks]
    assert all(type(value) is float for value in values)
    assert [mark.key for mark in marks] == [str(1 + place) for place in range(len(marks))]
    assert values == sorted(set(values))
    assert 0.0 in values
    assert len(marks) <= MAX_MARKS
    assert len(set(labels)) == len(labels)
    for value, label in zip(values, labels, strict=True):
        assert ('good' in label, 'bad' in label) == (value > 0.0, value < 0.0) \
            or (value == 0.0 and label == NEITHER)
    here = task.rewards.column(state, action)
    agree = len({f'{value:.3g}' for value in here}) == 1
    has = task.rewards.dense().ravel() if agree else here
    for value in values:
        nearest = has[np.argmin(np.abs(has - value))]
        assert value == 0.0 or abs(nearest - value) <= 0.005 * abs(value)
    return values


@pytest.mark.slow
@for_each('name', sorted(shipped_tasks()))
def test_every_task_has_a_scale_that_a_person_can_use(name, rng):
    task = task_of(name)
    for state in rng.integers(task.world.mdp.num_states, size=ASKED_ABOUT):
        action = int(rng.integers(task.world.mdp.num_actions))
        for about in (None, action) if task.rewards.per_action else (None,):
            values = check_contract(task, int(state), about)
            here = task.rewards.column(int(state), about)
            assert min(values) <= float(f'{here.min():.3g}')
            assert max(values) >= float(f'{here.max():.3g}')


@INVARIANT
@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=40))
def test_whatever_the_rewards_are_the_scale_is_one(here):
    check_contract(worth(here), 0, None)


def test_an_extreme_that_everybody_finds_here_is_one_mark_too():
    assert scale(worth([1 / 3, 1 / 3], elsewhere=[-1.0, 0.0])) == [
        (-1.0, 'bad'), (0.0, NEITHER), (0.333, 'good')]
