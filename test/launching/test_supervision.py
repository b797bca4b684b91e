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
from gbs_irl_ros.starting.missing_modules import NODE_CANNOT_RUN


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


def test_one_that_lacks_a_module_is_not_tried_again_and_the_others_continue():
    supervision = Supervision('gui', respawn=True, needed=False)
    supervision.hear('something else\ngui cannot start: there is no Python module\n')
    assert supervision.see_end(NODE_CANNOT_RUN, 0.0) == (
        'gui cannot run here; the others continue without it. Its last lines:\n'
        '    gui cannot start: there is no Python module')
    assert supervision.given_up


def test_without_a_module_that_all_need_everything_ends_at_once():
    with pytest.raises(ProcessEndedError, match=r'^learner cannot run here; ending the others$'):
        Supervision('learner', respawn=True).see_end(NODE_CANNOT_RUN, 0.0)


def test_one_that_must_not_be_started_again_ends_all_at_once():
    with pytest.raises(ProcessEndedError,
                       match=r'^controller has ended with exit code 0; ending the others$'):
        Supervision('controller', respawn=False).see_end(0, 0.0)
