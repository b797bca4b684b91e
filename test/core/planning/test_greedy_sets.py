from __future__ import annotations

import pickle

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from kernel_help import need_kernel
from worlds import random_sets

from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.planning import greedy_sets, kernel
from gbs_irl_ros.core.planning.greedy_sets import GreedySets, distinct_columns, pack, unpack
from gbs_irl_ros.core.planning.mass import ANCHOR, NEGLIGIBLE, SetSums, live_policies
from gbs_irl_ros.core.planning.solver import bits_dtype

MASS = 'gbs_irl_ros.core.planning.mass'
SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=30)


def random_greedy_sets(seed, num_actions=None):
    """Few actions and policies and many states, so that classes have several members."""
    rng = np.random.default_rng(seed)
    num_actions = num_actions or int(rng.integers(2, 5))
    sets = random_sets(rng, int(rng.integers(1, 20)), int(rng.integers(1, 5)), num_actions,
                       single=rng.random() < 0.3)
    return GreedySets.from_sets(sets, num_actions), sets


def by_hand():
    """States 0, 2 and 4 are alike, and so are 1 and 3."""
    alike, others = [{0}, {0, 1}], [{2}, {0, 1}]
    return GreedySets.from_sets([alike, others, alike, others, alike], 3)


def test_states_with_equal_sets_in_every_policy_are_one_class():
    sets = by_hand()
    assert (sets.num_states, sets.num_classes, sets.num_policies) == (5, 2, 2)
    assert sets.class_of_state.tolist() == [0, 1, 0, 1, 0]
    assert [sets.members(cls).tolist() for cls in range(sets.num_classes)] == [[0, 2, 4], [1, 3]]
    assert sets.bits.tolist() == [[0b001, 0b011], [0b100, 0b011]]


def test_the_different_sets_are_listed_once_with_their_sizes():
    sets = by_hand()
    assert sets.patterns.tolist() == [0b001, 0b011, 0b100]
    assert sets.pattern_sizes.tolist() == [1, 2, 1]
    assert sets.pattern_table.tolist() == [
        [True, False, False], [True, True, False], [False, False, True]]


def test_sets_can_be_read_by_state_and_by_policy():
    sets = by_hand()
    assert sets.sets_at(3).tolist() == [0b100, 0b011]
    assert sets.policy_sets(0).tolist() == [0b001, 0b100, 0b001, 0b100, 0b001]


def test_one_action_each_is_assumption_one():
    assert GreedySets.from_sets([[{0}, {2}], [{1}, {1}]], 3).one_action_each
    assert not by_hand().one_action_each


def test_masses_by_hand():
    sets, probabilities = by_hand(), np.array([0.25, 0.75])
    np.testing.assert_allclose(sets.optimal_mass(probabilities),
                               [[1.0, 0.75, 0.0], [0.75, 0.75, 0.25]])
    np.testing.assert_allclose(sets.optimal_mass_of_sizes(probabilities, frozenset({1})),
                               [[0.25, 0.0, 0.0], [0.0, 0.0, 0.25]])
    np.testing.assert_allclose(sets.optimal_mass_of_sizes(probabilities, frozenset({2})),
                               [[0.75, 0.75, 0.0], [0.75, 0.75, 0.0]])
    np.testing.assert_allclose(sets.optimal_mass_of_sizes(probabilities, frozenset({1, 2})),
                               sets.optimal_mass(probabilities))


@INVARIANT
@given(seed=SEEDS)
def test_classes_are_those_of_the_definition(seed):
    sets, lists = random_greedy_sets(seed)
    for x, row in enumerate(lists):
        for y, other in enumerate(lists):
            assert (sets.class_of_state[x] == sets.class_of_state[y]) == (row == other)
    members = [sets.members(cls) for cls in range(sets.num_classes)]
    for cls, states in enumerate(members):
        assert (sets.class_of_state[states] == cls).all()
    assert sorted(np.concatenate(members).tolist()) == list(range(sets.num_states))


