from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from worlds import corridor, random_mdp, random_rewards

from gbs_irl_ros.core.errors import InvalidRewardsError
from gbs_irl_ros.core.rewards import Rewards


def featured(rng, per_action=False):
    """Four rewards that are weights of three features, and the same ones as one array."""
    columns = 5 * (2 if per_action else 1)
    weights = sparse.csr_matrix(rng.integers(-2, 3, (4, 3)).astype(float))
    features = sparse.csr_matrix(rng.integers(0, 2, (3, columns)).astype(float))
    return Rewards(weights, 5, 2, per_action, features), (weights @ features).toarray()


def test_rewards_on_states_have_one_column_per_state():
    dense = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, -1.0]])
    rewards = Rewards.from_dense(dense, 2)
    assert (rewards.num_rewards, rewards.num_states, rewards.num_columns) == (2, 3, 3)
    assert not rewards.per_action
    np.testing.assert_array_equal(rewards.dense(), dense)
    np.testing.assert_array_equal(rewards.dense(np.array([1])), dense[1:])
    np.testing.assert_array_equal(rewards.dense(slice(0, 1)), dense[:1])


def test_rewards_on_actions_have_column_s_times_a_plus_a():
    dense = np.arange(12.0).reshape(2, 3, 2)
    rewards = Rewards.from_dense(dense, 2)
    assert rewards.per_action
    assert rewards.num_columns == 6
    np.testing.assert_array_equal(rewards.dense()[1, 2 * 2 + 1], dense[1, 2, 1])
    np.testing.assert_array_equal(rewards.column(2, 1), dense[:, 2, 1])


def test_without_an_action_the_best_one_counts():
    rewards = Rewards.from_dense(np.array([[[1.0, -2.0]], [[-3.0, -1.0]]]), 2)
    np.testing.assert_array_equal(rewards.column(0), [1.0, -1.0])
    np.testing.assert_array_equal(rewards.by_state(1), [-1.0])


@pytest.mark.parametrize('shape', [(4, 5), (4, 5, 2)])
def test_one_reward_has_the_shape_of_what_it_depends_on(rng, shape):
    dense = rng.normal(size=shape)
    rewards = Rewards.from_dense(dense, 2)
    np.testing.assert_array_equal(rewards.one(2), dense[2])
    np.testing.assert_array_equal(rewards.by_state(2), dense[2].reshape(5, -1).max(axis=1))


@for_each('bad', [4, -1, 0.5])
def test_a_reward_that_does_not_exist_is_refused(bad, rng):
    rewards = Rewards.from_dense(rng.normal(size=(4, 5)), 2)
    for find in (rewards.one, rewards.by_state):
        with pytest.raises(InvalidRewardsError, match=rf'index must be .*, got {bad}'):
            find(bad)


def test_rewards_on_states_are_the_same_for_every_action():
    rewards = Rewards.from_dense(np.array([[4.0, 5.0]]), 2)
    assert rewards.column(1).tolist() == rewards.column(1, 0).tolist() == [5.0]


def test_goals_are_one_at_one_state():
    rewards = Rewards.goals(corridor(3), np.array([2, 0, 2]))
    np.testing.assert_array_equal(rewards.dense(), [[0, 0, 1], [1, 0, 0], [0, 0, 1]])
    assert rewards.num_actions == 2


@pytest.mark.parametrize('per_action', [False, True])
def test_weights_of_features_are_the_same_rewards_as_their_product(rng, per_action):
    rewards, dense = featured(rng, per_action)
    plain = Rewards(sparse.csr_matrix(dense), 5, 2, per_action)
    np.testing.assert_array_equal(rewards.dense(), dense)
    np.testing.assert_array_equal(rewards.columns(np.array([3, 0])), dense[:, [3, 0]])
    np.testing.assert_array_equal(rewards.num_nonzero(), (dense != 0.0).sum(axis=1))
    for state in range(5):
        np.testing.assert_array_equal(rewards.column(state), plain.column(state))
        np.testing.assert_array_equal(rewards.column(state, 1), plain.column(state, 1))
    mixture = rng.dirichlet(np.ones(4), 3)
    np.testing.assert_allclose(rewards.mixtures(mixture).dense(), mixture @ dense)
    np.testing.assert_allclose(plain.mixtures(mixture).dense(), mixture @ dense)


