"""Timing things so that the noise of a shared machine hits all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

from bench.session import Session

LEAST_TOTAL_S = 0.3     # short things are repeated until they took so long together
FEWEST_REPEATS, MAX_REPEATS = 3, 50
LONG_S = 5.0            # what takes so long is not repeated


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def least_seconds(call: Callable[[], object]) -> float:
    """
    Return the shortest of some calls, the more of them the shorter they are.

    The shortest, because whatever else the machine does can only make a call longer, and a curve
    has no other side that suffers alike.
    """
    times: list[float] = []
    while len(times) < FEWEST_REPEATS or (
            sum(times) < LEAST_TOTAL_S and len(times) < MAX_REPEATS):
        times.append(seconds(call))
        if sum(times) > LONG_S:
            break
    return min(times)


def interleaved(session: Session, title: str, first: tuple[str, Callable[[], float]],
                others: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """
    Return the median of what each call returns [s], the first measured before each of the others.

    first, other 1, first, other 2, ..., and all again: whatever else the machine does meanwhile
    slows down both sides of a ratio.

    :param first: its name, and a call that returns seconds.
    :param others: the same for those it is compared with.
    """
    name, call = first
    taken: dict[str, list[float]] = {name: [], **{other: [] for other in others}}
    for number in range(rounds):
        for other in others or [name]:
            for current, measure in ((name, call), (other, others.get(other))):
                if measure is None:
                    continue
                about = taken[current][-1] if taken[current] else None
                session.step(f'{title}: {current}, round {number + 1} of {rounds}', about)
                taken[current].append(measure())
    return {each: statistics.median(times) for each, times in taken.items()}
