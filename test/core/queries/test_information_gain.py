"""Questions that tell most, of every kind, against telling every answer to a learner."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cases import for_each
from worlds import corridor, grid

from gbs_irl_ros.core import CAREFUL, PAPER_MODE, ActionAnswer, Learner, Problem
from gbs_irl_ros.core.answers import DemonstrationAnswer, offers
from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.pace import Pace, usual_seconds
from gbs_irl_ros.core.posterior import entropy_bits
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.bits_per_second import ALL_KINDS, steps_from
from gbs_irl_ros.core.queries.information_gain import asked_about
from gbs_irl_ros.core.queries.prospects import Outlook, bits
from gbs_irl_ros.core.questions import MAX_OPTIONS, Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards

ROOM = grid(4, 3)
GOALS = (0, 3, 5, 8, 11)
TASKS = Hypotheses.from_rewards(ROOM, Rewards.goals(ROOM, GOALS),
                                names=[f'go to {state}' for state in GOALS])
ONE_BY_ONE = [kind for kind in ALL_KINDS if kind is not QuestionKind.DEMONSTRATION]


def learner_of(caution=PAPER_MODE, **options):
    return Learner(Problem(TASKS, NoiseModel(0.85), np.eye(12)[0]), caution=caution, **options)


def outlook_of(learner, allowed=None):
    return Outlook(learner.situation, np.random.default_rng(0),
                   np.ones(12, dtype=bool) if allowed is None else allowed)


def gained(learner, answers):
    """Return what an answer tells, by telling all of them: H(h) - E[H(h | answer)]."""
    now = learner.situation.policy_probabilities
    after, chances = [], []
    for answer in answers:
        likelihood = np.exp(learner.belief.log_likelihood([answer]))
        chances.append(float(learner.situation.posterior.probabilities @ likelihood))
        after.append(entropy_bits(learner.tell(answer).situation.policy_probabilities))
    np.testing.assert_allclose(sum(chances), 1.0)
    return entropy_bits(now) - float(np.dot(chances, after))


LEARNED = replace(CAREFUL, none_of_these=0.0, closing_question=False)


@for_each('kind', ONE_BY_ONE)
@for_each('caution', [PAPER_MODE, LEARNED])
def test_bits_are_the_expected_fall_of_the_entropy(kind, caution):
    learner = learner_of(caution).tell(DemonstrationAnswer(((1, 1), (2, 1))))
    outlook = outlook_of(learner)
    probabilities = learner.situation.policy_probabilities[outlook.live]
    looked_at = 0
    for found in outlook.of(kind):
        for question, told in zip(found.questions, bits(found.chances, probabilities),
                                  strict=True):
            said = [offer.answer for offer in offers(question, 'nesw', 'nesw')
                    if not offer.answer.aside]
            assert told == pytest.approx(gained(learner, said), abs=1e-9), question
            looked_at += 1
    assert looked_at


@for_each('caution', [PAPER_MODE])
def test_steps_tell_what_all_sequences_tell(caution):
    learner = learner_of(caution)
    found, = outlook_of(learner).of(QuestionKind.DEMONSTRATION, 2)
    probabilities = learner.situation.policy_probabilities
    told_by_all = bits(found.chances, probabilities, doubts=found.doubts)
    np.testing.assert_allclose(told_by_all, bits(found.chances, probabilities))
    for question, told in zip(found.questions, told_by_all, strict=True):
        said = [DemonstrationAnswer(((question.state, one),
                                     (int(ROOM.targets[question.state, one]), other)))
                for one, other in product(range(4), repeat=2)]
        assert told == pytest.approx(gained(learner, said), abs=1e-9)


def test_longer_demonstrations_are_asked_for_where_shorter_ones_tell_most():
    outlook = outlook_of(learner_of(LEARNED))
    two, three, four = (outlook.of(QuestionKind.DEMONSTRATION, steps)[0] for steps in (2, 3, 4))
    told = dict(zip((question.state for question in two.questions),
                    bits(two.chances, outlook.weights), strict=True))
    kept = [told[question.state] for question in three.questions]
    np.testing.assert_allclose(sorted(kept), sorted(told.values())[-len(told) // 2:])
    assert len(four.questions) == max(1, len(three.questions) // 2)
    np.testing.assert_allclose(bits(four.chances, outlook.weights, doubts=four.doubts),
                               bits(four.chances, outlook.weights))


def test_of_many_places_the_likeliest_are_listed_where_there_is_no_map():
    row = corridor(40)
    tasks = Hypotheses.from_rewards(row, Rewards.goals(row, range(40)))
    for has_map, count in ((True, 0), (False, MAX_OPTIONS)):
        learner = Learner(Problem(tasks, NoiseModel(), has_map=has_map)).tell(
            ActionAnswer(20, 1))
        question = make_strategy('information_gain', kind='place').choose(
            learner.situation, np.random.default_rng(0)).question
        assert len(question.options) == count
    believed = learner.situation.posterior.probabilities
    assert believed[list(question.options)].min() >= np.sort(believed)[-MAX_OPTIONS]


def test_longer_demonstrations_tell_more():
    outlook = outlook_of(learner_of())
    probabilities = outlook.situation.policy_probabilities
    one, two, three = (bits(outlook.of(QuestionKind.DEMONSTRATION, steps)[0].chances,
                            probabilities).max() for steps in (1, 2, 3))
    assert one < two < three


def test_a_reward_that_is_told_exactly_tells_which_group_it_is_in():
    values = np.array([[1, 0, 0, 0.0], [1, 0.5, 0, 0], [1, 1, 0, 0], [1, -1, 0, 0]])
    tasks = Hypotheses.from_rewards(corridor(4), Rewards.from_dense(values, 2))
    learner = Learner(Problem(tasks, NoiseModel(sigma_hat=1e-6)))
    chosen = make_strategy('information_gain', kind='reward').choose(
        learner.situation, np.random.default_rng(0))
    assert chosen.question == Question(QuestionKind.REWARD, 1)
    assert chosen.utilities[1] == pytest.approx(
        entropy_bits(learner.situation.policy_probabilities), abs=1e-6)


def test_the_question_of_most_bits_is_asked():
    learner = learner_of()
    choice = make_strategy('information_gain').choose(learner.situation, np.random.default_rng(1))
    every = {state: gained(learner, [offer.answer for offer in offers(
        Question(QuestionKind.ACTION, state), 'nesw', 'nesw') if not offer.answer.aside])
        for state in range(12)}
    assert every[choice.question.state] == pytest.approx(max(every.values()))


def test_what_does_not_matter_is_not_asked():
    """From the left end both goals at the right are reached alike; only the left one differs."""
    row = corridor(4)
    values = np.array([[1, 0, 0, 0.0], [0, 0, 1, 1], [0, 0, 0.5, 1]])
    tasks = Hypotheses.from_rewards(row, Rewards.from_dense(values, 2))
    learner = Learner(Problem(tasks, NoiseModel(), np.eye(4)[0],))
    likely = learner.replay(())
    alike = np.array([False, True, True])
    told = bits(np.array([[[.9, .1], [.9, .1], [.1, .9]]]), np.array([.2, .4, .4]), alike)
    assert told[0] < bits(np.array([[[.9, .1], [.9, .1], [.1, .9]]]),
                          np.array([.2, .4, .4]))[0]
    np.testing.assert_allclose(bits(np.array([[[.9, .1], [.7, .3]]]), np.array([.5, .5]),
                                    np.array([True, True])), 0.0, atol=1e-12)
    choice = make_strategy('value_information').choose(likely.situation, np.random.default_rng(0))
    assert choice is not None


def test_on_the_way_is_where_the_likeliest_ways_lead():
    learner = learner_of()
    allowed = asked_about(learner.situation, 'on_the_way')
    assert allowed[0]
    assert not allowed.all()
    strategy = make_strategy('information_gain', where='on_the_way')
    for seed in range(5):
        assert allowed[strategy.choose(learner.situation,
                                       np.random.default_rng(seed)).question.state]
    moved = asked_about(learner.situation.at(11), 'on_the_way')
    assert moved[11]


def test_a_list_is_asked_once():
    learner = learner_of()
    strategy = make_strategy('information_gain', kind='task')
    question = strategy.choose(learner.situation, np.random.default_rng(0)).question
    assert question.labels == tuple(TASKS.name(task) for task in question.options)
    told = learner.tell(offers(question, 'nesw', 'nesw')[0].answer)
    assert question in told.situation.closed
    other = strategy.choose(told.situation, np.random.default_rng(0))
    assert other is None or set(other.question.options) != set(question.options)


def test_without_names_nobody_is_asked_for_one():
    bare = Learner(Problem(Hypotheses.from_rewards(ROOM, Rewards.goals(ROOM, GOALS))))
    assert make_strategy('information_gain', kind='task').choose(
        bare.situation, np.random.default_rng(0)) is None


# ---- bits per second --------------------------------------------------------------------------

def test_the_kind_with_most_bits_for_a_second_is_asked():
    learner = learner_of()
    rng = np.random.default_rng
    best = make_strategy('bits_per_second').choose(learner.situation, rng(2))
    worth = {}
    for kind in ALL_KINDS:
        for steps in (2, 3) if kind is QuestionKind.DEMONSTRATION else (1,):
            choice = make_strategy('information_gain', kind=kind, steps=steps).choose(
                learner.situation, rng(2))
            worth[kind, steps] = choice.utilities.max() / usual_seconds(choice.question)
    assert best.utilities.max() == pytest.approx(max(worth.values()), rel=0.05)


def test_who_is_slow_at_something_is_asked_something_else():
    learner = learner_of()
    usual = make_strategy('bits_per_second').choose(learner.situation, np.random.default_rng(0))
    slow = Pace().timed([(usual.question, 1000.0)] * 50)
    other = make_strategy('bits_per_second', pace=slow).choose(
        learner.situation, np.random.default_rng(0))
    assert other.question.kind is not usual.question.kind


@for_each('kind', ALL_KINDS)
def test_only_what_is_liked_is_asked(kind):
    choice = make_strategy('bits_per_second', among=(kind,)).choose(
        learner_of().situation, np.random.default_rng(0))
    assert choice.question.kind is kind


def test_a_robot_that_must_go_there_asks_near_by():
    situation = learner_of().situation.at(0)
    far = steps_from(ROOM, 0)
    np.testing.assert_array_equal(far.reshape(3, 4), [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]])
    near = make_strategy('bits_per_second', among=('action',), pace=Pace(way=1000.0)).choose(
        situation, np.random.default_rng(0)).question
    assert near.state == 0


@for_each('name, options, error, text', [
    ('information_gain', {'kind': 'confirm'}, InvalidOptionError, 'are not chosen by a strategy'),
    ('information_gain', {'steps': 0}, InvalidOptionError, r'steps must be in 1 \.\. 1000, got 0'),
    ('information_gain', {'where': 'there'}, UnknownNameError, "place to ask about 'there'"),
    ('bits_per_second', {'among': ()}, InvalidOptionError, 'at least one kind of question'),
    ('bits_per_second', {'among': ('confirm',)}, InvalidOptionError, 'not chosen by a strategy')])
def test_options_that_cannot_be(name, options, error, text):
    with pytest.raises(error, match=text):
        make_strategy(name, **options)
