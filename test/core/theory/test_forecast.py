from __future__ import annotations

import numpy as np
from cases import for_each
from worlds import threshold_corridor

from gbs_irl_ros.core import (
    CAREFUL,
    ActionAnswer,
    Learner,
    NoiseModel,
    Problem,
    Question,
    QuestionKind,
    StopRule,
)
from gbs_irl_ros.core.routes import YESES
from gbs_irl_ros.core.theory.forecast import LESSONS, MAX_ANSWERS, Forecast, Outlook


def learner_of(length, gamma, certainty=0.95, **options):
    problem = Problem(threshold_corridor(length), NoiseModel(gamma))
    return Learner(problem, stop=StopRule(certainty=certainty, **options))


def test_an_errorless_teacher_needs_the_binary_logarithm():
    """Eight policies that halve with every answer: three questions, whichever is meant."""
    learner = learner_of(9, 1.0)
    assert learner.task.hypotheses.num_policies == 8
    outlook = Outlook.simulated(learner)
    assert outlook.whole == Forecast(3, 3, 3)
    for left in (3, 2, 1):
        question = learner.ask()
        assert outlook.forecast(learner, question) == Forecast(left, left, left)
        learner = learner.tell(ActionAnswer(question.state, int(question.state < 5)))


def test_before_the_first_answer_it_is_that_of_a_whole_lesson():
    learner = learner_of(33, 0.9)
    outlook = Outlook.simulated(learner)
    assert outlook.forecast(learner, learner.ask()) == outlook.whole
    assert outlook.whole.fewest < outlook.whole.likely < outlook.whole.most


def test_fewer_are_left_while_answers_agree():
    learner, likely = learner_of(33, 0.9), []
    outlook = Outlook.simulated(learner)
    while (question := learner.ask()) is not None:
        likely.append(outlook.forecast(learner, question).likely)
        learner = learner.tell(ActionAnswer(question.state, int(question.state < 10)))
    assert likely[0] > 2 * likely[-1]
    assert likely[-1] >= 1


def test_noise_costs_answers():
    noisy, sure = (Outlook.simulated(learner_of(17, gamma)).whole for gamma in (0.75, 0.95))
    assert noisy.likely > sure.likely


def test_none_are_left_when_it_knows():
    outlook = Outlook.simulated(learner_of(9, 0.9, certainty=0.01))
    assert outlook.whole == Forecast(0, 0, 0)
    assert outlook.forecast(learner_of(9, 0.9), Question(QuestionKind.ACTION, 4)).likely == 1


def test_no_more_are_left_than_may_be_answered():
    assert Outlook.simulated(learner_of(33, 0.75, max_answers=4)).whole.most == 4


def test_closing_questions_are_included():
    problem = Problem(threshold_corridor(9), NoiseModel(0.9))
    outlook = Outlook.simulated(Learner(problem, caution=CAREFUL))
    assert all(lesson[-1][2] == 1.0 for lesson in outlook.lessons)      # the last one is
    assert outlook.whole.fewest >= YESES


def test_where_questions_hardly_tell_anything_apart_no_end_is_in_sight():
    """A limit of ours is not a forecast."""
    outlook = Outlook.simulated(learner_of(9, 0.5001))
    assert outlook.is_endless
    assert not outlook.whole.has_end
    assert len(outlook.lengths) < LESSONS       # it does not go on when that is clear
    assert outlook.whole == Forecast(*[MAX_ANSWERS] * 3)


@for_each('gamma', [0.9, 0.75])
def test_the_same_task_has_the_same_forecast_and_8_of_10_lessons_are_within(gamma):
    learner = learner_of(17, gamma)
    first, second = (Outlook.simulated(learner) for _ in range(2))
    assert first.lengths == second.lengths
    whole, lengths = first.whole, np.array(first.lengths)
    assert ((whole.fewest <= lengths) & (lengths <= whole.most)).mean() >= 0.8
    assert (lengths <= whole.likely).mean() >= 0.5


def test_progress_is_told():
    told = []
    Outlook.simulated(learner_of(9, 1.0), lambda done, total: told.append((done, total)))
    assert told == [(number + 1, LESSONS) for number in range(LESSONS)]


@for_each('lessons', [0, 1, 7])
def test_when_the_time_is_over_the_lessons_that_have_ended_are_all_there_are(lessons):
    told = []
    cut = Outlook.simulated(learner_of(9, 0.9), lambda done, total: told.append(done),
                            lambda: len(told) == lessons)
    assert cut.lengths == Outlook.simulated(learner_of(9, 0.9)).lengths[:lessons]
