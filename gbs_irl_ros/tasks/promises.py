"""Where a task cannot keep what its name says: every way leads over what must never be entered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.planning.never import ways_around
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.shown_place import region_of
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

KEY_DIGITS = 16


def no_way_round(candidates: Candidates, reward: int) -> np.ndarray:
    """Return the states from which a goal can be reached, but not around what is forbidden."""
    if candidates.never is None:
        return np.array([], dtype=np.int64)
    forbidden = candidates.never[reward].indices
    entries = ways_around(candidates.mdp, forbidden, candidates.goal_states(reward)).entries
    forced = np.flatnonzero(np.isfinite(entries) & (entries > 0))
    return np.setdiff1d(forced, forbidden)


def regions_within(world: World, states: np.ndarray) -> list[str]:
    """Return the names of the regions that lie within these states."""
    return [name for name, cells in world.appearance.regions.items()
            if len(cells) and np.isin(cells, states).all()]


def trespass_text(task: Task, reward: int, states: tuple[int, ...]) -> str:
    """
    Return what a way enters that it must never enter, in a sentence; '' if nothing.

    :param reward: the task that is followed.
    :param states: of the way, the first of them the start.
    """
    never = task.candidates.never
    if never is None:
        return ''
    entered = np.intersect1d(states[1:], never[reward].indices)
    if not len(entered):
        return ''
    regions = [name for name in regions_within(task.world, never[reward].indices)
               if np.isin(task.world.appearance.regions[name], entered).any()]
    start = task.world.state_name(states[0])
    if not regions:
        return tr('This goes over what I must never enter: from {start} there is no way that '
                  'avoids it.', start=start)
    return tr('This goes over the {regions}: from {start} there is no way that avoids it.',
              regions=_listed(regions), start=start)


class Trespass(NamedTuple):
    """
    What a robot would have to enter although it never must, and may only if a person allows it.

    states: these, with the rest of the regions that they are in.
    question: by which that is asked for.
    """

    states: tuple[int, ...]
    question: str

    @property
    def key(self) -> str:
        """Return what tells it from others: a person allows what was asked for, and no more."""
        return hashlib.sha256(repr(self.states).encode()).hexdigest()[:KEY_DIGITS]


def trespass(world: World, policy: Policy, entered: Sequence[int],
             named: Mapping[str, Sequence[int]], *, no_way: bool = True) -> Trespass | None:
    """
    Return what a person must allow before a robot drives; None if nothing.

    :param entered: what it would enter although it never must.
    :param named: what people call places of this world.
    :param no_way: there is no other way; False: none is known that does what is meant.
    """
    if not entered:
        return None
    regions, theirs = ({name: states for name, states in places.items()
                        if np.isin(states, policy.never).all() and np.isin(states, entered).any()}
                       for places in (world.appearance.regions, named))
    states = sorted({*entered, *(int(state) for each in regions.values() for state in each)})
    what = tr('the {regions}', regions=_listed([*regions, *theirs])) if regions or theirs \
        else tr('what I must never enter') if no_way else tr('what you have marked')
    goal = region_of(np.sort(policy.goal_states), world)
    if no_way:
        told = tr('There is no way to the {goal} that keeps off {what}.', goal=goal, what=what) \
            if goal else tr('There is no way there that keeps off {what}.', what=what)
    else:
        told = tr('The way that I know leads over {what}.', what=what)
    return Trespass(tuple(states), f'{told} {tr("May I drive over it this once?")}')


def _listed(regions: Sequence[str]) -> str:
    *others, last = regions
    return tr('{first} and the {last}', first=', '.join(others), last=last) if others else last
