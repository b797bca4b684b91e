"""
What is true of whole tasks: which policies agree with an answer about all of a task.

"Go here" agrees with the tasks that end there, a task of a list with the tasks of its name and
with those that the robot would do alike, words with the tasks that they fit, "never here" with the
tasks on whose way that region does not lie, "this way" with the tasks under which it is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.passing import Passing, passing
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.task_answers import (
    EITHER_WAY,
    FIRST_WAY,
    SECOND_WAY,
    GoHereAnswer,
    NeverHereAnswer,
    OnTheWayAnswer,
    WordsAnswer,
)

SELDOM = 0.01       # share of starts from which what is never entered may be entered all the same
SAME_RETURN = 1e-9  # of the larger of two: ways that differ by less are equally good

Route = tuple[tuple[int, int], ...]
_Key = tuple[bytes, tuple[int, ...]]
_passings: WeakKeyDictionary[object, dict[_Key, Passing]] = WeakKeyDictionary()
_places: WeakKeyDictionary[Hypotheses, Places] = WeakKeyDictionary()


def by_policy(hypotheses: Hypotheses, rewards: np.ndarray) -> np.ndarray:
    """Return ``[D]`` bool: the policies of which at least one of these rewards ``[H]`` is."""
    return hypotheses.merged(rewards.astype(np.float64)) > 0.0


# ---- where a task ends ------------------------------------------------------------------------

class Places(NamedTuple):
    """
    Where tasks end: K places, each the set of goal states of at least one reward.

    states: ``[K]``, one of each. cells: sparse ``[K, S]``, all of them.
    of_reward: ``[H]``, the place of each reward; -1: it has none.
    can_be_told: nothing but the goal of a task is worth anything, and no state belongs to two.
    """

    states: np.ndarray
    cells: sparse.csr_matrix
    of_reward: np.ndarray
    can_be_told: bool


def goal_places(hypotheses: Hypotheses) -> Places:
    """Return where tasks end; looked up once."""
    if hypotheses not in _places:
        _places[hypotheses] = _found_places(hypotheses)
    return _places[hypotheses]


def _found_places(hypotheses: Hypotheses) -> Places:
    known: dict[tuple[int, ...], int] = {}
    of_reward = np.full(hypotheses.num_rewards, -1)
    is_goal_task = True
    for reward in range(hypotheses.num_rewards):
        states = tuple(hypotheses.goal_states(reward).tolist())
        if not states:
            continue
        if states not in known and is_goal_task:
            is_goal_task = len(hypotheses.rewards.positive(reward)[0]) <= len(states)
        of_reward[reward] = known.setdefault(states, len(known))
    rows = np.repeat(np.arange(len(known)), [len(states) for states in known])
    columns = np.array([state for states in known for state in states], dtype=int)
    cells = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)),
                              shape=(len(known), hypotheses.mdp.num_states))
    return Places(np.array([states[len(states) // 2] for states in known], dtype=int), cells,
                  of_reward, is_goal_task and len(known) >= 2 and bool((of_reward >= 0).all())
                  and len(np.unique(columns)) == len(columns))


def ends_in(hypotheses: Hypotheses, states: tuple[int, ...]) -> tuple[np.ndarray, int, int]:
    """
    Return which policies end in a region ``[D]``, and of how many places it has how many.

    What is not the goal of any task counts as one place more.
    """
    places = goal_places(hypotheses)
    inside = np.zeros(hypotheses.mdp.num_states)
    inside[list(states)] = 1.0
    meets = places.cells @ inside > 0.0
    right = np.append(meets, False)[places.of_reward]
    return by_policy(hypotheses, right), len(places.states) + 1, max(int(meets.sum()), 1)


def ends_in_each(hypotheses: Hypotheses, states: Sequence[int]) -> np.ndarray:
    """Return ``[D, K]``: which policies end in each of these states; none: in each place."""
    places = goal_places(hypotheses)
    right = np.zeros((hypotheses.num_policies, len(places.states) + 1), dtype=bool)
    right[hypotheses.policy_of_reward, places.of_reward] = True     # the last: no place
    if not len(states):
        return right[:, :-1]
    has = (places.cells[:, list(states)].toarray() > 0.0).T         # [K, places]
    return np.asarray(right[:, :-1].astype(float) @ has.T.astype(float) > 0.0)


# ---- which task it is -------------------------------------------------------------------------

def named(hypotheses: Hypotheses, task: int) -> np.ndarray:
    """Return ``[D]``: the policies of the tasks that are called like this one, or done alike."""
    if task >= hypotheses.num_rewards:
        raise InvalidAnswerError(f'the number of a task must be in 0 .. '
                                 f'{hypotheses.num_rewards - 1}, got {task}')
    alike = hypotheses.policy_of_reward == hypotheses.policy_of_reward[task]
    if hypotheses.names:
        alike = alike | (hypotheses.name_codes == hypotheses.name_codes[task])
    return by_policy(hypotheses, alike)


def tasks_alike(hypotheses: Hypotheses, task: int) -> frozenset[int]:
    """Return the tasks that are called like this one, or that the robot would do alike."""
    return frozenset(np.flatnonzero(named(hypotheses, task)[hypotheses.policy_of_reward]).tolist())


def named_by_words(hypotheses: Hypotheses, answer: WordsAnswer) -> np.ndarray:
    """Return ``[D]``: the policies that the teacher's words fit."""
    return np.asarray(np.any([named(hypotheses, task) for task in answer.tasks], axis=0))


