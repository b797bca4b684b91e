"""Waiting for something to become true, with a deadline; needs no ROS."""

from __future__ import annotations

import time

DEADLINE_S = 60.0
PAUSE_S = 0.002


def wait_for(condition, what, deadline_s=DEADLINE_S):
    """
    Return the first true result of a condition; fail after the deadline.

    A condition that looks up what has not arrived yet is not true yet: the lookup's error is
    raised only if it is still there at the deadline.

    :param what: what is waited for, or a function that says so at the deadline.
    """
    end = time.monotonic() + deadline_s
    missing = None
    while time.monotonic() < end:
        try:
            result, missing = condition(), None
        except LookupError as error:
            result, missing = None, error
        if result:
            return result
        time.sleep(PAUSE_S)
    named = what() if callable(what) else what
    raise AssertionError(f'waited {deadline_s} s in vain for {named}') from missing
