"""What was to be reached, and the table that says whether it was."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.results import Figures
from bench.session import Effort

RELATIONS: dict[str, Callable[[float, float], bool]] = {
    '>=': operator.ge, '<=': operator.le, '<': operator.lt, '=': operator.eq}


@dataclass(frozen=True)
class Goal:
    """
    A limit for one figure.

    key: of the figure.
    relation, limit: what it should keep to.
    about: the figure in words.
    unit: behind the number.
    digits: behind the point, of the number shown.
    is_rough: the limit is meant to so many digits only, so the rounded number is compared.
    """

    key: str
    relation: str
    limit: float
    about: str
    unit: str = ''
    digits: int = 0
    is_rough: bool = False

    def measured(self, figures: Figures) -> float | None:
        """Return the figure, as exact as the goal; None if it was not measured."""
        value = figures.get(self.key)
        if value is None:
            return None
        return round(float(value), self.digits) if self.is_rough else float(value)

    def verdict(self, figures: Figures) -> str:
        """Return whether the figure keeps to the limit; only a full measurement proves it."""
        value = self.measured(figures)
        if value is None:
            return '-'
        is_kept = RELATIONS[self.relation](value, self.limit)
        effort = figures.get(f'{self.key.split(".")[0]}.effort', Effort.FULL.value)
        smaller = '' if effort == Effort.FULL.value else f' ({effort})'
        return f'yes{smaller}' if is_kept else 'NO'


def _planning(task: str, limit: float) -> Iterator[Goal]:
    yield Goal(f'planning.{task}.ratio_quantecon', '>=', limit,
               f'planning {task}: times faster than QuantEcon', digits=1)
    yield Goal(f'planning.{task}.ratio_storm', '>=', 20,
               f'planning {task}: times faster than Storm', digits=1)
    yield Goal(f'planning.{task}.one_thread_ratio_storm', '>=', 10,
               f'planning {task}: times faster than Storm, one core', digits=1)
    yield Goal(f'planning.{task}.differing_sets', '=', 0,
               f'planning {task}: greedy sets unlike the exact ones')


GOALS = (
    *_planning('puddle_world', 20), *_planning('trap_world', 20), *_planning('driver', 10),
    *_planning('driver_sparse', 10),
    Goal('ask.driver.ms', '<', 5, 'next question, driver', 'ms', 1),
    Goal('ask.driver.careful_ms', '<', 5, 'next question, driver, error rate learned', 'ms', 1),
    *(Goal(f'ask.{world}.ratio_numpy', '>=', 1, f'next question, {world}: times plain numpy',
           digits=2)
      for world in ('random_10x5', 'random_50x5', 'puddle_world', 'trap_world', 'driver', 'grid')),
    Goal('ask.grid.ms', '<', 120, 'next question, large grid', 'ms', 1),
    Goal('ask.grid.first_ms', '<', 300, 'first question, large grid', 'ms', 1),
    Goal('memory.grid.mb', '<', 2000, 'memory, large grid', 'MB'),
    Goal('startup.driver.second_s', '<', 1, 'second start of driver', 's', 2),
    Goal('startup.room.node_second_s', '<', 0.6, 'start of the mdp node, room, again', 's', 2),
    Goal('idle.page.all_percent', '<', 12, 'all nodes of a lesson that waits, page', '%', 1),
    Goal('idle.terminal.all_percent', '<', 12, 'all nodes of a lesson that waits, terminal', '%',
         1),
    Goal('idle.terminal.teleop_percent', '<', 1, 'of these teleop', '%', 1),
    *(Goal(f'growth.{axis}.exponent', '<=', 1.1, f'growth of {words}: exponent', digits=1,
           is_rough=True)
      for axis, words in (('planning_hypotheses', 'planning with hypotheses'),
                          ('ask_states', 'questions with states'),
                          ('ask_hypotheses', 'questions with hypotheses'))))


@dataclass(frozen=True)
class Row:
    """One line of the table, as text."""

    about: str
    measured: str
    goal: str
    met: str


def rows(figures: Figures) -> list[Row]:
    """Return the table of all goals."""
    table = []
    for goal in GOALS:
        value = goal.measured(figures)
        unit = f' {goal.unit}' if goal.unit else ''
        shown = 'not measured' if value is None else f'{value:,.{goal.digits}f}{unit}'
        table.append(Row(goal.about, shown, f'{goal.relation} {goal.limit:g}{unit}',
                         goal.verdict(figures)))
    return table


def text_table(figures: Figures) -> str:
    """Return the table for a terminal."""
    lines = [Row('', 'measured', 'goal', 'met'), *rows(figures)]
    cells = [[row.about, row.measured, row.goal, row.met] for row in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return '\n'.join(
        f'{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}'
        for row in cells)


def markdown_table(figures: Figures) -> str:
    """Return the table for a page."""
    body = [f'| {row.about} | {row.measured} | {row.goal} | {row.met} |' for row in rows(figures)]
    return '\n'.join(['| | measured | goal | met |', '|---|---:|---:|---|', *body])
