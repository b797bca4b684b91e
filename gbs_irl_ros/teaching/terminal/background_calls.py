"""Calls that may take a moment, made one after the other while everything else continues."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from gbs_irl_ros.core.errors import GbsIrlError

Call = Callable[[], str]


class BackgroundCalls:
    """Makes calls in threads of its own, which end with the process, and tells the results."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """
        Start the threads: one for what is urgent, one for the rest.

        :param tell: called with what a call returns, or with why it failed.
        """
        self._tell = tell
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
            try:
                self._tell(call())
            except GbsIrlError as error:
                self._tell(str(error))
            except Exception as error:      # the next one must still be made
                self._tell(f'a fault: {type(error).__name__}: {error}')
