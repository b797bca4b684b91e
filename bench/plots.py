"""
Pictures and tables of docs/speed.md, from bench/results.json alone.

`tools/ros-env python bench/plots.py` draws them again; nothing is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bench.results import ROOT, Figures, read_results
from bench.speed_page import PAGE, PLANNED, write_page

FOLDER = ROOT / 'docs' / 'speed'
INK, FAINT = '#1f2933', '#c9d1d9'
BLUE, PALE, ORANGE, GREY, GREEN = '#1565c0', '#90bff0', '#e07b00', '#8a94a0', '#2e7d32'
PLANNERS = (('seconds', 'ours', BLUE), ('numpy_seconds', 'ours without kernel', PALE),
            ('quantecon_seconds', 'QuantEcon', ORANGE), ('mdptoolbox_seconds', 'mdptoolbox', GREY),
            ('storm_seconds', 'Storm', GREEN))
AXES = {'states': ('o', BLUE), 'actions': ('s', ORANGE), 'hypotheses': ('^', GREEN)}
LIVE = ('v', GREY)
WORLDS = {'random_10x5': 'random MDPs\n10 × 5', 'random_10x10': 'random MDPs\n10 × 10',
          'puddle_world': 'puddle world\n400 × 4'}
STYLE = {'font.size': 10, 'text.color': INK, 'axes.labelcolor': INK, 'axes.edgecolor': FAINT,
         'xtick.color': INK, 'ytick.color': INK}
MS = 1000.0
FEW_DECADES = 300.0     # an axis that spans less than this gets marks at 3, 30, ... as well


def draw_all(figures: Figures, folder: Path = FOLDER, page: Path = PAGE) -> list[str]:
    """Draw every picture and write the page; return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in (('planning', planning), ('growth', growth), ('emg', emg)):
        with matplotlib.rc_context(STYLE):
            # Without the version of matplotlib in it: equal figures give equal files.
            draw(figures).savefig(folder / f'{name}.png', dpi=120, metadata={'Software': None})
    write_page(figures, page)
    return [*(f'{folder.name}/{name}.png' for name in ('planning', 'growth', 'emg')), page.name]


def planning(figures: Figures) -> Figure:
    """Draw how long planning takes, by task and planner."""
    picture = Figure(figsize=(9.0, 4.2), layout='constrained')
    axes = picture.subplots()
    width = 0.8 / len(PLANNERS)
    for place, (key, label, colour) in enumerate(PLANNERS):
        found = [(task, figures[f'planning.{task}.{key}']) for task in _planned(figures, key)]
        shift = (place - (len(PLANNERS) - 1) / 2) * width
        positions = [PLANNED.index(task) + shift for task, _ in found]
        axes.bar(positions, [value for _, value in found], 0.92 * width, color=colour, label=label)
        for position, (task, value) in zip(positions, found, strict=True):
            ours = figures[f'planning.{task}.seconds']
            text = _duration(value) if key == 'seconds' else f'{_short(value / ours)} ×'
            axes.annotate(text, (position, value), (0, 2), textcoords='offset points',
                          ha='center', fontsize=8)
    axes.set_xlabel('states × actions')
    axes.set_xticks(range(len(PLANNED)), [_task_label(figures, task) for task in PLANNED])
    counts = {figures.get(f'planning.{task}.rewards', 0) for task in PLANNED} - {0}
    axes.set_ylabel(f'time for {"/".join(map(str, sorted(counts)))} rewards [s]')
    axes.set_title('Planning: the shorter the better (× : times as long as ours)', fontsize=11)
    _log_axis(axes, 'y')
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * 4.0)      # room for the legend
    axes.legend(ncols=5, loc='upper center', frameon=False, fontsize=9)
    return picture


def growth(figures: Figures) -> Figure:
    """Draw time against size, with the fitted power laws."""
    picture = Figure(figsize=(10.0, 5.0), layout='constrained')
    panels = picture.subplots(1, 2)
    for axes, kind, title in zip(panels, ('planning', 'ask'), ('Planning', 'Next question'),
                                 strict=True):
        for name in ('states', 'actions', 'hypotheses', 'live'):
            _curve(axes, figures, f'growth.{kind}_{name}', name)
        axes.set_title(f'{title} (dashed: fitted power law)', fontsize=11)
        axes.set_xlabel('number of states, actions or hypotheses')
        axes.set_ylabel('time [ms]')
        _log_axis(axes, 'x')
        _log_axis(axes, 'y')
        if axes.lines:
            axes.legend(frameon=False, fontsize=9, loc='upper center',
                        bbox_to_anchor=(0.5, -0.16), ncols=2)
    return picture


