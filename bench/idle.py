"""
What a lesson costs while it waits for an answer: `tools/ros-env python -m bench.idle`.

Starts all nodes of a lesson as processes, waits until a question is open, and reads how much
processor time each node takes, as a share of one core. Once with the page open in a browser, where
one is found, and once with a terminal.
"""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from rclpy.node import Node

from bench.alone import run_alone
from bench.results import Figures
from bench.ros_graph import node_command, own_graph, running, spinning
from bench.session import Effort, Session
from gbs_irl_ros import msg
from gbs_irl_ros.ros import names, qos

NAME = 'idle'
ABOUT_S = {Effort.TINY: 10, Effort.QUICK: 20, Effort.FULL: 60}
TASK = 'room'
ROBOT = ('controller', 'simulator', 'visualiser')
SETTLE_S = 3.0          # what happens once, at the start, is not idling
LONGEST_WAIT_S = 120.0
PERCENT = 100.0
TEST_FOLDER = Path(__file__).parents[1] / 'test'


class NoLessonError(RuntimeError):
    """Nobody is asked anything, or not all nodes are there."""


def measure(session: Session) -> Figures:
    """Measure a lesson in a terminal and one on the page."""
    figures: Figures = {}
    for where, teacher in (('terminal', _terminal), ('page', _page)):
        if where == 'page' and (session.effort is Effort.TINY or _why_no_browser()):
            continue
        session.step(f'idle: a lesson waits in a {where}')
        with own_graph(), tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            os.environ['XDG_CACHE_HOME'] = os.environ['XDG_STATE_HOME'] = folder
            started = {
                'mdp': stack.enter_context(running('mdp', {'task': TASK})),
                'learner': stack.enter_context(running('learner', {'journal_dir': folder})),
                **{name: stack.enter_context(running(name, {})) for name in ROBOT}}
            name, process = stack.enter_context(teacher())
            _wait_for_question()
            time.sleep(SETTLE_S)
            shares = _shares({**started, name: process}, session.pick(1.0, 5.0, 20.0))
        figures.update({f'idle.{where}.{node}_percent': share for node, share in shares.items()})
        figures[f'idle.{where}.all_percent'] = sum(shares.values())
    return figures


def _shares(processes: Mapping[str, subprocess.Popen[bytes]], seconds: float) -> dict[str, float]:
    """Return how much of one core each process takes [%]."""
    started = time.monotonic()
    before = {name: _processor_s(process.pid) for name, process in processes.items()}
    time.sleep(seconds)
    passed = time.monotonic() - started
    ended = [name for name, process in processes.items() if process.poll() is not None]
    if ended:       # a node that has ended would be counted as idle
        raise NoLessonError(f'{", ".join(ended)} ended while a lesson waited')
    return {name: PERCENT * (_processor_s(process.pid) - before[name]) / passed
            for name, process in processes.items()}


def _processor_s(pid: int) -> float:
    """Return the processor time of all threads that a process has and had."""
    return time.clock_gettime((~pid << 3) | 2)      # as clock_getcpuclockid(3) does on Linux


def _wait_for_question() -> None:
    """Wait until the learner has asked something."""
    asked: list[msg.Belief] = []
    listener = Node('bench_listener')
    listener.create_subscription(
        msg.Belief, names.BELIEF,
        lambda belief: asked.append(belief) if belief.question_id else None, qos.LATCHED)
    end = time.monotonic() + LONGEST_WAIT_S
    with spinning(listener) as executor:
        while not asked:
            executor.spin_once(timeout_sec=0.2)
            if time.monotonic() > end:
                raise NoLessonError(f'the learner asked nothing in {LONGEST_WAIT_S:.0f} s')


@contextlib.contextmanager
def _terminal() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run teleop in a terminal that somebody looks at."""
    here, there = pty.openpty()
    process = subprocess.Popen(node_command('teleop', {}), stdin=there, stdout=there,
                               stderr=there, start_new_session=True,
                               env={**os.environ, 'TERM': 'xterm-256color'})
    os.close(there)

    def look() -> None:
        with contextlib.suppress(OSError):
            while os.read(here, 65536):
                pass
    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield 'teleop', process
    finally:
        process.terminate()
        process.wait()
        looking.join()
        os.close(here)


@contextlib.contextmanager
def _page() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run gui with its page open in a browser."""
    from browser import launched
    with running('gui', {'port': 0}, stdout=subprocess.PIPE) as process, launched() as browser:
        assert process.stdout is not None
        url = process.stdout.readline().decode().split()[-1]
        tab = browser.new_page()
        tab.goto(url)
        tab.wait_for_selector('#lesson[data-question]:not([data-question=""])', state='attached',
                              timeout=LONGEST_WAIT_S * 1e3)
        yield 'gui', process


def _why_no_browser() -> str:
    sys.path[:0] = [str(TEST_FOLDER), str(TEST_FOLDER / 'nodes')]
    from browser import why_no_browser
    return str(why_no_browser())


if __name__ == '__main__':
    sys.exit(run_alone(measure))
