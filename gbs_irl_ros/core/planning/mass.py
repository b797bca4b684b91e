"""
The probability of all policies that call an action optimal, for every class of states.

Three ways, which agree up to rounding: the compiled kernel adds up whole sets, or, where
neighbouring classes have almost the same ones, only what changes from one class to the next;
without the kernel numpy multiplies matrices, block after block.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from gbs_irl_ros.core.planning import kernel

BLOCK_ENTRIES = 1 << 15     # classes * policies handled at once
KERNEL_BLOCK_ENTRIES = 1 << 24
SMALL_ENTRIES = 1 << 16     # up to here, finding out which policies count takes longer than all
CHANGES_FROM = 1 << 18      # entries for which it pays to look for changes
POLICIES_PER_CHANGE = 32    # at least, on average: else whole sets are as fast
ANCHOR = 64                 # GBS_ANCHOR of src/kernel.h
NEGLIGIBLE = 1e-15          # probability that may be left out of sums: far below any tie


class Changes(NamedTuple):
    """Where classes differ from the class before: see gbs_changes in src/kernel.h."""

    changes: np.ndarray
    starts: np.ndarray
    counts: np.ndarray


class _Room(threading.local):
    """
    Arrays of a small problem whose addresses are known: asking for one takes microseconds.

    So does asking for the kernel: whether there is one is found out when this is made.
    """

    def __init__(self, bits: np.ndarray, num_actions: int) -> None:
        library = kernel.library()
        self.add_up = None if library is None else library.gbs_mass
        self.probabilities, self.largest = np.empty(bits.shape[1]), np.empty(len(bits))
        kinds = kernel.SIGNATURES['gbs_mass']
        given = (bits.ctypes.data, bits.itemsize, *bits.shape, num_actions, None, bits.shape[1],
                 self.probabilities.ctypes.data, None, self.largest.ctypes.data)
        self.arguments = [kind(value) for kind, value in zip(kinds, given, strict=True)]


class SetSums:
    """
    Sums over the greedy sets of D policies in N classes.

    bits: ``[N, D]``, as in ``GreedySets``.
    """

    def __init__(self, bits: np.ndarray, num_actions: int) -> None:
        self.bits, self._num_actions = bits, num_actions
        self._is_small = bits.size <= SMALL_ENTRIES

    def __reduce__(self) -> tuple[Any, ...]:
        return SetSums, (self.bits, self._num_actions)

    def of_actions(self, probabilities: np.ndarray) -> np.ndarray:
        """Return ``[N, A]``: the probability of all policies that call an action optimal."""
        mass = np.empty((len(self.bits), self._num_actions))
        if kernel.library() is None:
            self._multiply(probabilities, mass)
        else:
            self._add_up(probabilities, mass, None)
        return mass

    def largest(self, probabilities: np.ndarray) -> np.ndarray:
        """Return ``[N]``: the same of the action for which it is largest."""
        if self._is_small and (room := self._room).add_up is not None:
            room.probabilities[:] = probabilities
            if room.add_up(*room.arguments):
                raise MemoryError('gbs_mass found no memory')
            return room.largest.copy()
        if kernel.library() is None:
            return row_maxima(self.of_actions(probabilities))
        largest = np.empty(len(self.bits))
        self._add_up(probabilities, None, largest)
        return largest

    @property
    def traffic(self) -> int:
        """Return how many bytes of sets, or of changes, the kernel reads to add up once."""
        if self._changes is None:
            return self.bits.nbytes
        _, starts, counts = self._changes
        return self.bits.nbytes // ANCHOR + 4 * int(counts.sum()) + starts.nbytes + counts.nbytes

    @cached_property
    def _room(self) -> _Room:
        return _Room(self.bits, self._num_actions)

    @cached_property
    def _changes(self) -> Changes | None:
        """Where classes differ from the class before; None if using that would not be faster."""
        classes, policies = self.bits.shape
        room = policies // POLICIES_PER_CHANGE
        if self.bits.itemsize > 1 or self.bits.size < CHANGES_FROM or not 0 < policies <= 1 << 16 \
                or room == 0:
            return None
        found = Changes(np.empty(classes * room, dtype=np.uint32),      # most is never touched
                        np.empty(classes, dtype=np.int64), np.empty(classes, dtype=np.int32))
        too_many = np.zeros(1, dtype=np.int64)

        def job(first: int, last: int) -> None:
            if not too_many[0]:
                kernel.call('gbs_changes', self.bits, first, last, policies, room, *found,
                            too_many)

        kernel.in_parallel(job, classes, _part_of(policies), self.bits.size)
        return None if too_many[0] else found

    def _add_up(self, probabilities: np.ndarray, mass: np.ndarray | None,
                largest: np.ndarray | None) -> None:
        bits, (classes, policies) = self.bits, self.bits.shape
        if self._changes is not None:
            self._add_changes(self._changes, probabilities, mass, largest)
            return
        live = live_policies(probabilities)
        # Picking sets out one by one costs as much as looking at a few that count for nothing.
        picked = live.astype(np.int32) if 2 * len(live) < policies else None
        weights = np.ascontiguousarray(probabilities if picked is None else probabilities[live],
                                       dtype=np.float64)

        def job(first: int, last: int) -> None:
            kernel.call('gbs_mass', bits[first:last], bits.itemsize, last - first, policies,
                        self._num_actions, picked, len(weights), weights,
                        None if mass is None else mass[first:last],
                        None if largest is None else largest[first:last])

        kernel.in_parallel(job, classes, max(1, KERNEL_BLOCK_ENTRIES // len(weights)),
                           classes * len(weights))

    def _add_changes(self, found: Changes, probabilities: np.ndarray, mass: np.ndarray | None,
                     largest: np.ndarray | None) -> None:
        classes, policies = self.bits.shape
        weights = np.ascontiguousarray(probabilities, dtype=np.float64)

        def job(first: int, last: int) -> None:
            kernel.call('gbs_mass_by_changes', self.bits, first, last, policies,
                        self._num_actions, *found, weights, mass, largest)

        kernel.in_parallel(job, classes, _part_of(policies), self.bits.size // ANCHOR)

    def _multiply(self, probabilities: np.ndarray, mass: np.ndarray) -> None:
        live, word = live_policies(probabilities), self.bits.dtype.type
        masks = word(1) << np.arange(self._num_actions, dtype=self.bits.dtype)
        for part, block, room, values in blocks(self.bits, live):
            for action, mask in enumerate(masks):
                np.bitwise_and(block, mask, out=room)
                np.copyto(values, room)         # 0 or the mask, as floats: divided out below
                np.matmul(values, probabilities[live], out=mass[part, action])
        mass /= masks.astype(np.float64)        # powers of two: exact
        np.clip(mass, 0.0, 1.0, out=mass)


def _part_of(policies: int) -> int:
    """Return how many classes to go through at once: whole anchors, so that threads do no harm."""
    return ANCHOR * max(1, KERNEL_BLOCK_ENTRIES // policies // ANCHOR)


def row_maxima(matrix: np.ndarray) -> np.ndarray:
    """Return the largest entry of every row: for few columns a third of the time of max."""
    return np.asarray(reduce(np.maximum, matrix.T))


def live_policies(probabilities: np.ndarray) -> np.ndarray:
    """Return the policies ``[L]`` that count, in order: all but NEGLIGIBLE of the probability."""
    counts = probabilities > NEGLIGIBLE
    if not counts.all():
        small = np.flatnonzero(~counts)
        order = small[np.argsort(probabilities[small], kind='stable')]
        dead = np.searchsorted(np.cumsum(probabilities[order]), NEGLIGIBLE, side='right')
        counts[order[dead:]] = True
    return np.flatnonzero(counts)


def blocks(sets: np.ndarray, live: np.ndarray | None = None
           ) -> Iterator[tuple[slice, np.ndarray, np.ndarray, np.ndarray]]:
    """
    Yield (classes, their sets, room for bits, room for floats), block after block.

    The same room every time, and small enough for the processor's cache: fresh arrays of the
    whole size took 25 times as long.

    :param live: only these policies, in this order; None: all.
    """
    classes, policies = sets.shape
    some = live is not None and len(live) < policies
    width = len(live) if live is not None else policies
    size = min(max(1, BLOCK_ENTRIES // width), classes)
    bits = np.empty((size, width), dtype=sets.dtype)
    values = np.empty((size, width))
    for first in range(0, classes, size):
        block = sets[first:first + size]
        if some:
            block = block[:, live]
        yield slice(first, first + len(block)), block, bits[:len(block)], values[:len(block)]