# ---- what lies on the way ---------------------------------------------------------------------

def pass_region(hypotheses: Hypotheses, start: np.ndarray | None,
                answer: NeverHereAnswer | OnTheWayAnswer | GoHereAnswer) -> Passing:
    """Return how the policies pass the region of an answer; looked at once."""
    known = _passings.setdefault(hypotheses.sets, {})
    key = (b'' if start is None else np.asarray(start).tobytes(), answer.states)
    if key not in known:
        known[key] = passing(hypotheses, start, answer.states)
    return known[key]


def keeps_off(hypotheses: Hypotheses, start: np.ndarray | None,
              answer: NeverHereAnswer) -> np.ndarray:
    """
    Return ``[D]``: the policies of tasks that never enter a region.

    Where some tasks forbid all of the region, those alone are meant: that another one happens not
    to come by is not what "never" says. Elsewhere it is the policies that do not enter it.
    """
    if hypotheses.never is not None:
        covered = np.asarray(hypotheses.never[:, list(answer.states)].sum(axis=1)).ravel()
        forbids = covered >= len(answer.states)
        if forbids.any():
            return by_policy(hypotheses, forbids)
    return np.asarray(pass_region(hypotheses, start, answer).enters < SELDOM)


# ---- which way is better ----------------------------------------------------------------------

def better_way(mdp: Mdp, rewards: Rewards, first: Route, second: Route) -> np.ndarray:
    """Return ``[H]``: FIRST_WAY, SECOND_WAY or EITHER_WAY, as each reward has it."""
    return better_of(*route_returns(mdp, rewards, (first, second)))


def better_of(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return FIRST_WAY, SECOND_WAY or EITHER_WAY for what two ways earn."""
    same = np.abs(one - other) <= SAME_RETURN * np.maximum(np.abs(one), np.abs(other))
    return np.where(same, EITHER_WAY, np.where(one > other, FIRST_WAY, SECOND_WAY))


def route_returns(mdp: Mdp, rewards: Rewards, routes: Sequence[Route]) -> np.ndarray:
    """Return ``[n, H]``: what ways earn under each reward, discounted, if all goes as likely."""
    states, actions = np.concatenate([np.array(route) for route in routes]).T
    columns = states * mdp.num_actions + actions if rewards.per_action else states
    amounts = sparse.csr_matrix(
        (np.concatenate([route_weights(mdp, route) for route in routes]),
         np.repeat(np.arange(len(routes)), [len(route) for route in routes]),
         np.arange(len(columns) + 1)), shape=(len(columns), len(routes)))
    return rewards.sums(columns, amounts).T


def route_weights(mdp: Mdp, route: Route) -> np.ndarray:
    """
    Return how much each step of a way counts, discounted.

    A way that leads back to itself goes round for ever; another one counts as far as it goes.
    """
    weights = mdp.discount ** np.arange(len(route), dtype=float)
    end = int(mdp.targets[route[-1]])
    states = [state for state, _ in route]
    if end in states:
        turn = states.index(end)
        weights[turn:] /= 1.0 - mdp.discount ** (len(route) - turn)
    return np.asarray(weights)
