"""
How long the next question takes: `tools/ros-env python bench/ask.py`.

Simulated lessons; the time counts from an answer to the next question, `tell` and `ask` together.
The same rule in plain numpy is told the same answers, in turns, and so is a careful learner, which
learns the teacher's error rate together with the task. The large grid gets a process of
its own; there the plain version would need more memory than there is, and is compared on a
smaller one.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import asdict
from typing import Any

import numpy as np

from bench.alone import run_alone
from bench.child import ChildError, in_fresh_process
from bench.emg import random_task
from bench.lesson import Times, run_lesson, teacher_of
from bench.plain_numpy import PlainLearner
from bench.problems import NUM_REWARDS, TASKS, grid, grid_goals
from bench.results import Figures
from bench.session import Effort, Session
from gbs_irl_ros.core import CAREFUL, NEVER, Hypotheses, Learner, Problem
from gbs_irl_ros.tasks import Task, load_task

NAME = 'ask'
ABOUT_S = {Effort.TINY: 5, Effort.QUICK: 20, Effort.FULL: 120}
QUESTIONS = 40      # of a lesson, if it is not over before
MS = 1000.0
SMALL, SMALL_ACTIONS = (10, 50), 5  # states of random MDPs
SMALL_GRID = {Effort.TINY: (20, 20), Effort.QUICK: (100, 100), Effort.FULL: (200, 200)}
LARGE_GRID = {Effort.TINY: (30, 30), Effort.QUICK: (200, 200), Effort.FULL: (1000, 1000)}


def measure(session: Session) -> Figures:
    """Measure the shipped tasks and the grid."""
    figures: Figures = {}
    for task in session.pick(TASKS[1:2], TASKS, TASKS):
        session.step(f'ask {task}: planning, then lessons', 10)
        figures.update(_figures(task, _shipped(load_task(task), session.pick(1, 3, 10))))
    for states in SMALL:
        name = f'random_{states}x{SMALL_ACTIONS}'
        session.step(f'ask {name}', 3)
        figures.update(_figures(name, _shipped(
            random_task(states, SMALL_ACTIONS, NUM_REWARDS, 1), session.pick(1, 3, 10))))
    try:
        figures.update(_grid(session))
    except ChildError as error:     # the other figures are worth having
        figures['ask.grid.failure'] = str(error)
    return figures


def _grid(session: Session) -> Figures:
    """Measure the large grid, and a smaller one against plain numpy."""
    small, large = SMALL_GRID[session.effort], LARGE_GRID[session.effort]
    session.step(f'ask grid: {_size(*small)}, against plain numpy', 20)
    compared = _figures('grid', in_fresh_process(
        grid_lessons, side=small[0], goals=small[1], lessons=2, with_plain=True))
    session.step(f'ask grid: {_size(*large)}', 60)
    figures = _figures('grid', in_fresh_process(
        grid_lessons, side=large[0], goals=large[1], lessons=2, with_plain=False))
    return {**figures, 'ask.grid.size': _size(*large), 'ask.grid.compared_size': _size(*small),
            'ask.grid.compared_ms': compared['ask.grid.ms'],
            **{key: compared[key] for key in (
                'ask.grid.numpy_ms', 'ask.grid.ratio_numpy', 'ask.grid.disagreements')}}


def _size(side: int, goals: int) -> str:
    return f'{side:,} x {side:,} cells, {goals:,} goals'


def grid_lessons(side: int, goals: int, lessons: int, with_plain: bool) -> dict[str, Any]:
    """Return the times of lessons on an open grid."""
    mdp = grid(side)
    hypotheses = Hypotheses.from_rewards(mdp, grid_goals(mdp, goals))
    return _lessons(Problem(hypotheses), lessons, with_plain)


def _shipped(task: Task, lessons: int) -> dict[str, Any]:
    task.compile()
    return _lessons(task, lessons, with_plain=True)


def _lessons(problem: Any, lessons: int, with_plain: bool) -> dict[str, Any]:
    times, hypotheses = Times(), problem.hypotheses
    fresh = PlainLearner(hypotheses, problem.noise.rate(0)) if with_plain else None
    for seed in range(lessons):
        rng = np.random.default_rng(seed)
        teacher = teacher_of(hypotheses, int(rng.integers(hypotheses.num_rewards)))
        plain = None if fresh is None else fresh.anew()
        run_lesson(Learner(problem, seed=seed), teacher, QUESTIONS, rng, times, plain,
                   Learner(problem, seed=seed, stop=NEVER, caution=CAREFUL))
    sets = hypotheses.sets
    return {**asdict(times), 'sets_bytes': sets.bits.nbytes, 'bytes': sets.traffic,
            'additions': sets.bits.size * sets.num_actions // 4}


def _figures(name: str, times: dict[str, Any]) -> Figures:
    ours = np.array(times['ours'])
    figures = {'ms': MS * float(np.median(ours)), 'p99_ms': MS * float(np.percentile(ours, 99)),
               'first_ms': MS * times['first'][0], 'questions': len(ours)}
    if times['careful']:
        figures['careful_ms'] = MS * statistics.median(times['careful'])
        figures['ratio_careful'] = figures['careful_ms'] / figures['ms']
    if times['plain']:
        figures['numpy_ms'] = MS * statistics.median(times['plain'])
        figures['ratio_numpy'] = figures['numpy_ms'] / figures['ms']
        figures['disagreements'] = times['disagreements']
    figures.update({key: times[key] for key in ('sets_bytes', 'bytes', 'additions')})
    return {f'ask.{name}.{key}': value for key, value in figures.items()}


if __name__ == '__main__':
    sys.exit(run_alone(measure))
