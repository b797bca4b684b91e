"""No acknowledged answer is lost, doubled or altered: over a bad line, or beside killed nodes."""

from __future__ import annotations

import functools

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from soak import kills, losses
from soak.lanes import at_once

pytestmark = pytest.mark.ros
SEED = 20130729


def folder(tmp_path, name):
    made = tmp_path / name
    made.mkdir()
    return made


def test_two_thousand_answers_over_a_bad_line(tmp_path):
    found, luck = losses.lossy_lessons(tmp_path, SEED, answers=250, lessons=8)
    assert found.is_clean, str(found)
    assert found.acknowledged == 2000
    assert found.compared > 1000
    assert min(luck[kind] for kind in losses.CHANCES) >= 10, luck   # the line really was bad


def test_the_check_above_notices_a_teacher_who_changes_his_mind(tmp_path):
    assert losses.control(tmp_path, SEED).caught


def test_thirty_kills(tmp_path):
    """Of the learner, the controller and each kind of teacher's node, in random order."""
    lessons = at_once(*(functools.partial(
        kills.killed_lesson, folder(tmp_path, person.node), SEED, 10, person=person)
        for person in set(kills.TEACHERS)))
    for found, _ in lessons:
        assert found.is_clean, str(found)
        assert found.acknowledged >= 10
        assert found.compared >= 10
    killed = sum((counts for _, counts in lessons), start=type(lessons[0][1])())
    assert sum(killed.values()) >= 30
    assert set(killed) == {'learner', 'controller', 'demonstrator', 'gui', 'teleop'}, killed


def test_a_learner_with_a_fault_is_caught(tmp_path):
    caught = at_once(*(functools.partial(kills.control, folder(tmp_path, name), SEED, name)
                       for name in kills.CONTROLS))
    assert [control.what for control in caught if not control.caught] == []
