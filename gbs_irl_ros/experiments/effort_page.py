"""From the rows of the effort sweep to docs/effort.md: tables, a figure and the words between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gbs_irl_ros.experiments.effort import EFFORT_ROWS
from gbs_irl_ros.experiments.effort_lessons import SMALL_RANDOM, WAYS, capacity
from gbs_irl_ros.experiments.effort_summary import (
    ACTIONS,
    COSTS,
    EQUAL,
    LEAST_RIGHT,
    PAPER,
    EffortCell,
    effort_cells,
)
from gbs_irl_ros.experiments.figures import INK, STYLE, save
from gbs_irl_ros.experiments.page import END, replace_between
from gbs_irl_ros.experiments.summary import write_table

BEGIN = '<!-- written by `make paper ONLY=effort`: begin -->'
ROOM, ALL, USUAL_ERROR = 'room', 'all', 0.1
NAMES = {SMALL_RANDOM: 'random 10 × 5', 'random_mdp': 'random 50 × 5', 'grid_world': 'grid',
         'trap_world': 'trap', 'puddle_world': 'puddle', 'driver': 'driver', ROOM: 'room'}
LOOKS = {'paper': '#9e9e9e', 'gbs': '#e07b00', 'actions': '#c9a227', 'actions_steps': '#2e7d32',
         'actions_lists': '#8e24aa', 'all': '#1565c0'}
RECOSTED = ('actions_steps', ALL)       # shown under other costs
ON_AVERAGE, ON_EACH = (0.55, 0.30), (0.40, 0.15)        # fewer questions, fewer seconds
MAX_ROOM_ANSWERS, MAX_ROOM_SECONDS = 2.5, 11.0

Cells = Sequence[EffortCell]


def draw_effort(rows: Path, folder: Path) -> Cells:
    """Write the table and the figure of a sweep; return its cells."""
    cells = effort_cells(EFFORT_ROWS.read(rows))
    write_table(folder / 'effort.csv', [cell._asdict() for cell in cells])
    save(bars(cells), folder / 'effort.png')
    return cells


def write_effort_page(page: Path, cells: Cells, folder: str, run: str) -> None:
    """Replace what is between the markers."""
    replace_between(page, BEGIN, END, written(cells, folder, run))


def bars(cells: Cells) -> Figure:
    """Draw questions and seconds of each way at the usual error, a group for each task."""
    found = {(cell.task, cell.way): cell for cell in cells if cell.error == USUAL_ERROR}
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    width = 0.86 / len(LOOKS)
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9.2, 5.6), layout='constrained')
        for axes, what in zip(picture.subplots(2, 1, sharex=True), ('questions', 'seconds'),
                              strict=True):
            for number, (way, colour) in enumerate(LOOKS.items()):
                places = [place for place, task in enumerate(tasks) if (task, way) in found]
                heights = [getattr(found[tasks[place], way], what) for place in places]
                axes.bar([place + (number - (len(LOOKS) - 1) / 2) * width for place in places],
                         heights, 0.92 * width, color=colour, label=WAYS[way].says)
            if what == 'questions':
                axes.hlines([found[task, PAPER].limit for task in tasks],
                            np.arange(len(tasks)) - 0.45, np.arange(len(tasks)) + 0.45,
                            colors=INK, linewidth=1.2, linestyles='dashed',
                            label='information limit, actions')
                handles = axes.get_legend_handles_labels()
            axes.set_ylabel(f'{what} to the stop')
            axes.grid(axis='y', linewidth=0.4)
        axes.set_xticks(range(len(tasks)), [NAMES.get(task, task) for task in tasks])
        picture.legend(*handles, loc='outside lower center', ncols=3)
        return picture


# ---- words --------------------------------------------------------------------------------------


def written(cells: Cells, folder: str, run: str) -> str:
    """Return what is between the markers."""
    return '\n\n'.join([
        _goals(cells), _figure(cells, folder), _by_task(cells), _shares(cells), _mixes(cells),
        _sensitivity(cells), _limits(cells),
        f'Every cell is in [{folder}/effort.csv]({folder}/effort.csv). {run}'])


def _of(cells: Cells, way: str, *, room: bool = False) -> Cells:
    return [cell for cell in cells if cell.way == way and (cell.task == ROOM) is room]


def _average(cells: Cells, value: Callable[[EffortCell], float]) -> dict[str, float]:
    """Return the mean over the teacher's errors for each task."""
    tasks = dict.fromkeys(cell.task for cell in cells)
    return {task: float(np.mean([value(cell) for cell in cells if cell.task == task]))
            for task in tasks}


