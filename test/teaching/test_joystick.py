"""What a joystick does in a lesson, without ROS."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, corridor_task

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    GoHereAnswer,
    NoneOfTheseAnswer,
    TaskAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.languages.speaking import in_language
from gbs_irl_ros.learning.execution import ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.teaching.joystick import REPEAT_S, SILENCE_S, JoyLayout, JoystickTeacher
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, LIST, COMPARE = QuestionKind
TASK = corridor_task(positions=np.column_stack([np.arange(5) * 0.5, np.zeros(5)]), cell_size=0.5,
                     cells=np.column_stack([np.arange(5), np.zeros(5, int)]))
QUESTIONS = {ACTION: Question(ACTION, 3), YES_NO: Question(YES_NO, 3, RIGHT),
             REWARD: Question(REWARD, 3, LEFT), DEMONSTRATION: Question(DEMONSTRATION, 3, steps=2),
             CONFIRM: Question(CONFIRM, 3, route=((3, RIGHT), (4, RIGHT))),
             PLACE: Question(PLACE, 3, options=(0, 4), labels=('west', 'east')),
             LIST: Question(LIST, 3, options=tuple(range(12))),
             COMPARE: Question(COMPARE, 3, route=((3, LEFT),), other_route=((3, RIGHT),))}
A, B, X, Y, LB, RB, BACK = range(7)
STEP_S = 0.05
# The axes of a state; left and up are positive.
MIDDLE, TO_THE_LEFT, TO_THE_RIGHT, UPWARDS = {}, {0: 1.0}, {0: -1.0}, {1: 1.0}
DOWNWARDS = {1: -1.0}


class Lesson:
    """
    A lesson, a robot and a joystick.

    done: what the joystick wanted. said: what its person was told.
    """

    def __init__(self, kind=ACTION, layout=None, **changes):
        self.done, self.said, self.refuse, self.now = [], [], '', 100.0
        asked = None if kind is None else QuestionRecord('q', 's', 0, QUESTIONS[kind], 'What now?')
        self.snapshot = replace(LessonSnapshot(
            TASK, asked, learner_lives=True, robot=1,
            execution=ExecutionRecord(ExecutionStatus.STOPPED)), **changes)
        self.joystick = JoystickTeacher(self, lambda: self.snapshot, self._at_once,
                                        self.said.append)
        self.joystick.configure(layout or JoyLayout())
        self.hold()

    def __getattr__(self, name):
        def do(*given):
            self.done.append((name, *given))
            if self.refuse and name != 'be_present':
                raise GbsIrlError(self.refuse)
            return 'done' if name in ('undo', 'stop') else 2
        return do

    def _at_once(self, call, urgent):
        self.done.append(('urgent' if urgent else 'later',))
        self.said.append(call())

    def hold(self, *buttons, axes=None, after=STEP_S):
        self.now += after
        numbers = [0.0] * 8
        for number, value in (axes or {}).items():
            numbers[number] = value
        self.joystick.see(numbers, [int(number in buttons) for number in range(11)], self.now)

    def tap(self, *buttons, axes=None):
        self.hold(*buttons, axes=axes)
        self.hold()

    def names(self, but=('be_present',)):
        return [each[0] for each in self.done if each[0] not in but]

    @property
    def answers(self):
        return [each[2] for each in self.done if each[0] == 'answer']


@for_each(('kind', 'taps', 'answer'), [
    (ACTION, [TO_THE_LEFT], ActionAnswer(3, LEFT)), (ACTION, [{6: -1.0}], ActionAnswer(3, RIGHT)),
    (ACTION, [{0: -0.7, 1: 0.4}], ActionAnswer(3, RIGHT)), (ACTION, [Y], DontKnowAnswer(
        QUESTIONS[ACTION])),
    (ACTION, [A, TO_THE_LEFT, TO_THE_RIGHT, A], EitherAnswer(3, (LEFT, RIGHT))),
    (ACTION, [A, TO_THE_LEFT, X, X, TO_THE_RIGHT], ActionAnswer(3, RIGHT)),
    (YES_NO, [A], YesNoAnswer(3, RIGHT, True)), (YES_NO, [X], YesNoAnswer(3, RIGHT, False)),
    (REWARD, [Y], DontKnowAnswer(QUESTIONS[REWARD])),
    (DEMONSTRATION, [TO_THE_LEFT, TO_THE_LEFT, TO_THE_RIGHT, X, A],
     DemonstrationAnswer(((3, LEFT), (2, LEFT)))),
    (CONFIRM, [A], ConfirmAnswer(QUESTIONS[CONFIRM], True)),
    (CONFIRM, [X], ConfirmAnswer(QUESTIONS[CONFIRM], False)),
    (COMPARE, [TO_THE_LEFT], CompareAnswer(QUESTIONS[COMPARE], 0)),
    (COMPARE, [TO_THE_RIGHT], CompareAnswer(QUESTIONS[COMPARE], 1)),
    (COMPARE, [UPWARDS], CompareAnswer(QUESTIONS[COMPARE], 2)),
    (PLACE, [DOWNWARDS, DOWNWARDS, UPWARDS, A], GoHereAnswer((0,))),
    (PLACE, [X], NoneOfTheseAnswer(QUESTIONS[PLACE])),
    (LIST, [DOWNWARDS] * 11 + [A], TaskAnswer(QUESTIONS[LIST], 10)),
    (LIST, [X], NoneOfTheseAnswer(QUESTIONS[LIST])),
    (LIST, [Y], DontKnowAnswer(QUESTIONS[LIST]))])
def test_directions_and_buttons_answer(kind, taps, answer):
    lesson = Lesson(kind)
    for tap in taps:
        if isinstance(tap, dict):
            lesson.tap(axes=tap)
        else:
            lesson.tap(tap)
    assert lesson.answers == [answer]


def test_the_steps_of_a_demonstration_are_told():
    lesson = Lesson(DEMONSTRATION)
    lesson.tap(axes=TO_THE_LEFT)
    lesson.tap(axes=TO_THE_RIGHT)
    lesson.tap(A)
    assert lesson.said == ['joystick: shown so far: left', 'joystick: shown so far: left, right',
                           'joystick: You said: left, right']


def test_what_is_chosen_from_a_list_is_told():
    lesson = Lesson(PLACE)
    lesson.tap(axes=DOWNWARDS)
    lesson.tap(A)
    assert lesson.said == ['joystick: chosen so far: west; yes says so',
                           'joystick: You said: west']


def test_a_place_anywhere_is_pointed_at_elsewhere():
    anywhere = QuestionRecord('q', 's', 0, Question(PLACE, 3), 'Where should I go?')
    lesson = Lesson(PLACE, question=anywhere)
    lesson.tap(axes=DOWNWARDS)
    assert lesson.said == ['joystick: down does not answer: Where should I go?; answer that on '
                           'the page or in the terminal']


def test_what_is_held_answers_once():
    lesson = Lesson()
    for _ in range(20):
        lesson.hold(axes=TO_THE_LEFT)
    lesson.hold(axes={0: 0.4})      # not back in the middle yet
    lesson.hold(axes=TO_THE_LEFT)
    assert len(lesson.answers) == 1
    lesson.hold(axes={0: 0.2})
    lesson.hold(axes=TO_THE_LEFT)
    assert len(lesson.answers) == 2


@for_each('axes', [{0: 0.4}, {0: 0.3, 1: 0.3}, {2: 1.0, 3: -1.0, 5: 1.0}])
def test_a_stick_in_its_dead_zone_and_other_axes_mean_nothing(axes):
    lesson = Lesson()
    lesson.tap(axes=axes)
    assert (lesson.done, lesson.said) == ([], [])


@for_each(('kind', 'tap', 'told'), [
    (None, A, 'joystick: nothing is asked now'),
    (ACTION, A, 'joystick: mark each direction that is fine, then Enter'),
    (ACTION, UPWARDS, 'joystick: up does not answer: What now?'),
    (CONFIRM, TO_THE_LEFT, 'joystick: left does not answer: What now?'),
    (DEMONSTRATION, A, 'joystick: there is no step yet; show some, then Enter')])
def test_what_does_not_answer_is_said(kind, tap, told):
    lesson = Lesson(kind)
    lesson.tap(axes=tap) if isinstance(tap, dict) else lesson.tap(tap)
    assert (lesson.answers, lesson.said) == ([], [told])


def test_undo_stop_and_record():
    lesson = Lesson()
    lesson.tap(BACK)
    lesson.tap(B)
    lesson.tap(RB)
    lesson.snapshot = replace(lesson.snapshot, recorded=((1, RIGHT),))
    lesson.tap(RB)
    assert lesson.names() == ['later', 'undo', 'halt', 'urgent', 'stop', 'record', 'halt',
                              'send_recorded']
    assert lesson.said == [
        'Answer removed.', 'STOPPED', 'STOP: the robot has been told to stop',
        'joystick: recording: drive now', 'joystick: sent a demonstration of 2 steps']


def test_a_joystick_speaks_the_language_of_its_person():
    lesson = Lesson(DEMONSTRATION)
    with in_language('de'):
        lesson.tap(axes=TO_THE_LEFT)
        lesson.tap(Y)
        lesson.tap(BACK)
    assert lesson.said == ['Joystick: bisher gezeigt: nach links',
                           'Joystick: Du hast gesagt: weiß ich nicht', 'Antwort entfernt.']


def test_a_refusal_is_said():
    lesson = Lesson()
    lesson.refuse = 'the robot does not say where it is'
    lesson.hold(LB)
    for _ in range(20):
        lesson.hold(LB, axes=TO_THE_LEFT)
    assert lesson.said == ['joystick: the robot does not say where it is']


class TestDriving:
    def test_only_with_the_dead_man_button(self):
        lesson = Lesson(None)
        lesson.hold(axes=TO_THE_LEFT)
        assert lesson.names() == []
        lesson.hold(LB, axes=TO_THE_LEFT)
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_RIGHT)
        assert [each for each in lesson.done if each[0] == 'drive'] \
            == [('drive', LEFT), ('drive', RIGHT)]
        assert lesson.names().count('halt') == 0
        lesson.hold(axes=TO_THE_RIGHT)
        assert lesson.names()[-1] == 'halt'
        lesson.hold(axes=TO_THE_RIGHT)
        assert lesson.names().count('halt') == lesson.names().count('drive') - 1 == 1

    def test_it_never_answers_meanwhile(self):
        lesson = Lesson(ACTION)
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_LEFT)
        lesson.hold(LB, B, axes=TO_THE_LEFT)
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_LEFT)
        assert lesson.answers == []

    def test_a_direction_that_is_held_drives_on(self):
        lesson = Lesson(None)
        lesson.hold(LB)
        for _ in range(round(2.5 * REPEAT_S / STEP_S)):
            lesson.hold(LB, axes=TO_THE_LEFT)
        assert lesson.names() == ['drive'] * 3
        assert lesson.done.count(('be_present',)) == round(2.5 * REPEAT_S / STEP_S) + 1
        for _ in range(2):      # released, with the dead-man button held, wherever the robot is
            lesson.hold(LB)
            assert lesson.names() == ['drive'] * 3 + ['halt']
        lesson.hold(LB, axes=TO_THE_LEFT)
        lesson.hold(LB)         # a short one is for one cell
        assert lesson.names() == ['drive'] * 3 + ['halt', 'drive']

    def test_a_silent_joystick_stops_the_robot(self):
        lesson = Lesson(None)
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_LEFT)
        lesson.joystick.check(lesson.now + SILENCE_S - 0.01)
        assert lesson.names() == ['drive']
        lesson.joystick.check(lesson.now + SILENCE_S + 0.01)
        lesson.joystick.check(lesson.now + SILENCE_S + 0.02)
        assert lesson.names() == ['drive', 'halt']
        assert lesson.said == ['The joystick was not heard for 0.5 s: the robot was stopped']
        # What was held all the time drives only when it is pressed again.
        lesson.hold(LB, axes=TO_THE_LEFT, after=1.0)
        lesson.hold(LB, axes=TO_THE_RIGHT)
        assert lesson.names() == ['drive', 'halt']
        lesson.hold()
        lesson.hold(LB, axes=TO_THE_LEFT)
        assert lesson.names() == ['drive', 'halt', 'drive']

    def test_what_was_pressed_while_it_was_not_heard_is_not_pressed(self):
        lesson = Lesson(None)
        lesson.hold(LB, RB, axes=TO_THE_LEFT, after=SILENCE_S + 0.1)
        lesson.hold(LB, axes=TO_THE_LEFT)
        assert (lesson.names(), lesson.said) == ([], [])

    def test_a_late_word_stops_it_too(self):
        lesson = Lesson(None)
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_LEFT)
        lesson.hold(LB, axes=TO_THE_LEFT, after=SILENCE_S + 0.1)
        assert lesson.names() == ['drive', 'halt']

    @for_each('stop', ['button', 'page', 'gave up'])
    def test_after_a_stop_the_dead_man_button_must_be_pressed_again(self, stop):
        lesson = Lesson(None)
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_LEFT)
        if stop == 'button':
            lesson.hold(LB, B, axes=TO_THE_LEFT)
        elif stop == 'page':
            lesson.joystick.let_go()
        else:
            lesson.snapshot = replace(lesson.snapshot, gave_up='The robot was stopped')
        for _ in range(20):
            lesson.hold(LB, axes=TO_THE_LEFT)
        assert lesson.names(but=('be_present', 'halt', 'urgent', 'stop')) == ['drive']
        assert 'halt' in lesson.names()
        lesson.hold()
        lesson.hold(LB, axes=TO_THE_LEFT)       # a reason of before counts no more
        assert lesson.names(but=('be_present', 'halt', 'urgent', 'stop')) == ['drive'] * 2

    def test_where_no_action_leads_is_said(self):
        lesson = Lesson(None)
        lesson.hold(LB)
        lesson.hold(LB, axes=UPWARDS)
        lesson.snapshot = LessonSnapshot()
        lesson.hold(LB)
        lesson.hold(LB, axes=TO_THE_LEFT)
        assert lesson.said == ['joystick: no action of this task leads up',
                               'joystick: the task is not known yet: is the mdp node running?']


@for_each(('axes', 'buttons', 'told'), [
    ([0.0] * 7, [0] * 11, r'the joystick has 7 axes, but cross_vertical is axis 7; set the '
                          r'parameter joy_cross_vertical, -1 for none'),
    ([0.0] * 8, [0] * 6, r'the joystick has 6 buttons, but undo is button 6; set the parameter '
                         r'joy_undo, -1 for none'),
    ([], [], r'the joystick has 0 axes'),
    ([math.nan, *[0.0] * 7], [0] * 11, r'axis 0 of the joystick \(stick_horizontal\) must be a '
                                       r'finite number, got nan'),
    ([0.0, math.inf, *[0.0] * 6], [0] * 11, 'must be a finite number, got inf')])
def test_a_state_that_cannot_be_understood_changes_nothing(axes, buttons, told):
    lesson = Lesson(None)
    lesson.hold(LB)
    lesson.hold(LB, axes=TO_THE_LEFT)
    with pytest.raises(InvalidRecordError, match=told):
        lesson.joystick.see(axes, buttons, lesson.now + STEP_S)
    assert lesson.names() == ['drive']
    lesson.joystick.check(lesson.now + SILENCE_S + 0.01)        # it counts as silence
    assert lesson.names() == ['drive', 'halt']


def test_axes_and_buttons_may_be_others_or_missing():
    lesson = Lesson(YES_NO, JoyLayout(stick_horizontal=3, cross_horizontal=-1, cross_vertical=-1,
                                      yes=10, undo=-1))
    lesson.tap(10)
    lesson.tap(BACK)
    lesson.tap(axes={6: 1.0, 7: 1.0})
    assert lesson.names() == ['answer']
    with pytest.raises(InvalidRecordError, match='dont_know must differ from yes, got 0 for '
                                                 'both'):
        JoyLayout(dont_know=0)
    with pytest.raises(InvalidRecordError, match='stick_vertical must differ from '
                                                 'stick_horizontal, got 0 for both'):
        JoyLayout(stick_vertical=0)
    with pytest.raises(InvalidRecordError, match='dead_man must be a button, got -1'):
        JoyLayout(dead_man=-1)
