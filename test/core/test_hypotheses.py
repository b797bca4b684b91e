from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from scipy import sparse
from worlds import (
    LEFT,
    RIGHT,
    corridor,
    grid,
    hypotheses_of,
    random_mdp,
    random_rewards,
    random_sets,
    threshold_corridor,
)

from gbs_irl_ros.core import hypotheses as module
from gbs_irl_ros.core.errors import InvalidHypothesesError, InvalidRewardsError, NotConvergedError
from gbs_irl_ros.core.hypotheses import Hypotheses, normalised_log_prior, sparsity_prior
from gbs_irl_ros.core.planning import kernel, solver
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.rewards import Rewards

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=30)


def goals_of_a_corridor(targets, length=4, **options):
    mdp = corridor(length)
    return Hypotheses.from_rewards(mdp, Rewards.goals(mdp, targets), **options)


def test_rewards_with_equal_policies_are_one_hypothesis():
    # The goal in state 0, twice, and its double: LEFT everywhere. The last state: RIGHT.
    dense = np.array([[1.0, 0, 0], [0, 0, 1.0], [2.0, 0, 0], [1.0, 0, 0]])
    hypotheses = Hypotheses.from_rewards(corridor(3), Rewards.from_dense(dense, 2))
    assert (hypotheses.num_rewards, hypotheses.num_policies) == (4, 2)
    assert hypotheses.policy_of_reward.tolist() == [0, 1, 0, 0]
    assert hypotheses.sets.bits.tolist() == [[1 << LEFT, 1 << RIGHT]]
    assert hypotheses.sets.class_of_state.tolist() == [0, 0, 0]
    np.testing.assert_allclose(hypotheses.merged(np.array([0.1, 0.2, 0.3, 0.4])), [0.8, 0.2])


@INVARIANT
@given(seed=SEEDS)
def test_every_reward_keeps_its_greedy_sets(seed):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 6, 3, int(rng.choice([1, 3])))
    rewards = random_rewards(rng, mdp, 8, 1)
    bits = solve(mdp, rewards).greedy_bits
    if (bits == 0b111).all(axis=0).any():
        with pytest.raises(InvalidHypothesesError, match='every action is optimal everywhere'):
            Hypotheses.from_rewards(mdp, rewards)
        return
    hypotheses = Hypotheses.from_rewards(mdp, rewards)
    for reward in range(8):
        policy = hypotheses.policy_of_reward[reward]
        np.testing.assert_array_equal(hypotheses.sets.policy_sets(policy), bits[:, reward])
    different = {bits[:, reward].tobytes() for reward in range(8)}
    assert hypotheses.num_policies == len(different)


def test_merged_probabilities_add_up(rng):
    mdp = grid(3, 3)
    hypotheses = Hypotheses.from_rewards(mdp, random_rewards(rng, mdp, 30, 1))
    probabilities = rng.dirichlet(np.ones(30))
    merged = hypotheses.merged(probabilities)
    assert merged.shape == (hypotheses.num_policies,)
    assert hypotheses.num_policies <= 9 < 30
    for policy in range(hypotheses.num_policies):
        assert merged[policy] == pytest.approx(
            probabilities[hypotheses.policy_of_reward == policy].sum())


def test_a_threshold_corridor_is_what_planning_makes_of_its_rewards():
    built = threshold_corridor(6)
    planned = Hypotheses.from_rewards(built.mdp, built.rewards)
    np.testing.assert_array_equal(planned.policy_of_reward, built.policy_of_reward)
    np.testing.assert_array_equal(planned.sets.bits, built.sets.bits)
    assert built.sets.num_classes == 6
    np.testing.assert_allclose(planned.log_prior, built.log_prior)


# ---- supersets ----------------------------------------------------------------------------------

def test_a_superset_is_found_and_names_the_wide_policy_first():
    hypotheses = hypotheses_of([[{0}, {0, 1}, {1}], [{2}, {2}, {2}]], 3)
    assert hypotheses.supersets == [(1, 0), (1, 2)]


def test_a_policy_that_is_wider_in_one_state_and_narrower_in_another_is_none():
    assert hypotheses_of([[{0}, {0, 1}], [{1, 2}, {2}]], 3).supersets == []


def test_a_goal_inside_a_corridor_gives_no_superset_of_other_goals():
    assert goals_of_a_corridor([1, 2, 3]).supersets == []


def superset_pairs(lists):
    """Return the pairs by the definition."""
    count = len(lists[0])
    return [(d, e) for d in range(count) for e in range(count)
            if d != e and all(row[e] <= row[d] for row in lists)]


