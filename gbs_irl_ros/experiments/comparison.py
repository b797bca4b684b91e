"""The comparison sweep: GBS-IRL beside other ways to learn from the same teacher, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from gbs_irl_ros.core.planning.kernel import one_thread
from gbs_irl_ros.experiments.comparison_trials import (
    ACCURACY,
    ANSWERS,
    DEMONSTRATIONS,
    METHODS,
    READINGS,
    SHORT,
    SHORT_ANSWERS,
    STEPS,
    SUBJECTS,
    Trial,
)
from gbs_irl_ros.experiments.rows import RowFormat, TrialFile
from gbs_irl_ros.experiments.running import KeptTrials
from gbs_irl_ros.tasks.plans.plan_cache import plan_key

QUICK_TRIALS = 2


class ComparisonRow(NamedTuple):
    """What a method has learned after some visits and key presses; scores as of a ``Score``."""

    domain: str
    trial: int
    method: str
    visits: int
    presses: int
    accuracy: float
    loss: float
    held_out: float


COMPARISON_ROWS: RowFormat[ComparisonRow] = RowFormat(ComparisonRow)


@dataclass(frozen=True)
class ComparisonSweep:
    """All trials: the first ones of all domains come first."""

    domains: tuple[str, ...] = tuple(SUBJECTS)
    trials: int = 20
    name: str = 'comparison'
    title: str = 'Other ways to learn'

    @property
    def num_trials(self) -> int:
        """Return the number of trials in all."""
        return self.trials * len(self.domains)

    def place(self, index: int) -> tuple[str, int]:
        """Return the domain and the number of a trial there."""
        number, which = divmod(index, len(self.domains))
        return self.domains[which], number

    def quick(self) -> ComparisonSweep:
        """Return the same with few trials."""
        return replace(self, trials=QUICK_TRIALS)

    def settings(self) -> dict[str, Any]:
        """Return everything the rows depend on, ready for JSON."""
        return {**asdict(self), 'methods': list(METHODS), 'accuracy': ACCURACY,
                'steps': [STEPS, SHORT],
                'after': [ANSWERS, SHORT_ANSWERS, DEMONSTRATIONS],
                'subjects': {name: repr(SUBJECTS[name]) for name in self.domains}}


COMPARISON = ComparisonSweep()


class ComparisonExperiment(KeptTrials):
    """The sweep and the folder its rows are in."""

    _plan: ComparisonSweep

    def _files(self) -> tuple[TrialFile]:
        return (TrialFile(self.rows, COMPARISON_ROWS, [READINGS] * self._plan.num_trials),)

    def _work(self) -> Callable[[ComparisonSweep, int], tuple[str]]:
        return run_comparison

    def _problem(self) -> str:
        return comparison_problem(self._plan)


@cache
def comparison_problem(sweep: ComparisonSweep) -> str:
    """Return a word for the worlds, which changes with the code they come from."""
    trials = [Trial(name, 0) for name in sweep.domains]
    return ' '.join(plan_key(trial.mdp, trial.hypotheses.rewards)[:8] for trial in trials)


def run_comparison(sweep: ComparisonSweep, index: int) -> tuple[str]:
    """Return the rows of a trial; they depend on the two arguments alone."""
    domain, number = sweep.place(index)
    with one_thread():
        trial = Trial(domain, number)
        rows = [ComparisonRow(domain, number, method, reading.visits, reading.presses,
                              *reading.score)
                for method, (_, learn) in METHODS.items() for reading in learn(trial)]
    return (COMPARISON_ROWS.lines(rows),)
