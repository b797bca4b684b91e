"""What a lesson reports of its doubts, and that none of it is lost when a learner is killed."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from cases import for_each
from small_lessons import RIGHT, TASK, open_lesson, random_lesson

from gbs_irl_ros.core.answers import ActionAnswer, RewardAnswer, YesNoAnswer
from gbs_irl_ros.core.caution import CAREFUL, Caution
from gbs_irl_ros.core.error_rates import RatePrior
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.learning.doubts import error_rate
from gbs_irl_ros.learning.records import NOT_ESTIMATED, AnswerRecord


def careful_learner(*answers):
    return Learner(TASK, caution=CAREFUL).replay(answers)


class TestErrorRate:
    def test_one_that_is_given_is_not_estimated(self):
        assert error_rate(Learner(TASK, caution=Caution(0.1))) == NOT_ESTIMATED

    def test_before_any_answer_it_is_what_is_expected(self):
        assert error_rate(careful_learner()) == pytest.approx(RatePrior().mean)
        assert error_rate(careful_learner(RewardAnswer(0, 1.0))) \
            == pytest.approx(RatePrior().mean)

    def test_answers_that_fit_lower_it_and_contradictions_raise_it(self):
        agrees = [ActionAnswer(state, RIGHT) for state in (0, 1, 2, 3)]
        contradicts = [YesNoAnswer(0, RIGHT, yes) for yes in (True, False) * 4]
        assert error_rate(careful_learner(*agrees)) < RatePrior().mean
        assert error_rate(careful_learner(*contradicts)) > RatePrior().mean

    def test_each_kind_counts_as_often_as_it_was_given(self):
        learner = careful_learner(ActionAnswer(0, RIGHT), ActionAnswer(1, RIGHT),
                                  YesNoAnswer(0, RIGHT, True))
        action, yes_no = (learner.belief.error_rate(kind).mean for kind in ('action', 'yes_no'))
        assert error_rate(learner) == pytest.approx((2 * action + yes_no) / 3)


def test_the_belief_says_all_of_it(tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', caution=CAREFUL)
    question = lesson.ask(1)
    lesson.take(AnswerRecord(question.id, ActionAnswer(question.question.state, RIGHT)))
    belief = lesson.report(2)[1]
    assert belief.none_of_these == pytest.approx(lesson.learner.none_of_these)
    assert 0.0 < belief.none_of_these < 0.2
    assert belief.error_rate == pytest.approx(error_rate(lesson.learner))
    assert belief.probabilities.sum() == pytest.approx(1.0)
    assert belief.map_probability <= 1.0 - belief.none_of_these


@for_each('seed', range(4))
def test_a_careful_lesson_that_is_killed_is_the_same_lesson(seed, tmp_path):
    path = tmp_path / f'{seed}.jsonl'
    lesson = random_lesson(path, 40, seed, caution=CAREFUL)
    again = open_lesson(shutil.copy(path, tmp_path / f'{seed}-copy.jsonl'),
                        asking=lesson.asking, caution=CAREFUL)
    assert again.learner.none_of_these == lesson.learner.none_of_these
    np.testing.assert_array_equal(again.learner.posterior.log_weights,
                                  lesson.learner.posterior.log_weights)
    assert error_rate(again.learner) == error_rate(lesson.learner)
    assert again.ask(99) == lesson.ask(99)


@for_each(('settings', 'careful'), [
    ({}, True), ({'none_of_these': 0.1}, True), ({'strategy': 'gbs'}, False)])
def test_a_lesson_continues_in_the_mode_that_its_first_settings_allow(settings, careful, tmp_path):
    path = tmp_path / f'{"-".join(settings)}.jsonl'
    open_lesson(path, settings=settings, caution=CAREFUL).close()
    for _ in range(2):          # also after it was opened with settings that say more
        lesson = open_lesson(path, settings={'none_of_these': 0.1}, caution=CAREFUL)
        assert (lesson.learner.none_of_these > 0.0) == careful
        lesson.close()


@for_each(('settings', 'asks'), [
    ({}, True), ({'none_of_these': 0.1}, False), ({'strategy': 'gbs'}, False),
    ({'none_of_these': 0.0, 'closing_question': True}, True)])
def test_a_lesson_that_knew_no_closing_question_ends_without_one(settings, asks, tmp_path):
    path = tmp_path / f'{"-".join(settings)}.jsonl'
    open_lesson(path, settings=settings, caution=CAREFUL).close()
    again = open_lesson(path, settings={'none_of_these': 0.1, 'closing_question': True},
                        caution=CAREFUL)
    assert again.learner.caution.closing_question is asks
    again.close()


def test_a_change_of_the_settings_ends_the_mode_of_an_earlier_version(tmp_path):
    path = tmp_path / 'lesson.jsonl'
    open_lesson(path, settings={'strategy': 'gbs'}).close()
    lesson = open_lesson(path, caution=CAREFUL)
    lesson.use(Learner(TASK, caution=CAREFUL), lesson.asking, 3, {'none_of_these': 0.1})
    assert lesson.learner.none_of_these > 0.0
    lesson.close()
    assert open_lesson(path, caution=CAREFUL).learner.none_of_these > 0.0
