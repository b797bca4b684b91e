"""The terminal of a person: keys come in one by one, a screen goes out, and all is put back."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

from gbs_irl_ros.teaching.terminal.key_reader import REDRAW, KeyReader

ESCAPE_S = 0.1          # an escape without the rest of a sequence for so long is a key
MAX_READ = 4096
MAX_LINES = 100        # of what was logged, that wait to be shown
USUAL_SIZE = (80, 24)
HANGUP = 'hangup'       # the key of a keyboard that is gone
# The other screen, no cursor, lines that do not wrap; and back.
ENTER_SCREEN = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J'
LEAVE_SCREEN = '\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l'
WITHOUT_ARROWS = str.maketrans('↑→↓←•…·│─┆┄', '^>v<o~-|-:-')

Handler = Callable[[int, 'FrameType | None'], Any]


class Terminal:
    """
    Takes the terminal over when it is opened, and gives it back as it was when it is closed.

    While the screen is on, what others write to standard output and standard error, such as a
    logger, does not reach it: see ``logged``. Ctrl-C and Ctrl-Z are signals as ever; the terminal
    is given back while the process is stopped. To be opened and closed in the main thread.

    is_full: it has a screen to draw on; otherwise lines are written one below the other.
    is_styled: bold, colours and the like may be used.
    is_woken: the last ``read`` was woken, or what the screen shows has been forgotten.
    """

    def __init__(self, keyboard: int = 0, screen: int = 1, errors: int = 2,
                 environment: Mapping[str, str] = os.environ) -> None:
        self.is_full = os.isatty(screen) and environment.get('TERM', '') not in ('', 'dumb')
        self.is_styled = self.is_full and not environment.get('NO_COLOR')
        self.is_woken = False
        self._keyboard, self._screen, self._errors = keyboard, screen, errors
        self._encoding = getattr(sys.__stdout__, 'encoding', None) or 'utf-8'
        self._reader = KeyReader(self._encoding)
        self._lock = threading.RLock()
        self._is_on = False
        self._before: list[Any] = []                # how the keyboard was set
        self._out = screen
        self._kept: dict[int, int] = {}             # descriptors that were redirected: a copy
        self._handlers: dict[int, Any] = {}         # of signals, as they were
        self._shown: list[str] = []
        self._logged: list[str] = []
        self._wakes: tuple[int, int] = (-1, -1)     # a pipe: a byte in it ends the waiting
        self._log: tuple[int, int] = (-1, -1)       # a pipe: what was written by others
        self.on_suspend: Callable[[], None] = lambda: None

    @staticmethod
    def is_there(keyboard: int = 0) -> bool:
        """Return whether there is a keyboard."""
        try:
            return os.isatty(keyboard)
        except OSError:
            return False

    def __enter__(self) -> Terminal:
        """Return itself; it is not open yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back."""
        self.close()

    def open(self) -> None:
        """Take the terminal over."""
        self._before = termios.tcgetattr(self._keyboard)
        self._wakes = _pipe()
        self._out = os.dup(self._screen)
        if self.is_full and os.isatty(self._errors):
            self._log = _pipe()
            for number in (self._screen, self._errors):
                self._kept[number] = os.dup(number)
                os.dup2(self._log[1], number)
        self._is_on = True
        for number, handler in ((signal.SIGTSTP, self._on_stop), (signal.SIGCONT, self._on_cont),
                                (signal.SIGWINCH, self._on_resize)):
            self._handlers[number] = signal.signal(number, handler)
        self._take()
        self.wake()     # nothing is shown yet

    def close(self) -> None:
        """Give the terminal back as it was; once more does nothing."""
        with self._lock:
            if not self._is_on:
                return
            self._is_on = False
            self._give_back()
            for number, copy in self._kept.items():
                os.dup2(copy, number)
                os.close(copy)
            self._kept.clear()
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            self._pass_on_log()
            for descriptor in (*self._wakes, *self._log, self._out):
                if descriptor >= 0:
                    os.close(descriptor)

    @property
    def size(self) -> tuple[int, int]:
        """Return columns and rows."""
        with contextlib.suppress(OSError):
            columns, rows = os.get_terminal_size(self._out)
            if columns > 0 and rows > 0:
                return columns, rows
        return USUAL_SIZE

    @property
    def logged(self) -> list[str]:
        """Return what others have written since the last call, a line each."""
        lines, self._logged = self._logged, []
        return lines

    def wake(self) -> None:
        """End the waiting of ``read``; from any thread."""
        with self._lock, contextlib.suppress(BlockingIOError):
            if self._is_on:
                os.write(self._wakes[1], b'.')

    def read(self, timeout_s: float) -> list[str]:
        """Return the keys that were pressed, as soon as there are some or something else is."""
        if not self._is_on:
            return [HANGUP]
        waiting = self._reader.is_waiting
        sources = [source for source in (self._keyboard, self._wakes[0], self._log[0])
                   if source >= 0]
        try:
            ready = select.select(sources, [], [], ESCAPE_S if waiting else timeout_s)[0]
            self.is_woken = self._wakes[0] in ready
            if self.is_woken:
                os.read(self._wakes[0], MAX_READ)
            if self._log[0] in ready:
                self._keep_log(os.read(self._log[0], MAX_READ))
            if self._keyboard not in ready:
                return self._reader.flush() if waiting and not ready else []
            data = os.read(self._keyboard, MAX_READ)
        except (OSError, ValueError):       # hung up, or closed meanwhile
            return [HANGUP]
        keys = self._reader.feed(data) if data else [HANGUP]
        if REDRAW in keys:
            self._forget()
            self.is_woken = True
        return [key for key in keys if key != REDRAW]

    def show(self, lines: Sequence[str]) -> None:
        """
        Draw the screen, from its top; only what has changed is written.

        A row is cleared before it is written: after a full one the cursor is still on its last
        letter, which would be cleared.
        """
        with self._lock:
            if not self._is_on:
                return
            now = [*lines, *[''] * (len(self._shown) - len(lines))]
            before = [*self._shown, *['\0'] * (len(now) - len(self._shown))]
            self._write(''.join(
                f'\x1b[{row};1H\x1b[K{text}\x1b[0m' for row, (text, old) in
                enumerate(zip(now, before, strict=True), start=1) if text != old))
            self._shown = list(lines)

    def write_lines(self, lines: Sequence[str]) -> None:
        """Write lines below what is there, for a terminal without a screen."""
        with self._lock:
            if self._is_on:
                self._write(''.join(f'{each}\r\n' for each in lines))

    # ---- inside ---------------------------------------------------------------------------------

    def _take(self) -> None:
        """Set the keyboard and the screen as they are needed here; again does no harm."""
        with self._lock:
            if not self._is_on:
                return
            wanted = termios.tcgetattr(self._keyboard)
            wanted[0] &= ~(termios.IXON | termios.ICRNL)    # Ctrl-S must not freeze everything
            wanted[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
            wanted[3] |= termios.ISIG
            nothing = os.fpathconf(self._keyboard, 'PC_VDISABLE').to_bytes(1, 'little')
            wanted[6][termios.VMIN], wanted[6][termios.VTIME] = 1, 0
            wanted[6][termios.VQUIT] = nothing      # Ctrl-\ would leave the terminal as it is here
            termios.tcsetattr(self._keyboard, termios.TCSADRAIN, wanted)
            if self.is_full:
                self._write(ENTER_SCREEN)
            self._shown = []

    def _give_back(self) -> None:
        """Set everything as it was; a terminal that is gone needs nothing."""
        if self.is_full:
            self._write(LEAVE_SCREEN)
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)

    def _forget(self) -> None:
        with self._lock:
            self._shown = []
            if self.is_full:
                self._write('\x1b[2J')

    def _write(self, text: str) -> None:
        try:
            data = text.encode(self._encoding)
        except UnicodeEncodeError:
            data = text.translate(WITHOUT_ARROWS).encode(self._encoding, 'replace')
        with contextlib.suppress(OSError):      # hung up: there is nobody to see it
            while data:
                data = data[os.write(self._out, data):]

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        """Give the terminal back, stop as Ctrl-Z demands, and take it again afterwards."""
        self.on_suspend()
        with self._lock:
            if self._is_on:
                self._give_back()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
            signal.signal(number, self._on_stop)
        self._on_cont(number, frame)

    def _on_cont(self, number: int, frame: FrameType | None) -> None:
        self._take()
        self.wake()

    def _on_resize(self, number: int, frame: FrameType | None) -> None:
        if self._is_on:
            self._forget()
        self.wake()

    def _keep_log(self, data: bytes) -> None:
        lines = data.decode('utf-8', 'replace').splitlines()
        self._logged = [*self._logged, *(each for each in lines if each.strip())][-MAX_LINES:]

    def _pass_on_log(self) -> None:
        """Write what others wrote and nobody has seen where it was meant to go."""
        if self._log[0] < 0:
            return
        os.close(self._log[1])      # so that the reading comes to an end
        self._log = (self._log[0], -1)
        with contextlib.suppress(OSError):
            while data := os.read(self._log[0], MAX_READ):
                self._keep_log(data)
        with contextlib.suppress(OSError):
            os.write(self._errors, ''.join(f'{each}\n' for each in self.logged).encode())


def _pipe() -> tuple[int, int]:
    """Return a pipe whose writers never wait: a lost line is better than a robot that hangs."""
    ends = os.pipe()
    for descriptor in ends:
        os.set_blocking(descriptor, False)
    return ends
