"""What keys do in a lesson, without a terminal and without ROS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, STAY, corridor_task

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    GoHereAnswer,
    LaterAnswer,
    NoneOfTheseAnswer,
    RewardAnswer,
    TaskAnswer,
    WrongHereAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.theory.forecast import Forecast
from gbs_irl_ros.learning.execution import ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.records import BeliefRecord, PolicyRecord, QuestionRecord, Status
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.terminal.conversation import STOPPED, Conversation

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, TASK, COMPARE = QuestionKind
POSITIONS = np.column_stack([np.arange(5) * 0.5, np.zeros(5)])
CELLS = corridor_task(positions=POSITIONS, cell_size=0.5,
                      cells=np.column_stack([np.arange(5), np.zeros(5, int)]))
QUESTIONS = {ACTION: Question(ACTION, 3), YES_NO: Question(YES_NO, 3, RIGHT),
             REWARD: Question(REWARD, 3, LEFT), DEMONSTRATION: Question(DEMONSTRATION, 3, steps=2),
             CONFIRM: Question(CONFIRM, 3, route=((3, RIGHT), (4, RIGHT))),
             PLACE: Question(PLACE, 3, options=(0, 4), labels=('west end', 'east end')),
             TASK: Question(TASK, 3, options=tuple(range(30)), labels=tuple(
                 f'task {number}' for number in range(1, 31))),
             COMPARE: Question(COMPARE, 3, route=((3, RIGHT), (4, STAY)),
                               other_route=((3, LEFT), (2, STAY)))}


def belief(status=Status.ASKING, task_hash=''):
    return BeliefRecord('s', 1, task_hash, status, status.value, np.full(6, 1 / 6), 0, 1 / 6, 2.0,
                        0, Forecast(4, 3, 6), 's-0')


BELIEF = belief()


def asked(kind=ACTION, number=0):
    return QuestionRecord(f's-{number}', 's', number, QUESTIONS[kind], 'What now?')


def situation(kind=ACTION, **changes):
    question = None if kind is None else asked(kind)
    return replace(LessonSnapshot(CELLS, question, belief=BELIEF, learner_lives=True,
                                  policy=policy(RIGHT, 4), robot=1,
                                  execution=ExecutionRecord(ExecutionStatus.STOPPED)), **changes)


def policy(action, goal):
    return PolicyRecord('s', 1, CELLS.hash, Policy(np.full(5, 1 << action), np.ones(5),
                                                   np.array([goal]), 3))


class Actions:
    """Remembers what was to be done."""

    def __init__(self):
        self.done = []
        self.refuse = ''
        self.num_recorded = 0

    def __getattr__(self, name):
        def do(*given):
            self.done.append((name, *given))
            if self.refuse:
                raise GbsIrlError(self.refuse)
            return self.num_recorded
        return do

    @property
    def names(self):
        return [each[0] for each in self.done]

    @property
    def answers(self):
        return [each[2] for each in self.done if each[0] == 'answer']


@pytest.fixture
def actions():
    return Actions()


@pytest.fixture
def talk(actions):
    return Conversation(actions)


def new_talk():
    """Return a conversation and its actions, for one case of many."""
    actions = Actions()
    return Conversation(actions), actions


def press(talk, *keys, now=None):
    for key in keys:
        talk.see(now if now is not None else situation())
        talk.press(key)
    return talk.view()


class TestAnswering:
    @for_each(('kind', 'keys', 'answer'), [
        (ACTION, ['left'], ActionAnswer(3, LEFT)), (ACTION, ['right'], ActionAnswer(3, RIGHT)),
        (ACTION, ['a'], ActionAnswer(3, LEFT)), (ACTION, ['A'], ActionAnswer(3, LEFT)),
        (ACTION, ['x'], ActionAnswer(3, STAY)), (ACTION, ['='], AllTheSameAnswer(3)),
        (ACTION, ['+', 'left', 'x', 'enter'], EitherAnswer(3, (LEFT, STAY))),
        (ACTION, ['+', 'a', 'x', 'a', 'd', 'enter'], EitherAnswer(3, (RIGHT, STAY))),
        (ACTION, ['+', 'a', 'x', 'backspace', 'enter'], ActionAnswer(3, LEFT)),
        (ACTION, ['+', 'backspace', 'left'], ActionAnswer(3, LEFT)),
        (ACTION, ['+', 'a', 'd', 'x', 'enter'], AllTheSameAnswer(3)),
        (YES_NO, ['y'], YesNoAnswer(3, RIGHT, True)),
        (YES_NO, ['n'], YesNoAnswer(3, RIGHT, False)),
        (YES_NO, ['N'], YesNoAnswer(3, RIGHT, False)),
        (REWARD, ['+', '1', '.', '5', 'enter'], RewardAnswer(3, 1.5, LEFT)),
        (REWARD, ['-', '2', 'enter'], RewardAnswer(3, -2.0, LEFT)),
        (REWARD, ['-', '+', '2', '.', '.', '5', 'enter'], RewardAnswer(3, -2.5, LEFT)),
        (REWARD, ['+', '3', '7', 'backspace', 'enter'], RewardAnswer(3, 3.0, LEFT)),
        (DEMONSTRATION, ['left', 'a', 'd', 'enter'],
         DemonstrationAnswer(((3, LEFT), (2, LEFT), (1, RIGHT)))),
        (DEMONSTRATION, ['left', 'right', 'backspace', 'x', 'enter'],
         DemonstrationAnswer(((3, LEFT), (2, STAY)))),
        (DEMONSTRATION, ['='], AllTheSameAnswer(3)),
        (CONFIRM, ['y'], ConfirmAnswer(QUESTIONS[CONFIRM], True)),
        (CONFIRM, ['n'], ConfirmAnswer(QUESTIONS[CONFIRM], False)),
        (CONFIRM, ['right', 'enter'], WrongHereAnswer(QUESTIONS[CONFIRM], 3)),
        (CONFIRM, ['left', 'enter'], WrongHereAnswer(QUESTIONS[CONFIRM], 4)),
        (CONFIRM, ['right'] * 3 + ['enter'], WrongHereAnswer(QUESTIONS[CONFIRM], 4)),
        (CONFIRM, ['right', 'right', 'left', 'enter'], WrongHereAnswer(QUESTIONS[CONFIRM], 3)),
        (COMPARE, ['1'], CompareAnswer(QUESTIONS[COMPARE], 0)),
        (COMPARE, ['2'], CompareAnswer(QUESTIONS[COMPARE], 1)),
        (COMPARE, ['='], CompareAnswer(QUESTIONS[COMPARE], 2)),
        (PLACE, ['2'], GoHereAnswer((4,))), (PLACE, ['down', 'enter'], GoHereAnswer((0,))),
        (PLACE, ['up', 'up', 'up', 'enter'], GoHereAnswer((0,))),
        (PLACE, ['0'], NoneOfTheseAnswer(QUESTIONS[PLACE])),
        (TASK, ['0'], NoneOfTheseAnswer(QUESTIONS[TASK])),
        (TASK, ['2', 'enter'], TaskAnswer(QUESTIONS[TASK], 1)),
        (TASK, ['1', '0', 'enter'], TaskAnswer(QUESTIONS[TASK], 9)),
        (TASK, ['3', '1', 'backspace', '0', 'enter'], TaskAnswer(QUESTIONS[TASK], 29)),
        (TASK, ['2', '5', 'down', 'enter'], TaskAnswer(QUESTIONS[TASK], 25)),
        (TASK, ['i'], DontKnowAnswer(QUESTIONS[TASK]))])
    def test_one_key_or_a_few_are_an_answer(self, kind, keys, answer):
        talk, actions = new_talk()
        view = press(talk, *keys, now=situation(kind))
        assert actions.answers == [answer]
        assert actions.done == [('answer', asked(kind).id, answer)]
        assert view.message.startswith('You said: ')
        assert not view.number
        assert view.demonstrated is None
        assert view.pointed is None

    def test_what_is_to_be_confirmed_is_shown_and_a_place_on_it_pointed_at(self, talk):
        assert press(talk, 'right', now=situation(CONFIRM)).rehearsal.states == (3, 4, 4)
        assert press(talk, 'right', now=situation(CONFIRM)).pointed == 4
        talk.see(situation(question=asked(number=1)))
        assert (talk.view().pointed, talk.view().rehearsal) == (None, None)

    @for_each('kind', QuestionKind)
    def test_whatever_is_asked_one_may_not_know_or_not_yet(self, kind):
        talk, actions = new_talk()
        press(talk, 'i', 'l', now=situation(kind))
        assert actions.answers == [DontKnowAnswer(QUESTIONS[kind]), LaterAnswer(QUESTIONS[kind])]

    @pytest.mark.parametrize(('key', 'value', 'label'), [
        ('1', 0.0, 'neither good nor bad (0)'), ('2', 1.0, 'good (1)')])
    def test_a_scale_has_a_key_for_each_mark(self, talk, actions, key, value, label):
        talk.see(situation(REWARD))
        assert [each.label for each in talk.view().answering if key in each.keys] == [label]
        press(talk, key, now=situation(REWARD))
        assert actions.answers == [RewardAnswer(3, value, LEFT)]

    def test_beside_a_scale_a_number_begins_with_its_sign(self, talk, actions):
        view = press(talk, '-', '0', '.', '3', now=situation(REWARD))
        assert view.number == '-0.3'
        press(talk, 'enter', now=situation(REWARD))
        assert actions.answers == [RewardAnswer(3, -0.3, LEFT)]

    @for_each(('kind', 'keys', 'text'), [
        (REWARD, ['-', 'enter'],
         "that is not a number yet, got '-'; type one, such as -0.5, then Enter"),
        (DEMONSTRATION, ['enter'], 'there is no step yet; show some, then Enter'),
        (DEMONSTRATION, ['backspace'], 'there is no step to take back'),
        (ACTION, ['+'], 'mark each direction that is fine, then Enter'),
        (ACTION, ['+', 'a', 'x'], 'fine: left or stay; Enter sends'),
        (ACTION, ['+', 'enter'],
         'nothing is marked yet: mark each direction that is fine, then Enter'),
        (CONFIRM, ['enter'], 'point at a place on the way first, by the arrow keys left and '
                             'right; then Enter says that it is wrong there'),
        (TASK, ['enter'], 'choose first: a number from 1 to 30, or the arrow keys up and down; '
                          'then Enter'),
        (TASK, ['3', '1', 'enter'], 'up and down, got 31; then Enter'),
        (PLACE, ['3'], '3 does nothing now'),
        (ACTION, ['y'], 'y does nothing now; ? shows the keys that work'),
        (ACTION, ['down'], '↓ does nothing now'), (YES_NO, ['='], '= does nothing now')])
    def test_what_is_no_answer_is_explained(self, kind, keys, text):
        talk, actions = new_talk()
        assert text in press(talk, *keys, now=situation(kind)).message
        assert actions.done == []

    def test_a_message_disappears_with_the_next_key(self, talk):
        assert press(talk, 'y').message
        assert press(talk, 'r', 'r').message == ''

    def test_an_answer_that_is_refused_says_why(self, talk, actions):
        actions.refuse = 'the question is not open any more'
        assert press(talk, 'a').message == 'the question is not open any more'

    def test_what_was_begun_is_not_meant_for_another_question(self, talk, actions):
        press(talk, 'left', now=situation(DEMONSTRATION))
        later = situation(DEMONSTRATION, question=asked(DEMONSTRATION, 1))
        assert press(talk, 'enter', now=later).demonstrated is None
        assert actions.answers == []

    def test_what_is_demonstrated_is_shown(self, talk):
        view = press(talk, 'left', 'left', now=situation(DEMONSTRATION))
        assert view.demonstrated.states == (3, 2, 1)

    def test_a_step_into_a_wall_is_not_offered(self, talk):
        room = load_task('room')
        for state in range(room.world.mdp.num_states):
            question = replace(asked(DEMONSTRATION), question=Question(
                DEMONSTRATION, state, steps=2))
            talk.see(situation(task=room, question=question))
            assert {key.action for key in talk.view().answering if key.action is not None} == set(
                np.flatnonzero(room.world.choices[state])), f'in state {state}'

    def test_a_question_about_another_world_is_not_put(self, talk, actions):
        other = situation(question=QuestionRecord('s-9', 's', 9, Question(ACTION, 77), 'Where?'))
        view = press(talk, 'a', now=other)
        assert view.answering == ()
        assert actions.done == []
        assert 'does not fit task' in view.lesson.status_text

    def test_nor_is_anything_asked_in_a_pause_or_when_it_has_been_answered(self, talk, actions):
        press(talk, 'a', now=situation(belief=belief(Status.PAUSED)))
        # The last question, sent twice, comes once more when the lesson is over.
        over = replace(belief(Status.DONE), question_id='')
        press(talk, 'a', now=situation(belief=over))
        assert actions.done == []
        assert situation(belief=over).asked is None

    def test_nor_one_of_a_learner_that_learns_another_task(self, talk, actions):
        other = situation(belief=belief(task_hash='another'))
        press(talk, 'a', now=other)
        assert actions.done == []
        assert 'still learns another task' in other.status_text


class TestOther:
    def test_stop_works_always_and_first_of_all(self, talk, actions):
        for now in (LessonSnapshot(), situation(None), *map(situation, QuestionKind)):
            actions.done.clear()
            assert press(talk, ' ', now=now).message == STOPPED
            assert actions.names == ['halt', 'stop'] if now.execution else ['halt']
            assert talk.view().other[0].label == 'STOP'

    def test_stop_works_in_the_help_and_in_drive_mode(self, talk, actions):
        press(talk, '?', ' ')
        press(talk, 'm', ' ')
        assert actions.names == ['halt', 'stop', 'halt', 'stop']

    def test_stop_halts_at_once_and_calls_the_controller_before_all_that_waits(self, actions):
        calls = []
        talk = Conversation(actions, lambda call, urgent: calls.append((call, urgent)))
        press(talk, 'u', ' ')
        assert actions.names == ['halt']
        (undo, undo_is_urgent), (stop, stop_is_urgent) = calls
        assert (undo_is_urgent, stop_is_urgent) == (False, True)
        assert (stop(), undo()) == ('STOPPED', 'Answer removed.')
        assert actions.names == ['halt', 'stop', 'undo']

    def test_starting_over_is_confirmed_first(self, talk, actions):
        shown = press(talk, '!')
        assert shown.message == ('Start over? A new lesson begins. What you taught so far is kept '
                                 'on disk, but no longer used.')
        assert [each.label for each in shown.answering] == ['start over', 'cancel']
        press(talk, 'a')                    # answers nothing
        press(talk, '?', '?', 'escape')
        assert actions.done == []
        assert press(talk, 'enter').message == 'Enter does nothing now; ? shows the keys that work'
        assert press(talk, 'r', '!', 'enter').message == 'A new lesson has begun.'
        assert talk.view().rehearsal is None
        assert actions.names == ['reset']
        press(talk, '!', ' ')
        assert actions.names == ['reset', 'halt', 'stop']

    def test_the_robot_drives_where_it_never_must_only_if_that_is_confirmed(self, talk, actions):
        learned = policy(RIGHT, 4)
        now = situation(policy=replace(learned, policy=replace(
            learned.policy, never=np.array([2, 3]))))
        shown = press(talk, 'g', now=now)
        assert shown.message == ('The way that I know leads over what you have marked. May I '
                                 'drive over it this once?')
        assert [each.label for each in shown.answering] == ['drive over it', 'stay']
        assert press(talk, 'escape', now=now).message == 'The robot stays where it is.'
        assert actions.done == []
        press(talk, 'g', 'enter', now=now)
        assert actions.done == [('go', now.forbidden.key)]
        assert now.forbidden.states == (2, 3)
        inside = replace(now, robot=2)
        assert inside.forbidden is None         # it may leave what it stands on

    def test_a_lesson_that_is_not_kept_does_not_start_over(self, actions):
        talk = Conversation(actions, local=True)
        assert '! does nothing' in press(talk, '!').message

    def test_a_lesson_that_was_finished_before_says_so_once(self, talk):
        done = situation(None, belief=belief(Status.DONE))
        talk.see(LessonSnapshot())
        talk.see(done)
        assert talk.view().message == 'This lesson was finished before; ! starts over.'
        assert press(talk, '?', now=done).message == ''
        for began in (situation(), done):       # finished by the person who is there
            talk.see(began)
        assert talk.view().message == ''

    def test_a_controller_that_has_not_spoken_yet_is_stopped_too(self, talk, actions):
        press(talk, ' ', now=situation(execution=None, has_controller=True))
        assert actions.names == ['halt', 'stop']

    @pytest.mark.parametrize(('key', 'status', 'deed'), [
        ('u', Status.ASKING, ('undo',)), ('p', Status.ASKING, ('pause',)),
        ('p', Status.PAUSED, ('resume',)), ('p', Status.DONE, ('resume',)),
        ('e', Status.ASKING, ('finish',)), ('e', Status.PAUSED, ('finish',)),
        ('g', Status.DONE, ('go',))])
    def test_deeds(self, talk, actions, key, status, deed):
        press(talk, key, now=situation(None, belief=belief(status)))
        assert actions.done == [deed]

    def test_quitting_lets_go_of_the_robot(self, talk, actions):
        press(talk, 'm', 'q')
        assert actions.done == [('halt',)]
        assert talk.is_over

    def test_what_makes_no_sense_is_not_offered(self, talk):
        talk.see(LessonSnapshot())
        assert [each.label for each in talk.view().other] == ['STOP', 'help', 'quit']
        talk.see(situation(None, belief=belief(Status.DONE), execution=None, policy=None))
        labels = [each.label for each in talk.view().other]
        assert labels == ['STOP', 'undo', 'resume', 'place', 'say', 'start over', 'drive',
                          'help', 'quit']

    def test_a_world_without_cells_cannot_be_driven(self, talk):
        now = situation(task=corridor_task())
        assert 'm does nothing' in press(talk, 'm', now=now).message

    def test_help_goes_away_with_the_next_key_which_counts(self, talk, actions):
        assert press(talk, '?').helping
        assert not press(talk, '?').helping
        press(talk, '?', 'a')
        assert not talk.view().helping
        assert actions.answers == [ActionAnswer(3, LEFT)]

    def test_a_rehearsal_begins_at_the_robot_and_goes_away_again(self, talk):
        view = press(talk, 'r')
        assert view.rehearsal.states == (1, 2, 3, 4)
        assert view.message == 'Rehearsal from cell 1: 3 steps (the goal)'
        assert press(talk, 'r').rehearsal is None

    @pytest.mark.parametrize(('changes', 'start'), [
        ({'robot': None}, 3), ({'robot': None, 'question': None}, 0)])
    def test_without_a_robot_it_begins_elsewhere(self, talk, changes, start):
        assert press(talk, 'r', now=situation(**changes)).rehearsal.states[0] == start

    def test_a_rehearsal_follows_what_is_learned(self, talk):
        press(talk, 'r')
        assert talk.view().rehearsal.states == (1, 2, 3, 4)
        talk.see(situation(policy=policy(LEFT, 0)))
        assert talk.view().rehearsal.states == (1, 0)

    def test_a_rehearsal_that_cannot_be_is_over(self, talk):
        press(talk, 'r')
        talk.see(situation(policy=None))
        assert talk.view().rehearsal is None

    def test_without_a_robot_nothing_is_offered_that_needs_one(self, actions):
        talk = Conversation(actions, local=True)
        talk.see(situation(execution=None))
        assert [each.label for each in talk.view().other] == [
            'undo', 'pause', 'enough', 'place', 'say', 'rehearse', 'help', 'quit']


class TestDriving:
    def test_keys_drive_and_leaving_halts(self, talk, actions):
        view = press(talk, 'm', 'left', 'd')
        assert view.driving
        assert actions.done == [('drive', LEFT), ('drive', RIGHT)]
        assert not press(talk, 'm').driving
        assert actions.done[2:] == [('halt',)]

    def test_what_the_driver_refuses_is_said(self, talk, actions):
        press(talk, 'm')
        actions.refuse = 'there is no way in that direction'
        assert press(talk, 'left').message == 'there is no way in that direction'

    @pytest.mark.parametrize(('count', 'text'), [
        (1, 'sent a demonstration of 1 step'), (5, 'sent a demonstration of 5 steps')])
    def test_t_records_and_sends(self, talk, actions, count, text):
        assert press(talk, 'm', 't').message == 'recording: drive now'
        actions.num_recorded = count
        assert text in press(talk, 't', now=situation(recorded=((1, RIGHT),) * count)).message
        assert actions.names == ['record', 'halt', 'send_recorded']

    def test_each_recording_is_sent_with_an_id_of_its_own(self, talk, actions):
        press(talk, 't', 't', now=situation(recorded=()))
        assert len({each[1] for each in actions.done if each[0] == 'send_recorded'}) == 2

    def test_recording_goes_on_when_driving_ends(self, talk, actions):
        press(talk, 'm')
        recorded = ((1, RIGHT), (2, RIGHT))
        assert press(talk, 'm', now=situation(recorded=recorded)).message == 'recording continues'
        press(talk, 't', now=situation(recorded=recorded))
        assert actions.names[-1] == 'send_recorded'

    def test_t_means_nothing_elsewhere(self, talk, actions):
        assert 't does nothing' in press(talk, 't').message
        assert actions.done == []


@for_each('now', [
    LessonSnapshot(), situation(None), *map(situation, QuestionKind),
    situation(DEMONSTRATION, recorded=((1, RIGHT),) * 3)], ids=range(11))
@for_each('driving', [False, True])
def test_whatever_is_offered_works_and_no_key_is_offered_twice(now, driving):
    offered = [key for binding in _view(now, driving).answering + _view(now, driving).other
               for key in binding.keys]
    assert len(set(offered)) == len(offered)
    for key in offered:
        talk = Conversation(Actions())
        talk.see(now)
        if driving and now.world is not None:
            talk.press('m')
        talk.press(key)
        assert 'does nothing' not in talk.view().message


def _view(now, driving):
    talk = Conversation(Actions())
    talk.see(now)
    if driving and now.world is not None:
        talk.press('m')
    return talk.view()


def test_the_status_text_of_every_situation():
    def status_text(**changes):
        return situation(None, **changes).status_text
    assert status_text(task=None) == 'Waiting for the task: is the mdp node running?'
    assert status_text(task=None, no_task=('planning', False)) == \
        'Waiting for the task: planning'
    assert status_text(task=None, no_task=('it is broken', True)) == (
        'It is broken. Correct its file and start again; “gbs-irl check FILE” says all that is '
        'wrong with it.')
    assert status_text(belief=None) == 'Waiting for the learner: is it running?'
    assert status_text(learner_lives=False) == 'Waiting for the learner: is it running?'
    assert status_text(belief=belief(Status.FAILED)) == 'The learner cannot continue: failed'
    assert status_text(belief=belief(Status.WAITING)) == 'The learner has no lesson yet: waiting'
    assert status_text(belief=belief(Status.PAUSED)) == 'Paused: press p to resume.'
    assert status_text(belief=belief(Status.DONE)) == 'No more questions. Done.'
    assert status_text() == 'The learner is thinking.'


# ---- own words ----------------------------------------------------------------------------------


def test_words_are_typed_and_said_while_a_question_waits_or_none_is_asked(talk, actions):
    for now in (situation(TASK), situation(None, belief=belief(Status.DONE))):
        actions.done.clear()
        view = press(talk, '/', *'tp', 'backspace', *'he end?', now=now)
        assert view.words == 'the end?'
        assert actions.done == []
        assert press(talk, 'enter', now=now).words is None
        (name, _, text), = actions.done
        assert (name, text) == ('say', 'the end?')
        assert talk.view().message == 'You said: the end?'
        assert press(talk, '/', 'escape', now=now).words is None


def test_words_that_are_not_understood_are_there_again(talk, actions):
    actions.refuse = 'I know no task about it'
    view = press(talk, '/', *'xyzzy', 'enter')
    assert view.message == 'I know no task about it'
    later = situation(question=asked(ACTION, 1))        # news in between
    assert press(talk, '/', now=later).words == 'xyzzy'
    actions.refuse = ''
    press(talk, 'backspace', 'enter', now=later)
    assert [text for *_, text in actions.done] == ['xyzzy', 'xyzz']
    assert press(talk, '/', now=later).words == ''
    assert press(talk, 'enter', now=later).message == 'type what you mean first; then Enter'


def test_the_space_bar_stops_a_robot_that_moves_and_else_is_a_letter(talk, actions):
    moving = situation(execution=ExecutionRecord(ExecutionStatus.DRIVING))
    assert press(talk, '/', 'a', ' ', 'b').words == 'a b'
    assert press(talk, ' ', now=moving).message == STOPPED
    assert actions.names == ['halt', 'stop']
    assert [each.label for each in talk.view().other] == ['STOP']
    assert press(talk, 'c').words == 'a bc'


def test_a_place_that_is_pointed_at_answers_where_to_go(talk, actions):
    anywhere = replace(asked(PLACE), question=Question(PLACE, 3))
    now = situation(question=anywhere)
    press(talk, 'enter', 'right', 'enter', now=now)
    assert actions.done == [('answer', 's-0', GoHereAnswer((2,)))]
    press(talk, 'h', 'right', 'o', now=now)
    assert actions.done[1][2].on_the_way