def _goals(cells: Cells) -> str:
    ours = _of(cells, ALL)
    lines = ['## What was asked for', '',
             f'All kinds of question by bits per second ("{WAYS[ALL].says}") against paper mode; '
             'means over the three error rates, closing questions counted in.', '',
             '| goal | measured | met |', '|---|---|---|']
    for against, field in (('paper mode', ''), ('paper mode, 99 % certain', '_of_sure'),
                           ("paper mode, the paper's likelihood", '_of_paper')):
        for what, average, each in (('questions', ON_AVERAGE[0], ON_EACH[0]),
                                    ('seconds', ON_AVERAGE[1], ON_EACH[1])):
            by_task = _average(ours, attrgetter(f'fewer_{what}{field}'))
            if not by_task:
                continue
            mean = float(np.mean(list(by_task.values())))
            lines.append(f'| ≥ {average:.0%} fewer {what} on average, against {against} | '
                         f'{mean:.0%} | {_met(mean >= average)} |')
            lines.append(f'| ≥ {each:.0%} fewer {what} on each, against {against} | '
                         + ', '.join(f'{NAMES.get(task, task)} {share:.0%}'
                                     for task, share in by_task.items())
                         + f' | {_met(min(by_task.values()) >= each)} |')
    least = min(cells, key=lambda cell: cell.right if cell.way == ALL else 2.0)
    below = sum(cell.right < LEAST_RIGHT for cell in cells if cell.way == ALL)
    lines.append(f'| right in ≥ {LEAST_RIGHT:.0%} | least {least.right:.1%} '
                 f'({NAMES.get(least.task, least.task)}, errs in {least.error:.0%})'
                 + (f', below in {below} cells' if below else '') + f' | {_met(not below)} |')
    for cell in _of(cells, ALL, room=True):
        if cell.error == USUAL_ERROR:
            met = cell.questions <= MAX_ROOM_ANSWERS and cell.seconds <= MAX_ROOM_SECONDS
            lines.append(f'| `room` in ≤ {MAX_ROOM_ANSWERS} answers and ≤ {MAX_ROOM_SECONDS:.0f} '
                         f's, the teacher errs in {USUAL_ERROR:.0%} | {cell.questions:.2f} and '
                         f'{cell.seconds:.1f} s | {_met(met)} |')
    slow = [cell for cell in cells if _is_mix(cell) and cell.slower - cell.slower_ci > 0.0]
    mixes = sum(map(_is_mix, cells))
    named = ', '.join(f'{WAYS[cell.way].says}: {NAMES.get(cell.task, cell.task)}, '
                      f'{cell.error:.0%}: {cell.slower:+.1f} ± {cell.slower_ci:.1f} s'
                      for cell in slow)
    lines.append('| no mix slower than actions alone, beyond the 95 % interval | of '
                 f'{mixes} comparisons {len(slow)}{": " if slow else ""}{named} '
                 f'| {_met(not slow)} |')
    lines += ['', 'Paper mode has the likelihood of the task file and stops when it is 95 % '
              'certain: the goals are set against that. It ends right less often (below), so rows '
              'against paper mode that is 99 % certain are added, which is nearer to an equal '
              "share right; and rows against the paper's own likelihood, with which fewer "
              'lessons end right. Both were added when it was known that some goals are missed.']
    return '\n'.join(lines)


def _is_mix(cell: EffortCell) -> bool:
    return WAYS[cell.way].says.startswith('mix')


def _met(holds: bool) -> str:
    return 'yes' if holds else '**no**'


def _figure(cells: Cells, folder: str) -> str:
    return (f'![Questions and seconds to the stop, by task and way of asking]({folder}/effort.png)'
            f'\n\nThe teacher errs in {USUAL_ERROR:.0%}.')


def _by_task(cells: Cells) -> str:
    lines = ['## Questions and seconds', '',
             'Means to the stop; less: than in paper mode, the mean over pairs of lessons of the '
             'same number, with its 95 % interval.']
    for task in dict.fromkeys(cell.task for cell in cells):
        own = [cell for cell in cells if cell.task == task]
        lines += ['', f'### {NAMES.get(task, task)}, {own[0].lessons} lessons in each row', '',
                  '| way to ask | errs in | questions | of these closing | less | s | less | '
                  'right | same policy | open |',
                  '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|']
        lines += [f'| {WAYS[cell.way].says} | {cell.error:.0%} | {cell.questions:.1f} | '
                  f'{cell.closing:.1f} | {_less(cell, "questions")} | {cell.seconds:.1f} | '
                  f'{_less(cell, "seconds")} | {cell.right:.1%} | {cell.same:.1%} | '
                  f'{cell.open:.1%} |' for cell in sorted(own, key=lambda cell: (
                      list(WAYS).index(cell.way), cell.error))]
    return '\n'.join(lines)


