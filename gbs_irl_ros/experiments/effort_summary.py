"""The numbers of docs/effort.md: one record for each cell of the sweep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.pace import ACTION_S, FIRST_STEP_S, LIST_BIT_S, LIST_S, STEP_S
from gbs_irl_ros.experiments.curves import mean_and_halfwidth
from gbs_irl_ros.experiments.effort import EffortRow
from gbs_irl_ros.experiments.effort_lessons import capacity

PAPER, AGGREGATED, SURE, ACTIONS = 'paper', 'aggregated', 'sure', 'actions'
LEAST_RIGHT = 0.95

# What a question takes more than usual [s], by its kind and its number of steps or options.
COSTS: Mapping[str, tuple[str, Callable[[str, int], float]]] = {
    'usual': ('as usual', lambda kind, size: 0.0),
    'fast': ('an action 2 s', lambda kind, size: -1.0 if kind == 'action' else 0.0),
    'slow': ('an action 5 s', lambda kind, size: 2.0 if kind == 'action' else 0.0),
    'linear': ('a list of m: 2 + 0.2 m s', lambda kind, size:
               2.0 + 0.2 * size - _list_seconds(size) if kind == 'task' else 0.0),
    'steps': ('a step shown as long as an action', lambda kind, size:
              ACTION_S * size - FIRST_STEP_S - STEP_S * size if kind == 'demonstration' else 0.0),
}
EQUAL = 'equal'     # every answer takes as long


class EffortCell(NamedTuple):
    """
    What the lessons of a cell took.

    right: share whose robot loses nothing; same: share whose policy is exactly the meant one.
    questions, closing, seconds: means, for a lesson.
    fewer_questions, fewer_seconds: than in paper mode, as shares of its means; of_sure: than in
        paper mode that is 99 % certain; of_paper: than with the paper's own likelihood.
    less_questions, less_seconds: the mean of the differences of paired lessons, each with half
        the width of its 95 % interval.
    slower: seconds more than with actions alone, paired, and half the width of the interval.
    limit: answers that name an action without which nobody could be that sure.
    fast, slow, linear, steps, equal: fewer seconds than in paper mode under other costs.
    """

    task: str
    error: float
    way: str
    lessons: int
    right: float
    same: float
    open: float
    questions: float
    closing: float
    seconds: float
    fewer_questions: float
    fewer_seconds: float
    fewer_questions_of_sure: float
    fewer_seconds_of_sure: float
    fewer_questions_of_paper: float
    fewer_seconds_of_paper: float
    less_questions: float
    less_questions_ci: float
    less_seconds: float
    less_seconds_ci: float
    slower: float
    slower_ci: float
    bits: float
    limit: float
    fast: float
    slow: float
    linear: float
    steps: float
    equal: float


def effort_cells(rows: Iterable[EffortRow]) -> list[EffortCell]:
    """Return the cells in the order of the rows."""
    cells: dict[tuple[str, float, str], list[EffortRow]] = {}
    for row in rows:
        cells.setdefault((row.task, row.error, row.way), []).append(row)
    others = (PAPER, SURE, AGGREGATED, ACTIONS)
    return [_cell(found, *(cells[task, error, way] for way in others))
            for (task, error, _), found in cells.items()]


def _cell(rows: Sequence[EffortRow], paper: Sequence[EffortRow], sure: Sequence[EffortRow],
          aggregated: Sequence[EffortRow], actions: Sequence[EffortRow]) -> EffortCell:
    first, count = rows[0], len(rows)
    questions = _mean([row.questions for row in rows])
    less_questions = _paired(paper, rows, lambda row: row.questions)
    less_seconds = _paired(paper, rows, lambda row: row.seconds)
    slower = _paired(rows, actions, lambda row: row.seconds)
    costs = {name: _fewer(paper, rows, partial(recosted, cost=name)) for name in COSTS}
    return EffortCell(
        first.task, first.error, first.way, count,
        right=_mean([row.end == 'right' for row in rows]), same=_mean([row.same for row in rows]),
        open=_mean([row.end == 'open' for row in rows]),
        questions=questions, closing=_mean([row.closing for row in rows]),
        seconds=_mean([row.seconds for row in rows]),
        fewer_questions=_fewer(paper, rows, lambda row: row.questions),
        fewer_seconds=costs['usual'],
        fewer_questions_of_sure=_fewer(sure, rows, lambda row: row.questions),
        fewer_seconds_of_sure=_fewer(sure, rows, lambda row: row.seconds),
        fewer_questions_of_paper=_fewer(aggregated, rows, lambda row: row.questions),
        fewer_seconds_of_paper=_fewer(aggregated, rows, lambda row: row.seconds),
        less_questions=less_questions[0], less_questions_ci=less_questions[1],
        less_seconds=less_seconds[0], less_seconds_ci=less_seconds[1],
        slower=slower[0], slower_ci=slower[1],
        bits=_mean([row.bits for row in rows]),
        limit=_mean([row.bits / capacity(row.error, row.actions) for row in rows]),
        fast=costs['fast'], slow=costs['slow'], linear=costs['linear'], steps=costs['steps'],
        equal=_fewer(paper, rows, lambda row: row.questions))


def recosted(row: EffortRow, cost: str) -> float:
    """Return the seconds of a lesson under other costs."""
    more = COSTS[cost][1]
    total = row.seconds
    for each in row.asked.split():
        found = re.fullmatch(r'([a-z_]+)(\d*)\*(\d+)', each)
        assert found is not None, each
        total += more(found[1], int(found[2] or 0)) * int(found[3])
    return total


def _list_seconds(size: int) -> float:
    return LIST_S + LIST_BIT_S * float(np.log2(size + 1))


def _paired(ours: Sequence[EffortRow], theirs: Sequence[EffortRow],
            value: Callable[[EffortRow], float]) -> tuple[float, float]:
    """Return the mean of ours minus theirs over lessons of the same number, with its interval."""
    known = {row.lesson: value(row) for row in theirs}
    differences = np.array([value(row) - known[row.lesson] for row in ours
                            if row.lesson in known], dtype=np.float64)
    mean, halfwidth = mean_and_halfwidth(differences, np.zeros(len(differences)))
    return float(mean), float(halfwidth)


def _fewer(paper: Sequence[EffortRow], rows: Sequence[EffortRow],
           value: Callable[[EffortRow], float]) -> float:
    before = _mean([value(row) for row in paper])
    return 1.0 - _mean([value(row) for row in rows]) / before if before else 0.0


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
