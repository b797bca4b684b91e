"""The two puddle worlds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.tasks.worlds.puddle_world import build_puddle_world
from gbs_irl_ros.tasks.worlds.puddle_world_lopes import build_lopes_world

NORTH, EAST, SOUTH, WEST = range(4)
LINES = (((0.10, 0.75), (0.45, 0.75)), ((0.45, 0.40), (0.45, 0.80)))


@pytest.fixture(scope='module')
def puddles():
    return build_puddle_world(0.95, 0.5)


@pytest.fixture(scope='module')
def lopes():
    return build_lopes_world(0.9, 1.0, 21, 2.0)


def states(built, cells):
    return [int(built.grid.state_of_cell[row, column]) for column, row in cells]


def row_of(built, cell, action):
    """What follows an action, by cell."""
    state = built.grid.state_of_cell[cell[1], cell[0]]
    row = built.mdp.transitions[state * 4 + action]
    return {tuple(built.grid.cells[target].tolist()): probability
            for target, probability in zip(row.indices, row.data, strict=True)}


def distance_by_sampling(x, y, line, count=5601):
    """The distance to a line by trying many of its points, all lattice points among them."""
    (x1, y1), (x2, y2) = line
    share = np.linspace(0.0, 1.0, count)
    return np.hypot(x1 + share * (x2 - x1) - x, y1 + share * (y2 - y1) - y).min()


def depth_by_sampling(column, row):
    x, y = column / 20, (19 - row) / 20
    return max(0.1 - distance_by_sampling(x, y, line) for line in LINES)


class TestPuddleWorld:
    def test_has_the_size_of_the_paper(self, puddles):
        assert puddles.mdp.num_states == 400
        assert puddles.mdp.num_actions == 4
        assert puddles.mdp.discount == 0.95
        assert puddles.world.appearance.action_names == ('north', 'east', 'south', 'west')

    def test_slides_as_the_paper_says_in_the_middle(self, puddles):
        expected = {(10, 11): 0.06, (10, 10): 0.24, (10, 9): 0.40, (10, 8): 0.24, (10, 7): 0.06}
        assert row_of(puddles, (10, 10), NORTH) == pytest.approx(expected)
        expected = {(11, 10): 0.06, (10, 10): 0.24, (9, 10): 0.40, (8, 10): 0.24, (7, 10): 0.06}
        assert row_of(puddles, (10, 10), WEST) == pytest.approx(expected)

    def test_slides_are_clipped_at_the_border(self, puddles):
        assert row_of(puddles, (5, 0), NORTH) == pytest.approx({(5, 0): 0.94, (5, 1): 0.06})
        assert row_of(puddles, (5, 1), NORTH) == pytest.approx(
            {(5, 2): 0.06, (5, 1): 0.24, (5, 0): 0.70})
        assert row_of(puddles, (18, 7), EAST) == pytest.approx(
            {(17, 7): 0.06, (18, 7): 0.24, (19, 7): 0.70})
        assert row_of(puddles, (0, 7), EAST) == pytest.approx(
            {(0, 7): 0.30, (1, 7): 0.40, (2, 7): 0.24, (3, 7): 0.06})

    def test_a_corner_holds_by_two_sides(self, puddles):
        assert row_of(puddles, (19, 19), SOUTH) == pytest.approx(
            {(19, 19): 0.94, (19, 18): 0.06})

    def test_the_goal_is_the_top_right_corner_and_worth_1(self, puddles):
        reward = puddles.own.rewards.dense()[0]
        assert puddles.regions['goal'].tolist() == states(puddles, [(19, 0)])
        assert np.flatnonzero(reward == 1.0).tolist() == states(puddles, [(19, 0)])
        assert reward.max() == 1.0

    def test_the_worst_reward_is_minus_1_on_the_lines_of_the_puddles(self, puddles):
        reward = puddles.own.rewards.dense()[0]
        on_lines = [(column, 19 - 15) for column in range(2, 10)] \
            + [(9, 19 - j) for j in range(8, 17) if j != 15]
        assert sorted(states(puddles, on_lines)) == np.flatnonzero(reward < -1 + 1e-9).tolist()
        assert reward.min() == pytest.approx(-1.0)

    def test_the_puddles_are_those_of_a_brute_force_search(self, puddles):
        wet = [state for state, (column, row) in enumerate(puddles.grid.cells)
               if depth_by_sampling(column, row) > 1e-9]
        assert puddles.regions['puddles'].tolist() == wet
        assert len(wet) > 50

    def test_the_reward_is_the_square_of_the_depth(self, puddles):
        expected = [-max(0.0, depth_by_sampling(column, row) / 0.1)**2
                    for column, row in puddles.grid.cells]
        expected[int(puddles.regions['goal'][0])] = 1.0
        np.testing.assert_allclose(puddles.own.rewards.dense()[0], expected, atol=1e-6)

    def test_the_edge_of_a_puddle_is_dry(self, puddles):
        reward = puddles.own.rewards.dense()[0]
        edge = [(5, 19 - 17), (5, 19 - 13), (0, 19 - 15), (11, 19 - 10), (7, 19 - 10),
                (9, 19 - 6), (9, 19 - 18)]          # 0.1 away from a line
        for state in states(puddles, edge):
            assert reward[state] == 0.0
            assert state not in puddles.regions['puddles']

    def test_one_cell_beside_a_line_is_a_quarter_as_bad(self, puddles):
        reward = puddles.own.rewards.dense()[0]
        np.testing.assert_allclose(reward[states(puddles, [(5, 19 - 16), (10, 19 - 10)])], -0.25)

    def test_the_zero_entries_of_the_reward_are_left_out(self, puddles):
        wet = len(puddles.regions['puddles'])
        assert puddles.own.rewards.num_nonzero().tolist() == [wet + 1]

    def test_cells_are_as_large_as_asked(self, puddles):
        positions = puddles.world.appearance.positions
        np.testing.assert_allclose(positions[0], [0.25, 9.75])
        np.testing.assert_allclose(positions[-1], [9.75, 0.25])


class TestLopesWorld:
    def test_has_the_size_of_the_paper(self, lopes):
        assert lopes.mdp.num_states == 441
        assert lopes.mdp.num_actions == 4
        assert lopes.own.rewards.num_rewards == 1250
        assert len(lopes.own.names) == len(set(lopes.own.names)) == 1250

    def test_no_two_rewards_are_the_same_and_none_is_zero(self, lopes):
        rewards = lopes.own.rewards.dense()
        assert len(np.unique(rewards.round(9), axis=0)) == 1250
        assert (np.abs(rewards).max(axis=1) > 1e-3).all()

    def test_every_choice_of_signs_and_places_is_there(self, lopes):
        """2,500 ordered choices: 50 of them cancel, the others of different places pair up."""
        lattice = [(5 * i, 5 * j) for i in range(5) for j in range(5)]
        words = {1: 'good', -1: 'bad'}
        names, zero = set(lopes.own.names), 0
        for first in lattice:
            for second in lattice:
                for one in words:
                    for two in words:
                        if first == second and one != two:
                            zero += 1
                            continue
                        either = {f'{words[one]} at {first}, {words[two]} at {second}',
                                  f'{words[two]} at {second}, {words[one]} at {first}'}
                        assert either & names
        assert zero == 50

    def test_one_reward_by_its_formula(self, lopes):
        index = lopes.own.names.index('good at (20, 0), bad at (10, 10)')
        reward = lopes.own.rewards.one(index)
        for column, row in [(20, 0), (10, 10), (0, 20), (17, 4)]:
            expected = math.exp(-math.dist((20, 0), (column, row)) / 8) \
                - math.exp(-math.dist((10, 10), (column, row)) / 8)
            assert reward[lopes.grid.state_of_cell[row, column]] == pytest.approx(expected)

    def test_two_bumps_at_one_place_add_up(self, lopes):
        index = lopes.own.names.index('bad at (5, 5), bad at (5, 5)')
        reward = lopes.own.rewards.one(index)
        assert reward.min() == pytest.approx(-2.0)
        assert np.argmin(reward) == lopes.grid.state_of_cell[5, 5]

    def test_moves_are_certain(self, lopes):
        state = lopes.grid.state_of_cell[10, 10]
        assert lopes.mdp.successors[state].tolist() == [state - 21, state + 1, state + 21,
                                                        state - 1]

    def test_starts_in_the_lower_left_corner(self, lopes):
        assert np.flatnonzero(lopes.world.start).tolist() == [lopes.grid.state_of_cell[20, 0]]
        corner = lopes.world.appearance.positions[np.argmax(lopes.world.start)]
        np.testing.assert_allclose(corner, [0.5, 0.5])

    @for_each(('size', 'width'), [(5, 1.0), (9, 0.5), (30, 3.0)])
    def test_other_sizes_have_as_many_rewards(self, size, width):
        built = build_lopes_world(0.9, 1.0, size, width)
        assert built.mdp.num_states == size**2
        assert len(np.unique(built.own.rewards.dense().round(12), axis=0)) == 1250

    def test_a_wider_bump_reaches_further(self):
        narrow, wide = (build_lopes_world(0.9, 1.0, 5, width).own.rewards.dense()[0]
                        for width in (1.0, 2.0))
        assert (wide >= narrow).all()
        assert wide[-1] > narrow[-1]
