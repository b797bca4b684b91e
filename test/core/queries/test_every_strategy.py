"""The contract that every registered strategy keeps."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from cases import for_each
from worlds import hypotheses_of

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.posterior import Posterior
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards

NOT_AT_THE_MAXIMUM = {'confidence'}     # asks where the robot is, however good other places are
STREAM_BASED = {'confidence'}           # has nothing to ask where it is confident
WORLDS = {
    'deterministic': {'successors': 1},
    'random': {'successors': 3},
    'ties': {'levels': 2},
    'rewards on actions': {'per_action': True},
    'ten actions': {'num_actions': 10},
    'one action': {'num_actions': 1, 'count': 1},
    'one hypothesis': {'count': 1},
    'one state': {'num_states': 1, 'count': 3, 'per_action': True},
}


def make_situation(problem, situation_of, world, seed=0, **options):
    hypotheses = problem(seed, **WORLDS[world])
    states = hypotheses.mdp.num_states
    draw = np.random.default_rng(seed + 100)
    options.setdefault('noise', NoiseModel(draw.uniform(0.6, 0.95, states)))
    options.setdefault('probabilities', draw.dirichlet(np.ones(hypotheses.num_rewards)))
    return situation_of(hypotheses, **options)


def of_one_kind(name):
    """Return a strategy that asks one kind of question alone."""
    strategy = make_strategy(name)
    return strategy if len(strategy.kinds) == 1 else replace(strategy, among=strategy.kinds[:1])


def kind_of(name, situation, seed=0):
    """Which questions a strategy asks, found by asking without any closed."""
    return of_one_kind(name).choose(situation, np.random.default_rng(seed)).question.kind


def all_questions(kind, hypotheses):
    mdp = hypotheses.mdp
    with_actions = kind is QuestionKind.YES_NO or (
        kind is QuestionKind.REWARD and hypotheses.rewards.per_action)
    return [Question(kind, state, action) for state in range(mdp.num_states)
            for action in (range(mdp.num_actions) if with_actions else [None])]


def index_of(question):
    return question.state if question.action is None else (question.state, question.action)


@for_each('name', sorted(STRATEGIES))
class TestEveryStrategy:
    def test_is_registered_under_its_own_name(self, name):
        assert make_strategy(name).name == name

    def test_is_a_value(self, name):
        strategy = make_strategy(name)
        assert strategy == make_strategy(name) == pickle.loads(pickle.dumps(strategy))
        assert hash(strategy) == hash(make_strategy(name))
        with pytest.raises(FrozenInstanceError):
            strategy.threshold = 0.5

    def test_asks_the_kinds_that_it_says(self, name, problem, situation_of):
        situation = make_situation(problem, situation_of, 'random')
        assert kind_of(name, situation) in make_strategy(name).kinds
        assert (kind_of(name, situation),) == of_one_kind(name).kinds

    @pytest.mark.slow
    @for_each('world', WORLDS)
    def test_chooses_a_question_that_exists(self, name, world, problem, situation_of):
        for seed in range(3):
            situation = make_situation(problem, situation_of, world, seed)
            choice = make_strategy(name).choose(situation, np.random.default_rng(seed))
            if choice is None:
                assert name in STREAM_BASED | {'gbs3'}
                continue
            mdp = situation.hypotheses.mdp
            choice.question.check_fits(mdp)
            shape = (mdp.num_states,) if choice.question.action is None \
                else (mdp.num_states, mdp.num_actions)
            assert choice.utilities.shape == shape
            assert not np.isnan(choice.utilities).any()
            assert isinstance(choice.question.state, int)
            if name not in NOT_AT_THE_MAXIMUM:
                chosen = choice.utilities[index_of(choice.question)]
                assert chosen >= choice.utilities.max() - 1e-9

    @for_each('world', ['random', 'ties', 'rewards on actions'])
    def test_same_random_numbers_give_the_same_choice(self, name, world, problem, situation_of):
        first, second = (make_strategy(name).choose(
            make_situation(problem, situation_of, world), np.random.default_rng(5))
            for _ in range(2))
        assert (first is None) == (second is None)
        if first is not None:
            assert first.question == second.question
            np.testing.assert_array_equal(first.utilities, second.utilities)

    def test_a_strategy_has_no_memory(self, name, problem, situation_of):
        strategy = make_strategy(name)
        situation = make_situation(problem, situation_of, 'ties')
        choices = []
        for _ in range(2):
            choices.append(strategy.choose(situation, np.random.default_rng(5)).question)
            strategy.choose(make_situation(problem, situation_of, 'random'),
                            np.random.default_rng(1))
        assert choices[0] == choices[1]

    def test_leaves_the_situation_unchanged(self, name, problem, situation_of):
        situation = make_situation(problem, situation_of, 'ties', current_state=2,
                                   closed=[Question(QuestionKind.ACTION, 1)])
        before = {field: getattr(situation, field)
                  for field in ('hypotheses', 'noise', 'posterior', 'current_state', 'closed')}
        weights = situation.posterior.log_weights.copy()
        start = situation.start.copy()
        bits = situation.hypotheses.sets.bits.copy()
        make_strategy(name).choose(situation, np.random.default_rng(0))
        assert all(getattr(situation, field) is value for field, value in before.items())
        np.testing.assert_array_equal(situation.posterior.log_weights, weights)
        np.testing.assert_array_equal(situation.start, start)
        np.testing.assert_array_equal(situation.hypotheses.sets.bits, bits)

    @pytest.mark.slow
    @for_each('world', ['ties', 'rewards on actions'])
    def test_closed_questions_are_neither_asked_nor_worth_anything(
            self, name, world, problem, situation_of):
        situation = make_situation(problem, situation_of, world)
        questions = all_questions(kind_of(name, situation), situation.hypotheses)
        draw = np.random.default_rng(2)
        for number in range(12):
            closed = draw.permutation(len(questions))[:len(questions) // 2]
            closed = [questions[i] for i in closed]
            choice = of_one_kind(name).choose(
                make_situation(problem, situation_of, world, closed=closed),
                np.random.default_rng(number))
            if choice is None:
                assert name in STREAM_BASED
                continue
            assert choice.question not in closed
            assert all(choice.utilities[index_of(question)] == -np.inf for question in closed)

    def test_a_state_is_closed_though_others_of_its_class_are_open(self, name, situation_of):
        alike = hypotheses_of([[{0}, {1}, {2}]] * 4 + [[{0}, {0}, {1}]] * 2, 3)
        kind = kind_of(name, situation_of(alike))
        closed = [question for question in all_questions(kind, alike) if question.state in (1, 2)]
        for seed in range(10):
            choice = of_one_kind(name).choose(
                situation_of(alike, closed=closed, current_state=3), np.random.default_rng(seed))
            assert choice.question.state not in (1, 2)
            assert (choice.utilities[[1, 2]] == -np.inf).all()

    def test_the_last_open_question_is_asked_and_then_none(self, name, problem, situation_of):
        situation = make_situation(problem, situation_of, 'random')
        questions = all_questions(kind_of(name, situation), situation.hypotheses)
        last = questions.pop(len(questions) // 2)
        for closed, expected in ((questions, last), ([*questions, last], None)):
            choice = of_one_kind(name).choose(
                make_situation(problem, situation_of, 'random', closed=closed,
                               current_state=last.state), np.random.default_rng(0))
            assert (None if choice is None else choice.question) == expected

    def test_a_hypothesis_that_is_ruled_out_does_no_harm(self, name, problem):
        hypotheses = problem(3)
        posterior = Posterior(np.r_[np.log([0.5, 0.5]), np.full(5, -np.inf)])
        situation = Situation(hypotheses, NoiseModel(), posterior, np.full(6, 1 / 6), 0)
        choice = of_one_kind(name).choose(situation, np.random.default_rng(0))
        if choice is not None:
            assert not np.isnan(choice.utilities).any()

    @for_each('likelihood', ['aggregated', 'exact'])
    def test_works_under_every_likelihood(self, name, likelihood, problem, situation_of):
        noise = NoiseModel(0.8, likelihood=likelihood)
        situation = make_situation(problem, situation_of, 'ties', noise=noise, current_state=1)
        choice = of_one_kind(name).choose(situation, np.random.default_rng(0))
        assert choice is None or np.isfinite(choice.utilities).any()

    def test_permuting_the_hypotheses_changes_no_utility(self, name, problem, situation_of):
        hypotheses, weights = problem(7), np.random.default_rng(7).dirichlet(np.ones(7))
        order = np.random.default_rng(8).permutation(7)
        turned = Hypotheses.from_rewards(
            hypotheses.mdp, Rewards.from_dense(hypotheses.rewards.dense()[order], 3))
        choices = [of_one_kind(name).choose(
            situation_of(*pair, current_state=0), np.random.default_rng(0))
            for pair in ((hypotheses, weights), (turned, weights[order]))]
        assert (choices[0] is None) == (choices[1] is None)
        if choices[0] is not None:
            np.testing.assert_allclose(
                choices[0].utilities, choices[1].utilities, atol=1e-9)
