"""Environments of Gymnasium become worlds with the same values, and are played as taught."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import Mdp, PolicyAgent, Rewards, solve
from gbs_irl_ros.core.errors import InvalidMdpError, MissingPackageError
from gbs_irl_ros.core.gymnasium_tables import Episode, GymnasiumTable
from gbs_irl_ros.core.policy import Policy

DISCOUNT = 0.99


def planned(table):
    """Return the optimal values ``[S]`` and the policy for the table's own reward."""
    found = solve(table.mdp, Rewards.from_dense(table.reward[np.newaxis], table.mdp.num_actions),
                  keep_values=True)
    return found.values[0], Policy(found.greedy_bits[:, 0], np.ones(table.mdp.num_states),
                                   np.array([]), table.mdp.num_actions)


def environment(table, start=None):
    """Return what looks like an environment with this table."""
    return SimpleNamespace(unwrapped=SimpleNamespace(P=table, initial_state_distrib=start))


# Two states and their end: action 0 moves on, action 1 stays. The last move earns 5.
CHAIN = {0: {0: [(1.0, 1, 0.0, False)], 1: [(1.0, 0, 0.0, False)]},
         1: {0: [(0.5, 2, 5.0, True), (0.5, 1, 1.0, False)], 1: [(1.0, 1, 0.0, False)]},
         2: {0: [(1.0, 1, 9.0, False)], 1: [(1.0, 2, 9.0, False)]}}


def test_a_state_that_ends_an_episode_absorbs_and_earns_nothing():
    table = GymnasiumTable.of(environment(CHAIN, [1.0, 0.0, 0.0]), 0.9)
    assert table.end == (2,)
    np.testing.assert_array_equal(table.mdp.transitions.toarray(), [
        [0, 1, 0], [1, 0, 0], [0, 0.5, 0.5], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_array_equal(table.reward, [[0, 0], [3, 0], [0, 0]])
    np.testing.assert_array_equal(table.start, [1, 0, 0])
    np.testing.assert_array_equal(
        Mdp.from_gymnasium(environment(CHAIN), 0.9).transitions.toarray(),
        table.mdp.transitions.toarray())


def test_a_state_that_is_also_passed_is_not_the_end():
    """Then there is one more state, and the other keeps its transitions."""
    passed = {**CHAIN, 0: {0: [(1.0, 1, 0.0, False)], 1: [(1.0, 2, 0.0, False)]}}
    table = GymnasiumTable.of(environment(passed), 0.9)
    assert table.end == (3,)
    np.testing.assert_array_equal(table.mdp.transitions.toarray(), [
        [0, 1, 0, 0], [0, 0, 1, 0], [0, 0.5, 0, 0.5], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0],
        [0, 0, 0, 1], [0, 0, 0, 1]])
    np.testing.assert_array_equal(table.reward, [[0, 0], [3, 0], [9, 9], [0, 0]])
    np.testing.assert_allclose(table.start, [1 / 3, 1 / 3, 1 / 3, 0])       # it does not say


@for_each(('table', 'message'), [
    (None, 'SimpleNamespace has no table of transitions .*FrozenLake, Taxi and CliffWalking'),
    ({}, 'has no table of transitions'),
    ({**CHAIN, 1: {0: [(1.0, 1, 0.0, False)]}},
     'must have 2 actions in each of the states 0 .. 2; state 1 has 1'),
    ({0: CHAIN[0], 1: CHAIN[1], 5: CHAIN[2]}, 'state 2 has 0'),
    ({**CHAIN, 0: {0: [(1.0, 7, 0.0, False)], 1: []}},
     'from state 0, action 0 to state 7; there are 3'),
    ({**CHAIN, 0: {0: [(0.7, 1, 0.0, False)], 1: [(1.0, 0, 0.0, False)]}},
     'must sum to 1: those of state 0, action 0 sum to 0.7')])
def test_an_environment_without_a_whole_table_is_refused(table, message):
    whole = environment(table)
    for env in (whole, whole.unwrapped):    # which has no such attribute itself
        with pytest.raises(InvalidMdpError, match=message):
            GymnasiumTable.of(env, 0.9)


def test_without_gymnasium_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, 'gymnasium', None)
    with pytest.raises(MissingPackageError, match="'Taxi-v4' needs gymnasium, which is not "
                                                  'installed: pip install gymnasium'):
        Mdp.from_gymnasium('Taxi-v4', 0.9)


