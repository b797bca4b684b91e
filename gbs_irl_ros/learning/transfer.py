"""
What was taught in one place, carried over to another: the same names on a changed map.

A task has the probability that a task of its name had. Tasks that are missing here count as "none
of these". Tasks that nobody knew when it was taught were part of "none of these", so they share
half of its probability, as those do that grow from a place (``tasks.growth``). Places that were
shown are found again by the region of their name, otherwise in metres. A little of the task's own
prior is mixed in, so that corrections can still change everything.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.errors import GbsIrlError, InvalidPlaceError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.learning.taught import TaughtBelief, TaughtPlace, TaughtTask
from gbs_irl_ros.tasks.growth import TO_NEW_TASKS, grown, usable
from gbs_irl_ros.tasks.hypotheses.random_rewards import RANDOM
from gbs_irl_ros.tasks.shown_place import Place, place_in_metres, place_of_region, place_states
from gbs_irl_ros.tasks.task import Task

__all__ = ['CannotTransferError', 'Transfer', 'transferred']

FORGOTTEN = 1e-3        # share of the task's own prior in what is believed
LEAST_UNLISTED = 1e-3   # probability of "none of these", where that is possible at all
SLACK = 0.01            # of certainty: as sure as before
NUMBERED = re.compile(rf'(task|{RANDOM}) \d+(:.*)?')
MAX_CLOSEST = 3
MAX_COMPARED = 1000     # names among which the closest are sought


class CannotTransferError(GbsIrlError, ValueError):
    """What was taught says nothing about this task, or something of it is missing there."""


class Transfer(NamedTuple):
    """
    What was taught, in the words of another task.

    places: on its map, with the tasks that they are combined with.
    learner: without answers. settled: it is as sure as before, so nothing need be asked.
    """

    belief: TaughtBelief
    places: tuple[Place, ...]
    learner: Learner
    settled: bool


def transferred(taught: TaughtBelief, plain: Learner, task: Task) -> Transfer:
    """
    Return what follows for a task; raise with what is missing there.

    :param plain: a learner of that task, without answers.
    """
    if not task.is_known_as(taught.task_hash) and NUMBERED.fullmatch(taught.favourite.name):
        raise CannotTransferError(
            f'{taught.favourite.name!r} is a number and not a name: it means something only in '
            f'{taught.task!r}, where it was taught, not in {task.world.name!r}')
    belief, here, none, places = taught, task, plain.caution.none_of_these, []
    for shown in taught.places:
        place = _place_here(shown, task)
        belief = _renamed(belief, shown.place.cells, place.cells)
        try:
            place = usable(place, here, reweighed(here.candidates, belief, none).probabilities)
        except InvalidPlaceError:       # it is listed here, or nobody could go there
            continue
        places.append(place)
        candidates, none = grown(here, place, none)
        here = replace(here, candidates=candidates, began_as=task.hash)
    _check_favourite(belief, here)
    learner = start_learner(plain, replace(here, candidates=_planned(here, task)), belief, none)
    wanted = min(taught.certainty, learner.stop.wanted_certainty)
    settled = taught.done and not learner.nothing_fits and learner.certainty >= wanted - SLACK
    return Transfer(belief, tuple(places), learner, settled)


def start_learner(plain: Learner, task: Task, taught: TaughtBelief | None,
                  none_of_these: float) -> Learner:
    """Return a learner like another, of a task that has grown, from what was taught, if any."""
    if taught is not None:
        weighed = reweighed(task.candidates, taught, none_of_these)
        none_of_these = weighed.none_of_these
        task = replace(task, candidates=replace(task.candidates, log_prior=weighed.log_prior),
                       began_as=task.hash)
    return Learner(task, plain.strategy, plain.seed, plain.noise, plain.stop, plain.true_gamma,
                   replace(plain.caution, none_of_these=none_of_these))


class Weighed(NamedTuple):
    """Prior ``[H]`` of tasks, if one of them is meant, and the probability that none is."""

    log_prior: np.ndarray
    none_of_these: float

    @property
    def probabilities(self) -> np.ndarray:
        """``[H]``."""
        return np.exp(self.log_prior)


def reweighed(candidates: Candidates, taught: TaughtBelief, none_of_these: float) -> Weighed:
    """
    Return the prior of these tasks after what was taught.

    :param none_of_these: the prior before that; 0: one of them is meant for certain.
    """
    prior = np.exp(candidates.log_prior)
    names = np.array([candidates.name(number) for number in range(candidates.num_rewards)])
    masses, none, named = np.zeros(len(prior)), taught.none_of_these, np.zeros(len(prior), bool)
    for told in taught.tasks:
        same = names == told.name
        if same.any():
            masses[same] += told.probability * prior[same] / prior[same].sum()
        else:
            none += told.probability
        named |= same
    new, others = ~named, taught.others
    if not new.any():
        none += others
    else:
        moved = TO_NEW_TASKS * none if new.sum() > taught.num_others else 0.0
        none -= moved
        masses[new] = (others + moved) * prior[new] / prior[new].sum()
    masses = (1.0 - FORGOTTEN) * masses / masses.sum() + FORGOTTEN * prior
    none = 0.0 if none_of_these == 0.0 else min(max(none, LEAST_UNLISTED), 1.0 - LEAST_UNLISTED)
    return Weighed(np.log(masses / masses.sum()), none)


def rivals_text(learner: Learner) -> str:
    """Return which tasks would have to be told apart, with their probabilities."""
    probabilities = learner.situation.posterior.probabilities * (1.0 - learner.none_of_these)
    order = np.argsort(-probabilities, kind='stable')[:MAX_CLOSEST]
    return ', '.join(f'{learner.task.hypotheses.name(int(number))!r} {probabilities[number]:.0%}'
                     for number in order)


def _planned(grown_task: Task, task: Task) -> Candidates:
    return task.hypotheses if grown_task is task \
        else grown_task.candidates.planned_after(task.hypotheses)


def _place_here(shown: TaughtPlace, task: Task) -> Place:
    """Return a place on the map of a task: where its region is now, or at the same metres."""
    try:
        place = place_of_region(shown.keep_off, shown.region, task.world) \
            or place_in_metres(shown.keep_off, shown.metres, task.world)
        place_states(place, task.world)
    except InvalidPlaceError as error:
        raise CannotTransferError(
            f'"{shown.place.words}" was shown, and cannot be found on the map of '
            f'{task.world.name!r}: {error}') from error
    return place


def _renamed(belief: TaughtBelief, before: str, now: str) -> TaughtBelief:
    """Return the belief with a place called as it is called on another map."""
    if before == now:
        return belief
    return replace(belief, tasks=tuple(
        TaughtTask(task.name.replace(before, now), task.probability) for task in belief.tasks))


def _check_favourite(belief: TaughtBelief, task: Task) -> None:
    """Raise unless the task that was most probably meant is known here."""
    names = [task.candidates.name(number) for number in range(task.candidates.num_rewards)]
    wanted = belief.favourite.name
    if wanted in names:
        return
    close = difflib.get_close_matches(wanted, names[:MAX_COMPARED], n=MAX_CLOSEST, cutoff=0.0)
    raise CannotTransferError(
        f'{wanted!r} is not among the {len(names)} tasks of {task.world.name!r}; closest: '
        f'{", ".join(map(repr, close))}. Add it to the task file, or teach without what was '
        'taught before')
