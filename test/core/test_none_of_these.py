"""The hypothesis that none of the listed tasks is meant."""

from __future__ import annotations

import math

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from scipy import integrate
from worlds import corridor, hypotheses_of, random_sets

from gbs_irl_ros.core import (
    NEVER,
    PAPER_MODE,
    STRATEGIES,
    Caution,
    Learner,
    NoiseModel,
    Posterior,
    Problem,
    Question,
    QuestionKind,
    Rewards,
    StopRule,
)
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
from gbs_irl_ros.core.errors import ImpossibleAnswerError, InvalidAnswerError, InvalidOptionError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.unlisted import Unlisted

MODEST = settings(deadline=None, derandomize=True, max_examples=20)
SETS = [[{0}, {0, 1}, {1, 2}], [{2}, {0, 1, 2}, {0}]]      # sets[state][policy], three actions
HYPOTHESES = hypotheses_of(SETS, 3)
TWO = hypotheses_of([[{0}, {1}], [{1}, {0}]], 2)
ASKED = Question(QuestionKind.ACTION, 0)
ANY = [ActionAnswer(0, 1), YesNoAnswer(0, 1, False), YesNoAnswer(1, 2, True),
       DemonstrationAnswer(((0, 1), (1, 0))), AllTheSameAnswer(1), RewardAnswer(0, 0.4, 1),
       DontKnowAnswer(ASKED), ActionAnswer(1, 2), EitherAnswer(0, (0, 2))]


def log_if_none(hypotheses, noise, *answers):
    """Return log P(answers | none), one after the other."""
    total, unlisted = 0.0, Unlisted.before_answers(hypotheses, noise, None)
    for answer in answers:
        log_probability, unlisted = unlisted.told(answer)
        total += log_probability
    return total


def slow_if_none(replies, rate):
    """P(replies | none) with an error rate: every question has an unknown right answer."""
    total, questions = 1.0, {}
    for question, chosen, count in replies:
        questions.setdefault((question, count), []).append(chosen)
    for (_, count), said in questions.items():
        total *= sum(np.prod([1.0 - rate if chosen == right else rate / (count - 1)
                              for chosen in said]) for right in range(count)) / count
    return total


def learner_of(none=0.2, hypotheses=HYPOTHESES, gamma=0.9, **options):
    options.setdefault('stop', NEVER)
    return Learner(Problem(hypotheses, NoiseModel(gamma)), caution=Caution(none), **options)


def test_two_hypotheses_and_one_answer_by_hand():
    learner = learner_of(0.2, TWO).tell(ActionAnswer(0, 0))
    total = 0.4 * 0.9 + 0.4 * 0.1 + 0.2 * 0.5
    np.testing.assert_allclose(learner.posterior.probabilities, [0.36 / total, 0.04 / total])
    assert learner.none_of_these == pytest.approx(0.1 / total)
    assert learner.certainty == pytest.approx(0.36 / total)
    assert learner.evidence == pytest.approx([math.log(0.5 / 0.5)])
    np.testing.assert_allclose(learner.situation.posterior.probabilities, [0.9, 0.1])


@for_each('answer, expected', [
    (ActionAnswer(0, 1), 1 / 3), (YesNoAnswer(0, 1, True), 0.5), (YesNoAnswer(1, 0, False), 0.5),
    (DemonstrationAnswer(((0, 1), (1, 0))), 1 / 9), (AllTheSameAnswer(1), 1 / 2),
    (EitherAnswer(0, (0, 2)), 1 / 3),
    (AllTheSameAnswer(0), 1.0), (DontKnowAnswer(ASKED), 1.0), (LaterAnswer(ASKED), 1.0)])
def test_at_first_every_answer_is_as_probable_as_chance_makes_it(answer, expected):
    assert math.exp(log_if_none(HYPOTHESES, NoiseModel(), answer)) == pytest.approx(expected)


