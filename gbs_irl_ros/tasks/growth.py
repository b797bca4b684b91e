"""
Tasks that nobody listed, built from a place that the teacher shows on the map.

"Go here" makes that place a goal, once for each manner of driving that the listed tasks know (what
they keep off). "Keep off here" combines the most probable tasks with *never* and *rather not* over
that place. New tasks come behind the old ones, whose numbers stay.

Where does the prior of the new ones come from? They were part of "none of these": nobody had
listed them. So they get half of its prior, divided in proportion to the prior of the tasks that
they are built on, and the listed ones keep theirs. The other half stays: the teacher may mean
something else again. Hence the sum is always 1, however often a set grows, and what is believed is
as if the new ones had been listed from the start with that prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.tasks.cost import MOST_BYTES, MOST_SECONDS, Cost, planning_cost
from gbs_irl_ros.tasks.hypotheses.places import NEVER, RATHER_NOT, RATHER_NOT_COST
from gbs_irl_ros.tasks.shown_place import Place, place_states, region_of
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

MAX_BUILT_ON = 32       # tasks that one place is combined with
MAX_LOOKED_AT = 256     # tasks among which these are sought, the most probable ones
TO_NEW_TASKS = 0.5      # of the prior of "none of these"
DIGITS = 12             # of rewards that are compared


class Growth(NamedTuple):
    """What a set becomes: its candidates, and the prior that is left for "none of these"."""

    candidates: Candidates
    none_of_these: float


class _Addition(NamedTuple):
    """One more task: what it is built on, its name, reward ``[C]``, goals and taboos ``[S]``."""

    base: int | None
    name: str
    reward: np.ndarray
    goals: np.ndarray
    never: np.ndarray

    @property
    def key(self) -> bytes:
        """Return what tells it from others."""
        return _key(self.reward, np.flatnonzero(self.never))


def usable(place: Place, task: Task, probabilities: np.ndarray) -> Place:
    """
    Return the place with the tasks that it is to be combined with; raise if it cannot be used.

    :param probabilities: ``[H]``, of the tasks now: the most probable ones are combined.
    """
    candidates, states = task.candidates, place_states(place, task.world)
    if place.keep_off and len(states) == candidates.mdp.num_states:
        raise InvalidPlaceError(f'{place.cells} covers everything: the robot could not keep off; '
                                'show a smaller place')
    order = np.argsort(-np.asarray(probabilities), kind='stable')[:MAX_LOOKED_AT]
    with_manner = place.keep_off or _has_manners(candidates)
    wanted = tuple(int(base) for base in order) if with_manner else ()
    found = [] if not with_manner and _is_goal(candidates, states) else \
        [each.base for each in _additions(replace(place, built_on=wanted), task)]
    if not found:
        raise InvalidPlaceError(_why_nothing_new(place, states, candidates, wanted))
    bases = tuple(base for base in dict.fromkeys(found) if base is not None)[:MAX_BUILT_ON]
    _check_cost(candidates, len([base for base in found if base is None or base in bases]))
    return replace(place, built_on=bases)


def grown(task: Task, place: Place, none_of_these: float) -> Growth:
    """
    Return the candidates of a task with those that a place adds, before anything is planned.

    :param place: as ``usable`` returns it.
    :param none_of_these: the prior probability that none of the candidates is meant.
    """
    candidates = task.candidates
    wrong = [base for base in place.built_on if not 0 <= base < candidates.num_rewards]
    if wrong:
        raise InvalidPlaceError(f'{place.words} is built on task {wrong[0]}; expected one of the '
                                f'{candidates.num_rewards} tasks there are')
    if none_of_these <= 0.0:
        raise InvalidPlaceError(
            'one of the listed tasks is taken to be meant for certain, so no place can add '
            'others; set the parameter none_of_these to more than 0, and the likelihood to exact')
    new = list(_additions(place, task))
    if not new:
        raise InvalidPlaceError(f'{place.words} adds no task to those that are listed')
    left = none_of_these * (1.0 - TO_NEW_TASKS)
    weights = np.array([0.0 if each.base is None else candidates.log_prior[each.base]
                        for each in new])
    log_new = weights - np.logaddexp.reduce(weights) \
        + math.log(none_of_these - left) - math.log1p(-left)
    log_old = candidates.log_prior + math.log1p(-none_of_these) - math.log1p(-left)
    return Growth(_extended(candidates, new, np.concatenate([log_old, log_new])), left)


def with_places(task: Task, places: Iterable[Place]) -> Task:
    """
    Return a task with all that places add, for those who look at a belief about it.

    Nothing is planned, and the prior is not what a learner has: that depends on its settings.
    """
    for place in places:
        task = replace(task, candidates=grown(task, place, TO_NEW_TASKS).candidates,
                       began_as=task.hash)
    return task


# ---- inside -------------------------------------------------------------------------------------


def _additions(place: Place, task: Task) -> Iterator[_Addition]:
    """Yield the tasks that a place adds, each once, without those that are listed already."""
    candidates, states = task.candidates, place_states(place, task.world)
    known = _known(candidates)
    for base in place.built_on or (None,):
        built = _kept_off(candidates, states, base, _over(states, place, task.world)) \
            if place.keep_off and base is not None \
            else _going(candidates, states, base, _to(states, place, task.world))
        for each in built:
            if each.goals.any() and each.key not in known:
                known.add(each.key)
                yield each


def _going(candidates: Candidates, states: np.ndarray, base: int | None,
           where: str) -> Iterator[_Addition]:
    """Yield the task to go to these states, in the manner of another one."""
    value, size = _value(candidates), candidates.mdp.num_states
    never, manner, rest = np.zeros(size, dtype=bool), np.zeros(size), ''
    if base is not None:
        never = _never(candidates, base)
        manner = candidates.rewards.one(base)
        manner[candidates.goal_states(base)] -= value
        manner = np.round(manner, DIGITS) + 0.0     # no minus zero
        rest = _manner_words(candidates, base, manner)
    goals = _marked(states, size) & ~never
    reward = np.where(never, -value, manner + value * goals)
    yield _Addition(base, f'go to {where}{rest}', _by_column(candidates, reward), goals, never)


def _kept_off(candidates: Candidates, states: np.ndarray, base: int,
              where: str) -> Iterator[_Addition]:
    """Yield a task combined with never and with rather not driving over these states."""
    value, size = _value(candidates), candidates.mdp.num_states
    there, before = _marked(states, size), _never(candidates, base)
    reward = candidates.rewards.dense(slice(base, base + 1))[0]
    goals = _marked(candidates.goal_states(base), size)
    name = candidates.name(base)
    if not before[states].all() and (goals & ~there).any():
        column_there, never = _by_column(candidates, there), before | there
        yield _Addition(base, f'{name}, {NEVER} over {where}',
                        np.where(column_there, -value, reward), goals & ~never, never)
        cost = RATHER_NOT_COST * value * _by_column(candidates, there & ~before)
        if (reward[column_there] >= 0.0).any():
            yield _Addition(base, f'{name}, {RATHER_NOT} over {where}', reward - cost, goals,
                            before)


def _extended(candidates: Candidates, new: Sequence[_Addition],
              log_prior: np.ndarray) -> Candidates:
    before, rows = candidates.rewards, sparse.csr_matrix(np.stack([each.reward for each in new]))
    rewards = replace(before, weights=sparse.vstack([before.weights, rows], format='csr')) \
        if before.features is None else replace(
            before, features=sparse.vstack([before.features, rows], format='csr'),
            weights=sparse.block_diag((before.weights, sparse.identity(len(new))), format='csr'))
    old_names = candidates.names or tuple(map(candidates.name, range(candidates.num_rewards)))
    never = candidates.never
    if never is None and any(each.never.any() for each in new):
        never = sparse.csr_matrix((candidates.num_rewards, candidates.mdp.num_states))
    return Candidates(
        candidates.mdp, rewards, log_prior, (*old_names, *(each.name for each in new)),
        _stacked(candidates.goals, (each.goals for each in new)),
        _stacked(never, (each.never for each in new)))


def _stacked(matrix: sparse.csr_matrix | None,
             rows: Iterable[np.ndarray]) -> sparse.csr_matrix | None:
    if matrix is None:
        return None
    return sparse.vstack([matrix, sparse.csr_matrix(np.stack(list(rows)), dtype=matrix.dtype)],
                         format='csr')


def _why_nothing_new(place: Place, states: np.ndarray, candidates: Candidates,
                     bases: Sequence[int]) -> str:
    """Return why a place cannot be used although it is there."""
    if not place.keep_off:
        reachable = [base for base in bases if not _never(candidates, base)[states].all()]
        return f'to {place.words} is listed already; answer the questions, or show another place' \
            if reachable or not bases else \
            f'every task that I know never enters {place.cells}; show another place'
    if all(np.isin(candidates.goal_states(base), states).all() for base in bases):
        return (f'{place.cells} covers the goal of every task that I know; show a place that '
                'leaves some of it')
    return f'to {place.words} is listed already; answer the questions, or show another place'


def _check_cost(candidates: Candidates, count: int) -> None:
    cost = planning_cost(candidates.mdp, count)
    if cost.is_large:
        raise InvalidPlaceError(
            f'this world is too large to show places in: planning for {count} more tasks needs '
            f'about {cost}; expected at most {Cost(MOST_BYTES, MOST_SECONDS)}')


def _has_manners(candidates: Candidates) -> bool:
    """Tell whether tasks are a goal and what to drive over on the way."""
    return candidates.goals is not None and not candidates.rewards.per_action \
        and candidates.rewards.limits[1] > 0.0


def _is_goal(candidates: Candidates, states: np.ndarray) -> bool:
    """Tell whether one of the goals that are listed is just these states."""
    goals = candidates.goals
    return goals is not None and any(
        np.array_equal(np.sort(goals[row].indices), states)
        for row in np.flatnonzero(np.diff(goals.indptr) == len(states)))


def _value(candidates: Candidates) -> float:
    """Return what a goal is worth: as much as the best of the listed ones."""
    most = candidates.rewards.limits[1]
    return most if most > 0.0 else 1.0


def _manner_words(candidates: Candidates, base: int, manner: np.ndarray) -> str:
    """Return how the name of a task ends that says what it keeps off."""
    if not manner.any():
        return ''
    name = candidates.name(base)
    for word in (NEVER, RATHER_NOT, 'keep off'):
        start = name.find(f', {word} ')
        if start >= 0:
            return name[start:]
    return f', otherwise like {name!r}'


def _to(states: np.ndarray, place: Place, world: World) -> str:
    return region_of(states, world) or place.cells


def _over(states: np.ndarray, place: Place, world: World) -> str:
    region = region_of(states, world)
    return f'the {region}' if region else place.cells


def _known(candidates: Candidates) -> set[bytes]:
    """Return the keys of the candidates; of weighted features, those of the first ones only."""
    rewards = candidates.rewards
    if rewards.features is not None:
        rewards = rewards.rows(np.arange(min(rewards.num_rewards, MAX_LOOKED_AT)))
    matrix = rewards.weights if rewards.features is None else rewards.weights @ rewards.features
    keys = set()
    for number in range(rewards.num_rewards):
        row = slice(matrix.indptr[number], matrix.indptr[number + 1])
        keys.add(_sparse_key(matrix.indices[row], matrix.data[row],
                             np.flatnonzero(_never(candidates, number))))
    return keys


def _key(reward: np.ndarray, never: np.ndarray) -> bytes:
    columns = np.flatnonzero(reward)
    return _sparse_key(columns, reward[columns], never)


def _sparse_key(columns: np.ndarray, values: np.ndarray, never: np.ndarray) -> bytes:
    order = np.argsort(columns)
    return b';'.join((columns[order].astype(np.int64).tobytes(),
                      np.round(values[order], DIGITS).tobytes(), never.tobytes()))


def _never(candidates: Candidates, base: int) -> np.ndarray:
    """``[S]`` bool, what a task never enters."""
    forbidden = [] if candidates.never is None else candidates.never[base].indices
    return _marked(np.asarray(forbidden, dtype=np.int64), candidates.mdp.num_states)


def _marked(states: np.ndarray, size: int) -> np.ndarray:
    marks = np.zeros(size, dtype=bool)
    marks[states] = True
    return marks


def _by_column(candidates: Candidates, by_state: np.ndarray) -> np.ndarray:
    """Return values of states as values of the columns of the rewards."""
    return np.repeat(by_state, candidates.mdp.num_actions) if candidates.rewards.per_action \
        else by_state
