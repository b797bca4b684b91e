"""
Tasks that nobody listed, built from a place that the teacher shows on the map.

"Go here" makes that place a goal, once for each manner of driving that the listed tasks know (what
they keep off). "Keep off here" combines the most probable tasks with *never* and *rather not* over
that place. New tasks come behind the old ones, whose numbers stay.

What the learner thinks of itself (``invention``) comes behind them in the same way.

Where does the prior of the new ones come from? They were part of "none of these": nobody had
listed them. So they get half of its prior, divided in proportion to the prior of the tasks that
they are built on, and the listed ones keep theirs. The other half stays: the teacher may mean
something else again. Of an invention, every idea that was looked at has the same share of that
half, and those that were not taken leave theirs with "none of these": so nothing gains by being
chosen after the answers. Hence the sum is always 1, however often a set grows, and what is
believed is as if the new ones had been listed from the start with that prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.tasks.additions import (
    Addition,
    extended,
    going,
    has_manners,
    kept_off,
    known_keys,
    never_of,
)
from gbs_irl_ros.tasks.cost import MOST_BYTES, MOST_SECONDS, Cost, planning_cost
from gbs_irl_ros.tasks.invention import Invention, inventions
from gbs_irl_ros.tasks.shown_place import Place, place_states, region_of
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

LISTED = marked('to {words} is listed already; answer the questions, or show another place')
MAX_BUILT_ON = 32       # tasks that one place is combined with
MAX_LOOKED_AT = 256     # tasks among which these are sought, the most probable ones
TO_NEW_TASKS = 0.5      # of the prior of "none of these"


class Growth(NamedTuple):
    """What a set becomes: its candidates, and the prior that is left for "none of these"."""

    candidates: Candidates
    none_of_these: float


def usable(place: Place, task: Task, probabilities: np.ndarray) -> Place:
    """
    Return the place with the tasks that it is to be combined with; raise if it cannot be used.

    :param probabilities: ``[H]``, of the tasks now: the most probable ones are combined.
    """
    candidates, states = task.candidates, place_states(place, task.world)
    if place.keep_off and len(states) == candidates.mdp.num_states:
        raise InvalidPlaceError(
            tr('{cells} covers everything: the robot could not keep off; show a smaller place',
               cells=place.cells))
    order = np.argsort(-np.asarray(probabilities), kind='stable')[:MAX_LOOKED_AT]
    with_manner = place.keep_off or has_manners(candidates)
    wanted = tuple(int(base) for base in order) if with_manner else ()
    found = [] if not with_manner and _is_goal(candidates, states) else \
        [each.base for each in _additions(replace(place, built_on=wanted), task)]
    if not found:
        raise InvalidPlaceError(_why_nothing_new(place, states, candidates, wanted))
    bases = tuple(base for base in dict.fromkeys(found) if base is not None)[:MAX_BUILT_ON]
    _check_cost(candidates, len([base for base in found if base is None or base in bases]))
    return replace(place, built_on=bases)


Step = Place | Invention        # by which a set grows


def grown(task: Task, place: Step, none_of_these: float) -> Growth:
    """
    Return the candidates of a task with those that a place adds, before anything is planned.

    :param place: as ``usable`` returns it; or an invention.
    :param none_of_these: the prior probability that none of the candidates is meant.
    """
    candidates = task.candidates
    check_can_grow(none_of_these)
    new = list(inventions(place, task) if isinstance(place, Invention)
               else _additions(_checked(place, candidates), task))
    if not new:
        raise InvalidPlaceError(tr('{words} adds no task to those that are listed',
                                   words=place.words))
    share = TO_NEW_TASKS if isinstance(place, Place) else TO_NEW_TASKS * len(new) / place.looked_at
    left = none_of_these * (1.0 - share)
    alike = isinstance(place, Invention)
    weights = np.array([0.0 if alike or each.base is None else candidates.log_prior[each.base]
                        for each in new])
    log_new = weights - np.logaddexp.reduce(weights) \
        + math.log(none_of_these - left) - math.log1p(-left)
    log_old = candidates.log_prior + math.log1p(-none_of_these) - math.log1p(-left)
    return Growth(extended(candidates, new, np.concatenate([log_old, log_new])), left)


def check_can_grow(none_of_these: float) -> None:
    """Raise if one of the listed tasks is meant for certain."""
    if none_of_these <= 0.0:
        raise InvalidPlaceError(tr(
            'one of the listed tasks is taken to be meant for certain, so no place can add '
            'others; set the parameter none_of_these to more than 0, and the likelihood to exact'))


def with_places(task: Task, places: Iterable[Step]) -> Task:
    """
    Return a task with all that places and inventions add, for those who look at a belief about it.

    Nothing is planned, and the prior is not what a learner has: that depends on its settings.
    """
    for place in places:
        task = replace(task, candidates=grown(task, place, TO_NEW_TASKS).candidates,
                       began_as=task.hash)
    return task


def _checked(place: Place, candidates: Candidates) -> Place:
    wrong = [base for base in place.built_on if not 0 <= base < candidates.num_rewards]
    if wrong:
        raise InvalidPlaceError(f'{place.words} is built on task {wrong[0]}; expected one of the '
                                f'{candidates.num_rewards} tasks there are')
    return place


# ---- inside -------------------------------------------------------------------------------------


def _additions(place: Place, task: Task) -> Iterator[Addition]:
    """Yield the tasks that a place adds, each once, without those that are listed already."""
    candidates, states = task.candidates, place_states(place, task.world)
    known = known_keys(candidates)
    for base in place.built_on or (None,):
        built = kept_off(candidates, states, base, _over(states, place, task.world)) \
            if place.keep_off and base is not None \
            else going(candidates, states, base, _to(states, place, task.world))
        for each in built:
            if each.goals.any() and each.key not in known:
                known.add(each.key)
                yield each


def _why_nothing_new(place: Place, states: np.ndarray, candidates: Candidates,
                     bases: Sequence[int]) -> str:
    """Return why a place cannot be used although it is there."""
    if not place.keep_off:
        reachable = [base for base in bases if not never_of(candidates, base)[states].all()]
        return tr(LISTED, words=place.words) if reachable or not bases else \
            tr('every task that I know never enters {cells}; show another place',
               cells=place.cells)
    if all(np.isin(candidates.goal_states(base), states).all() for base in bases):
        return tr('{cells} covers the goal of every task that I know; show a place that leaves '
                  'some of it', cells=place.cells)
    return tr(LISTED, words=place.words)


def _check_cost(candidates: Candidates, count: int) -> None:
    cost = planning_cost(candidates.mdp, count)
    if cost.is_large:
        raise InvalidPlaceError(tr(
            'this world is too large to show places in: planning for {count} more tasks needs '
            'about {cost}; expected at most {most}', count=count, cost=cost,
            most=Cost(MOST_BYTES, MOST_SECONDS)))


def _is_goal(candidates: Candidates, states: np.ndarray) -> bool:
    """Tell whether one of the goals that are listed is just these states."""
    goals = candidates.goals
    return goals is not None and any(
        np.array_equal(np.sort(goals[row].indices), states)
        for row in np.flatnonzero(np.diff(goals.indptr) == len(states)))


def _to(states: np.ndarray, place: Place, world: World) -> str:
    return region_of(states, world) or place.cells


def _over(states: np.ndarray, place: Place, world: World) -> str:
    region = region_of(states, world)
    return f'the {region}' if region else place.cells
