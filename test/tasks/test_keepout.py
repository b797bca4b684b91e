"""What a task says to Nav2: 100 never enter, 1 to 99 undesirable, 0 free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.keepout import guidance, mask_of_cells, no_mask
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.worlds.grid import build_grid

FOUR = ('north', 'east', 'south', 'west')


def strip(reward, *rows, never=None, goals=None, start=None):
    """A task of one reward on a grid, ... unless told otherwise."""
    world = build_grid(list(rows or ('...',)), {}, FOUR, 0.9).world
    if start is not None:
        world = replace(world, start=np.eye(world.mdp.num_states)[start])

    def marked(states):
        return None if states is None else sparse.csr_matrix(
            np.isin(np.arange(world.mdp.num_states), states)[np.newaxis])
    candidates = Candidates.of(world.mdp, Rewards.from_dense(np.array([reward], float), 4),
                               goals=marked(goals), never=marked(never))
    return Task(world, candidates, NoiseModel())


@for_each(('reward', 'mask', 'goal'), [
    ([0, 0, 1], [0, 0, 0], 2),                  # only a goal: nothing is undesirable
    ([0, -1, 1], [0, 99, 0], 2),                # as bad as the goal is good
    ([0, -0.5, 1], [0, 50, 0], 2),
    ([0, -1e-6, 1], [0, 1, 0], 2),              # a little is not nothing
    ([-1, -1, -1, -10, 0], [0, 0, 0, 89, 0], None),     # each step has its price
    ([0, 0, -5, -10], [0, 0, 50, 99], None),
    ([1, 0.5, 0.25], [0, 0, 0], 0),
    ([0, 0, 0], [0, 0, 0], None),
    ([-1, -1, -1], [0, 0, 0], None)])
def test_costs_are_shares_of_the_largest_number(reward, mask, goal):
    said = guidance(strip(reward, '.' * len(reward)), 0)
    assert said.mask.tolist() == mask
    assert said.goal == goal


@for_each(('rows', 'start', 'mask'), [
    (('...', '...'), 0, [0, 100, 0, 0, 0, 0]),      # there is a way round
    (('...',), 0, [0, 99, 0]),                      # there is none: undesirable, or Nav2 stands
    (('...',), 2, [0, 100, 0])])                    # nobody must go there from here
def test_what_is_never_to_be_entered_is_forbidden_as_long_as_there_is_a_way_round(
        rows, start, mask):
    size = len(mask)
    task = strip(np.eye(size)[2], *rows, never=[1], goals=[2], start=start)
    assert guidance(task, 0).mask.tolist() == mask


def test_a_goal_is_never_forbidden():
    assert guidance(strip([0, 0, 1], never=[1, 2], goals=[2], start=0), 0).mask.tolist() \
        == [0, 99, 0]


def test_of_several_goals_it_is_the_one_in_the_midst():
    task = strip(np.zeros(9), '...', '...', '...', goals=range(9))
    assert guidance(task, 0).goal == 4
    nowhere = load_task('random_mdp')
    assert guidance(nowhere, 0).goal is None


def test_of_the_room_it_is_the_carpet_and_the_desk():
    room = load_task('room')
    regions = room.world.appearance.regions
    for name, value in (('never', 100), ('rather not', 50)):
        said = guidance(room, room.names.index(f'go to desk, {name} over the carpet'))
        assert np.flatnonzero(said.mask == value).tolist() == sorted(regions['carpet'])
        assert np.count_nonzero(said.mask) == len(regions['carpet'])
        assert said.goal in regions['desk']
    cells = mask_of_cells(room.world, said.mask)
    assert cells.shape == room.world.layout.shape
    assert (cells.sum(), cells.dtype) == (50 * len(regions['carpet']), np.int8)
    assert not no_mask(room.world).any()
    with pytest.raises(AssertionError):
        mask_of_cells(load_task('random_mdp').world, np.zeros(10))
