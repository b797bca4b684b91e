"""Questions on their way to the teacher: none is lost, none is answered twice."""

from __future__ import annotations

import threading
import time

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.callback_groups import ReentrantCallbackGroup
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import srv
from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import AnswerRecord, QuestionRecord
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters, refused
from gbs_irl_ros.ros.links import questions
from gbs_irl_ros.ros.links.questions import QuestionClient
from gbs_irl_ros.ros.messages import conversions

pytestmark = pytest.mark.ros

NEVER_S = 600.0
SOON_S = 0.15
LOOK_EVERY_S = 0.02


def question(name):
    return QuestionRecord(name, 'session', 0, Question(QuestionKind.ACTION, 3), 'What now?')


class Asker(BaseNode[NodeParameters]):
    """
    Does with a courier what the learner does.

    wanted: the question to be asked now. answers: the ids that were answered.
    """

    def __init__(self, name, ask_again_s, **options):
        super().__init__(name, NodeParameters, **options)
        self.wanted = None
        self.answers = []
        self.began = time.monotonic()
        self.trouble = []           # exceptions to be raised instead of taking an answer
        self.next = []              # what is asked at once when an answer has come
        self._ask_again_s = ask_again_s
        self._courier = QuestionClient(self, self._on_answer)
        self.every(LOOK_EVERY_S, self._on_timer)

    def ask(self, name):
        self.wanted = question(name) if name else None

    def _on_timer(self):
        self._courier.carry(self.wanted)
        self._courier.look_after(self._ask_again_s)

    def _on_answer(self, message):
        if self.trouble:
            raise self.trouble.pop(0)
        self.answers.append(message.id)
        if self.wanted is not None and self.wanted.id == message.id:
            self.wanted = question(self.next.pop(0)) if self.next else None
            self._courier.carry(self.wanted)


class Teacher:
    """
    Serves questions as the test says.

    asked: the ids, in the order in which they came.
    """

    def __init__(self, bench):
        self.asked = []
        self.refusals = 0
        self._gates = {}            # what an answer waits for, by the number of the call
        bench.node.create_service(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle,
                                  callback_group=ReentrantCallbackGroup())

    def hold(self, number):
        """Have the answer to this call wait; return what lets it go."""
        return self._gates.setdefault(number, threading.Event())

    def wait_for_calls(self, count):
        wait_for(lambda: len(self.asked) >= count, f'{count} calls of the teacher')

    def _handle(self, request, response):
        record = conversions.question_from_msg(request.question)
        number = len(self.asked)
        self.asked.append(record.id)
        if number in self._gates:
            self._gates[number].wait(patience(DEADLINE_S))
        if self.refusals > 0:
            self.refusals -= 1
            return refused(response, 'I am thinking')
        response.ok = True
        response.answer = conversions.answer_to_msg(
            AnswerRecord(record.id, ActionAnswer(3, 1), 'teacher'))
        return response


@pytest.fixture
def teacher(parallel_bench):
    made = Teacher(parallel_bench)
    yield made
    for gate in made._gates.values():
        gate.set()


@pytest.fixture
def start(parallel_bench):
    """Start an asker that asks again after so long."""
    return lambda ask_again_s=NEVER_S: parallel_bench.make(Asker, ask_again_s)


class TestAsking:
    def test_a_question_is_asked_once_and_its_answer_delivered_once(self, start, teacher):
        asker = start()
        for name in ('q-1', 'q-2', 'q-3'):
            asker.ask(name)
            wait_for(lambda name=name: name in asker.answers, f'the answer to {name}')
        assert asker.answers == teacher.asked == ['q-1', 'q-2', 'q-3']

    def test_a_question_that_follows_from_an_answer_is_asked_once_too(self, start, teacher):
        asker = start()
        asker.next = ['q-2', 'q-3']
        asker.ask('q-1')
        wait_for(lambda: 'q-3' in asker.answers, 'the answers')
        assert asker.answers == teacher.asked == ['q-1', 'q-2', 'q-3']

    def test_without_a_question_nothing_is_asked(self, start, teacher):
        asker = start()
        asker.ask('q-1')
        wait_for(lambda: asker.answers, 'the answer')
        ticks = []
        asker.every(SOON_S, lambda: ticks.append(1))
        wait_for(lambda: len(ticks) > 3, 'some time to pass')
        assert teacher.asked == ['q-1']

    def test_a_teacher_who_comes_late_is_asked(self, start, parallel_bench, monkeypatch, said):
        monkeypatch.setattr(questions, 'SAME_LINE_EVERY_S', 0.05)
        asker = start()
        asker.ask('q-1')
        wait_for(lambda: 'waiting for a teacher: start a demonstrator, teleop or gui node'
                 in said(), 'the asker to say so')
        late = Teacher(parallel_bench)
        wait_for(lambda: asker.answers, 'the answer')
        assert asker.answers == late.asked == ['q-1']


