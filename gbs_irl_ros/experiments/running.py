"""
Runs sweeps: on all cores, or on whatever joblib has been told to use.

No backend is named here: ``joblib.parallel_config`` around a call decides, so the same code runs
on a Dask or Ray cluster. Rows come back in the order of their trials, whichever finishes first.
"""

from __future__ import annotations

import json
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import joblib

from gbs_irl_ros.core.registry import Registration
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import ROWS, TIMES, ExperimentError, TrialFile
from gbs_irl_ros.experiments.sweeps import Sweep
from gbs_irl_ros.experiments.trial import TrialResult, first_problem, run_trial
from gbs_irl_ros.tasks.whole_files import replacing

MISSING = 'missing'


class Plan(Protocol):
    """What is to be run: trials that depend on it and on their number alone."""

    @property
    def name(self) -> str:
        """Return the name of the files."""
        ...

    @property
    def title(self) -> str:
        """Return what a person calls it."""
        ...

    @property
    def num_trials(self) -> int:
        """Return the number of trials in all."""
        ...

    def settings(self) -> dict[str, Any]:
        """Return everything the rows depend on, ready for JSON."""
        ...


class KeptTrials(ABC):
    """
    A plan and the folder its rows are in.

    NAME.csv has the rows, NAME.json the settings, a word for the problem and the time spent.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self.rows = folder / f'{plan.name}.csv'
        self._notes = folder / f'{plan.name}.json'

    @abstractmethod
    def _files(self) -> tuple[TrialFile, ...]:
        """Return the files that trials are kept in, the rows first."""

    @abstractmethod
    def _work(self) -> Callable[[Any, int], Sequence[str]]:
        """Return what runs a trial of a plan: a function of a module, as it may run elsewhere."""

    @abstractmethod
    def _problem(self) -> str:
        """Return a word that changes with the code and the task files that no setting names."""

    def _registrations(self) -> tuple[Registration, ...]:
        """Return what workers must know by name."""
        return ()

    def run(self, progress: Progress) -> None:
        """Run the trials that are missing; stop at any time and call again to continue."""
        files = self._files()
        done = self._resumed(files)
        total = self._plan.num_trials
        progress.begin(self._plan.title, total, done)
        began, spent = time.monotonic(), self.seconds
        try:
            with closing(self._results(done, total)) as results:
                for number, result in enumerate(results, start=done + 1):
                    for file, lines in zip(files, result, strict=True):
                        file.append(lines)
                    progress.advance(number)
        finally:
            if done < total:
                self._note(spent + time.monotonic() - began)
            progress.end()

    @property
    def whole_trials(self) -> int:
        """Return how many trials are there."""
        return min(file.whole_trials() for file in self._files())

    @property
    def complete(self) -> bool:
        """Tell whether no trial is missing; raise if the rows are of other settings."""
        if not self.rows.exists():
            return False
        self._check_settings()
        return self.whole_trials == self._plan.num_trials

    @property
    def seconds(self) -> float:
        """Return the time spent so far [s]."""
        return float(self._noted().get('seconds', 0.0))

    def _results(self, done: int, total: int) -> Generator[Sequence[str], None, None]:
        results = joblib.Parallel(return_as='generator')(
            joblib.delayed(_told_and_run)(self._registrations(), self._work(), self._plan, index)
            for index in range(done, total))
        try:
            yield from results
        except BrokenProcessPool as error:
            raise ExperimentError(_broken(error)) from error
        finally:
            with warnings.catch_warnings():     # stopped: what was being worked on is done again
                warnings.filterwarnings('ignore', '.*tasks which were still being processed')
                results.close()

    def _resumed(self, files: tuple[TrialFile, ...]) -> int:
        """Return how many trials are there, all files cut to that."""
        if self.rows.exists():
            self._check_settings()
        done = self.whole_trials
        self.rows.parent.mkdir(parents=True, exist_ok=True)
        self._note(self.seconds if done else 0.0)       # first: rows without it are of no use
        for file in files:
            file.cut(done)
        return done

    def _check_settings(self) -> None:
        """Raise unless the rows that are there are of this sweep."""
        wanted = json.loads(json.dumps(self._plan.settings()))
        notes = self._noted()
        found = notes.get('settings')
        if found == wanted and notes.get('problem') == self._problem():
            return
        if found == wanted:
            raise ExperimentError(
                f'{self.rows}: has rows of another problem: the code or the task file that it '
                'comes from has changed since; remove it, or use another folder (--rows)')
        found = found if isinstance(found, dict) else {}
        unlike = list(_unlike(found, wanted)) if found else []
        raise ExperimentError(f'{self.rows}: has rows of other settings ('
                              + ('; '.join(unlike) or f'{self._notes.name} does not say which')
                              + '); remove it, or use another folder (--rows)')

    def _noted(self) -> dict:
        try:
            notes = json.loads(self._notes.read_text())
        except (OSError, ValueError):
            return {}
        return notes if isinstance(notes, dict) else {}

    def _note(self, seconds: float) -> None:
        notes = {'settings': self._plan.settings(), 'problem': self._problem(),
                 'seconds': round(seconds, 3)}
        with replacing(self._notes) as file:
            file.write(json.dumps(notes, indent=1) + '\n')


class Experiment(KeptTrials):
    """
    A sweep and the folder its rows are in.

    One file more: NAME.times.csv has what depends on the machine.
    """

    def __init__(self, sweep: Sweep, folder: Path) -> None:
        super().__init__(sweep, folder)
        self.sweep = sweep
        self.times = folder / f'{sweep.name}.times.csv'

    def _files(self) -> tuple[TrialFile, TrialFile]:
        counts = [len(self.sweep.methods_of(index)) for index in range(self.sweep.num_trials)]
        per_method = self.sweep.steps + 1
        return (TrialFile(self.rows, ROWS, [count * per_method for count in counts]),
                TrialFile(self.times, TIMES, counts))

    def _work(self) -> Callable[[Sweep, int], TrialResult]:
        return run_trial

    def _problem(self) -> str:
        return first_problem(self.sweep)

    def _registrations(self) -> tuple[Registration, ...]:
        return self.sweep.registrations()


def _told_and_run(registrations: Sequence[Registration], work: Callable[[Any, int], Sequence[str]],
                  plan: Any, index: int) -> Sequence[str]:
    """Run a trial in a process that may have just started."""
    for each in registrations:
        each.repeat()
    return work(plan, index)


def _unlike(found: Any, wanted: Any, key: str = '') -> Iterator[str]:
    """Yield where settings are not those that are wanted."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name, value in wanted.items():
            yield from _unlike(found.get(name, MISSING), value, f'{key}.{name}' if key else name)
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for place, (old, new) in enumerate(zip(found, wanted, strict=True)):
            yield from _unlike(old, new, f'{key}[{place}]')
    elif found != wanted:
        yield f'{key} is {found!r}, expected {wanted!r}'


def _broken(error: BrokenProcessPool) -> str:
    """Return why workers cannot work, from what joblib says of it."""
    if error.__cause__ is None:
        return f'a worker has ended in the middle of a trial: {error}'
    return ('a worker cannot load what the trials need: '
            f'{str(error.__cause__).strip().splitlines()[-1]}; what a sweep uses must be defined '
            'in the script itself, or in a module that can be imported everywhere')
