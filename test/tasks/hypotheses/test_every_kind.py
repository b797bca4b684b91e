"""Sets of rewards: what is in them, and that a seed repeats them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.hypotheses.features import feature_rewards
from gbs_irl_ros.tasks.hypotheses.goals import goal_rewards
from gbs_irl_ros.tasks.hypotheses.places import place_rewards
from gbs_irl_ros.tasks.hypotheses.random_rewards import random_rewards
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld
from gbs_irl_ros.tasks.worlds.driver import build_driver
from gbs_irl_ros.tasks.worlds.grid import build_grid
from gbs_irl_ros.tasks.worlds.puddle_world import build_puddle_world
from gbs_irl_ros.tasks.worlds.trap_world import build_trap_world

FOUR = ('north', 'east', 'south', 'west')
COSTS = [0.0, -0.1, -1.0, -10.0]


def flat(**options):
    """States 0 1 2 3 / 4 # # 5 / 6 7 8 9; kitchen 0 1, sofa 9, carpet 3 5."""
    return build_grid(['KK.C', '.##C', '...s'],
                      {'K': 'kitchen', 's': 'sofa', 'C': 'carpet'}, FOUR, 0.9, **options)


@pytest.fixture(scope='module')
def driver():
    return build_driver(0.95)


@pytest.fixture(scope='module')
def puddles():
    return build_puddle_world(0.95, 1.0)


def same(one, other):
    """Equal bit for bit."""
    return one.names == other.names and \
        one.rewards.dense().tobytes() == other.rewards.dense().tobytes()


class TestGoals:
    def test_a_goal_is_worth_its_value_and_everything_else_nothing(self):
        found = goal_rewards(flat(), {'a': np.array([2]), 'b': np.array([0, 9])}, 3.0)
        expected = np.zeros((2, 10))
        expected[0, 2] = expected[1, 0] = expected[1, 9] = 3.0
        np.testing.assert_array_equal(found.rewards.dense(), expected)
        assert found.names == ('a', 'b')

    def test_the_goals_are_where_the_task_is_accomplished(self):
        found = goal_rewards(flat(), {'a': np.array([2]), 'b': np.array([0, 9])}, -3.0)
        assert found.goals.toarray().nonzero()[1].tolist() == [2, 0, 9]

    def test_a_shaped_reward_by_hand(self):
        """In a corridor of three with its goal at the right: Phi = -2, -1, 0."""
        built = build_grid(['...'], {}, ('east', 'west'), 0.5)
        found = goal_rewards(built, {'end': np.array([2])}, 1.0, shaped=True)
        assert found.rewards.per_action
        np.testing.assert_allclose(found.rewards.dense()[0].reshape(3, 2), [
            [0.5 * -1 + 2, 0.5 * -2 + 2], [0.5 * 0 + 1, 0.5 * -2 + 1],
            [1 + 0.5 * 0 - 0, 1 + 0.5 * -1 - 0]])

    @for_each('built', [
        flat(), flat(slip=0.3), flat(jumps={-1: 0.2, 1: 0.5, 2: 0.3}),
        build_trap_world((2, 2), 3, [(1, 0), (0, 1)], [((0, 0), (1, 0), [1])], 0.95, 1.0),
        build_grid(['..#..', '..#..'], {}, FOUR, 0.9),     # the other half is out of reach
    ], ids=['certain', 'slipping', 'jumping', 'traps', 'two parts'])
    def test_shaping_leaves_every_policy_as_it_is(self, built):
        goals = {f'{state}': np.array([state]) for state in range(built.mdp.num_states)}
        goals['several'] = np.array([0, built.mdp.num_states - 1])
        plain, shaped = (solve(built.mdp, goal_rewards(built, goals, 1.0, way).rewards)
                         for way in (False, True))
        np.testing.assert_array_equal(plain.greedy_bits, shaped.greedy_bits)

    def test_shaping_tells_the_way_in_every_state(self):
        built = flat()
        found = goal_rewards(built, {'sofa': np.array([9])}, 1.0, shaped=True)
        reward = found.rewards.dense()[0].reshape(10, 4)
        greedy = solve(built.mdp, found.rewards).greedy_bits[:, 0]
        np.testing.assert_array_equal(
            np.isclose(reward, reward.max(axis=1, keepdims=True)),
            (greedy[:, np.newaxis] >> np.arange(4)) & 1 == 1)

    def test_shaping_keeps_the_goals(self):
        found = goal_rewards(flat(), {'sofa': np.array([9])}, 1.0, shaped=True)
        assert found.goals.indices.tolist() == [9]


