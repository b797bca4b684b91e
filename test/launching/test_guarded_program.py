"""A program in a group of its own: it leaves nothing behind, and its errors are heard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.launching.guarded_program import Errors

ROOT = Path(__file__).parents[2]
# A server that has a process of its own, which hears no Ctrl-C, as that of Gazebo has had.
SERVER = """
import os, signal, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-I', '-S', '-c', '''
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('deaf', flush=True)
time.sleep(600)'''])
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
print('pids', os.getpid(), child.pid, flush=True)
time.sleep(600)
"""
PLUGIN = ('\x1b[1;31m[Err] [SystemLoader.cc:92] \x1b[0mFailed to load system plugin '
          '[gz-sim-x-system] : Could not find shared library.')


def is_running(pid):
    """Return whether a process is there; one that only waits to be forgotten is not."""
    try:
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in 'ZX'


@pytest.fixture
def guarded():
    made = []

    def start(code, *words):
        made.append(subprocess.Popen(
            [sys.executable, '-S', '-m', 'gbs_irl_ros.launching.guarded_program', sys.executable,
             '-I', '-S', '-u', '-c', code, *words],
            env={**os.environ, 'PYTHONPATH': str(ROOT)}, stdout=subprocess.PIPE, text=True))
        return made[-1]
    yield start
    for process in made:
        process.kill()
        process.wait()
        process.stdout.close()


def pids_of(guard):
    lines = [guard.stdout.readline(), guard.stdout.readline()]
    assert 'deaf\n' in lines
    return [int(word) for line in lines for word in line.split()[1:]]


def test_a_signal_ends_all_of_it_with_code_0(guarded):
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    guards = [guarded(SERVER) for _ in numbers]
    pids = [pid for guard in guards for pid in pids_of(guard)]
    for guard, number in zip(guards, numbers, strict=True):
        guard.send_signal(number)
    assert [guard.wait(patience(DEADLINE_S)) for guard in guards] == [0, 0, 0]
    wait_for(lambda: not any(map(is_running, pids)), 'nothing to be left')


def test_what_it_leaves_when_it_ends_by_itself_is_ended(guarded):
    guard = guarded(SERVER)
    server, child = pids_of(guard)
    os.kill(server, signal.SIGKILL)
    assert guard.wait(patience(DEADLINE_S)) == 1
    wait_for(lambda: not is_running(child), 'nothing to be left')
    assert 'has ended by itself with exit code -9: it reported no error' in guard.stdout.read()


def test_a_server_that_ends_as_if_all_were_well_has_failed(guarded):
    guard = guarded("print('[Err] [Server.cc:86] Error Code 1: no world')")
    assert guard.wait(patience(DEADLINE_S)) == 1
    said = guard.stdout.read().splitlines()
    assert said[0] == '[Err] [Server.cc:86] Error Code 1: no world'
    assert said[1].startswith('ERROR: ')
    assert said[1].endswith('has ended by itself with exit code 0: [Server.cc:86] Error Code 1: '
                            'no world')


def test_a_server_without_a_plugin_of_the_robot_is_ended(guarded):
    guard = guarded(f'import time; print({PLUGIN!r}, flush=True); time.sleep(600)')
    assert guard.wait(patience(DEADLINE_S)) == 1
    assert guard.stdout.read().splitlines()[-1].endswith(
        'is of no use without what it misses, and is ended: [SystemLoader.cc:92] Failed to load '
        'system plugin [gz-sim-x-system] : Could not find shared library.')


@for_each(('line', 'fatal', 'summary'), [
    ('[Msg] Loading world', False, 'it reported no error'),
    ('[Err] [Mesh.cc:1] a small thing', False, '[Mesh.cc:1] a small thing'),
    ('[Err] [Physics.cc:911] Failed to find plugin [gz-physics-dartsim-plugin]', True,
     '[Physics.cc:911] Failed to find plugin [gz-physics-dartsim-plugin]'),
    ('Failed to load system plugin', False, 'it reported no error')])
def test_only_what_the_robot_cannot_do_without_is_fatal(line, fatal, summary):
    errors = Errors()
    errors.hear(line)
    assert (bool(errors.fatal), errors.summary) == (fatal, summary)
