"""Ways through a world: by hand in a corridor, then against a slow search in every task."""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from small_lessons import LEFT, RIGHT, STAY, corridor_world

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import MAX_STEPS
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.world import Appearance, World
from gbs_irl_ros.teaching.paths import MAX_REHEARSED, StatePath, rehearse, walk, way_through

INVARIANT = settings(deadline=None, derandomize=True, max_examples=25)
CORRIDOR = corridor_world()
ONE_WAY = World('one way', Mdp.from_successors(np.array([[1], [2], [2]]), 0.9), None,
                Appearance(('on',), ('',), state_names=('one', 'two', 'three')))
TASKS = sorted(shipped_tasks())


@cache
def world_of(name):
    return load_task(name).world


def policy(*sets, goals=(), num_actions=3):
    """Each state's actions, as tuples."""
    return Policy(np.array([sum(1 << action for action in each) for each in sets]),
                  np.ones(len(sets)), np.array(goals, dtype=int), num_actions)


def always(*actions, count=5, goals=()):
    return policy(*[actions] * count, goals=goals)


@cache
def distances(name, start):
    """Steps from one state to each it leads to, one state at a time."""
    targets = world_of(name).targets
    found, waiting = {start: 0}, deque([start])
    while waiting:
        state = waiting.popleft()
        for target in targets[state].tolist():
            if target not in found:
                found[target] = found[state] + 1
                waiting.append(target)
    return found


def follows(world, course):
    """Whether each action leads from one state of a course to the next."""
    return len(course.states) == len(course.actions) + 1 and all(
        world.targets[state, action] == after for state, action, after in zip(
            course.states[:-1], course.actions, course.states[1:], strict=True))


def random_policy(world, rng, goals=()):
    count, actions = world.mdp.num_states, world.mdp.num_actions
    return Policy(rng.integers(1, 1 << actions, count), np.ones(count),
                  np.array(goals, dtype=int), actions)


class TestCourse:
    def test_steps_are_pairs_of_state_and_action(self):
        assert StatePath((2, 3, 4), (RIGHT, RIGHT)).steps == ((2, RIGHT), (3, RIGHT))

    def test_who_does_not_move_takes_no_steps(self):
        assert StatePath((2,), ()).steps == ()


class TestWalking:
    def test_actions_lead_from_cell_to_cell(self):
        assert walk(CORRIDOR, 1, [RIGHT, RIGHT, LEFT]) == StatePath((1, 2, 3, 2),
                                                                 (RIGHT, RIGHT, LEFT))

    def test_against_a_wall_one_stays(self):
        assert walk(CORRIDOR, 0, [LEFT, STAY, RIGHT]).states == (0, 0, 0, 1)

    def test_without_actions_one_stays(self):
        assert walk(CORRIDOR, 3, []) == StatePath((3,), ())

    @for_each(('state', 'actions', 'text'), [
        (5, [LEFT], r'state must be in 0 \.\. 4, got 5'),
        (-1, [], r'state must be in 0 \.\. 4, got -1'),
        (True, [], 'state must be a whole number, got True'),
        (0, [LEFT, 3], r'action must be in 0 \.\. 2, got 3'),
        (0, [0.0], r'action must be a whole number, got 0\.0')])
    def test_what_does_not_exist_is_refused(self, state, actions, text):
        with pytest.raises(InvalidAnswerError, match=text):
            walk(CORRIDOR, state, actions)

    @for_each('name', TASKS)
    def test_in_every_task_it_follows_the_targets(self, name, rng):
        world = world_of(name)
        for _ in range(5):
            actions = rng.integers(world.mdp.num_actions, size=30)
            course = walk(world, int(rng.integers(world.mdp.num_states)), actions)
            assert course.actions == tuple(actions.tolist())
            assert follows(world, course)
            assert all(type(each) is int for each in course.states + course.actions)


class TestTheShortestWay:
    def test_it_is_straight_where_that_is_possible(self):
        assert way_through(CORRIDOR, [1, 4]) == StatePath((1, 2, 3, 4), (RIGHT, RIGHT, RIGHT))

    def test_it_passes_all_places_in_turn(self):
        assert way_through(CORRIDOR, [1, 3, 2]) == StatePath((1, 2, 3, 2), (RIGHT, RIGHT, LEFT))

    def test_one_place_alone_is_no_way(self):
        assert way_through(CORRIDOR, [2]) == StatePath((2,), ())

    def test_a_place_named_twice_is_passed_once(self):
        assert way_through(CORRIDOR, [2, 2, 3, 3]) == StatePath((2, 3), (RIGHT,))

    def test_of_actions_that_lead_to_the_same_place_it_takes_the_first(self):
        world = World('two doors', Mdp.from_successors(np.array([[0, 1, 1], [0, 0, 1]]), 0.9),
                      None, Appearance(('stay', 'left', 'right'), ('', '', '')))
        assert way_through(world, [0, 1]).actions == (1,)

    def test_it_must_begin_somewhere(self):
        with pytest.raises(InvalidAnswerError, match='must begin somewhere, got no states'):
            way_through(CORRIDOR, [])

    def test_where_none_leads_it_says_so(self):
        assert way_through(ONE_WAY, [0, 2]).states == (0, 1, 2)
        with pytest.raises(InvalidAnswerError, match='no way leads from three to one'):
            way_through(ONE_WAY, [0, 2, 0])

    @for_each('states', [[5], [0, 5], [0, -1], [2, True]])
    def test_what_does_not_exist_is_refused(self, states):
        with pytest.raises(InvalidAnswerError, match='state must be'):
            way_through(CORRIDOR, states)

    def test_it_is_no_longer_than_a_demonstration_may_be(self):
        there_and_back = [0, 4] * 125        # 249 times 4 steps
        course = way_through(CORRIDOR, [*there_and_back, 0])
        assert len(course.actions) == MAX_STEPS == len(course.steps)
        with pytest.raises(InvalidAnswerError, match='a demonstration may have 1000 steps, got '
                                                     '1001; show a part of it'):
            way_through(CORRIDOR, [*there_and_back, 0, 1])

    @for_each('name', TASKS)
    def test_in_every_task_none_is_shorter(self, name, rng):
        world = world_of(name)
        for _ in range(6):
            start, target = (int(state) for state in rng.integers(world.mdp.num_states, size=2))
            known = distances(name, start)
            if target not in known:         # the motorway falls into closed parts
                with pytest.raises(InvalidAnswerError, match='no way leads from'):
                    way_through(world, [start, target])
                target = int(rng.choice(sorted(known)))
            course = way_through(world, [start, target])
            assert (course.states[0], course.states[-1]) == (start, target)
            assert len(course.actions) == known[target]
            assert follows(world, course)
            assert all(type(each) is int for each in course.states + course.actions)

    @for_each('name', TASKS)
    def test_in_every_task_places_are_passed_one_after_the_other(self, name, rng):
        world = world_of(name)
        start = int(rng.integers(world.mdp.num_states))
        near = sorted(distances(name, start))
        stops = [start, *(int(state) for state in rng.choice(near, 3))]
        course = way_through(world, stops)
        assert follows(world, course)
        assert len(course.actions) == sum(
            distances(name, before)[after]
            for before, after in pairwise(stops))
        left = iter(course.states)
        assert all(any(passed == stop for passed in left) for stop in dict.fromkeys(stops))


