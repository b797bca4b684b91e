"""What a learner says of its lesson."""

from __future__ import annotations

import dataclasses

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.qos import QoSProfile
from waiting import wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import ActionAnswer, DemonstrationAnswer, LaterAnswer
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.stopping import NEVER, StopRule
from gbs_irl_ros.driving.gate import Gate
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, HistoryRecord, Status
from gbs_irl_ros.learning.saved_policy import load_policy
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.links import lesson_topics
from gbs_irl_ros.ros.links.lesson_topics import NO_LESSON, LessonPublisher
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task

pytestmark = pytest.mark.ros

ALL_BEATS = QoSProfile(depth=100, reliability=qos.HEARTBEATS.reliability)
SHOWN = DemonstrationRecord('shown', DemonstrationAnswer(((0, 1), (1, 1))), 'teleop', True, 7)


@pytest.fixture(scope='module')
def task():
    return load_task('room')


class Heard:
    """Everything that the publisher has said, as records."""

    def __init__(self, bench, task):
        self._num_actions = task.world.mdp.num_actions
        self._policies = bench.listen(msg.Policy, names.POLICY, qos.LATCHED)
        self._beliefs = bench.listen(msg.Belief, names.BELIEF, qos.LATCHED)
        self.questions = bench.listen(msg.Question, names.QUESTION, qos.LATCHED)
        self._histories = bench.listen(msg.History, names.HISTORY, qos.LATCHED)
        self._beats = bench.listen(msg.Heartbeat, names.HEARTBEAT, ALL_BEATS)

    @property
    def policies(self):
        return [conversions.policy_from_msg(each, self._num_actions) for each in self._policies]

    @property
    def beliefs(self):
        return [conversions.belief_from_msg(each) for each in self._beliefs]

    @property
    def histories(self):
        return [conversions.history_from_msg(each) for each in self._histories]

    @property
    def beats(self):
        return [conversions.heartbeat_from_msg(each) for each in self._beats]

    def wait_for_reports(self, count):
        wait_for(lambda: min(len(self._policies), len(self._beliefs), len(self.questions))
                 >= count, f'{count} reports')

    def wait_for_histories(self, count):
        wait_for(lambda: len(self._histories) >= count, f'{count} histories')

    def wait_for_beats(self, count):
        wait_for(lambda: len(self._beats) >= count, f'{count} beats')


@pytest.fixture
def node(bench):
    return bench.make(BaseNode, NodeParameters)


@pytest.fixture
def publisher(node):
    return LessonPublisher(node)


@pytest.fixture
def heard(bench, publisher, task):
    made = Heard(bench, task)
    wait_for(lambda: publisher._heartbeat.get_subscription_count(), 'the subscription')
    return made


@pytest.fixture
def open_lesson(task, tmp_path):
    """Open a lesson, which goes on for ever unless told when to stop."""
    opened = []

    def made(stop=NEVER):
        learner = Learner(task, stop=stop)
        opened.append(Lesson.open(task, learner, tmp_path / 'lesson.jsonl', stamp=1))
        return opened[-1]
    yield made
    for lesson in opened:
        lesson.close()


def answered(lesson, count=1):
    """Answer questions of a lesson with the action that was learned so far."""
    for _ in range(count):
        question = lesson.ask(1)
        lesson.take(AnswerRecord(question.id, ActionAnswer(question.question.state, 0)))
    lesson.ask(1)
    return lesson


