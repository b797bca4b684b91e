"""The figures: drawn from rows alone, the mean of all trials with its 95 % confidence band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbs_irl_ros.core.theory.bounds import ErrorBound
from gbs_irl_ros.experiments.curves import Curves, mean_and_halfwidth
from gbs_irl_ros.experiments.summary import Record

INK, FAINT = '#1f2933', '#d5dbe1'
STYLE = {'font.size': 10, 'text.color': INK, 'axes.labelcolor': INK, 'axes.edgecolor': '#9aa5b1',
         'xtick.color': INK, 'ytick.color': INK, 'axes.grid': True, 'grid.color': FAINT,
         'grid.linewidth': 0.6, 'legend.frameon': False, 'legend.fontsize': 9}
QUESTIONS = (0, 1, 2, 5, 10, 20, 50, 100)   # marks on an axis that is wide where most happens
MS = 1000.0


class Look(NamedTuple):
    """How a method is drawn: never by its colour alone; what is higher lies over the others."""

    label: str
    colour: str
    line: Any = '-'
    height: float = 3.0


LOOKS = {
    'gbs': Look('GBS-IRL', '#1565c0', height=5.0),
    'iqbc': Look('IQBC', '#e07b00', ':', 6.0),
    'emg': Look('EMG', '#2e7d32', '--', 4.0),
    'active_sampling': Look('active sampling (Lopes 2009)', '#8e24aa', '-.'),
    'random': Look('random', '#6b7682', (0, (5, 1.5, 1, 1.5, 1, 1.5)), 2.0),
    'gbs_exact': Look('GBS-IRL, exact likelihood', '#00897b', (0, (7, 2)), 4.0),
    'iqbc_exact': Look('IQBC, exact likelihood', '#c62828', (0, (1, 1)), 4.0),
    'iqbc_printed': Look('IQBC as printed', '#795548', (0, (1, 3))),
    'action': Look('actions', '#1565c0'),
    'reward': Look('rewards', '#e07b00', ':'),
    'action_reward': Look('actions and rewards', '#2e7d32', '--'),
    'active': Look('active (GBS-IRL)', '#1565c0'),
}
OTHER_COLOURS = ('#ad1457', '#00838f', '#9e9d24', '#4527a0', '#d84315', '#37474f')
OTHER_LINES = ((0, (3, 1)), (0, (5, 1, 1, 1)), (0, (2, 2)), (0, (8, 2, 2, 2)))
VERSIONS = {'gbs': Look('version 2', '#1565c0'), 'gbs1_cstar': Look('version 1', '#e07b00', '--')}


def look_of(method: str, methods: Sequence[str]) -> Look:
    """Return how a method is drawn; one that we do not know by its place among those."""
    if method in LOOKS:
        return LOOKS[method]
    place = [each for each in methods if each not in LOOKS].index(method)
    return Look(method, OTHER_COLOURS[place % len(OTHER_COLOURS)],
                OTHER_LINES[place % len(OTHER_LINES)], 4.5)


def save(figure: Figure, path: Path) -> None:
    """Write a figure; equal figures give equal files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={'Software': None})


def learning_curves(title: str, curves: Mapping[str, Curves]) -> Figure:
    """Draw policy accuracy and value loss against the number of questions."""
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9.2, 3.9), layout='constrained')
        panels = picture.subplots(1, 2)
        for axes, name, words in zip(panels, ('accuracy', 'relative_loss'), (
                'policy accuracy', 'value loss (1: a random policy’s)'), strict=True):
            _curves(axes, curves, name)
            axes.set_ylabel(words)
        panels[0].set_ylim(0.0, 1.02)
        panels[1].set_ylim(bottom=0.0)
        most = max(trials.num_trials for trials in curves.values())
        picture.suptitle(f'{title} ({most:,} trial{"s" if most > 1 else ""})', fontsize=11)
        picture.legend(*panels[0].get_legend_handles_labels(), loc='outside lower center',
                       ncols=3)
        return picture


