"""The terminal: keys, screen, and that all of it is given back."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pytest

from gbs_irl_ros.teaching.terminal.terminal import (
    ENTER_SCREEN,
    HANGUP,
    LEAVE_SCREEN,
    USUAL_SIZE,
    Terminal,
)

DEADLINE_S = 10.0


class Pair:
    """A pseudo-terminal: this side is the person's."""

    def __init__(self):
        self.here, self.there = pty.openpty()
        self.before = termios.tcgetattr(self.there)

    @property
    def settings(self):
        return termios.tcgetattr(self.there)

    def seen(self, text, deadline_s=DEADLINE_S):
        """Return all that was written, as soon as a text is in it."""
        data, end = b'', time.monotonic() + deadline_s
        while text.encode() not in data:
            assert time.monotonic() < end, data
            if select.select([self.here], [], [], 0.05)[0]:
                data += os.read(self.here, 65536)
        return data.decode()

    def resize(self, columns, rows):
        fcntl.ioctl(self.here, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


@pytest.fixture
def pair():
    made = Pair()
    yield made
    for descriptor in (made.here, made.there):
        try:
            os.close(descriptor)
        except OSError:
            continue        # a test has closed it


@pytest.fixture
def make(pair):
    """A function that returns an open terminal; standard error is a copy, as in a shell."""
    made, copies = [], []

    def open_terminal(**environment):
        copies.extend(os.dup(pair.there) for _ in range(2))
        terminal = Terminal(pair.there, *copies[-2:], environment={'TERM': 'xterm', **environment})
        made.append(terminal)
        terminal.open()
        return terminal
    yield open_terminal
    for terminal in made:
        terminal.close()
    for copy in copies:
        os.close(copy)


def read(terminal, count=1):
    keys, end = [], time.monotonic() + DEADLINE_S
    while len(keys) < count:
        assert time.monotonic() < end, keys
        keys += terminal.read(0.05)
    return keys


def test_keys_come_one_by_one_without_echo(pair, make):
    terminal = make()
    pair.seen(ENTER_SCREEN)
    os.write(pair.here, b'a\x1b[A\r\x13\x1c')
    assert read(terminal, 3) == ['a', 'up', 'enter']
    flags = pair.settings[3]
    assert not flags & (termios.ECHO | termios.ICANON)
    assert flags & termios.ISIG


def test_an_escape_alone_is_read_after_a_moment(pair, make):
    terminal = make()
    os.write(pair.here, b'\x1b')
    assert read(terminal) == ['escape']


def test_everything_is_given_back(pair, make):
    terminal = make()
    assert pair.settings != pair.before
    terminal.close()
    assert pair.settings == pair.before
    assert pair.seen(LEAVE_SCREEN).startswith(ENTER_SCREEN)
    terminal.close()        # once more does no harm
    assert terminal.read(1.0) == [HANGUP]
    terminal.show(['x'])
    terminal.wake()


def test_it_is_given_back_after_an_exception(pair):
    def fail():
        with Terminal(pair.there, pair.there, -1, {'TERM': 'dumb'}) as terminal:
            terminal.open()
            assert pair.settings != pair.before
            raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        fail()
    assert pair.settings == pair.before


def test_signal_handlers_are_given_back(make):
    numbers = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)
    before = [signal.getsignal(number) for number in numbers]
    terminal = make()
    assert [signal.getsignal(number) for number in numbers] != before
    terminal.close()
    assert [signal.getsignal(number) for number in numbers] == before


def test_only_what_changed_is_drawn(pair, make):
    terminal = make()
    pair.seen(ENTER_SCREEN)
    terminal.show(['one', 'two', 'three'])
    assert 'two' in pair.seen('three')
    terminal.show(['one', 'two', '3'])
    drawn = pair.seen('3\x1b[0m')
    assert 'one' not in drawn
    assert 'two' not in drawn
    terminal.show(['one'])
    assert pair.seen('\x1b[3;1H\x1b[K\x1b[0m') == '\x1b[2;1H\x1b[K\x1b[0m\x1b[3;1H\x1b[K\x1b[0m'


