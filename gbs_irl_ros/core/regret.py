"""
What doing one task costs if another one is meant, from where the robot starts.

The discounted visits of a policy, mu = start + gamma P_pi' mu, are computed once for each policy;
its value under any reward is then a sum over states. Losses are relative, as those of
``core.metrics``: 0 is as good as the task's own policy, 1 as bad as chance. Entering what a task
must never enter, where its own policy does not, counts as losing everything: 1 at least.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.planning.greedy_sets import GreedySets, unpack

PRECISE = 1e-10     # of all visits: what may be left out
ROUNDING = 1e-7     # losses and visits below this share are rounding

_visits: WeakKeyDictionary[GreedySets, dict[tuple[bytes, int], np.ndarray]] = WeakKeyDictionary()
_reachable: WeakKeyDictionary[GreedySets, dict[tuple[bytes, int], np.ndarray]] = \
    WeakKeyDictionary()
CHANCE = -1         # the policy that takes every action equally often


def losses(hypotheses: Hypotheses, start: np.ndarray, policy: int,
           rivals: np.ndarray) -> np.ndarray:
    """
    Return what a policy loses if one of the rival policies is meant: ``[R]``.

    Where several rewards lead to a rival, the largest of their losses.

    :param start: ``[S]``, where the robot may start.
    :param rivals: ``[R]`` policies.
    """
    ours, chance = (visits(hypotheses, start, each) for each in (policy, CHANCE))
    found = np.zeros(len(rivals))
    for place, rival in enumerate(rivals):
        own = visits(hypotheses, start, int(rival))
        rewards = np.flatnonzero(hypotheses.policy_of_reward == rival)
        table = hypotheses.rewards.dense(rewards)
        best, mine, worst = (table @ _columns(hypotheses, each) for each in (own, ours, chance))
        lost, room = best - mine, best - worst
        scale = ROUNDING * (np.abs(table) @ _columns(hypotheses, own)).clip(1e-300)
        gained = np.where(room > scale, room, np.maximum(lost, scale))  # where chance is as good
        relative = np.where(lost > scale, lost / gained, 0.0)
        found[place] = max(float(relative.max()), _trespass(hypotheses, rewards, ours, own))
    return found


def loses_nothing(hypotheses: Hypotheses, start: np.ndarray, policy: int,
                  rivals: np.ndarray) -> np.ndarray:
    """
    Tell whether a policy is as good as each rival if that one is meant: ``[R]`` bool.

    It is just where, in every state that the policy may come to, all its actions are among the
    rival's optimal ones. So nothing need be evaluated, as for ``losses``.
    """
    classes = np.unique(hypotheses.sets.class_of_state[_reached(hypotheses, start, policy)])
    bits = hypotheses.sets.bits[classes]
    return np.asarray((bits[:, [policy]] & ~bits[:, rivals] == 0).all(axis=0))


def visits(hypotheses: Hypotheses, start: np.ndarray, policy: int) -> np.ndarray:
    """Return the discounted visits ``[S, A]`` of a policy, each of its actions equally often."""
    known = _visits.setdefault(hypotheses.sets, {})     # whatever is believed of them
    key = (np.asarray(start, dtype=np.float64).tobytes(), policy)
    if key not in known:
        known[key] = _visited(hypotheses, start, policy)
    return known[key]


def _reached(hypotheses: Hypotheses, start: np.ndarray, policy: int) -> np.ndarray:
    """Return the states that a policy may come to."""
    mdp, begun = hypotheses.mdp, np.flatnonzero(start)
    if len(begun) == mdp.num_states:
        return begun
    known = _reachable.setdefault(hypotheses.sets, {})
    key = (np.asarray(start, dtype=np.float64).tobytes(), policy)
    if key not in known:
        allowed = unpack(hypotheses.sets.policy_sets(policy), mdp.num_actions)
        rows = sparse.csr_matrix((np.ones(allowed.sum()), np.flatnonzero(allowed),
                                  np.append(0, allowed.sum(axis=1).cumsum())),
                                 shape=(mdp.num_states, allowed.size))
        onwards = sparse.csr_matrix(rows @ mdp.transitions)
        first = sparse.csr_matrix((np.ones(len(begun)), begun, [0, len(begun)]),
                                  shape=(1, mdp.num_states))
        links = sparse.bmat([[onwards, None], [first, sparse.csr_matrix((1, 1))]], format='csr')
        found = sparse.csgraph.breadth_first_order(
            links, mdp.num_states, return_predecessors=False)
        known[key] = found[1:]      # without the one that leads to all starts
    return known[key]


def _visited(hypotheses: Hypotheses, start: np.ndarray, policy: int) -> np.ndarray:
    mdp = hypotheses.mdp
    allowed = np.ones((mdp.num_states, mdp.num_actions), dtype=bool) if policy == CHANCE \
        else unpack(hypotheses.sets.policy_sets(policy), mdp.num_actions)
    chances = allowed / allowed.sum(axis=1, keepdims=True)
    rows = sparse.csr_matrix((chances.ravel(), np.arange(chances.size),
                              np.arange(mdp.num_states + 1) * mdp.num_actions))
    onwards = sparse.csr_matrix(mdp.discount * (rows @ mdp.transitions).T)
    total, now = np.zeros(mdp.num_states), np.asarray(start, dtype=np.float64)
    while now.sum() > PRECISE:
        total, now = total + now, onwards @ now
    return np.asarray((total + now)[:, np.newaxis] * chances)


def _columns(hypotheses: Hypotheses, visited: np.ndarray) -> np.ndarray:
    """Return visits by the columns of the rewards: states, or states and actions."""
    return visited.ravel() if hypotheses.rewards.per_action else visited.sum(axis=1)


def _trespass(hypotheses: Hypotheses, rewards: np.ndarray, ours: np.ndarray,
              own: np.ndarray) -> float:
    """Return 1 if we enter what one of these rewards forbids, and its own policy does not."""
    if hypotheses.never is None:
        return 0.0
    extra = hypotheses.never[rewards] @ (ours.sum(axis=1) > ROUNDING).astype(float) \
        - hypotheses.never[rewards] @ (own.sum(axis=1) > ROUNDING).astype(float)
    return float(np.any(extra > 0.5))
