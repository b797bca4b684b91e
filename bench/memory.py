"""
Memory of planning and a first question: `tools/ros-env python bench/memory.py`.

Each task gets a fresh process, and counts with all that it loads: the interpreter, numpy and scipy
(given as ``memory.nothing.mb``) included.
"""

from __future__ import annotations

import sys
from typing import Any

from bench.alone import run_alone
from bench.ask import LARGE_GRID
from bench.child import ChildError, in_fresh_process
from bench.problems import TASKS, grid, grid_goals
from bench.results import Figures
from bench.session import Effort, Session
from bench.timing import seconds
from gbs_irl_ros.core import Hypotheses, Learner, Problem
from gbs_irl_ros.tasks import load_task

NAME = 'memory'
ABOUT_S = {Effort.TINY: 5, Effort.QUICK: 10, Effort.FULL: 60}


def measure(session: Session) -> Figures:
    """Measure the shipped tasks and the large grid."""
    session.step('memory: of the libraries alone')
    figures: Figures = {'memory.nothing.mb': in_fresh_process(nothing)['peak_mb']}
    for task in session.pick(TASKS[1:2], TASKS, TASKS):
        session.step(f'memory: {task}', 3)
        figures.update(_figures(task, in_fresh_process(first_question, task=task)))
    side, goals = LARGE_GRID[session.effort]
    session.step(f'memory: grid of {side} x {side} cells, {goals} goals', 30)
    try:
        figures.update(_figures('grid', in_fresh_process(
            first_question_on_a_grid, side=side, goals=goals)))
    except ChildError as error:     # the other figures are worth having
        figures['memory.grid.failure'] = str(error)
    return figures


def nothing() -> dict[str, Any]:
    """Do nothing, with everything imported."""
    return {}


def first_question(task: str) -> dict[str, Any]:
    """Plan for a shipped task and ask."""
    loaded = load_task(task)
    planning_s = seconds(loaded.compile)
    assert Learner(loaded).ask() is not None
    return {'planning_s': planning_s}


def first_question_on_a_grid(side: int, goals: int) -> dict[str, Any]:
    """Plan for random goals on an open grid and ask."""
    mdp = grid(side)
    found: list[Hypotheses] = []
    planning_s = seconds(lambda: found.append(
        Hypotheses.from_rewards(mdp, grid_goals(mdp, goals))))
    assert Learner(Problem(found[0])).ask() is not None
    return {'planning_s': planning_s}


def _figures(name: str, answer: dict[str, Any]) -> Figures:
    return {f'memory.{name}.mb': answer['peak_mb'],
            f'memory.{name}.planning_s': answer['planning_s']}


if __name__ == '__main__':
    sys.exit(run_alone(measure))
