"""A node in a pseudo-terminal, as a person has it over SSH: keys go in, the screen is read."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import pytest
from preloaded import preloaded
from waiting import DEADLINE_S, patience, wait_for

if os.environ.get('CI'):
    import pyte  # there a test that is left out would go unnoticed
else:
    pyte = pytest.importorskip('pyte', reason=(
        'the terminal is NOT TESTED: pyte is missing; pip install pyte'))

UP, DOWN, RIGHT, LEFT = ('\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D')
QUIET_S = 0.3               # a screen that has not changed for so long is drawn


class Screen(pyte.Screen):
    """The screen of pyte, which also remembers whether the other screen is on."""

    def __init__(self, columns, rows):
        self.is_other = False
        super().__init__(columns, rows)

    def set_mode(self, *modes, **options):
        super().set_mode(*modes, **options)
        if 1049 in modes and options.get('private'):
            self.is_other = True

    def reset_mode(self, *modes, **options):
        super().reset_mode(*modes, **options)
        if 1049 in modes and options.get('private'):
            self.is_other = False

    @property
    def cursor_is_shown(self):
        return not self.cursor.hidden


class TerminalProcess:
    """
    A process whose keyboard and screen are a pseudo-terminal of its own.

    raw: every byte that it wrote.
    """

    def __init__(self, name, command, environment, columns=80, rows=24, *, module=None):
        """
        Start it.

        :param module: of a node to be run, with `command` as its arguments.
        """
        self.name = name
        self.raw = b''
        self._here, self._there = pty.openpty()     # kept open here: its settings are looked at
        self.resize(columns, rows, tell=False)
        self.settings_before = termios.tcgetattr(self._there)
        self.screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._lock = threading.Lock()
        self._changed_at = time.monotonic()
        self._closing = threading.Event()
        environment = {'TERM': 'xterm-256color', **environment}
        if module is not None:
            self.popen = preloaded().start(
                module, command, environment, [self._there] * 3, own_terminal=True)
        else:
            self.popen = subprocess.Popen(
                command, env=environment, stdin=self._there, stdout=self._there,
                stderr=self._there, close_fds=True, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while not self._closing.is_set():
            if select.select([self._here], [], [], 0.05)[0]:
                try:
                    data = os.read(self._here, 65536)
                except OSError:
                    return
                with self._lock:
                    self.raw += data
                    self._stream.feed(data)
                    self._changed_at = time.monotonic()

    # ---- what a person sees and does ------------------------------------------------------------

    @property
    def lines(self):
        """The lines of the screen."""
        with self._lock:
            return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return '\n'.join(self.lines)

    @property
    def output(self):
        """All that was ever written, for what must never appear."""
        return self.raw.decode('utf-8', 'replace')

    @property
    def settings(self):
        """How the terminal is set: echo, signals, special keys."""
        return termios.tcgetattr(self._there)

    def press(self, *keys):
        """Press keys, each in a piece of its own."""
        for key in keys:
            os.write(self._here, key if isinstance(key, bytes) else key.encode())

    def wait_for_text(self, *texts, deadline_s=DEADLINE_S):
        """Return the screen as soon as all of the texts are on it."""
        try:
            return wait_for(lambda: (now := self.text) and all(text in now for text in texts)
                            and now, 'a screen', deadline_s)
        except AssertionError:
            missing = [text for text in texts if text not in self.text]
            raise AssertionError(f'waited in vain for {missing}; the screen:\n{self.text}') \
                from None

    def wait_while_text(self, text, deadline_s=DEADLINE_S):
        """Return the screen as soon as a text is gone."""
        wait_for(lambda: text not in self.text, lambda: f'{text!r} to disappear:\n{self.text}',
                 deadline_s)
        return self.text

    def settled(self, deadline_s=DEADLINE_S):
        """Return the lines as soon as nothing changes any more."""
        wait_for(lambda: time.monotonic() - self._changed_at > QUIET_S, 'a quiet screen',
                 deadline_s)
        return self.lines

    def resize(self, columns, rows, *, tell=True):
        """Change the size of the window; the process is told, as terminals do."""
        if tell:
            with self._lock:
                self.screen.resize(rows, columns)
        fcntl.ioctl(self._here, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    # ---- its end --------------------------------------------------------------------------------

    def send(self, number):
        self.popen.send_signal(number)

    def kill(self):
        self.popen.kill()
        self.popen.wait()

    def wait(self, deadline_s=30.0):
        """Return the exit code."""
        return self.popen.wait(patience(deadline_s))

    def assert_restored(self):
        """Fail unless the terminal is as it was: settings, screen, cursor."""
        wait_for(lambda: not self.screen.is_other, 'the usual screen to be back', 5.0)
        assert self.settings == self.settings_before
        assert self.screen.cursor_is_shown

    def close(self):
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGCONT)
            self.popen.kill()
        self.popen.wait()
        self._closing.set()
        self._reader.join()
        os.close(self._here)
        os.close(self._there)


def start_in_terminal(graph, executable='teleop', *, columns=80, rows=24, code=None,
                      environment=None, remap=(), **parameters):
    """
    Start a node of the package in a terminal.

    :param code: Python to run instead of the node; it starts the node itself.
    """
    words = [*([sys.executable, '-c', code] if code else []), '--ros-args']
    for rule in remap:
        words += ['-r', rule]
    for name, value in parameters.items():
        words += ['-p', f'{name}:={str(value).lower() if isinstance(value, bool) else value}']
    if words[-1] == '--ros-args':
        words.pop()
    process = TerminalProcess(executable, words, {**graph.environment, **(environment or {})},
                              columns, rows,
                              module=None if code else f'gbs_irl_ros.nodes.{executable}')
    graph.processes.append(process)
    return process
