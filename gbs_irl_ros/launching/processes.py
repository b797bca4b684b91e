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
from dataclasses import dataclass, field
from typing import TextIO

from gbs_irl_ros.launching.supervision import RESPAWN_DELAY_S, ProcessEndedError, Supervision

PATIENCE_S = ((signal.SIGINT, 6.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))
LOOK_EVERY_S = 0.05
PR_SET_PDEATHSIG = 1
NAME_WIDTH = 12
LAUNCHER = 'launcher'       # who speaks when a process has ended
LAST_WORDS_S = 1.0  # that are still on their way when a process has ended
MAX_KEPT = 200     # lines, while another process has the terminal
STILL_EVERY_S = 3.0     # how often it is said that they start, until one of them says something
# What a node of ROS 2 logs, without the time and the name, which is in front anyway.
ENVIRONMENT = {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{severity}: {message}',
               'RCUTILS_LOGGING_BUFFERED_STREAM': '0', 'PYTHONUNBUFFERED': '1'}
ORDINARY = 'INFO: '
WITH_NAMES = {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{name}: {severity}: {message}'}


@dataclass(frozen=True)
class Command:
    """
    A process to be started.

    leads: when it ends, everything ends, with its exit code.
    needs_terminal: it reads the keyboard and writes to the terminal itself.
    respawn: when it ends, it is started again, unless that happens too often.
    needed: the others end when it has ended for good.
    is_node: it is run by `run_node`, which takes SIGINT as soon as it is ready for it. Until then
        the signal waits: in the middle of importing it would print a traceback.
    nodes: those that share it; what one of them logs is shown under its own name.
    """

    name: str
    arguments: Sequence[str]
    leads: bool = False
    needs_terminal: bool = False
    respawn: bool = False
    needed: bool = True
    is_node: bool = False
    nodes: tuple[str, ...] = ()


@dataclass
class _Running:
    """
    A command and the process that runs it now.

    start_at: when it is started again, None while it runs.
    """

    command: Command
    process: subprocess.Popen
    supervision: Supervision
    readers: list[threading.Thread] = field(default_factory=list)
    start_at: float | None = None


def run_together(commands: Sequence[Command], environment: Mapping[str, str],
                 output: TextIO = sys.stdout, *, announced: bool = False) -> int:
    """
    Start all; when one ends for good or a signal comes, end the others; return the exit code.

    While one of them has the terminal, what the others say is kept, and shown when it has ended:
    otherwise it would appear in the middle of what the person reads.

    That is the code of the process that leads, and 0 after Ctrl-C or a signal. Another process was
    not supposed to end by itself: its own code if it failed, 1 otherwise.

    :param announced: say at once what is started, and that it still starts, until one of them
        says something.
    """
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set())
              for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    kept = _Kept(output) if any(command.needs_terminal for command in commands) else None
    together = _Together({**environment, **ENVIRONMENT}, kept or output)
    if announced:
        names = ', '.join(node for each in commands for node in each.nodes or (each.name,))
        _write(output, LAUNCHER, f'starting {names}; this takes some seconds')
    together.is_heard = not announced
    try:
        for command in commands:
            together.start(command)
        return together.watch(stop)
    finally:
        together.end()
        if kept is not None:
            kept.show()
        for number, handler in before.items():
            signal.signal(number, handler)


class _Together:
    """
    The processes that run together.

    is_heard: one of them has said something, or nobody wants to know that they start.
    """

    def __init__(self, environment: Mapping[str, str], output: TextIO) -> None:
        self._environment, self._output = environment, output
        self._lock = threading.Lock()
        self._running: list[_Running] = []
        self._began = self._said_at = time.monotonic()
        self.is_heard = False

    def start(self, command: Command) -> None:
        """Start one."""
        running = _Running(command, self._started(command),
                           Supervision(command.name, respawn=command.respawn,
                                       needed=command.needed))
        self._running.append(running)
        self._read(running)

    def watch(self, stop: threading.Event) -> int:
        """Return the exit code when there is a reason to end."""
        while not stop.wait(LOOK_EVERY_S):
            self._say_that_it_starts()
            for running in self._running:
                code = running.process.poll()
                if code is None or running.supervision.given_up:
                    continue
                if running.command.leads:
                    return code
                try:
                    self._look_after(running, code)
                except ProcessEndedError as error:
                    self._say(LAUNCHER, str(error))
                    return code if code > 0 else 1
        return 0

    def end(self) -> None:
        """End those that are alive, and wait for their last words."""
        for number, patience in PATIENCE_S:
            alive = [each.process for each in self._running if each.process.poll() is None]
            for process in alive:
                os.kill(process.pid, number)
            deadline = time.monotonic() + patience
            for process in alive:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.0, deadline - time.monotonic()))
        for running in self._running:
            for reader in running.readers:
                reader.join()

    def _say_that_it_starts(self) -> None:
        now = time.monotonic()
        if not self.is_heard and now - self._said_at >= STILL_EVERY_S:
            self._said_at = now
            self._say(LAUNCHER, f'still starting, {now - self._began:.0f} s so far')

    def _look_after(self, running: _Running, code: int) -> None:
        """Start one again some time after it has ended; raise if it must not be."""
        now = time.monotonic()
        if running.start_at is None:
            for reader in running.readers:      # what it said last belongs to its end
                reader.join(LAST_WORDS_S)
            self._say(LAUNCHER, running.supervision.see_end(code, now))
            running.start_at = now + RESPAWN_DELAY_S
        elif now >= running.start_at:
            running.process = self._started(running.command)
            running.start_at = None
            self._read(running)

    def _read(self, running: _Running) -> None:
        """Show what a process says, from now on."""
        if running.process.stdout is not None:
            running.readers = [each for each in running.readers if each.is_alive()]
            running.readers.append(threading.Thread(
                target=self._show, args=(running, running.process.stdout)))
            running.readers[-1].start()

    def _started(self, command: Command) -> subprocess.Popen:
        return _start(command, {**self._environment, **(WITH_NAMES if command.nodes else {})})

    def _show(self, running: _Running, lines: TextIO) -> None:
        name = running.command.name
        with lines:
            for line in lines:
                self.is_heard = True
                running.supervision.hear(line)
                logger, sign, text = line.partition(': ')
                node = logger.rpartition('.')[2]        # behind the namespace
                if sign and node in running.command.nodes:
                    name, line = node, text
                self._say(name, line)

    def _say(self, name: str, text: str) -> None:
        with self._lock:
            _write(self._output, name, text)


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


def _write(output: TextIO, name: str, text: str) -> None:
    # The reader may be gone, as `head` does: the processes continue all the same.
    with contextlib.suppress(BrokenPipeError):
        for line in text.rstrip().splitlines() or ['']:
            output.write(f'{name:<{NAME_WIDTH}} | {line.removeprefix(ORDINARY)}\n')
        output.flush()


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