def test_what_is_said_again_by_hand():
    """Two of three possible answers are wrong, and wrong in one of two ways."""
    noise, first, other = NoiseModel(0.9), ActionAnswer(0, 1), ActionAnswer(0, 2)
    again = (0.9 * 0.9 + 2 * 0.05 * 0.05) / 3
    changed = (2 * 0.9 * 0.05 + 0.05 * 0.05) / 3
    assert math.exp(log_if_none(HYPOTHESES, noise, first, first)) == pytest.approx(again)
    assert math.exp(log_if_none(HYPOTHESES, noise, first, other)) == pytest.approx(changed)
    elsewhere = log_if_none(HYPOTHESES, noise, first, ActionAnswer(1, 1))
    assert math.exp(elsewhere) == pytest.approx(1 / 9)
    yes, no = YesNoAnswer(0, 1, True), YesNoAnswer(0, 1, False)
    assert math.exp(log_if_none(HYPOTHESES, noise, yes, yes)) == pytest.approx(0.41)
    assert math.exp(log_if_none(HYPOTHESES, noise, yes, no)) == pytest.approx(0.09)
    shown = DemonstrationAnswer(((0, 1), (0, 1)))
    assert math.exp(log_if_none(HYPOTHESES, noise, shown)) == pytest.approx(again)


def test_where_there_is_one_action_its_answer_says_nothing():
    one = hypotheses_of([[{0}], [{0}]], 1)
    assert log_if_none(one, NoiseModel(), ActionAnswer(0, 0), ActionAnswer(0, 0)) == 0.0


def test_consistent_answers_that_no_task_explains_speak_for_it_and_random_ones_do_not():
    consistent = learner_of(0.05).replay([ActionAnswer(0, 2), ActionAnswer(1, 1)] * 4)
    random = learner_of(0.05).replay([ActionAnswer(0, action) for action in (0, 1, 2)] * 3)
    assert consistent.none_of_these > 0.9
    assert random.none_of_these < 0.05


@for_each('told', [-3.0, -2.5, -2.0, -0.7, 0.0, 0.99, 1.0, 1.2, 2.5])
def test_a_reward_is_the_mean_over_all_that_it_may_be(told):
    """The hypotheses' rewards go from -2 to 1; the integral is computed numerically here."""
    dense = np.array([[0.0, 1.0, 0.5], [1.0, -2.0, 0.0]])
    hypotheses = Hypotheses.from_rewards(corridor(3), Rewards.from_dense(dense, 2))
    mean, _ = integrate.quad(lambda value: math.exp(-(told - value)**2 / 0.1) / 3.0, -2.0, 1.0,
                             points=[min(max(told, -2.0), 1.0)], epsabs=0.0, epsrel=1e-11)
    got = log_if_none(hypotheses, NoiseModel(sigma_hat=0.1), RewardAnswer(1, told))
    assert got == pytest.approx(math.log(mean), rel=1e-9, abs=1e-9)


def test_a_reward_far_away_is_very_improbable_and_then_impossible():
    noise = NoiseModel(sigma_hat=0.1)
    far, farther, absurd = (log_if_none(HYPOTHESES, noise, RewardAnswer(0, told, 0))
                            for told in (1e3, -1e6, 1e200))
    assert -math.inf < farther < far < -1e6
    assert absurd == -math.inf
    with pytest.raises(ImpossibleAnswerError, match='impossible under every hypothesis left'):
        learner_of().tell(RewardAnswer(0, 1e200, 0))


def test_rewards_that_are_all_the_same_leave_one_value():
    dense = np.full((2, 2, 2), 0.25)
    dense[0, :, 0] = dense[1, :, 1] = np.nextafter(0.25, 1.0) + 1e-12
    hypotheses = Hypotheses(
        corridor(2), Rewards.from_dense(dense, 2), np.log([0.5, 0.5]), sets=TWO.sets,
        policy_of_reward=np.arange(2))
    got = log_if_none(hypotheses, NoiseModel(sigma_hat=0.1), RewardAnswer(0, 0.5, 0))
    assert got == pytest.approx(-0.25**2 / 0.1, rel=1e-9)


def test_what_is_not_an_answer_is_refused():
    with pytest.raises(InvalidAnswerError, match=r'answer must be one of core\.answers, got 3'):
        Unlisted.before_answers(HYPOTHESES, NoiseModel(), None).told(3)