def test_the_mean_of_one_mixture_is_one_row():
    rewards = Rewards.from_dense(np.array([[0.0, 2.0], [4.0, 0.0]]), 2)
    np.testing.assert_allclose(rewards.mixtures(np.array([0.25, 0.75])).dense(), [[3.0, 0.5]])


def test_entries_that_cancel_do_not_count_as_nonzero():
    rewards = Rewards(sparse.csr_matrix([[1.0, -1.0], [1.0, 0.0]]), 2, 2,
                      features=sparse.csr_matrix([[1.0, 2.0], [1.0, 0.0]]))
    assert rewards.num_nonzero().tolist() == [1, 2]
    stored_zero = sparse.csr_matrix(([0.0, 1.0], [0, 1], [0, 2]), shape=(1, 2))
    assert Rewards(stored_zero, 2, 2).num_nonzero().tolist() == [1]


@pytest.mark.parametrize('with_features', [False, True])
def test_columns_are_grouped_exactly_if_they_are_equal(rng, with_features):
    dense = rng.integers(0, 2, (2, 12)).astype(float)
    rewards = Rewards(sparse.identity(2), 12, 3, features=sparse.csr_matrix(dense)) \
        if with_features else Rewards.from_dense(dense, 3)
    representatives, group = rewards.column_groups
    for i in range(12):
        for j in range(12):
            assert (group[i] == group[j]) == np.array_equal(dense[:, i], dense[:, j])
    np.testing.assert_array_equal(group[representatives], np.arange(len(representatives)))


def test_columns_with_the_same_numbers_in_other_rows_are_different():
    _, group = Rewards.from_dense(np.array([[1.0, 0.0], [0.0, 1.0]]), 2).column_groups
    assert group.tolist() == [0, 1]


def test_random_rewards_have_the_number_of_entries_asked_for(rng):
    mdp = random_mdp(rng, 9, 2)
    assert random_rewards(rng, mdp, 5, 3).num_nonzero().tolist() == [3] * 5


def test_rewards_do_not_change_with_what_they_were_given():
    weights = sparse.csr_matrix(np.ones((1, 2)))
    rewards = Rewards(weights, 2, 2)
    weights.data[:] = 5.0
    assert rewards.dense().tolist() == [[1.0, 1.0]]


def test_rewards_with_the_wrong_number_of_columns_are_refused():
    with pytest.raises(InvalidRewardsError, match='rewards must have S = 3 columns, got 4'):
        Rewards(sparse.csr_matrix((2, 4)), 3, 2)
    with pytest.raises(InvalidRewardsError, match=r'rewards must have S \* A = 6 columns, got 3'):
        Rewards(sparse.csr_matrix((2, 3)), 3, 2, per_action=True)
    with pytest.raises(InvalidRewardsError, match='rewards must have S = 3 columns, got 5'):
        Rewards(sparse.csr_matrix((2, 3)), 3, 2, features=sparse.csr_matrix((3, 5)))


def test_weights_that_do_not_fit_their_features_are_refused():
    with pytest.raises(InvalidRewardsError, match=(
            'weights must have one column per feature: got 2 columns for 4 features')):
        Rewards(sparse.csr_matrix((1, 2)), 3, 2, features=sparse.csr_matrix((4, 3)))


def test_a_set_without_rewards_is_refused():
    with pytest.raises(InvalidRewardsError, match='there must be at least one reward, got none'):
        Rewards(sparse.csr_matrix((0, 3)), 3, 2)


