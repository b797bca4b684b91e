"""A plan in a file: read as it was written, or not at all."""

from __future__ import annotations

import hashlib
import os
import struct
import tracemalloc

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.tasks.plans import plan_file
from gbs_irl_ros.tasks.plans.plan_file import Plan, PlanFileError, read_plan, write_plan

KEY = 'c0ffee00' * 8
SMALL = Plan(GreedySets.from_sets([[{0}, {1}], [{1}, {1}], [{0}, {1}], [{0, 1}, {0}]], 2),
             np.array([0, 1, 0, 1, 1]))


def written(plan, key=KEY):
    """Return the bytes of the file of a plan."""
    file = os.memfd_create('plan')
    try:
        write_plan(file, key, plan)
        return os.pread(file, 1 << 30, 0)
    finally:
        os.close(file)


def read(content, key=KEY):
    """Return the plan in these bytes."""
    file = os.memfd_create('plan')
    try:
        os.pwrite(file, content, 0)
        return read_plan(file, key)
    finally:
        os.close(file)


def refusal(content):
    with pytest.raises(PlanFileError) as caught:
        read(content)
    return str(caught.value)


def by_hand(version=1, actions=2, sizes=(3, 2, 4, 5), bits=(1, 2, 2, 2, 3, 1),
            classes=(0, 1, 0, 2), policies=(0, 1, 0, 1, 1), key=KEY, magic=b'GBSPLAN\n'):
    """Return the bytes of SMALL, or of something like it, with the right checksum."""
    content = (struct.pack('<8sII32s4Q', magic, version, actions, bytes.fromhex(key), *sizes)
               + bytes(bits) + struct.pack(f'<{len(classes)}q', *classes)
               + struct.pack(f'<{len(policies)}q', *policies))
    return content + hashlib.sha256(content).digest()


def assert_same(found, plan):
    for ours, theirs in ((found.sets.bits, plan.sets.bits),
                         (found.sets.class_of_state, plan.sets.class_of_state),
                         (found.policy_of_reward, plan.policy_of_reward)):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    assert found.sets.num_actions == plan.sets.num_actions


def test_the_format_is_this_one():
    """To be changed together with PLAN_VERSION."""
    assert written(SMALL) == by_hand()


@for_each('num_actions', [1, 2, 8, 9, 16, 17, 32, 33, 63, 64])
def test_it_is_read_as_it_was_written(num_actions, rng):
    bits = rng.integers(1, 1 << num_actions, (70, 30), dtype=np.uint64, endpoint=False)
    bits[0, 0] = 1 << (num_actions - 1)
    plan = Plan(GreedySets.from_state_bits(bits, num_actions), rng.permutation(30))
    assert_same(read(written(plan)), plan)
    assert len(written(plan)) == plan.file_size


def test_arrays_in_another_order_or_type_are_written_in_the_same():
    sets = GreedySets(np.asfortranarray(SMALL.sets.bits, dtype=np.uint64),
                      SMALL.sets.class_of_state.astype(np.uint8), 2)
    plan = Plan(sets, np.repeat(SMALL.policy_of_reward, 2).astype(np.int16)[::2])
    assert written(plan) == by_hand()
    assert plan.file_size == len(by_hand())


def test_one_larger_than_a_block_is_whole(monkeypatch):
    monkeypatch.setattr(plan_file, 'BLOCK_BYTES', 5)
    assert written(SMALL) == by_hand()
    assert_same(read(by_hand()), SMALL)


def test_a_disk_that_takes_a_part_is_given_the_rest(monkeypatch):
    write = os.write
    monkeypatch.setattr(os, 'write', lambda file, content: write(file, content[:3]))
    assert written(SMALL) == by_hand()


@for_each('damage', [0x01, 0x80, 0xff])
def test_with_any_byte_changed_it_is_refused(damage):
    good = by_hand()
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= damage
        refusal(bytes(bad))


