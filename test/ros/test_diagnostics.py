"""How a node is, as the tools that watch robots read it."""

from __future__ import annotations

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.serialization import deserialize_message, serialize_message

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.ros.diagnostics import Health, Level, health_to_msg
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg

pytestmark = pytest.mark.ros

STAMP = 1_700_000_000_123_456_789


def sent(health, name='/robot/learner'):
    """Return the one status that arrives."""
    message = health_to_msg(health, name, STAMP)
    arrived = deserialize_message(serialize_message(message), type(message))
    assert stamp_from_msg(arrived.header.stamp) == STAMP
    status, = arrived.status
    return status


@for_each(('level', 'constant'), [
    (Level.OK, DiagnosticStatus.OK), (Level.WARN, DiagnosticStatus.WARN),
    (Level.ERROR, DiagnosticStatus.ERROR)])
def test_a_level_is_that_of_ros(level, constant):
    assert sent(Health(level, 'text')).level == constant


def test_name_and_text_arrive():
    status = sent(Health(Level.OK, 'waiting for → the task'))
    assert (status.name, status.message, status.hardware_id) == (
        '/robot/learner', 'waiting for → the task', 'gbs_irl_ros')
    assert status.values == []


def test_values_of_any_type_arrive_as_text_in_their_order():
    values = {'session': 'abc', 'answers': 3, 'certainty': 0.5, 'state': None, 'done': True}
    assert [(each.key, each.value) for each in sent(Health(Level.OK, '', values)).values] == [
        ('session', 'abc'), ('answers', '3'), ('certainty', '0.5'), ('state', 'None'),
        ('done', 'True')]


@for_each(('health', 'name', 'text'), [
    (Health(Level.OK, ''), 'n\0', 'name must not contain a NUL'),
    (Health(Level.OK, '', {'k\0': 1}), 'n', 'key must not contain a NUL'),
    (Health(Level.OK, 7), 'n', 'message must be a string, got 7')])
def test_what_no_field_can_carry_is_refused(health, name, text):
    with pytest.raises(InvalidRecordError, match=text):
        health_to_msg(health, name, STAMP)


def test_what_people_read_is_made_visible():
    status = sent(Health(Level.OK, 'a\0b', {'k': '\x1b'}))
    assert (status.message, status.values[0].value) == (r'a\x00b', r'\x1b')
