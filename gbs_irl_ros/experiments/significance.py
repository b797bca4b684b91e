"""
Comparisons of methods that learned in the same trials: intervals and tests of paired differences.

Confidence intervals are Student's (``curves.mean_and_halfwidth``) or, where differences are few or
skewed, bootstrapped. The test is the sign-flip (randomisation) test of Fisher (1935): if neither
method is better, each difference might as well have had the other sign, so the p-value is the
share of all 2^n choices of signs whose mean is at least as far from zero as the one observed. It
assumes nothing about the distribution but this symmetry. Several comparisons at once are corrected
by the step-down rule of Holm (1979), which keeps the chance of any false alarm below the level
whatever their dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.experiments.curves import CONFIDENCE, mean_and_halfwidth
from gbs_irl_ros.experiments.rows import ExperimentError

EXACT_TRIALS = 14       # differences other than zero up to which all choices of signs are tried
FLIPS = 9_999           # choices drawn otherwise: p is 0.0001 at least
RESAMPLES = 2_000       # of the bootstrap
BLOCK_ENTRIES = 4_000_000   # signs at once
SEED = 20               # the same rows give the same p-value
ROUNDING = 1e-9         # relative: sums this close are equal


class Comparison(NamedTuple):
    """
    By how much one method exceeds another in the same trials.

    mean: of the differences; low, high: its 95 % confidence interval.
    p: of the sign-flip test. p_holm: corrected for all comparisons of the family.
    """

    mean: float
    low: float
    high: float
    p: float
    p_holm: float


def compare_pairs(differences: Sequence[np.ndarray], *, bootstrap: bool = False
                  ) -> list[Comparison]:
    """
    Compare several pairs of methods, corrected for as many comparisons as there are.

    :param differences: for each comparison ``[T]``, the trials' differences.
    :param bootstrap: interval by resampling the trials, instead of Student's.
    """
    given = [np.asarray(each, dtype=np.float64) for each in differences]
    tests = [sign_flip_test(each) for each in given]
    found = []
    for values, p, corrected in zip(given, tests, holm(np.array(tests)), strict=True):
        mean, halfwidth = mean_and_halfwidth(values, np.zeros(len(values)))
        low, high = bootstrap_interval(values) if bootstrap \
            else (mean - halfwidth, mean + halfwidth)
        found.append(Comparison(float(mean), float(low), float(high), p, float(corrected)))
    return found


def sign_flip_test(differences: np.ndarray) -> float:
    """
    Return the two-sided p-value of the hypothesis that differences are symmetric around zero.

    Exact while at most EXACT_TRIALS of them are not zero. Otherwise of FLIPS random choices, with
    the observed one counted in (Phipson and Smyth 2010), so that it is never zero.

    :param differences: ``[T]``.
    """
    values = _checked(differences)
    values = values[values != 0.0]          # the sign of zero changes nothing
    if len(values) == 0:
        return 1.0
    observed = abs(values.sum()) - ROUNDING * np.abs(values).sum()
    if len(values) <= EXACT_TRIALS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(values))))
        return float((np.abs(signs @ values) >= observed).mean())
    rng = np.random.default_rng(SEED)
    extreme, block = 1, max(1, BLOCK_ENTRIES // len(values))
    for first in range(0, FLIPS, block):
        shape = (min(block, FLIPS - first), len(values))
        signs = np.where(rng.integers(0, 2, shape, dtype=np.int8), 1.0, -1.0)
        extreme += int((np.abs(signs @ values) >= observed).sum())
    return extreme / (FLIPS + 1)


def holm(p_values: np.ndarray) -> np.ndarray:
    """
    Return p-values corrected for each other: ``[M]``, in the given order.

    The k-th smallest of M is multiplied by M - k + 1; a larger p never becomes the smaller one.
    """
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0.0) & (given <= 1.0)).all():
        raise ExperimentError(f'p-values must be a list of numbers in [0, 1], got {given}')
    order = np.argsort(given, kind='stable')
    scaled = given[order] * (len(given) - np.arange(len(given)))
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return corrected


def bootstrap_interval(values: np.ndarray) -> tuple[float, float]:
    """
    Return the 95 % confidence interval of a mean by resampling trials (Efron 1979, percentiles).

    :param values: ``[T]``.
    """
    given = _checked(values)
    rng = np.random.default_rng(SEED)
    means = [given[rng.integers(0, len(given), len(given))].mean() for _ in range(RESAMPLES)]
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return float(low), float(high)


def _checked(values: np.ndarray) -> np.ndarray:
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1 or len(given) == 0:
        raise ExperimentError(
            f'differences must be one number for each trial, got shape {given.shape}')
    bad = np.flatnonzero(~np.isfinite(given))
    if len(bad):
        raise ExperimentError(
            f'differences must be finite: that of trial {bad[0]} is {given[bad[0]]}')
    return given
