"""Calls are made in turn, and their results are told."""

from __future__ import annotations

import queue
import threading
import time

from waiting import patience

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.teaching.terminal.background_calls import BackgroundCalls


def test_calls_are_made_in_turn_whatever_goes_wrong():
    told = queue.SimpleQueue()
    calls = BackgroundCalls(told.put)

    def refuse():
        raise GbsIrlError('not now')

    def fail():
        raise ZeroDivisionError('oh')
    for call in (lambda: 'one', refuse, fail, lambda: 'two'):
        calls.add(call)
    assert [told.get(timeout=patience(10)) for _ in range(4)] == [
        'one', 'not now', 'a fault: ZeroDivisionError: oh', 'two']


def test_an_urgent_call_does_not_wait_for_the_others():
    told, gate = queue.SimpleQueue(), threading.Event()
    calls = BackgroundCalls(told.put)
    calls.add(lambda: gate.wait(patience(10)) and 'slow')
    calls.add(lambda: 'urgent', urgent=True)
    assert told.get(timeout=patience(10)) == 'urgent'
    gate.set()
    assert told.get(timeout=patience(10)) == 'slow'


def test_an_urgent_call_that_takes_long_is_told_of_before_it_is_done():
    told, gate = queue.SimpleQueue(), threading.Event()
    calls = BackgroundCalls(told.put, 'not yet')
    calls.add(lambda: gate.wait(patience(10)) and 'slow')
    calls.add(lambda: gate.wait(patience(10)) and 'stopped', urgent=True)
    pressed_at = time.monotonic()
    assert told.get(timeout=patience(10)) == 'not yet'
    assert time.monotonic() - pressed_at < patience(1.0)
    gate.set()
    assert {told.get(timeout=patience(10)) for _ in range(2)} == {'slow', 'stopped'}
    calls.add(lambda: 'at once', urgent=True)
    assert told.get(timeout=patience(10)) == 'at once'
    assert told.empty()
