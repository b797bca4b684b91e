"""Texts and lists in messages have limits, whatever the message."""

from __future__ import annotations

import inspect
import re

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from nav_msgs.msg import Odometry

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.ros.messages import limits
from gbs_irl_ros.ros.messages.fields import text
from gbs_irl_ros.ros.messages.limits import check_limits

pytestmark = pytest.mark.ros

KINDS = [kind for _, kind in sorted(inspect.getmembers(msg, inspect.isclass))
         if hasattr(kind, 'get_fields_and_field_types')]
KINDS += [part for _, kind in sorted(inspect.getmembers(srv, inspect.isclass))
          if hasattr(kind, 'Request') for part in (kind.Request, kind.Response)]
NAMES = {'name', 'names', 'state_names', 'action_names', 'region_names', 'reason_data',
         'synonym_of', 'synonyms', 'text', 'likelihood_options'}


def fields(wanted):
    """Return (kind, field, type of the field) of all that have such a type."""
    return [(kind, name, type_name) for kind in KINDS
            for name, type_name in kind.get_fields_and_field_types().items()
            if re.search(wanted, type_name)]


@for_each('kind, name, type_name', fields('string'))
def test_every_text_of_every_message_has_a_limit(kind, name, type_name):
    longest = limits.LONGEST_ID if name in limits.IDS else limits.LONGEST_TEXT

    def with_text(value):
        return kind(**{name: [value] if 'sequence' in type_name else value})
    check_limits(kind())
    check_limits(with_text('é' * longest))
    with pytest.raises(InvalidRecordError, match=re.escape(
            f'{name} must have at most {longest} characters, got {longest + 1}')):
        check_limits(with_text('é' * (longest + 1)))
    if name in limits.IDS:
        with pytest.raises(InvalidRecordError, match=re.escape(
                rf"{name} must not contain control characters, got 'a\x1b[2J'")):
            check_limits(with_text('a\x1b[2J'))
    # It is known what each is for, so that a new one is not forgotten.
    assert (name in limits.IDS) + (name in limits.FOR_PEOPLE) + (name in NAMES) == 1


@for_each('kind, name, type_name', [
    each for each in fields('^sequence<') if each[1] in limits.MOST_OF])
def test_lists_have_limits(kind, name, type_name):
    most = limits.MOST_OF[name]
    entry = 0 if 'int' in type_name else '' if 'string' in type_name else getattr(
        msg, type_name.removeprefix('sequence<gbs_irl_ros/').removesuffix('>'))()
    check_limits(kind(**{name: [entry] * most}))
    with pytest.raises(InvalidRecordError, match=re.escape(
            f'{name} must have at most {most} entries, got {most + 1}')):
        check_limits(kind(**{name: [entry] * (most + 1)}))


def test_any_other_list_has_one_too(monkeypatch):
    monkeypatch.setattr(limits, 'MOST', 2)
    check_limits(msg.World(state_names=['a', 'b']))
    with pytest.raises(InvalidRecordError, match='state_names must have at most 2 entries, got 3'):
        check_limits(msg.World(state_names=['a', 'b', 'c']))


def test_what_is_inside_is_looked_at_too():
    deep = srv.QueryDemonstrator.Request(question=msg.Question(
        rivals=[msg.Rival(), msg.Rival(name='x' * 20_001)]))
    with pytest.raises(InvalidRecordError, match='name must have at most 20000 characters'):
        check_limits(deep)
    odometry = Odometry()
    check_limits(odometry)
    odometry.header.frame_id = 'x' * 201
    with pytest.raises(InvalidRecordError, match='frame_id must have at most 200 characters'):
        check_limits(odometry)


def test_what_people_read_is_made_readable_and_fits():
    for name in limits.FOR_PEOPLE:
        assert text(name, 'no\0t\udc80 \x1b[2J') == r'no\x00t\udc80 \x1b[2J'
        assert len(text(name, '\x1b' * 10_000_000)) < limits.LONGEST_TEXT
    assert len(text('said', 'x' * 10_000_000)) < limits.LONGEST_TEXT
