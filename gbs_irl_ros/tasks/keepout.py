"""
What a task says to other planners: where not to drive, and where to go.

Values are those of a mask for Nav2's KeepoutFilter: 100 must never be entered, 1 to 99 is
undesirable, the more the worse, 0 is free. Walls are free in it: the map that a robot drives by
has them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gbs_irl_ros.tasks.promises import no_way_round
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

FREE, LEAST, WORST, NEVER = 0, 1, 99, 100
USUAL = 0.75        # share of places that are worth no more than usual


class Guidance(NamedTuple):
    """
    What follows from a task, for planners that know nothing of it.

    mask: ``[S]``, 0 to 100.
    goal: the state to go to, None if the task has no goal: the one in the midst of several.
    """

    mask: np.ndarray
    goal: int | None


def guidance(task: Task, reward: int) -> Guidance:
    """
    Return what a task says.

    :param reward: the number of the task among those that may be meant.
    """
    goals = task.goal_states(reward)
    return Guidance(_mask(task, reward, goals), _middle(task.world, goals))


def mask_of_cells(world: World, mask: np.ndarray) -> np.ndarray:
    """Return a mask ``[S]`` by cells, ``[rows, columns]``, row 0 at the top."""
    layout = world.layout
    assert layout is not None
    return layout.drawn(mask, FREE).astype(np.int8)


def no_mask(world: World) -> np.ndarray:
    """Return a mask ``[S]`` that forbids nothing."""
    return np.zeros(world.mdp.num_states, dtype=np.int64)


def _mask(task: Task, reward: int, goals: np.ndarray) -> np.ndarray:
    """
    Return what is forbidden and what costs something, in shares of the largest reward or cost.

    Costs count from what three quarters of all places cost at least, so a price of each step makes
    nothing undesirable. What is never to be entered as long as there is a way round is only
    undesirable where there is none from the start.
    """
    values = task.rewards.by_state(reward)
    elsewhere = np.delete(values, goals)
    usual = min(0.0, float(np.quantile(elsewhere, USUAL, method='nearest'))) \
        if len(elsewhere) else 0.0
    largest = float(np.abs(values).max(initial=0.0))
    share = np.maximum(usual - values, 0.0) / largest if largest > 0.0 else np.zeros(len(values))
    mask = np.where(share > 0.0, np.clip(np.round(WORST * share), LEAST, WORST), FREE)
    if task.candidates.never is not None:
        forbidden = task.candidates.never[reward].indices
        forced = np.isin(np.flatnonzero(task.start), no_way_round(task.candidates, reward)).any()
        mask[forbidden] = WORST if forced else NEVER
    mask[goals] = FREE
    return mask.astype(np.int64)


def _middle(world: World, goals: np.ndarray) -> int | None:
    positions = world.appearance.positions
    if not len(goals) or positions is None:
        return None
    places = positions[goals]
    return int(goals[np.argmin(np.linalg.norm(places - places.mean(axis=0), axis=1))])
