"""
Standard output and error that hold nobody up.

A terminal that is paused (Ctrl-S) and a pipe or socket that nobody reads make whoever writes to
them wait. A controller that logs would be deaf for as long.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import os
import select
import stat
import sys
import threading
import time
from collections.abc import Iterator, Sequence

STANDARD = (1, 2)       # descriptors of output and error
KEPT_BYTES = 1 << 20    # that wait to be read; what comes then is lost
PIECE_BYTES = 4096
GIVE_UP_S = 0.5         # at the end, if nobody reads


@contextlib.contextmanager
def unblocked_output(descriptors: Sequence[int] = STANDARD) -> Iterator[None]:
    """
    Return a context in which nobody waits for those who read the output.

    It goes into a pipe that never blocks, from which a thread passes it on. Files and devices are
    left alone: they do not block.
    """
    passed: dict[tuple[int, int], _Passed] = {}
    real: dict[int, int] = {}
    _flush()
    for number in descriptors:
        try:
            found = os.fstat(number)
        except OSError:     # it is closed
            continue
        if not (os.isatty(number) or stat.S_ISFIFO(found.st_mode)
                or stat.S_ISSOCK(found.st_mode)):
            continue
        real[number] = os.dup(number)
        same = found.st_dev, found.st_ino       # one for both: in the order in which it is written
        if same not in passed:
            passed[same] = _Passed(real[number])
        os.dup2(passed[same].entrance, number, inheritable=True)
    if 2 in real:
        _keep_for_errors(real[2])
    try:
        yield
    finally:
        _flush()
        for number, kept in real.items():
            os.dup2(kept, number, inheritable=True)
        for each in passed.values():
            each.end()
        if 2 in real and faulthandler.is_enabled():
            faulthandler.enable(2)
        # One that still writes ends with the process.
        for kept in real.values() if not any(each.is_alive() for each in passed.values()) else ():
            os.close(kept)


class _Passed(threading.Thread):
    """Passes on what is written into a pipe. entrance: where that is."""

    def __init__(self, exit_: int) -> None:
        super().__init__(daemon=True, name='output')
        self._exit = exit_
        self._source, self.entrance = os.pipe()
        with contextlib.suppress(OSError):      # more than an ordinary user may have
            fcntl.fcntl(self.entrance, fcntl.F_SETPIPE_SZ, KEPT_BYTES)
        os.set_blocking(self.entrance, False)
        self.start()

    def run(self) -> None:
        """Pass on until the entrance is closed; read on when nobody is there to read."""
        is_open = True
        while piece := os.read(self._source, PIECE_BYTES):
            while piece and is_open:
                try:
                    piece = piece[os.write(self._exit, piece):]
                except BlockingIOError:         # another process has made it so
                    select.select([], [self._exit], [])
                except OSError:
                    is_open = False
        os.close(self._source)

    def end(self) -> None:
        """Close the entrance; wait for what is still to be passed on while somebody reads it."""
        os.close(self.entrance)
        taken_at = time.monotonic()
        while self.is_alive() and time.monotonic() - taken_at < GIVE_UP_S:
            self.join(GIVE_UP_S / 5)
            if select.select([], [self._exit], [], 0.0)[1]:
                taken_at = time.monotonic()


def _keep_for_errors(descriptor: int) -> None:
    """Let what is said of a crash, after which no thread runs, go out directly."""
    if os.isatty(descriptor):
        os.environ.setdefault('RCUTILS_COLORIZED_OUTPUT', '1')      # as it would have been
    if faulthandler.is_enabled():
        faulthandler.enable(descriptor)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):      # closed, full, None
            stream.flush()
