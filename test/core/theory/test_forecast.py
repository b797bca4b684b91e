from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from worlds import corridor, hypotheses_of, random_sets, threshold_corridor

from gbs_irl_ros.core import (
    ActionAnswer,
    Learner,
    NoiseModel,
    Problem,
    Question,
    QuestionKind,
    StopRule,
    YesNoAnswer,
)
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import NEVER
from gbs_irl_ros.core.theory.forecast import (
    about_questions_left,
    expected_information,
    questions_left,
)

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM = QuestionKind


def learner_of(length, gamma, certainty=0.95):
    problem = Problem(threshold_corridor(length), NoiseModel(gamma))
    return Learner(problem, stop=StopRule(certainty=certainty))


def test_an_errorless_teacher_needs_the_binary_logarithm(rng):
    """Eight policies that halve with every answer: three questions, whichever is meant."""
    learner = learner_of(9, 1.0)
    assert learner.task.hypotheses.num_policies == 8
    assert questions_left(learner, rng) == 3.0


def test_fewer_are_left_after_answers(rng):
    before = learner_of(33, 0.9)
    after = before
    for _ in range(3):
        state = after.ask().state
        after = after.tell(ActionAnswer(state, int(state < 10)))
    assert questions_left(after, rng) < questions_left(before, rng)


def test_noise_costs_questions(rng):
    assert questions_left(learner_of(17, 0.75), rng) > questions_left(learner_of(17, 0.95), rng)


def test_none_are_left_when_it_knows(rng):
    assert questions_left(learner_of(9, 0.9, certainty=0.01), rng) == 0.0


def test_a_lesson_that_does_not_end_counts_as_the_limit(rng):
    learner = Learner(Problem(threshold_corridor(9)), stop=StopRule())
    assert questions_left(learner, rng, lessons=2, most=7) == 7.0


def test_the_same_seed_gives_the_same_forecast():
    learner = learner_of(17, 0.9)
    first, second = (questions_left(learner, np.random.default_rng(4)) for _ in range(2))
    assert first == pytest.approx(second, abs=0.0)


def binary_entropy(p):
    return float(-p * np.log2(p) - (1 - p) * np.log2(1 - p))