class TestPlaces:
    def test_every_place_is_combined_with_every_choice_to_keep_off(self):
        found = place_rewards(flat(), ['sofa', 'kitchen'], 1.0, {'carpet': -0.5, 'kitchen': -0.25})
        assert found.names == (
            'go to sofa', 'go to sofa, keep off kitchen', 'go to sofa, keep off carpet',
            'go to sofa, keep off carpet and kitchen',
            'go to kitchen', 'go to kitchen, keep off kitchen', 'go to kitchen, keep off carpet',
            'go to kitchen, keep off carpet and kitchen')
        assert found.rewards.num_rewards == 8

    def test_rewards_are_those_of_the_place_and_of_what_is_kept_off(self):
        found = place_rewards(flat(), ['sofa'], 2.0, {'carpet': -0.5, 'kitchen': -0.25})
        by_name = dict(zip(found.names, found.rewards.dense().tolist(), strict=True))
        assert by_name['go to sofa'] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
        assert by_name['go to sofa, keep off carpet and kitchen'] == [
            -0.25, -0.25, 0, -0.5, 0, -0.5, 0, 0, 0, 2]

    def test_a_place_in_a_region_to_keep_off_is_worth_both(self):
        found = place_rewards(flat(), ['kitchen'], 1.0, {'kitchen': -0.25})
        assert found.rewards.dense()[:, 0].tolist() == [1.0, 0.75]

    def test_the_place_is_the_goal_whatever_is_kept_off(self):
        found = place_rewards(flat(), ['sofa', 'kitchen'], 1.0, {'carpet': -0.5})
        goals = [np.flatnonzero(row).tolist() for row in found.goals.toarray()]
        assert goals == [[9], [9], [0, 1], [0, 1]]

    def test_regions_are_free_or_rather_not_or_never(self):
        found = place_rewards(flat(), ['sofa'], 2.0, {}, {
            'carpet': ('free', 'rather not', 'never'), 'kitchen': ('never', 'free')}, 0.25)
        rows = found.rewards.dense().tolist()
        assert found.names == (
            'go to sofa, never over the kitchen', 'go to sofa',
            'go to sofa, never over the kitchen, rather not over the carpet',
            'go to sofa, rather not over the carpet',
            'go to sofa, never over the carpet or the kitchen',
            'go to sofa, never over the carpet')
        assert rows[3] == [0, 0, 0, -0.25, 0, -0.25, 0, 0, 0, 2]
        assert rows[4] == [-2, -2, 0, -2, 0, -2, 0, 0, 0, 2]
        assert [np.flatnonzero(row).tolist() for row in found.never.toarray()] == [
            [0, 1], [], [0, 1], [], [0, 1, 3, 5], [3, 5]]

    def test_a_place_is_a_goal_only_where_the_robot_may_go(self):
        built = flat()
        built.regions['half'] = built.regions['kitchen'][:1]
        found = place_rewards(built, ['kitchen'], 1.0, {}, {'half': ('never',)})
        assert found.goals.toarray()[0].nonzero()[0].tolist() == [1]
        assert found.rewards.dense()[0, :2].tolist() == [-1.0, 1.0]

    def test_without_a_never_nothing_says_so(self):
        """So that files from before keep their hash."""
        assert place_rewards(flat(), ['sofa'], 1.0, {'carpet': -1.0}).never is None
        assert place_rewards(flat(), ['sofa'], 1.0, {}, {'carpet': ('rather not',)}).never is None

    def test_with_nothing_to_keep_off_there_is_one_reward_for_each_place(self):
        assert place_rewards(flat(), ['sofa', 'carpet'], 1.0, {}).names == \
            ('go to sofa', 'go to carpet')


