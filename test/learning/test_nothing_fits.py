"""No listed task explains the answers: it is said, nothing is final, and the lesson continues."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, STAY, TASK, close_lessons, corridor_task, open_lesson

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
)
from gbs_irl_ros.core.caution import CAREFUL, Caution
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.stopping import DoneReason, StopRule
from gbs_irl_ros.learning.doubts import MAX_UNEXPLAINED, unexplained
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, Status
from gbs_irl_ros.learning.sentences import SHOW_IT, nothing_fits_text

AWAY = [(3, RIGHT), (1, LEFT), (2, STAY), (0, STAY), (4, STAY)]    # no goal explains all of them


@pytest.fixture
def lesson(tmp_path):
    yield open_lesson(tmp_path / 'lesson.jsonl', caution=CAREFUL)
    close_lessons()


def contradict(lesson, rounds=3):
    """Show what no task explains, until the lesson says so."""
    for number in range(rounds):
        for place, step in enumerate(AWAY):
            lesson.watch(DemonstrationRecord(f'shown-{number}-{place}',
                                             DemonstrationAnswer((step,))))
    assert lesson.learner.nothing_fits


class TestTheLesson:
    def test_it_says_so_and_still_asks(self, lesson):
        contradict(lesson)
        question = lesson.ask(1)
        policy, belief = lesson.report(2)
        assert belief.status is Status.ASKING
        assert (belief.reason, belief.reason_value) \
            == (DoneReason.NONE_OF_THESE, belief.none_of_these)
        assert belief.none_of_these >= 0.5
        assert set(belief.unexplained) < set(lesson.answers)
        assert lesson.status_text.startswith('None of the 6 tasks I know explains your answers ')
        assert lesson.status_text.endswith(
            f'Take back or change what is wrong; if nothing is, your task is not on the list. '
            f'{question.sentence}')
        assert SHOW_IT not in lesson.status_text        # its states have no cells
        assert not policy.final
        assert not policy.policy.confidence.any()

    def test_the_numbers_are_those_of_the_history(self, lesson):
        contradict(lesson)
        told = [entry.answer.id for entry in lesson.history(1).entries]
        numbers = [told.index(each) + 1 for each in lesson.report(1)[1].unexplained]
        assert nothing_fits_text(6, numbers) in lesson.status_text

    def test_it_cannot_be_called_good_enough(self, lesson):
        contradict(lesson)
        with pytest.raises(GbsIrlError, match='None of the 6 tasks I know explains your answers'):
            lesson.finish(3)
        lesson.ask(4)
        assert lesson.status is Status.ASKING

    def test_a_robot_that_is_sure_of_nothing_does_not_ask_for_ever(self, lesson):
        contradict(lesson)
        asked = lesson.ask(2)
        with pytest.raises(GbsIrlError, match='None of the 6 tasks I know explains your answers'):
            lesson.ask_about(0, 3)
        assert lesson.open_question is asked

    def test_what_was_good_enough_before_is_asked_about_again(self, lesson):
        lesson.finish(1)
        assert lesson.ask(2) is None
        assert lesson.report(2)[0].final
        contradict(lesson)
        assert lesson.ask(3) is not None
        assert not lesson.report(4)[0].final

    def test_a_pause_does_not_make_it_final(self, lesson):
        lesson.finish(1)
        contradict(lesson)
        lesson.pause(True, 2)
        lesson.ask(3)
        policy, belief = lesson.report(4)
        assert (belief.status, policy.final) == (Status.PAUSED, False)

    def test_the_answers_can_be_taken_back_or_changed_until_a_task_fits(self, lesson):
        contradict(lesson)
        for known_as in lesson.report(1)[1].unexplained:
            question = lesson.question_of(known_as)
            lesson.revise(AnswerRecord(known_as, DontKnowAnswer(question)))
        assert not lesson.learner.nothing_fits
        assert lesson.report(2)[1].unexplained == ()
        while lesson.answers:
            lesson.undo(3)
        assert lesson.learner.none_of_these == pytest.approx(CAREFUL.none_of_these)

    def test_killed_then_it_is_as_stuck_as_before(self, lesson, tmp_path):
        contradict(lesson)
        before = lesson.report(1)[1]
        lesson.close()
        again = open_lesson(tmp_path / 'lesson.jsonl', caution=CAREFUL)
        after = again.report(1)[1]
        assert (after.none_of_these, after.unexplained) \
            == (before.none_of_these, before.unexplained)


def test_without_another_question_it_is_stuck_and_never_done(tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', caution=CAREFUL,
                         stop=StopRule(max_answers=15))
    contradict(lesson)
    assert lesson.ask(1) is None
    policy, belief = lesson.report(2)
    assert (belief.status, policy.final) == (Status.STUCK, False)
    assert belief.reason is DoneReason.NONE_OF_THESE
    lesson.undo(3)
    lesson.ask(4)
    assert lesson.status is Status.ASKING
    close_lessons()


def test_in_paper_mode_something_always_fits():
    learner = Learner(TASK).replay([ActionAnswer(*step) for step in AWAY * 5])
    assert not learner.nothing_fits
    assert unexplained(learner) == ()


class TestBadTeachers:
    """Whatever is said, every number is one, and can be sent."""

    def finite(self, lesson):
        policy, belief = lesson.report(1)
        assert np.isfinite(belief.probabilities).all()
        assert belief.probabilities.sum() == pytest.approx(1.0)
        for value in (belief.none_of_these, belief.error_rate, belief.map_probability,
                      belief.entropy, belief.reason_value):
            json.dumps(value, allow_nan=False)
        assert np.isfinite(policy.policy.confidence).all()
        return belief

    @for_each('caution', [CAREFUL, Caution(0.1)])
    def test_all_hypotheses_refuted(self, caution, tmp_path):
        """With a teacher who never errs, "none of these" alone is left."""
        lesson = open_lesson(tmp_path / f'{caution.error_rates is None}.jsonl',
                             corridor_task(gamma_hat=1.0), caution=caution)
        for number, step in enumerate(AWAY):
            lesson.watch(DemonstrationRecord(f'shown-{number}', DemonstrationAnswer((step,))))
        belief = self.finite(lesson)
        assert belief.reason is DoneReason.NONE_OF_THESE
        assert lesson.ask(2) is not None
        while lesson.answers:
            lesson.undo(3)
        assert self.finite(lesson).reason is DoneReason.NO_REASON
        close_lessons()

    def test_one_thing_and_its_contrary_for_ever(self, lesson):
        contradict(lesson, rounds=40)
        assert 0 < len(self.finite(lesson).unexplained) <= MAX_UNEXPLAINED

    def test_a_teacher_who_is_always_wrong(self, lesson):
        sets = TASK.hypotheses.sets
        for number in range(40):
            question = lesson.ask(number)
            state = question.question.state
            wrong = [action for action in range(3) if not sets.holds(state, action)[2]]
            lesson.take(AnswerRecord(
                question.id, ConfirmAnswer(question.question, yes=False)
                if question.question.kind is QuestionKind.CONFIRM
                else ActionAnswer(state, (wrong or [STAY])[0])))
            belief = self.finite(lesson)
            assert belief.status is Status.ASKING
        assert not lesson.report(2)[0].final


@for_each(('numbers', 'text'), [
    ([], 'None of the 20 tasks I know explains all your answers.'),
    ([3], 'None of the 20 tasks I know explains your answer 3.'),
    ([3, 5], 'None of the 20 tasks I know explains your answers 3 and 5.'),
    ([3, 5, 6], 'None of the 20 tasks I know explains your answers 3, 5 and 6.'),
    (range(1, 10), 'None of the 20 tasks I know explains your answers 1, 2, 3, 4, 5, 6 and 3 '
                   'more.')])
def test_it_is_said_in_a_sentence(numbers, text):
    assert nothing_fits_text(20, list(numbers)) == text
