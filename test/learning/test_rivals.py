"""Why a question is asked: the tasks it would tell apart."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, STAY, TASK, corridor_task, corridor_world

from gbs_irl_ros.core import Learner, Problem
from gbs_irl_ros.core.answers import ActionAnswer, RewardAnswer
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.learning.records import Rival
from gbs_irl_ros.learning.rivals import MAX_RIVALS, rivals

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, TASKS, COMPARE = QuestionKind


def summary(found):
    return [(rival.name, rival.actions, rival.reward) for rival in found]


def shares(found):
    return [rival.probability for rival in found]


def test_tasks_with_the_same_opinion_stand_together():
    """At the left end two tasks stay, in either way, and four go right."""
    found = rivals(Learner(TASK), Question(ACTION, 0))
    assert summary(found) == [('go to 1', (RIGHT,), 0.0), ('go to 0', (LEFT, STAY), 1.0)]
    assert shares(found) == pytest.approx([4 / 6, 2 / 6])


def test_in_the_middle_there_are_three_opinions():
    found = rivals(Learner(TASK), Question(ACTION, 2))
    assert summary(found) == [('go to 0', (LEFT,), 0.0), ('go to 3', (RIGHT,), 0.0),
                              ('go to 2', (STAY,), 1.0)]
    assert shares(found) == pytest.approx([3 / 6, 2 / 6, 1 / 6])


def test_of_options_and_ways_each_says_what_it_would_choose():
    def said(question):
        return [(rival.name, rival.answer, rival.actions) for rival in rivals(
            Learner(corridor_task(prior=[1, 1, 1, 1, 4, 2])), question)]
    both = {'route': ((2, LEFT), (1, LEFT), (0, STAY)),
            'other_route': ((2, RIGHT), (3, RIGHT), (4, STAY))}
    assert said(Question(TASKS, 0, options=(0, 4), labels=('first', 'last'))) == [
        ('go to 4', 'last', ()), ('go to 0 for 2', 'first', ()),
        ('go to 1', 'none of these', ())]
    assert said(Question(PLACE, 0, options=(3, 4), labels=('door', 'desk'))) == [
        ('go to 0 for 2', 'none of these', ()), ('go to 4', 'desk', ()), ('go to 3', 'door', ())]
    assert said(Question(PLACE, 0))[:2] == [('go to 4', 'go to 4', ()),
                                            ('go to 0 for 2', 'go to 0 for 2', ())]
    assert said(Question(COMPARE, 2, **both)) == [
        ('go to 4', 'the second way', ()), ('go to 0 for 2', 'the first way', ()),
        ('go to 2', 'either way', ())]


def test_the_likeliest_of_them_gives_the_name():
    task = corridor_task(prior=[1, 1, 1, 1, 4, 2])
    found = rivals(Learner(task), Question(ACTION, 0))
    assert summary(found) == [('go to 4', (RIGHT,), 0.0), ('go to 0 for 2', (LEFT, STAY), 2.0)]
    assert shares(found) == pytest.approx([0.7, 0.3])


def test_opinions_about_a_reward_are_rewards():
    found = rivals(Learner(TASK), Question(REWARD, 0))
    assert summary(found) == [('go to 1', (RIGHT,), 0.0), ('go to 0', (LEFT, STAY), 1.0),
                              ('go to 0 for 2', (LEFT, STAY), 2.0)]
    assert shares(found) == pytest.approx([4 / 6, 1 / 6, 1 / 6])


def test_where_rewards_depend_on_the_action_it_is_the_one_asked_about():
    dense = np.zeros((3, 5, 3))
    dense[:, 2, :] = [[1, 0, 0], [0, 2, 0], [0, 3, 0]]
    world = corridor_world()
    learner = Learner(Problem(Hypotheses.from_rewards(world.mdp, Rewards.from_dense(dense, 3))))
    about = {action: rivals(learner, Question(REWARD, 2, action)) for action in (LEFT, RIGHT)}
    assert [rival.reward for rival in about[LEFT]] == [0.0, 1.0]
    assert shares(about[LEFT]) == pytest.approx([2 / 3, 1 / 3])
    assert sorted(rival.reward for rival in about[RIGHT]) == [0.0, 2.0, 3.0]
    best = rivals(learner, Question(ACTION, 2))     # without an action: the best reward there
    assert {rival.actions: rival.reward for rival in best} == {(LEFT,): 1.0, (RIGHT,): 2.0}


@pytest.mark.parametrize('question', [Question(YES_NO, 2, STAY),
                                      Question(DEMONSTRATION, 2, steps=3)])
def test_other_questions_are_about_actions_too(question):
    learner = Learner(TASK)
    assert rivals(learner, question) == rivals(learner, Question(ACTION, 2))


def test_no_more_are_named_than_a_person_can_read():
    dense = np.zeros((7, 5))
    dense[:6, 0] = range(1, 7)
    dense[6, 4] = 1.0
    world = corridor_world()
    prior = np.array([1, 2, 3, 4, 5, 6, 7.0])
    learner = Learner(Problem(Hypotheses.from_rewards(
        world.mdp, Rewards.from_dense(dense, 3), prior)))
    found = rivals(learner, Question(REWARD, 0))
    assert MAX_RIVALS == 4
    assert shares(found) == pytest.approx(np.array([7, 6, 5, 4]) / 28)
    assert [rival.name for rival in found] == ['task 6', 'task 5', 'task 4', 'task 3']


def test_a_certain_learner_has_one_that_is_certain():
    learner = Learner(corridor_task(gamma_hat=1.0)).tell(ActionAnswer(3, RIGHT))
    found = rivals(learner, Question(ACTION, 4))
    assert found[0] == Rival('go to 4', 1.0, (RIGHT, STAY), 1.0)
    assert shares(found[1:]) == [0.0] * (len(found) - 1)


@for_each('seed', range(5))
def test_whatever_was_answered_they_are_real_opinions_in_order(seed):
    rng = np.random.default_rng([11, seed])
    learner, hypotheses = Learner(TASK, noise=NoiseModel(0.8)), TASK.hypotheses
    for _ in range(12):
        state = int(rng.integers(5))
        for question in (Question(ACTION, state), Question(REWARD, state)):
            found = rivals(learner, question)
            assert shares(found) == sorted(shares(found), reverse=True)
            assert sum(shares(found)) == pytest.approx(1.0)     # here there are few enough
            for rival in found:
                task = hypotheses.names.index(rival.name)
                bits = hypotheses.sets.sets_at(state)[hypotheses.policy_of_reward[task]]
                assert rival.actions == tuple(np.flatnonzero(unpack(bits, 3)))
                assert rival.reward == hypotheses.rewards.column(state)[task]
                assert rival.probability >= learner.posterior.probabilities[task] - 1e-12
        learner = learner.tell(ActionAnswer(state, int(rng.integers(3))))
        learner = learner.tell(RewardAnswer(state, float(rng.random())))


def test_about_a_route_there_are_two_opinions():
    """In the corridor only those who mean the place at its end go there and stay."""
    question = Question(CONFIRM, 2, route=((2, RIGHT), (3, RIGHT), (4, STAY)))
    found = rivals(Learner(TASK), question)
    assert len(found) == 2
    agreeing = [rival for rival in found if rival.actions]
    assert [rival.actions for rival in agreeing] == [(RIGHT,)]
    assert sum(rival.probability for rival in found) == pytest.approx(1.0)
