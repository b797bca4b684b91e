"""A policy that allows several actions."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.errors import InvalidPolicyError
from gbs_irl_ros.core.policy import Policy


def policy(sets=(0b01, 0b10, 0b11), confidence=(0.5, 1.0, 0.0), goals=(2,), num_actions=2):
    return Policy(np.array(sets, dtype=np.uint64), np.array(confidence),
                  np.array(goals, dtype=int), num_actions)


def test_actions_are_the_bits_lowest_first():
    assert [policy().actions(state) for state in range(3)] == [(0,), (1,), (0, 1)]
    assert policy().num_states == 3


def test_probabilities_are_uniform_over_what_is_allowed():
    np.testing.assert_array_equal(policy().probabilities(), [[1, 0], [0, 1], [0.5, 0.5]])


def test_a_policy_of_sixty_four_actions_fits_a_word():
    wide = policy([1 << 63, (1 << 64) - 1, 1], num_actions=64)
    assert wide.actions(0) == (63,)
    assert wide.actions(1) == tuple(range(64))


def test_a_policy_copies_and_freezes_its_arrays():
    sets = np.array([1, 2], dtype=np.uint64)
    made = Policy(sets, np.ones(2), np.array([], dtype=int), 2)
    sets[0] = 3
    assert made.actions(0) == (0,)
    for array in (made.action_sets, made.confidence, made.goal_states):
        assert not array.flags.writeable


def test_every_state_needs_a_confidence():
    with pytest.raises(InvalidPolicyError, match=r'per state, got shapes \(3,\) and \(2,\)'):
        policy(confidence=(0.5, 0.5))


@pytest.mark.parametrize(('sets', 'text'), [
    ((1, 0, 0), r'actions 0 \.\. 1 and not be empty: that of state 1 is 0$'),
    ((1, 1, 0b100), r'actions 0 \.\. 1 and not be empty: that of state 2 is 100$')])
def test_action_sets_hold_actions_that_exist(sets, text):
    with pytest.raises(InvalidPolicyError, match=text):
        policy(sets)


@for_each('count', [0, -1, 65])
def test_there_are_as_many_actions_as_a_word_has_bits_at_most(count):
    with pytest.raises(InvalidPolicyError, match=rf'must have 1 \.\. 64 actions, got {count}$'):
        policy(num_actions=count)


@for_each('value', [-0.1, 1.1, np.nan])
def test_confidence_is_a_probability(value):
    text = rf'confidence must be in \[0, 1\]: that of state 1 is {value}'
    with pytest.raises(InvalidPolicyError, match=text):
        policy(confidence=(0.5, value, value))


@pytest.mark.parametrize('goals', [(0, 3), (-1, 1)])
def test_goal_states_exist(goals):
    text = rf'goal states must be in 0 \.\. 2, got {goals[0]} \.\. {goals[1]}'
    with pytest.raises(InvalidPolicyError, match=text):
        policy(goals=goals)
