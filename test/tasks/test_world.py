"""Worlds and how they look."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.core.mdp import LIKELY, Mdp
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.world import Appearance, Picture, World

MDP = Mdp.from_successors(np.array([[0, 1], [1, 2], [2, 0]]), 0.9)
LOOKS = Appearance(('left', 'right'), ('a', 'd'), Picture.GRID, ('one', 'two', 'three'),
                   np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), 1.0,
                   cells=np.array([[4, 2], [5, 2], [6, 2]]))


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


@for_each(('start', 'text'), [
    ([0.5, 0.5], r'start must be a probability for each of the 3 states, got shape \(2,\)'),
    ([0.5, 0.6, 0.0], r'summing to 1; got a sum of 1.1'),
    ([1.5, -0.5, 0.0], r'that of state 1 is -0.5'),
    ([1.0, np.nan, 0.0], r'that of state 1 is nan'),
])
def test_a_start_that_is_no_distribution_is_refused(start, text):
    with pytest.raises(InvalidMdpError, match=text):
        world(start)


@for_each(('looks', 'text'), [
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
    ({'cells': np.zeros((2, 2), int)}, r'cells must have shape \(3, 2\), got \(2, 2\)'),
    ({'cells': np.array([[0, 0], [1, 0], [4_000_000_000, 4_000_000_000]])},
     r'cells must lie in a rectangle of at most 100000000, got 4000000001 x 4000000001'),
    ({'positions': None}, r'cells need positions and a cell_size, got False and 1.0'),
    ({'cell_size': 0.0}, r'cells need positions and a cell_size, got True and 0.0'),
])
def test_looks_that_do_not_fit_are_refused(looks, text):
    with pytest.raises(InvalidMdpError, match=text):
        world(**looks)


def test_actions_may_have_no_keys():
    assert world(action_keys=('', '')).appearance.action_keys == ('', '')


def test_a_world_may_have_no_geometry():
    assert world(positions=None, cells=None, cell_size=0.0).appearance.positions is None


# ---- where actions lead ---------------------------------------------------------------------

def moving(*rows):
    """A world of one action, with these rows of transition probabilities."""
    mdp = Mdp.from_dense(np.array(rows)[:, np.newaxis], 0.9)
    return World('moving', mdp, None, Appearance(('go',), ('',)))


def slow_target(mdp, state, action):
    """The likeliest other state if it is likely, one row at a time."""
    row = mdp.transitions[state * mdp.num_actions + action].toarray()[0]
    row[state] = 0.0
    best = int(np.argmax(row))
    return best if row[best] >= LIKELY else state


@for_each(('row', 'target'), [
    ([1.0, 0.0, 0.0, 0.0], 0),
    ([0.0, 0.0, 1.0, 0.0], 2),
    ([0.1, 0.1, 0.7, 0.1], 2),
    ([0.6, 0.0, 0.4, 0.0], 2),      # it often fails to move, and is still meant to move
    ([0.7, 0.0, 0.3, 0.0], 2),      # just likely enough
    ([0.8, 0.1, 0.1, 0.0], 0),      # it bumps into a wall, and sometimes slides along it
    ([0.71, 0.0, 0.29, 0.0], 0),
    ([0.4, 0.2, 0.2, 0.2], 0),      # it may go anywhere: none of these is what it is for
    ([0.0, 0.25, 0.5, 0.25], 2),
    ([0.0, 0.5, 0.5, 0.0], 1),      # of equally likely ones the first
    ([0.2, 0.0, 0.4, 0.4], 2),
])
def test_an_action_leads_to_the_likeliest_other_state_if_it_is_likely(row, target):
    assert LIKELY == 0.3
    assert moving(row, *np.identity(4)[1:]).targets[0, 0] == target


def test_in_a_deterministic_world_targets_are_the_successors():
    np.testing.assert_array_equal(world().targets, MDP.successors)


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_targets_agree_with_a_slow_computation(seed):
    rng = np.random.default_rng(seed)
    states, actions = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    # Tenths, so that ties and chances of just LIKELY occur.
    counts = rng.multinomial(10, rng.dirichlet(np.full(states, 0.5)), (states, actions))
    mdp = Mdp.from_dense(counts / 10.0, 0.9)
    made = World('any', mdp, None, Appearance(('',) * actions, ('',) * actions))
    assert made.targets.shape == (states, actions)
    assert made.targets.tolist() == [[slow_target(mdp, state, action) for action in range(actions)]
                                     for state in range(states)]


def test_targets_do_not_depend_on_the_order_in_which_a_row_is_stored():
    matrix = sparse.csr_matrix((np.array([0.5, 0.5, 1.0, 1.0]), np.array([2, 1, 1, 2]),
                                np.array([0, 2, 3, 4])), shape=(3, 3))
    made = World('unsorted', Mdp(matrix, 1, 0.9), None, Appearance(('go',), ('',)))
    assert made.targets.tolist() == [[1], [1], [2]]


@for_each('name', sorted(shipped_tasks()))
def test_in_every_task_targets_agree_with_a_slow_computation(name, rng):
    made = load_task(name).world
    for state in rng.integers(made.mdp.num_states, size=20).tolist():
        for action in range(made.mdp.num_actions):
            assert made.targets[state, action] == slow_target(made.mdp, state, action)
