"""
A plan in a file: the greedy sets that planning found, and which of them each reward leads to.

The file is a header, the bits of the greedy sets ``[N, D]``, the class of each state ``[S]``, the
policy of each reward ``[H]``, and the SHA-256 of all that. Numbers are little-endian. Nothing in
it is ever run, and its sizes must add up to that of the file before room is made for them.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.errors import GbsIrlError, InvalidHypothesesError
from gbs_irl_ros.core.mdp import MAX_ACTIONS
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.planning.solver import bits_dtype

# Of this format and of what planning finds: to be raised when planning gives other greedy sets, or
# gives policies or classes in another order.
PLAN_VERSION = 1
MAGIC = b'GBSPLAN\n'
HEADER = struct.Struct('<8sII32sQQQQ')      # magic, version, A, key, N, D, S, H
CHECKSUM_BYTES = 32
INDEX = np.dtype('<i8')
BLOCK_BYTES = 1 << 20       # read and summed together, while they are in the processor's cache


class PlanFileError(GbsIrlError, ValueError):
    """The file is not the plan that it should be."""


@dataclass(frozen=True, eq=False)
class Plan:
    """
    What planning for H rewards found; as in ``Hypotheses``.

    sets: greedy sets of the D different policies.
    policy_of_reward: ``[H]``.
    """

    sets: GreedySets
    policy_of_reward: np.ndarray

    @property
    def file_size(self) -> int:
        """Return how many bytes its file has."""
        return _file_size(self.sets.num_actions, self.sets.num_classes, self.sets.num_policies,
                          self.sets.num_states, len(self.policy_of_reward))


def write_plan(file: int, key: str, plan: Plan) -> None:
    """Write a plan into an open file."""
    sets = plan.sets
    header = HEADER.pack(MAGIC, PLAN_VERSION, sets.num_actions, bytes.fromhex(key),
                         *sets.bits.shape, sets.num_states, len(plan.policy_of_reward))
    digest = hashlib.sha256(header)
    _write_all(file, header)
    for array, dtype in ((sets.bits, _bits_type(sets.num_actions)), (sets.class_of_state, INDEX),
                         (plan.policy_of_reward, INDEX)):
        for block in _blocks(np.ascontiguousarray(array, dtype=dtype)):
            digest.update(block)
            _write_all(file, block)
    _write_all(file, digest.digest())


def read_plan(file: int, key: str) -> Plan:
    """
    Return the plan in an open file.

    Raises PlanFileError if it is not whole, or that of another key.
    """
    header = bytearray(HEADER.size)
    _read_all(file, memoryview(header))
    magic, version, num_actions, its_key, *sizes = HEADER.unpack(header)
    if magic != MAGIC:
        raise PlanFileError('it is not a plan')
    if version != PLAN_VERSION:
        raise PlanFileError(f'it is of version {version}, expected {PLAN_VERSION}')
    if its_key != bytes.fromhex(key):
        raise PlanFileError('it is the plan of something else')
    found = os.fstat(file).st_size
    if not 1 <= num_actions <= MAX_ACTIONS or _file_size(num_actions, *sizes) != found:
        raise PlanFileError(f'its sizes do not fit its {found} bytes')
    num_classes, num_policies, num_states, num_rewards = sizes
    bits = np.empty((num_classes, num_policies), dtype=_bits_type(num_actions))
    class_of_state = np.empty(num_states, dtype=INDEX)
    policy_of_reward = np.empty(num_rewards, dtype=INDEX)
    digest = hashlib.sha256(header)
    for array in (bits, class_of_state, policy_of_reward):
        for block in _blocks(array):
            _read_all(file, block)
            digest.update(block)
    checksum = bytearray(CHECKSUM_BYTES)
    _read_all(file, memoryview(checksum))
    if checksum != digest.digest():
        raise PlanFileError('it is damaged: its checksum is wrong')
    try:
        sets = GreedySets(bits.astype(bits_dtype(num_actions), copy=False),
                          class_of_state.astype(np.int64, copy=False), num_actions)
    except InvalidHypothesesError as error:
        raise PlanFileError(str(error)) from None
    return Plan(sets, policy_of_reward.astype(np.int64, copy=False))


def _bits_type(num_actions: int) -> np.dtype:
    return np.dtype(bits_dtype(num_actions)).newbyteorder('<')


def _file_size(num_actions: int, num_classes: int, num_policies: int, num_states: int,
               num_rewards: int) -> int:
    return (HEADER.size + num_classes * num_policies * _bits_type(num_actions).itemsize
            + (num_states + num_rewards) * INDEX.itemsize + CHECKSUM_BYTES)


def _blocks(array: np.ndarray) -> Iterator[memoryview]:
    """Yield the bytes of an array, piece after piece, without copying them."""
    everything = array.reshape(-1).view(np.uint8).data
    for first in range(0, len(everything), BLOCK_BYTES):
        yield everything[first:first + BLOCK_BYTES]


def _read_all(file: int, room: memoryview) -> None:
    while len(room):
        count = os.readv(file, [room])
        if not count:
            raise PlanFileError('it is too short')
        room = room[count:]


def _write_all(file: int, content: bytes | memoryview) -> None:
    rest = memoryview(content)
    while len(rest):        # a disk that fills up takes a part, and refuses the next one
        rest = rest[os.write(file, rest):]