@pytest.mark.parametrize('shape', [(0, 3), (0, 3, 2)])
def test_a_dense_set_without_rewards_is_refused(shape):
    with pytest.raises(InvalidRewardsError, match='there must be at least one reward, got none'):
        Rewards.from_dense(np.zeros(shape), 2)


def test_no_goals_are_refused():
    with pytest.raises(InvalidRewardsError, match='there must be at least one reward, got none'):
        Rewards.goals(corridor(3), [])


@for_each('shape', [(3,), (1, 3, 3), (1, 1, 3, 2)])
def test_a_dense_array_of_the_wrong_shape_is_refused(shape):
    with pytest.raises(InvalidRewardsError, match=(
            r'rewards must have shape \(H, S\) or \(H, S, 2\), got \(' + str(shape[0]))):
        Rewards.from_dense(np.zeros(shape), 2)


@for_each(('bad', 'text'), [(3, r'goal must be in 0 \.\. 2, got 3'),
                            (-1, r'goal must be in 0 \.\. 2, got -1'),
                            (0.5, r'goal must be a whole number, got .*0\.5')])
def test_goals_that_do_not_exist_are_refused(bad, text):
    with pytest.raises(InvalidRewardsError, match=text):
        Rewards.goals(corridor(3), np.array([bad, 0]))


@for_each('bad', [float('nan'), float('inf'), -float('inf')])
def test_numbers_that_are_not_finite_are_refused(bad):
    dense = np.zeros((3, 4))
    dense[1, 2] = bad
    with pytest.raises(InvalidRewardsError,
                       match=f'weights must be finite: row 1, column 2 is {bad}'):
        Rewards.from_dense(dense, 2)
    with pytest.raises(InvalidRewardsError,
                       match=f'features must be finite: row 1, column 2 is {bad}'):
        Rewards(sparse.identity(3), 4, 2, features=sparse.csr_matrix(dense))


def test_rewards_for_another_mdp_are_refused():
    rewards = Rewards.goals(corridor(3), [0])
    rewards.check_fits(corridor(3))
    with pytest.raises(InvalidRewardsError, match=(
            r'rewards are for \(S, A\) = \(3, 2\), the MDP has \(S, A\) = \(4, 2\)')):
        rewards.check_fits(corridor(4))
    with pytest.raises(InvalidRewardsError, match=r'= \(3, 2\), the MDP has \(S, A\) = \(3, 5\)'):
        rewards.check_fits(random_mdp(np.random.default_rng(1), 3, 5))


@pytest.mark.parametrize('weights', [[1e200, 1e200], [1e200, 0.0]])
def test_features_whose_sums_are_no_numbers_any_more_are_refused(weights):
    features = sparse.csr_matrix([[1e200, 0.0], [-1e200, 1.0]])
    with pytest.raises(InvalidRewardsError, match=r'rewards must be below 1e\+300, got inf'):
        Rewards(sparse.csr_matrix([weights]), 2, 2, False, features)


def test_rewards_that_overflow_when_added_up_are_refused():
    with pytest.raises(InvalidRewardsError, match=r'rewards must be below 1e\+300, got 9e\+307'):
        Rewards.from_dense(np.array([[0.0, -9e307]]), 2)


def test_mixtures_are_rewards_again(rng):
    features = sparse.csr_matrix(rng.normal(size=(3, 8)))
    for rewards in (Rewards(sparse.csr_matrix(rng.normal(size=(4, 3))), 4, 2, True, features),
                    Rewards.from_dense(rng.normal(size=(4, 4, 2)), 2)):
        chances = rng.dirichlet(np.ones(4), 5)
        mixed = rewards.mixtures(chances)
        assert mixed.num_rewards == 5
        assert mixed.per_action
        np.testing.assert_allclose(mixed.dense(), chances @ rewards.dense())


def test_some_rows_of_rewards_are_those_rewards(rng):
    rewards = Rewards.from_dense(rng.normal(size=(5, 4)), 2)
    np.testing.assert_array_equal(rewards.rows(np.array([3, 1])).dense(),
                                  rewards.dense()[[3, 1]])
