"""Demonstrations on their way to the learner: none is lost, none is sent for ever."""

from __future__ import annotations

import re

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import some_time
from waiting import wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.learning.records import DemonstrationRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.links import demonstration_sender as module
from gbs_irl_ros.ros.links.demonstration_sender import (
    MAX_TRIES,
    MAX_WAITING,
    SEND_AGAIN_S,
    DemonstrationSender,
)
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.teaching.teacher_actions import ServiceError

pytestmark = pytest.mark.ros

SOON_S = 0.02
NEVER_S = 600.0


class Teacher(BaseNode[NodeParameters]):
    """Shows something, as a teacher's node does."""

    def __init__(self, name, **options):
        super().__init__(name, NodeParameters, **options)
        self.sender = DemonstrationSender(self)

    def show(self, record):
        with self.exclusive():
            self.sender.send(record)


def shown(name, count=2):
    return DemonstrationRecord(name, DemonstrationAnswer(tuple((state, 1) for state in
                                                               range(count))), 'gui', stamp=5)


@pytest.fixture
def again_after(monkeypatch):
    """Set after how long a demonstration is sent again."""
    return lambda seconds: monkeypatch.setattr(module, 'SEND_AGAIN_S', seconds)


@pytest.fixture
def learner(bench):
    """What a learner hears."""
    return bench.listen(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)


def known(teacher):
    """Return the sender as soon as a learner listens."""
    wait_for(lambda: teacher.sender._publisher.get_subscription_count(), 'the learner')
    return teacher


def ids(heard):
    return [message.id for message in list(heard)]


def test_it_is_tried_for_a_minute():
    assert (SEND_AGAIN_S, MAX_TRIES) == (2.0, 30)


def test_a_demonstration_arrives_whole_and_at_once(bench, learner, again_after):
    again_after(NEVER_S)
    teacher = known(bench.make(Teacher))
    teacher.show(shown('d-1', 3))
    wait_for(lambda: learner, 'the demonstration')
    assert conversions.demonstration_from_msg(learner[0]) == shown('d-1', 3)
    assert teacher.sender.num_kept == 1


def test_it_is_sent_again_until_the_learner_has_it(bench, learner, again_after):
    again_after(SOON_S)
    teacher = known(bench.make(Teacher))
    teacher.show(shown('d-1'))
    wait_for(lambda: len(learner) >= 4, 'it to be sent again')
    with teacher.exclusive():
        teacher.sender.acknowledge(('other', 'd-1'))
    assert teacher.sender.num_kept == 0
    some_time(teacher, ticks=3)             # what is on its way arrives
    count = len(learner)
    some_time(teacher)
    assert len(learner) == count
    assert set(ids(learner)) == {'d-1'}


def test_a_learner_that_starts_late_gets_it(bench, again_after):
    again_after(SOON_S)
    teacher = bench.make(Teacher)
    teacher.show(shown('d-1'))
    some_time(teacher, ticks=3)
    late = bench.listen(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(lambda: late, 'the demonstration')
    assert ids(late)[0] == 'd-1'


def test_the_same_one_again_changes_nothing(bench, learner, again_after):
    again_after(NEVER_S)
    teacher = known(bench.make(Teacher))
    for name in ('d-1', 'd-1', 'd-2', 'd-1'):
        teacher.show(shown(name))
    wait_for(lambda: 'd-2' in ids(learner), 'both')
    some_time(teacher)
    assert ids(learner) == ['d-1', 'd-2']
    assert teacher.sender.num_kept == 2


def test_each_is_acknowledged_by_itself(bench, learner, again_after):
    again_after(SOON_S)
    teacher = known(bench.make(Teacher))
    for name in ('d-1', 'd-2', 'd-3'):
        teacher.show(shown(name))
    with teacher.exclusive():
        teacher.sender.acknowledge(['d-1', 'd-3'])
    assert teacher.sender.num_kept == 1
    some_time(teacher, ticks=3)
    del learner[:]
    wait_for(lambda: len(learner) >= 3, 'it to be sent again')
    assert set(ids(learner)) == {'d-2'}


def test_who_acknowledges_nothing_does_no_harm(bench):
    sender = bench.make(Teacher).sender
    sender.acknowledge(())
    sender.acknowledge(iter(['unknown']))
    assert sender.num_kept == 0


def test_after_many_tries_it_is_given_up_and_said(bench, learner, again_after, monkeypatch, said):
    again_after(SOON_S)
    monkeypatch.setattr(module, 'MAX_TRIES', 4)
    teacher = known(bench.make(Teacher))
    teacher.show(shown('d-1', 7))
    wait_for(lambda: teacher.sender.num_kept == 0, 'it to be given up')
    wait_for(lambda: re.search(
        r'\[ERROR\].*the learner has not taken the demonstration d-1 of 7 steps; its log says why',
        said()), 'the reason')
    some_time(teacher)
    assert ids(learner) == ['d-1'] * 4
    assert said().count('has not taken') == 1


def test_one_that_was_given_up_may_be_shown_again(bench, learner, again_after, monkeypatch):
    again_after(SOON_S)
    monkeypatch.setattr(module, 'MAX_TRIES', 2)
    teacher = known(bench.make(Teacher))
    teacher.show(shown('d-1'))
    wait_for(lambda: teacher.sender.num_kept == 0, 'it to be given up')
    teacher.show(shown('d-1'))
    wait_for(lambda: len(learner) == 4, 'both tries, twice')


def test_one_that_no_message_can_hold_is_refused_and_not_kept(bench):
    teacher = bench.make(Teacher)
    with pytest.raises(InvalidRecordError, match='id must not contain a NUL character'):
        teacher.show(shown('d\0'))
    assert teacher.sender.num_kept == 0


def test_only_so_many_wait_for_a_learner(bench, again_after):
    again_after(NEVER_S)
    teacher = bench.make(Teacher)
    for number in range(MAX_WAITING):
        teacher.show(shown(f'd-{number}'))
    with pytest.raises(ServiceError, match='100 demonstrations wait for the learner already; is '
                                           'it running'):
        teacher.show(shown('one more'))
    teacher.show(shown('d-0'))      # the same one again
    assert teacher.sender.num_kept == MAX_WAITING
