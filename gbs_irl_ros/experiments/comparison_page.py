"""From the rows of the comparison sweep to docs/comparison.md: tables, figures, words between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gbs_irl_ros.experiments.comparison import COMPARISON_ROWS
from gbs_irl_ros.experiments.comparison_summary import (
    BUDGETS,
    MEASURES,
    REFERENCE,
    ComparisonCell,
    Difference,
    comparison_cells,
    comparison_differences,
)
from gbs_irl_ros.experiments.comparison_trials import METHODS, SUBJECTS
from gbs_irl_ros.experiments.figures import STYLE, save
from gbs_irl_ros.experiments.page import END, replace_between
from gbs_irl_ros.experiments.summary import write_table

BEGIN = '<!-- written by `make paper ONLY=comparison`: begin -->'
WORDS = {'accuracy': 'policy accuracy', 'loss': 'value loss', 'held_out': 'loss, held-out world',
         'presses': 'key presses', 'visits': 'visits'}
# Questions and single answers are solid; demonstrations and rounds are not.
LOOKS = {'gbs': ('#1565c0', 'o', '-'), 'gbs_steps': ('#00897b', 's', '-'),
         'ml_answers': ('#e07b00', '^', '-'), 'clone_answers': ('#795548', 'v', '-'),
         'walk_answers': ('#8e24aa', 'D', '-'), 'listed': ('#1565c0', 'o', ':'),
         'ml_demos': ('#e07b00', '^', ':'), 'mce_demos': ('#c62828', 'P', ':'),
         'walk_demos': ('#8e24aa', 'D', ':'), 'clone_demos': ('#795548', 'v', ':'),
         'dagger': ('#2e7d32', 'X', '--'), 'lpal_demos': ('#6b7682', '*', ':')}
HAVE_THE_LIST = ('gbs', 'gbs_steps', 'listed')
ALPHA = 0.05


class Compared(NamedTuple):
    """What the page is written from."""

    cells: Sequence[ComparisonCell]
    differences: Sequence[Difference]


def draw_comparison(rows: Path, folder: Path) -> Compared:
    """Write the tables and the figures of a sweep; return their numbers."""
    read = COMPARISON_ROWS.read(rows)
    cells = comparison_cells(read)
    found = Compared(cells, comparison_differences(read, cells))
    write_table(folder / 'comparison.csv', [cell._asdict() for cell in found.cells])
    write_table(folder / 'comparison_differences.csv',
                [each._asdict() for each in found.differences])
    for unit in BUDGETS:
        save(curves(found.cells, unit), folder / f'comparison_{unit}.png')
    return found


def write_comparison_page(page: Path, found: Compared, folder: str, run: str) -> None:
    """Replace what is between the markers."""
    replace_between(page, BEGIN, END, written(found, folder, run))


def curves(cells: Sequence[ComparisonCell], unit: str) -> Figure:
    """Draw every measure against key presses or visits, a column for each domain."""
    domains = list(dict.fromkeys(cell.domain for cell in cells))
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(10.5, 9.6), layout='constrained')
        panels = picture.subplots(len(MEASURES), len(domains), squeeze=False, sharex=True)
        for (row, measure), (column, domain) in (
                (each, other) for each in enumerate(MEASURES) for other in enumerate(domains)):
            axes = panels[row, column]
            for method, (colour, mark, line) in LOOKS.items():
                own = [cell for cell in cells if (cell.domain, cell.method) == (domain, method)]
                places = [getattr(cell, unit) for cell in own]
                means = np.array([getattr(cell, measure) for cell in own], dtype=float)
                half = np.nan_to_num([getattr(cell, f'{measure}_ci') for cell in own])
                axes.plot(places, means, color=colour, marker=mark, linestyle=line,
                          markersize=4.5, linewidth=1.7, label=METHODS[method][0])
                axes.vlines(places, means - half, means + half, colors=colour, linewidth=0.9,
                            alpha=0.45)
            axes.set_xscale('log')
            axes.set_ylim(0.0, 1.02 if measure == 'accuracy' else 1.3)
            if row == 0:
                axes.set_title(SUBJECTS[domain].title, fontsize=10)
            if column == 0:
                axes.set_ylabel(WORDS[measure])
            if row == len(MEASURES) - 1:
                most = max(getattr(cell, unit) for cell in cells)
                marks = [mark for mark in (1, 2, 5, 10, 20, 50, 100, 200) if mark <= most]
                axes.set_xticks(marks, [str(mark) for mark in marks])
                axes.minorticks_off()
                axes.set_xlabel(WORDS[unit])
        picture.legend(*panels[0, 0].get_legend_handles_labels(), loc='outside lower center',
                       ncols=3)
        return picture


# ---- words --------------------------------------------------------------------------------------


def written(found: Compared, folder: str, run: str) -> str:
    """Return what is between the markers."""
    domains = list(dict.fromkeys(cell.domain for cell in found.cells))
    counts = {domain: max(cell.trials for cell in found.cells if cell.domain == domain)
              for domain in domains}
    told = ', '.join(f'{SUBJECTS[domain].title} {counts[domain]}' for domain in domains)
    parts = [f'Trials: {told}. Mean ± half the width of the 95 % interval.',
             _best(found.cells, domains)]
    for unit in BUDGETS:
        parts.append(f'## By {WORDS[unit]}')
        parts.append(f'![Accuracy and losses against {WORDS[unit]}]({folder}/comparison_{unit}'
                     '.png)')
        parts += [_table(found.cells, domain, unit) for domain in domains]
    parts.append(_against(found, domains))
    parts.append(f'Every number is in [{folder}/comparison.csv]({folder}/comparison.csv) and '
                 f'[{folder}/comparison_differences.csv]({folder}/comparison_differences.csv). '
                 f'{run}')
    return '\n\n'.join(parts)


def _best(cells: Sequence[ComparisonCell], domains: Sequence[str]) -> str:
    lines = ['## In short', '',
             'The highest policy accuracy that a budget buys, with the list of rewards and '
             'without it.', '',
             '| budget | ' + ' | '.join(f'{SUBJECTS[domain].title}' for domain in domains) + ' |',
             '|---|' + '---|' * len(domains)]
    for unit, budgets in BUDGETS.items():
        for budget in budgets:
            told = [_leaders([cell for cell in cells if cell.domain == domain
                              and cell.is_at(unit, budget)]) for domain in domains]
            name = WORDS[unit] if budget > 1 else WORDS[unit].removesuffix('s')
            lines.append(f'| {budget} {name} | ' + ' | '.join(told) + ' |')
    return '\n'.join(lines)


def _leaders(cells: Sequence[ComparisonCell]) -> str:
    parts = []
    for words, some in (('with', [cell for cell in cells if cell.method in HAVE_THE_LIST]),
                        ('without', [cell for cell in cells
                                     if cell.method not in HAVE_THE_LIST])):
        if some:
            highest = _rounded(max(cell.accuracy for cell in some))
            names = [METHODS[cell.method][0] for cell in some
                     if _rounded(cell.accuracy) == highest]
            parts.append(f'{words}: {highest}, {"; ".join(names)}')
    return '<br>'.join(parts)


def _table(cells: Sequence[ComparisonCell], domain: str, unit: str) -> str:
    budgets = BUDGETS[unit]
    heads = ' | '.join(f'{WORDS[measure]}, {budget}' for measure in MEASURES for budget in budgets)
    lines = [f'**{SUBJECTS[domain].title}**, after this many {WORDS[unit]}', '',
             f'| method | {heads} |', '|---|' + '---:|' * (len(MEASURES) * len(budgets))]
    for method, (says, _) in METHODS.items():
        own = [cell for cell in cells if (cell.domain, cell.method) == (domain, method)]
        shown = [next((cell for cell in own if cell.is_at(unit, budget)), None)
                 for budget in budgets]
        if any(shown):
            lines.append(f'| {says} | ' + ' | '.join(
                '–' if cell is None else _number(cell, measure)
                for measure in MEASURES for cell in shown) + ' |')
    return '\n'.join(lines)


def _number(cell: ComparisonCell, measure: str) -> str:
    half = getattr(cell, f'{measure}_ci')
    spread = '' if np.isnan(half) else f' ± {_rounded(half)}'
    return _rounded(getattr(cell, measure)) + spread


def _rounded(value: float, form: str = '.2f') -> str:
    return format(round(value, 6) + 0.0, form)      # first as in the table, so that both agree


def _against(found: Compared, domains: Sequence[str]) -> str:
    lines = [f'## {METHODS[REFERENCE][0]}, minus each of the others', '',
             'Differences in the same trials, with 95 % intervals (Student); bold where the '
             'sign-flip test, corrected by Holm for all methods of that column, is below '
             f'{ALPHA:g}. Positive accuracy and negative loss speak for GBS-IRL.', '']
    columns = [(domain, unit, budget, measure) for measure in ('accuracy', 'held_out')
               for unit, budget in (('presses', 20), ('visits', 5)) for domain in domains]
    known = {(each.method, each.domain, each.unit, each.budget, each.measure): each
             for each in found.differences}
    for measure in ('accuracy', 'held_out'):
        chosen = [column for column in columns if column[3] == measure]
        lines += [f'| {WORDS[measure]} | ' + ' | '.join(
            f'{SUBJECTS[domain].title}, {budget} {WORDS[unit]}'
            for domain, unit, budget, _ in chosen) + ' |', '|---|' + '---:|' * len(chosen)]
        for method, (says, _) in METHODS.items():
            told = [known.get((method, *column)) for column in chosen]
            if any(told):
                lines.append(f'| {says} | ' + ' | '.join(
                    '–' if each is None else _difference(each) for each in told) + ' |')
        lines.append('')
    return '\n'.join(lines).rstrip()


def _difference(each: Difference) -> str:
    spread = '' if np.isnan(each.low) else f' ± {_rounded((each.high - each.low) / 2.0)}'
    text = _rounded(each.mean, '+.2f') + spread
    return f'**{text}**' if each.p_holm < ALPHA else text