class TestExpectedInformation:
    def test_an_errorless_answer_that_halves_the_policies_brings_one_bit(self):
        assert expected_information(learner_of(9, 1.0), Question(ACTION, 4)) == pytest.approx(1.0)

    @for_each('gamma', [0.6, 0.75, 0.9, 0.99])
    def test_a_noisy_one_brings_the_capacity_of_its_channel(self, gamma):
        """A binary symmetric channel with a uniform input: 1 - h(gamma)."""
        learner = learner_of(9, gamma)
        for question in (Question(ACTION, 4), Question(YES_NO, 4, 0), Question(YES_NO, 4, 1)):
            assert expected_information(learner, question) == pytest.approx(
                1.0 - binary_entropy(gamma))

    @for_each('state', range(1, 8))
    def test_where_the_policies_are_not_halved_it_is_less(self, state):
        """Of eight policies 8 - k say RIGHT in state k: h(P(RIGHT)) - h(gamma)."""
        right = (8 - state) / 8
        answered = 0.9 * right + 0.1 * (1 - right)
        assert expected_information(learner_of(9, 0.9), Question(ACTION, state)) == pytest.approx(
            binary_entropy(answered) - binary_entropy(0.9))

    @pytest.mark.parametrize('kind', [ACTION, DEMONSTRATION])
    def test_where_all_agree_it_is_nothing(self, kind):
        for state in (0, 8):
            assert expected_information(learner_of(9, 0.9), Question(kind, state)) == \
                pytest.approx(0.0, abs=1e-12)

    def test_a_demonstration_counts_as_one_answer(self):
        learner = learner_of(9, 0.9)
        for state in range(9):
            assert expected_information(learner, Question(DEMONSTRATION, state, steps=5)) == \
                expected_information(learner, Question(ACTION, state))

    def test_a_reward_counts_as_told_without_error(self):
        """Of four tasks one has a 1 there, the others 0: h(1/4), however noisy the teacher is."""
        hypotheses = Hypotheses.from_rewards(corridor(4), Rewards.from_dense(np.identity(4), 2))
        learner = Learner(Problem(hypotheses, NoiseModel(0.6, sigma_hat=9.0)))
        for state in range(4):
            assert expected_information(learner, Question(REWARD, state)) == pytest.approx(
                binary_entropy(0.25))

    def test_a_reward_for_an_action_is_about_that_action(self):
        """In state 1 one of three policies says LEFT, and has a 1 for it."""
        learner = Learner(Problem(threshold_corridor(4)))
        for action in (0, 1):
            assert expected_information(learner, Question(REWARD, 1, action)) == pytest.approx(
                binary_entropy(1 / 3))
        assert expected_information(learner, Question(REWARD, 1)) == pytest.approx(0.0, abs=1e-12)

    def test_rewards_that_lead_to_the_same_policy_are_not_worth_telling_apart(self):
        """Nothing says more about the policy than there is to know about it."""
        rewards = Rewards.from_dense(np.array([[0, 0, 1.0], [0, 0, 2], [1, 0, 0], [0, 0, 3]]), 2)
        learner = Learner(Problem(Hypotheses.from_rewards(
            corridor(3), rewards, np.array([0.2, 0.3, 0.35, 0.15]))))
        assert learner.entropy == pytest.approx(binary_entropy(0.35))
        assert expected_information(learner, Question(REWARD, 2)) == pytest.approx(
            binary_entropy(0.35))

    @for_each('likelihood', ['exact', 'single_action'])
    @for_each('seed', range(3))
    def test_it_is_what_the_entropy_loses_on_average(self, seed, likelihood):
        rng = np.random.default_rng([3, seed])
        sets = random_sets(rng, 4, 6, 3, single=likelihood == 'single_action')
        learner = Learner(Problem(hypotheses_of(sets, 3, prior=rng.random(6) + 0.1),
                                  NoiseModel(0.8, likelihood=likelihood)))
        for state in range(4):
            answers = [ActionAnswer(state, action) for action in range(3)]
            self.assert_mean_loss(learner, Question(ACTION, state), answers)
            for action in range(3):
                self.assert_mean_loss(learner, Question(YES_NO, state, action),
                                      [YesNoAnswer(state, action, yes) for yes in (True, False)])
            learner = learner.tell(ActionAnswer(state, int(rng.integers(3))))

    def assert_mean_loss(self, learner, question, answers):
        after = [learner.tell(answer) for answer in answers]
        # Bayes' rule solved for the chance of each answer, at the likeliest policy.
        best = int(np.argmax(learner.posterior.probabilities))
        odds = np.array([self.likelihood(learner, best, answer) for answer in answers]) \
            * learner.posterior.probabilities[best] \
            / np.array([told.posterior.probabilities[best] for told in after])
        assert odds.sum() == pytest.approx(1.0)
        loss = learner.entropy - odds @ [told.entropy for told in after]
        assert expected_information(learner, question) == pytest.approx(loss, abs=1e-9)

    @staticmethod
    def likelihood(learner, policy, answer):
        """Return P(answer | policy) for gamma 0.8 and three actions."""
        actions = learner.task.hypotheses.sets.policy_sets(policy)[answer.state]
        holds = bool(int(actions) >> answer.action & 1)
        if isinstance(answer, YesNoAnswer):
            return 0.8 if holds == answer.yes else 0.2
        size = int(actions).bit_count()
        return 0.8 / size if holds else 0.2 / (3 - size)

    @for_each('seed', range(3))
    def test_it_is_never_negative_nor_more_than_there_is_to_know(self, seed):
        rng = np.random.default_rng([4, seed])
        learner = Learner(Problem(hypotheses_of(random_sets(rng, 5, 7, 3, single=False), 3)))
        for _ in range(6):
            for state in range(5):
                for question in (Question(ACTION, state), Question(YES_NO, state, 1),
                                 Question(REWARD, state, 2), Question(REWARD, state)):
                    assert 0.0 <= expected_information(learner, question) \
                        <= min(learner.entropy, np.log2(3)) + 1e-9
            learner = learner.tell(ActionAnswer(int(rng.integers(5)), int(rng.integers(3))))

    def test_the_aggregated_likelihood_is_made_a_distribution_first(self):
        hypotheses = threshold_corridor(9)
        exact, aggregated = (Learner(Problem(hypotheses, NoiseModel(0.8, likelihood=likelihood)))
                             for likelihood in ('exact', 'aggregated'))
        assert expected_information(aggregated, Question(ACTION, 3)) == \
            expected_information(exact, Question(ACTION, 3)) > 0.0

    def test_the_noise_of_that_state_counts(self):
        rates = np.full(9, 0.9)
        rates[4] = 0.6
        learner = Learner(Problem(threshold_corridor(9), NoiseModel(rates)))
        assert expected_information(learner, Question(ACTION, 4)) == pytest.approx(
            1.0 - binary_entropy(0.6))


