"""When a process that has ended is started again, and when everything ends."""

from __future__ import annotations

import pytest

from gbs_irl_ros.launching.supervision import (
    LAST_LINES,
    MAX_ENDS,
    WITHIN_S,
    ProcessEndedError,
    Supervision,
)


def test_as_long_as_it_is_no_loop_it_is_started_again():
    supervision = Supervision('learner', respawn=True)
    every_s = WITHIN_S / (MAX_ENDS - 1) + 0.1       # the last is just outside
    for number in range(20):
        assert supervision.see_end(1, number * every_s) \
            == 'learner has ended with exit code 1; it is started again'


def test_a_loop_ends_all_with_what_was_said_last():
    supervision = Supervision('learner', respawn=True)
    supervision.hear(''.join(f'line {number}\n\n' for number in range(100)))
    for number in range(MAX_ENDS - 1):
        supervision.see_end(1, number * WITHIN_S / (MAX_ENDS - 1))
    with pytest.raises(ProcessEndedError) as caught:
        supervision.see_end(-11, WITHIN_S)
    first, *lines = str(caught.value).splitlines()
    assert first == ('learner has ended with exit code -11, the 5th time within 60 s: it is not '
                     'started again; ending the others. Its last lines:')
    assert lines == [f'    line {number}' for number in range(100 - LAST_LINES, 100)]


def test_one_that_must_not_be_started_again_ends_all_at_once():
    with pytest.raises(ProcessEndedError,
                       match=r'^controller has ended with exit code 0; ending the others$'):
        Supervision('controller', respawn=False).see_end(0, 0.0)