@INVARIANT
@given(seed=SEEDS, block=st.sampled_from([1, 7, 4_000_000]))
def test_masses_agree_with_adding_up_policy_by_policy(seed, block):
    sets, lists = random_greedy_sets(seed)
    probabilities = np.random.default_rng(seed).dirichlet(np.ones(sets.num_policies))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f'{MASS}.BLOCK_ENTRIES', block)
        optimal = sets.optimal_mass(probabilities)
        by_size = {size: sets.optimal_mass_of_sizes(probabilities, frozenset({size}))
                   for size in range(1, sets.num_actions + 1)}
    for state, row in enumerate(lists):
        cls = sets.class_of_state[state]
        for action in range(sets.num_actions):
            mass = sum(p for p, actions in zip(probabilities, row, strict=True)
                       if action in actions)
            assert optimal[cls, action] == pytest.approx(mass, abs=1e-12)
            for size, masses in by_size.items():
                mass = sum(p for p, actions in zip(probabilities, row, strict=True)
                           if action in actions and len(actions) == size)
                assert masses[cls, action] == pytest.approx(mass, abs=1e-12)


@INVARIANT
@given(seed=SEEDS)
def test_the_mass_of_single_actions_adds_up_to_one_and_of_sets_always(seed):
    sets, _ = random_greedy_sets(seed)
    probabilities = np.random.default_rng(seed).dirichlet(np.ones(sets.num_policies))
    shares = [sets.optimal_mass_of_sizes(probabilities, frozenset({size})).sum(axis=1) / size
              for size in range(1, sets.num_actions + 1)]
    np.testing.assert_allclose(sum(shares), 1.0)
    sums = sets.optimal_mass(probabilities).sum(axis=1)
    assert (sums >= 1.0 - 1e-12).all()
    if sets.one_action_each:
        np.testing.assert_allclose(sums, 1.0)


# ---- masses by the kernel and without -----------------------------------------------------------

@pytest.fixture(params=['kernel', 'numpy'])
def adding(request, monkeypatch):
    """Add up with the compiled kernel and without."""
    if request.param == 'numpy':
        monkeypatch.setenv(kernel.VARIABLE, 'off')
    else:
        need_kernel()
    return request.param


def random_bits(rng, num_classes, num_policies, num_actions):
    """Sets of any actions as words, every class a state of its own."""
    holds = rng.random((num_classes, num_policies, num_actions)) < 0.4
    holds[..., 0] |= ~holds.any(axis=-1)
    bits = pack(holds).astype(bits_dtype(num_actions))
    return GreedySets(bits, np.arange(num_classes), num_actions), holds


def plain_mass(holds, probabilities):
    return np.einsum('nda,d->na', holds, probabilities)


@for_each('num_actions', [*range(1, 18), 24, 25, 31, 32, 33, 40, 48, 57, 63, 64])
@for_each('num_policies', [1, 13])
def test_masses_of_any_number_of_actions_are_the_plain_sum(
        rng, adding, num_actions, num_policies):
    sets, holds = random_bits(rng, 5, num_policies, num_actions)
    probabilities = rng.dirichlet(np.ones(num_policies))
    np.testing.assert_allclose(sets.optimal_mass(probabilities),
                               plain_mass(holds, probabilities), rtol=0.0, atol=1e-13)


@for_each('num_policies', [
    1, 2, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 127, 500, 511, 512, 513, 520, 1023, 1024, 1025,
    1037, 1500])
@for_each('num_actions', [2, 4, 5, 11])
@for_each('num_live', [None, 1, 9, 33])
def test_masses_of_any_number_of_policies_are_the_plain_sum(
        rng, adding, num_policies, num_actions, num_live):
    sets, holds = random_bits(rng, 3, num_policies, num_actions)
    probabilities = rng.dirichlet(np.ones(num_policies))
    if num_live is not None:        # the rest of the posterior is negligible, not nothing
        some = rng.choice(num_policies, min(num_live, num_policies), replace=False)
        unlikely = 1e-20 * probabilities
        unlikely[some] = probabilities[some] / probabilities[some].sum()
        probabilities = unlikely
        assert len(live_policies(probabilities)) == len(some)
    np.testing.assert_allclose(sets.optimal_mass(probabilities),
                               plain_mass(holds, probabilities), rtol=0.0, atol=1e-13)


def test_masses_of_more_classes_than_fit_into_one_block(rng, adding, monkeypatch):
    sets, holds = random_bits(rng, 1100, 9, 3)
    probabilities = rng.dirichlet(np.ones(9))
    expected = plain_mass(holds, probabilities)
    for entries in (1, 50, 1 << 24):
        monkeypatch.setattr(f'{MASS}.KERNEL_BLOCK_ENTRIES', entries)
        np.testing.assert_allclose(sets.optimal_mass(probabilities), expected, rtol=0.0,
                                   atol=1e-13)


