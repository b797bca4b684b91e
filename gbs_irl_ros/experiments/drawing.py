"""From rows to everything in docs/paper: figures and tables of the experiments that are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from gbs_irl_ros.core import Hypotheses, Likelihood, NoiseModel
from gbs_irl_ros.core.theory.bounds import ErrorBound, error_bound
from gbs_irl_ros.experiments import figures
from gbs_irl_ros.experiments.curves import Curves, read_curves
from gbs_irl_ros.experiments.rows import TIMES, Time
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.summary import (
    Record,
    differences,
    errors,
    merged,
    read_table,
    results,
    supersets,
    write_table,
)
from gbs_irl_ros.experiments.sweeps import ABOUT_LIKELIHOODS, BOUNDS, SWEEPS, TIMED, Sweep
from gbs_irl_ros.experiments.trial import trial_seed

TABLES = ('results', 'differences', 'supersets', 'bounds', 'runs')


class Drawn:
    """
    Figures and tables in a folder.

    What is drawn from some experiments replaces what was drawn from the same ones before.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._order = list(SWEEPS)

    def draw(self, experiments: Sequence[Experiment], facts: Sequence[Record]) -> Iterator[str]:
        """Draw what can be drawn from complete experiments; yield the names of the files."""
        loaded = [_Loaded(experiment) for experiment in experiments if experiment.complete]
        if facts:
            yield self._merge('domains', facts)
        yield from self._draw_curves([each for each in loaded if each.name not in BOUNDS])
        yield from self._write_tables(loaded)
        if any(each.name in TIMED for each in loaded):
            timed = [record for record in read_table(self._table('results'))
                     if record['experiment'] in TIMED]
            titles = {name: sweep.title for name, sweep in SWEEPS.items()}
            yield self._save('time', figures.computing_time(timed, titles))
        bounds = self._together('bound', BOUNDS, loaded)
        if bounds:
            yield self._save('bound', figures.bound([
                (each.sweep.title, each.curves, bound_of(each.sweep)) for each in bounds]))
        about = self._together('likelihoods', ABOUT_LIKELIHOODS, loaded)
        if about:
            yield self._save('likelihoods', figures.likelihoods([
                (each.sweep.title, _by_likelihood(each.curves)) for each in about]))

    def draw_own(self, experiments: Sequence[Experiment]) -> Iterator[str]:
        """Draw complete experiments that are not the paper's; yield the names of the files."""
        loaded = [_Loaded(experiment) for experiment in experiments]
        self._order = [each.name for each in loaded]
        yield from self._draw_curves(loaded)
        yield self._merge('results', [record for each in loaded for record in
                                      results(each.name, each.curves, each.times)])
        yield self._merge('differences', [record for each in loaded for record in
                                          differences(each.name, each.curves)])

    def _draw_curves(self, loaded: Sequence[_Loaded]) -> Iterator[str]:
        for each in loaded:
            yield self._save(each.name, figures.learning_curves(each.sweep.title, each.curves))

    def _together(self, figure: str, names: Sequence[str], loaded: Sequence[_Loaded]
                  ) -> list[_Loaded]:
        """Return what a figure of several experiments shows; none if that might be less."""
        found = [each for name in names for each in loaded if each.name == name]
        whole = len(found) == len(names) or not (self.folder / f'{figure}.png').exists()
        return found if whole else []

    def _write_tables(self, loaded: Sequence[_Loaded]) -> Iterator[str]:
        tables: dict[str, list[Record]] = {name: [] for name in TABLES}
        for each in loaded:
            tables['results'] += results(each.name, each.curves, each.times)
            tables['differences'] += differences(each.name, each.curves)
            tables['supersets'] += supersets(each.name, each.curves, each.times)
            if each.name in BOUNDS:
                tables['bounds'] += errors(each.name, each.curves, bound_of(each.sweep))
            tables['runs'].append({'experiment': each.name, 'trials': each.sweep.num_trials,
                                   'minutes': each.seconds / 60.0})
        for name, records in tables.items():
            if records:
                yield self._merge(name, records)

    def _merge(self, name: str, records: Sequence[Record]) -> str:
        path = self._table(name)
        write_table(path, merged(read_table(path), records, self._order))
        return path.name

    def _table(self, name: str) -> Path:
        return self.folder / f'{name}.csv'

    def _save(self, name: str, figure: Figure) -> str:
        path = self.folder / f'{name}.png'
        figures.save(figure, path)
        return path.name


class _Loaded:
    """An experiment with its rows."""

    def __init__(self, experiment: Experiment) -> None:
        self.sweep, self.seconds = experiment.sweep, experiment.seconds
        self.name = experiment.sweep.name
        self._experiment = experiment

    @cached_property
    def curves(self) -> Mapping[str, Curves]:
        return read_curves(self._experiment.rows)

    @cached_property
    def times(self) -> list[Time]:
        return TIMES.read(self._experiment.times)


def bound_of(sweep: Sweep) -> ErrorBound:
    """Return what theorem 2 says of version 1 in a sweep whose problem is always the same."""
    mdp = sweep.domain.mdp(trial_seed(sweep, 0))
    draw = sweep.domain.draw(mdp, np.random.default_rng(0))
    hypotheses = Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)
    assert sweep.gamma_hat is not None
    noise = NoiseModel(sweep.gamma_hat, sweep.sigma, Likelihood.SINGLE_ACTION)
    return error_bound(hypotheses, noise, 1, sweep.gamma)


def _by_likelihood(curves: Mapping[str, Curves]) -> dict[str, Curves]:
    return {method: curves[method] for method in ('gbs', 'gbs_exact', 'iqbc', 'iqbc_exact')
            if method in curves}
