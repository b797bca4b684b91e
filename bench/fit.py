"""How time grows with size: curves, and the exponent of a power law fitted to their upper part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.session import Session
from bench.timing import least_seconds

FLOOR_FACTOR = 4.0      # below so many times the shortest time, overhead is part of the time
FEWEST_POINTS = 3
LONGEST_POINT_S = 30.0  # a curve ends where the next point would take longer


@dataclass(frozen=True)
class PowerLaw:
    """
    seconds = factor * size ** exponent, from the size at which the fit begins.

    from_size: the smallest size that was fitted.
    """

    exponent: float
    factor: float
    from_size: float

    def at(self, sizes: Sequence[float]) -> np.ndarray:
        """Return the seconds that the law gives."""
        return np.asarray(self.factor * np.asarray(sizes, dtype=np.float64) ** self.exponent)


def fit_power_law(sizes: Sequence[float], times: Sequence[float]) -> PowerLaw:
    """
    Fit a line to log(seconds) over log(size), by least squares on the upper part of the curve.

    Fitted are the points from the first on after which no time is below FLOOR_FACTOR times the
    shortest, and at least the last FEWEST_POINTS: below that the constant cost of a call would
    make any growth look flat.
    """
    if len(sizes) != len(times) or len(sizes) < 2:
        raise ValueError(f'a fit needs two or more points, got {len(sizes)} sizes '
                         f'and {len(times)} times')
    low = np.flatnonzero(np.asarray(times) < FLOOR_FACTOR * min(times))
    first = max(0, min(int(low[-1]) + 1, len(sizes) - FEWEST_POINTS))
    logs = np.log(np.asarray(sizes[first:], dtype=np.float64))
    exponent, offset = np.polyfit(logs, np.log(np.asarray(times[first:])), 1)
    return PowerLaw(float(exponent), float(np.exp(offset)), float(sizes[first]))


def grow(session: Session, title: str, sizes: Sequence[int],
         prepare: Callable[[int], Callable[[], object]]) -> list[list[float]]:
    """
    Return the curve ``[[size, seconds], ...]``, ended early where points would take too long.

    :param prepare: makes what is to be timed for a size; making it is not timed.
    """
    curve: list[list[float]] = []
    for size in sizes:
        expected = _extrapolated(curve, size)
        if expected > LONGEST_POINT_S and len(curve) >= FEWEST_POINTS:
            session.progress.note(f'{title}: ended before size {size}, which would take about '
                                  f'{expected:.0f} s')
            break
        session.step(f'{title}: size {size}', expected if curve else None)
        call = prepare(size)
        curve.append([size, least_seconds(call)])
    return curve


def _extrapolated(curve: list[list[float]], size: int) -> float:
    """Return the seconds to be expected of the next size: as steep as the last two points."""
    if not curve:
        return 0.0
    last_size, last_time = curve[-1]
    slope = 1.0
    if len(curve) > 1:
        before_size, before_time = curve[-2]
        slope = max(slope, math.log(last_time / before_time) / math.log(last_size / before_size))
    return last_time * (size / last_size) ** slope
