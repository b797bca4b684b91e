"""Snapshots of a lesson: is there anything new?"""

from __future__ import annotations

from dataclasses import fields, replace

from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot


def test_every_part_that_changes_is_something_new():
    task = load_task('room')
    other = {
        'task': load_task('room'), 'question': object(), 'belief': object(), 'policy': object(),
        'history': object(), 'learner_lives': True,
        'execution': ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.STARTING),
        'has_controller': True, 'pose': (0.0, 0.0, 1e-9), 'robot': 1, 'driving': True,
        'gave_up': 'why', 'corrects': True, 'stops_without_page': True,
        'recorded': ((0, 1),), 'on_their_way': 1,
        'named': (('the old chair', (3,)),), 'no_task': ('it is broken', True)}
    assert set(other) == {field.name for field in fields(LessonSnapshot)}
    before = LessonSnapshot(task=task, pose=(0.0, 0.0, 0.0), robot=0, recorded=())
    for name, value in other.items():
        assert not replace(before, **{name: value}).is_like(before), name


def test_equal_parts_are_nothing_new():
    before = LessonSnapshot(task=load_task('room'), pose=(1.5, 2.5, 0.0), recorded=((0, 1),))
    again = replace(before, pose=(1.5, *before.pose[1:]), recorded=((0, 1),))
    assert again.pose is not before.pose
    assert again.is_like(before)
