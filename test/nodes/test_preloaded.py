"""Forked nodes are processes like any other: own streams, signals, exit codes, terminals."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import graph
import pytest
from preloaded import Preloaded, preloaded
from waiting import patience, wait_for

# A signal that comes just before a call which waits for ever is noticed by Python only when that
# returns.
WAIT = """
import time
while True:
    time.sleep(0.01)
"""
ECHO = f"""
import os, sys
print(__name__, sys.argv[1:], os.environ.get('COLOUR'), os.getcwd(), os.getpid(), flush=True)
print('to the errors', file=sys.stderr, flush=True)
line = sys.stdin.readline().strip()
if line != 'wait':
    sys.exit(int(line))
{WAIT}
"""


class Run:
    """A module that is run by the process that forks."""

    def __init__(self, folder, monkeypatch, source, *arguments, by=preloaded):
        (folder / 'echo.py').write_text(source)
        monkeypatch.chdir(folder)
        keyboard, self._keys = os.pipe()
        reads, output = os.pipe()
        environment = {**os.environ, 'COLOUR': 'red'}
        self.process = by().start('echo', arguments, environment,
                                         [keyboard, output, output])
        os.close(keyboard)
        os.close(output)
        self._output = open(reads)      # noqa: SIM115 - closed by close()

    def line(self):
        return self._output.readline().strip()

    def type(self, text):
        os.write(self._keys, text.encode() + b'\n')

    def close(self):
        self.process.kill()
        self.process.wait()
        self.close_streams()

    def close_streams(self):
        self._output.close()
        os.close(self._keys)


@pytest.fixture
def run(tmp_path, monkeypatch):
    made = []

    def start(*arguments, source=ECHO):
        made.append(Run(tmp_path, monkeypatch, source, *arguments))
        return made[-1]
    yield start
    for each in made:
        each.close()


def test_it_is_a_process_of_its_own_with_what_it_was_given(run, tmp_path):
    echo = run('one', 'two')
    assert echo.line() == (
        f"__main__ ['one', 'two'] red {tmp_path} {echo.process.pid}")
    assert echo.line() == 'to the errors'
    assert echo.process.pid != os.getpid()
    assert echo.process.poll() is None
    echo.type('7')
    assert echo.process.wait(patience(60)) == 7
    assert echo.process.poll() == 7


@pytest.mark.parametrize(('number', 'code'), [
    (signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, -signal.SIGTERM),
    (signal.SIGINT, -signal.SIGINT)])
def test_signals_reach_it_and_nobody_else(run, number, code):
    echo, other = run(), run()
    for each in (echo, other):
        each.line()
        each.line()
        each.type('wait')
    wait_for(lambda: state_of(echo.process.pid) == 'S', 'it to wait')
    echo.process.send_signal(number)
    assert echo.process.wait(patience(60)) == code
    assert other.process.poll() is None


def state_of(pid):
    """Return the kernel's letter for what a process does: S while it sleeps."""
    return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]


def test_a_signal_that_comes_before_it_has_begun_is_not_lost(run):
    for _ in range(20):
        echo = run(source=WAIT)
        echo.process.send_signal(signal.SIGINT)
        assert echo.process.wait(patience(60)) == -signal.SIGINT


def test_an_exception_is_told_and_is_exit_code_1(run):
    broken = run(source='raise RuntimeError("of its own")')
    assert broken.process.wait(patience(60)) == 1
    text = ''.join(iter(broken._output.readline, ''))
    assert 'Traceback' in text
    assert 'RuntimeError: of its own' in text


def test_nothing_is_left_running_when_whoever_wanted_it_is_gone(tmp_path, monkeypatch):
    """However a run ended, its nodes cannot disturb those of the next one in the same domain."""
    own = Preloaded()
    echo = Run(tmp_path, monkeypatch, ECHO, by=lambda: own)
    echo.line()
    own.close()         # as the kernel does for a worker of the tests that is killed
    wait_for(lambda: not Path(f'/proc/{echo.process.pid}').exists(), 'it to be gone')
    with pytest.raises(RuntimeError, match=f'nobody knows how process {echo.process.pid} has'):
        echo.process.wait(patience(60))
    echo.close_streams()


def test_to_wait_too_short_is_an_error_as_with_any_process(run):
    echo = run()
    with pytest.raises(subprocess.TimeoutExpired):
        echo.process.wait(0.01)


def test_ros_is_there_already(run):
    """Or it would be imported for every node, and nothing gained."""
    names = ('rclpy', 'numpy', 'scipy.sparse', 'aiohttp', 'gbs_irl_ros.ros.base_node',
             'gbs_irl_ros.msg')
    seen = run(source=f'import sys; print(set({names!r}) - set(sys.modules),'
                      ' [name for name in sys.modules if name.startswith("gbs_irl_ros.nodes.")])')
    assert seen.line() == 'set() []'


def test_a_callback_of_a_test_that_fails_is_told_and_the_others_are_still_called(tmp_path):
    running = graph.Graph(tmp_path)
    called = []

    def fail():
        called.append(True)
        raise ZeroDivisionError('in a callback')
    running.node.create_timer(0.01, fail)
    wait_for(lambda: len(called) > 1, 'a second call')
    with pytest.raises(AssertionError, match='an exception in a callback of the test') as raised:
        running.close()
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
