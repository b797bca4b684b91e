"""
Planning around states that must never be entered: first avoid them, then earn the most.

No penalty says "never, as long as there is a way". A small one loses against a long detour. A
large one keeps the robot from going at all where it might slip, or where every way leads over
such a state, and swallows the small differences by which ties are judged. So planning is
lexicographic. In this order, a policy

1. reaches its goal with the highest probability;
2. until then, steps on forbidden states as rarely as possible: the expected number of steps that
   end on one, not discounted, so that no detour is too long;
3. has the largest return.

The first two leave some actions in every state. In the MDP in which every other action does the
same as one of these, the return alone decides, exactly and on its own scale. Whoever stands on a
forbidden state leaves by the fewest of them; where every way leads over some, so does the policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidRewardsError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.policy_iteration import SWITCH_MARGIN, solve_chain
from gbs_irl_ros.core.rewards import Rewards

SAME = 1e-8     # expected numbers of steps that differ by less than this share are equal


@dataclass(frozen=True, eq=False)
class Never:
    """
    What each of H tasks must not enter on the way to its goals.

    states, goals: sparse ``[H, S]``, an entry where it is so.
    """

    states: sparse.csr_matrix
    goals: sparse.csr_matrix

    def __post_init__(self) -> None:
        for name in ('states', 'goals'):
            matrix = sparse.csr_matrix(getattr(self, name), dtype=bool, copy=True)
            matrix.eliminate_zeros()
            matrix.sort_indices()
            object.__setattr__(self, name, matrix)
        if self.states.shape != self.goals.shape:
            raise InvalidRewardsError(f'states and goals must have one shape, got '
                                      f'{self.states.shape} and {self.goals.shape}')

    def one(self, index: int) -> Never:
        """Return that of one task."""
        return Never(self.states[index], self.goals[index])

    def check_fits(self, rewards: Rewards) -> None:
        """Raise unless it is for tasks of these rewards."""
        expected = (rewards.num_rewards, rewards.num_states)
        if self.states.shape != expected:
            raise InvalidRewardsError(
                f'what must never be entered must have shape {expected}, got {self.states.shape}')

    def groups(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield tasks that share both: (their numbers, forbidden states, goals)."""
        members: dict[tuple[bytes, bytes], list[int]] = {}
        for task in range(self.states.shape[0]):
            forbidden = self.states[task].indices.tobytes()
            goals = self.goals[task].indices.tobytes() if forbidden else b''
            members.setdefault((forbidden, goals), []).append(task)
        for tasks in members.values():
            yield np.array(tasks), self.states[tasks[0]].indices, self.goals[tasks[0]].indices


@dataclass(frozen=True, eq=False)
class Ways:
    """
    How a task can be done around its forbidden states.

    entries: ``[S]``, on how many of them the way with the fewest of them steps, if every move
        went as hoped; infinite where no way leads to a goal.
    allowed: ``[S, A]`` bool, what is left to choose from.
    """

    entries: np.ndarray
    allowed: np.ndarray


def ways_around(mdp: Mdp, forbidden: np.ndarray, goals: np.ndarray) -> Ways:
    """
    Return the ways to the goals that enter the forbidden states as rarely as possible.

    :param forbidden, goals: states.
    """
    shape = (mdp.num_states, mdp.num_actions)
    bad, ends = np.zeros(mdp.num_states, dtype=bool), np.zeros(mdp.num_states, dtype=bool)
    bad[forbidden], ends[goals] = True, True
    entries, policy = _hoped_for(mdp, bad, goals)
    lost = np.isinf(entries)
    entering, losing = (np.asarray(mdp.transitions @ which).reshape(shape) for which in
                        (bad.astype(float), lost.astype(float)))
    open_states = np.flatnonzero(~(ends | lost))
    allowed = np.ones(shape, dtype=bool)
    for cost in (losing, entering):
        policy, allowed = _fewest(mdp, cost, open_states, policy, allowed)
    # Where no goal can be reached any more, at least the next step keeps out.
    nearest = entering <= entering.min(axis=1, keepdims=True)
    return Ways(entries, np.where(lost[:, np.newaxis], nearest, allowed))


def restricted(mdp: Mdp, rewards: Rewards, forbidden: np.ndarray,
               allowed: np.ndarray) -> tuple[Mdp, Rewards]:
    """
    Return both with every action that is not allowed replaced by the first that is.

    Rewards in forbidden states are dropped. How often to enter those states has been decided
    already; a penalty there would only make the robot stay put when they are the only way.
    """
    own = np.arange(allowed.size).reshape(allowed.shape)
    first = np.take_along_axis(own, allowed.argmax(axis=1)[:, np.newaxis], axis=1)
    rows = np.where(allowed, own, first).ravel()
    actions = mdp.num_actions if rewards.per_action else 1
    counts = np.ones(mdp.num_states)
    counts[forbidden] = 0.0
    keep = sparse.diags(np.repeat(counts, actions), format='csr')
    if rewards.per_action:
        keep = keep[:, rows]
    kept = replace(rewards, weights=rewards.weights @ keep) if rewards.features is None \
        else replace(rewards, features=rewards.features @ keep)
    return Mdp(mdp.transitions[rows], mdp.num_actions, mdp.discount), kept


def _hoped_for(mdp: Mdp, bad: np.ndarray, goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Return (entries, policy), both ``[S]``, by a search backwards from the goals.

    The search counts a step on a forbidden state as more than all steps of any way. Exact in a
    deterministic world; elsewhere the policy is one to improve, which may still reach a goal from
    wherever it can.
    """
    from scipy.sparse.csgraph import dijkstra  # slow to import, and not always needed
    count = mdp.num_states
    moves, weights = mdp.transitions.tocoo(), 1.0 + count * bad
    backwards = sparse.csr_matrix((np.ones(moves.nnz), (moves.col, moves.row // mdp.num_actions)),
                                  shape=(count, count))
    backwards.data = np.repeat(weights, np.diff(backwards.indptr))
    length = dijkstra(backwards, indices=goals, min_only=True) if len(goals) \
        else np.full(count, np.inf)
    ahead = np.minimum.reduceat((weights + length)[moves.col], mdp.transitions.indptr[:-1])
    return np.floor(length / count), ahead.reshape(count, -1).argmin(axis=1)


def _fewest(mdp: Mdp, cost: np.ndarray, open_states: np.ndarray, policy: np.ndarray,
            allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Return (a policy with the least expected cost until the end, the actions that have it).

    Policy iteration. Only a real gain changes an action, so a policy that ends stays one: around a
    circle without an end nothing could be gained.

    :param cost: ``[S, A]``, expected cost of an action, not negative.
    :param open_states: where the way has not ended.
    :param policy: ``[S]``, one that ends from every open state.
    :param allowed: ``[S, A]``, what may be chosen.
    """
    policy, everywhere = policy.copy(), np.arange(mdp.num_states)
    values = np.zeros(mdp.num_states)
    while True:
        chosen = policy[open_states]
        chain = mdp.transitions[open_states * mdp.num_actions + chosen][:, open_states]
        values[open_states] = solve_chain(chain, 1.0, cost[open_states, chosen])
        ahead = cost + np.asarray(mdp.transitions @ values).reshape(cost.shape)
        ahead[~allowed] = np.inf
        best, current = ahead.min(axis=1), ahead[everywhere, policy]
        better = open_states[(best < (1.0 - SWITCH_MARGIN) * current)[open_states]]
        if not len(better):
            return policy, allowed & (ahead <= (1.0 + SAME) * best[:, np.newaxis])
        policy[better] = ahead[better].argmin(axis=1)
