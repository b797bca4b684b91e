"""
Which rows, or columns, of a large matrix of unsigned numbers are equal.

Every row gets a 64-bit key that equal rows share; rows with equal keys are then compared. Nothing
is copied or sorted but the keys, so a matrix of a gigabyte needs hardly any memory besides.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCK_ENTRIES = 1 << 20     # looked at together
KEY_SEED = 20130729         # any: it only has to be the same for all rows


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (first row of each kind ``[N]``, kind of each row ``[S]``), kinds as they appear."""
    factors = _factors(rows.shape[1])
    keys = np.empty(len(rows), dtype=np.uint64)
    for part in _parts(rows):
        keys[part] = rows[part].astype(np.uint64) @ factors
    first, kind = _kinds(keys)
    copies = np.flatnonzero(first[kind] != np.arange(len(rows)))
    size = max(1, BLOCK_ENTRIES // max(1, rows.shape[1]))
    for start in range(0, len(copies), size):
        some = copies[start:start + size]
        if not np.array_equal(rows[some], rows[first[kind[some]]]):
            return _compared_rows(rows)
    return first, kind


def distinct_columns(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (first column of each kind ``[D]``, kind of each column ``[H]``)."""
    factors = _factors(len(bits))
    keys = np.zeros(bits.shape[1], dtype=np.uint64)
    for part in _parts(bits):
        keys += factors[part] @ bits[part].astype(np.uint64)
    first, kind = _kinds(keys)
    copies = np.flatnonzero(first[kind] != np.arange(bits.shape[1]))
    for part in _parts(bits) if len(copies) else ():
        block = bits[part]
        if not np.array_equal(block[:, copies], block[:, first[kind[copies]]]):
            return _compared_rows(np.ascontiguousarray(bits.T))
    return first, kind


def _parts(matrix: np.ndarray) -> Iterator[slice]:
    size = max(1, BLOCK_ENTRIES // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), size):
        yield slice(start, start + size)


def _factors(count: int) -> np.ndarray:
    return np.random.default_rng(KEY_SEED).integers(0, 2**64, count, dtype=np.uint64)


def _kinds(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[kind.ravel()]


def _compared_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Do the same by comparing whole rows: for the day on which two keys agree by chance."""
    whole_row = np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))
    return _kinds(np.ascontiguousarray(rows).view(whole_row).ravel())
