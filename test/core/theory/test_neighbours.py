from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from worlds import random_sets, threshold_corridor, vote_cube

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.theory.neighbours import differences, neighbour_pairs, neighbourliness

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=40)


def random_classes(seed):
    """Few actions and policies, so that there are neighbours of every degree."""
    rng = np.random.default_rng(seed)
    num_actions = int(rng.integers(2, 4))
    return GreedySets.from_sets(
        random_sets(rng, int(rng.integers(1, 25)), int(rng.integers(1, 7)), num_actions,
                    single=rng.random() < 0.5), num_actions)


def pairs_by_definition(sets, k):
    return [[i, j] for i, j in combinations(range(sets.num_classes), 2)
            if sum(int(a) != int(b) for a, b in zip(sets.bits[i], sets.bits[j], strict=True)) <= k]


def connected(sets, k):
    pairs = np.array(pairs_by_definition(sets, k), dtype=int).reshape(-1, 2)
    graph = sparse.csr_matrix((np.ones(len(pairs)), pairs.T), shape=(sets.num_classes,) * 2)
    return connected_components(graph, directed=False)[0] == 1


def test_neighbours_by_hand():
    sets = GreedySets.from_sets([
        [{0}, {0}, {0}],
        [{0}, {0}, {0, 1}],     # one policy differs from the first
        [{1}, {1}, {0, 1}],     # two differ from the second, three from the first
    ], 2)
    assert differences(sets, 0).tolist() == [0, 1, 3]
    assert differences(sets, 2).tolist() == [3, 2, 0]
    assert neighbour_pairs(sets, 1).tolist() == [[0, 1]]
    assert neighbour_pairs(sets, 2).tolist() == [[0, 1], [1, 2]]
    assert neighbour_pairs(sets, 3).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert neighbourliness(sets) == 2


@for_each('length', [2, 3, 10, 60])
def test_a_threshold_corridor_is_one_neighbourly(length):
    sets = threshold_corridor(length).sets
    assert neighbour_pairs(sets).tolist() == [[k, k + 1] for k in range(length - 1)]
    assert neighbourliness(sets) == 1


def test_a_vote_cube_is_one_neighbourly_only_with_consecutive_votes():
    assert neighbourliness(vote_cube(4, (1, 2, 3)).sets) == 1
    assert neighbourliness(vote_cube(5, (2, 3)).sets) == 1
    assert neighbourliness(vote_cube(5, (1, 4)).sets) == 3
    assert neighbourliness(vote_cube(5, (2,)).sets) == 2


def test_thresholds_k_times_over_are_k_neighbourly():
    rows = [[{1} if state < threshold else {0} for threshold in (1, 2, 3) for _ in range(4)]
            for state in range(4)]
    sets = GreedySets.from_sets(rows, 2)
    assert neighbour_pairs(sets, 1).tolist() == []
    assert neighbour_pairs(sets, 3).tolist() == []
    assert neighbourliness(sets) == 4


def test_one_class_has_no_neighbours_and_needs_none():
    sets = GreedySets.from_sets([[{0}, {1}]] * 3, 2)
    assert neighbour_pairs(sets, 1).shape == neighbour_pairs(sets, 2).shape == (0, 2)
    assert neighbourliness(sets) == 0


def test_one_policy_makes_all_classes_neighbours():
    sets = GreedySets.from_sets([[{0}], [{1}], [{0, 1}]], 2)
    assert neighbour_pairs(sets).tolist() == [[0, 1], [0, 2], [1, 2]]


@INVARIANT
@given(seed=SEEDS, k=st.integers(1, 4))
def test_pairs_agree_with_the_definition(seed, k):
    sets = random_classes(seed)
    assert neighbour_pairs(sets, k).tolist() == pairs_by_definition(sets, k)


@INVARIANT
@given(seed=SEEDS)
def test_neighbourliness_is_the_smallest_k_that_connects_all_classes(seed):
    sets = random_classes(seed)
    smallest = next(k for k in range(sets.num_policies + 1) if connected(sets, k))
    assert neighbourliness(sets) == smallest
    for k in range(1, sets.num_policies + 1):
        assert (neighbourliness(sets) <= k) == connected(sets, k)


@pytest.mark.parametrize('k', [0, -1])
def test_fewer_than_one_neighbour_is_refused(k):
    with pytest.raises(InvalidOptionError, match=f'k must be at least 1, got {k}'):
        neighbour_pairs(threshold_corridor(3).sets, k)
