"""The teacher's desk: questions wait there for the teacher, answers for their acknowledgement."""

from __future__ import annotations

import re
import threading
import time

import numpy as np
import pytest
from waiting import wait_for

from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import AnswerRecord, QuestionRecord
from gbs_irl_ros.teaching import question_box as module
from gbs_irl_ros.teaching.question_box import MAX_KEPT, QuestionBox, StaleQuestionError

DEADLINE_S = 20.0       # far more than anything takes


class Call(threading.Thread):
    """A learner that asks, and waits in a thread of its own."""

    def __init__(self, desk, question_id, session='s'):
        super().__init__(daemon=True)
        self._question_box, self.answer = desk, 'still waiting'
        self.question = QuestionRecord(question_id, session, 0, Question(QuestionKind.ACTION, 3))
        self.start()

    def run(self):
        self.answer = self._question_box.ask(self.question)

    def result(self, timeout_s=DEADLINE_S):
        self.join(timeout_s)
        assert not self.is_alive(), 'it still waits'
        return self.answer


@pytest.fixture
def desk():
    desk = QuestionBox()
    yield desk
    desk.close()        # whoever still waits may go


def asked(desk, question_id, before=''):
    """Return a call that waits for its answer: the question is on the desk."""
    call = Call(desk, question_id)
    found = desk.wait_for_question(before, DEADLINE_S)
    assert found is not None
    assert found.id == question_id
    return call


def said(action=1):
    return ActionAnswer(3, action)


class TestAskingAndAnswering:
    def test_a_question_waits_and_its_answer_wakes_it(self, desk):
        assert desk.question is None
        call = asked(desk, 'q')
        assert desk.question is call.question
        assert call.is_alive()
        desk.answer('q', said(), 'page', 7)
        assert call.result() == AnswerRecord('q', said(), 'page', 7)
        assert desk.question is None

    def test_an_answer_is_kept_until_it_is_acknowledged(self, desk):
        call = asked(desk, 'q')
        desk.answer('q', said())
        first = call.result()
        for _ in range(3):
            assert desk.num_kept == 1
            assert desk.ask(call.question) is first     # at once, in this very thread
            assert desk.question is None
        desk.acknowledge(('other', 'q'))
        assert desk.num_kept == 0

    def test_what_is_forgotten_is_asked_again(self, desk):
        first = asked(desk, 'q')
        desk.answer('q', said(1))
        first.result()
        desk.acknowledge(('q',))
        second = asked(desk, 'q')
        desk.answer('q', said(2))
        assert second.result().answer == said(2)

    def test_acknowledging_what_nobody_said_is_no_error(self, desk):
        desk.acknowledge(())
        desk.acknowledge(('a', 'b'))
        assert desk.num_kept == 0

    def test_acknowledging_leaves_the_others(self, desk):
        for question_id in 'abc':
            call = asked(desk, question_id)
            desk.answer(question_id, said())
            call.result()
        desk.acknowledge(('a', 'c'))
        assert desk.num_kept == 1
        assert desk.ask(Call(desk, 'b').question).id == 'b'

    def test_an_answer_that_is_kept_does_not_disturb_what_is_asked_now(self, desk):
        first = asked(desk, 'a')
        desk.answer('a', said())
        first.result()
        second = asked(desk, 'b')
        assert desk.ask(first.question).id == 'a'
        assert desk.question is second.question
        desk.answer('b', said())
        assert second.result().id == 'b'


class TestAskingTwice:
    def test_the_same_question_by_another_call_lets_the_first_go(self, desk):
        first = asked(desk, 'q')
        second = Call(desk, 'q')
        assert first.result() is None
        assert second.is_alive()
        assert desk.question.id == 'q'
        desk.answer('q', said())
        assert second.result().answer == said()
        assert Call(desk, 'q').result() is second.answer

    def test_of_many_calls_the_last_gets_the_answer_and_the_others_go(self, desk):
        calls = [asked(desk, 'q')]
        for _ in range(10):
            calls.append(Call(desk, 'q'))
            assert calls[-2].result() is None
        desk.answer('q', said())
        assert calls[-1].result().answer == said()

    def test_another_question_takes_its_place(self, desk):
        first = asked(desk, 'a')
        second = asked(desk, 'b', before='a')
        assert first.result() is None
        desk.answer('b', said())
        assert second.result().id == 'b'
        assert desk.num_kept == 1

    def test_one_that_was_replaced_may_come_back(self, desk):
        asked(desk, 'a')
        asked(desk, 'b', before='a')
        third = asked(desk, 'a', before='b')
        desk.answer('a', said())
        assert third.result().id == 'a'