class Endless:
    """An environment that never ends and earns 1 for action 1."""

    def reset(self, seed):
        return 0, {}

    def step(self, action):
        return np.int64(0), float(action), False, False, {}


def test_an_endless_episode_is_left():
    agent = PolicyAgent(Policy(np.array([2]), np.ones(1), np.array([]), 2),
                        np.random.default_rng(1))
    assert agent.play(Endless(), max_steps=7) == Episode(7.0, 7, False)


def test_equally_good_actions_are_all_taken():
    agent = PolicyAgent(Policy(np.array([0b101]), np.ones(1), np.array([]), 3),
                        np.random.default_rng(1))
    assert {agent.act(0) for _ in range(50)} == {0, 2}


@pytest.fixture(scope='module')
def gymnasium():
    return pytest.importorskip('gymnasium')


@pytest.mark.slow
def test_an_environment_of_gymnasium_without_a_table_is_refused(gymnasium):
    with pytest.raises(InvalidMdpError, match='BlackjackEnv has no table of transitions'):
        Mdp.from_gymnasium('Blackjack-v1', 0.9)


@pytest.mark.slow
def test_values_of_cliff_walking_by_hand(gymnasium):
    """Thirteen steps along the cliff, each of which costs 1; there is no time limit."""
    table = GymnasiumTable.of('CliffWalking-v1', DISCOUNT)
    values, policy = planned(table)
    assert values[36] == pytest.approx(-(1.0 - DISCOUNT ** 13) / (1.0 - DISCOUNT))
    assert (table.end, values[47]) == ((47,), 0.0)
    agent = PolicyAgent(policy, np.random.default_rng(0))
    assert agent.play('CliffWalking-v1', seed=3) == Episode(-13.0, 13, True)


@pytest.mark.slow
def test_values_of_frozen_lake_by_hand_and_by_play(gymnasium):
    firm = GymnasiumTable.of(gymnasium.make('FrozenLake-v1', is_slippery=False), DISCOUNT)
    assert planned(firm)[0][0] == pytest.approx(DISCOUNT ** 5)      # six steps, the last earns 1
    assert firm.end == (5, 7, 11, 12, 15)
    slippery = GymnasiumTable.of('FrozenLake-v1', DISCOUNT)
    values, policy = planned(slippery)
    brute = np.zeros(16)
    for _ in range(4_000):
        brute = (slippery.reward + DISCOUNT * (slippery.mdp.transitions @ brute).reshape(16, 4)
                 ).max(axis=1)
    np.testing.assert_allclose(values, brute, atol=1e-9)
    env = gymnasium.make('FrozenLake-v1', max_episode_steps=1_000)
    agent = PolicyAgent(policy, np.random.default_rng(0))
    won = np.mean([agent.play(env, seed).total for seed in range(150)])
    env.close()
    # Nothing is discounted in play; with no limit of steps the best policy always wins but for
    # the holes: 14/17 of episodes (the chain solved exactly).
    assert won == pytest.approx(14 / 17, abs=3.0 * np.sqrt(14 / 17 * 3 / 17 / 150))


@pytest.mark.slow
def test_taxi_has_one_more_state_and_is_played_as_well_as_its_values_say(gymnasium):
    table = GymnasiumTable.of('Taxi-v4', DISCOUNT)
    assert (table.mdp.num_states, table.mdp.num_actions, table.end) == (501, 6, (500,))
    values, policy = planned(table)
    env = gymnasium.make('Taxi-v4')
    agent = PolicyAgent(policy, np.random.default_rng(0))
    for seed in range(40):
        first, _ = env.reset(seed=seed)
        episode = agent.play(env, seed)
        # Each step costs 1 and the last earns 20: what is planned is exactly what is played.
        expected = -(1.0 - DISCOUNT ** (episode.steps - 1)) / (1.0 - DISCOUNT) \
            + 20.0 * DISCOUNT ** (episode.steps - 1)
        assert values[first] == pytest.approx(expected)
        assert episode == Episode(21.0 - episode.steps, episode.steps, True)
    env.close()
