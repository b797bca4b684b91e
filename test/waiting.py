"""Waiting for something to become true, with a deadline that fits the machine; needs no ROS."""

from __future__ import annotations

import os
import time

DEADLINE_S = 30.0
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.002, 0.04     # between two looks, shorter at first
WORK = 300_000          # rounds of a loop that an idle machine of ours does in
USUAL_S = 0.013         # this time
MAX_SLOW = 10.0
_measured = {'times': 1.0, 'until': 0.0}


def slowness():
    """
    Return how many times as long as on an idle machine everything takes now: 1 to 10.

    The larger of two measures: how long a fixed piece of work takes at this moment, and how many
    processes want each processor (the load of the last minute). Measured again every second.
    """
    if time.monotonic() > _measured['until']:
        _measured.update(times=_measure(), until=time.monotonic() + 1.0)
    return _measured['times']


def _measure():
    began, total = time.perf_counter(), 0
    for number in range(WORK):
        total += number * number
    work = (time.perf_counter() - began) / USUAL_S
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(max(1.0, work, load), MAX_SLOW)


def patience(seconds):
    """Return for how long to wait now for what takes this long at most on an idle machine."""
    return seconds * slowness()


def wait_for(condition, what, deadline_s=DEADLINE_S):
    """
    Return the first true result of a condition; fail after the deadline.

    A condition that looks up what has not arrived yet is not true yet: the lookup's error is
    raised only if it is still there at the deadline. A deadline that has passed is put off if the
    machine turns out to be slow.

    :param what: what is waited for, or a function that says so at the deadline.
    :param deadline_s: on an idle machine.
    """
    began = time.monotonic()
    allowed_s, missing = deadline_s, None
    while True:
        try:
            result, missing = condition(), None
        except LookupError as error:
            result, missing = None, error
        if result:
            return result
        if time.monotonic() > began + allowed_s:
            if (longer_s := patience(deadline_s)) <= allowed_s:
                break
            allowed_s = longer_s
        waited_s = time.monotonic() - began
        time.sleep(min(SHORTEST_PAUSE_S + 0.05 * waited_s, LONGEST_PAUSE_S))
    named = what() if callable(what) else what
    raise AssertionError(f'waited {allowed_s:.1f} s in vain for {named}') from missing
