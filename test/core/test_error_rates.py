"""The teacher's error rates, learned together with the task."""

from __future__ import annotations

import itertools
import math
import pickle

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from worlds import hypotheses_of, random_sets, threshold_corridor

from gbs_irl_ros.core import (
    CAREFUL,
    NEVER,
    STRATEGIES,
    Caution,
    Learner,
    NoiseModel,
    Problem,
    Question,
    QuestionKind,
    RatePrior,
    SimulatedTeacher,
)
from gbs_irl_ros.core.answers import (
    KINDS,
    RATED_KINDS,
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    NoneOfTheseAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.error_rates import GRID
from gbs_irl_ros.core.errors import (
    InvalidAnswerError,
    InvalidNoiseError,
    InvalidOptionError,
    UnknownNameError,
)
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.statements import _RULES as STATEMENTS
from gbs_irl_ros.core.theory.forecast import Outlook
from gbs_irl_ros.core.unlisted import Unlisted
from gbs_irl_ros.core.whole_task_statements import _RULES as WHOLE_TASK_STATEMENTS

MODEST = settings(deadline=None, derandomize=True, max_examples=10)
SETS = [[{0}, {0, 1}, {1, 2}], [{2}, {0, 1, 2}, {0}]]      # sets[state][policy], three actions
HYPOTHESES = hypotheses_of(SETS, 3)
TWO = hypotheses_of([[{0}, {1}], [{1}, {0}]], 2)
TOLD = tuple(kind for kind in RATED_KINDS       # about whole tasks: see test_whole_tasks
             if kind in ('action', 'yes_no', 'demonstration', 'all_the_same', 'either'))
TWO_RATES = RatePrior((0.1, 0.3), 0.2)                     # as likely a priori
ANY = [ActionAnswer(0, 1), YesNoAnswer(0, 1, False), YesNoAnswer(1, 2, True),
       DemonstrationAnswer(((0, 1), (1, 0), (0, 2))), AllTheSameAnswer(1), AllTheSameAnswer(0),
       RewardAnswer(0, 0.4, 1), DontKnowAnswer(Question(QuestionKind.ACTION, 0)),
       ActionAnswer(1, 2), ActionAnswer(0, 0)]


def learner_of(rates=None, hypotheses=HYPOTHESES, none=0.0, **options):
    options.setdefault('stop', NEVER)
    return Learner(Problem(hypotheses), caution=Caution(none, rates or RatePrior()), **options)


def slow_joint(hypotheses, prior, none, answers):
    """
    The belief over (task or none, rate of each kind), multiplied out: ``[H + 1, G, G, G, G, G]``.

    Every answer by the likelihood of a fixed rate, as tested elsewhere.
    """
    kinds, count = list(TOLD), len(prior.rates)
    joint = np.zeros((hypotheses.num_rewards + 1,) + (count,) * len(kinds))
    start = prior.posterior('action', np.array(0.0), np.array(0.0))
    for which in itertools.product(range(count), repeat=len(kinds)):
        weight = np.prod([start[place] for place in which])
        weights = np.r_[(1.0 - none) * np.exp(hypotheses.log_prior), none] * weight
        for answer in answers:
            rate = prior.rates[which[kinds.index(answer.kind)]] if answer.kind in kinds else 0.1
            noise = NoiseModel(1.0 - rate)
            weights[:-1] *= np.exp(log_likelihood(hypotheses, noise, answer))
        # If none is meant there is one rate for all kinds: that of actions.
        unlisted = Unlisted.before_answers(
            hypotheses, NoiseModel(1.0 - prior.rates[which[0]]), None)
        for answer in answers:
            log_probability, unlisted = unlisted.told(answer)
            weights[-1] *= math.exp(log_probability)
        joint[(slice(None), *which)] = weights
    return joint / joint.sum()


def test_two_tasks_two_rates_and_two_answers_by_hand():
    learner = learner_of(TWO_RATES, TWO).tell(ActionAnswer(0, 0))
    np.testing.assert_allclose(learner.posterior.probabilities, [0.8, 0.2])
    learner = learner.tell(ActionAnswer(0, 0))
    right, wrong = (0.81 + 0.49) / 2, (0.01 + 0.09) / 2
    np.testing.assert_allclose(learner.posterior.probabilities,
                               np.array([right, wrong]) / (right + wrong))
    estimate = learner.belief.error_rate('action')
    np.testing.assert_allclose(
        estimate.probabilities, np.array([0.82, 0.58]) / 1.4, rtol=1e-12)
    assert estimate.mean == pytest.approx((0.1 * 0.82 + 0.3 * 0.58) / 1.4)


def test_a_contradiction_says_that_the_teacher_errs_and_nothing_of_the_task():
    learner = learner_of(TWO_RATES, TWO).replay([ActionAnswer(0, 0), ActionAnswer(0, 1)])
    np.testing.assert_allclose(learner.posterior.probabilities, [0.5, 0.5])
    np.testing.assert_allclose(learner.belief.error_rate('action').probabilities,
                               np.array([0.09, 0.21]) / 0.3)
    np.testing.assert_allclose(learner.belief.error_rate('yes_no').probabilities, [0.5, 0.5])


@MODEST
@given(some.integers(0, 10**6), some.floats(0.0, 0.5))
def test_it_is_the_joint_belief_multiplied_out(seed, none):
    rng = np.random.default_rng(seed)
    sets = [*random_sets(rng, 2, 3, 3, single=False), [{0, 1, 2}, {1}, {0, 1}]]
    hypotheses = hypotheses_of(sets, 3, prior=rng.dirichlet(np.ones(3)))
    answers = [
        *(ActionAnswer(int(rng.integers(3)), int(rng.integers(3))) for _ in range(4)),
        YesNoAnswer(int(rng.integers(3)), int(rng.integers(3)), bool(rng.integers(2))),
        DemonstrationAnswer(((0, int(rng.integers(3))), (2, int(rng.integers(3))))),
        EitherAnswer(2, (0, 1)), EitherAnswer(int(rng.integers(2)), (1, 2)),
        AllTheSameAnswer(2), RewardAnswer(0, float(rng.random()), 0)]
    prior = RatePrior((0.05, 0.3), 0.15)
    joint = slow_joint(hypotheses, prior, none, answers)
    learner = learner_of(prior, hypotheses, none).replay(answers)
    tasks = joint.sum(axis=(1, 2, 3, 4, 5))
    np.testing.assert_allclose(learner.posterior.probabilities, tasks[:-1], rtol=1e-9)
    assert learner.none_of_these == pytest.approx(tasks[-1], abs=1e-12)
    before = prior.posterior('action', np.array(0.0), np.array(0.0))
    for axis, kind in enumerate(TOLD, start=1):
        others = tuple(each for each in range(6) if each != axis)
        expected = joint[:-1].sum(axis=others) + tasks[-1] * before
        np.testing.assert_allclose(learner.belief.error_rate(kind).probabilities, expected,
                                   rtol=1e-9)


@MODEST
@given(some.permutations(ANY))
def test_the_order_of_answers_does_not_matter(answers):
    expected, got = (learner_of(none=0.1).replay(each) for each in (ANY, answers))
    np.testing.assert_allclose(got.posterior.log_weights, expected.posterior.log_weights,
                               atol=1e-10)
    for kind in RATED_KINDS:
        np.testing.assert_allclose(got.belief.error_rate(kind).probabilities,
                                   expected.belief.error_rate(kind).probabilities, atol=1e-10)


def test_permuting_the_hypotheses_permutes_the_belief():
    order = [2, 0, 1]
    turned = hypotheses_of([[row[policy] for policy in order] for row in SETS], 3)
    dense = HYPOTHESES.rewards.dense()[order]
    np.testing.assert_array_equal(turned.rewards.dense(), dense)
    got, expected = learner_of(hypotheses=turned).replay(ANY), learner_of().replay(ANY)
    np.testing.assert_allclose(got.posterior.log_weights,
                               expected.posterior.log_weights[order], atol=1e-12)
    np.testing.assert_allclose(got.belief.rates.accuracy('action'),
                               expected.belief.rates.accuracy('action')[order], atol=1e-12)


def test_one_rate_for_certain_is_the_fixed_rate():
    """A grid that is as good as one point gives the belief of a given rate."""
    narrow = RatePrior((0.1, 0.1 + 1e-9), 0.1 + 5e-10)
    fixed = Learner(Problem(HYPOTHESES, NoiseModel(0.9)), stop=NEVER).replay(ANY)
    np.testing.assert_allclose(learner_of(narrow).replay(ANY).posterior.probabilities,
                               fixed.posterior.probabilities, rtol=1e-6)


def test_the_usual_prior():
    prior = RatePrior()
    weights = prior.posterior('action', np.array(0.0), np.array(0.0))
    assert prior.rates == GRID
    assert (GRID[0], GRID[-1], len(GRID)) == (0.02, 0.4, 20)
    assert weights @ np.array(GRID) == pytest.approx(0.13)
    assert np.all(np.diff(weights) < 0.0)
    np.testing.assert_allclose(np.diff(np.log(weights)), np.diff(np.log(weights))[0])


@for_each('mean', [0.021, 0.13, 0.21, 0.35, 0.399])
def test_the_prior_has_the_mean_that_is_wanted(mean):
    prior = RatePrior(mean=mean)
    assert prior.posterior('yes_no', np.array(0.0), np.array(0.0)) @ np.array(GRID) \
        == pytest.approx(mean)


def test_earlier_lessons_count_as_if_given_in_this_one():
    """Two statements on which all tasks agree tell of the teacher only, wherever they stand."""
    agreed = hypotheses_of([[{0}, {0}], [{1}, {0}]], 2)
    told = learner_of(hypotheses=agreed).replay([ActionAnswer(0, 0)] * 7 + [ActionAnswer(0, 1)])
    before = learner_of(RatePrior(earlier={'action': (7, 1)}), agreed)
    np.testing.assert_allclose(told.belief.error_rate('action').probabilities,
                               before.belief.error_rate('action').probabilities)
    answer = ActionAnswer(1, 0)
    np.testing.assert_allclose(told.tell(answer).posterior.probabilities,
                               before.tell(answer).posterior.probabilities)
    assert told.belief.answer_counts == {'action': (pytest.approx(7.0), pytest.approx(1.0))}


def test_counts_are_those_that_are_expected():
    learner = learner_of(TWO_RATES, TWO, none=0.0).tell(ActionAnswer(0, 0))
    assert learner.belief.answer_counts == {
        'action': (pytest.approx(0.8), pytest.approx(0.2))}
    assert Learner(Problem(TWO)).tell(ActionAnswer(0, 0)).belief.answer_counts == {}


def test_where_all_actions_are_optimal_nothing_is_learned_of_the_teacher():
    learner = learner_of().replay([ActionAnswer(1, 0)] * 5)
    np.testing.assert_array_equal(learner.belief.rates.counts['action'][:, 1], [0, 0])


def test_a_careless_teacher_is_recognised_and_so_is_a_careful_one(rng):
    hypotheses = threshold_corridor(9)
    for accuracy, low, high in ((0.98, 0.02, 0.06), (0.7, 0.2, 0.4)):
        teacher = SimulatedTeacher.for_hypothesis(hypotheses, 3, accuracy)
        learner = learner_of(hypotheses=hypotheses)
        for _ in range(150):
            learner = learner.tell(teacher.answer(learner.ask(), rng))
        estimate = learner.belief.error_rate('action')
        assert low <= estimate.mean <= high
        assert low <= estimate.at_most(0.5) <= estimate.at_most(0.95) <= high
        assert learner.most_probable_reward == 3


def test_a_bound_of_the_rate_is_on_the_grid():
    estimate = learner_of(TWO_RATES).belief.error_rate('action')
    assert [estimate.at_most(share) for share in (0.0, 0.5, 0.51, 1.0)] == [0.1, 0.1, 0.3, 0.3]


def test_a_given_rate_is_certain():
    estimate = Learner(Problem(TWO, NoiseModel(0.85))).belief.error_rate('action')
    assert (estimate.mean, estimate.at_most(0.99)) == pytest.approx((0.15, 0.15))


@for_each('strategy', sorted(STRATEGIES))
def test_every_strategy_asks_and_understands(strategy, rng):
    hypotheses = threshold_corridor(6)
    learner = Learner(Problem(hypotheses), strategy, caution=CAREFUL)
    teacher = SimulatedTeacher.for_hypothesis(hypotheses, 2, 1.0)
    for _ in range(60):
        choice = learner.choose(1)
        if choice is None:
            break
        assert not np.isnan(choice.utilities).any()
        learner = learner.tell(teacher.answer(choice.question, rng))
    else:
        assert strategy in ('random', 'gbs_reward')
    assert learner.most_probable_reward == 2 or strategy == 'confidence'


def test_a_forecast_expects_the_rate_that_is_believed():
    careful, careless = (Learner(Problem(threshold_corridor(9)), caution=Caution(0.0, RatePrior(
        earlier={'action': counts}))) for counts in ((500, 5), (300, 150)))
    few, many = (Outlook.simulated(learner).whole for learner in (careful, careless))
    assert few.likely < many.likely


@for_each('options, text', [
    ({'rates': (0.1,)}, r'rates must be at least two rising numbers in \(0, 0\.5\), got \[0\.1\]'),
    ({'rates': (0.0, 0.2)}, r'rates must be at least two rising numbers .* got \[0\.0, 0\.2\]'),
    ({'rates': (0.1, 0.5)}, 'rates must be at least two rising numbers'),
    ({'rates': (0.2, 0.1)}, 'rates must be at least two rising numbers'),
    ({'rates': (0.1, math.nan)}, 'rates must be at least two rising numbers'),
    ({'mean': 0.4}, r'mean must be between the rates 0\.02 and 0\.4, got 0\.4'),
    ({'mean': math.nan}, 'mean must be between the rates'),
    ({'earlier': {'action': (1, -1)}}, (
        r"earlier answers of kind 'action' must be two counts that are not negative "
        r'\(right, wrong\), got \(1\.0, -1\.0\)')),
    ({'earlier': {'action': (math.inf, 1)}}, 'must be two counts')])
def test_a_prior_that_cannot_be_is_refused(options, text):
    with pytest.raises(InvalidNoiseError, match=text):
        RatePrior(**options)


def test_kinds_without_a_rate_are_named():
    with pytest.raises(UnknownNameError, match="kind of answer with an error rate 'later'"):
        RatePrior(earlier={'later': (1, 1)})
    with pytest.raises(UnknownNameError, match="kind of answer with an error rate 'reward'"):
        learner_of().belief.error_rate('reward')


def test_only_the_exact_likelihood_is_learned_with():
    with pytest.raises(InvalidOptionError, match='error_rates needs the likelihood exact'):
        Learner(Problem(TWO, NoiseModel(likelihood='aggregated')),
                caution=Caution(error_rates=RatePrior()))


def test_an_unusable_answer_is_refused():
    with pytest.raises(InvalidAnswerError, match=r'state must be in 0 \.\. 1, got 7'):
        learner_of().tell(ActionAnswer(7, 0))
    with pytest.raises(InvalidAnswerError, match=r'answer must be one of core\.answers, got 3'):
        learner_of().tell(3)


def test_every_kind_with_a_rate_has_its_statements():
    rated = {made for made in KINDS.values() if made.has_rate}
    assert rated | {NoneOfTheseAnswer} == set(STATEMENTS) | set(WHOLE_TASK_STATEMENTS)


def test_a_prior_is_a_value_and_travels():
    prior = RatePrior(earlier={'action': (3, 1)})
    assert prior == pickle.loads(pickle.dumps(prior)) == RatePrior(earlier={'action': (3.0, 1.0)})
    assert prior != RatePrior()
    assert 'action' in repr(learner_of(prior).tell(ActionAnswer(0, 0)).belief.rates)


def test_a_very_long_history_leaves_a_distribution():
    learner = learner_of(none=0.1, hypotheses=TWO)
    for number in range(500):
        learner = learner.tell(ActionAnswer(number % 2, number % 3 % 2))
    assert np.isfinite(learner.posterior.log_weights).all()
    assert learner.posterior.probabilities.sum() + learner.none_of_these == pytest.approx(1.0)
    assert learner.belief.error_rate('action').probabilities.sum() == pytest.approx(1.0)
