"""The command: `python -m gbs_irl_ros.experiments`, which `make paper` calls."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib

from gbs_irl_ros.experiments.comparison import COMPARISON, ComparisonExperiment
from gbs_irl_ros.experiments.comparison_page import draw_comparison, write_comparison_page
from gbs_irl_ros.experiments.domain_facts import find_facts, known_facts
from gbs_irl_ros.experiments.drawing import Drawn
from gbs_irl_ros.experiments.effort import EFFORT, EffortExperiment
from gbs_irl_ros.experiments.effort_page import draw_effort, write_effort_page
from gbs_irl_ros.experiments.page import write_page
from gbs_irl_ros.experiments.parquet import write_parquet
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.experiments.running import Experiment, KeptTrials
from gbs_irl_ros.experiments.sweeps import SWEEPS
from gbs_irl_ros.experiments.trust import TRUST, TrustExperiment
from gbs_irl_ros.experiments.trust_page import draw_trust, write_trust_page

FULL, QUICK = Path('.paper', 'full'), Path('.paper', 'quick')
BAD_USAGE, STOPPED = 2, 130


class OwnSweep(NamedTuple):
    """
    A sweep that is not of the paper, and what becomes of it.

    experiment: makes it of the sweep and the folder for its rows.
    draw: writes a table and a figure of the rows into a folder and returns what ``write`` takes.
    write: writes a page: its file, what ``draw`` returned, the folder's name and a last sentence.
    """

    sweep: Any
    experiment: Callable[[Any, Path], KeptTrials]
    draw: Callable[[Path, Path], Any]
    write: Callable[[Path, Any, str, str], None]

    @property
    def name(self) -> str:
        """Return what it is called on the command line."""
        return str(self.sweep.name)


OWN = (OwnSweep(TRUST, TrustExperiment, draw_trust, write_trust_page),
       OwnSweep(EFFORT, EffortExperiment, draw_effort, write_effort_page),
       OwnSweep(COMPARISON, ComparisonExperiment, draw_comparison, write_comparison_page))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    progress = Progress()
    try:
        experiments = _experiments(options)
        for own in OWN:
            if own.name in options.names:
                _run_own(own, options, progress)
        if options.names and not experiments:
            return 0
        sweeps = [experiment.sweep for experiment in experiments]
        if options.draw_only:
            facts = known_facts(sweeps, _folder(options), options.quick)
        else:
            with _workers(options):
                # facts about the domains are the last part; one experiment needs no numbers
                progress.expect(len(experiments) + 1 if len(experiments) > 1 else 0)
                for experiment in experiments:
                    experiment.run(progress)
                facts = find_facts(sweeps, _folder(options), options.quick, progress)
        if options.parquet:
            for experiment in experiments:
                progress.note(f'{write_parquet(experiment.rows)} is written')
        drawn = options.draw or _folder(options) / 'drawn'
        names = list(Drawn(drawn).draw(experiments, facts))
        progress.note(f'{len(names)} files in {drawn}' if names else 'no experiment is complete, '
                      'so there is nothing to draw; run one first')
        if options.page:
            write_page(options.page, drawn)
            progress.note(f'{options.page} is written')
    except ExperimentError as error:
        progress.note(str(error))
        return BAD_USAGE
    except OSError as error:
        progress.note(f'{error.filename}: {error.strerror}' if error.filename else str(error))
        return BAD_USAGE
    except KeyboardInterrupt:
        progress.note('stopped; the same command continues from here')
        return STOPPED
    return 0


def _run_own(own: OwnSweep, options: argparse.Namespace, progress: Progress) -> None:
    """Run a sweep that is not of the paper, draw it and write its page."""
    sweep = own.sweep.quick() if options.quick else own.sweep
    experiment = own.experiment(sweep, _folder(options))
    if not options.draw_only:
        with _workers(options):
            experiment.run(progress)
    done = experiment.whole_trials
    if not done:
        progress.note(f'no lesson of the {own.name} sweep is there, so there is nothing to draw; '
                      'run it first')
        return
    drawn = options.draw or _folder(options) / 'drawn'
    cells = own.draw(experiment.rows, drawn)
    progress.note(f'tables and figures of {own.name} are in {drawn}')
    if options.parquet:
        progress.note(f'{write_parquet(experiment.rows)} is written')
    page = getattr(options, f'{own.name}_page')
    if page:
        share = '' if experiment.complete else f' {done:,} of its {sweep.num_trials:,} trials,'
        own.write(page, cells, drawn.name,
                  f'The run behind this page:{share} {experiment.seconds / 60.0:.0f} min.')
        progress.note(f'{page} is written')


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='python -m gbs_irl_ros.experiments',
        description="Run the paper's experiments and draw its figures. A run that was stopped "
                    'continues where it was.')
    parser.add_argument('names', nargs='*', metavar='EXPERIMENT',
                        help=f'which ones; all if none is named: {", ".join(SWEEPS)}; or, not of '
                             f'the paper, {TRUST.name}: whether learners keep their word, '
                             f'{EFFORT.name}: what teaching costs a person, and '
                             f'{COMPARISON.name}: other ways to learn')
    parser.add_argument('--quick', action='store_true', help='few trials, in a few minutes')
    parser.add_argument('--rows', type=Path, metavar='FOLDER',
                        help=f'where the rows are kept (default {FULL}, quick: {QUICK})')
    parser.add_argument('--jobs', type=int, default=-1, metavar='N',
                        help='workers; -1, the default, is one on each core')
    parser.add_argument('--backend', default='', metavar='NAME',
                        help='how joblib runs them, NAME[@MODULE:FUNCTION][?KEY=VALUE&...]: the '
                             'function registers the backend, the values are its options')
    parser.add_argument('--draw', type=Path, metavar='FOLDER',
                        help='where figures and tables go (default: drawn, beside the rows)')
    parser.add_argument('--page', type=Path, metavar='FILE',
                        help='a page that is written from the tables, between its two marks')
    parser.add_argument('--trust-page', type=Path, metavar='FILE',
                        help=f'the same for {TRUST.name}')
    parser.add_argument('--effort-page', type=Path, metavar='FILE',
                        help=f'the same for {EFFORT.name}')
    parser.add_argument('--comparison-page', type=Path, metavar='FILE',
                        help=f'the same for {COMPARISON.name}')
    parser.add_argument('--parquet', action='store_true',
                        help='write the rows as Parquet, too, beside them; needs pyarrow')
    parser.add_argument('--draw-only', action='store_true', help='run nothing, only draw')
    return parser


def _experiments(options: argparse.Namespace) -> list[Experiment]:
    known = (*SWEEPS, *(own.name for own in OWN))
    for name in options.names:
        if name not in known:
            expected = ', '.join(known)
            raise ExperimentError(f'{name!r} is not an experiment; expected some of {expected}')
    chosen = [SWEEPS[name] for name in dict.fromkeys(options.names or SWEEPS) if name in SWEEPS]
    return [Experiment(sweep.quick() if options.quick else sweep, _folder(options))
            for sweep in chosen]


def _folder(options: argparse.Namespace) -> Path:
    return options.rows or (QUICK if options.quick else FULL)


def _workers(options: argparse.Namespace) -> joblib.parallel_config:
    """Return the context in which joblib has the workers that are asked for."""
    if options.jobs == 0:
        raise ExperimentError('--jobs: must not be 0; expected a number of workers, or -1 for all')
    chosen = _backend(options.backend)
    try:
        return joblib.parallel_config(n_jobs=options.jobs, **chosen)
    except (ImportError, TypeError, ValueError) as error:
        raise ExperimentError(f'--backend: {options.backend!r} cannot be used: {error}') from None


def _backend(text: str) -> dict[str, Any]:
    """Return what joblib.parallel_config wants to know, the backend being registered if asked."""
    if not text:
        return {}
    name, _, values = text.partition('?')
    name, _, registers = name.partition('@')
    if registers:
        module, _, function = registers.partition(':')
        try:
            getattr(importlib.import_module(module), function)()
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise ExperimentError(f'--backend: {registers!r} cannot be called: {error}') from None
    pairs = [pair.partition('=') for pair in values.split('&') if pair]
    return {'backend': name, **{key: value for key, _, value in pairs}}