class TestStaleAnswers:
    """So a page that was left open cannot label the wrong state."""

    def refusal(self, desk, question_id):
        with pytest.raises(InvalidAnswerError) as caught:
            desk.answer(question_id, said())
        return str(caught.value)

    def test_when_nothing_is_asked(self, desk):
        assert self.refusal(desk, 'q') == (
            "the question 'q' is not asked any more, so the answer is not used; asked is nothing")

    def test_when_something_else_is_asked(self, desk):
        asked(desk, 'a')
        call = asked(desk, 'b', before='a')
        assert self.refusal(desk, 'a') == (
            "the question 'a' is not asked any more, so the answer is not used; asked is 'b'")
        assert call.is_alive()
        assert desk.question.id == 'b'
        assert desk.num_kept == 0

    def test_when_it_was_answered_already(self, desk):
        call = asked(desk, 'q')
        desk.answer('q', said(1))
        assert self.refusal(desk, 'q').endswith('asked is nothing')
        assert call.result().answer == said(1)

    def test_when_it_was_withdrawn_or_the_desk_was_closed(self, desk):
        call = asked(desk, 'a')
        desk.withdraw('b')
        assert self.refusal(desk, 'a').endswith('asked is nothing')
        assert call.result() is None
        call = asked(desk, 'c')
        desk.close()
        assert self.refusal(desk, 'c').endswith('asked is nothing')
        assert call.result() is None


class TestStaleQuestions:
    """Whoever answers must be able to tell a late answer from a wrong one."""

    def test_a_late_answer_has_an_error_of_its_own(self, desk):
        asked(desk, 'a')
        asked(desk, 'b', before='a')
        with pytest.raises(StaleQuestionError, match=r"'a' is not asked any more.*asked is 'b'"):
            desk.answer('a', said())

    def test_so_has_one_when_nothing_is_asked(self, desk):
        with pytest.raises(StaleQuestionError, match='asked is nothing'):
            desk.answer('a', said())

    def test_it_may_be_caught_as_an_answer_that_does_not_fit(self):
        assert issubclass(StaleQuestionError, InvalidAnswerError)


class TestTellingWhatIsAsked:
    @pytest.fixture
    def told(self):
        return []

    @pytest.fixture
    def desk(self, told):
        desk = QuestionBox(lambda: told.append(desk.question))
        yield desk
        desk.close()

    def test_at_first_nothing_is_told(self, desk, told):
        assert told == []

    def test_a_question_is_told_and_that_it_is_answered(self, desk, told):
        call = asked(desk, 'q')
        wait_for(lambda: told == [call.question], 'the question to be told')
        desk.answer('q', said())
        assert told == [call.question, None]
        assert call.result().answer == said()

    def test_another_question_is_told_without_a_gap(self, desk, told):
        first = asked(desk, 'a')
        wait_for(lambda: told == [first.question], 'the first to be told')
        second = asked(desk, 'b', before='a')
        wait_for(lambda: told == [first.question, second.question], 'the second to be told')

    def test_a_question_that_is_withdrawn_is_told(self, desk, told):
        call = asked(desk, 'a')
        wait_for(lambda: told, 'the question to be told')
        desk.withdraw('a')
        assert told == [call.question]
        desk.withdraw('b')
        assert told == [call.question, None]

    def test_the_end_is_told(self, desk, told):
        call = asked(desk, 'a')
        wait_for(lambda: told, 'the question to be told')
        desk.close()
        assert told == [call.question, None]

    def test_what_is_answered_already_is_not_told_again(self, desk, told):
        call = asked(desk, 'q')
        desk.answer('q', said())
        call.result()
        del told[:]
        assert desk.ask(call.question).answer == said()
        desk.acknowledge(('q',))
        assert told == []

    def test_an_answer_that_is_refused_changes_nothing(self, desk, told):
        call = asked(desk, 'q')
        wait_for(lambda: told, 'the question to be told')
        with pytest.raises(StaleQuestionError):
            desk.answer('other', said())
        assert told == [call.question]

    def test_what_was_told_last_is_what_is_asked(self, desk, told):
        """Many threads ask, withdraw and answer."""
        rng = np.random.default_rng(3)
        calls = []
        for number in range(100):
            happening = rng.integers(3)
            if happening == 0:
                calls.append(asked(desk, f'q{number}', getattr(desk.question, 'id', '')))
            elif happening == 1 and desk.question is not None:
                desk.answer(desk.question.id, said())
            else:
                desk.withdraw(f'q{rng.integers(number + 1)}')
            wait_for(lambda: (told[-1] if told else None) is desk.question, 'it to be told')
        desk.close()
        for call in calls:
            call.result()


