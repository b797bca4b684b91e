"""
What is meant by several things that were said of the whole task, one after another.

"Go to the desk, never over the carpet" names a task. "Never over the toys", said after that,
changes one thing of it: the desk is still meant, and so is the carpet. Taken one by one the two
exclude each other, and goal and rules would be forgotten. So where a task is known that differs
from the one that was named in nothing but what was said later, that one has been named from the
start.

This is a function of all that counts in a lesson. What is taken back changes it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.task_answers import GoHereAnswer, NeverHereAnswer, TaskAnswer, WordsAnswer
from gbs_irl_ros.core.whole_tasks import ends_in
from gbs_irl_ros.tasks.additions import marked
from gbs_irl_ros.tasks.facets import Facets, facets_of
from gbs_irl_ros.tasks.growth import Step
from gbs_irl_ros.tasks.invention import Invention
from gbs_irl_ros.tasks.shown_place import Place, place_states
from gbs_irl_ros.tasks.world import World

Said = Answer | Step


class _Statement(NamedTuple):
    """
    What was said of a task that had been named before.

    holds: ``[H]``, for which tasks. of_place: it is about where to go.
    of_regions: ``[R]``, of which regions it says how to drive there. of_states: ``[S]``, or where
    else.
    """

    holds: np.ndarray
    of_place: bool
    of_regions: np.ndarray
    of_states: np.ndarray


def as_meant(said: Sequence[Said], hypotheses: Hypotheses, world: World) -> tuple[Answer, ...]:
    """
    Return the answers, those that name a task changed to what was said of it later.

    :param said: all that counts, in this order, with the places by which the set has grown.
    """
    tasks = None if all(_named(each) is None for each in said[:-1]) \
        else _tasks(hypotheses, world)                  # mostly, none is named
    return tuple(each for each in (said if tasks is None else tasks.meant(said)[0])
                 if not isinstance(each, (Place, Invention)))


def named_task(said: Sequence[Said], hypotheses: Hypotheses, world: World) -> int | None:
    """Return the task that was named last, as it is meant by now; None if none was."""
    if all(_named(each) is None for each in said):
        return None
    tasks = _tasks(hypotheses, world)
    return None if tasks is None else tasks.meant(said)[1]


def kept_off(policy: Policy, task: int, marked_off: np.ndarray, hypotheses: Hypotheses,
             world: World) -> Policy:
    """
    Return a policy that keeps off what the teacher has marked, whichever task is meant.

    Where a task is known that differs from the one that is followed in nothing else, what that one
    does. Otherwise the robot must not enter it either: it stays, unless a person allows it.

    :param task: that is followed. marked_off: states.
    """
    if np.isin(marked_off, policy.never).all():
        return policy
    tasks = _tasks(hypotheses, world)
    around = None if tasks is None else tasks.around(task, marked_off)
    if around is not None:
        policy = replace(policy, goal_states=hypotheses.goal_states(around), action_sets=(
            hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[around]))))
    return replace(policy, never=np.union1d(policy.never, marked_off))


class _Tasks:
    """The tasks, as a person tells them apart."""

    def __init__(self, hypotheses: Hypotheses, world: World, facets: Facets) -> None:
        self._hypotheses, self._world, self._facets = hypotheses, world, facets
        size, count = world.mdp.num_states, hypotheses.num_rewards
        self._never = np.stack([marked(hypotheses.never_states(task), size)
                                for task in range(count)])
        self._in_regions = marked(np.array([
            state for region in facets.regions for state in world.appearance.regions[region]],
            dtype=np.int64), size)

    def meant(self, said: Sequence[Said]) -> tuple[list[Said], int | None]:
        """Return all as it is meant together, and the task that has been named."""
        meant = list(said)
        first, task, since = -1, -1, dict[int, np.ndarray]()       # since: what was said of it
        for place, each in enumerate(said):
            named = _named(each)
            if named is not None and named < self._hypotheses.num_rewards:
                first, task, since = place, named, {}
            statement = None if first < 0 or first == place else self._statement(each)
            if statement is None:
                continue
            changed = self._changed(task, statement)
            if changed is not None:
                task = changed
                meant[first] = _naming(said[first], task)
                if isinstance(each, WordsAnswer):
                    meant[place] = WordsAnswer(each.text, _numbers(statement.holds))
            if statement.holds[task]:
                since[place] = statement.holds
        for place, holds in since.items():      # what was said differently later is not held on to
            each = said[place]
            if meant[first] is not said[first] and not holds[task] \
                    and isinstance(each, (GoHereAnswer, NeverHereAnswer, WordsAnswer)):
                meant[place] = WordsAnswer(_text(each), (*_numbers(holds), task))
        return meant, task if first >= 0 else None

    def around(self, task: int, states: np.ndarray) -> int | None:
        """Return the task that is like another but that it never enters these states."""
        wanted = self._never[task] | marked(states, self._never.shape[1])
        places = self._facets.place_of
        found = np.flatnonzero((self._never == wanted).all(axis=1) & (places == places[task]))
        alike = [other for other in found if self._is_alike(task, int(other), states)]
        return int(alike[0]) if alike else None

    def _is_alike(self, task: int, other: int, states: np.ndarray) -> bool:
        regions = self._world.appearance.regions
        return all(np.isin(regions[name], states).all() for name, one, two in zip(
            self._facets.regions, self._facets.manners[task], self._facets.manners[other],
            strict=True) if one != two)

    def _statement(self, said: Said) -> _Statement | None:
        """Return what something says of all tasks; None if it is not about a whole task."""
        if isinstance(said, WordsAnswer):
            return self._words(said)
        if isinstance(said, GoHereAnswer):
            hypotheses = self._hypotheses
            return self._going(ends_in(hypotheses, said.states)[0][hypotheses.policy_of_reward])
        if isinstance(said, NeverHereAnswer):
            return self._keeping_off(np.array(said.states))
        if isinstance(said, Place) and not said.on_the_way:
            states, facets = place_states(said, self._world), self._facets
            if said.keep_off:
                return self._keeping_off(states)
            goals = tuple(states.tolist())
            return self._going(np.array([place >= 0 and facets.places[place] == goals
                                         for place in facets.place_of]))
        return None

    def _going(self, holds: np.ndarray) -> _Statement:
        return _Statement(holds, True, np.zeros(len(self._facets.regions), dtype=bool),
                          np.zeros(self._world.mdp.num_states, dtype=bool))

    def _keeping_off(self, states: np.ndarray) -> _Statement:
        there, regions = marked(states, self._world.mdp.num_states), self._world.appearance.regions
        inside = [bool(there[regions[name]].all()) for name in self._facets.regions]
        return _Statement(np.asarray(self._never[:, states].all(axis=1)), False,
                          np.array(inside, dtype=bool), there)

    def _words(self, said: WordsAnswer) -> _Statement | None:
        """
        Return what words say: in what all tasks agree that they fit, and others do not.

        A region that they all do not mind has not been spoken of, unless nothing else has.
        """
        facets, tasks = self._facets, list(said.tasks)
        if max(tasks) >= self._hypotheses.num_rewards:
            return None
        place, manners = facets.place_of[tasks], facets.manners[tasks]
        of_place = bool((place == place[0]).all()) and len(facets.places) > 1
        agreed = (manners == manners[0]).all(axis=0)
        spoken = agreed & (manners[0] > 0)      # not as the first of MANNERS, which is free
        of_regions = spoken if of_place or spoken.any() else agreed
        holds = np.asarray(
            (facets.manners[:, of_regions] == manners[0, of_regions]).all(axis=1))
        if of_place:
            holds &= facets.place_of == place[0]
        return _Statement(holds, of_place, of_regions,
                          np.zeros(self._world.mdp.num_states, dtype=bool))

    def _changed(self, task: int, said: _Statement) -> int | None:
        """Return the one task that is like another but for what was said; None if none is."""
        if said.holds[task]:
            return None
        facets, elsewhere = self._facets, ~(self._in_regions | said.of_states)
        manners = facets.manners[:, ~said.of_regions]
        alike = (manners == manners[task]).all(axis=1) \
            & (self._never[:, elsewhere] == self._never[task, elsewhere]).all(axis=1)
        if not said.of_place:
            alike &= facets.place_of == facets.place_of[task]
        found = np.flatnonzero(said.holds & alike)
        return int(found[0]) if len(found) == 1 else None


def _tasks(hypotheses: Hypotheses, world: World) -> _Tasks | None:
    facets = facets_of(hypotheses, world)
    return None if facets is None else _Tasks(hypotheses, world, facets)


def _named(said: Said) -> int | None:
    """Return the one task that is named, None if none or several are."""
    if isinstance(said, TaskAnswer):
        return said.task
    return said.tasks[0] if isinstance(said, WordsAnswer) and len(said.tasks) == 1 else None


def _naming(said: Said, task: int) -> Answer:
    """Return an answer that names another task than this one does."""
    if isinstance(said, TaskAnswer) and task in said.question.options:
        return replace(said, task=task)
    assert isinstance(said, (TaskAnswer, WordsAnswer))
    return WordsAnswer(_text(said), (task,))


def _numbers(holds: np.ndarray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(holds).tolist())


def _text(said: Answer) -> str:
    return said.text if isinstance(said, WordsAnswer) else said.words(())