class TestReports:
    def test_policy_belief_and_question_are_those_of_the_lesson(
            self, publisher, heard, open_lesson, task):
        lesson = answered(open_lesson(), 2)
        publisher.publish(lesson, 'guaranteed')
        heard.wait_for_reports(1)
        policy, belief = heard.policies[0], heard.beliefs[0]
        assert policy.session == belief.session == lesson.session
        assert policy.sequence == belief.sequence == lesson.sequence
        assert policy.task_hash == belief.task_hash == task.hash
        assert not policy.final
        assert policy.stamp == belief.stamp > 0
        assert (belief.status, belief.answers) == (Status.ASKING, 2)
        assert belief.certificate == 'guaranteed'
        assert belief.acknowledged == lesson.acknowledged
        assert belief.question_id == lesson.open_question.id
        asked = conversions.question_from_msg(heard.questions[0])
        assert asked == lesson.open_question

    def test_what_was_said_so_far_follows_them(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson(), 2)
        lesson.watch(SHOWN)
        publisher.publish(lesson, '')
        publisher.publish_history(lesson)
        heard.wait_for_reports(1)
        heard.wait_for_histories(1)
        history = heard.histories[0]
        assert history == dataclasses.replace(lesson.history(1), stamp=history.stamp)
        assert history.session == lesson.session
        assert history.sequence == heard.policies[0].sequence == heard.beliefs[0].sequence
        assert history.stamp >= heard.policies[0].stamp > 0
        assert history.total == heard.beliefs[0].answers == 3
        assert [entry.answer.id for entry in history.entries] == list(lesson.answers)
        assert [entry.question is None for entry in history.entries] == [False, False, True]
        assert [entry.correction for entry in history.entries] == [False, False, True]

    def test_the_same_is_not_said_again(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson(), 2)
        publisher.publish_history(lesson)       # nothing was reported yet
        publisher.publish(lesson, '')
        for number in range(2):
            for _ in range(3):
                publisher.publish_history(lesson)
            heard.wait_for_histories(number + 1)
            publisher.publish(lesson, '')
        publisher.publish_history(lesson)
        heard.wait_for_histories(3)
        numbers = [history.sequence for history in heard.histories]
        assert numbers == [lesson.sequence - 2, lesson.sequence - 1, lesson.sequence]

    def test_every_one_of_them_has_its_own_history(self, publisher, heard, open_lesson):
        lesson = open_lesson()
        for number, change in enumerate((
                lambda: lesson.ask(1), lambda: answered(lesson), lambda: lesson.watch(SHOWN),
                lambda: lesson.revise(AnswerRecord('shown', ActionAnswer(0, 1))),
                lambda: lesson.undo(1), lambda: lesson.undo(1), lambda: lesson.pause(True, 1))):
            change()
            publisher.publish(lesson, '')
            publisher.publish_history(lesson)
            heard.wait_for_reports(number + 1)
            heard.wait_for_histories(number + 1)
            assert heard._histories[-1].sequence == heard.policies[-1].sequence
        assert [history.total for history in heard._histories] == [0, 1, 2, 2, 1, 0, 0]
        assert heard._histories[3].entries[1].answer.kind == msg.Answer.ACTION

    def test_every_report_has_a_higher_number(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson())
        for number in range(3):
            publisher.publish(lesson, '')
            heard.wait_for_reports(number + 1)
        numbers = [policy.sequence for policy in heard.policies]
        assert numbers == sorted(set(numbers))
        assert numbers == [belief.sequence for belief in heard.beliefs]

    def test_while_paused_no_question_is_shown(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson())
        lesson.pause(True, 1)
        publisher.publish(lesson, '')
        heard.wait_for_reports(1)
        assert heard.beliefs[0].status is Status.PAUSED
        assert heard.questions[0].id == ''

    def test_a_late_comer_gets_the_last_of_each(self, bench, publisher, open_lesson, task):
        lesson = open_lesson()
        for _ in range(3):
            publisher.publish(answered(lesson), '')
            publisher.publish_history(lesson)
        late = Heard(bench, task)
        late.wait_for_reports(1)
        late.wait_for_histories(1)
        assert late.policies[0].sequence == late.beliefs[0].sequence == lesson.sequence
        assert late.questions[0].id == lesson.open_question.id
        assert (late.histories[0].total, late.histories[0].sequence) == (3, lesson.sequence)
        assert late.beats == []         # an old sign of life is none


class TestHeartbeat:
    def test_its_sequence_is_that_of_the_policy_in_force(self, publisher, heard, open_lesson):
        lesson = open_lesson()
        for number in range(3):
            publisher.publish(answered(lesson), '')
            heard.wait_for_reports(number + 1)
            for beat in (1, 2):
                publisher.beat(lesson)
                heard.wait_for_beats(2 * number + beat)
        assert [beat.sequence for beat in heard.beats] \
            == [policy.sequence for policy in heard.policies for _ in range(2)]
        assert {beat.session for beat in heard.beats} == {lesson.session}
        assert [beat.count for beat in heard.beats] == [1, 2, 3, 4, 5, 6]

    def test_a_report_that_nobody_was_told_does_not_count(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson())
        publisher.publish(lesson, '')
        lesson.report(1)
        publisher.beat(lesson)
        heard.wait_for_reports(1)
        heard.wait_for_beats(1)
        assert heard.beats[0].sequence == heard.policies[0].sequence < lesson.sequence

    def test_before_any_policy_none_is_in_force(self, publisher, heard, open_lesson):
        publisher.beat(open_lesson())
        heard.wait_for_beats(1)
        assert heard.beats[0].sequence == 0

    def test_those_of_a_new_lesson_are_signs_of_life_from_the_first_on(self, publisher, heard,
                                                                       open_lesson):
        """The first one comes before its policy, as the clock of a busy learner has it."""
        old = open_lesson()
        for _ in range(3):
            publisher.publish(answered(old), '')
        publisher.beat(old)
        old.put_aside()
        new = open_lesson()
        publisher.beat(new)
        publisher.publish(answered(new), '')
        publisher.beat(new)
        heard.wait_for_beats(3)
        assert [beat.sequence for beat in heard.beats] == [old.sequence, 0, new.sequence]
        gate = Gate()
        for now, beat in enumerate(heard.beats):
            gate.see_heartbeat(beat, now)
            assert gate._heard_at == now, 'it was taken for an old one'


