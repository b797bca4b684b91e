"""Runs several processes as one: shows what they say, and ends all of them together."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

PATIENCE_S = ((signal.SIGINT, 6.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))
LOOK_EVERY_S = 0.05
PR_SET_PDEATHSIG = 1
NAME_WIDTH = 12
MAX_KEPT = 200     # lines, while another process has the terminal
# What a node of ROS 2 logs, without the time and the name, which is in front anyway.
ENVIRONMENT = {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{severity}: {message}',
               'RCUTILS_LOGGING_BUFFERED_STREAM': '0', 'PYTHONUNBUFFERED': '1'}
ORDINARY = 'INFO: '


@dataclass(frozen=True)
class Command:
    """
    A process to be started.

    leads: when it ends, everything ends, with its exit code.
    needs_terminal: it reads the keyboard and writes to the terminal itself.
    is_node: it is run by `run_node`, which takes SIGINT as soon as it is ready for it. Until then
        the signal waits: in the middle of importing it would print a traceback.
    """

    name: str
    arguments: Sequence[str]
    leads: bool = False
    needs_terminal: bool = False
    is_node: bool = False


def run_together(commands: Sequence[Command], environment: Mapping[str, str],
                 output: TextIO = sys.stdout) -> int:
    """
    Start all; when one ends or a signal comes, end the others; return the exit code.

    While one of them has the terminal, what the others say is kept, and shown when it has ended:
    otherwise it would appear in the middle of what the person reads.

    That is the code of the process that leads, and 0 after Ctrl-C or a signal. Another process was
    not supposed to end by itself: its own code if it failed, 1 otherwise.
    """
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set())
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    running: list[tuple[Command, subprocess.Popen]] = []
    readers: list[threading.Thread] = []
    kept = _Kept(output) if any(command.needs_terminal for command in commands) else None
    output, lock = kept or output, threading.Lock()
    try:
        for command in commands:
            running.append((command, _start(command, {**environment, **ENVIRONMENT})))
        for command, process in running:
            if process.stdout is not None:
                readers.append(threading.Thread(
                    target=_show, args=(command.name, process.stdout, output, lock)))
                readers[-1].start()
        return _watch(running, stop, output, lock)
    finally:
        _end(running)
        for reader in readers:
            reader.join()
        if kept is not None:
            kept.show()
        for number, handler in before.items():
            signal.signal(number, handler)


class _Kept(io.StringIO):
    """Keeps the last lines that are written to it, to be shown later."""

    def __init__(self, output: TextIO) -> None:
        super().__init__()
        self._output = output
        self._lines: deque[str] = deque(maxlen=MAX_KEPT)

    def write(self, text: str) -> int:
        self._lines.append(text)
        return len(text)

    def show(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._output.write(''.join(self._lines))
            self._output.flush()


def _start(command: Command, environment: Mapping[str, str]) -> subprocess.Popen:
    return subprocess.Popen(
        list(command.arguments), env=dict(environment),
        stdin=None if command.needs_terminal else subprocess.DEVNULL,
        stdout=None if command.needs_terminal else subprocess.PIPE,
        stderr=None if command.needs_terminal else subprocess.STDOUT,
        text=True, errors='replace', bufsize=1,
        # Ctrl-C reaches this process alone, which then ends the others in order. Only who reads
        # the keyboard must stay in the terminal's own group.
        start_new_session=not command.needs_terminal,
        preexec_fn=_node if command.is_node else _die_with_parent)


def _die_with_parent() -> None:
    """Have the kernel end this process when the one that started it is gone, even by SIGKILL."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _node() -> None:
    _die_with_parent()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _show(name: str, lines: TextIO, output: TextIO, lock: threading.Lock) -> None:
    with lines:
        for line in lines:
            _say(name, line, output, lock)


def _say(name: str, text: str, output: TextIO, lock: threading.Lock) -> None:
    # The reader may be gone, as `head` does: the processes continue all the same.
    with lock, contextlib.suppress(BrokenPipeError):
        output.write(f'{name:<{NAME_WIDTH}} | {text.rstrip().removeprefix(ORDINARY)}\n')
        output.flush()


def _watch(running: Sequence[tuple[Command, subprocess.Popen]], stop: threading.Event,
           output: TextIO, lock: threading.Lock) -> int:
    while not stop.wait(LOOK_EVERY_S):
        for command, process in running:
            code = process.poll()
            if code is None:
                continue
            if command.leads:
                return code
            _say(command.name, f'has ended with exit code {code}; ending the others', output, lock)
            return code if code > 0 else 1
    return 0


def _end(running: Sequence[tuple[Command, subprocess.Popen]]) -> None:
    for number, patience in PATIENCE_S:
        alive = [process for _, process in running if process.poll() is None]
        for process in alive:
            os.kill(process.pid, number)
        deadline = time.monotonic() + patience
        for process in alive:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue
