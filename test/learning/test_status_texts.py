"""What the robot does, as a person reads it: a sentence for every code."""

from __future__ import annotations

import string

import pytest
from cases import for_each

from gbs_irl_ros.learning.records import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.status_texts import EXECUTION_REASONS, EXECUTION_STATUSES, execution_text

STOPPED = ExecutionStatus.STOPPED


def test_every_reason_and_every_status_has_a_sentence():
    assert set(EXECUTION_REASONS) == set(ExecutionReason) - {ExecutionReason.NO_REASON}
    assert set(EXECUTION_STATUSES) == set(ExecutionStatus)


@for_each('template', [*EXECUTION_REASONS.values(), *EXECUTION_STATUSES.values()])
def test_a_sentence_has_no_other_gaps_than_are_filled(template):
    gaps = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    assert gaps <= {'0', '1', 'state', 'target', 'allow'}


@for_each(('execution', 'expected'), [
    (ExecutionRecord(STOPPED, ExecutionReason.NOT_ALLOWED),
     'motion is not allowed yet: call the service ~/enable'),
    (ExecutionRecord(STOPPED, ExecutionReason.NO_HEARTBEAT, ('0.7',)),
     'no heartbeat from the learner for 0.7 s'),
    (ExecutionRecord(STOPPED, ExecutionReason.NO_CELLS, ('{0}',)),
     "the states of task '{0}' have no place on the floor, so no robot can drive there; it can be "
     'taught, not driven'),
    (ExecutionRecord(ExecutionStatus.DRIVING, state=3, action=1, target=4), 'driving to state 4'),
    (ExecutionRecord(ExecutionStatus.MANUAL), 'a person drives')])
def test_a_record_is_read_as_a_sentence(execution, expected):
    assert execution_text(execution) == expected


@pytest.mark.parametrize('reason', [ExecutionReason.NOT_ALLOWED, ExecutionReason.OTHER_LESSON])
def test_how_motion_is_allowed_is_said_as_the_reader_can_do_it(reason):
    text = execution_text(ExecutionRecord(STOPPED, reason), 'press g')
    assert 'press g' in text
    assert 'enable' not in text


def test_data_that_are_missing_do_no_harm():
    assert execution_text(ExecutionRecord(STOPPED, ExecutionReason.OLD_POLICY)) == 'old policy'