def test_threads_change_no_bit_of_a_mass(rng, monkeypatch):
    need_kernel()
    sets, _ = random_bits(rng, 300, 40, 5)
    probabilities = rng.dirichlet(np.ones(40))
    alone = sets.optimal_mass(probabilities)
    monkeypatch.setattr(kernel, 'PARALLEL_FROM', 1)
    monkeypatch.setattr(f'{MASS}.KERNEL_BLOCK_ENTRIES', 400)
    monkeypatch.setenv(kernel.THREADS, '3')
    assert sets.optimal_mass(probabilities).tobytes() == alone.tobytes()


@for_each('shape', [(1, 1, 1), (10, 300, 5), (600, 130, 3), (40, 30, 9)])
def test_the_largest_mass_is_that_of_the_surest_action(rng, adding, shape):
    classes, policies, actions = shape
    sets, holds = random_bits(rng, classes, policies, actions)
    probabilities = rng.dirichlet(np.ones(policies))
    np.testing.assert_allclose(
        sets.largest_mass(probabilities), plain_mass(holds, probabilities).max(axis=1), rtol=0.0,
        atol=1e-13)
    assert (sets.largest_mass(probabilities)
            == sets.optimal_mass(probabilities).max(axis=1)).all()


def walked_through(rng, classes, policies, actions, changing):
    """Return sets of which ``changing`` differ, at random places, from one class to the next."""
    bits = np.empty((classes, policies), dtype=np.uint8)
    bits[0] = rng.integers(1, 1 << actions, policies)
    for number in range(1, classes):
        bits[number] = bits[number - 1]
        places = rng.choice(policies, changing, replace=False)
        bits[number, places] = rng.integers(1, 1 << actions, changing)
    return bits


