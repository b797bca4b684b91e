"""What is said of a task as a whole, under each task."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from worlds import corridor, grid

from gbs_irl_ros.core import CAREFUL, Learner, Problem, SimulatedTeacher
from gbs_irl_ros.core.answers import (
    CompareAnswer,
    ConfirmAnswer,
    GoHereAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    TaskAnswer,
    WordsAnswer,
)
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.passing import passing, thinned
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.task_answers import EITHER_WAY, FIRST_WAY, SECOND_WAY
from gbs_irl_ros.core.whole_task_statements import chosen_of, named_policy, statement_about
from gbs_irl_ros.core.whole_tasks import better_way, ends_in, goal_places, keeps_off, route_weights

LEFT, RIGHT, STAY = range(3)
PLACES_IN_A_ROW = np.arange(5)
ROW = Mdp.from_successors(np.stack([np.maximum(PLACES_IN_A_ROW - 1, 0),
                                    np.minimum(PLACES_IN_A_ROW + 1, 4), PLACES_IN_A_ROW],
                                   axis=1), 0.9)
START = np.eye(5)[0]
# Every state of the row may be the goal: five tasks of five policies.
GOALS = Hypotheses.from_rewards(ROW, Rewards.goals(ROW, range(5)),
                                names=[f'go to {state}' for state in range(5)])
NOISE = NoiseModel(0.9)
ALL = Question(QuestionKind.TASK, 0, options=tuple(range(5)), labels=GOALS.names)
SOME = Question(QuestionKind.TASK, 0, options=(1, 3))
PLACES = Question(QuestionKind.PLACE, 0, options=tuple(range(5)))
ANYWHERE = Question(QuestionKind.PLACE, 0)
TO_THE_END = ((0, RIGHT), (1, RIGHT), (2, RIGHT), (3, RIGHT), (4, STAY))
BACK = ((0, STAY),)
WAYS = Question(QuestionKind.COMPARE, 0, route=TO_THE_END, other_route=BACK)


def chances(answer, start=START):
    return np.exp(log_likelihood(GOALS, NOISE, answer, start))


@for_each('answer, expected', [
    # Of five goals and what is none of them, one is right and five are wrong.
    (GoHereAnswer((3,)), [.02, .02, .02, .9, .02]),
    (GoHereAnswer((3, 4)), [.04, .04, .04, .9, .9]),
    (TaskAnswer(ALL, 2), [.02, .02, .9, .02, .02]),
    # Where nothing that is offered is right, "none of these" is, and both others are wrong.
    (TaskAnswer(SOME, 3), [.05, .05, .05, .9, .05]),
    (NoneOfTheseAnswer(SOME), [.9, .05, .9, .05, .9]),
    (NoneOfTheseAnswer(PLACES), [.02] * 5),
    # From 0 everything behind 2 is reached through it, and 2 itself.
    (NeverHereAnswer((2,)), [.9, .9, .1, .1, .1]),
    (NeverHereAnswer((4,)), [.9, .9, .9, .9, .1]),
    # To stay at the left end earns 10 there; every other goal is nearer to the right way.
    (CompareAnswer(WAYS, FIRST_WAY), [.05, .9, .9, .9, .9]),
    (CompareAnswer(WAYS, SECOND_WAY), [.9, .05, .05, .05, .05]),
    (CompareAnswer(WAYS, EITHER_WAY), [.05] * 5),
    (WordsAnswer('the last ones', (3, 4)), [.1 * 2 / 3] * 3 + [.9] * 2),
    (WordsAnswer('whatever', tuple(range(5))), [1.0] * 5),
], ids=repr)
def test_likelihoods_in_a_row(answer, expected):
    np.testing.assert_allclose(chances(answer), expected)


def test_what_is_on_the_way_weighs_by_discounted_visits():
    # To goal 4: state 2 is visited at the third step; to goal 2 from then on for ever.
    inside = [0.0, 0.0, .81, .09 * .9, .09 * .9]
    np.testing.assert_allclose(chances(OnTheWayAnswer((2,))), 0.9 * np.array(inside) + 0.1 / 5,
                               atol=2e-3)


@for_each('question', [ALL, SOME, PLACES, ANYWHERE, WAYS], ids=repr)
def test_all_that_can_be_said_sums_to_one(question):
    said = chosen_of(GOALS, question).chances(np.linspace(0.5, 0.95, 5))
    np.testing.assert_allclose(said.sum(axis=1), 1.0)


@for_each('answer', [GoHereAnswer((3,)), TaskAnswer(ALL, 2), TaskAnswer(SOME, 3),
                     CompareAnswer(WAYS, EITHER_WAY), WordsAnswer('x', (1, 2)),
                     NeverHereAnswer((1,))], ids=repr)
def test_a_learned_rate_that_is_known_is_the_given_one(answer):
    """With many earlier answers the rate is all but certain."""
    from dataclasses import replace

    from gbs_irl_ros.core.error_rates import RatePrior
    sure = RatePrior(earlier={answer.kind: (9e6, 1e6)})
    plain = Learner(Problem(GOALS, NOISE, START))
    learned = Learner(Problem(GOALS, NOISE, START), caution=replace(
        CAREFUL, none_of_these=0.0, error_rates=sure))
    np.testing.assert_allclose(learned.tell(answer).posterior.probabilities,
                               plain.tell(answer).posterior.probabilities, atol=1e-4)


def test_tasks_of_one_name_are_one_and_so_are_tasks_that_are_done_alike():
    twice = Rewards.from_dense(np.eye(5)[[0, 1, 1, 3, 4]], 3)
    tasks = Hypotheses.from_rewards(ROW, twice, names=['a', 'b', 'c', 'a', 'd'])
    said = chosen_of(tasks, Question(QuestionKind.TASK, 0, options=(0, 2)))
    first, second = said.good[:, 0] > 0.0, said.good[:, 1] > 0.0
    assert np.flatnonzero(first[tasks.policy_of_reward]).tolist() == [0, 3]     # the name
    assert np.flatnonzero(second[tasks.policy_of_reward]).tolist() == [1, 2]    # the policy


def test_places_are_the_different_goals():
    places = goal_places(GOALS)
    assert places.states.tolist() == places.of_reward.tolist() == [0, 1, 2, 3, 4]
    assert places.can_be_told
    right, known, inside = ends_in(GOALS, (0, 1))
    assert (right.tolist(), known, inside) == ([True, True, False, False, False], 6, 2)


@for_each('rewards', [
    [[0, 1, .5], [1, 0, 0]],        # something beside the goal is worth something, too
    [[0, 1, 1], [1, 1, 0]],         # a state of two places
    [[0, 1, 0], [0, 1, -1]],        # one place alone
    [[0, 1, 0], [0, -1, -1]],       # one without any
])
def test_tasks_that_do_not_end_somewhere_are_not_asked_for_by_place(rewards):
    tasks = Hypotheses.from_rewards(corridor(3), Rewards.from_dense(np.array(rewards, float), 2))
    assert not goal_places(tasks).can_be_told


@for_each('answer, policy', [
    (TaskAnswer(ALL, 2), 2), (GoHereAnswer((4,)), 4), (GoHereAnswer((3, 4)), None),
    (WordsAnswer('x', (1,)), 1), (WordsAnswer('x', (1, 2)), None), (NeverHereAnswer((1,)), None),
    (NoneOfTheseAnswer(ALL), None)], ids=repr)
def test_who_names_a_single_task_is_understood(answer, policy):
    assert named_policy(GOALS, answer) == policy


def test_a_task_that_is_named_and_then_shown_is_confirmed():
    learner = Learner(Problem(GOALS, NOISE, START), caution=CAREFUL)
    assert learner.missing_yeses == 2
    named = learner.tell(TaskAnswer(ALL, 3))
    assert named.missing_yeses == 1
    shown = named.ask()
    assert shown.kind is QuestionKind.CONFIRM
    assert named.tell(ConfirmAnswer(shown, yes=True)).missing_yeses == 0
    other = named.tell(TaskAnswer(ALL, 1)).tell(TaskAnswer(ALL, 1))
    assert other.map_policy == 1
    assert other.missing_yeses == 1         # what was named last counts, and once
    assert named.tell(GoHereAnswer((1,))).missing_yeses == 2


def test_naming_what_is_not_listed_speaks_for_none_of_these():
    careful = Learner(Problem(GOALS, NOISE, START), caution=CAREFUL)
    before = careful.none_of_these
    once = careful.tell(NoneOfTheseAnswer(ALL))
    assert before < once.none_of_these < 0.5        # a single slip does not end a lesson
    assert once.tell(NoneOfTheseAnswer(PLACES)).none_of_these > once.none_of_these
    assert careful.tell(TaskAnswer(ALL, 1)).none_of_these < before + 0.01


def test_contradictions_make_unsure_and_lose_nothing():
    learner = Learner(Problem(GOALS, NOISE, START), caution=CAREFUL)
    for answer in (GoHereAnswer((4,)), NeverHereAnswer((4,)), TaskAnswer(ALL, 0),
                   NeverHereAnswer((0,)), GoHereAnswer((2,)), NeverHereAnswer((2,))):
        learner = learner.tell(answer)
    assert len(learner.answers) == 6
    assert np.isfinite(learner.posterior.probabilities).all()
    assert learner.stop_reason is None
    sure, unsure = (learner.replay(learner.answers[:count]).certainty for count in (1, 2))
    assert unsure < sure


def test_a_task_that_does_not_exist():
    with pytest.raises(InvalidAnswerError, match=r'number of a task must be in 0 \.\. 4, got 5'):
        statement_about(GOALS, WordsAnswer('x', (5,)))
    with pytest.raises(InvalidAnswerError, match='answer must be one about a whole task, got 3'):
        statement_about(GOALS, 3)


# ---- ways -------------------------------------------------------------------------------------

def test_a_way_that_leads_back_to_itself_counts_for_ever():
    np.testing.assert_allclose(route_weights(ROW, BACK), [10.0])
    np.testing.assert_allclose(route_weights(ROW, TO_THE_END), [1, .9, .81, .729, 6.561])
    np.testing.assert_allclose(route_weights(ROW, ((0, RIGHT), (1, LEFT))),
                               [1 / .19, .9 / .19])
    np.testing.assert_allclose(route_weights(ROW, ((0, RIGHT), (1, RIGHT))), [1, .9])


def test_equal_ways_are_equally_good():
    room = grid(2, 2)
    goal = Rewards.goals(room, [3])
    east_first, south_first = ((0, 1), (1, 2), (3, 2)), ((0, 2), (2, 1), (3, 2))
    assert better_way(room, goal, east_first, south_first).tolist() == [EITHER_WAY]
    assert better_way(room, goal, east_first, ((0, 0),)).tolist() == [FIRST_WAY]


def test_passing_by_hand():
    found = passing(GOALS, None, (2,))
    # From 0, 1, 3 and 4: all goals are reached through 2 from somewhere.
    np.testing.assert_allclose(found.enters, 1.0)
    assert passing(GOALS, START, (0,)).enters.tolist() == [0.0] * 5     # it starts inside
    np.testing.assert_allclose(passing(GOALS, START, tuple(range(5))).share, 1.0)


def test_a_way_that_may_lead_in_leads_in():
    """From one corner to the other there are two ways, and both are optimal."""
    room = grid(2, 2)
    tasks = Hypotheses.from_rewards(room, Rewards.goals(room, [1, 2, 3]))
    start = np.eye(4)[0]
    assert passing(tasks, start, (1,)).enters.tolist() == [1.0, 0.0, 1.0]
    assert passing(tasks, start, (2,)).enters.tolist() == [0.0, 1.0, 1.0]


def test_never_means_tasks_that_forbid_it_if_there_are_any():
    """To the left end nobody comes by 3; but only one of the two tasks says so."""
    forbidden = sparse.csr_matrix(([1.0], ([1], [3])), shape=(2, 5))
    tasks = Candidates.of(ROW, Rewards.goals(ROW, [0, 1]), never=forbidden).planned()
    said = NeverHereAnswer((3,))
    assert keeps_off(tasks, START, said)[tasks.policy_of_reward].tolist() == [False, True]
    assert keeps_off(tasks, START, NeverHereAnswer((3, 4)))[
        tasks.policy_of_reward].tolist() == [True, True]        # nobody forbids all of that


def test_starts_are_thinned_out_evenly():
    assert thinned(np.arange(7), 3).tolist() == [0, 3, 6]
    assert thinned(np.arange(3), 3).tolist() == [0, 1, 2]


# ---- the simulated teacher ----------------------------------------------------------------------

@for_each('question, right', [
    (ALL, TaskAnswer(ALL, 3)), (SOME, TaskAnswer(SOME, 3)),
    (Question(QuestionKind.TASK, 0, options=(0, 1)), 'none_of_these'),
    (PLACES, GoHereAnswer((3,))), (ANYWHERE, GoHereAnswer((3,))),
    (Question(QuestionKind.PLACE, 0, options=(0, 1)), 'none_of_these'),
    (WAYS, CompareAnswer(WAYS, FIRST_WAY))], ids=repr)
def test_a_teacher_is_right_as_often_as_said(question, right):
    teacher = SimulatedTeacher.for_hypothesis(GOALS, 3, accuracy=0.8)
    rng = np.random.default_rng(3)
    said = [teacher.answer(question, rng) for _ in range(1000)]
    hits = sum(each == right or each.kind == right for each in said) / 1000
    assert hits == pytest.approx(0.8, abs=4.0 * math.sqrt(0.16 / 1000))
    assert len({repr(each) for each in said}) > 1       # and wrong in other ways
    sure = SimulatedTeacher.for_hypothesis(GOALS, 3, accuracy=1.0)
    assert all(each == right or each.kind == right
               for each in (sure.answer(question, rng) for _ in range(20)))


def test_a_teacher_who_knows_no_list_says_so_but_knows_the_place():
    teacher = SimulatedTeacher.for_reward(ROW, np.eye(5)[3], accuracy=1.0)
    rng = np.random.default_rng(0)
    assert teacher.answer(ALL, rng).kind == 'dont_know'
    assert teacher.answer(PLACES, rng) == GoHereAnswer((3,))
