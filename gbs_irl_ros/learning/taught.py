"""What was taught, on disk, to be used elsewhere: the belief over named tasks, as JSON."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.printable import has_controls, one_line
from gbs_irl_ros.learning.json_files import read_json, write_json
from gbs_irl_ros.learning.json_values import object_from_json, to_json
from gbs_irl_ros.tasks.growth import Step
from gbs_irl_ros.tasks.shown_place import Place, metres_of, place_states, region_of
from gbs_irl_ros.tasks.world import World

__all__ = ['TaughtBelief', 'TaughtPlace', 'TaughtTask', 'belief_of', 'load_taught', 'save_taught']

FORMAT = 1
MOST_BYTES = 1 << 20
MAX_TASKS = 1000        # that are named, the most probable ones
MAX_PLACES = 8
MAX_NAME = 1000         # characters: of a name in a task file, and what places add to it
LIKELY = 0.01           # probability of an invented goal that is kept
LEAST = 1e-6            # probability of a task that is named
DIGITS = 9
SUM_TOLERANCE = 1e-3    # somebody may have rounded


@dataclass(frozen=True)
class TaughtTask:
    """A task that may be meant, by its name."""

    name: str
    probability: float

    def __post_init__(self) -> None:
        _check_name('the name of a task', self.name)
        _check_share(f'the probability of {self.name!r}', self.probability)


@dataclass(frozen=True)
class TaughtPlace:
    """
    A place that the teacher showed.

    keep_off: the robot is to keep off; otherwise to go there.
    cells: column and row of its first and of its last cell, as the task file counted them.
    metres: x from, y from, x to, y to, as in a task file.
    region: of the task that is just there, '' if none is.
    """

    keep_off: bool
    cells: tuple[int, ...]
    metres: tuple[float, ...]
    region: str = ''

    def __post_init__(self) -> None:
        if len(self.cells) != 4:
            raise InvalidRecordError('cells must be [first column, first row, last column, last '
                                     f'row], got {list(self.cells)}')
        if len(self.metres) != 4 or not all(map(math.isfinite, self.metres)):
            raise InvalidRecordError('metres must be four finite numbers [x from, y from, x to, '
                                     f'y to], got {list(self.metres)}')
        if self.region:
            _check_name('the name of a region', self.region)

    @property
    def place(self) -> Place:
        """Return it on the map that it was shown on."""
        column, row, last_column, last_row = self.cells
        return Place(self.keep_off, column, row, last_column, last_row)


@dataclass(frozen=True)
class TaughtBelief:
    """
    What a lesson has led to, in the words of its task.

    task, task_hash: which it was about. date: when it was saved.
    done: whether the lesson was over. certainty: the probability of the most probable policy.
    tasks: the most probable first. num_others, others: how many are not named, and the probability
        of all of these together.
    none_of_these: the probability that none of all these is meant.
    places: that the teacher showed, in this order.
    """

    task: str
    task_hash: str
    date: str
    done: bool
    certainty: float
    tasks: tuple[TaughtTask, ...]
    num_others: int
    others: float
    none_of_these: float
    places: tuple[TaughtPlace, ...] = ()
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise InvalidRecordError(f'its format must be {FORMAT}, got {self.format}')
        for what, text in (('task', self.task), ('date', self.date)):
            _check_name(what, text)
        if not re.fullmatch('[0-9a-f]{64}', self.task_hash):
            raise InvalidRecordError(
                f'task_hash must be 64 hexadecimal digits, got {self.task_hash!r}')
        for what, share in (('certainty', self.certainty), ('others', self.others),
                            ('none_of_these', self.none_of_these)):
            _check_share(what, share)
        if self.num_others < 0:
            raise InvalidRecordError(f'num_others must not be negative, got {self.num_others}')
        self._check_lists()

    def _check_lists(self) -> None:
        if not 1 <= len(self.tasks) <= MAX_TASKS:
            raise InvalidRecordError(
                f'tasks must have 1 to {MAX_TASKS} entries, got {len(self.tasks)}')
        if len(self.places) > MAX_PLACES:
            raise InvalidRecordError(
                f'places must have at most {MAX_PLACES} entries, got {len(self.places)}')
        names: set[str] = set()
        for task in self.tasks:
            if task.name in names:
                raise InvalidRecordError(f'tasks must have different names, got {task.name!r} '
                                         'twice')
            names.add(task.name)
        total = sum(task.probability for task in self.tasks) + self.others + self.none_of_these
        if abs(total - 1.0) > SUM_TOLERANCE:
            raise InvalidRecordError('the probabilities of tasks, others and none_of_these must '
                                     f'sum to 1, got {total:g}')

    @property
    def favourite(self) -> TaughtTask:
        """Return the most probable task."""
        return max(self.tasks, key=lambda task: task.probability)


def belief_of(learner: Learner, world: World, *, done: bool, stamp: int,
              places: tuple[Step, ...] = ()) -> TaughtBelief:
    """
    Return what a learner has been taught.

    :param done: whether the lesson is over. stamp: now, nanoseconds since 1970.
    :param places: that the learner's task has grown by. Goals that were invented and are not
        improbable count as shown.
    """
    hypotheses, none = learner.task.hypotheses, learner.none_of_these
    masses: dict[str, float] = {}
    for number, probability in enumerate(learner.situation.posterior.probabilities):
        name = hypotheses.name(number)
        masses[name] = masses.get(name, 0.0) + float(probability) * (1.0 - none)
    order = sorted(masses, key=lambda name: -masses[name])
    named = [name for name in order[:MAX_TASKS] if masses[name] >= LEAST] or order[:1]
    others = 1.0 - none - sum(masses[name] for name in named)
    return TaughtBelief(
        world.name, world.hash,
        datetime.fromtimestamp(stamp // 10**9, timezone.utc).isoformat(), done,
        _rounded(learner.certainty),
        tuple(TaughtTask(name, _rounded(masses[name])) for name in named),
        len(order) - len(named), _rounded(others), _rounded(none),
        tuple(_taught_place(place, world) for place in _shown(places, masses, world)))


def save_taught(belief: TaughtBelief, path: Path) -> None:
    """Write it, for its owner alone; a file of that name is replaced whole or not at all."""
    write_json(path, {'format': belief.format, **to_json(belief)}, 'what was taught',
               'make room or fix the disk')


def load_taught(path: Path) -> TaughtBelief:
    """Return what was taught; raise with the reason if the file does not hold it."""
    with read_json(path, MOST_BYTES, 'a taught belief',
                   'what a learner saved (….taught.json)') as values:
        belief: TaughtBelief = object_from_json(TaughtBelief, 'a taught belief', values)
    return belief


def _shown(places: tuple[Step, ...], masses: dict[str, float], world: World) -> list[Place]:
    """Return the places that were shown, and where invented goals are."""
    found, cells = [], world.appearance.cells
    for step in places:
        if isinstance(step, Place):
            found.append(replace(step, built_on=()))
        elif cells is not None:
            goals = {idea.goal for idea in step.ideas if idea.goal >= 0}
            spots = [(int(cells[goal][0]), int(cells[goal][1])) for goal in sorted(goals)]
            found += [Place(False, *spot, *spot) for spot in spots
                      if masses.get(f'go to {spot}', 0.0) >= LIKELY]
    return list(dict.fromkeys(found))[:MAX_PLACES]


def _taught_place(place: Place, world: World) -> TaughtPlace:
    return TaughtPlace(
        place.keep_off, (place.column, place.row, place.last_column, place.last_row),
        metres_of(place, world), region_of(place_states(place, world), world))


def _rounded(share: float) -> float:
    return round(min(max(float(np.asarray(share)), 0.0), 1.0), DIGITS)


def _check_name(what: str, text: str) -> None:
    if not text or len(text) > MAX_NAME or has_controls(text):
        raise InvalidRecordError(f'{what} must have 1 to {MAX_NAME} characters, none of them a '
                                 f'control character, got {one_line(repr(text), longest=80)}')


def _check_share(what: str, share: float) -> None:
    if not 0.0 <= share <= 1.0:
        raise InvalidRecordError(f'{what} must be in [0, 1], got {share}')
