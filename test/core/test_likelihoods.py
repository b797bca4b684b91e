"""The log-likelihood of every kind of answer."""

from __future__ import annotations

import itertools

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from scipy import sparse
from worlds import corridor, hypotheses_of, random_mdp, random_sets

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidAnswerError, InvalidNoiseError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.posterior import Posterior
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards

MODEST = settings(deadline=None, derandomize=True, max_examples=40)
SETS = [[{0}, {0, 1}, {1, 2}], [{2}, {0, 1, 2}, {0}]]      # sets[state][policy], three actions
HYPOTHESES = hypotheses_of(SETS, 3)
ACTION = Question(QuestionKind.ACTION, 0)


def likelihood(answer, noise=None, hypotheses=HYPOTHESES):
    return np.exp(log_likelihood(hypotheses, noise or NoiseModel(0.9), answer))


def slow_step(actions, action, num_actions, rate, kind):
    """The likelihood of one action, as the table of core.noise has it."""
    inside = action in actions
    if kind == 'aggregated':
        return rate if inside else 1.0 - rate
    if len(actions) == num_actions:
        return 1.0 / num_actions
    return rate / len(actions) if inside else (1.0 - rate) / (num_actions - len(actions))


def test_an_action_by_hand_under_the_exact_likelihood():
    np.testing.assert_allclose(likelihood(ActionAnswer(0, 1)), [0.05, 0.45, 0.45], rtol=1e-12)
    np.testing.assert_allclose(likelihood(ActionAnswer(1, 0)), [0.05, 1 / 3, 0.9], rtol=1e-12)


def test_an_action_by_hand_under_the_aggregated_likelihood():
    noise = NoiseModel(0.9, likelihood='aggregated')
    np.testing.assert_allclose(
        likelihood(ActionAnswer(0, 1), noise), [0.1, 0.9, 0.9], rtol=1e-12)
    np.testing.assert_allclose(
        likelihood(ActionAnswer(1, 0), noise), [0.1, 0.9, 0.9], rtol=1e-12)


def test_an_action_by_hand_with_one_optimal_action_in_every_state():
    single = hypotheses_of([[{0}, {1}, {2}], [{2}, {2}, {0}]], 3)
    noise = NoiseModel(0.8, likelihood='single_action')
    np.testing.assert_allclose(
        likelihood(ActionAnswer(1, 2), noise, single), [0.8, 0.8, 0.1], rtol=1e-12)


def test_every_state_has_its_own_noise():
    noise = NoiseModel(np.array([0.6, 0.9]), likelihood='aggregated')
    np.testing.assert_allclose(
        likelihood(ActionAnswer(0, 0), noise), [0.6, 0.6, 0.4], rtol=1e-12)
    np.testing.assert_allclose(
        likelihood(ActionAnswer(1, 0), noise), [0.1, 0.9, 0.9], rtol=1e-12)
    np.testing.assert_allclose(
        likelihood(YesNoAnswer(0, 0, True), noise), [0.6, 0.6, 0.4], rtol=1e-12)


@MODEST
@given(some.integers(0, 10**6), some.integers(2, 5), some.sampled_from(['exact', 'aggregated']))
def test_actions_agree_with_the_definition(seed, num_actions, kind):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 3, 4, num_actions, single=False)
    hypotheses = hypotheses_of(sets, num_actions)
    rates = rng.uniform(0.6, 1.0, 3)
    for state in range(3):
        for action in range(num_actions):
            expected = [slow_step(actions, action, num_actions, rates[state], kind)
                        for actions in sets[state]]
            got = likelihood(ActionAnswer(state, action), NoiseModel(rates, likelihood=kind),
                             hypotheses)
            np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_rewards_of_one_policy_share_its_likelihood():
    mdp = corridor(3)
    dense = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 0, 5.0]])
    hypotheses = Hypotheses.from_rewards(mdp, Rewards.from_dense(dense, 2))
    assert hypotheses.num_policies == 2
    np.testing.assert_allclose(
        likelihood(ActionAnswer(1, 1), hypotheses=hypotheses), [0.9, 0.1, 0.9], rtol=1e-12)


def test_yes_and_no_by_hand():
    np.testing.assert_allclose(likelihood(YesNoAnswer(0, 1, True)), [0.1, 0.9, 0.9], rtol=1e-12)
    np.testing.assert_allclose(likelihood(YesNoAnswer(0, 1, False)), [0.9, 0.1, 0.1], rtol=1e-12)
    np.testing.assert_allclose(
        likelihood(YesNoAnswer(1, 2, np.True_)), [0.9, 0.9, 0.1], rtol=1e-12)