class TestFeatures:
    def drawn(self, built, count=60, seed=0, own=True):
        names = ('crash', 'close', 'shoulder', 'lane_change')
        return feature_rewards(built, dict.fromkeys(names, COSTS), {}, count, seed, own)

    def test_all_weights_differ_and_none_are_all_zero(self, driver):
        weights = self.drawn(driver, 200).rewards.weights.toarray()
        assert weights.shape == (200, 4)
        assert len(np.unique(weights, axis=0)) == 200
        assert np.abs(weights).max(axis=1).min() > 0.0
        assert set(np.unique(weights)) == set(COSTS)

    @pytest.mark.slow
    @for_each('seed', range(5))
    def test_the_own_reward_is_there_exactly_once(self, driver, seed):
        found = self.drawn(driver, 100, seed)
        own = driver.own.rewards.dense()[0]
        matches = np.flatnonzero([np.allclose(found.rewards.one(row).ravel(), own)
                                  for row in range(100)])
        assert matches.tolist() == [found.names.index('drive safely')]
        assert found.names.count('drive safely') == 1

    @pytest.mark.slow
    def test_the_index_of_the_own_reward_depends_on_the_seed(self, driver):
        places = [self.drawn(driver, 60, seed).names.index('drive safely') for seed in range(40)]
        assert len(set(places)) > 15
        assert min(places) < 15
        assert max(places) > 45

    def test_without_the_own_reward_no_name_says_so(self, driver):
        assert 'drive safely' not in self.drawn(driver, own=False).names

    def test_rewards_are_sums_of_features(self, driver):
        found = feature_rewards(driver, {'crash': [-5.0]}, {'lane_2': (0.5, 0.5)}, 1, 0, False)
        np.testing.assert_allclose(
            found.rewards.dense()[0], -5.0 * driver.features['crash']
            + 0.5 * driver.features['lane_2'])
        assert found.names == ('avoids crashes, likes the middle lane',)
        assert found.rewards.per_action

    def test_zero_weights_are_not_in_the_name(self, driver):
        found = feature_rewards(driver, {'crash': [0.0], 'close': [-1.0]}, {}, 1, 0, False)
        assert found.names == ('avoids cars close ahead',)

    def test_there_are_fewer_where_there_are_no_more_different_ones(self, driver):
        found = feature_rewards(driver, {'crash': [0.0, -1.0], 'close': [0.0, -1.0]}, {}, 50, 0,
                                False)
        assert found.rewards.num_rewards == 3

    def test_weights_of_a_range_lie_in_it(self):
        found = feature_rewards(flat(), {}, {'kitchen': (0.0, 1.0), 'carpet': (-3.0, -2.0)}, 50, 0,
                            False)
        weights = found.rewards.weights.toarray()
        assert weights[:, 0].min() >= 0.0
        assert weights[:, 0].max() <= 1.0
        assert weights[:, 1].min() >= -3.0
        assert weights[:, 1].max() <= -2.0
        assert weights.std(axis=0).min() > 0.1

    def test_regions_are_features_of_states(self):
        found = feature_rewards(flat(), {'sofa': [2.0], 'carpet': [-1.0]}, {}, 1, 0, False)
        assert not found.rewards.per_action
        assert found.rewards.dense()[0].tolist() == [0, 0, 0, -1, 0, -1, 0, 0, 0, 2]

    def test_regions_and_features_of_actions_can_be_mixed(self):
        plain = flat()
        column = np.arange(40.0)
        built = BuiltWorld(plain.world, features={'steps': column})
        found = feature_rewards(built, {'steps': [1.0], 'sofa': [100.0]}, {}, 1, 0, False)
        expected = column + 100.0 * (np.arange(40) >= 36)
        np.testing.assert_allclose(found.rewards.dense()[0], expected)

    def test_features_of_states_and_of_actions_can_be_mixed(self):
        plain = flat()
        built = BuiltWorld(plain.world, features={
            'steps': np.arange(40.0), 'level': np.arange(10.0) * 100})
        found = feature_rewards(built, {'steps': [1.0], 'level': [1.0]}, {}, 1, 0, False)
        np.testing.assert_allclose(found.rewards.dense()[0],
                                   np.arange(40) + 100 * (np.arange(40) // 4))

    @pytest.mark.slow
    def test_a_seed_repeats_everything(self, driver):
        assert same(self.drawn(driver, seed=3), self.drawn(driver, seed=3))
        assert not same(self.drawn(driver, seed=3), self.drawn(driver, seed=4))

    def test_rewards_of_nearly_the_same_weights_share_a_name(self):
        found = feature_rewards(flat(), {}, {'sofa': (1000.0, 1001.0), 'carpet': (-90.0, -80.0)},
                                500, 0, False)
        assert set(found.names) == {'dislikes the carpet, likes the sofa'}


class TestRandom:
    def test_every_reward_has_exactly_as_many_entries_as_asked(self, puddles):
        for nonzero in (1, 5, 400):
            found = random_rewards(puddles, 40, 0, nonzero, (-1.0, 1.0), False)
            assert found.rewards.num_nonzero().tolist() == [nonzero] * 40

    def test_entries_lie_in_their_range_and_fill_it(self, puddles):
        entries = random_rewards(puddles, 100, 0, 50, (-0.5, 2.0), False).rewards.weights.data
        assert entries.min() >= -0.5
        assert entries.max() <= 2.0
        assert np.histogram(entries, 5, (-0.5, 2.0))[0].min() > 800     # of 1,000

    def test_entries_stand_at_random_places(self, puddles):
        counts = np.bincount(random_rewards(puddles, 400, 0, 40, (1.0, 2.0), False)
                             .rewards.weights.indices, minlength=400)
        assert counts.min() > 10        # 40 on average, sd 6
        assert counts.max() < 75

    def test_none_is_all_zero(self, puddles):
        rewards = random_rewards(puddles, 500, 0, 1, (-1.0, 1.0), False).rewards
        assert (rewards.num_nonzero() > 0).all()

    @for_each('seed', range(5))
    def test_the_own_reward_is_there_exactly_once(self, puddles, seed):
        found = random_rewards(puddles, 50, seed, 30, (-1.0, 1.0), True)
        same_rows = (found.rewards.dense() == puddles.own.rewards.dense()).all(axis=1)
        assert np.flatnonzero(same_rows).tolist() == [found.names.index('puddle world')]
        assert found.rewards.num_rewards == len(set(found.names)) == 50

    def test_the_index_of_the_own_reward_depends_on_the_seed(self, puddles):
        places = [random_rewards(puddles, 50, seed, 3, (-1.0, 1.0), True)
                  .names.index('puddle world') for seed in range(40)]
        assert len(set(places)) > 15
        assert min(places) < 15
        assert max(places) > 35

    def test_all_own_rewards_of_a_domain_are_among_them(self):
        plain = flat()
        own = Candidates.of(plain.mdp, Rewards.goals(plain.mdp, [3, 7]), names=('three', 'seven'))
        built = BuiltWorld(plain.world, own)
        found = random_rewards(built, 12, 1, 2, (-1.0, 1.0), True)
        assert found.rewards.num_rewards == 12
        for name, state in (('three', 3), ('seven', 7)):
            reward = found.rewards.dense()[found.names.index(name)]
            assert np.flatnonzero(reward).tolist() == [state]

    def test_names_stay_with_their_rewards(self, puddles):
        """Drawing is in the order of the names, whatever the order of the set."""
        one = random_rewards(puddles, 30, 2, 5, (-1.0, 1.0), False)
        more = random_rewards(puddles, 31, 2, 5, (-1.0, 1.0), True)
        for number in range(30):
            rows = [next(found.rewards.dense()[row] for row, name in enumerate(found.names)
                         if name.startswith(f'random reward {number}:')) for found in (one, more)]
            np.testing.assert_array_equal(*rows)

    def test_names_say_where_it_is_best_and_worst(self):
        built = flat()
        found = random_rewards(built, 40, 3, 3, (-1.0, 1.0), False)
        for reward, name in zip(found.rewards.dense(), found.names, strict=True):
            low, high = map(built.world.state_name, (reward.argmin(), reward.argmax()))
            assert (f'likes {high}' in name) == (reward.max() >= -0.05 * reward.min())
            assert (f'avoids {low}' in name) == (reward.min() <= -0.5 * abs(reward).max())

    def test_long_names_of_states_are_not_used(self, driver):
        found = random_rewards(driver, 1, 0, 3, (1.0, 2.0), False)
        best = found.rewards.dense()[0].argmax()
        assert found.names == (f'random reward 0: likes state {best}',)

    def test_a_seed_repeats_everything(self, puddles):
        one, again, other = (random_rewards(puddles, 30, seed, 5, (-1.0, 1.0), True)
                             for seed in (7, 7, 8))
        assert same(one, again)
        assert not same(one, other)


def test_drawing_leaves_the_global_random_state_alone(puddles, driver):
    before = np.random.get_state()[1].copy()    # noqa: NPY002
    random_rewards(puddles, 5, 0, 5, (-1.0, 1.0), True)
    feature_rewards(driver, {'crash': COSTS}, {}, 2, 0, False)
    np.testing.assert_array_equal(before, np.random.get_state()[1])     # noqa: NPY002


def test_every_kind_of_set_fits_its_world(puddles, driver):
    sets = [(puddles, random_rewards(puddles, 5, 0, 5, (-1.0, 1.0), True)),
            (driver, feature_rewards(driver, {'crash': COSTS}, {}, 3, 0, False)),
            (flat(), place_rewards(flat(), ['sofa'], 1.0, {'carpet': -1.0})),
            (flat(), goal_rewards(flat(), {'a': np.array([1])}, 1.0, True))]
    for built, found in sets:
        found.rewards.check_fits(built.mdp)
        assert len(found.names) == found.rewards.num_rewards
    assert all(a.names != b.names for (_, a), (_, b) in itertools.combinations(sets, 2))