class TestRehearsing:
    def test_it_ends_at_the_goal(self):
        assert rehearse(CORRIDOR, always(RIGHT, goals=[4]), 2) == StatePath(
            (2, 3, 4), (RIGHT, RIGHT), 'the goal')

    def test_at_the_goal_there_is_nothing_to_do(self):
        path = rehearse(CORRIDOR, always(RIGHT, goals=[1, 4]), 1)
        assert path == StatePath((1,), (), 'the goal')

    def test_it_ends_where_the_robot_stays(self):
        assert rehearse(CORRIDOR, always(LEFT), 1) == StatePath(
            (1, 0, 0), (LEFT, LEFT), 'it stays here')

    def test_it_ends_where_it_would_do_the_same_again(self):
        round_and_round = policy((RIGHT,), (RIGHT,), (LEFT,), (LEFT,), (LEFT,))
        assert rehearse(CORRIDOR, round_and_round, 0) == StatePath(
            (0, 1, 2, 1), (RIGHT, RIGHT, LEFT), 'and so on')

    def test_it_ends_after_so_many_steps(self):
        assert rehearse(CORRIDOR, always(RIGHT, goals=[4]), 0, most=2) == StatePath(
            (0, 1, 2), (RIGHT, RIGHT), 'the first 2 steps')

    def test_a_goal_reached_by_the_last_step_is_reached(self):
        assert rehearse(CORRIDOR, always(RIGHT, goals=[4]), 2, most=2).end == 'the goal'

    def test_of_equally_good_actions_it_goes_on_with_the_last(self):
        either = policy((RIGHT,), (LEFT, RIGHT), (LEFT, RIGHT), (LEFT, RIGHT), (STAY,), goals=[4])
        assert rehearse(CORRIDOR, either, 0).actions == (RIGHT,) * 4

    def test_of_equally_good_actions_it_begins_with_the_first(self):
        assert rehearse(CORRIDOR, always(LEFT, RIGHT, goals=[0]), 2).actions == (LEFT, LEFT)

    @for_each('start', [5, -1, 1.0, None])
    def test_what_does_not_exist_is_refused(self, start):
        with pytest.raises(InvalidAnswerError, match='state must be'):
            rehearse(CORRIDOR, always(LEFT), start)

    @for_each('name', TASKS)
    def test_in_every_task_it_does_as_the_policy_says_until_the_end(self, name, rng):
        world = world_of(name)
        for number in range(10):
            goals = [] if number % 2 else rng.choice(world.mdp.num_states, 5)
            doing = random_policy(world, rng, goals)
            course = rehearse(world, doing, int(rng.integers(world.mdp.num_states)))
            check_rehearsal(world, doing, course, MAX_REHEARSED)

    @INVARIANT
    @given(st.integers(0, 2**32 - 1))
    def test_in_any_world_too(self, seed):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 30))
        mdp = Mdp.from_successors(rng.integers(count, size=(count, 3)), 0.9)
        world = World('any', mdp, None, Appearance(('a', 'b', 'c'), ('', '', '')))
        doing = random_policy(world, rng, rng.choice(count, 1) if seed % 2 else [])
        course = rehearse(world, doing, int(rng.integers(count)), most=12)
        check_rehearsal(world, doing, course, 12)


def check_rehearsal(world, doing, course, most):
    goals, last = set(doing.goal_states.tolist()), course.states[-1]
    assert follows(world, course)
    assert all(action in doing.actions(state) for state, action in course.steps)
    assert not goals & set(course.states[:-1])
    assert len(set(course.states[:-1])) == len(course.states[:-1]) <= most
    if course.end == 'the goal':
        assert last in goals
    elif course.end == 'it stays here':
        assert last == course.states[-2]
    elif course.end == 'and so on':
        assert last in course.states[:-2]
    else:
        assert course.end == f'the first {most} steps'
        assert len(course.actions) == most
        assert last not in course.states[:-1]