def test_all_the_same_speaks_for_policies_that_are_indifferent_there():
    np.testing.assert_allclose(likelihood(AllTheSameAnswer(1)), [0.1, 0.9, 0.1], rtol=1e-12)


def test_all_the_same_says_nothing_where_no_policy_is_indifferent():
    np.testing.assert_array_equal(likelihood(AllTheSameAnswer(0)), [1.0, 1.0, 1.0])


def slow_either(actions, named, num_actions, rate, kind, *, weak=False):
    """Count the choices of as many actions that are right, one after the other."""
    def is_right(chosen):
        return bool(actions & set(chosen)) if weak else set(chosen) <= actions

    choices = list(itertools.combinations(range(num_actions), len(named)))
    right = [chosen for chosen in choices if is_right(chosen)]
    if kind == 'aggregated':
        return rate if is_right(named) else 1.0 - rate
    if len(right) == len(choices):
        return 1.0 / len(choices)
    return rate / len(right) if is_right(named) else (1.0 - rate) / (len(choices) - len(right))


def test_either_by_hand():
    sets = [{0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0}, {0, 2}]
    hypotheses = hypotheses_of([sets, [{0}, {1}, {2}, {3}, {1}]], 4)
    np.testing.assert_allclose(
        likelihood(EitherAnswer(0, (1, 0)), hypotheses=hypotheses),
        [0.9, 0.9 / 3, 1 / 6, 0.1 / 6, 0.1 / 5], rtol=1e-12)


def test_either_means_one_of_them_where_no_task_has_them_all():
    hypotheses = hypotheses_of([[{0}, {1}, {2}, {1, 3}]], 4)
    np.testing.assert_allclose(     # 3 of the 6 pairs hold action 0, 5 hold 1 or 3
        likelihood(EitherAnswer(0, (0, 1)), hypotheses=hypotheses),
        [0.9 / 3, 0.9 / 3, 0.1 / 3, 0.9 / 5], rtol=1e-12)


@MODEST
@given(some.integers(0, 10**6), some.integers(3, 5), some.sampled_from(['exact', 'aggregated']))
def test_either_agrees_with_the_definition(seed, num_actions, kind):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 3, 4, num_actions, single=False)
    hypotheses = hypotheses_of(sets, num_actions)
    rate = rng.uniform(0.6, 1.0)
    for state, count in itertools.product(range(3), range(2, num_actions)):
        named = tuple(rng.choice(num_actions, count, replace=False).tolist())
        weak = not any(set(named) <= actions for actions in sets[state])
        expected = [slow_either(actions, named, num_actions, rate, kind, weak=weak)
                    for actions in sets[state]]
        got = likelihood(EitherAnswer(state, named), NoiseModel(rate, likelihood=kind),
                         hypotheses)
        np.testing.assert_allclose(got, expected, rtol=1e-12)


@for_each('num_actions', [8, 16, 64])
def test_indifference_is_recognised_when_it_fills_a_machine_word(num_actions):
    everything = set(range(num_actions))
    wide = hypotheses_of([[everything, {0}], [{0}, {num_actions - 1}]], num_actions)
    np.testing.assert_allclose(
        likelihood(AllTheSameAnswer(0), hypotheses=wide), [0.9, 0.1], rtol=1e-12)
    np.testing.assert_allclose(
        likelihood(YesNoAnswer(1, num_actions - 1, True), hypotheses=wide), [0.1, 0.9],
        rtol=1e-12)


@pytest.mark.parametrize('answer', [YesNoAnswer(1, 0, True), AllTheSameAnswer(1)])
def test_a_statement_of_a_coin_tosser_is_not_to_be_believed(answer):
    noise = NoiseModel(np.array([0.9, 0.4]))
    text = r'gamma_hat must be above 0\.5 .* that of state 1 is 0\.4'
    with pytest.raises(InvalidNoiseError, match=text):
        log_likelihood(HYPOTHESES, noise, answer)


def test_a_demonstration_is_the_product_of_its_steps():
    steps = ((0, 1), (1, 0), (0, 1))
    expected = np.prod([likelihood(ActionAnswer(*step)) for step in steps], axis=0)
    np.testing.assert_allclose(likelihood(DemonstrationAnswer(steps)), expected, rtol=1e-12)


@pytest.mark.parametrize('answer', [DontKnowAnswer(ACTION), LaterAnswer(ACTION)])
def test_no_answer_is_no_information(answer):
    np.testing.assert_array_equal(log_likelihood(HYPOTHESES, NoiseModel(), answer), 0.0)


STATE_REWARDS = np.array([[0.0, 1.0, 0.5], [1.0, -2.0, 0.0]])


def on_states():
    return Hypotheses.from_rewards(corridor(3), Rewards.from_dense(STATE_REWARDS, 2))


