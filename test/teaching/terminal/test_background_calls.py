"""Errands are done in turn, and their result is told."""

from __future__ import annotations

import queue

from waiting import patience

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.teaching.terminal.background_calls import BackgroundCalls


def test_they_are_done_in_turn_whatever_goes_wrong():
    told = queue.SimpleQueue()
    errands = BackgroundCalls(told.put)

    def refuse():
        raise GbsIrlError('not now')

    def fail():
        raise ZeroDivisionError('oh')
    for errand in (lambda: 'one', refuse, fail, lambda: 'two'):
        errands.add(errand)
    assert [told.get(timeout=patience(10)) for _ in range(4)] == [
        'one', 'not now', 'a fault: ZeroDivisionError: oh', 'two']
