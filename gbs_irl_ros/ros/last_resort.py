"""Ends a process that the middleware holds for ever, together with the interpreter."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import time
from collections.abc import Iterator

CALL_A_FUNCTION = 2     # SIGEV_THREAD
PROCESSOR_TIME = 2      # CLOCK_PROCESS_CPUTIME_ID, of all threads


class _Notice(ctypes.Structure):
    """A struct sigevent of the GNU C library: what happens when the time is over."""

    _fields_ = (('value', ctypes.c_ssize_t), ('signal', ctypes.c_int), ('kind', ctypes.c_int),
                ('function', ctypes.c_void_p), ('rest', ctypes.c_char * 40))


class _Times(ctypes.Structure):
    """A struct itimerspec: how often, and when for the first time."""

    _fields_ = (('again_s', ctypes.c_long), ('again_ns', ctypes.c_long),
                ('seconds', ctypes.c_long), ('nanoseconds', ctypes.c_long))


@contextlib.contextmanager
def ended_after(seconds: float, processor_seconds: float, code: int) -> Iterator[None]:
    """
    End this process with an exit code if the block takes too long.

    No thread of Python could: the one that hangs in the middleware holds the interpreter. So a
    thread of the C library calls ``_exit``.

    :param seconds: the block may take.
    :param processor_seconds: that it may take on a processor: less of it says that it goes round
        in circles, on a busy machine, too.
    """
    try:
        library = ctypes.CDLL(None)
        create, leave = library.timer_create, library._exit
    except AttributeError:      # another C library: the system ends it, with a code of its own
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        return
    notice = _Notice(value=code, kind=CALL_A_FUNCTION,
                     function=ctypes.cast(leave, ctypes.c_void_p))
    timers = []
    for clock, limit in ((time.CLOCK_MONOTONIC, seconds), (PROCESSOR_TIME, processor_seconds)):
        timer = ctypes.c_void_p()
        if create(clock, ctypes.byref(notice), ctypes.byref(timer)) != 0:
            continue
        whole = int(limit)
        times = _Times(seconds=whole, nanoseconds=round((limit - whole) * 1e9))
        library.timer_settime(timer, 0, ctypes.byref(times), None)
        timers.append(timer)
    try:
        yield
    finally:
        for timer in timers:
            library.timer_delete(timer)
