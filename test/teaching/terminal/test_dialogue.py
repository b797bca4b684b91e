"""A lesson by typed lines, in this process."""

from __future__ import annotations

import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, STAY, corridor_task
from test_conversation import Actions

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    LaterAnswer,
    RewardAnswer,
    WrongHereAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import QuestionRecord, Status
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.local_lesson import LocalLesson
from gbs_irl_ros.teaching.terminal.conversation import Conversation
from gbs_irl_ros.teaching.terminal.dialogue import converse

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, TASK, COMPARE = QuestionKind
QUESTIONS = {ACTION: Question(ACTION, 3), YES_NO: Question(YES_NO, 3, RIGHT),
             REWARD: Question(REWARD, 3), DEMONSTRATION: Question(DEMONSTRATION, 3, steps=2),
             CONFIRM: Question(CONFIRM, 3, route=((3, RIGHT), (4, RIGHT)))}


def entered(line, kind=ACTION, **looks):
    """Return the answers that a line gives, and what is said about it."""
    actions, question = Actions(), QUESTIONS[kind]
    talk = Conversation(actions, local=True)
    talk.see(LessonSnapshot(corridor_task(**looks), QuestionRecord('s-0', 's', 0, question, 'So?'),
                            learner_lives=True))
    talk.enter(line)
    return actions.answers, talk.view().message


@for_each(('kind', 'line', 'answer'), [
    (ACTION, 'a', ActionAnswer(3, LEFT)), (ACTION, 'A', ActionAnswer(3, LEFT)),
    (ACTION, 'left', ActionAnswer(3, LEFT)), (ACTION, ' RIGHT ', ActionAnswer(3, RIGHT)),
    (ACTION, 'st', ActionAnswer(3, STAY)), (ACTION, '=', AllTheSameAnswer(3)),
    (ACTION, 'any direction is fine', AllTheSameAnswer(3)),
    (ACTION, 'left or stay', EitherAnswer(3, (LEFT, STAY))),
    (ACTION, 'x, Left', EitherAnswer(3, (LEFT, STAY))),
    (ACTION, 'left, right and stay', AllTheSameAnswer(3)),
    (ACTION, 'later', LaterAnswer(QUESTIONS[ACTION])),
    (YES_NO, 'y', YesNoAnswer(3, RIGHT, True)), (YES_NO, 'Yes', YesNoAnswer(3, RIGHT, True)),
    (YES_NO, 'no', YesNoAnswer(3, RIGHT, False)), (YES_NO, 'N', YesNoAnswer(3, RIGHT, False)),
    (REWARD, '2', RewardAnswer(3, 1.0)), (REWARD, '-0.5', RewardAnswer(3, -0.5)),
    (REWARD, '1e-3', RewardAnswer(3, 0.001)), (REWARD, '+2', RewardAnswer(3, 2.0)),
    (REWARD, 'i', DontKnowAnswer(QUESTIONS[REWARD])),
    (DEMONSTRATION, 'a left d x', DemonstrationAnswer(
        ((3, LEFT), (2, LEFT), (1, RIGHT), (2, STAY)))),
    (DEMONSTRATION, 'd', DemonstrationAnswer(((3, RIGHT),))),
    (DEMONSTRATION, '=', AllTheSameAnswer(3))])
def test_a_line_is_an_answer(kind, line, answer):
    answers, message = entered(line, kind)
    assert answers == [answer], message


def test_a_place_on_a_route_is_pointed_at_by_words():
    actions = Actions()
    talk = Conversation(actions, local=True)
    talk.see(LessonSnapshot(corridor_task(), QuestionRecord('s-0', 's', 0, QUESTIONS[CONFIRM]),
                            learner_lives=True))
    for words in ('next place', 'next', 'wrong here'):
        talk.enter(words)
    assert actions.answers == [WrongHereAnswer(QUESTIONS[CONFIRM], 4)]


def test_an_action_may_be_called_by_the_key_that_the_task_gives_it():
    assert entered('f1', keys=('A', 'D', 'F1'))[0] == [ActionAnswer(3, STAY)]
    assert entered('a', keys=('A', 'D', 'F1'))[0] == [ActionAnswer(3, LEFT)]


def test_the_beginning_of_two_names_is_neither():
    names = ('step left', 'step right', 'stay')
    assert entered('step r', names=names, keys=('', '', ''))[0] == [ActionAnswer(3, RIGHT)]
    answers, message = entered('st', names=names, keys=('', '', ''))
    assert answers == []
    assert message.startswith("not understood, got 'st'; expected one of ['1', '2', '3'")


@for_each(('kind', 'line', 'text'), [
    (ACTION, '', "not understood, got ''; expected one of ['a', 'd', 'x'"),
    (ACTION, 'up', "not understood, got 'up'"), (ACTION, 'aa', "not understood, got 'aa'"),
    (YES_NO, 'maybe', "not understood, got 'maybe'; expected one of ['y', 'n'"),
    (REWARD, 'awful', "that is not a number yet, got 'awful'"),
    (REWARD, 'nan', "that is not a number yet, got 'nan'"),
    (REWARD, '1,5', "that is not a number yet, got '1,5'"),
    (DEMONSTRATION, '', 'there is no step yet'),
    (DEMONSTRATION, 'a up', "not understood, got 'up'")])
def test_what_is_not_an_answer_is_explained_and_forgotten(kind, line, text):
    answers, message = entered(line, kind)
    assert answers == []
    assert text in message


class TestLocalLesson:
    @pytest.fixture
    def local(self):
        with LocalLesson(corridor_task(), Learner(corridor_task())) as made:
            yield made

    def test_a_lesson_by_lines_ends_when_the_person_has_had_enough(self, local):
        lines, written = iter(['left', 'undo', 'pause', 'resume', 'i', 'enough']), []
        converse(Conversation(local, local=True), local.snapshot, lambda _: next(lines),
                 written.append)
        assert next(lines, 'no more') == 'no more'
        assert local.snapshot().belief.status is Status.DONE
        assert [type(answer) for answer in local.lesson.learner.answers] == [DontKnowAnswer]
        text = '\n'.join(written)
        for expected in ('You said: left', 'Answer removed.', 'Paused: press p to resume.'):
            assert expected in text

    def test_quitting_and_the_end_of_all_lines_end_it_too(self, local):
        def ended(_):
            raise EOFError
        for read in (lambda _: 'q', ended):
            converse(Conversation(local, local=True), local.snapshot, read, lambda _: None)
        assert local.lesson.learner.answers == ()

    def test_an_earlier_answer_is_replaced_and_steps_are_shown(self, local):
        first = local.snapshot().question
        local.answer(first.id, DontKnowAnswer(first.question))
        local.revise(first.id, LaterAnswer(first.question))
        local.demonstrate('d', DemonstrationAnswer(((3, LEFT),)))
        assert [type(answer) for answer in local.lesson.learner.answers] == [
            LaterAnswer, DemonstrationAnswer]
        other = (first.question.state + 1) % 5
        local.ask_about(other)
        assert local.snapshot().question.question == Question(ACTION, other)

    @for_each(('name', 'given'), [
        ('go', ()), ('stop', ()), ('drive', (0,)), ('record', ()), ('send_recorded', ('d',))])
    def test_what_needs_a_robot_is_refused(self, local, name, given):
        with pytest.raises(GbsIrlError, match='there is no robot here'):
            getattr(local, name)(*given)

    def test_it_cannot_begin_again(self, local):
        with pytest.raises(GbsIrlError, match='this lesson is not kept: quit, and begin another'):
            local.reset()