class TestAboutQuestionsLeft:
    def test_an_errorless_teacher_needs_the_binary_logarithm(self):
        assert about_questions_left(learner_of(9, 1.0, certainty=1.0), Question(ACTION, 4)) == \
            pytest.approx(3.0)

    def test_it_is_bits_to_learn_by_bits_of_the_question(self):
        """Eight policies, a channel of 1 - h(0.9) bit, and h(0.95) bit may be left over."""
        expected = (3.0 - binary_entropy(0.95)) / (1.0 - binary_entropy(0.9))
        assert about_questions_left(learner_of(9, 0.9), Question(ACTION, 4)) == pytest.approx(
            expected)

    def test_one_at_least_is_left_while_one_is_asked(self):
        learner = learner_of(9, 0.9)
        while learner.ask() is not None:
            question = learner.ask()
            assert about_questions_left(learner, question) >= 1.0
            learner = learner.tell(ActionAnswer(question.state, int(question.state < 5)))
        assert about_questions_left(learner, Question(ACTION, 5)) == 1.0

    def test_it_falls_while_answers_agree(self):
        learner, guesses = learner_of(33, 0.9), []
        while (question := learner.ask()) is not None:
            guesses.append(about_questions_left(learner, question))
            learner = learner.tell(ActionAnswer(question.state, int(question.state < 10)))
        assert guesses[0] > 2.0 * guesses[-1]
        assert guesses[-1] < 4.0

    @pytest.mark.slow
    @for_each(('length', 'gamma'), [(9, 0.9), (33, 0.9), (33, 0.75), (129, 0.95)])
    def test_lessons_take_about_so_long(self, length, gamma, rng):
        learner = learner_of(length, gamma)
        guess = about_questions_left(learner, learner.ask())
        assert 0.5 < guess / questions_left(learner, rng) < 1.5

    def test_a_question_that_says_nothing_or_almost_nothing_gives_no_number(self):
        """A limit of ours is not a forecast."""
        assert about_questions_left(learner_of(9, 0.9), Question(ACTION, 0)) is None
        assert about_questions_left(learner_of(9, 0.5001), Question(ACTION, 4)) is None

    def test_no_more_are_left_than_may_be_answered(self):
        problem = Problem(threshold_corridor(33), NoiseModel(0.75))
        learner = Learner(problem, stop=StopRule(certainty=0.95, max_answers=4))
        assert about_questions_left(learner, Question(ACTION, 16)) == 4.0
        assert about_questions_left(learner, Question(ACTION, 0)) == 4.0
        told = learner.tell(ActionAnswer(16, 0))
        assert about_questions_left(told, Question(ACTION, 8)) == 3.0

    def test_never_fewer_than_none_are_left(self):
        """A person may go on where the learner would stop."""
        problem = Problem(threshold_corridor(33), NoiseModel(0.75))
        learner = Learner(problem, stop=StopRule(certainty=0.95, max_answers=1))
        for _ in range(3):
            learner = learner.tell(ActionAnswer(16, 0))
            assert about_questions_left(learner, Question(ACTION, 8)) >= 0.0

    def test_nothing_is_known_without_a_question_or_without_a_certainty(self):
        assert about_questions_left(learner_of(9, 0.9), None) is None
        for stop in (NEVER, StopRule(max_answers=5), StopRule(every_state=0.5)):
            learner = Learner(Problem(threshold_corridor(9)), stop=stop)
            assert about_questions_left(learner, Question(ACTION, 4)) is None
