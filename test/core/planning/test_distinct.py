from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.planning import greedy_sets
from gbs_irl_ros.core.planning.greedy_sets import distinct_columns, distinct_rows

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=40)
DTYPES = [np.uint8, np.uint16, np.uint32, np.uint64]


def random_matrix(seed):
    """Few different numbers, so that many rows and columns are equal; the largest included."""
    rng = np.random.default_rng(seed)
    dtype = DTYPES[rng.integers(4)]
    shape = rng.integers(1, [40, 6])
    if rng.random() < 0.5:
        shape = shape[::-1]
    numbers = np.array([1, 2, np.iinfo(dtype).max], dtype=dtype)
    return rng.choice(numbers, shape)


def kinds_by_comparing(rows):
    """Return what distinct_rows should, from a dictionary."""
    known, first, kind = {}, [], []
    for index, row in enumerate(rows.tolist()):
        if tuple(row) not in known:
            known[tuple(row)] = len(first)
            first.append(index)
        kind.append(known[tuple(row)])
    return first, kind


def check(matrix):
    for found, rows in ((distinct_rows(matrix), matrix), (distinct_columns(matrix), matrix.T)):
        first, kind = kinds_by_comparing(rows)
        assert found[0].tolist() == first
        assert found[1].tolist() == kind
        assert len(first) == len(np.unique(rows, axis=0))


@INVARIANT
@given(seed=SEEDS)
def test_equal_rows_and_columns_are_found_in_their_order(seed):
    check(random_matrix(seed))


@INVARIANT
@given(seed=SEEDS, entries=st.sampled_from([1, 3, 17]))
def test_the_size_of_blocks_does_not_matter(seed, entries):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy_sets, 'COMPARED_ENTRIES', entries)
        check(random_matrix(seed))


@INVARIANT
@given(seed=SEEDS, entries=st.sampled_from([1, 5, 1 << 20]))
def test_keys_that_agree_by_chance_are_not_believed(seed, entries):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy_sets, '_factors', lambda count: np.zeros(count, dtype=np.uint64))
        patch.setattr(greedy_sets, 'COMPARED_ENTRIES', entries)
        check(random_matrix(seed))


@INVARIANT
@given(seed=SEEDS)
def test_keys_that_agree_for_some_rows_are_not_believed(seed):
    with pytest.MonkeyPatch.context() as patch:     # rows that differ only at the end collide
        patch.setattr(greedy_sets, '_factors', lambda count: np.where(
            np.arange(count) < count // 2, 3 ** np.arange(count, dtype=np.uint64), 0
        ).astype(np.uint64))
        check(random_matrix(seed))


@for_each('shape', [(1, 1), (1, 7), (7, 1)])
@for_each('dtype', DTYPES)
def test_one_row_and_one_column_are_no_special_case(shape, dtype):
    check(np.ones(shape, dtype=dtype))
    check((np.arange(7) % 3 + 1).astype(dtype)[:shape[0] * shape[1]].reshape(shape))


def test_all_rows_equal_and_all_rows_different():
    check(np.ones((50, 3), dtype=np.uint8))
    check(np.arange(1, 51, dtype=np.uint8).reshape(50, 1))


def test_rows_that_differ_in_one_bit_of_one_of_a_thousand_columns_differ(rng):
    rows = np.tile(rng.integers(1, 200, 1000).astype(np.uint8), (30, 1))
    rows[17, 999] ^= 1
    rows[23, 0] ^= 128
    check(rows)


def test_no_block_is_larger_than_agreed(monkeypatch, rng):
    sizes = []
    plain = greedy_sets._parts

    def parts(matrix):
        for part in plain(matrix):
            sizes.append(matrix[part].size)
            yield part

    monkeypatch.setattr(greedy_sets, '_parts', parts)
    monkeypatch.setattr(greedy_sets, 'COMPARED_ENTRIES', 100)
    matrix = rng.integers(1, 3, (200, 7)).astype(np.uint8)
    distinct_rows(matrix)
    distinct_columns(matrix)
    assert max(sizes) <= 100
    assert sum(sizes) >= 2 * matrix.size
