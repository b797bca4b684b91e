"""The effort sweep: how many questions and seconds teaching takes, by way of asking, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.pace import usual_seconds
from gbs_irl_ros.core.planning.kernel import one_thread
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.routes import YESES
from gbs_irl_ros.experiments.effort_lessons import (
    MOST,
    SMALL_RANDOM,
    SMALL_WORLDS,
    WAYS,
    EffortLessons,
    effort_lessons,
)
from gbs_irl_ros.experiments.rows import RowFormat, TrialFile
from gbs_irl_ros.experiments.running import KeptTrials

QUICK_LESSONS = 3


class EffortRow(NamedTuple):
    """
    What one lesson took.

    lesson: its number; whatever else differs, the same number has the same random numbers.
    error: of the teacher. end, same, loss: as of a ``Result``.
    questions, closing: how many there were, and how many of them were closing questions.
    seconds: that a person takes for them, by ``core.pace``.
    asked: how many of each kind, ``action*3 demonstration3*2``.
    bits, actions, places: of the task, for the limit: what is not known at first about the policy,
        actions to choose from, places where tasks end (0: none).
    """

    task: str
    lesson: int
    error: float
    way: str
    end: str
    same: int
    loss: float
    questions: int
    closing: int
    seconds: float
    asked: str
    bits: float
    actions: int
    places: int


EFFORT_ROWS: RowFormat[EffortRow] = RowFormat(EffortRow)


@dataclass(frozen=True)
class EffortSubject:
    """
    A task.

    ways: to ask that are possible about it.
    every: of how many lesson numbers one is run.
    """

    task: str
    ways: tuple[str, ...] = tuple(WAYS)
    every: int = 1

    def cells(self, errors: tuple[float, ...]) -> Iterator[tuple[float, str]]:
        """Yield the teacher's error and the way, in the order of the rows."""
        yield from product(errors, self.ways)


@dataclass(frozen=True)
class EffortSweep:
    """All lessons: a trial is one lesson number of one task, in all its cells."""

    subjects: tuple[EffortSubject, ...]
    errors: tuple[float, ...] = (0.02, 0.1, 0.2)
    lessons: int = 200
    name: str = 'effort'
    title: str = 'What does teaching cost a person?'

    @property
    def num_trials(self) -> int:
        """Return the number of trials in all."""
        return len(self.trials)

    @cached_property
    def trials(self) -> list[tuple[EffortSubject, int]]:
        """Return the task and the lesson number of every trial, first lessons first."""
        return [(subject, number) for number in range(self.lessons) for subject in self.subjects
                if number % subject.every == 0]

    def quick(self) -> EffortSweep:
        """Return the same with few lessons."""
        return replace(self, lessons=QUICK_LESSONS)

    def settings(self) -> dict[str, Any]:
        """Return everything the rows depend on, ready for JSON."""
        return {**asdict(self), 'rule': [YESES, CLOSING_ERROR, MOST],
                'ways_mean': {name: repr(way) for name, way in WAYS.items()},
                'seconds': {question.kind.value: usual_seconds(question) for question in (
                    Question(QuestionKind.ACTION, 0), Question(QuestionKind.YES_NO, 0, 0),
                    Question(QuestionKind.DEMONSTRATION, 0, steps=3))}}


# Nobody knows a random reward by its name: no lists.
WITHOUT_LISTS = tuple(name for name in WAYS if name not in ('lists', 'actions_lists'))
EFFORT = EffortSweep((
    EffortSubject('room'),
    EffortSubject('grid_world'),
    EffortSubject('trap_world'),
    EffortSubject(SMALL_RANDOM, WITHOUT_LISTS),
    EffortSubject('random_mdp', WITHOUT_LISTS),
    EffortSubject('puddle_world', WITHOUT_LISTS),
    EffortSubject('driver', every=2),
))


class EffortExperiment(KeptTrials):
    """The sweep and the folder its rows are in."""

    _plan: EffortSweep

    def _files(self) -> tuple[TrialFile]:
        sizes = [len(list(subject.cells(self._plan.errors))) for subject, _ in self._plan.trials]
        return (TrialFile(self.rows, EFFORT_ROWS, sizes),)

    def _work(self) -> Callable[[EffortSweep, int], tuple[str]]:
        return run_effort_lessons

    def _problem(self) -> str:
        return effort_problem(self._plan)


@cache
def effort_problem(sweep: EffortSweep) -> str:
    """Return a word for the tasks, which changes with their files."""
    return ' '.join(lessons_of(subject, 0).task.content_hash[:8] for subject in sweep.subjects)


def lessons_of(subject: EffortSubject, number: int) -> EffortLessons:
    """Return the lessons that lesson ``number`` is one of."""
    return effort_lessons(subject.task, number % SMALL_WORLDS
                          if subject.task == SMALL_RANDOM else 0)


def run_effort_lessons(sweep: EffortSweep, index: int) -> tuple[str]:
    """Return the rows of a trial; they depend on the two arguments alone."""
    subject, number = sweep.trials[index]
    lessons, rows = lessons_of(subject, number), []
    with one_thread():
        for error, way in subject.cells(sweep.errors):
            found = lessons.run(number, way, error)
            rows.append(EffortRow(
                subject.task, number, error, way, found.end, int(found.same), found.loss,
                found.asked.total(), found.asked[QuestionKind.CONFIRM.value], found.seconds,
                ' '.join(f'{kind}*{count}' for kind, count in sorted(found.asked.items())),
                lessons.bits, lessons.task.world.mdp.num_actions, lessons.num_places))
    return (EFFORT_ROWS.lines(rows),)
