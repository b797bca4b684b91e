"""Where the policies of all hypotheses lead from the start, and what they pass on the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.questions import MAX_STEPS

MAX_STARTS = 50     # that are looked at; more are thinned out evenly
LEFT_OUT = 1e-3     # of all discounted visits: later ones do not count
MAX_FOLLOWED = 200_000      # states times policies for which all optimal actions are followed


class Passing(NamedTuple):
    """
    What a policy has to do with a region, for each policy ``[D]``.

    enters: the share of starts outside from which it comes in; if all optimal actions can be
        followed, 1 where one of them leads in from any start, 0 where none does.
    share: of its discounted visits d_h that are inside, from all starts.
    """

    enters: np.ndarray
    share: np.ndarray


def passing(hypotheses: Hypotheses, start: np.ndarray | None, states: tuple[int, ...]) -> Passing:
    """
    Return how the policies pass a region.

    Each action leads where it likely does. So this takes starts times policies times steps, and
    no system of equations for each policy.

    :param start: ``[S]``, where the robot may start; None: anywhere.
    """
    mdp, sets = hypotheses.mdp, hypotheses.sets
    inside = np.zeros(mdp.num_states, dtype=bool)
    inside[list(states)] = True
    starts = thinned(np.arange(mdp.num_states) if start is None else np.flatnonzero(start > 0.0))
    policies = np.arange(sets.num_policies)
    lowest = np.argmax(sets.pattern_table, axis=1)      # of equally good actions the first
    now = np.repeat(starts[:, np.newaxis], sets.num_policies, axis=1)
    entered, share, weight = inside[now], np.zeros(now.shape), 1.0 - mdp.discount
    for _ in range(MAX_STEPS):
        share += weight * inside[now]
        weight *= mdp.discount
        bits = sets.bits[sets.class_of_state[now], policies]
        after = mdp.targets[now, lowest[sets.codes(bits)]]
        entered |= inside[after]
        settled = np.array_equal(after, now)
        now = after
        if settled or weight < LEFT_OUT * (1.0 - mdp.discount):
            break
    share += weight / (1.0 - mdp.discount) * inside[now]
    if mdp.num_states * sets.num_policies <= MAX_FOLLOWED:
        return Passing(_may_enter(hypotheses, start, inside), share.mean(axis=0))
    outside = ~inside[starts]
    return Passing(entered[outside].mean(axis=0) if outside.any() else np.zeros(len(policies)),
                   share.mean(axis=0))


def _may_enter(hypotheses: Hypotheses, start: np.ndarray | None,
               inside: np.ndarray) -> np.ndarray:
    """Return ``[D]``, 1 or 0: whether a policy may come in from outside, by any optimal action."""
    mdp, sets = hypotheses.mdp, hypotheses.sets
    allowed = unpack(sets.bits[sets.class_of_state], mdp.num_actions)           # [S, D, A]
    states = np.arange(mdp.num_states)
    steps = [sparse.csr_matrix((np.ones(len(states)), (mdp.targets[:, action], states)),
                               shape=(len(states), len(states)))
             for action in range(mdp.num_actions)]
    begun = ~inside if start is None else (start > 0.0) & ~inside
    reached = np.repeat(begun[:, np.newaxis], sets.num_policies, axis=1)
    entered = np.zeros(sets.num_policies, dtype=bool)
    while True:
        moved = sum(step @ (reached & allowed[:, :, action]).astype(np.float32)
                    for action, step in enumerate(steps)) > 0.0
        entered |= moved[inside].any(axis=0)
        more = (moved & ~inside[:, np.newaxis]) & ~reached
        if not more.any():
            return entered.astype(float)
        reached |= more


def thinned(states: np.ndarray, most: int = MAX_STARTS) -> np.ndarray:
    """Return these states, or as many of them evenly spread."""
    return states if len(states) <= most \
        else states[np.linspace(0, len(states) - 1, most).astype(int)]