def _curve(axes: Axes, figures: Figures, key: str, name: str) -> None:
    curve = figures.get(f'{key}.curve')
    if not curve:
        return
    sizes, seconds = np.array(curve, dtype=np.float64).T
    exponent, factor = figures[f'{key}.exponent'], figures[f'{key}.factor']
    marker, colour = LIVE if name == 'live' else AXES[name]
    words = 'hypotheses, 10 with mass' if name == 'live' else name
    axes.plot(sizes, MS * seconds, f'{marker}-', color=colour, markersize=5.5, linewidth=0.5,
              label=f'{words}: exponent {exponent:.2f}')
    fitted = sizes[sizes >= figures[f'{key}.fitted_from']]
    axes.plot(fitted, MS * factor * fitted ** exponent, '--', color=colour, linewidth=1.6)


def emg(figures: Figures) -> Figure:
    """Draw what a question of EMG costs, against one of GBS."""
    worlds = [world for world in WORLDS if f'emg.{world}.emg_seconds' in figures]
    picture = Figure(figsize=(6.4, 4.0), layout='constrained')
    axes = picture.subplots()
    for shift, key, label, colour in ((-0.2, 'gbs_seconds', 'GBS', BLUE),
                                      (0.2, 'emg_seconds', 'EMG', ORANGE)):
        values = [MS * figures[f'emg.{world}.{key}'] for world in worlds]
        axes.bar(np.arange(len(worlds)) + shift, values, 0.37, color=colour, label=label)
        for place, (world, value) in enumerate(zip(worlds, values, strict=True)):
            ratio = figures[f'emg.{world}.ratio']
            text = _duration(value / MS) + ('' if key == 'gbs_seconds' else f'\n{_short(ratio)} ×')
            axes.annotate(text, (place + shift, value), (0, 2), textcoords='offset points',
                          ha='center', fontsize=8)
    axes.set_xticks(range(len(worlds)), [WORLDS[world] for world in worlds])
    axes.set_xlabel('states × actions, 500 rewards each')
    axes.set_ylabel('time of a question [ms]')
    axes.set_title('Expected myopic gain against GBS', fontsize=11)
    _log_axis(axes, 'y')
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * 3.0)
    axes.legend(frameon=False, loc='upper left')
    return picture


# ---- small things -------------------------------------------------------------------------------

def _log_axis(axes: Axes, which: str) -> None:
    (axes.set_xscale if which == 'x' else axes.set_yscale)('log')
    axis = axes.xaxis if which == 'x' else axes.yaxis
    axis.set_major_formatter(lambda value, _: f'{value:,.6g}')     # 0.01, not a power of ten
    axis.set_minor_formatter('')
    low, high = axis.get_view_interval()
    if high < FEW_DECADES * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.grid(axis=which, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)


def _planned(figures: Figures, key: str) -> list[str]:
    """Return the tasks for which a planner was measured."""
    return [task for task in PLANNED if f'planning.{task}.{key}' in figures]


def _task_label(figures: Figures, task: str) -> str:
    states, actions = (figures.get(f'planning.{task}.{key}') for key in ('states', 'actions'))
    words = task.replace('_', ' ')
    return words if states is None else f'{words}\n{states:,} × {actions}'


def _short(value: float) -> str:
    return f'{value:,.0f}' if value >= 10.0 else f'{value:.1f}'


def _duration(seconds: float) -> str:
    if seconds >= 1.0:
        return f'{seconds:.1f} s'
    ms = MS * seconds
    return f'{ms:.0f} ms' if ms >= 10.0 else f'{ms:.1f} ms'


def main() -> int:
    """Draw again what was measured."""
    figures = read_results()
    if not figures:
        print('bench: there is no bench/results.json yet; `make bench` makes it', file=sys.stderr)
        return 1
    for written in draw_all(figures):
        print(f'wrote docs/{written}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