def test_a_reward_is_normal_around_the_truth():
    noise = NoiseModel(sigma_hat=0.5)
    got = likelihood(RewardAnswer(1, 0.5), noise, on_states())
    np.testing.assert_allclose(got, np.exp([-0.25 / 0.5, -6.25 / 0.5]), rtol=1e-12)


def test_the_true_reward_is_the_likeliest():
    got = log_likelihood(on_states(), NoiseModel(), RewardAnswer(1, -2.0))
    assert got[1] == 0.0
    assert got[0] < 0.0


def test_a_reward_on_states_is_the_same_for_every_action():
    noise = NoiseModel()
    np.testing.assert_array_equal(log_likelihood(on_states(), noise, RewardAnswer(2, 0.3, 1)),
                                  log_likelihood(on_states(), noise, RewardAnswer(2, 0.3)))


def test_a_reward_on_actions_is_that_of_the_action_or_the_best(rng):
    dense = rng.normal(size=(4, 3, 2))
    mdp = random_mdp(rng, 3, 2)
    hypotheses = Hypotheses.from_rewards(mdp, Rewards.from_dense(dense, 2))
    noise = NoiseModel(sigma_hat=0.7)
    for action, values in ((0, dense[:, 2, 0]), (1, dense[:, 2, 1]), (None, dense[:, 2].max(1))):
        got = likelihood(RewardAnswer(2, 0.2, action), noise, hypotheses)
        np.testing.assert_allclose(got, np.exp(-(0.2 - values) ** 2 / 0.7), rtol=1e-12)


def test_a_reward_made_of_features_is_their_weighted_sum(rng):
    weights, features = rng.normal(size=(4, 2)), rng.normal(size=(2, 3))
    rewards = Rewards(sparse.csr_matrix(weights), 3, 2, features=sparse.csr_matrix(features))
    hypotheses = Hypotheses.from_rewards(random_mdp(rng, 3, 2), rewards)
    expected = np.exp(-(0.4 - (weights @ features)[:, 1]) ** 2 / 0.1)
    np.testing.assert_allclose(
        likelihood(RewardAnswer(1, 0.4), NoiseModel(sigma_hat=0.1), hypotheses), expected,
        rtol=1e-12)


def test_an_absurdly_large_reward_does_not_warn():
    got = log_likelihood(on_states(), NoiseModel(), RewardAnswer(1, 1e200))
    assert not np.isnan(got).any()


def test_an_errorless_teacher_rules_hypotheses_out():
    got = log_likelihood(HYPOTHESES, NoiseModel(1.0), ActionAnswer(0, 2))
    np.testing.assert_array_equal(got, [-np.inf, -np.inf, np.log(0.5)])


@for_each('answer', [None, 'left', (0, 1)])
def test_what_is_no_answer_is_refused(answer):
    text = 'answer must be one of core.answers, got '
    with pytest.raises(InvalidAnswerError, match=text) as caught:
        log_likelihood(HYPOTHESES, NoiseModel(), answer)
    assert repr(answer) in str(caught.value)


@for_each('answer', [
    ActionAnswer(2, 0), YesNoAnswer(2, 0, True), RewardAnswer(2, 0.0), AllTheSameAnswer(2),
    DemonstrationAnswer(((0, 0), (2, 0)))])
def test_answers_are_checked_before_they_are_believed(answer):
    with pytest.raises(InvalidAnswerError, match=r'state.* must be in 0 \.\. 1, got 2'):
        log_likelihood(HYPOTHESES, NoiseModel(), answer)


def test_only_the_exact_likelihood_tells_a_task_from_one_that_allows_more(rng):
    """PAPER.md, point 6: policy 1 allows all that policy 0 does, and policy 0 is true."""
    nested = hypotheses_of([[{0}, {0, 1, 2}], [{1}, {0, 1}], [{2}, {2}]], 3)
    answers = [ActionAnswer(state, state) for state in rng.integers(0, 3, 40).tolist()]
    share = {}
    for kind in ('exact', 'aggregated'):
        posterior = Posterior.uniform(2)
        for answer in answers:
            posterior = posterior.updated(
                log_likelihood(nested, NoiseModel(0.9, likelihood=kind), answer))
        share[kind] = posterior.probabilities
    assert share['exact'][0] > 0.999
    assert share['aggregated'][0] == pytest.approx(0.5)
    for action in (1, 2):      # one error of the teacher, and the superset is ahead for ever
        posterior = posterior.updated(log_likelihood(
            nested, NoiseModel(0.9, likelihood='aggregated'), ActionAnswer(0, action)))
    assert posterior.probabilities[1] > 0.98