@for_each('actions', [1, 2, 5, 8])
@for_each('size', [(1, 40), (ANCHOR, 64), (3 * ANCHOR + 1, 500), (1500, 70)])
def test_adding_up_what_changes_from_class_to_class_gives_the_plain_sum(
        rng, monkeypatch, actions, size):
    need_kernel()
    monkeypatch.setattr(f'{MASS}.CHANGES_FROM', 0)
    monkeypatch.setattr(f'{MASS}.SMALL_ENTRIES', 0)
    monkeypatch.setattr(f'{MASS}.KERNEL_BLOCK_ENTRIES', 1)      # many parts
    monkeypatch.setattr(kernel, 'PARALLEL_FROM', 1)
    bits = walked_through(rng, *size, actions, changing=size[1] // 32)
    sums, probabilities = SetSums(bits, actions), rng.dirichlet(np.ones(size[1]))
    expected = plain_mass(unpack(bits, actions), probabilities)
    for threads in ('1', '3'):
        monkeypatch.setenv(kernel.THREADS, threads)
        assert sums._changes is not None
        np.testing.assert_allclose(sums.of_actions(probabilities), expected, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(sums.largest(probabilities), expected.max(axis=1), rtol=0.0,
                                   atol=1e-13)


def test_changes_are_not_used_where_there_are_many_or_where_sets_take_more_than_a_byte(
        rng, monkeypatch):
    need_kernel()
    monkeypatch.setattr(f'{MASS}.CHANGES_FROM', 0)
    bits = walked_through(rng, 200, 320, 4, changing=5)
    assert SetSums(bits, 4)._changes is not None
    assert SetSums(bits.astype(np.uint16), 9)._changes is None
    assert SetSums(bits[:, :31].copy(), 4)._changes is None     # no room for a single one
    assert SetSums(walked_through(rng, 200, 320, 4, changing=40), 4)._changes is None
    monkeypatch.setattr(f'{MASS}.CHANGES_FROM', bits.size + 1)
    assert SetSums(bits, 4)._changes is None


def test_sums_can_be_sent_to_another_process(rng):
    sets, _ = random_bits(rng, 20, 30, 4)
    probabilities = rng.dirichlet(np.ones(30))
    largest = sets.largest_mass(probabilities)
    again = pickle.loads(pickle.dumps(sets))
    assert again.largest_mass(probabilities).tobytes() == largest.tobytes()


@INVARIANT
@given(seed=SEEDS)
def test_live_policies_leave_out_at_most_what_is_negligible_and_no_more_policies_would_be(seed):
    rng = np.random.default_rng(seed)
    weights = 10.0 ** rng.uniform(-22, 0, int(rng.integers(1, 60)))
    probabilities = weights / weights.sum()
    live = live_policies(probabilities)
    dead = np.setdiff1d(np.arange(len(weights)), live)
    assert len(live) > 0
    assert (np.diff(live) > 0).all()
    assert probabilities[dead].sum() <= NEGLIGIBLE * (1.0 + 1e-12)
    assert probabilities[dead].max(initial=0.0) <= probabilities[live].min()
    assert probabilities[dead].sum() + probabilities[live].min() > NEGLIGIBLE


def test_of_equal_policies_all_are_live_however_many_there_are():
    assert len(live_policies(np.full(100_000, 1e-5))) == 100_000
    assert live_policies(np.array([1.0])).tolist() == [0]
    assert live_policies(np.array([0.0, 1.0, 0.0])).tolist() == [1]
    assert live_policies(np.array([1e-16, 0.5, 9e-16, 0.5])).tolist() == [1, 3]
    assert live_policies(np.array([2e-16, 0.5, 9e-16, 0.5])).tolist() == [1, 2, 3]


# ---- sets that use the memory they are given ----------------------------------------------------

@INVARIANT
@given(seed=SEEDS, block=st.sampled_from([1, 6, 1 << 15]))
def test_consuming_gives_the_same_as_copying(seed, block):
    rng = np.random.default_rng(seed)
    num_actions = int(rng.choice([2, 8, 9, 64]))
    bits = rng.integers(1, 3, (int(rng.integers(1, 60)), int(rng.integers(1, 6)))).astype(
        bits_dtype(num_actions))
    expected = GreedySets.from_state_bits(bits, num_actions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy_sets, 'MOVED_ENTRIES', block)
        found = GreedySets.consuming(bits.copy(), num_actions)
    np.testing.assert_array_equal(found.bits, expected.bits)
    np.testing.assert_array_equal(found.class_of_state, expected.class_of_state)
    assert found.bits.dtype == expected.bits.dtype
    assert found.bits.flags.owndata
    assert not found.bits.flags.writeable


def test_consuming_refuses_what_copying_refuses():
    with pytest.raises(InvalidHypothesesError, match='every greedy set must hold an action'):
        GreedySets.consuming(np.zeros((2, 2), dtype=np.uint8), 2)
    with pytest.raises(InvalidHypothesesError, match=r'greedy sets must hold actions 0 \.\. 1'):
        GreedySets.consuming(np.full((2, 2), 4, dtype=np.uint8), 2)


# ---- small print --------------------------------------------------------------------------------

def test_rounding_does_not_push_a_mass_out_of_zero_to_one():
    sets = GreedySets.from_sets([[{0}] * 3], 2)
    assert sets.optimal_mass(np.array([0.4, 0.4, 0.2 + 1e-15])).max() <= 1.0


@INVARIANT
@given(seed=SEEDS)
def test_the_binary_view_asks_every_action_of_every_state(seed):
    sets, lists = random_greedy_sets(seed)
    binary = sets.binary()
    assert (binary.num_actions, binary.num_policies) == (2, sets.num_policies)
    assert binary.num_states == sets.num_states * sets.num_actions
    assert binary.one_action_each
    for state, row in enumerate(lists):
        for action in range(sets.num_actions):
            yes = [action in actions for actions in row]
            told = binary.sets_at(state * sets.num_actions + action)
            assert told.tolist() == [0b01 if y else 0b10 for y in yes]


@for_each('num_actions', [2, 8, 9, 16, 17, 32, 33, 64])
def test_sets_of_many_actions_lose_none(num_actions):
    last = num_actions - 1
    everything = set(range(num_actions))
    sets = GreedySets.from_sets([[{last}, everything], [{0, last}, {0}]], num_actions)
    assert sets.bits.dtype.itemsize * 8 >= num_actions
    assert sets.bits.dtype.itemsize * 4 < max(num_actions, 5)
    assert sets.pattern_table.shape[1] == num_actions
    mass = sets.optimal_mass(np.array([0.5, 0.5]))
    assert mass[0, last] == 1.0
    assert mass[1].tolist() == [1.0] + [0.0] * (num_actions - 2) + [0.5]
    assert sets.binary().sets_at(last).tolist() == [0b01, 0b01]
    np.testing.assert_array_equal(pack(unpack(sets.bits, num_actions)), sets.bits)


@INVARIANT
@given(seed=SEEDS, num_actions=st.integers(1, 64))
def test_packing_undoes_unpacking(seed, num_actions):
    holds = np.random.default_rng(seed).random((3, 4, num_actions)) < 0.5
    bits = pack(holds)
    assert bits.dtype == np.uint64
    assert bits.shape == (3, 4)
    np.testing.assert_array_equal(unpack(bits, num_actions), holds)
    assert int(bits[0, 0]) == sum(1 << int(a) for a in np.flatnonzero(holds[0, 0]))


@INVARIANT
@given(seed=SEEDS)
def test_distinct_columns_are_found_in_their_order(seed):
    rng = np.random.default_rng(seed)
    bits = rng.integers(1, 3, (3, 12)).astype(np.uint8)
    first, kind = distinct_columns(bits)
    np.testing.assert_array_equal(bits[:, first][:, kind], bits)
    assert (np.diff(first) > 0).all()
    assert len(first) == len({tuple(column) for column in bits.T.tolist()})
    assert all(kind[column] == index for index, column in enumerate(first))


def test_sets_cannot_be_changed():
    sets = by_hand()
    for array in (sets.bits, sets.class_of_state):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 1


@for_each('shape', [(3,), (0, 2), (2, 0), (1, 1, 1)])
def test_bits_of_the_wrong_shape_are_refused(shape):
    with pytest.raises(InvalidHypothesesError, match=(
            r'greedy sets must have shape \(classes, policies\), got \(' + str(shape[0]))):
        GreedySets(np.ones(shape, dtype=np.uint8), np.array([0]), 2)


def test_an_empty_set_is_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            'every greedy set must hold an action: that of class 1, policy 0 is empty')):
        GreedySets(np.array([[1, 1], [0, 2], [0, 1]], dtype=np.uint8), np.arange(3), 2)