class TestWithdrawing:
    def test_a_question_goes_when_the_learner_has_another(self, desk):
        call = asked(desk, 'a')
        desk.withdraw('b')
        assert call.result() is None
        assert desk.question is None

    def test_a_question_goes_when_the_learner_has_none(self, desk):
        call = asked(desk, 'a')
        desk.withdraw('')
        assert call.result() is None

    def test_the_question_of_the_learner_stays(self, desk):
        call = asked(desk, 'a')
        desk.withdraw('a')
        assert desk.question is call.question
        desk.answer('a', said())
        assert call.result().answer == said()

    def test_it_needs_no_question(self, desk):
        desk.withdraw('a')
        assert desk.question is None

    def test_it_does_not_take_away_what_is_kept(self, desk):
        call = asked(desk, 'a')
        desk.answer('a', said())
        call.result()
        desk.withdraw('b')
        assert desk.ask(call.question).answer == said()


class TestClosing:
    def test_everybody_who_waits_may_go(self, desk):
        call = asked(desk, 'q')
        found = []
        waiting = threading.Thread(
            target=lambda: found.append(desk.wait_for_question(other_than='q')), daemon=True)
        waiting.start()
        desk.close()
        assert call.result() is None
        waiting.join(DEADLINE_S)
        assert found == [None]

    def test_afterwards_nobody_waits(self, desk):
        desk.close()
        assert Call(desk, 'q').result() is None
        assert desk.wait_for_question() is None

    def test_afterwards_nothing_is_asked_and_nothing_is_left(self, desk):
        desk.close()
        for question_id in ('q', 'r', 'q'):
            assert Call(desk, question_id).result() is None
            assert desk.question is None
            assert desk.num_kept == 0
            with pytest.raises(InvalidAnswerError, match=r'not asked any more.*nothing'):
                desk.answer(question_id, said())

    def test_it_may_be_closed_twice(self, desk):
        call = asked(desk, 'q')
        desk.close()
        desk.close()
        assert call.result() is None

    def test_what_is_kept_may_still_be_fetched(self, desk):
        call = asked(desk, 'q')
        desk.answer('q', said())
        desk.close()
        assert call.result().answer == said()
        assert desk.ask(call.question).answer == said()


class TestWaitingForAQuestion:
    def test_none_may_come(self, desk):
        assert desk.wait_for_question(timeout_s=0.0) is None

    def test_one_that_is_there_is_found_at_once(self, desk):
        call = asked(desk, 'q')
        assert desk.wait_for_question(timeout_s=0.0) is call.question

    def test_the_one_that_is_known_does_not_count(self, desk):
        asked(desk, 'q')
        assert desk.wait_for_question(other_than='q', timeout_s=0.0) is None

    def test_a_new_one_wakes_the_teacher(self, desk):
        found = []
        waiting = threading.Thread(
            target=lambda: found.append(desk.wait_for_question('a', DEADLINE_S)), daemon=True)
        asked(desk, 'a')
        waiting.start()
        asked(desk, 'b', before='a')
        waiting.join(DEADLINE_S)
        assert [question.id for question in found] == ['b']


