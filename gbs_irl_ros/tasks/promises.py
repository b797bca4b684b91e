"""Where a task cannot keep what its name says: every way leads over what must never be entered."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.planning.never import ways_around
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World


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
    *others, last = regions
    over = tr('{first} and the {last}', first=', '.join(others), last=last) if others else last
    return tr('This goes over the {regions}: from {start} there is no way that avoids it.',
              regions=over, start=start)
