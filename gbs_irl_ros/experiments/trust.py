"""The trust sweep: how often learners end sure and wrong, and what caution costs, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.planning.kernel import one_thread
from gbs_irl_ros.core.routes import YESES
from gbs_irl_ros.experiments.rows import RowFormat, TrialFile
from gbs_irl_ros.experiments.running import KeptTrials
from gbs_irl_ros.experiments.trust_lessons import MOST, WAYS, lessons_about
from gbs_irl_ros.tasks import load_task

LISTED = 'nothing'      # is missing on the list
MAIN_WAYS = ('paper', 'defaults')
CONDITIONS = ('certainty', 'conformal', 'value_at_risk', 'minimax_regret')
QUICK_LESSONS = 3


class TrustRow(NamedTuple):
    """
    How one lesson ended.

    lesson: its number; whatever else differs, the same number has the same random numbers.
    missing: what the list lacks. error: of the teacher. The rest is that of an ``Outcome``.
    """

    task: str
    lesson: int
    missing: str
    error: float
    way: str
    end: str
    answers: int
    closing: int
    claimed: float
    loss: float


TRUST_ROWS: RowFormat[TrustRow] = RowFormat(TrustRow)


@dataclass(frozen=True)
class Subject:
    """
    A shipped task.

    missing: what its list may lack. shown: the place that is missing can be shown, too.
    others: ways to learn it of which fewer lessons are run, as they take long.
    every: of how many lesson numbers one is run.
    others_every: the same for the other ways, and where the place is shown.
    """

    task: str
    missing: tuple[str, ...]
    others: tuple[str, ...] = ('certainty', 'conformal')
    shown: bool = False
    every: int = 1
    others_every: int = 10

    def cells(self, number: int, errors: tuple[float, ...]) -> Iterator[tuple[str, float, str]]:
        """Yield what is missing, the teacher's error and the way, in the order of the rows."""
        yield from product((LISTED, *self.missing), errors, MAIN_WAYS)
        if number % self.others_every == 0:
            yield from product((LISTED, *self.missing), errors, self.others)
            yield from product(('place',) if self.shown else (), errors, ('shown',))


@dataclass(frozen=True)
class TrustSweep:
    """All lessons: a trial is one lesson number of one task, in all its cells."""

    subjects: tuple[Subject, ...]
    errors: tuple[float, ...] = (0.02, 0.1, 0.2, 0.3)
    lessons: int = 400
    name: str = 'trust'
    title: str = 'Do learners keep their word?'

    @property
    def num_trials(self) -> int:
        """Return the number of trials in all."""
        return len(self.trials)

    @cached_property
    def trials(self) -> list[tuple[Subject, int]]:
        """
        Return the task and the lesson number of every trial, first lessons first.

        So whenever the run is stopped, there are about as many lessons about each task.
        """
        return [(subject, number) for number in range(self.lessons) for subject in self.subjects
                if number % subject.every == 0]

    def quick(self) -> TrustSweep:
        """Return the same with few lessons."""
        return replace(self, lessons=QUICK_LESSONS)

    def settings(self) -> dict[str, Any]:
        """Return everything the rows depend on, ready for JSON."""
        return {**asdict(self), 'ways': {name: repr(way) for name, way in WAYS.items()},
                'rule': [YESES, CLOSING_ERROR, MOST]}


# grid_world_shaped is left out: its policies, and so all its lessons, are those of grid_world.
TRUST = TrustSweep((
    Subject('room', ('place', 'region'), CONDITIONS, shown=True),
    Subject('grid_world', ('place',)),
    Subject('trap_world', ('place',), shown=True),
    Subject('random_mdp', ('reward',)),
    Subject('puddle_world', ('reward',)),
    Subject('puddle_world_lopes', ('reward',)),
    Subject('driver', ('weight',), (), every=4),
))


class TrustExperiment(KeptTrials):
    """The sweep and the folder its rows are in."""

    _plan: TrustSweep

    def _files(self) -> tuple[TrialFile]:
        sizes = [len(list(subject.cells(number, self._plan.errors)))
                 for subject, number in self._plan.trials]
        return (TrialFile(self.rows, TRUST_ROWS, sizes),)

    def _work(self) -> Callable[[TrustSweep, int], tuple[str]]:
        return run_lessons

    def _problem(self) -> str:
        return problem(self._plan)


@cache
def problem(sweep: TrustSweep) -> str:
    """Return a word for the tasks, which changes with their files."""
    return ' '.join(load_task(subject.task).content_hash[:8] for subject in sweep.subjects)


def run_lessons(sweep: TrustSweep, index: int) -> tuple[str]:
    """Return the rows of a trial; they depend on the two arguments alone."""
    subject, number = sweep.trials[index]
    rows = []
    with one_thread():
        for missing, error, way in subject.cells(number, sweep.errors):
            outcome = lessons_about(subject.task).run(
                number, way, error, '' if missing == LISTED else missing)
            rows.append(TrustRow(subject.task, number, missing, error, way, outcome.end,
                                 outcome.answers, outcome.closing, outcome.claimed, outcome.loss))
    return (TRUST_ROWS.lines(rows),)