def test_cut_off_anywhere_it_is_refused():
    good = by_hand()
    for length in range(len(good)):
        assert refusal(good[:length]) == (
            'it is too short' if length < plan_file.HEADER.size
            else f'its sizes do not fit its {length} bytes')


def test_with_anything_behind_it_it_is_refused():
    assert refusal(by_hand() + b'\0') == f'its sizes do not fit its {len(by_hand()) + 1} bytes'


def test_one_that_shrinks_while_it_is_read_is_refused(monkeypatch):
    """Its size was right when it was looked at."""
    fstat = os.fstat

    def stat_then_cut(file):
        about = fstat(file)
        if about.st_size == len(by_hand()):
            os.ftruncate(file, about.st_size - 20)
        return about
    monkeypatch.setattr(plan_file.os, 'fstat', stat_then_cut)
    assert refusal(by_hand()) == 'it is too short'


@for_each(('changes', 'text'), [
    ({'magic': b'\x93NUMPY\1\0'}, 'it is not a plan'),
    ({'version': 2}, 'it is of version 2, expected 1'),
    ({'version': 0}, 'it is of version 0, expected 1'),
    ({'key': 'c0ffee01' * 8}, 'it is the plan of something else'),
    ({'actions': 0}, 'its sizes do not fit its 190 bytes'),
    ({'actions': 65}, 'its sizes do not fit its 190 bytes'),
    ({'bits': (1, 2, 0, 2, 3, 1)}, 'every greedy set must hold an action: that of class 1, '
                    'policy 0 is empty'),
    ({'bits': (1, 2, 4, 2, 3, 1)}, 'greedy sets must hold actions 0 .. 1, got the bits 100'),
    ({'classes': (0, 1, 0, 3)}, 'class_of_state must use every class 0 .. 2, got 3 different '
                 'ones up to 3'),
    ({'classes': (0, 1, 0, 1)}, 'class_of_state must use every class 0 .. 2, got 2 different '
                 'ones up to 1'),
    ({'classes': (0, 1, -1, 2)}, 'class_of_state must use every class 0 .. 2, got 4 different '
                  'ones up to 2'),
    ({'bits': (), 'sizes': (0, 2, 4, 5)}, 'greedy sets must have shape (classes, policies), got '
                           '(0, 2)'),
], ids=['magic', 'newer', 'older', 'key', 'no-actions', 'actions', 'empty-set', 'bits', 'class',
        'class-left-out', 'negative-class', 'empty'])
def test_what_is_no_plan_is_refused_although_its_checksum_is_right(changes, text):
    assert refusal(by_hand(**changes)) == text


@for_each('sizes', [
    (1 << 40, 2, 4, 5), (3, 2, 1 << 60, 5), (3, 2, 4, (1 << 64) - 1), (1 << 32, 1 << 32, 4, 5),
    (3, 2, 4, 6), (3, 3, 4, 5), ((1 << 63) + 3, 2, 4, 5)], ids=str)
def test_no_room_is_made_for_sizes_that_the_file_does_not_have(monkeypatch, sizes):
    monkeypatch.setattr(plan_file.np, 'empty', None)
    assert refusal(by_hand(sizes=sizes)) == 'its sizes do not fit its 190 bytes'


def test_it_is_read_into_its_place_without_a_copy(rng):
    bits = rng.integers(1, 1 << 63, (4000, 500), dtype=np.uint64)       # 16 MB
    plan = Plan(GreedySets(bits, np.arange(4000), 64), np.arange(500))
    file = os.memfd_create('plan')
    tracemalloc.start()
    try:
        write_plan(file, KEY, plan)
        while_writing = tracemalloc.get_traced_memory()[1]
        os.lseek(file, 0, os.SEEK_SET)
        tracemalloc.reset_peak()
        read_plan(file, KEY)
        while_reading = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        os.close(file)
    assert while_writing < 0.1 * bits.nbytes
    assert while_reading < 1.3 * bits.nbytes        # the rest is for checking the sets