@MODEST
@given(some.permutations(ANY), some.floats(0.01, 0.9))
def test_the_order_of_answers_does_not_matter(answers, none):
    expected, got = learner_of(none).replay(ANY), learner_of(none).replay(answers)
    np.testing.assert_allclose(got.posterior.log_weights, expected.posterior.log_weights,
                               atol=1e-10)
    assert got.none_of_these == pytest.approx(expected.none_of_these)
    assert sum(got.evidence) == pytest.approx(sum(expected.evidence))


@MODEST
@given(some.integers(0, 10**6), some.floats(0.01, 0.9))
def test_it_is_bayes_rule_with_one_hypothesis_more(seed, none):
    rng = np.random.default_rng(seed)
    hypotheses = hypotheses_of(random_sets(rng, 3, 4, 3, single=False), 3,
                               prior=rng.dirichlet(np.ones(4)))
    answers = [ActionAnswer(int(rng.integers(3)), int(rng.integers(3))) for _ in range(6)]
    weights = np.r_[(1.0 - none) * np.exp(hypotheses.log_prior), none]
    for answer in answers:
        weights[:-1] *= np.exp(log_likelihood(hypotheses, NoiseModel(0.8), answer))
    weights[-1] *= slow_if_none([(answer.state, answer.action, 3) for answer in answers], 0.2)
    learner = learner_of(none, hypotheses, 0.8).replay(answers)
    weights /= weights.sum()
    np.testing.assert_allclose(learner.posterior.probabilities, weights[:-1], rtol=1e-9)
    assert learner.none_of_these == pytest.approx(weights[-1])
    odds = (math.log((1.0 - weights[-1]) / weights[-1]), math.log((1.0 - none) / none))
    assert sum(learner.evidence) == pytest.approx(odds[0] - odds[1])
    entropy = -sum(p * math.log2(p) for p in weights)
    assert learner.entropy == pytest.approx(entropy)
    assert learner.posterior.entropy == pytest.approx(entropy)


def test_without_a_prior_nothing_changes_bit_for_bit():
    plain = Learner(Problem(HYPOTHESES), stop=NEVER)
    weights = HYPOTHESES.log_prior
    for answer in ANY:
        plain = plain.tell(answer)
        unnormalised = weights + log_likelihood(HYPOTHESES, NoiseModel(), answer)
        largest = unnormalised.max()
        weights = unnormalised - (largest + math.log(np.exp(unnormalised - largest).sum()))
        np.testing.assert_array_equal(plain.posterior.log_weights, weights)
    assert plain.caution == PAPER_MODE == Caution()
    assert plain.posterior.log_none == -math.inf
    assert plain.none_of_these == 0.0
    assert plain.situation.posterior is plain.posterior


def test_policy_and_favourite_are_always_listed_ones():
    learner = learner_of(0.9).replay([ActionAnswer(1, 1)] * 30)
    assert learner.none_of_these > 0.99
    assert 0 <= learner.map_policy < HYPOTHESES.num_policies
    assert 0 <= learner.most_probable_reward < HYPOTHESES.num_rewards
    assert learner.policy.confidence.max() < 0.01
    assert learner.confidence.max() < 0.01


@for_each('answers', [[ActionAnswer(0, 0), ActionAnswer(0, 1)],
                      [ActionAnswer(0, 0), ActionAnswer(1, 0)]])
def test_a_long_lesson_of_contradictions_leaves_a_distribution(answers):
    """The teacher contradicts themself, which any task explains alike, or every listed task."""
    learner = learner_of(0.01, TWO).replay(answers * 60)
    assert learner.none_of_these == pytest.approx(
        1.0 if answers[1].state else 0.01, abs=1e-6)
    for value in (learner.certainty, learner.entropy, *learner.evidence):
        assert math.isfinite(value)
    assert np.isfinite(learner.posterior.probabilities).all()


@for_each('strategy', sorted(STRATEGIES))
def test_when_all_are_refuted_every_strategy_still_asks(strategy):
    """A teacher who is said never to err contradicts themself: nothing listed is left."""
    learner = learner_of(0.1, TWO, gamma=1.0, strategy=strategy).replay(
        [ActionAnswer(0, 0), ActionAnswer(0, 1)])
    assert learner.none_of_these == 1.0
    assert learner.certainty == 0.0
    assert learner.entropy == 0.0
    np.testing.assert_array_equal(learner.posterior.probabilities, 0.0)
    np.testing.assert_array_equal(learner.situation.posterior.probabilities, 0.5)
    np.testing.assert_array_equal(learner.policy.confidence, 0.0)
    choice = learner.choose(0)
    assert choice is not None
    assert not np.isnan(choice.utilities).any()
    learner.tell(ActionAnswer(1, 0))