class TestAskingAgain:
    def test_a_question_without_an_answer_is_asked_again_with_the_same_id(self, start, teacher):
        for number in range(3):
            teacher.hold(number)
        asker = start(SOON_S)
        asker.ask('q-1')
        wait_for(lambda: asker.answers, 'the answer')
        assert asker.answers == ['q-1']
        assert set(teacher.asked) == {'q-1'}
        assert len(teacher.asked) >= 4

    def test_not_more_often_than_wanted(self, start, teacher):
        for number in range(20):
            teacher.hold(number)
        asker = start(SOON_S)
        asker.ask('q-1')
        teacher.wait_for_calls(3)
        count, took = len(teacher.asked), time.monotonic() - asker.began
        assert count <= 1 + took / SOON_S

    def test_nor_while_its_answer_may_still_come(self, start, teacher):
        gate = teacher.hold(0)
        asker = start(NEVER_S)
        asker.ask('q-1')
        teacher.wait_for_calls(1)
        ticks = []
        asker.every(LOOK_EVERY_S, lambda: ticks.append(1))
        wait_for(lambda: len(ticks) > 20, 'some time to pass')
        assert teacher.asked == ['q-1']
        gate.set()
        wait_for(lambda: asker.answers == ['q-1'], 'the answer')

    def test_the_answer_to_an_earlier_sending_is_not_delivered_as_well(self, start, teacher):
        gate = teacher.hold(0)
        asker = start(SOON_S)
        asker.ask('q-1')
        wait_for(lambda: asker.answers, 'the answer to the second sending')
        gate.set()
        asker.ask('q-2')        # by then the first has arrived
        wait_for(lambda: 'q-2' in asker.answers, 'the next answer')
        assert asker.answers == ['q-1', 'q-2']


    def test_a_teacher_who_takes_longer_than_that_is_heard(self, start, teacher):
        """Each sending is answered in turn, the first of them long after the second."""
        gates = [teacher.hold(number) for number in range(200)]
        asker = start(SOON_S)
        asker.ask('q-1')
        teacher.wait_for_calls(3)
        gates[0].set()
        wait_for(lambda: asker.answers == ['q-1'], 'the answer to the first sending')

    def test_not_more_sendings_are_listened_to_than_a_limit(self, start, teacher, monkeypatch):
        monkeypatch.setattr(questions, 'MAX_SENDINGS', 1)
        for number in range(200):
            teacher.hold(number)
        asker = start(LOOK_EVERY_S)
        asker.ask('q-1')
        teacher.wait_for_calls(3)
        assert len(asker._courier._sent) <= 1


class TestAnotherQuestion:
    def test_the_answer_to_one_that_is_not_asked_any_more_is_ignored(self, start, teacher):
        gate = teacher.hold(0)
        asker = start()
        asker.ask('q-1')
        teacher.wait_for_calls(1)
        asker.ask('q-2')
        wait_for(lambda: asker.answers, 'the answer')
        gate.set()
        asker.ask('q-3')        # by then the first has arrived
        wait_for(lambda: 'q-3' in asker.answers, 'the next answer')
        assert asker.answers == ['q-2', 'q-3']
        assert teacher.asked == ['q-1', 'q-2', 'q-3']

    def test_nothing_is_delivered_or_asked_after_the_question_was_withdrawn(
            self, start, teacher):
        gates = [teacher.hold(number) for number in range(5)]
        asker = start(SOON_S)
        asker.ask('q-1')
        teacher.wait_for_calls(1)
        asker.ask(None)
        wait_for(lambda: asker._courier._question is None, 'the question to be withdrawn')
        count, ticks = len(teacher.asked), []
        for gate in gates:
            gate.set()
        asker.every(SOON_S, lambda: ticks.append(1))
        wait_for(lambda: len(ticks) > 4, 'the answer to arrive, and some time to pass')
        assert asker.answers == []
        assert len(teacher.asked) <= count + 1      # one may have been on its way

    def test_one_can_be_asked_again_after_it_was_withdrawn(self, start, teacher):
        teacher.hold(0)
        asker = start()
        asker.ask('q-1')
        teacher.wait_for_calls(1)
        asker.ask(None)
        wait_for(lambda: asker._courier._question is None, 'the question to be withdrawn')
        asker.ask('q-1')
        wait_for(lambda: asker.answers == ['q-1'], 'the answer')
        assert teacher.asked == ['q-1', 'q-1']


class TestRefusals:
    def test_a_refused_question_is_asked_again_but_not_in_a_hot_loop(
            self, start, teacher, said):
        teacher.refusals = 4
        asker = start()
        asker.ask('q-1')
        wait_for(lambda: asker.answers, 'the answer')
        took = time.monotonic() - asker.began
        assert teacher.asked == ['q-1'] * 5
        assert took >= 4 * questions.AFTER_A_REFUSAL_S
        lines = said().count('no answer yet: I am thinking')
        assert 1 <= lines <= 1 + took / questions.SAME_LINE_EVERY_S

    def test_nothing_is_said_of_a_call_that_a_later_one_has_replaced(self, start, teacher, said):
        gates = [teacher.hold(number) for number in range(100)]
        teacher.refusals = 1
        asker = start(SOON_S)
        asker.ask('q-1')
        teacher.wait_for_calls(1)
        first = asker._courier._sent[0]
        teacher.wait_for_calls(2)
        gates[0].set()
        wait_for(lambda: first not in asker._courier._sent, 'the refusal of the first call')
        for gate in gates:
            gate.set()
        wait_for(lambda: asker.answers == ['q-1'], 'the answer')
        assert 'no answer yet' not in said()

    def test_another_question_need_not_wait_for_that(self, start, teacher, monkeypatch):
        monkeypatch.setattr(questions, 'AFTER_A_REFUSAL_S', NEVER_S)
        teacher.refusals = 1
        asker = start()
        asker.ask('q-1')
        wait_for(lambda: teacher.asked and teacher.refusals == 0, 'the refusal')
        asker.ask('q-2')
        wait_for(lambda: asker.answers == ['q-2'], 'the answer')

    @pytest.mark.parametrize('error', [GbsIrlError('of no use'), ValueError('boom')])
    def test_an_answer_that_cannot_be_used_is_asked_for_again(self, start, teacher, said, error):
        asker = start()
        asker.trouble = [error]
        asker.ask('q-1')
        wait_for(lambda: asker.answers == ['q-1'], 'the answer')
        assert teacher.asked == ['q-1', 'q-1']
        assert time.monotonic() - asker.began >= questions.AFTER_A_REFUSAL_S
        wait_for(lambda: str(error) in said(), 'the error to be said')
