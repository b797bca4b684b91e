"""
Own sweeps, from the run to the figure: what a paper of one's own needs of this package.

A study is some sweeps and a folder. It runs what is missing there, on as many workers as joblib
has been told of, and makes curves, tables and figures of it as `make paper` does of the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib

from gbs_irl_ros.core.action_likelihood import ActionLikelihood
from gbs_irl_ros.core.errors import UnknownNameError
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.experiments.curves import Curves, read_curves
from gbs_irl_ros.experiments.domain_names import DOMAINS, make_domain
from gbs_irl_ros.experiments.domains import Domain, ShippedTask
from gbs_irl_ros.experiments.drawing import Drawn
from gbs_irl_ros.experiments.figures import look_of
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import TIMES, ExperimentError
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.summary import Record, differences, results
from gbs_irl_ros.experiments.sweeps import Method, Sweep
from gbs_irl_ros.tasks import TaskFileError, find_task

NEVER_REACHED = float('inf')


@dataclass(frozen=True, init=False)
class Study:
    """
    Sweeps, and the folder that their rows are kept in.

    Rows that are there are not run again. If a setting has changed since, or the code of a class
    that is used, they are refused: remove them, or name another folder. Code that such a class
    calls elsewhere is not looked at.
    """

    sweeps: tuple[Sweep, ...]
    folder: Path

    def __init__(self, sweeps: Sequence[Sweep], folder: str | Path) -> None:
        names = [sweep.name for sweep in sweeps]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice or not names:
            raise ExperimentError(f'a study must have sweeps of different names, got {names}')
        vars(self).update(sweeps=tuple(sweeps), folder=Path(folder))

    def run(self, jobs: int | None = None, progress: Progress | None = None) -> Study:
        """
        Run the trials that are missing, and return the study.

        :param jobs: workers, -1: one on each core; None: as ``joblib.parallel_config`` around the
            call says, by default one. That is also how to use a Dask or Ray cluster.
        """
        if jobs == 0:
            raise ExperimentError('jobs must not be 0; expected a number of workers, or -1')
        progress = progress or Progress(name='study')
        progress.expect(len(self.sweeps))
        with nullcontext() if jobs is None else joblib.parallel_config(n_jobs=jobs):
            for experiment in self._experiments:
                experiment.run(progress)
        return self

    def curves(self, sweep: str) -> dict[str, Curves]:
        """Return the learning curves of a sweep by method."""
        for experiment in self._experiments:
            if experiment.sweep.name == sweep:
                return self._curves(experiment)
        names = [each.name for each in self.sweeps]
        raise ExperimentError(f'{sweep!r} is not a sweep of this study; it has {names}')

    def results(self) -> list[Record]:
        """Return how well each method does in each sweep: see ``summary.results``."""
        return [record for each in self._experiments for record in
                results(each.sweep.name, self._curves(each), TIMES.read(each.times))]

    def differences(self) -> list[Record]:
        """Return by how much the first method of each sweep is ahead, in the same trials."""
        return [record for each in self._experiments
                for record in differences(each.sweep.name, self._curves(each))]

    def draw(self, folder: str | Path) -> list[Path]:
        """Write a figure of each sweep and the tables into a folder; return the files."""
        for experiment in self._experiments:
            self._curves(experiment)        # says what is missing
        drawn = Drawn(Path(folder))
        return [drawn.folder / name for name in drawn.draw_own(self._experiments)]

    def table(self) -> str:
        """Return the results as a table in Markdown."""
        records = self.results()
        counts = sorted({int(column.rpartition('_')[2]) for record in records for column in record
                         if column.startswith('accuracy_') and not column.endswith('_ci')})
        methods = list(dict.fromkeys(str(record['method']) for record in records))
        heads = ['sweep', 'method', 'trials', *(f'accuracy after {count}' for count in counts),
                 'questions to 0.95', 'ms per question']
        lines = ['| ' + ' | '.join(heads) + ' |', '|---|---' + '|---:' * (len(heads) - 2) + '|']
        for record in records:
            cells = [str(record['experiment']), look_of(str(record['method']), methods).label,
                     f'{record["trials"]:,}', *(_accuracy(record, count) for count in counts),
                     _questions(record), f'{1000 * float(record["seconds_per_question"]):.2f}']
            lines.append('| ' + ' | '.join(cells) + ' |')
        return '\n'.join(lines)

    @property
    def _experiments(self) -> list[Experiment]:
        return [Experiment(sweep, self.folder) for sweep in self.sweeps]

    @staticmethod
    def _curves(experiment: Experiment) -> dict[str, Curves]:
        if not experiment.complete:
            raise ExperimentError(
                f'{experiment.rows}: has {experiment.whole_trials} of '
                f'{experiment.sweep.num_trials} trials; run the study first')
        return read_curves(experiment.rows)


def compare(strategies: Sequence[str | QueryStrategy | Method],
            domains: Sequence[str | Domain], folder: str | Path, *, trials: int = 50,
            steps: int = 30, seed: int = 1, likelihood: str | ActionLikelihood = 'exact',
            teacher: str = SimulatedTeacher.name,
            teacher_options: Mapping[str, Any] | None = None) -> Study:
    """
    Return a study in which strategies learn the same tasks from the same teachers.

    :param strategies: names, strategies, or methods with a likelihood of their own.
    :param domains: domains, or their names in ``DOMAINS``; or names of shipped tasks and paths of
        task files that say what is true, of which the world and the right reward are taken.
    :param trials: of each domain. steps: questions of each.
    :param likelihood: of all strategies that are not methods.
    :param teacher, teacher_options: who answers.
    """
    for name, given in (('strategies', strategies), ('domains', domains)):
        if isinstance(given, str):
            raise ExperimentError(f'{name} must be a list, got {given!r}')
    methods = tuple(each if isinstance(each, Method) else Method(
        each if isinstance(each, str) else each.name, each, likelihood=likelihood)
        for each in strategies)
    sweeps: list[Sweep] = []
    for each in domains:
        domain = _named(each) if isinstance(each, str) else each
        name = Path(each).stem if isinstance(each, str) else type(domain).__name__
        same = sum(sweep.name.startswith(name) for sweep in sweeps)
        name = f'{name}_{same + 1}' if same else name
        sweeps.append(Sweep(name, name.replace('_', ' '), domain, methods, trials=trials,
                            steps=steps, seed=seed, teacher=teacher,
                            teacher_options=tuple(sorted((teacher_options or {}).items()))))
    return Study(sweeps, folder)


def _named(name: str) -> Domain:
    """Return the domain, or the world of the task, of a name."""
    if name in DOMAINS:
        return make_domain(name)
    try:
        find_task(name)
    except TaskFileError as error:
        raise ExperimentError(f'{UnknownNameError("domain", name, DOMAINS)} Nor is it a task: '
                              f'{error}') from None
    return ShippedTask(name)


def _accuracy(record: Record, count: int) -> str:
    if f'accuracy_{count}' not in record:
        return '–'
    return f'{record[f"accuracy_{count}"]:.3f} ± {record[f"accuracy_{count}_ci"]:.3f}'


def _questions(record: Record) -> str:
    median = float(record['questions_95'])
    return 'not reached' if median == NEVER_REACHED else f'{median:g}'
