"""A SHA-256 of arrays: equal content gives an equal digest, however it is stored."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import sparse


class ContentDigest:
    """Takes in one named piece after the other."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add_text(self, text: str) -> None:
        """Take in a text."""
        self._digest.update(text.encode())

    def add(self, name: str, array: np.ndarray, dtype: type[np.generic]) -> None:
        """Take in an array of any shape, in this type."""
        values = np.ascontiguousarray(array, dtype=dtype)
        self.add_text(f'{name}:{values.shape};')
        self._digest.update(values.reshape(-1).data)

    def add_sparse(self, name: str, matrix: sparse.csr_matrix | None) -> None:
        """Take in a matrix, or that there is none."""
        if matrix is None:
            self.add_text(f'{name}:none;')
            return
        canonical = sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
        canonical.sum_duplicates()      # sorted rows: equal matrices, equal bytes
        self.add_text(f'{name}:{canonical.shape};')
        self.add('offsets', canonical.indptr, np.uint64)
        self.add('columns', canonical.indices, np.uint32)
        self.add('values', canonical.data, np.float64)

    def hexdigest(self) -> str:
        """Return the digest of all that was taken in so far, in hexadecimal."""
        return self._digest.hexdigest()
