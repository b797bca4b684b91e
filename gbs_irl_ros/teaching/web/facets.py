"""How likely it is where the robot should go, and what is said of each region, for a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from gbs_irl_ros.learning.sentences import region_words
from gbs_irl_ros.tasks.facets import MANNERS, MAX_PLACES, facets_of
from gbs_irl_ros.tasks.task import Task

NEGLIGIBLE = 0.05           # of the likeliest task: one below is ruled out


def facets_view(task: Task, probabilities: np.ndarray) -> dict[str, Any] | None:
    """
    Return how likely each place is, and each thing that is said of a region.

    :param probabilities: ``[H]``, of the tasks; what they lack to 1 is "none of these".
    """
    facets = facets_of(task.candidates, task.world)
    if facets is None or len(probabilities) != len(facets.place_of):
        return None
    likely = np.array([probabilities[facets.place_of == number].sum()
                       for number in range(len(facets.places))])
    shown = np.sort(np.argsort(-likely, kind='stable')[:MAX_PLACES])
    regions = task.world.appearance.regions
    return {
        'places': [{'name': region_words(facets.places[number], task.world),
                    'states': list(facets.places[number]),
                    'probability': float(likely[number])} for number in shown],
        'regions': [{'name': name, 'states': regions[name].tolist(), 'manners': {
            manner: float(probabilities[facets.manners[:, number] == index].sum())
            for index, manner in enumerate(MANNERS)
            if (facets.manners[:, number] == index).any()}}
            for number, name in enumerate(facets.regions)]}


def ruled_out(probabilities: np.ndarray) -> int:
    """Return how many tasks are much less likely than the likeliest one."""
    return int((probabilities < NEGLIGIBLE * probabilities.max()).sum()) \
        if len(probabilities) else 0