class TestManyAnswers:
    def test_only_so_many_are_kept_and_the_oldest_goes_first(self, desk, monkeypatch):
        assert MAX_KEPT == 1000
        monkeypatch.setattr(module, 'MAX_KEPT', 5)
        for number in range(9):
            call = asked(desk, str(number))
            desk.answer(str(number), said(number))
            assert call.result().answer == said(number)
            assert desk.num_kept == min(number + 1, 5)
        for number in range(4, 9):
            assert desk.ask(Call(desk, str(number)).question).answer == said(number)
        again = asked(desk, '3')        # forgotten, so it waits
        desk.answer('3', said())
        again.result()


class TestThreads:
    def test_one_who_waits_gets_an_answer_that_was_acknowledged_before_it_woke(self, desk):
        """Another call has carried the answer to the learner already."""
        call = asked(desk, 'q')
        with desk._changed:             # nobody wakes before all of this has happened
            desk.answer('q', said())
            assert desk.ask(call.question).answer == said()
            desk.acknowledge(('q',))
        assert desk.num_kept == 0
        assert call.result() == AnswerRecord('q', said())

    def test_one_who_waits_gets_an_answer_though_the_next_question_is_there(self, desk):
        call = asked(desk, 'a')
        with desk._changed:             # nobody wakes before all of this has happened
            desk.answer('a', said(1))
            desk.acknowledge(('a',))
            desk.withdraw('b')
        following = asked(desk, 'b')
        desk.answer('b', said(2))
        assert call.result() == AnswerRecord('a', said(1))
        assert following.result() == AnswerRecord('b', said(2))

    def test_one_who_waits_gets_an_answer_though_the_desk_was_closed_after_it(self, desk):
        call = asked(desk, 'q')
        with desk._changed:
            desk.answer('q', said())
            desk.acknowledge(('q',))
            desk.close()
        assert call.result() == AnswerRecord('q', said())

    @pytest.mark.slow
    def test_nothing_is_lost_when_everybody_is_in_a_hurry(self, desk):
        """Every question is asked by three calls at once, answered, and acknowledged."""
        rng = np.random.default_rng(5)
        answers = {f'q{number}': said(int(rng.integers(4))) for number in range(150)}

        def teach():
            last = ''
            while last != 'q149':
                last = desk.wait_for_question(last, DEADLINE_S).id
                desk.answer(last, answers[last])

        teacher = threading.Thread(target=teach, daemon=True)
        teacher.start()
        for question_id, expected in answers.items():
            calls = [Call(desk, question_id) for _ in range(3)]
            got = [call.result() for call in calls]
            given = [record for record in got if record is not None]
            assert given
            assert {record.answer for record in given} == {expected}
            assert {record.id for record in given} == {question_id}
            assert desk.ask(calls[0].question).answer == expected
            if rng.integers(2):
                desk.acknowledge((question_id,))
        teacher.join(DEADLINE_S)
        assert not teacher.is_alive()

    @pytest.mark.slow
    def test_of_answers_at_the_same_moment_exactly_one_counts(self, desk):
        for number in range(50):
            call = asked(desk, f'q{number}')
            barrier, refused = threading.Barrier(4), []

            def race(action, name=f'q{number}', barrier=barrier, refused=refused):
                barrier.wait(DEADLINE_S)
                try:
                    desk.answer(name, said(action))
                except InvalidAnswerError as error:
                    refused.append((action, str(error)))

            racers = [threading.Thread(target=race, args=(action,)) for action in range(4)]
            for racer in racers:
                racer.start()
            for racer in racers:
                racer.join(DEADLINE_S)
            winner = call.result().answer.action
            assert sorted([winner, *(action for action, _ in refused)]) == [0, 1, 2, 3]
            assert all(re.search('not asked any more', text) for _, text in refused)


class TestUnwanted:
    def test_an_old_answer_to_a_question_that_is_not_asked_any_more_is_forgotten(self, desk):
        call = asked(desk, 'q')
        desk.answer('q', said())
        call.result()
        now = time.monotonic()
        assert desk.forget_unwanted('other', now) == 0      # it may only be on its way
        assert desk.forget_unwanted('q', now, older_than_s=-1.0) == 0
        assert desk.forget_unwanted('other', now - 10.0, older_than_s=-1.0) == 0    # said before
        assert desk.num_kept == 1
        assert desk.forget_unwanted('other', now, older_than_s=-1.0) == 1
        assert desk.num_kept == 0
