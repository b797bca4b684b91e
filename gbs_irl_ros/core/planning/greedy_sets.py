"""
The optimal actions of every policy in every state, in bits, once per class of states.

Two states are in one class X_i of the paper's partition Xi if every policy has the same greedy set
in both: no answer tells them apart, so sets are stored once for each class.

To find which rows (states) or columns (policies) are equal, each gets a 64-bit key that equal ones
share; those with equal keys are then compared. Nothing is copied or sorted but the keys, so a
matrix of a gigabyte needs hardly any memory besides.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.planning.mass import SetSums, blocks
from gbs_irl_ros.core.planning.solver import bits_dtype

COMPARED_ENTRIES = 1 << 20  # looked at together to find equal rows or columns
KEY_SEED = 20130729         # any: it only has to be the same for all rows
MOVED_ENTRIES = 1 << 15     # rows * columns copied at once
MARKED_BITS = 16            # up to here patterns are found by marking them, beyond by sorting


@dataclass(frozen=True, eq=False)
class GreedySets:
    """
    Greedy sets of D policies in N classes of S states.

    bits: ``[N, D]`` unsigned; bit a of entry (i, d) is set if a is in A_d(x) for x in class i.
    class_of_state: ``[S]``.
    num_actions: A.
    """

    bits: np.ndarray
    class_of_state: np.ndarray
    num_actions: int

    def __post_init__(self) -> None:
        if self.bits.ndim != 2 or 0 in self.bits.shape:
            raise InvalidHypothesesError(
                f'greedy sets must have shape (classes, policies), got {self.bits.shape}')
        _check_bits(self.bits, self.num_actions)
        words = np.ascontiguousarray(self.bits, dtype=bits_dtype(self.num_actions))
        object.__setattr__(self, 'bits', words)
        if self.bits.min() == 0:
            empty = np.argwhere(self.bits == 0)
            raise InvalidHypothesesError(
                'every greedy set must hold an action: that of class '
                f'{empty[0][0]}, policy {empty[0][1]} is empty')
        known = np.unique(self.class_of_state)
        if not np.array_equal(known, np.arange(self.num_classes)):
            raise InvalidHypothesesError(
                f'class_of_state must use every class 0 .. {self.num_classes - 1}, '
                f'got {len(known)} different ones up to {known[-1] if len(known) else None}')
        self.bits.setflags(write=False)
        self.class_of_state.setflags(write=False)

    def __repr__(self) -> str:
        return (f'GreedySets({self.num_policies} policies, {self.num_classes} classes of '
                f'{self.num_states} states, {self.num_actions} actions)')

    @classmethod
    def from_state_bits(cls, bits: np.ndarray, num_actions: int) -> GreedySets:
        """Build from ``[S, D]``, finding the classes."""
        _check_bits(bits, num_actions)
        rows = np.ascontiguousarray(bits, dtype=bits_dtype(num_actions))
        representatives, class_of_state = distinct_rows(rows)
        return cls(rows[representatives], class_of_state, num_actions)

    @classmethod
    def consuming(cls, bits: np.ndarray, num_actions: int) -> GreedySets:
        """
        Build from ``[S, D]`` of the right type in its own memory, which is not usable afterwards.

        Where the sets take a gigabyte there may be no room for a copy.
        """
        representatives, class_of_state = distinct_rows(bits)
        size = max(1, MOVED_ENTRIES // bits.shape[1])
        for first in range(0, len(representatives), size):      # none moves to a later row
            some = representatives[first:first + size]
            bits[first:first + len(some)] = bits[some]
        bits.resize((len(representatives), bits.shape[1]), refcheck=False)
        return cls(bits, class_of_state, num_actions)

    @classmethod
    def from_sets(cls, sets: list[list[set[int]]], num_actions: int) -> GreedySets:
        """Build from ``sets[s][d]``, a set of actions: for examples and tests."""
        bits = np.array([[sum(1 << a for a in actions) for actions in row] for row in sets],
                        dtype=np.uint64)
        return cls.from_state_bits(bits, num_actions)

    @property
    def num_classes(self) -> int:
        """N, the size of the partition Xi."""
        return int(self.bits.shape[0])

    @property
    def num_policies(self) -> int:
        """D."""
        return int(self.bits.shape[1])

    @property
    def num_states(self) -> int:
        """S."""
        return len(self.class_of_state)

    @cached_property
    def patterns(self) -> np.ndarray:
        """``[U]``, the different sets that occur anywhere, as bits."""
        width = 8 * self.bits.itemsize
        if width > MARKED_BITS or kernel.library() is None:
            parts = [np.unique(block) for _, block, _, _ in blocks(self.bits)]
            return np.unique(np.concatenate(parts))
        found = np.zeros(1 << width, dtype=np.uint8)
        kernel.call('gbs_patterns', self.bits, self.bits.itemsize, self.bits.size, found)
        return np.flatnonzero(found).astype(self.bits.dtype)

    @cached_property
    def _code_of_byte(self) -> np.ndarray:
        """``[256]``, the place of each set among the patterns, where a set is a byte."""
        codes = np.zeros(1 << 8, dtype=np.intp)
        codes[self.patterns] = np.arange(len(self.patterns))
        return codes

    def codes(self, bits: np.ndarray) -> np.ndarray:
        """Return the place of each of these sets among the patterns."""
        if self.bits.itemsize == 1:
            return np.asarray(self._code_of_byte[bits])
        return np.searchsorted(self.patterns, bits)

    def by_word(self, by_pattern: np.ndarray) -> np.ndarray:
        """Return ``[256, ...]`` for ``[U, ...]`` where a set is a byte: no codes are needed."""
        return by_pattern[self._code_of_byte] if self.bits.itemsize == 1 else by_pattern

    @cached_property
    def lookups(self) -> dict[Hashable, np.ndarray]:
        """Return what others have worked out for each pattern, by what they look it up with."""
        return {}

    @cached_property
    def pattern_sizes(self) -> np.ndarray:
        """``[U]``, how many actions each of the different sets holds."""
        return self.pattern_table.sum(axis=1)

    @cached_property
    def pattern_table(self) -> np.ndarray:
        """``[U, A]`` bool, which actions each of the different sets holds."""
        return unpack(self.patterns, self.num_actions)

    @cached_property
    def one_action_each(self) -> bool:
        """Whether the paper's assumption 1 holds: one optimal action in every state."""
        return bool(self.pattern_sizes.max() == 1)

    @cached_property
    def is_state_by_state(self) -> bool:
        """Whether class i is state i alone: no two states are alike, as in most small worlds."""
        return self.num_classes == self.num_states \
            and np.array_equal(self.class_of_state, np.arange(self.num_states))

    def members(self, cls: int) -> np.ndarray:
        """Return the states of class X_i."""
        if self.is_state_by_state:
            return np.array([cls])
        return np.flatnonzero(self.class_of_state == cls)

    def of_states(self, by_class: np.ndarray) -> np.ndarray:
        """Return ``[S]``: for every state what ``[N]`` says of its class."""
        return by_class if self.is_state_by_state else by_class[self.class_of_state]

    def members_of(self, classes: np.ndarray) -> list[np.ndarray]:
        """Return the states of each of several classes, looking at all states once."""
        wanted = np.zeros(self.num_classes, dtype=bool)
        wanted[classes] = True
        states = np.flatnonzero(wanted[self.class_of_state])
        found = self.class_of_state[states]
        order = np.argsort(found, kind='stable')
        states, found = states[order], found[order]
        return [states[first:last] for first, last in zip(
            np.searchsorted(found, classes), np.searchsorted(found, classes, side='right'),
            strict=True)]

    def sets_at(self, state: int) -> np.ndarray:
        """Return ``[D]``, the greedy sets at a state as bits."""
        return self.bits[self.class_of_state[state]]

    def holds(self, state: int, action: int) -> np.ndarray:
        """Return ``[D]`` bool: which policies call the action optimal in the state."""
        bits = self.sets_at(state)
        return ((bits >> bits.dtype.type(action)) & bits.dtype.type(1)).astype(bool)

    def allow(self, steps: Iterable[tuple[int, int]]) -> np.ndarray:
        """Return ``[D]`` bool: which policies call every one of these steps optimal."""
        states, actions = np.array(list(steps), dtype=np.int64).reshape(-1, 2).T
        masks = self.bits.dtype.type(1) << actions.astype(self.bits.dtype)
        held = self.bits[self.class_of_state[states]] & masks[:, np.newaxis]
        return np.asarray(held.all(axis=0))

    def policy_sets(self, policy: int) -> np.ndarray:
        """Return ``[S]``, the greedy sets of one policy as bits."""
        return self.bits[self.class_of_state, policy]

    def optimal_mass(self, probabilities: np.ndarray) -> np.ndarray:
        """
        Return delta(x, a) ``[N, A]``: the probability of all policies that call a optimal.

        The paper's sum_h p(h) h(x, a) is 2 delta - 1, and W(p, x) = max_a of it.
        """
        return self._sums.of_actions(probabilities)

    def largest_mass(self, probabilities: np.ndarray) -> np.ndarray:
        """Return max_a delta(x, a), ``[N]``."""
        return self._sums.largest(probabilities)

    @property
    def traffic(self) -> int:
        """Return how many bytes are read to work out a mass for all classes."""
        return self._sums.traffic

    def optimal_mass_of_sizes(self, probabilities: np.ndarray, sizes: frozenset[int]
                              ) -> np.ndarray:
        """Return delta(x, a) ``[N, A]`` of those policies alone whose set has one of the sizes."""
        if sizes not in self._sums_of_sizes:
            kept = np.where(np.isin(self.pattern_sizes, list(sizes)), self.patterns,
                            self.bits.dtype.type(0))                    # [U]
            bits = np.empty_like(self.bits)
            for part, block, _, _ in blocks(self.bits):
                bits[part] = kept[self.codes(block)]
            self._sums_of_sizes[sizes] = SetSums(bits, self.num_actions)
        return self._sums_of_sizes[sizes].of_actions(probabilities)

    def binary(self) -> GreedySets:
        """
        Return the same policies as a problem of yes and no over states and actions.

        State ``s * A + a`` of the result is the question "is a optimal in s?", action 0 is yes, 1
        is no. It always has one right answer, so the paper's assumption 1 holds (end of its 3.3).
        """
        yes_no = np.empty((self.num_classes, self.num_actions, self.num_policies), dtype=np.uint8)
        for action in range(self.num_actions):
            holds = (self.bits >> self.bits.dtype.type(action)) & self.bits.dtype.type(1)
            yes_no[:, action] = np.where(holds, 1, 2)
        rows = yes_no.reshape(-1, self.num_policies)
        representatives, class_of_row = distinct_rows(rows)
        row_of_state = (self.class_of_state[:, np.newaxis] * self.num_actions
                        + np.arange(self.num_actions)).ravel()
        return GreedySets(rows[representatives], class_of_row[row_of_state], 2)

    @cached_property
    def _sums(self) -> SetSums:
        return SetSums(self.bits, self.num_actions)

    @cached_property
    def _sums_of_sizes(self) -> dict[frozenset[int], SetSums]:
        return {}


