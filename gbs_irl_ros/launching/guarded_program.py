"""
Runs a program in a group of its own, so that nothing of it is left behind, and hears its errors.

``python -m gbs_irl_ros.launching.guarded_program gz sim -r -s WORLD``. The server of Gazebo runs
in this: it ends with exit code 0 when it cannot load its world, continues without a plugin that is
missing, so that a robot would never move, and has left processes behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import IO

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Who started this waits for five seconds, as `ros2 launch` does, before it becomes impolite.
PATIENCE_S = ((signal.SIGINT, 3.0), (signal.SIGTERM, 1.0), (signal.SIGKILL, 1.0))
OTHERS_S = 0.3          # how long the others of the group have when the first has ended
LOOK_EVERY_S = 0.05
ERROR = re.compile(r'\[Err\]\s*')
# Without these the robot does not move, though the server runs on.
FATAL = ('Failed to load system plugin', 'Failed to find plugin', 'Unable to load the [',
         'No physics plugins found', 'Failed to load a valid physics engine')
MOST_ERRORS = 5         # that are repeated when it has ended
PR_SET_PDEATHSIG = 1
FAILED = 1


class Errors:
    """
    What a program complained about.

    fatal: the first line after which it is of no use, '' before that.
    """

    def __init__(self) -> None:
        self.fatal = ''
        self._lines: deque[str] = deque(maxlen=MOST_ERRORS)

    def hear(self, line: str) -> None:
        """Take note of a line that is an error."""
        line = re.sub(r'\x1b\[[0-9;]*m', '', line).strip()
        if ERROR.search(line) is None:
            return
        self._lines.append(ERROR.sub('', line))
        if not self.fatal and any(sign in line for sign in FATAL):
            self.fatal = self._lines[-1]

    @property
    def summary(self) -> str:
        """Return all of them in one line."""
        return '; '.join(self._lines) or 'it reported no error'


def run(command: Sequence[str], output: IO[str]) -> int:
    """Run a program until a signal comes; if it ends before, or is of no use, return 1."""
    stop = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: stop.set())
    process = subprocess.Popen(
        list(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors='replace', bufsize=1, start_new_session=True,
        preexec_fn=_die_with_parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)     # its parent may have blocked them
    errors = Errors()
    reader = threading.Thread(target=_show, args=(process.stdout, errors, output), daemon=True)
    reader.start()
    while not stop.wait(LOOK_EVERY_S) and process.poll() is None and not errors.fatal:
        pass
    code, name = process.poll(), ' '.join(command[:2])
    _end(process)
    reader.join(LOOK_EVERY_S * 10)
    if stop.is_set():
        return 0
    output.write(f'ERROR: {name} has ended by itself with exit code {code}: {errors.summary}\n'
                 if not errors.fatal else
                 f'ERROR: {name} is of no use without what it misses, and is ended: '
                 f'{errors.fatal}\n')
    output.flush()
    return FAILED


def _show(lines: IO[str], errors: Errors, output: IO[str]) -> None:
    with lines:
        for line in lines:
            with contextlib.suppress(BrokenPipeError):
                output.write(line)
                output.flush()
            errors.hear(line)


def _end(process: subprocess.Popen[str]) -> None:
    """End the whole group, also when the process that began it has ended before the others."""
    for number, patience in PATIENCE_S:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        deadline = time.monotonic() + patience
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)
        deadline = min(deadline, time.monotonic() + OTHERS_S)
        while _is_there(process) and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)
        if not _is_there(process):
            return


def _is_there(process: subprocess.Popen[str]) -> bool:
    process.poll()      # so that it is forgotten when it has ended
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


if __name__ == '__main__':
    sys.exit(run(sys.argv[1:], sys.stdout))
