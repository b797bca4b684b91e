"""Things to be done that may take a moment, one after the other, while everything else goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from gbs_irl_ros.core.errors import GbsIrlError

Errand = Callable[[], str]


class BackgroundCalls:
    """Does errands in a thread of its own, which ends with the process, and tells the result."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """
        Start the thread.

        :param tell: called with what an errand returns, or with why it could not be done.
        """
        self._tell = tell
        self._waiting: queue.SimpleQueue[Errand] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def add(self, errand: Errand) -> None:
        """Have this done after all that was added before."""
        self._waiting.put(errand)

    def _run(self) -> None:
        while True:
            errand = self._waiting.get()
            try:
                self._tell(errand())
            except GbsIrlError as error:
                self._tell(str(error))
            except Exception as error:      # the next one must still be done
                self._tell(f'a fault: {type(error).__name__}: {error}')