def computing_time(records: Sequence[Record], titles: Mapping[str, str]) -> Figure:
    """Draw how long a question takes each method, by experiment."""
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9.2, 4.2), layout='constrained')
        axes = picture.subplots()
        methods = [method for method in ('gbs', 'iqbc', 'active_sampling', 'random', 'emg')
                   if any(record['method'] == method for record in records)]
        names = list(dict.fromkeys(str(record['experiment']) for record in records))
        width = 0.84 / len(methods)
        for place, method in enumerate(methods):
            found = [(names.index(str(record['experiment'])),
                      MS * float(record['seconds_per_question']))
                     for record in records if record['method'] == method]
            places = [x + (place - (len(methods) - 1) / 2) * width for x, _ in found]
            axes.bar(places, [value for _, value in found], 0.92 * width,
                     color=LOOKS[method].colour, label=LOOKS[method].label,
                     hatch='//' if method == 'emg' else None, edgecolor='white')
        axes.set_yscale('log')
        axes.set_ylabel('time per question [ms]')
        axes.set_xticks(range(len(names)), [titles[name].replace(', ', '\n') for name in names])
        axes.grid(axis='x', visible=False)
        axes.set_title('Choosing a question and learning from its answer', fontsize=11)
        axes.legend(ncols=3, loc='upper left')
        low, high = axes.get_ylim()
        axes.set_ylim(low, 6.0 * high)
        return picture


def bound(panels: Sequence[tuple[str, Mapping[str, Curves], ErrorBound]]) -> Figure:
    """Draw how often the answer is wrong, against what theorem 2 allows."""
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9.2, 6.4), layout='constrained')
        rows = -(-len(panels) // 2)
        places = picture.subplots(rows, 2, squeeze=False).flatten()
        for unused in places[len(panels):]:
            unused.remove()
        for axes, (title, curves, limit) in zip(places, panels, strict=False):
            _errors(axes, curves)
            steps = np.arange(max(trials.num_steps for trials in curves.values()) + 1)
            axes.plot(steps, [limit.error(int(step)) for step in steps], color=INK, linewidth=1.6,
                      label='bound of theorem 2')
            fewest = min(trials.num_trials for trials in curves.values())
            axes.set_yscale('log')
            axes.set_ylim(0.5 / fewest, 1.5)
            axes.set_title(f'{title}: c* = {limit.coherence}, λ = {limit.rate:.3g}', fontsize=10)
            axes.set_xlabel('questions')
            axes.set_ylabel('chance that the policy is wrong')
        axes = picture.axes[0]
        picture.legend(*axes.get_legend_handles_labels(), loc='outside lower center', ncols=3)
        return picture


def likelihoods(panels: Sequence[tuple[str, Mapping[str, Curves]]]) -> Figure:
    """Draw accuracy under the aggregated and the exact likelihood, side by side."""
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9.2, 3.9), layout='constrained')
        shown: dict[str, object] = {}
        for axes, (title, curves) in zip(picture.subplots(1, len(panels), squeeze=False).flat,
                                         panels, strict=True):
            _curves(axes, curves, 'accuracy')
            axes.set_ylim(0.0, 1.02)
            axes.set_ylabel('policy accuracy')
            axes.set_title(title, fontsize=10)
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                shown.setdefault(label, handle)
        picture.legend(shown.values(), shown.keys(),    # type: ignore[arg-type]
                       loc='outside lower center', ncols=3)
        return picture


def _curves(axes: Axes, curves: Mapping[str, Curves], name: str) -> None:
    longest = 0
    for method, trials in curves.items():
        look = look_of(method, list(curves))
        mean, halfwidth = mean_and_halfwidth(getattr(trials, name), trials.mdp)
        steps = np.arange(len(mean))
        longest = max(longest, trials.num_steps)
        axes.fill_between(steps, mean - halfwidth, mean + halfwidth, color=look.colour, alpha=0.18,
                          linewidth=0.0, zorder=look.height)
        axes.plot(steps, mean, linestyle=look.line, color=look.colour, linewidth=1.9,
                  label=look.label, zorder=look.height + 0.5)
    axes.set_xscale('function', functions=(np.sqrt, np.square))
    axes.set_xticks([mark for mark in QUESTIONS if mark <= longest])
    axes.set_xlim(0, longest)
    axes.set_xlabel('questions')


def _errors(axes: Axes, curves: Mapping[str, Curves]) -> None:
    for method, trials in curves.items():
        wrong = (trials.accuracy < 1.0).astype(np.float64)
        mean, halfwidth = mean_and_halfwidth(wrong, trials.mdp)
        steps = np.arange(len(mean))
        look = VERSIONS[method]
        axes.fill_between(steps, np.maximum(mean - halfwidth, 1e-9),
                          np.maximum(mean + halfwidth, 1e-9), color=look.colour, alpha=0.2,
                          linewidth=0.0)
        axes.plot(steps, np.where(mean > 0.0, mean, np.nan), linestyle=look.line,
                  color=look.colour, linewidth=1.8, label=look.label)