def test_certainty_counts_it_and_so_does_the_stop_rule():
    sure = learner_of(0.1, TWO, gamma=0.999, stop=StopRule(certainty=0.9)).tell(
        ActionAnswer(0, 0))
    assert sure.situation.policy_probabilities.max() > 0.99
    assert sure.certainty < 0.9
    assert sure.stop_reason is None
    assert sure.tell(ActionAnswer(1, 1)).stop_reason is not None


def test_version_three_and_its_stop_rule_count_it():
    learner = learner_of(0.5, TWO, gamma=0.999, strategy='gbs3',
                         stop=StopRule(every_state=0.9)).tell(ActionAnswer(0, 0))
    assert learner.situation.optimal_mass.max(axis=1).min() > 0.99
    assert learner.situation.weighted_predictions.max() < 0.9
    assert learner.ask() is not None


@for_each('strategy', ['gbs', 'gbs_binary', 'iqbc', 'active_sampling', 'gbs_reward', 'emg'])
def test_what_tells_listed_tasks_apart_is_asked_as_ever(strategy):
    answers = [ActionAnswer(0, 1), YesNoAnswer(1, 2, False)]
    plain = learner_of(0.0, strategy=strategy).replay(answers)
    doubtful = learner_of(0.4, strategy=strategy).replay(answers)
    expected, got = plain.choose(), doubtful.choose()
    assert got.question == expected.question


def test_the_answers_that_the_best_task_does_not_explain_are_named():
    learner = learner_of(0.2).replay([ActionAnswer(0, 0), ActionAnswer(1, 2), ActionAnswer(0, 0),
                                      ActionAnswer(1, 0), ActionAnswer(0, 2), ActionAnswer(1, 2)])
    assert learner.most_probable_reward == 0
    against = learner.unexplained_answers()
    assert list(against) == [3, 4]
    assert against[3] == pytest.approx(math.log((1 / 3) / 0.05))


def test_nothing_is_unexplained_where_all_fits():
    assert learner_of(0.2).replay([ActionAnswer(0, 0), ActionAnswer(1, 2)]
                                  ).unexplained_answers() == {}


def test_undo_and_replay_are_bit_for_bit():
    learner = learner_of(0.2).replay(ANY)
    again = learner.tell(ActionAnswer(0, 0)).undo()
    np.testing.assert_array_equal(again.posterior.log_weights, learner.posterior.log_weights)
    assert again.posterior.log_none == learner.posterior.log_none


@for_each('prior', [-0.1, 1.0, 1.5, math.nan])
def test_its_prior_is_a_probability_below_one(prior):
    with pytest.raises(InvalidOptionError, match=r'none_of_these must be in \[0, 1\), got'):
        Caution(prior)


@for_each('likelihood', ['aggregated', 'single_action'])
def test_only_the_exact_likelihood_can_be_compared_with_chance(likelihood):
    with pytest.raises(InvalidOptionError, match=(
            f'none_of_these needs the likelihood exact, got {likelihood}: only that one is')):
        Learner(Problem(TWO, NoiseModel(likelihood=likelihood)), caution=Caution(0.1))


def test_the_paper_bounds_nothing_beyond_its_assumptions():
    certificate = learner_of(0.1, TWO, true_gamma=0.95).certificate
    assert certificate.void
    assert 'one of the listed tasks is meant for certain' in str(certificate)


def test_a_posterior_that_allows_it_says_so():
    posterior = Posterior.before_answers(np.log([0.25, 0.75]), 0.2)
    assert posterior.allows_none
    np.testing.assert_allclose(posterior.probabilities, [0.2, 0.6])
    np.testing.assert_allclose(posterior.among_listed.probabilities, [0.25, 0.75])
    assert not posterior.among_listed.allows_none
