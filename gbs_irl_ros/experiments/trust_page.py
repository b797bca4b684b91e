"""From the rows of the trust sweep to docs/trust.md: a table, a figure and the words between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbs_irl_ros.experiments.figures import FAINT, INK, STYLE, save
from gbs_irl_ros.experiments.page import END, replace_between
from gbs_irl_ros.experiments.summary import write_table
from gbs_irl_ros.experiments.trust import LISTED, TRUST_ROWS
from gbs_irl_ros.experiments.trust_lessons import WAYS
from gbs_irl_ros.experiments.trust_summary import CellSummary, summarised

BEGIN = '<!-- written by `make paper ONLY=trust`: begin -->'
DEFAULTS, PAPER, SHOWN = 'defaults', 'paper', 'shown'
USUAL_ERROR = 0.1           # at which prices are told
MOST_WRONG, MOST_WRONG_OUTSIDE, MOST_MORE, LEAST_SHOWN = 0.01, 0.15, 1.5, 0.9
LOOKS = {'paper': ('#e07b00', 's'), 'defaults': ('#1565c0', 'o'),
         'certainty': ('#2e7d32', '^'), 'value_at_risk': ('#8e24aa', 'D'),
         'minimax_regret': ('#00897b', 'v'), 'conformal': ('#c62828', 'P')}
LOWEST = 0.6                # share that the figure shows
HEAD = ('| task | lessons | teacher errs in | wrong | lost | "none" | open | answers | more | of '
        'these closing |', '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|')

Cells = Sequence[CellSummary]


def draw_trust(rows: Path, folder: Path) -> Cells:
    """Write the table and the figure of a sweep; return its cells."""
    cells = summarised(TRUST_ROWS.read(rows))
    write_table(folder / 'trust.csv', [cell._asdict() for cell in cells])
    save(calibration(cells), folder / 'trust.png')
    return cells


def write_trust_page(page: Path, cells: Cells, folder: str, run: str) -> None:
    """Replace what is between the markers."""
    replace_between(page, BEGIN, END, written(cells, folder, run))


def calibration(cells: Cells) -> Figure:
    """Draw the share of kept claims against what was claimed, one panel for each task."""
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9.2, 2.4 * -(-len(tasks) // 4) + 0.8), layout='constrained')
        places = picture.subplots(-(-len(tasks) // 4), 4, squeeze=False).flatten()
        for unused in places[len(tasks):]:
            unused.remove()
        for axes, task in zip(places, tasks, strict=False):
            _panel(axes, [cell for cell in cells if cell.task == task and cell.missing == LISTED])
            axes.set_title(task, fontsize=10)
            axes.set_xlabel('claimed')
            axes.set_ylabel('claim was true')
        picture.legend(*places[0].get_legend_handles_labels(), loc='outside lower center', ncols=3)
        return picture


def _panel(axes: Axes, cells: Cells) -> None:
    axes.plot([0.0, 1.0], [0.0, 1.0], color=INK, linewidth=1.0, zorder=1.0)
    axes.fill_between([0.0, 1.0], [0.0, 1.0], color=FAINT, alpha=0.5, linewidth=0.0, zorder=0.5)
    for way, (colour, mark) in LOOKS.items():
        found = [cell for cell in cells if cell.way == way]
        axes.errorbar(
            [cell.claimed for cell in found], [cell.kept for cell in found],
            yerr=[[cell.kept - cell.kept_low for cell in found],
                  [cell.kept_high - cell.kept for cell in found]],
            fmt=mark, color=colour, markersize=4.5, elinewidth=0.9, capsize=2.0,
            label=WAYS[way].says, zorder=3.0)
    axes.set_xlim(0.94, 1.002)
    axes.set_ylim(LOWEST, 1.01)


# ---- words --------------------------------------------------------------------------------------


def written(cells: Cells, folder: str, run: str) -> str:
    """Return what is between the markers."""
    return '\n\n'.join([
        _goals(cells), _listed(cells), _unlisted(cells), _claims(cells, folder), _ways(cells),
        f'Every cell is in [{folder}/trust.csv]({folder}/trust.csv). {run}'])


def _goals(cells: Cells) -> str:
    inside = [cell for cell in cells if cell.way == DEFAULTS and cell.missing == LISTED]
    outside = [cell for cell in cells if cell.way == DEFAULTS and cell.missing != LISTED]
    shown = [cell for cell in cells if cell.way == SHOWN]
    usual = [cell for cell in inside if cell.error == USUAL_ERROR]
    broken = [cell for cell in inside if not cell.keeps_its_word]
    lines = [
        _goal(f'wrong at the stop at most {MOST_WRONG:.0%}, a listed task is meant', inside,
              lambda cell: cell.wrong, MOST_WRONG, '{:.2%}'),
        _goal(f'wrong at most {MOST_WRONG_OUTSIDE:.0%}, the task is not listed', outside,
              lambda cell: cell.wrong, MOST_WRONG_OUTSIDE, '{:.1%}'),
        _goal(f'at most {MOST_MORE} answers more than in the paper, the teacher errs in '
              f'{USUAL_ERROR:.0%}', usual, lambda cell: cell.more, MOST_MORE, '{:+.2f}'),
        f'| a claim is never above the share right, a listed task is meant | {len(inside)} | '
        f'{len(inside) - len(broken)} | '
        + (', '.join(f'{_at(cell)}: {cell.claimed:.3f} claimed, {cell.kept:.3f} right (at most '
                     f'{cell.kept_high:.3f})' for cell in broken) or '–') + ' |',
        _goal(f'right in at least {LEAST_SHOWN:.0%}, the place that is missing is shown', shown,
              lambda cell: -cell.right, -LEAST_SHOWN, '{:.1%}')]
    return '\n'.join(["## What is asked of the learner node's defaults", '',
                      '| goal | cells | met in | worst, or not met in |', '|---|---:|---:|---|',
                      *filter(None, lines)])


def _goal(words: str, cells: Cells, value: Callable[[CellSummary], float], most: float,
          form: str) -> str:
    if not cells:
        return ''
    missed = sorted((cell for cell in cells if value(cell) > most), key=value, reverse=True)
    named = missed or [max(cells, key=value)]
    told = ', '.join(f'{_at(cell)}: {form.format(abs(value(cell)) if most < 0 else value(cell))}'
                     for cell in named)
    return f'| {words} | {len(cells)} | {len(cells) - len(missed)} | {told} |'


def _at(cell: CellSummary) -> str:
    missing = '' if cell.missing == LISTED else f', {cell.missing} missing'
    return f'`{cell.task}`{missing}, {cell.error:.0%}'


def _listed(cells: Cells) -> str:
    lines = ['## A listed task is meant', '',
             "Shares of lessons that end wrong, the paper's way → the defaults; answers at the "
             'end, and by how many the defaults take more in the same lessons. Lost: by a robot '
             'whose lesson ended with the defaults, on average, of what its task is worth.', '',
             *HEAD]
    return '\n'.join([*lines, *_compared(cells, lambda cell: cell.missing == LISTED)])


def _unlisted(cells: Cells) -> str:
    lines = ['## The task that is meant is not listed', '',
             "Missing is what is named; again the paper's way → the defaults.", '', *HEAD]
    lines += _compared(cells, lambda cell: cell.missing != LISTED)
    shown = [cell for cell in cells if cell.way == SHOWN]
    if shown:
        lines += ['', 'If the teacher shows the place after the first no to a closing question, '
                  'or when nothing fits:', '',
                  '| task | teacher errs in | right | wrong | "none" | open | answers |',
                  '|---|---:|---:|---:|---:|---:|---:|']
        lines += [f'| `{cell.task}` | {cell.error:.0%} | {cell.right:.1%} | {cell.wrong:.1%} | '
                  f'{cell.none:.1%} | {cell.open:.1%} | {cell.answers:.1f} |' for cell in shown]
    return '\n'.join(lines)


def _compared(cells: Cells, chosen: Callable[[CellSummary], bool]) -> Iterable[str]:
    found = {(cell.task, cell.missing, cell.error, cell.way): cell for cell in cells
             if chosen(cell)}
    for (task, missing, error, way), cell in found.items():
        if way != DEFAULTS:
            continue
        paper = found[task, missing, error, PAPER]
        name = f'`{task}`' + ('' if missing == LISTED else f', a {missing}')
        yield (f'| {name} | {cell.lessons} | {error:.0%} | {paper.wrong:.1%} → {cell.wrong:.1%} | '
               f'{_share(cell.loss)} | {cell.none:.1%} | {paper.open:.1%} → {cell.open:.1%} | '
               f'{paper.answers:.1f} → {cell.answers:.1f} | {cell.more:+.1f} ± {cell.more_ci:.1f} '
               f'| {cell.closing:.1f} |')


def _share(value: float) -> str:
    return '< 0.1%' if 0.0 < value < 0.0005 else f'{value:.1%}'


def _claims(cells: Cells, folder: str) -> str:
    lines = ['## Do claims hold?', '',
             f'![Share of true claims against what was claimed]({folder}/trust.png)', '',
             'Listed tasks; each mark is a cell (a teacher who errs in 2, 10, 20 or 30 %), its '
             'bar the 95 % interval of the share. In the grey part more is claimed than is true. '
             'What would lie below the figure is not shown.', '',
             '| way to stop | listed: cells | claim above the share (its interval) | not listed: '
             'cells | claim above the share |', '|---|---:|---:|---:|---:|']
    for way, each in WAYS.items():
        if way == SHOWN:
            continue
        inside, outside = ([cell for cell in cells if cell.way == way
                            and (cell.missing == LISTED) is listed] for listed in (True, False))
        lines.append(f'| {each.says} | {len(inside)} | {_broken(inside)} | {len(outside)} | '
                     f'{_broken(outside)} |')
    return '\n'.join(lines)


def _broken(cells: Cells) -> int:
    return sum(not cell.keeps_its_word for cell in cells)


def _ways(cells: Cells) -> str:
    lines = ['## All ways to stop', '',
             f'The teacher errs in {USUAL_ERROR:.0%}, a listed task is meant: wrong / answers. '
             'Wrong is whatever loses anything, also where the claim allows for 5 %.', '']
    tasks = list(dict.fromkeys(cell.task for cell in cells))
    found = {(cell.task, cell.way): cell for cell in cells
             if cell.missing == LISTED and cell.error == USUAL_ERROR}
    lines += ['| way to stop | ' + ' | '.join(f'`{task}`' for task in tasks) + ' |',
              '|---|' + '---:|' * len(tasks)]
    for way, each in WAYS.items():
        if way == SHOWN:
            continue
        told = [f'{cell.wrong:.1%} / {cell.answers:.1f}' if (cell := found.get((task, way)))
                else '–' for task in tasks]
        lines.append(f'| {each.says} | ' + ' | '.join(told) + ' |')
    return '\n'.join(lines)