@INVARIANT
@given(seed=SEEDS, num_policies=st.sampled_from([2, 5, 30]))
def test_supersets_agree_with_the_definition(seed, num_policies):
    rng = np.random.default_rng(seed)
    lists = random_sets(rng, int(rng.integers(1, 4)), num_policies, 4, single=False)
    assert hypotheses_of(lists, 4).supersets == superset_pairs(lists)


def test_supersets_that_differ_in_the_last_state_only_are_found():
    # Many states refute almost all pairs before the last one is looked at.
    lists = random_sets(np.random.default_rng(5), 30, 40, 4)
    lists = [[*row, row[7]] for row in lists[:-1]] + [[*lists[-1], {0, 1, 2} | lists[-1][7]]]
    assert len(lists[-1][40]) == 3 or lists[-1][7] == {3}
    assert hypotheses_of(lists, 4).supersets == [(40, 7)]


# ---- goals, names, priors -----------------------------------------------------------------------

def test_a_task_is_accomplished_where_its_reward_is_largest():
    dense = np.array([[0.0, 2.0, 1.0, 2.0], [0.0, 0.0, -1.0, 0.0], [3.0, 0.0, 0.0, 0.0]])
    hypotheses = Hypotheses.from_rewards(corridor(4), Rewards.from_dense(dense, 2))
    assert hypotheses.goal_states(0).tolist() == [1, 3]
    assert hypotheses.goal_states(1).tolist() == []         # nothing to reach, only to avoid
    assert hypotheses.goal_states(2).tolist() == [0]


def test_a_state_counts_by_the_best_of_its_actions():
    dense = np.zeros((1, 3, 2))
    dense[0, 2] = -5.0, 1.0
    hypotheses = Hypotheses.from_rewards(corridor(3), Rewards.from_dense(dense, 2))
    assert hypotheses.goal_states(0).tolist() == [2]


def test_goals_that_are_given_count_instead():
    goals = sparse.csr_matrix(np.array([[0, 1, 0, 1], [0, 0, 0, 0]], dtype=bool))
    hypotheses = goals_of_a_corridor([0, 3], goals=goals)
    assert hypotheses.goal_states(0).tolist() == [1, 3]
    assert hypotheses.goal_states(1).tolist() == []


def test_names_are_those_given_or_numbers():
    assert goals_of_a_corridor([0, 3], names=['door', 'window']).name(1) == 'window'
    assert goals_of_a_corridor([0, 3]).name(1) == 'task 1'


def test_a_prior_is_normalised_and_uniform_if_none_is_given():
    np.testing.assert_allclose(np.exp(goals_of_a_corridor([0, 3]).log_prior), [0.5, 0.5])
    given_one = goals_of_a_corridor([0, 3], prior=np.array([1.0, 3.0]))
    np.testing.assert_allclose(np.exp(given_one.log_prior), [0.25, 0.75])
    np.testing.assert_allclose(normalised_log_prior([2, 2, 4], 3), np.log([0.25, 0.25, 0.5]))


def test_the_sparsity_prior_is_the_share_of_zeros():
    dense = np.array([[1.0, 0, 0, 0], [1.0, 2.0, 0, 0], [1.0, 1.0, 1.0, 0]])
    np.testing.assert_allclose(sparsity_prior(Rewards.from_dense(dense, 2)), [0.75, 0.5, 0.25])
    by_action = Rewards.from_dense(np.array([[[1.0, 0.0], [0.0, 0.0]]]), 2)
    np.testing.assert_allclose(sparsity_prior(by_action), [0.75])


def test_a_reward_without_zeros_stays_possible_under_the_sparsity_prior():
    prior = sparsity_prior(Rewards.from_dense(np.array([[1.0, 1, 1, 1], [1.0, 1, 1, 0]]), 2))
    assert 0.0 < prior[0] < prior[1]


def test_coherence_and_neighbours_are_those_of_the_sets():
    hypotheses = threshold_corridor(4)
    assert hypotheses.coherence.lower == hypotheses.coherence.upper == -1.0
    assert hypotheses.one_neighbours.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_progress_is_reported_while_planning():
    calls = []
    goals_of_a_corridor([0, 3], progress=lambda *call: calls.append(call))
    assert calls[-1] == (2, 2)


# ---- what is refused ----------------------------------------------------------------------------