def _less(cell: EffortCell, what: str) -> str:
    if cell.way == PAPER:
        return '–'
    return (f'{getattr(cell, f"less_{what}"):.1f} ± {getattr(cell, f"less_{what}_ci"):.1f} '
            f'({getattr(cell, f"fewer_{what}"):.0%})')


def _shares(cells: Cells) -> str:
    below = [cell for cell in cells if cell.right < LEAST_RIGHT]
    lines = [f'## Where fewer than {LEAST_RIGHT:.0%} end right', '',
             'Seconds are only worth comparing at an equal share right.', '',
             '| way to ask | task | errs in | right | open |', '|---|---|---:|---:|---:|']
    lines += [f'| {WAYS[cell.way].says} | {NAMES.get(cell.task, cell.task)} | {cell.error:.0%} | '
              f'{cell.right:.1%} | {cell.open:.1%} |' for cell in below]
    return '\n'.join(lines if below else [*lines[:2], 'Nowhere.'])


def _mixes(cells: Cells) -> str:
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    lines = ['## Mixes against actions alone', '',
             'Seconds more than with actions alone, chosen by information gain (negative: '
             f'faster), paired; the teacher errs in {USUAL_ERROR:.0%}.', '',
             '| way to ask | ' + ' | '.join(NAMES.get(task, task) for task in tasks) + ' |',
             '|---|' + '---:|' * len(tasks)]
    found = {(cell.task, cell.way): cell for cell in cells if cell.error == USUAL_ERROR}
    for way in WAYS:
        if way != ACTIONS and WAYS[way].careful:
            lines.append(f'| {WAYS[way].says} | ' + ' | '.join(
                f'{cell.slower:+.1f} ± {cell.slower_ci:.1f}'
                if (cell := found.get((task, way))) else '–' for task in tasks) + ' |')
    return '\n'.join(lines)


def _sensitivity(cells: Cells) -> str:
    lines = ['## If people take other times', '',
             'The same lessons under other costs: by how much less time than in paper mode, '
             'the mean over all tasks but `room` and all error rates; in brackets the task where '
             'it is least. Kinds were still chosen by the usual costs.', '',
             '| costs | ' + ' | '.join(WAYS[way].says for way in RECOSTED) + ' |',
             '|---|---:|---:|']
    for name, says in [*((name, says) for name, (says, _) in COSTS.items()),
                       (EQUAL, 'all answers alike')]:
        field = 'fewer_seconds' if name == 'usual' else name
        told = []
        for way in RECOSTED:
            by_task = _average(_of(cells, way), attrgetter(field))
            least = min(by_task, key=by_task.__getitem__)
            told.append(f'{np.mean(list(by_task.values())):.0%} '
                        f'({NAMES.get(least, least)} {by_task[least]:.0%})')
        lines.append(f'| {says} | ' + ' | '.join(told) + ' |')
    return '\n'.join(lines)


def _limits(cells: Cells) -> str:
    lines = ['## The information limit', '',
             'What must be learned to be 95 % sure of the policy, H(prior) − H2(.05) − .05 '
             'log2(D − 1), divided by what an answer can carry, log2 m − H2(ε) − ε log2(m − 1); '
             f'the teacher errs in ε = {USUAL_ERROR:.0%}. On average nobody can do with much '
             'fewer of that kind of answer; with a few less where tasks that lose nothing need '
             'not be told apart, and by chance where there are few lessons.', '',
             '| task | bit | yes/no | actions | three steps | picks of a list of 20 | measured: '
             'paper mode | actions alone | all kinds, without closing |',
             '|---|---:|---:|---:|---:|---:|---:|---:|---:|']
    found = {(cell.task, cell.way): cell for cell in cells if cell.error == USUAL_ERROR}
    for task in dict.fromkeys(cell.task for cell in cells):
        paper, plain, ours = (found[task, way] for way in (PAPER, ACTIONS, ALL))
        lines.append(
            f'| {NAMES.get(task, task)} | {paper.bits:.1f} | '
            f'{paper.bits / capacity(USUAL_ERROR, 2):.1f} | {paper.limit:.1f} | '
            f'{paper.limit / 3.0:.1f} | {paper.bits / capacity(USUAL_ERROR, 20):.1f} | '
            f'{paper.questions:.1f} | {plain.questions - plain.closing:.1f} | '
            f'{ours.questions - ours.closing:.1f} |')
    return '\n'.join(lines)