def _check_bits(bits: np.ndarray, num_actions: int) -> None:
    largest = int(bits.max(initial=0))
    if largest >> num_actions:
        raise InvalidHypothesesError(
            f'greedy sets must hold actions 0 .. {num_actions - 1}, got the bits {largest:b}')


def unpack(bits: np.ndarray, num_actions: int) -> np.ndarray:
    """Return ``[..., A]`` bool: which actions the sets hold."""
    words = np.asarray(bits, dtype=np.uint64)[..., np.newaxis]
    return ((words >> np.arange(num_actions, dtype=np.uint64)) & np.uint64(1)).astype(bool)


def pack(holds: np.ndarray) -> np.ndarray:
    """Return the sets as uint64 for ``[..., A]`` bool: the inverse of unpack."""
    places = np.arange(holds.shape[-1], dtype=np.uint64)
    return (holds.astype(np.uint64) << places).sum(axis=-1, dtype=np.uint64)


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (first row of each kind ``[N]``, kind of each row ``[S]``), kinds as they appear."""
    factors = _factors(rows.shape[1])
    keys = np.empty(len(rows), dtype=np.uint64)
    for part in _parts(rows):
        keys[part] = rows[part].astype(np.uint64) @ factors
    first, kind = _kinds(keys)
    copies = np.flatnonzero(first[kind] != np.arange(len(rows)))
    size = max(1, COMPARED_ENTRIES // max(1, rows.shape[1]))
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
    size = max(1, COMPARED_ENTRIES // max(1, matrix.shape[1]))
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
