"""What the tests of the compiled kernel share."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel, solver
from gbs_irl_ros.core.planning.solver import solve


def missing(reason):
    """Skip for want of something; where all of it must be there, in CI with ROS, fail."""
    if os.environ.get('CI') and os.environ.get('AMENT_PREFIX_PATH'):
        pytest.fail(reason)
    pytest.skip(reason)


def need_kernel():
    if kernel.library() is None:
        missing(kernel.description())


def need_compiler():
    """Return the C compiler."""
    found = shutil.which('cc') or shutil.which('gcc')
    if found is None:
        missing('there is no C compiler (cc)')
    return found


def solved_by(how, mdp, rewards, **options):
    """
    Solve with values, by a way of planning: 'sweeps', 'numpy' or 'steps' (where possible).

    Sweeps also where counting steps would do. Few rounds, so that what does not end fails soon.
    """
    with pytest.MonkeyPatch.context() as patch:
        if how == 'numpy':
            patch.setenv(kernel.VARIABLE, 'off')
        if how != 'steps':
            patch.setattr(solver, 'single_goals', lambda mdp, rewards: None)
        return solve(mdp, rewards, keep_values=True, **{'max_rounds': 100, **options})


def assert_same(found, expected, rtol=1e-9):
    """Assert equal greedy sets, and values equal but for so much of a reward's largest one."""
    assert found.converged.all()
    assert expected.converged.all()
    np.testing.assert_array_equal(found.greedy_bits, expected.greedy_bits)
    largest = np.abs(expected.values).max(axis=1, keepdims=True)
    unit = np.where(largest > 0.0, largest, 1.0)
    np.testing.assert_allclose(found.values / unit, expected.values / unit, rtol=0.0, atol=rtol)


def shuffled_chain(rng, length, discount, slip=0.0):
    """A corridor whose states are numbered at random; moves fail with probability slip."""
    order = rng.permutation(length)
    successors = np.empty((length, 2), dtype=int)
    successors[order, 0] = order[np.maximum(np.arange(length) - 1, 0)]
    successors[order, 1] = order[np.minimum(np.arange(length) + 1, length - 1)]
    if slip == 0.0:
        return Mdp.from_successors(successors, discount)
    dense = np.zeros((length, 2, length))
    for state, row in enumerate(successors):
        for action, following in enumerate(row):
            dense[state, action, following] += 1.0 - slip
            dense[state, action, state] += slip
    return Mdp.from_dense(dense, discount)


def side_by_side(worlds):
    """Return one MDP of several that share nothing but actions and discount."""
    actions, sizes = worlds[0].num_actions, [world.num_states for world in worlds]
    dense, first = np.zeros((sum(sizes), actions, sum(sizes))), 0
    for world, size in zip(worlds, sizes, strict=True):
        part = slice(first, first + size)
        dense[part, :, part] = world.transitions.toarray().reshape(size, actions, size)
        first += size
    return Mdp.from_dense(dense, worlds[0].discount)