def test_a_reward_under_which_everything_is_optimal_is_refused():
    rewards = Rewards.from_dense(np.array([[1.0, 0, 0], [0, 0, 0], [5.0, 5, 5]]), 2)
    with pytest.raises(InvalidHypothesesError, match=(
            r'every action is optimal everywhere under reward 1 \(task 1\): no answer can speak '
            'against it; leave it out')):
        Hypotheses.from_rewards(corridor(3), rewards)
    with pytest.raises(InvalidHypothesesError, match=r'under reward 1 \(nothing\)'):
        Hypotheses.from_rewards(corridor(3), rewards, names=['a', 'nothing', 'c'])


@for_each('num_actions', [8, 16, 64])
def test_indifference_is_noticed_with_as_many_actions_as_bits(num_actions):
    everything = set(range(num_actions))
    with pytest.raises(InvalidHypothesesError, match='every action is optimal everywhere'):
        hypotheses_of([[{0}, everything], [{1}, everything]], num_actions)
    hypotheses_of([[{0}, everything], [{1}, everything - {3}]], num_actions)


def test_with_one_action_there_is_nothing_to_be_indifferent_about():
    assert hypotheses_of([[{0}], [{0}]], 1).num_policies == 1


def test_rewards_for_another_mdp_are_refused():
    with pytest.raises(InvalidRewardsError, match=r'rewards are for \(S, A\) = \(4, 2\)'):
        replace(goals_of_a_corridor([0, 3]), mdp=corridor(5))


@pytest.mark.parametrize('name', ['policy_of_reward', 'log_prior'])
def test_arrays_that_do_not_fit_the_rewards_are_refused(name):
    with pytest.raises(InvalidHypothesesError, match=(
            rf'{name} must have one entry for each of the 2 rewards, got shape \(3,\)')):
        replace(goals_of_a_corridor([0, 3]), **{name: np.zeros(3, dtype=int)})


def test_names_that_do_not_fit_the_rewards_are_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            'names must be none or one for each of the 2 rewards, got 3')):
        goals_of_a_corridor([0, 3], names=['a', 'b', 'c'])


def test_sets_for_other_states_are_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            'greedy sets are for 5 states, the MDP has 4')):
        replace(goals_of_a_corridor([0, 3]), sets=goals_of_a_corridor([0, 4], 5).sets)


def test_sets_for_other_actions_are_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            'greedy sets are for 3 actions, the MDP has 2')):
        replace(goals_of_a_corridor([0, 3]), sets=hypotheses_of([[{0}, {1}]] * 4, 3).sets)


@for_each('wrong', [[0, 0], [0, 2], [-1, 0]])
def test_policies_without_a_reward_are_refused(wrong):
    with pytest.raises(InvalidHypothesesError, match=(
            rf'policy_of_reward must use every policy 0 \.\. 1, got {len(set(wrong))} different')):
        replace(goals_of_a_corridor([0, 3]), policy_of_reward=np.array(wrong))


def test_goals_of_the_wrong_shape_are_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            r'goals must have shape \(2, 4\), got \(2, 3\)')):
        goals_of_a_corridor([0, 3], goals=sparse.csr_matrix((2, 3), dtype=bool))


def test_a_prior_of_the_wrong_length_is_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            r'prior must have one entry for each of the 2 rewards, got shape \(3,\)')):
        goals_of_a_corridor([0, 3], prior=np.ones(3))


@for_each('bad', [0.0, -1.0, float('nan'), float('inf')])
def test_a_prior_that_is_not_positive_and_finite_is_refused(bad):
    with pytest.raises(InvalidHypothesesError, match=(
            f'prior must be positive and finite: that of reward 1 is {bad}')):
        goals_of_a_corridor([0, 3, 1], prior=np.array([1.0, bad, bad]))


def test_planning_that_does_not_converge_is_said_so(monkeypatch):
    def give_up(mdp, rewards, progress, never):
        return solve(mdp, rewards, progress=progress, max_rounds=0, never=never)
    monkeypatch.setattr(module, 'solve', give_up)
    monkeypatch.setattr(solver, 'single_goals', lambda mdp, rewards: None)
    monkeypatch.setenv(kernel.VARIABLE, 'off')
    with pytest.raises(NotConvergedError, match=(
            'planning for reward 0 did not converge in 0 rounds')):
        goals_of_a_corridor([0, 3])


def test_hypotheses_cannot_be_changed():
    hypotheses = goals_of_a_corridor([0, 3])
    for array in (hypotheses.policy_of_reward, hypotheses.log_prior):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 1
    assert unpack(hypotheses.sets.sets_at(0), 2).shape == (2, 2)
