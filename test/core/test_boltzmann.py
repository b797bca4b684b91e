"""The softmax of Q as likelihood and as teacher, against closed forms and a dense reference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import (
    STRATEGIES,
    ActionAnswer,
    ActionLikelihood,
    BoltzmannLikelihood,
    BoltzmannTeacher,
    Caution,
    DemonstrationAnswer,
    Hypotheses,
    Learner,
    Mdp,
    NoiseModel,
    Problem,
    Question,
    QuestionKind,
    RatePrior,
    Rewards,
    SimulatedTeacher,
    hypotheses as hypotheses_module,
    make_likelihood,
    make_teacher,
    register_likelihood,
    register_teacher,
)
from gbs_irl_ros.core.answers import YesNoAnswer
from gbs_irl_ros.core.errors import InvalidNoiseError, InvalidOptionError, PluginError
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.teachers import answer_of

ETA = 0.7


def random_problem(seed=0, states=7, actions=3, count=6, per_action=False):
    rng = np.random.default_rng(seed)
    transitions = rng.dirichlet(np.ones(states), (states, actions))
    mdp = Mdp.from_dense(transitions, 0.8)
    rewards = rng.normal(size=(count, states, actions) if per_action else (count, states))
    return transitions, rewards, Hypotheses.from_rewards(mdp, Rewards.from_dense(rewards, actions))


def dense_chances(transitions, reward, eta, discount=0.8):
    """The definition, by value iteration to the last digit."""
    gained = reward if reward.ndim == 2 else reward[:, np.newaxis]
    values = np.zeros(len(transitions))
    for _ in range(2000):
        q = gained + discount * transitions @ values
        values = q.max(axis=1)
    weights = np.exp(eta * (q - q.max(axis=1, keepdims=True)))
    return weights / weights.sum(axis=1, keepdims=True)


@for_each('per_action', [False, True])
def test_chances_are_those_of_the_definition(per_action):
    transitions, rewards, hypotheses = random_problem(per_action=per_action)
    noise = NoiseModel(likelihood=BoltzmannLikelihood(ETA))
    expected = np.stack([dense_chances(transitions, reward, ETA) for reward in rewards])
    for state in range(7):
        for action in range(3):
            np.testing.assert_allclose(
                log_likelihood(hypotheses, noise, ActionAnswer(state, action)),
                np.log(expected[:, state, action]), atol=1e-9)
    steps = ((0, 1), (3, 2), (0, 0))
    np.testing.assert_allclose(
        log_likelihood(hypotheses, noise, DemonstrationAnswer(steps)),
        sum(np.log(expected[:, state, action]) for state, action in steps), atol=1e-9)


def test_one_state_with_paying_arms_is_a_closed_form():
    """Q(a) = r(a) + gamma max r / (1 - gamma), so chances are the softmax of the pay alone."""
    pay = np.array([[[0.0, 1.0, 3.0]], [[2.0, 0.0, 2.0]]])
    mdp = Mdp.from_successors(np.zeros((1, 3), dtype=int), 0.5)
    hypotheses = Hypotheses.from_rewards(mdp, Rewards.from_dense(pay, 3))
    np.testing.assert_allclose(hypotheses.q_values(0), pay[:, 0] + [[3.0], [2.0]], atol=1e-12)
    noise = NoiseModel(likelihood=make_likelihood('boltzmann', eta=np.log(2.0)))
    found = np.exp([log_likelihood(hypotheses, noise, ActionAnswer(0, a)) for a in range(3)])
    np.testing.assert_allclose(found[:, 0], np.array([1, 2, 8]) / 11, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], np.array([4, 1, 4]) / 9, atol=1e-12)


def test_rates_may_differ_by_state():
    transitions, rewards, hypotheses = random_problem()
    eta = np.linspace(0.1, 2.0, 7)
    noise = NoiseModel(likelihood=BoltzmannLikelihood(eta))
    assert noise.likelihood == BoltzmannLikelihood(tuple(eta))
    assert hash(noise.likelihood) == hash(BoltzmannLikelihood(eta))
    for state in (0, 6):
        expected = dense_chances(transitions, rewards[2], eta[state])[state, 1]
        assert np.exp(log_likelihood(hypotheses, noise, ActionAnswer(state, 1))[2]) \
            == pytest.approx(expected, abs=1e-9)


def test_rewards_of_one_policy_are_told_apart():
    """Twice the reward is the same policy, and a teacher who errs less."""
    mdp = Mdp.from_successors(np.array([[0, 1], [0, 1]]), 0.5)
    rewards = Rewards.from_dense(np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0]]), 2)
    problem = Problem(Hypotheses.from_rewards(mdp, rewards),
                      NoiseModel(likelihood=BoltzmannLikelihood(1.0)))
    assert problem.hypotheses.num_policies == 2
    learner = Learner(problem).tell(ActionAnswer(0, 1)).tell(ActionAnswer(0, 1))
    # Q(0, 1) - Q(0, 0) = discount (V(1) - V(0)) = 0.5, 1, -0.5, whatever is done later
    right = 1.0 / (1.0 + np.exp([-0.5, -1.0, 0.5]))
    np.testing.assert_allclose(learner.posterior.probabilities, right**2 / (right**2).sum())
    chances = learner.situation.action_chances(0)
    weights = right[:2]**2
    assert chances[0, 1] == pytest.approx(weights @ right[:2] / weights.sum())
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_allclose(learner.situation.chances_at(np.array([0, 1]), np.array([1]))[0, 0],
                               chances[1])
    np.testing.assert_allclose(learner.situation.reward_chances(0)[:, 1], right)


@for_each('name', sorted(STRATEGIES))
def test_every_strategy_works_with_it(name):
    _, _, hypotheses = random_problem(3)
    learner = Learner(Problem(hypotheses, NoiseModel(likelihood='boltzmann')), strategy=name)
    question = learner.ask()
    if question.kind is QuestionKind.ACTION:
        assert learner.tell(ActionAnswer(question.state, 0)).entropy < learner.entropy + 1.0


def test_the_certificate_and_a_learned_rate_are_not_about_it():
    _, _, hypotheses = random_problem()
    noise = NoiseModel(likelihood='boltzmann')
    learner = Learner(Problem(hypotheses, noise), true_gamma=0.9)
    assert 'the proof is about the likelihood single_action, not about boltzmann' \
        in learner.certificate.void
    with pytest.raises(InvalidOptionError, match='error_rates needs the likelihood exact, got bol'
                                                 'tzmann, which has no error rate that could be'):
        Learner(Problem(hypotheses, noise), caution=Caution(error_rates=RatePrior()))
    careful = Learner(Problem(hypotheses, noise), caution=Caution(none_of_these=0.1))
    assert 0.0 < careful.tell(ActionAnswer(0, 0)).none_of_these < 1.0
    assert careful.tell(YesNoAnswer(0, 0, yes=True)).none_of_these > 0.0


def test_too_many_values_are_refused_before_anything_is_planned(monkeypatch):
    _, _, hypotheses = random_problem()
    monkeypatch.setattr(hypotheses_module, 'MAX_VALUES_BYTES', 8 * 6 * 7 - 1)
    with pytest.raises(ValueError, match=re.escape(
            'values of 6 rewards in 7 states take 0.0 GiB, more than 3.1') + '.*: use a lik'):
        Learner(Problem(hypotheses, NoiseModel(likelihood='boltzmann')))
    monkeypatch.setattr(hypotheses_module, 'MAX_VALUES_BYTES', 8 * 6 * 7)
    assert Learner(Problem(hypotheses, NoiseModel(likelihood='boltzmann'))).ask() is not None


@for_each(('eta', 'got'), [
    (0.0, '0.0'), (-1.0, '-1.0'), (np.nan, 'nan'), (np.inf, 'inf'),
    ((1.0, 0.0), '0.0 for state 1'), (np.ones((2, 2)), r'shape \(2, 2\)')])
def test_rates_that_are_none_are_refused(eta, got):
    text = f'eta must be a positive number, or one for each state, got {got}$'
    with pytest.raises(InvalidNoiseError, match=text):
        BoltzmannLikelihood(eta)


def test_there_is_a_rate_for_every_state_or_one_for_all():
    _, rewards, hypotheses = random_problem()
    text = 'eta must have one entry for each of the 7 states, got 2'
    with pytest.raises(InvalidNoiseError, match=text):
        Learner(Problem(hypotheses, NoiseModel(likelihood=BoltzmannLikelihood((1.0, 2.0)))))
    with pytest.raises(InvalidNoiseError, match=text):
        make_teacher('boltzmann', hypotheses.mdp, rewards[0], hypotheses.sets.policy_sets(0),
                     eta=(1.0, 2.0))


# ---- the teacher --------------------------------------------------------------------------------

def test_the_teacher_shows_actions_as_often_as_the_likelihood_says():
    transitions, rewards, hypotheses = random_problem()
    teacher = make_teacher('boltzmann', hypotheses.mdp, rewards[1],
                           hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[1])),
                           eta=ETA)
    assert isinstance(teacher, BoltzmannTeacher)
    expected = dense_chances(transitions, rewards[1], ETA)[4]
    rng, question = np.random.default_rng(5), Question(QuestionKind.ACTION, 4)
    shown = np.bincount([teacher.answer(question, rng).action for _ in range(4000)], minlength=3)
    np.testing.assert_allclose(shown / 4000, expected, atol=4 * np.sqrt(0.25 / 4000))
    steps = teacher.answer(Question(QuestionKind.DEMONSTRATION, 4, steps=3), rng).steps
    assert len(steps) == 3


def test_the_teacher_names_only_what_can_be_named():
    _, rewards, hypotheses = random_problem()
    choices = np.zeros((7, 3), dtype=bool)
    choices[:, 1] = True
    teacher = BoltzmannTeacher(hypotheses.mdp, rewards[0], hypotheses.sets.policy_sets(0),
                               choices=choices, eta=0.01)
    rng = np.random.default_rng(0)
    assert {teacher.action(2, rng) for _ in range(20)} == {1}


# ---- those of others ----------------------------------------------------------------------------

@dataclass(frozen=True)
class Lapse(ActionLikelihood):
    """Optimal, but for lapses in which any action is shown."""

    name: ClassVar[str] = 'lapse'
    total: float = 1.0

    def chances(self, hypotheses, state, rate):
        holds = np.stack([hypotheses.sets.holds(state, action) for action in range(3)], axis=1)
        best = (holds / holds.sum(axis=1, keepdims=True))[hypotheses.policy_of_reward]
        return (rate * best + (1.0 - rate) / 3) * self.total * (1 // (self.total != -1.0))


def test_a_likelihood_of_somebody_else_is_known_by_its_name(plugins):
    assert register_likelihood(Lapse) is Lapse
    _, _, hypotheses = random_problem()
    noise = NoiseModel(np.linspace(0.5, 0.9, 7), likelihood='lapse')
    found = np.exp(log_likelihood(hypotheses, noise, ActionAnswer(6, 0)))
    assert set(np.round(found, 9)) <= {round(0.1 / 3, 9), round(0.9 + 0.1 / 3, 9)}
    assert Learner(Problem(hypotheses, noise)).ask() is not None


WRONG_CHANCES = [
    (Lapse(1.1), 'must return chances that are not negative and sum to 1 over the actions: those '
                 'of state 3 under reward 0 are ['),
    (Lapse(-1.0), 'failed: ZeroDivisionError: '),
    (Lapse(np.nan), 'must return chances that are not negative and sum to 1'),
]


@for_each(('likelihood', 'text'), WRONG_CHANCES, ids=range(len(WRONG_CHANCES)))
def test_what_is_not_a_distribution_is_refused_by_name(likelihood, text):
    _, _, hypotheses = random_problem()
    learner = Learner(Problem(hypotheses, NoiseModel(likelihood=likelihood)))
    with pytest.raises((PluginError, ZeroDivisionError)) as caught:
        learner.tell(ActionAnswer(3, 0))
    expected = f"the likelihood 'lapse' ({__name__}.Lapse) {text}"
    assert isinstance(caught.value, PluginError)
    assert str(caught.value).startswith(expected), str(caught.value)


def test_the_shape_of_chances_is_checked():
    @dataclass(frozen=True)
    class Flat(ActionLikelihood):
        name: ClassVar[str] = 'flat'

        def chances(self, hypotheses, state, rate):
            return np.full(3, 1 / 3)

    _, _, hypotheses = random_problem()
    with pytest.raises(PluginError, match=r'must return chances of shape \(6, 3\), got \(3,\)'):
        Learner(Problem(hypotheses, NoiseModel(likelihood=Flat()))).tell(ActionAnswer(0, 0))


def test_what_is_not_a_likelihood_or_has_no_such_option_is_refused():
    with pytest.raises(InvalidOptionError, match='a likelihood must be a dataclass that is derived'
                                                 ' from ActionLikelihood and has a name, got 3'):
        register_likelihood(3)
    with pytest.raises(InvalidOptionError, match="'exact' has no option 'eta'; it has none"):
        make_likelihood('exact', eta=1.0)
    with pytest.raises(InvalidOptionError, match=r"'boltzmann' has no option 'beta'; it h"):
        make_likelihood('boltzmann', beta=1.0)
    assert make_likelihood('exact').value == 'exact'


def test_a_teacher_of_somebody_else_is_known_by_its_name(plugins):
    @register_teacher
    @dataclass(frozen=True, eq=False)
    class Stubborn(SimulatedTeacher):
        name: ClassVar[str] = 'stubborn'
        always: int = 0

        def action(self, state, rng):
            return [0, 1, 2][self.always]

    _, rewards, hypotheses = random_problem()
    given = (hypotheses.mdp, rewards[0], hypotheses.sets.policy_sets(0))
    rng, question = np.random.default_rng(0), Question(QuestionKind.ACTION, 1)
    right = make_teacher('stubborn', *given, always=2)
    assert answer_of(right, question, rng) == ActionAnswer(1, 2)
    with pytest.raises(PluginError, match=r"the teacher 'stubborn' \(.*Stubborn\) failed: Index"):
        answer_of(make_teacher('stubborn', *given, always=3), question, rng)
    with pytest.raises(InvalidOptionError, match=r"'stubborn' has no option 'goals'; it has"):
        make_teacher('stubborn', *given, goals=None)
    with pytest.raises(InvalidOptionError, match='a teacher must be a dataclass that is derived fr'
                                                 'om SimulatedTeacher and has a name, got'):
        register_teacher(Lapse)
