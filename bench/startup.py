"""
How long starting takes, for the first time and again: `tools/ros-env python bench/startup.py`.

A fresh process imports the package, loads a task and plans for it; the second finds the plan on
disk. Then the mdp node, from its start to the task arriving at another node. All times begin with
the start of the process, interpreter included; each is the median of a few starts.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rclpy.node import Node

from bench.alone import run_alone
from bench.problems import TASKS
from bench.results import Figures
from bench.ros_graph import own_graph, running, spinning
from bench.session import Effort, Session
from bench.timing import seconds
from gbs_irl_ros import msg
from gbs_irl_ros.ros import names, qos

NAME = 'startup'
ABOUT_S = {Effort.TINY: 10, Effort.QUICK: 20, Effort.FULL: 60}
SCRIPT = Path(__file__).with_name('fresh_start.py')
NODE_TASKS = ('room', 'driver')     # room: what a node takes with next to nothing to plan
LONGEST_WAIT_S = 120.0
RCLPY = 'import rclpy, rclpy.node; rclpy.init(); rclpy.node.Node("alone")'     # and nothing else


class NoTaskError(RuntimeError):
    """The mdp node does not publish."""


def measure(session: Session) -> Figures:
    """Measure processes and nodes."""
    figures: Figures = {}
    starts = session.pick(1, 1, 3)
    for task in session.pick(TASKS[1:2], TASKS, TASKS):
        session.step(f'startup {task}: {2 * starts} fresh processes', 3.0 * starts)
        first, second = _twice(starts, partial(_process, task))
        figures.update({
            'startup.import_s': statistics.median(each['imported'] for each in second),
            f'startup.{task}.first_s': statistics.median(each['planned'] for each in first),
            f'startup.{task}.second_s': statistics.median(each['planned'] for each in second),
            f'startup.{task}.second_load_s': statistics.median(     # without the imports
                each['planned'] - each['imported'] for each in second),
            f'startup.{task}.second_asked_s': statistics.median(
                each['asked'] for each in second)})
    session.step('startup: what rclpy takes alone', 2)
    figures['startup.rclpy_s'] = statistics.median(
        seconds(partial(subprocess.run, [sys.executable, '-c', RCLPY], check=True))
        for _ in range(starts + 2))
    with own_graph():
        for task in session.pick(NODE_TASKS[:1], NODE_TASKS, NODE_TASKS):
            session.step(f'startup {task}: the mdp node, {2 * starts} times', 4.0 * starts)
            first, second = _twice(starts, partial(_node, task))
            figures.update({
                f'startup.{task}.node_first_s': statistics.median(
                    each['published'] for each in first),
                f'startup.{task}.node_second_s': statistics.median(
                    each['published'] for each in second)})
    return figures


def _twice(starts: int, start: Callable[[str], dict[str, float]]
           ) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Return what so many first and second starts took, each pair with a cache of its own."""
    first, second = [], []
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as folder:
            first.append(start(folder))
            second.append(start(folder))
    return first, second


def _process(task: str, folder: str) -> dict[str, float]:
    """Return when each step was done [s]."""
    started = time.monotonic()
    done = subprocess.run([sys.executable, SCRIPT, task, folder], capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ['it said nothing']
        raise RuntimeError(f'{SCRIPT.name} {task} failed: {said[-1]}')
    steps = dict(line.split() for line in done.stdout.splitlines())
    return {name: float(at) - started for name, at in steps.items()}


def _node(task: str, folder: str) -> dict[str, float]:
    """Return when the task arrived here [s]."""
    arrived: list[float] = []
    listener = Node('bench_listener')
    listener.create_subscription(msg.World, names.WORLD,
                                 lambda message: arrived.append(time.monotonic()), qos.LATCHED)
    started = time.monotonic()
    with (spinning(listener) as executor,
          running('mdp', {'task': task}, {'XDG_CACHE_HOME': folder})):
        while not arrived:
            executor.spin_once(timeout_sec=0.2)
            if time.monotonic() - started > LONGEST_WAIT_S:
                raise NoTaskError(f'the mdp node did not publish {task} in '
                                  f'{LONGEST_WAIT_S:.0f} s')
    return {'published': arrived[0] - started}


if __name__ == '__main__':
    sys.exit(run_alone(measure))