class TestNoLesson:
    @pytest.mark.parametrize(('failed', 'status'), [
        (False, Status.WAITING), (True, Status.FAILED)])
    def test_it_is_said_why(self, bench, publisher, heard, failed, status):
        publisher.publish_no_lesson('the disk is full', failed=failed)
        wait_for(lambda: heard.beliefs and heard.questions and heard.histories, 'the belief')
        belief = heard.beliefs[0]
        assert (belief.session, belief.status, belief.status_text) == (
            NO_LESSON, status, 'the disk is full')
        assert len(belief.probabilities) == belief.answers == 0
        assert heard.questions[0].id == ''
        history = heard.histories[0]
        assert history == HistoryRecord(NO_LESSON, 0, 0, (), history.stamp)
        assert history.stamp > 0
        assert heard.policies == []

    def test_what_was_said_before_is_gone(self, bench, publisher, open_lesson, task):
        """A page that comes late must not show what counts no more."""
        lesson = answered(open_lesson(), 2)
        publisher.publish(lesson, '')
        publisher.publish_history(lesson)
        publisher.publish_no_lesson('a new lesson', failed=False)
        late = Heard(bench, task)
        wait_for(lambda: late.histories and late.beliefs, 'the last of each')
        assert (late.histories[0].session, late.histories[0].entries) == (NO_LESSON, ())


class TestSavedPolicy:
    def test_a_final_policy_is_saved_beside_the_journal(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson(StopRule(max_answers=2)), 2)
        assert lesson.status is Status.DONE
        publisher.publish(lesson, '')
        heard.wait_for_reports(1)
        policy = heard.policies[0]
        assert policy.final
        assert heard.beliefs[0].status is Status.DONE
        assert heard.questions[0].id == ''
        saved = load_policy(lesson.path.with_name('lesson.policy.json'))
        assert saved.final
        assert saved.checksum == policy.checksum
        assert (saved.session, saved.sequence) == (policy.session, policy.sequence)

    def test_one_that_cannot_be_saved_is_in_force_all_the_same_and_said(
            self, publisher, heard, open_lesson, said):
        lesson = answered(open_lesson(StopRule(max_answers=2)), 2)
        lesson.path.with_name('lesson.policy.json').mkdir()
        publisher.publish(lesson, '')
        heard.wait_for_reports(1)
        assert heard.policies[0].final
        assert 'lesson.policy.json: the policy cannot be saved: Is a directory; it is in force' \
            in said()

    def test_one_that_is_good_enough_is_saved_as_well(self, publisher, heard, open_lesson):
        lesson = answered(open_lesson(NEVER))
        lesson.finish(2)
        lesson.ask(3)
        publisher.publish(lesson, '')
        heard.wait_for_reports(1)
        assert heard.policies[0].final
        assert heard.beliefs[0].status is Status.DONE
        assert heard.questions[0].id == ''
        saved = load_policy(lesson.path.with_name('lesson.policy.json'))
        assert saved.checksum == heard.policies[0].checksum

    def test_one_that_is_not_final_is_not(self, publisher, heard, open_lesson, tmp_path):
        lesson = answered(open_lesson(), 2)
        publisher.publish(lesson, '')
        publisher.publish_no_lesson('', failed=False)
        heard.wait_for_reports(1)
        assert [path.name for path in tmp_path.glob('*.policy.json')] == []

    def test_it_is_replaced_when_the_lesson_goes_on(self, publisher, open_lesson):
        lesson = answered(open_lesson(StopRule(max_answers=2)), 2)
        file = lesson.path.with_name('lesson.policy.json')
        publisher.publish(lesson, '')
        first = load_policy(file)
        lesson.undo(1)
        lesson.ask(1)
        publisher.publish(lesson, '')
        assert load_policy(file).sequence == first.sequence     # not final, so not saved
        answered(lesson)
        publisher.publish(lesson, 'another certificate')
        assert load_policy(file).sequence == lesson.sequence > first.sequence

    def test_a_disk_that_is_full_keeps_nobody_from_hearing_the_policy(
            self, publisher, heard, open_lesson, monkeypatch):
        def full(*_):
            raise OSError(28, 'No space left on device')
        monkeypatch.setattr(lesson_topics, 'save_policy', full)
        lesson = answered(open_lesson(StopRule(max_answers=1)), 1)
        with pytest.raises(OSError, match='No space left'):
            publisher.publish(lesson, '')
        publisher.beat(lesson)
        heard.wait_for_reports(1)
        heard.wait_for_beats(1)
        assert heard.beats[0].sequence == heard.policies[0].sequence


def test_a_question_that_is_put_off_stays_open(publisher, heard, open_lesson):
    lesson = open_lesson()
    question = lesson.ask(1)
    lesson.take(AnswerRecord(question.id, LaterAnswer(question.question)))
    lesson.ask(1)
    publisher.publish(lesson, '')
    heard.wait_for_reports(1)
    assert heard.questions[0].id == lesson.open_question.id != question.id
