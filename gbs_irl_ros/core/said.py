"""Something said that is right or wrong under each policy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Statement(NamedTuple):
    """
    How probable something said is under each policy: each ``[D]`` or ``[D, A]``.

    good: if the teacher is right. bad: if not. flat: either way.
    """

    good: np.ndarray
    bad: np.ndarray
    flat: np.ndarray

    def chances(self, accuracy: np.ndarray) -> np.ndarray:
        """Return the likelihood for a chance ``[D]`` of being right."""
        accuracy = accuracy.reshape(accuracy.shape + (1,) * (self.good.ndim - 1))
        return np.asarray(accuracy * self.good + (1.0 - accuracy) * self.bad + self.flat)


def truth_said(true: np.ndarray) -> Statement:
    """Return a statement that is true or not under each policy."""
    return Statement(true.astype(np.float64), (~true).astype(np.float64), np.zeros(true.shape))
