"""What the tasks that may be meant differ in: where they lead, what they say of each region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.task_answers import WordsAnswer
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.tasks.hypotheses.places import FREE, NEVER, RATHER_NOT
from gbs_irl_ros.tasks.world import World

MANNERS = (FREE, RATHER_NOT, NEVER)
SAID = marked({FREE: 'the {name} is fine', RATHER_NOT: 'rather not over the {name}',
               NEVER: 'never over the {name}'})
MAX_ENTRIES = 4_000_000     # rewards * states that are looked at
MAX_PLACES = 24             # among which a person chooses


@dataclass(frozen=True, eq=False)
class Facets:
    """
    How H tasks are told apart by a person.

    places: the states where they end. place_of: ``[H]``, which of them.
    regions: names of the regions of which they say different things. manners: ``[H, R]``, what
    each says of driving over them, as an index into MANNERS.
    """

    places: tuple[tuple[int, ...], ...]
    place_of: np.ndarray
    regions: tuple[str, ...]
    manners: np.ndarray

    def tasks_that(self, region: str, manner: str) -> tuple[int, ...]:
        """Return the tasks that say this of a region; raise if there is none."""
        if region not in self.regions:
            raise InvalidAnswerError(
                f'region must be one of {list(self.regions)}, got {region!r}')
        if manner not in MANNERS:
            raise InvalidAnswerError(f'manner must be one of {list(MANNERS)}, got {manner!r}')
        found = np.flatnonzero(
            self.manners[:, self.regions.index(region)] == MANNERS.index(manner))
        if not len(found):
            raise InvalidAnswerError(tr(
                'I know no task that says {words!r}; point at the region on the map, or say it in '
                'your own words', words=tr(SAID[manner], name=region)))
        return tuple(found.tolist())

    def minding(self, region: str, manner: str) -> WordsAnswer:
        """Return what somebody says who thinks this of a region."""
        tasks = self.tasks_that(region, manner)
        return WordsAnswer(tr(SAID[manner], name=region), tasks)


@lru_cache(maxsize=8)
def facets_of(candidates: Candidates, world: World) -> Facets | None:
    """Return in what the tasks differ; None without a map, or where there are too many."""
    count, size = candidates.num_rewards, world.mdp.num_states
    if world.layout is None or count * size > MAX_ENTRIES:
        return None
    goals = [tuple(candidates.goal_states(number).tolist()) for number in range(count)]
    known = list(dict.fromkeys(goal for goal in goals if goal))
    number_of = {goal: number for number, goal in enumerate(known)}
    regions, manners = _manners(candidates, world, goals) if len(known) <= MAX_PLACES \
        else ((), np.zeros((count, 0), dtype=int))      # not a choice between a few places
    return Facets(tuple(known), np.array([number_of.get(goal, -1) for goal in goals]), regions,
                  manners)


def _manners(candidates: Candidates, world: World,
             goals: Sequence[tuple[int, ...]]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the regions that only some tasks mind, and what each says of them."""
    rewards, never = candidates.rewards.dense(), candidates.never
    if rewards.ndim == 3:
        rewards = rewards.mean(axis=2)
    forbidden = np.zeros(rewards.shape, dtype=bool) if never is None \
        else never.toarray().astype(bool)
    at_goal = np.zeros(rewards.shape, dtype=bool)
    for number, goal in enumerate(goals):
        at_goal[number, list(goal)] = True
    found: dict[str, np.ndarray] = {}
    for name, states in world.appearance.regions.items():
        if not 0 < len(states) < world.mdp.num_states:
            continue
        costs = np.where(at_goal[:, states], 0.0, rewards[:, states]).min(axis=1) < 0.0
        says = np.where(forbidden[:, states].all(axis=1), MANNERS.index(NEVER),
                        np.where(costs, MANNERS.index(RATHER_NOT), MANNERS.index(FREE)))
        if len(np.unique(says)) > 1:
            found[name] = says
    return tuple(found), np.stack(list(found.values()), axis=1) if found \
        else np.zeros((len(goals), 0), dtype=int)