def test_an_action_that_does_not_exist_is_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            r'greedy sets must hold actions 0 \.\. 1, got the bits 101')):
        GreedySets(np.array([[1, 5]], dtype=np.uint8), np.array([0]), 2)


@for_each('action', [2, 8, 40])
def test_an_action_that_does_not_exist_is_refused_when_built_from_lists(action):
    with pytest.raises(InvalidHypothesesError, match=r'greedy sets must hold actions 0 \.\. 1'):
        GreedySets.from_sets([[{0, action}]], 2)


def test_bits_of_actions_that_do_not_exist_are_refused_when_built_from_states():
    with pytest.raises(InvalidHypothesesError, match=r'greedy sets must hold actions 0 \.\. 1'):
        GreedySets.from_state_bits(np.array([[1 | 1 << 8]], dtype=np.uint16), 2)


def test_classes_without_a_state_are_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            r'class_of_state must use every class 0 \.\. 1, got 1 different ones up to 0')):
        GreedySets(np.array([[1], [2]], dtype=np.uint8), np.array([0, 0]), 2)


def test_states_without_a_class_are_refused():
    with pytest.raises(InvalidHypothesesError, match=(
            r'class_of_state must use every class 0 \.\. 0, got 2 different ones up to 1')):
        GreedySets(np.array([[1]], dtype=np.uint8), np.array([0, 1]), 2)
    with pytest.raises(InvalidHypothesesError, match='got 0 different ones up to None'):
        GreedySets(np.array([[1]], dtype=np.uint8), np.array([], dtype=int), 2)


@for_each('bits', [
    np.asfortranarray(np.array([[1, 2, 3], [3, 2, 1]], dtype=np.uint8)),
    np.array([[1, 2, 3], [3, 2, 1]], dtype='>u2'), np.array([[1, 2, 3], [3, 2, 1]], dtype=int)])
@for_each('num_actions', [2, 20])
def test_sets_in_any_order_and_type_are_brought_into_ours(bits, num_actions):
    sets = GreedySets(bits, np.array([0, 1]), num_actions)
    mass = sets.optimal_mass(np.array([0.5, 0.25, 0.25]))
    np.testing.assert_allclose(mass[:, :2], [[0.75, 0.5], [0.75, 0.75]])
    assert (mass[:, 2:] == 0.0).all()


def test_sets_of_no_policy_are_refused():
    with pytest.raises(InvalidHypothesesError, match=r'shape \(classes, policies\), got \(1, 0\)'):
        GreedySets.from_state_bits(np.ones((2, 0), dtype=np.uint8), 2)
