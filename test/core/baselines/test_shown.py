"""What was shown, counted; what was learned, used elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from worlds import LEFT, RIGHT, corridor

from gbs_irl_ros.core import ActionAnswer, DemonstrationAnswer, DontKnowAnswer, Question
from gbs_irl_ros.core.baselines import Learned, Shown
from gbs_irl_ros.core.baselines.shown import as_reward, best_policy, feature_matrix
from gbs_irl_ros.core.errors import InvalidAnswerError, InvalidRewardsError
from gbs_irl_ros.core.questions import QuestionKind

WORLD = corridor(4)


def test_answers_that_name_actions_are_counted_and_others_left_out():
    shown = Shown.from_answers(WORLD, [
        ActionAnswer(1, RIGHT), DontKnowAnswer(Question(QuestionKind.ACTION, 0)),
        DemonstrationAnswer(((1, RIGHT), (2, RIGHT), (3, LEFT)))])
    assert shown.routes == (((1, 1),), ((1, 1), (2, 1), (3, 0)))
    np.testing.assert_array_equal(shown.counts(), [[0, 0], [0, 2], [0, 1], [1, 0]])
    np.testing.assert_allclose(shown.counts(0.5), [[0, 0], [0, 2], [0, 0.5], [0.25, 0]])


@for_each(('routes', 'message'), [
    ((), 'nothing is shown: there must be a route, each with a step'),
    ((((0, 1),), ()), 'nothing is shown'),
    ((((4, 0),),), r'state must be in 0 .. 3, got 4'),
    ((((0, 2),),), r'action must be in 0 .. 1, got 2')])
def test_what_cannot_have_been_shown_is_refused(routes, message):
    with pytest.raises(InvalidAnswerError, match=message):
        Shown(WORLD, routes)


def test_features_may_be_of_states_or_of_pairs():
    np.testing.assert_array_equal(feature_matrix(WORLD, None).toarray()[1],
                                  [0, 0, 1, 1, 0, 0, 0, 0])
    pairs = np.arange(16.0).reshape(2, 8)
    np.testing.assert_array_equal(feature_matrix(WORLD, pairs).toarray(), pairs)
    with pytest.raises(InvalidRewardsError, match=r'S = 4 or S \* A = 8 columns, got .*\(1, 3\)'):
        feature_matrix(WORLD, np.ones((1, 3)))


def test_a_reward_is_planned_for_elsewhere_and_a_policy_only_carried_over():
    goal = np.array([0.0, 0.0, 0.0, 1.0])
    shut = np.array([[0, 1], [0, 1], [1, 2], [2, 3]])       # no way from 1 to 2
    elsewhere = type(WORLD).from_successors(shut, 0.9)
    learned = Learned(best_policy(WORLD, goal), goal)
    assert learned.policy_in(WORLD).actions(1) == (RIGHT,)
    assert learned.policy_in(elsewhere).actions(1) == (LEFT, RIGHT)
    assert Learned(learned.policy).policy_in(elsewhere).actions(1) == (RIGHT,)


def test_a_reward_of_states_is_one_number_for_each():
    assert as_reward(WORLD, np.repeat([1.0, 2.0, 3.0, 4.0], 2)).tolist() == [1, 2, 3, 4]
    assert as_reward(WORLD, np.arange(8.0)).shape == (4, 2)
