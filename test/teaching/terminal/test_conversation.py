"""What keys do in a lesson, without a terminal and without ROS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, STAY, corridor_task, corridor_world

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import (
    BeliefRecord,
    ExecutionRecord,
    ExecutionStatus,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.teaching.lesson_snapshot import Situation
from gbs_irl_ros.teaching.reward_scale import Mark
from gbs_irl_ros.teaching.terminal.conversation import STOPPED, Conversation

ACTION, YES_NO, REWARD, DEMONSTRATION = QuestionKind
POSITIONS = np.column_stack([np.arange(5) * 0.5, np.zeros(5)])
CELLS = corridor_world(positions=POSITIONS, cell_size=0.5,
                       cells=np.column_stack([np.arange(5), np.zeros(5, int)]))
QUESTIONS = {ACTION: Question(ACTION, 3), YES_NO: Question(YES_NO, 3, RIGHT),
             REWARD: Question(REWARD, 3, LEFT), DEMONSTRATION: Question(DEMONSTRATION, 3, steps=2)}
SCALE = (Mark(-1.0, 'bad'), Mark(0.0, 'neither good nor bad'), Mark(1.0, 'good'))


def belief(status=Status.ASKING, task_hash=''):
    return BeliefRecord('s', 1, task_hash, status, status.value, np.full(6, 1 / 6), 0, 1 / 6, 2.0,
                        0, 4, 's-0')


BELIEF = belief()


def asked(kind=ACTION, number=0):
    return QuestionRecord(f's-{number}', 's', number, QUESTIONS[kind], 'What now?')


def situation(kind=ACTION, **changes):
    question = None if kind is None else asked(kind)
    return replace(Situation(CELLS, question, belief=BELIEF, learner_lives=True,
                             policies=1, robot=1,
                             execution=ExecutionRecord(ExecutionStatus.STOPPED)), **changes)


class Hands:
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

    def policy(self):
        return Policy(np.full(5, 1 << RIGHT), np.ones(5), np.array([4]), 3)

    @property
    def answers(self):
        return [each[2] for each in self.done if each[0] == 'answer']


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
def talk(hands):
    return Conversation(hands)


def press(talk, *keys, now=None):
    for key in keys:
        talk.see(now if now is not None else situation())
        talk.press(key)
    return talk.view()


class TestAnswering:
    @pytest.mark.parametrize(('kind', 'keys', 'answer'), [
        (ACTION, ['left'], ActionAnswer(3, LEFT)), (ACTION, ['right'], ActionAnswer(3, RIGHT)),
        (ACTION, ['a'], ActionAnswer(3, LEFT)), (ACTION, ['A'], ActionAnswer(3, LEFT)),
        (ACTION, ['x'], ActionAnswer(3, STAY)), (ACTION, ['='], AllTheSameAnswer(3)),
        (YES_NO, ['y'], YesNoAnswer(3, RIGHT, True)),
        (YES_NO, ['n'], YesNoAnswer(3, RIGHT, False)),
        (YES_NO, ['N'], YesNoAnswer(3, RIGHT, False)),
        (REWARD, ['1', '.', '5', 'enter'], RewardAnswer(3, 1.5, LEFT)),
        (REWARD, ['-', '2', 'enter'], RewardAnswer(3, -2.0, LEFT)),
        (REWARD, ['-', '+', '2', '.', '.', '5', 'enter'], RewardAnswer(3, -2.5, LEFT)),
        (REWARD, ['3', '7', 'backspace', 'enter'], RewardAnswer(3, 3.0, LEFT)),
        (DEMONSTRATION, ['left', 'a', 'd', 'enter'],
         DemonstrationAnswer(((3, LEFT), (2, LEFT), (1, RIGHT)))),
        (DEMONSTRATION, ['left', 'right', 'backspace', 'x', 'enter'],
         DemonstrationAnswer(((3, LEFT), (2, STAY)))),
        (DEMONSTRATION, ['='], AllTheSameAnswer(3))])
    def test_one_key_or_a_few_are_an_answer(self, talk, hands, kind, keys, answer):
        view = press(talk, *keys, now=situation(kind))
        assert hands.answers == [answer]
        assert hands.done == [('answer', asked(kind), answer)]
        assert view.message.startswith('You said: ')
        assert not view.number
        assert view.demonstrated is None

    @pytest.mark.parametrize('kind', QuestionKind)
    def test_whatever_is_asked_one_may_not_know_or_not_yet(self, talk, hands, kind):
        press(talk, 'i', 'l', now=situation(kind))
        assert hands.answers == [DontKnowAnswer(QUESTIONS[kind]), LaterAnswer(QUESTIONS[kind])]

    @pytest.mark.parametrize(('key', 'value'), [('1', -1.0), ('2', 0.0), ('3', 1.0)])
    def test_a_scale_has_a_key_for_each_mark(self, talk, hands, key, value):
        press(talk, key, now=situation(REWARD, scale=SCALE))
        assert hands.answers == [RewardAnswer(3, value, LEFT)]

    def test_beside_a_scale_a_number_begins_with_its_sign(self, talk, hands):
        view = press(talk, '-', '0', '.', '3', now=situation(REWARD, scale=SCALE))
        assert view.number == '-0.3'
        press(talk, 'enter', now=situation(REWARD, scale=SCALE))
        assert hands.answers == [RewardAnswer(3, -0.3, LEFT)]

    @pytest.mark.parametrize(('kind', 'keys', 'text'), [
        (REWARD, ['enter'], "not a number yet, got ''; type one, such as -0.5, then Enter"),
        (REWARD, ['-', 'enter'], "not a number yet, got '-'"),
        (DEMONSTRATION, ['enter'], 'there is no step yet; show some, then Enter'),
        (DEMONSTRATION, ['backspace'], 'there is no step to take back'),
        (ACTION, ['y'], 'y does nothing now; ? shows the keys that work'),
        (ACTION, ['down'], '↓ does nothing now'), (YES_NO, ['='], '= does nothing now')])
    def test_what_is_no_answer_is_explained(self, talk, hands, kind, keys, text):
        assert text in press(talk, *keys, now=situation(kind)).message
        assert hands.done == []

    def test_a_message_disappears_with_the_next_key(self, talk):
        assert press(talk, 'y').message
        assert press(talk, 'r', 'r').message == ''

    def test_an_answer_that_is_refused_says_why(self, talk, hands):
        hands.refuse = 'the question is not open any more'
        assert press(talk, 'a').message == 'the question is not open any more'

    def test_what_was_begun_is_not_meant_for_another_question(self, talk, hands):
        press(talk, 'left', now=situation(DEMONSTRATION))
        later = situation(DEMONSTRATION, question=asked(DEMONSTRATION, 1))
        assert press(talk, 'enter', now=later).demonstrated is None
        assert hands.answers == []

    def test_what_is_demonstrated_is_shown(self, talk):
        view = press(talk, 'left', 'left', now=situation(DEMONSTRATION))
        assert view.demonstrated.states == (3, 2, 1)

    def test_a_question_about_another_world_is_not_put(self, talk, hands):
        other = situation(question=QuestionRecord('s-9', 's', 9, Question(ACTION, 77), 'Where?'))
        view = press(talk, 'a', now=other)
        assert view.answering == ()
        assert hands.done == []
        assert 'does not fit task' in view.situation.status_text

    def test_nor_is_anything_asked_in_a_pause(self, talk, hands):
        press(talk, 'a', now=situation(belief=belief(Status.PAUSED)))
        assert hands.done == []

    def test_nor_one_of_a_learner_that_learns_another_task(self, talk, hands):
        other = situation(belief=belief(task_hash='another'))
        press(talk, 'a', now=other)
        assert hands.done == []
        assert 'still learns another task' in other.status_text


class TestOther:
    def test_stop_works_always_and_first_of_all(self, talk, hands):
        for now in (Situation(), situation(None), situation(REWARD), situation(DEMONSTRATION)):
            hands.done.clear()
            assert press(talk, ' ', now=now).message == STOPPED
            assert hands.done == [('stop',)]
            assert talk.view().other[0].label == 'STOP'

    def test_stop_works_in_the_help_and_in_drive_mode(self, talk, hands):
        press(talk, '?', ' ')
        press(talk, 'm', ' ')
        assert hands.done == [('stop',), ('stop',)]

    @pytest.mark.parametrize(('key', 'status', 'deed'), [
        ('u', Status.ASKING, ('undo',)), ('p', Status.ASKING, ('ask', False)),
        ('p', Status.PAUSED, ('ask', True)), ('p', Status.DONE, ('ask', True)),
        ('e', Status.ASKING, ('finish',)), ('e', Status.PAUSED, ('finish',)),
        ('g', Status.DONE, ('go',))])
    def test_deeds(self, talk, hands, key, status, deed):
        press(talk, key, now=situation(None, belief=belief(status)))
        assert hands.done == [deed]

    def test_quitting_lets_go_of_the_robot(self, talk, hands):
        press(talk, 'm', 'q')
        assert hands.done == [('halt',), ('quit',)]

    def test_what_makes_no_sense_is_not_offered(self, talk):
        talk.see(Situation())
        assert [each.label for each in talk.view().other] == ['STOP', 'help', 'quit']
        talk.see(situation(None, belief=belief(Status.DONE), execution=None, policies=0))
        labels = [each.label for each in talk.view().other]
        assert labels == ['STOP', 'undo', 'go on', 'drive', 'help', 'quit']

    def test_a_world_without_cells_cannot_be_driven(self, talk):
        now = situation(world=corridor_task().world)
        assert 'm does nothing' in press(talk, 'm', now=now).message

    def test_help_goes_away_with_the_next_key_which_counts(self, talk, hands):
        assert press(talk, '?').helping
        assert not press(talk, '?').helping
        press(talk, '?', 'a')
        assert not talk.view().helping
        assert hands.answers == [ActionAnswer(3, LEFT)]

    def test_a_rehearsal_begins_at_the_robot_and_goes_away_again(self, talk):
        view = press(talk, 'r')
        assert view.rehearsal.states == (1, 2, 3, 4)
        assert view.message == 'Rehearsal from cell 1: 3 steps (the goal)'
        assert press(talk, 'r').rehearsal is None

    @pytest.mark.parametrize(('changes', 'start'), [
        ({'robot': None}, 3), ({'robot': None, 'question': None}, 0)])
    def test_without_a_robot_it_begins_elsewhere(self, talk, changes, start):
        assert press(talk, 'r', now=situation(**changes)).rehearsal.states[0] == start

    def test_a_rehearsal_follows_what_is_learned(self, talk, hands):
        press(talk, 'r')
        assert talk.view().rehearsal.states == (1, 2, 3, 4)
        hands.policy = lambda: Policy(np.full(5, 1 << LEFT), np.ones(5), np.array([0]), 3)
        press(talk, 'a')
        assert talk.view().rehearsal.states == (1, 2, 3, 4)     # there is no other policy yet
        talk.see(situation(policies=2))
        assert talk.view().rehearsal.states == (1, 0)

    def test_a_rehearsal_that_cannot_be_is_over(self, talk, hands):
        press(talk, 'r')

        def refuse():
            raise GbsIrlError('about another task')
        hands.policy = refuse
        talk.see(situation(policies=2))
        assert talk.view().rehearsal is None


class TestDriving:
    def test_keys_drive_and_leaving_halts(self, talk, hands):
        view = press(talk, 'm', 'left', 'd')
        assert view.driving
        assert hands.done == [('drive', LEFT), ('drive', RIGHT)]
        assert not press(talk, 'm').driving
        assert hands.done[2:] == [('halt',)]

    def test_what_the_driver_refuses_is_said(self, talk, hands):
        press(talk, 'm')
        hands.refuse = 'there is no way in that direction'
        assert press(talk, 'left').message == 'there is no way in that direction'

    @pytest.mark.parametrize(('count', 'text'), [
        (0, 'nothing was recorded'), (1, 'sent a demonstration of 1 step'),
        (5, 'sent a demonstration of 5 steps')])
    def test_t_records_and_sends(self, talk, hands, count, text):
        assert press(talk, 'm', 't').message == 'recording: drive now'
        hands.num_recorded = count
        assert text in press(talk, 't', now=situation(recorded=count)).message
        assert hands.done == [('record',), ('halt',), ('send_recorded',)]

    def test_recording_goes_on_when_driving_ends(self, talk, hands):
        press(talk, 'm')
        assert press(talk, 'm', now=situation(recorded=2)).message == 'recording goes on'
        press(talk, 't', now=situation(recorded=2))
        assert hands.done[-1] == ('send_recorded',)

    def test_t_means_nothing_elsewhere(self, talk, hands):
        assert 't does nothing' in press(talk, 't').message
        assert hands.done == []


@for_each('now', [
    Situation(), situation(None), *map(situation, QuestionKind), situation(REWARD, scale=SCALE),
    situation(DEMONSTRATION, recorded=3)], ids=range(8))
@for_each('driving', [False, True])
def test_whatever_is_offered_works_and_no_key_is_offered_twice(now, driving):
    offered = [key for binding in _view(now, driving).answering + _view(now, driving).other
               for key in binding.keys]
    assert len(set(offered)) == len(offered)
    for key in offered:
        talk = Conversation(Hands())
        talk.see(now)
        if driving and now.world is not None:
            talk.press('m')
        talk.press(key)
        assert 'does nothing' not in talk.view().message


def _view(now, driving):
    talk = Conversation(Hands())
    talk.see(now)
    if driving and now.world is not None:
        talk.press('m')
    return talk.view()


def test_the_standing_of_every_situation():
    def status_text(**changes):
        return situation(None, **changes).status_text
    assert status_text(world=None) == 'Waiting for the task: is the mdp node running?'
    assert status_text(belief=None) == 'Waiting for the learner: is it running?'
    assert status_text(learner_lives=False) == 'Waiting for the learner: is it running?'
    assert status_text(belief=belief(Status.FAILED)) == 'The learner cannot go on: failed'
    assert status_text(belief=belief(Status.WAITING)) == 'The learner has no lesson yet: waiting'
    assert status_text(belief=belief(Status.PAUSED)) == 'Paused: press p to resume.'
    assert status_text(belief=belief(Status.DONE)) == 'No more questions. Done.'
    assert status_text() == 'The learner is thinking.'
