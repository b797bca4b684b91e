"""Worlds and how they look."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks.world import Appearance, Picture, World

MDP = Mdp.from_successors(np.array([[0, 1], [1, 2], [2, 0]]), 0.9)
LOOKS = Appearance(('left', 'right'), ('a', 'd'), Picture.GRID, ('one', 'two', 'three'),
                   np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), 1.0)


def world(start=(1.0, 0.0, 0.0), **looks):
    given = None if start is None else np.array(start)
    return World('row', MDP, given, replace(LOOKS, **looks))


def test_a_state_is_called_by_its_name():
    assert world().state_name(1) == 'two'


def test_a_state_without_a_name_is_called_by_its_number():
    assert world(state_names=()).state_name(2) == 'state 2'


def test_the_start_is_uniform_where_none_is_given():
    np.testing.assert_allclose(world(None).start, 1 / 3)


def test_the_start_cannot_be_changed_afterwards():
    given = np.array([1.0, 0.0, 0.0])
    made = World('row', MDP, given, LOOKS)
    given[0] = 0.0
    assert made.start.tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match='read-only'):
        made.start[0] = 0.5


def test_a_world_is_frozen():
    with pytest.raises(FrozenInstanceError):
        world().name = 'other'


@pytest.mark.parametrize(('start', 'text'), [
    ([0.5, 0.5], r'start must be a probability for each of the 3 states, got shape \(2,\)'),
    ([0.5, 0.6, 0.0], r'summing to 1; got a sum of 1.1'),
    ([1.5, -0.5, 0.0], r'that of state 1 is -0.5'),
    ([1.0, np.nan, 0.0], r'that of state 1 is nan'),
])
def test_a_start_that_is_no_distribution_is_refused(start, text):
    with pytest.raises(InvalidMdpError, match=text):
        world(start)


@pytest.mark.parametrize(('looks', 'text'), [
    ({'action_names': ('left',)}, r'action_names must have 2 entries, got 1'),
    ({'action_keys': ('a', 'b', 'c')}, r'action_keys must have 2 entries, got 3'),
    ({'state_names': ('one',)}, r'state_names must have 3 entries, got 1'),
    ({'action_keys': ('a', 'a')}, r"action_keys must differ, got 'a' twice"),
    ({'positions': np.zeros((2, 2))}, r'positions must have shape \(3, 2\), got \(2, 2\)'),
    ({'positions': np.zeros((3, 3))}, r'positions must have shape \(3, 2\), got \(3, 3\)'),
    ({'positions': np.array([[0, 0], [1, np.inf], [0, 0]])},
     r'positions must be finite: that of state 1 is \[1.0, inf\]'),
    ({'cell_size': -1.0}, r'cell_size must not be negative, got -1.0'),
    ({'cell_size': np.nan}, r'cell_size must not be negative, got nan'),
    ({'cell_size': np.inf}, r'cell_size must not be negative, got inf'),
])
def test_looks_that_do_not_fit_are_refused(looks, text):
    with pytest.raises(InvalidMdpError, match=text):
        world(**looks)


def test_actions_may_have_no_keys():
    assert world(action_keys=('', '')).appearance.action_keys == ('', '')


def test_a_world_may_have_no_geometry():
    assert world(positions=None, cell_size=0.0).appearance.positions is None
