"""The closing question: what the robot would do, and whether that is what is meant."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each
from worlds import corridor, hypotheses_of

from gbs_irl_ros.core import (
    CAREFUL,
    NEVER,
    STRATEGIES,
    Caution,
    DoneReason,
    Learner,
    Mdp,
    Problem,
    Question,
    QuestionKind,
    Rewards,
    SimulatedTeacher,
    StopRule,
)
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    WrongHereAnswer,
    answer_to,
)
from gbs_irl_ros.core.asking_again import POSTPONED
from gbs_irl_ros.core.errors import (
    InvalidAnswerError,
    InvalidNoiseError,
    InvalidOptionError,
    InvalidQuestionError,
)
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.routes import MAX_STARTS, YESES, is_confirmed, route_from, telling_route

LEFT, STAY, RIGHT = range(3)
CLOSING = Caution(closing_question=True)
MDP = Mdp.from_successors(
    np.array([[max(state - 1, 0), state, min(state + 1, 6)] for state in range(7)]), 0.9)
GOALS = Hypotheses.from_rewards(MDP, Rewards.goals(MDP, range(7)))


def start_at(*states):
    return np.isin(np.arange(7), states) / len(states)


def lesson(caution=CLOSING, start=3, **options):
    starts = start_at(*np.atleast_1d(start))
    return Learner(Problem(GOALS, None, starts), caution=caution, **options)


def told_goal(learner, goal, times=4):
    """Tell what the teacher would do beside the goal, until there is hardly any doubt."""
    for _ in range(times):
        for state, action in ((goal - 1, RIGHT), (goal, STAY), (goal + 1, LEFT)):
            learner = learner.tell(ActionAnswer(state, action))
    return learner


class TestTheRoute:
    def test_it_goes_to_the_goal_and_stays(self):
        policy = told_goal(lesson(), 5).policy.action_sets
        assert route_from(MDP, policy, 3) == ((3, RIGHT), (4, RIGHT), (5, STAY))

    def test_at_the_goal_already_it_says_that_it_stays(self):
        assert route_from(MDP, told_goal(lesson(), 3).policy.action_sets, 3) == ((3, STAY),)

    def test_it_ends_where_it_was_before(self):
        to_and_fro = hypotheses_of([[{1}], [{0}], [{0}]], 2, corridor(3))
        policy = Learner(Problem(to_and_fro), stop=NEVER).policy.action_sets
        assert route_from(to_and_fro.mdp, policy, 2) == ((2, 0), (1, 0), (0, 1))

    def test_of_several_starts_it_is_the_one_on_which_rivals_differ_most(self):
        """Goals 1 and 5 agree in 0, where both go right for a step, and nowhere on other ways."""
        probabilities = np.array([0.0, 0.55, 0.45, 0.0, 0.0, 0.0, 0.0])
        policy = told_goal(lesson(), 1).policy.action_sets
        same = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0])
        route = telling_route(GOALS, policy, start_at(0, 6), probabilities)
        assert route[0][0] == 6     # both differ in goal 1; the longer one shows more
        assert len(route) == 6
        assert telling_route(GOALS, policy, start_at(0), same)[0][0] == 0

    def test_it_prefers_a_difference_to_length(self):
        sets = [[{RIGHT}, {RIGHT}], [{RIGHT}, {RIGHT}], [{STAY}, {STAY}],
                [{STAY}, {STAY}], [{STAY}, {LEFT}], [{LEFT}, {LEFT}], [{LEFT}, {LEFT}]]
        two = hypotheses_of(sets, 3, MDP)
        learner = Learner(Problem(two), seed=1, stop=NEVER).tell(ActionAnswer(4, STAY))
        policy = learner.policy.action_sets
        route = telling_route(two, policy, start_at(0, 4), np.array([0.6, 0.4]))
        assert route == ((4, STAY),)

    def test_of_equally_good_actions_it_takes_those_that_rivals_would_not(self):
        """In a corridor without "stay", goals are left and entered again, to either side."""
        mdp = corridor(5)
        goals = Hypotheses.from_rewards(mdp, Rewards.goals(mdp, range(5)))
        policy = goals.sets.policy_sets(2)
        for rival, beyond in ((1, (3, 0)), (3, (1, 1))):
            believed = np.where(np.arange(5) == 2, 0.9, 0.1 * (np.arange(5) == rival))
            for start in (1, 3):
                route = telling_route(goals, policy, np.eye(5)[start], believed)
                assert beyond in route, (rival, start)
                assert believed @ goals.sets.allow(route) == pytest.approx(0.9), (rival, start)

    def test_what_is_confirmed_is_not_shown_again_while_there_is_something_else(self):
        policy, believed = GOALS.sets.policy_sets(5), np.full(7, 1.0 / 7.0)
        starts, others = start_at(2, 3), set(range(7))
        for confirmed, expected in (((), {2, 3}), ((2,), {3}), ((2, 3), others - {2, 3}),
                                    (range(7), {2, 3})):
            route = telling_route(GOALS, policy, starts, believed, confirmed)
            assert route[0][0] in expected, confirmed

    def test_many_starts_are_thinned_out(self):
        count = 5 * MAX_STARTS
        mdp = corridor(count)
        goals = Hypotheses.from_rewards(mdp, Rewards.goals(mdp, [0, count - 1]))
        learner = Learner(Problem(goals), stop=NEVER).tell(ActionAnswer(1, 0))
        route = telling_route(goals, learner.policy.action_sets, np.full(count, 1.0 / count),
                              learner.situation.policy_probabilities)
        assert len(route) == count


class TestItsLikelihood:
    ROUTE = ((3, RIGHT), (4, RIGHT), (5, STAY))
    ASKED = Question(QuestionKind.CONFIRM, 3, route=ROUTE)

    @for_each('caution', [Caution(0.2), Caution(0.2, CAREFUL.error_rates)])
    def test_yes_and_no_by_hand(self, caution):
        """Goal 5 alone agrees with the route; of none it is known that it does not."""
        prior = np.r_[np.full(7, 0.8 / 7), 0.2]
        for yes in (True, False):
            learner = lesson(caution).tell(ConfirmAnswer(self.ASKED, yes))
            right = np.r_[np.arange(7) == 5, False] == yes
            expected = prior * np.where(right, 0.95, 0.05)
            expected /= expected.sum()
            np.testing.assert_allclose(learner.posterior.probabilities, expected[:-1])
            assert learner.none_of_these == pytest.approx(expected[-1])
            assert learner.evidence[0] == pytest.approx(
                math.log((0.95 + 6 * 0.05) / 7 / 0.05 if yes else (0.05 + 6 * 0.95) / 7 / 0.95))

    def test_wrong_here_is_about_that_place(self):
        """Going right in 4 is wrong for the goals 0 to 4."""
        learner = lesson(Caution(0.2)).tell(WrongHereAnswer(self.ASKED, 4))
        expected = np.r_[np.full(7, 0.8 / 7), 0.2] * np.r_[[0.95] * 5, 0.05, 0.05, 0.95]
        expected /= expected.sum()
        np.testing.assert_allclose(learner.posterior.probabilities, expected[:-1])
        assert learner.none_of_these == pytest.approx(expected[-1])

    def test_what_it_is_expected_to_say(self):
        learner = lesson()
        yes = learner.situation.confirm_chances(self.ROUTE)
        np.testing.assert_allclose(yes, np.where(np.arange(7) == 5, 0.95, CLOSING_ERROR))


class TestTheLesson:
    def test_it_is_asked_where_the_rule_would_stop_and_two_yeses_end_the_lesson(self):
        learner = told_goal(lesson(), 5)
        assert told_goal(lesson(Caution()), 5).stop_reason[0] is DoneReason.CERTAINTY
        assert learner.stop_reason is None
        question = learner.ask()
        assert question == Question(QuestionKind.CONFIRM, 3, route=TestItsLikelihood.ROUTE)
        assert learner.ask(6) == question
        once = learner.tell(answer_to(question, 'confirm', yes=True))
        assert once.certainty > 0.9999
        assert once.stop_reason is None         # a single slip never ends a lesson
        assert once.missing_yeses == 1
        done = once.tell(answer_to(once.ask(), 'confirm', yes=True))
        assert done.stop_reason[0] is DoneReason.CERTAINTY
        assert done.ask() is None

    def test_it_is_asked_as_soon_as_a_yes_would_be_enough(self):
        learner = lesson().tell(ActionAnswer(4, RIGHT)).tell(ActionAnswer(5, STAY))
        assert 0.5 < learner.certainty < 0.95
        assert learner.ask().kind is QuestionKind.CONFIRM
        assert lesson(stop=StopRule(certainty=0.999)).replay(learner.answers).ask().kind \
            is QuestionKind.ACTION

    def test_the_second_yes_is_to_another_route(self):
        """From the other side of the goal, not from a place on the first."""
        for starts, expected in (((3, 6), {3, 6}), ((3,), {3, 6}), ((2, 3), {2, 6})):
            learner = told_goal(lesson(start=starts), 5)
            shown = []
            while (question := learner.ask()) is not None:
                shown.append(question.state)
                learner = learner.tell(ConfirmAnswer(question, yes=True))
            assert set(shown) == expected
            assert len(shown) == YESES
            assert shown[0] in starts, expected

    def test_after_a_no_it_asks_where_the_route_would_have_ended(self):
        learner = told_goal(lesson(start=0), 4, times=6)
        refused = learner.tell(answer_to(learner.ask(), 'confirm', yes=False))
        assert refused.situation.certainty >= 0.95      # and yet it does not end, nor ask again
        assert refused.stop_reason is None
        # It was told about 3, 4 and 5; the nearest place before these on the route is 2.
        assert refused.ask() == Question(QuestionKind.ACTION, 2)
        unheard = lesson().tell(ActionAnswer(4, RIGHT))
        for _ in range(6):
            unheard = unheard.tell(DemonstrationAnswer(((5, STAY), (6, LEFT))))
        unheard = unheard.tell(answer_to(unheard.ask(), 'confirm', yes=False))
        assert unheard.ask() == Question(QuestionKind.ACTION, 5)

    def test_after_something_else_it_asks_again(self):
        learner = told_goal(lesson(), 5, times=6)
        question = learner.ask()
        learner = learner.tell(ConfirmAnswer(question, yes=False)).tell(ActionAnswer(2, RIGHT))
        assert learner.ask() == question
        once = learner.tell(ConfirmAnswer(question, yes=True))
        assert once.stop_reason is None         # said yes as often as no
        assert once.ask() == question
        more = once.tell(ConfirmAnswer(question, yes=True))
        assert more.stop_reason is None
        assert more.ask().state != question.state
        assert more.tell(ConfirmAnswer(more.ask(), yes=True)).stop_reason is not None

    def test_a_yes_to_another_route_does_not_count(self):
        learner = told_goal(lesson(), 5)
        for _ in range(YESES):
            assert not is_confirmed(learner.answers, learner.policy.action_sets)
            learner = learner.tell(ConfirmAnswer(learner.ask(), yes=True))
        assert is_confirmed(learner.answers, learner.policy.action_sets)
        other = told_goal(learner, 1, times=9)
        assert other.most_probable_reward == 1
        assert not is_confirmed(other.answers, other.policy.action_sets)
        assert other.ask().route == ((3, LEFT), (2, LEFT), (1, STAY))

    def test_pointing_at_a_place_is_a_no(self):
        learner = told_goal(lesson(), 5, times=6)
        learner = learner.tell(answer_to(learner.ask(), 'wrong_here', place=4))
        assert learner.stop_reason is None
        assert learner.ask().kind is QuestionKind.ACTION

    @for_each('made', [DontKnowAnswer, LaterAnswer])
    def test_who_cannot_say_is_asked_something_else(self, made):
        learner = told_goal(lesson(), 5)
        question = learner.ask()
        aside = learner.tell(made(question))
        assert aside.stop_reason is None
        assert aside.ask().kind is QuestionKind.ACTION
        later = told_goal(aside, 5, times=POSTPONED)        # without a yes it would never end
        assert later.ask() == question

    def test_steps_may_be_shown_instead(self):
        learner = told_goal(lesson(), 5)
        shown = answer_to(learner.ask(), 'demonstration', steps=((3, RIGHT), (4, RIGHT)))
        assert learner.tell(shown).ask().kind is QuestionKind.CONFIRM

    def test_a_limit_of_answers_ends_it_as_it_is(self):
        learner = told_goal(lesson(stop=StopRule(certainty=0.95, max_answers=3)), 5, times=1)
        assert learner.stop_reason[0] is DoneReason.MAX_ANSWERS

    def test_nobody_confirms_that_nothing_fits(self):
        """A teacher who never errs about a goal that is not listed."""
        listed = Hypotheses.from_rewards(MDP, Rewards.goals(MDP, [0, 1, 6]))
        learner = Learner(Problem(listed, None, start_at(3)), caution=CAREFUL)
        teacher = SimulatedTeacher.for_reward(MDP, np.eye(7)[3], 1.0)
        rng = np.random.default_rng(0)
        while (question := learner.ask()) is not None:
            learner = learner.tell(teacher.answer(question, rng))
            assert len(learner.answers) < 40
        reason, value = learner.stop_reason
        assert reason is DoneReason.NONE_OF_THESE
        assert value == learner.none_of_these >= 0.95

    @for_each('strategy', sorted(set(STRATEGIES) - {'gbs_reward'}))
    def test_with_every_strategy_a_lesson_ends_by_a_yes(self, strategy):
        learner = lesson(CAREFUL, strategy=strategy)
        teacher = SimulatedTeacher.for_hypothesis(GOALS, 5, 1.0)
        rng = np.random.default_rng(1)
        while (question := learner.ask(3)) is not None:
            learner = learner.tell(teacher.answer(question, rng))
            assert len(learner.answers) < 80
        assert isinstance(learner.answers[-1], ConfirmAnswer)
        assert learner.answers[-1].yes
        assert learner.most_probable_reward == 5

    def test_without_it_nothing_is_asked(self):
        assert not Caution().closing_question
        assert told_goal(lesson(Caution(0.1, CAREFUL.error_rates)), 5).ask() is None


class TestWhoAnswers:
    def test_a_simulated_teacher_says_whether_the_route_is_right(self, rng):
        asked = TestItsLikelihood.ASKED
        for goal, yes in ((5, True), (6, False), (0, False)):
            teacher = SimulatedTeacher.for_hypothesis(GOALS, goal, 1.0)
            assert teacher.answer(asked, rng) == ConfirmAnswer(asked, yes)

    def test_with_an_accuracy_of_its_own(self, rng):
        asked = TestItsLikelihood.ASKED
        teacher = SimulatedTeacher(MDP, np.eye(7)[5], GOALS.sets.policy_sets(5), 1.0,
                                   closing_accuracy=0.0)
        assert teacher.answer(asked, rng) == ConfirmAnswer(asked, yes=False)
        with pytest.raises(InvalidNoiseError, match=(
                r'closing_accuracy must be in \[0, 1\], got 1\.5')):
            SimulatedTeacher(MDP, np.eye(7)[5], GOALS.sets.policy_sets(5), closing_accuracy=1.5)


class TestWhatIsRefused:
    def test_a_question_without_a_route_or_with_one_that_begins_elsewhere(self):
        with pytest.raises(InvalidQuestionError, match=(
                r'must have 1 \.\. 1000 steps and begin in state 3, got 0 steps')):
            Question(QuestionKind.CONFIRM, 3)
        with pytest.raises(InvalidQuestionError, match='got 1 steps from state 2'):
            Question(QuestionKind.CONFIRM, 3, route=((2, 0),))
        with pytest.raises(InvalidQuestionError, match=(
                r'a question of kind action must not have a route, got \[\(3, 0\)\]')):
            Question(QuestionKind.ACTION, 3, route=((3, 0),))

    def test_a_route_through_what_does_not_exist(self):
        with pytest.raises(InvalidQuestionError, match='state of the route must be in'):
            Question(QuestionKind.CONFIRM, 3, route=((3, 0), (7, 0))).check_fits(MDP)
        with pytest.raises(InvalidQuestionError, match='action of the route must be in'):
            Question(QuestionKind.CONFIRM, 3, route=((3, 9),)).check_fits(MDP)

    def test_a_place_that_is_not_on_the_route(self):
        with pytest.raises(InvalidAnswerError, match=(
                r'place must be a state of the route, got 0; the route is \[3, 4, 5\]')):
            lesson().tell(WrongHereAnswer(TestItsLikelihood.ASKED, 0))

    def test_something_else_than_yes_or_no(self):
        with pytest.raises(InvalidAnswerError, match='yes must be True or False, got 1'):
            lesson().tell(ConfirmAnswer(TestItsLikelihood.ASKED, 1))

    def test_a_strategy_that_would_choose_it(self):
        with pytest.raises(InvalidOptionError, match='are not chosen by a strategy'):
            make_strategy('random', kind='confirm')