def test_the_last_letter_of_a_full_row_is_not_cleared(pair, make):
    terminal = make()
    pair.seen(ENTER_SCREEN)
    columns = terminal.size[0]
    terminal.show(['x' * (columns - 1) + '!'])
    assert '\x1b[K' not in pair.seen('!\x1b[0m').partition('x')[2]


@pytest.mark.parametrize('how', ['size', 'key', 'cont'])
def test_everything_is_drawn_again_when_the_screen_may_be_spoilt(pair, make, how):
    terminal = make()
    terminal.show(['one'])
    pair.seen('one')
    if how == 'size':
        os.kill(os.getpid(), signal.SIGWINCH)
    elif how == 'cont':
        os.kill(os.getpid(), signal.SIGCONT)
    else:
        os.write(pair.here, b'\x0cx')
        assert read(terminal) == ['x']
    terminal.show(['one'])
    pair.seen('one')


def test_the_size_is_that_of_the_window(pair, make):
    terminal = make()
    assert terminal.size == USUAL_SIZE      # a pseudo-terminal that has none yet
    pair.resize(33, 7)
    assert terminal.size == (33, 7)


def test_waiting_ends_when_woken(make):
    terminal = make()
    terminal.wake()
    begin = time.monotonic()
    assert terminal.read(DEADLINE_S) == []
    assert time.monotonic() - begin < DEADLINE_S / 2
    for _ in range(100_000):
        terminal.wake()     # however often, it does not wait


def test_what_others_write_does_not_reach_the_screen(pair, make):
    copies_before = set(os.listdir('/proc/self/fd'))
    terminal = make()
    errors = terminal._errors
    os.write(errors, b'[WARN] careful\n\n')
    os.write(terminal._screen, b'printed\n')
    lines, end = [], time.monotonic() + DEADLINE_S
    while len(lines) < 2:
        assert time.monotonic() < end
        terminal.read(0.05)
        lines += terminal.logged
    assert lines == ['[WARN] careful', 'printed']
    os.write(errors, b'last words\n')
    terminal.close()
    written = pair.seen('last words')
    assert 'careful' not in written
    assert written.index(LEAVE_SCREEN) < written.index('last words')
    os.write(errors, b'as ever\n')
    pair.seen('as ever')
    assert len(set(os.listdir('/proc/self/fd')) - copies_before) <= 2      # the copies of the test


def test_a_flood_of_lines_is_not_waited_for(make):
    terminal = make()
    for _ in range(2000):
        try:
            os.write(terminal._errors, b'x' * 100 + b'\n')
        except BlockingIOError:
            break
    else:
        pytest.fail('the pipe never filled')
    terminal.read(0.1)
    assert terminal.logged


def test_a_terminal_that_hangs_up(pair, make):
    terminal = make()
    os.close(pair.here)
    assert read(terminal) == [HANGUP]
    terminal.show(['nobody sees this'])
    terminal.close()


@pytest.mark.parametrize(('environment', 'full', 'styled'), [
    ({'TERM': 'xterm'}, True, True), ({'TERM': 'dumb'}, False, False), ({}, False, False),
    ({'TERM': 'xterm', 'NO_COLOR': '1'}, True, False), ({'TERM': 'vt100', 'NO_COLOR': ''}, True,
                                                        True)])
def test_what_a_terminal_can_do(pair, environment, full, styled):
    terminal = Terminal(pair.there, pair.there, pair.there, environment)
    assert (terminal.is_full, terminal.is_styled) == (full, styled)


def test_a_dumb_terminal_gets_lines_and_no_sequences(pair, make):
    terminal = make(TERM='dumb')
    terminal.write_lines(['one ↑', 'two'])
    terminal.close()
    os.write(pair.there, b'end')
    assert '\x1b' not in pair.seen('end')
    assert pair.settings == pair.before


def test_no_keyboard_is_noticed(tmp_path):
    with open(tmp_path / 'file', 'w') as file:
        assert not Terminal.is_there(file.fileno())
    assert not Terminal.is_there(9999)


def test_a_terminal_that_knows_no_arrows_gets_others(pair, make):
    terminal = make()
    terminal._encoding = 'ascii'
    terminal.show(['↑ → ↓ ← │ ─ … ä'])
    assert '^ > v < | - ~ ?' in pair.seen('~ ?')
