"""
Neighbouring classes of states: the paper's definitions 1 and 2.

Two classes are k-neighbours if at most k policies have different greedy sets in them, and (X, H)
is k-neighborly if every two classes are joined by a chain of k-neighbours.
"""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.planning.greedy_sets import GreedySets


def differences(sets: GreedySets, cls: int) -> np.ndarray:
    """Return ``[N]``: how many policies tell each class from this one."""
    return np.count_nonzero(sets.bits != sets.bits[cls], axis=1)


def neighbour_pairs(sets: GreedySets, k: int = 1) -> np.ndarray:
    """Return ``[P, 2]``, all pairs i < j of classes that are k-neighbours."""
    if k < 1:
        raise InvalidOptionError(f'k must be at least 1, got {k}')
    if k == 1:
        return _one_neighbour_pairs(sets)
    pairs = []
    for cls in range(sets.num_classes - 1):
        close = np.flatnonzero(differences(sets, cls)[cls + 1:] <= k) + cls + 1
        pairs.append(np.stack([np.full(len(close), cls), close], axis=1))
    return np.concatenate(pairs) if pairs else np.empty((0, 2), dtype=np.int64)


def neighbourliness(sets: GreedySets) -> int:
    """
    Return the smallest k for which (X, H) is k-neighborly; 0 if there is one class only.

    It is the longest edge of a minimum spanning tree of the classes, grown by Prim's rule, so
    that distances to one class at a time are kept and never all of them.
    """
    outside = np.ones(sets.num_classes, dtype=bool)
    outside[0] = False
    distance = differences(sets, 0)
    longest = 0
    while outside.any():
        nearest = int(np.argmin(np.where(outside, distance, sets.num_policies + 1)))
        longest = max(longest, int(distance[nearest]))
        outside[nearest] = False
        np.minimum(distance, differences(sets, nearest), out=distance)
    return longest


def _one_neighbour_pairs(sets: GreedySets) -> np.ndarray:
    """
    Find the pairs that differ in one policy, without comparing all pairs.

    Each class gets a random fingerprint, the sum of one token per policy and set. Two classes
    that differ in policy d alone agree once the token of d is taken away.
    """
    rng = np.random.default_rng(0)
    codes = np.searchsorted(sets.patterns, sets.bits)
    tokens = rng.integers(0, 2**63, size=(sets.num_policies, len(sets.patterns)), dtype=np.uint64)
    own = tokens[np.arange(sets.num_policies), codes]
    rest = own.sum(axis=1, dtype=np.uint64)[:, np.newaxis] - own
    pairs: list[tuple[int, int]] = []
    for policy in range(sets.num_policies):
        order = np.argsort(rest[:, policy], kind='stable')
        fingerprints = rest[order, policy]
        starts = np.flatnonzero(np.r_[True, fingerprints[1:] != fingerprints[:-1]])
        for group in np.split(order, starts[1:]):
            if len(group) > 1:
                pairs.extend((int(i), int(j)) for position, i in enumerate(group)
                             for j in group[position + 1:])
    found = np.array(sorted((min(pair), max(pair)) for pair in pairs), dtype=np.int64)
    return found.reshape(-1, 2)
