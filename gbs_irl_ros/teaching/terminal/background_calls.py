"""Calls that may take a moment, made one after the other while everything else continues."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from gbs_irl_ros.core.errors import GbsIrlError

Call = Callable[[], str]
LATE_S = 0.8        # an urgent call that takes longer is told of


class BackgroundCalls:
    """Makes calls in threads of its own, which end with the process, and tells the results."""

    def __init__(self, tell: Callable[[str], None], late: str = '') -> None:
        """
        Start the threads: one for what is urgent, one for the rest.

        :param tell: called with what a call returns, or with why it failed.
        :param late: what is told of an urgent call that takes longer than a moment.
        """
        self._tell, self._late = tell, late
        self._waiting: dict[bool, queue.SimpleQueue[Call]] = {
            urgent: queue.SimpleQueue() for urgent in (False, True)}
        for calls in self._waiting.values():
            threading.Thread(target=self._run, args=(calls,), daemon=True).start()

    def add(self, call: Call, urgent: bool = False) -> None:
        """Have a call made after those that were added before, if they are as urgent."""
        self._waiting[urgent].put(call)

    def _run(self, calls: queue.SimpleQueue[Call]) -> None:
        while True:
            call = calls.get()
            timer = self._tell_if_late() if calls is self._waiting[True] and self._late else None
            said = _said(call)
            if timer is not None:
                timer.cancel()
            self._tell(said)

    def _tell_if_late(self) -> threading.Timer:
        timer = threading.Timer(LATE_S, self._tell, [self._late])
        timer.daemon = True
        timer.start()
        return timer


def _said(call: Call) -> str:
    try:
        return call()
    except GbsIrlError as error:
        return str(error)
    except Exception as error:      # the next one must still be made
        return f'a fault: {type(error).__name__}: {error}'
