"""The kernel's sweeps against policy iteration in numpy, which solves every system exactly."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from kernel_help import assert_same, need_kernel, shuffled_chain, side_by_side, solved_by
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from worlds import corridor, grid, random_mdp, random_rewards, slippery_grid

from gbs_irl_ros.core.errors import InvalidRewardsError, VanishingValuesError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel, kernel_planner
from gbs_irl_ros.core.rewards import Rewards

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=20)
DISCOUNTS = [0.0, 0.5, 0.95, 0.999, 0.9999]
RANDOM_DISCOUNTS = [0.0, 0.5, 0.95, 0.999]
KINDS = [pytest.param(*kind, id=', '.join(kind)) for kind in product(
    ('deterministic', 'random'), ('per state', 'per action'), ('one sign', 'mixed signs'),
    ('plain', 'features'))]


@pytest.fixture(autouse=True)
def _kernel_is_there(request):
    if 'planner' not in request.fixturenames:
        need_kernel()


def random_numbers(rng, shape, signs, few):
    """
    Rewards of one sign or of both.

    few: of few different numbers, so that there are many ties.
    """
    if few:
        numbers = rng.integers(-1 if signs == 'mixed signs' else 0, 3, shape).astype(float)
    else:
        numbers = rng.normal(size=shape) if signs == 'mixed signs' else 1.0 - rng.random(shape)
    return numbers


def rewards_of(rng, mdp, count, *, actions='per state', signs='one sign', form='plain'):
    """
    Return so many rewards, in most worlds of few numbers as often as not.

    At a discount of 0.9999 two orders of the rewards 1 and 0 differ by 1e-8 of the values, which
    is what still counts as a tie: there rounding would decide.
    """
    few = mdp.discount < 0.9999 and rng.random() < 0.6
    shape = (mdp.num_states,) if actions == 'per state' else (mdp.num_states, mdp.num_actions)
    turn = -1.0 if signs == 'one sign' and rng.random() < 0.3 else 1.0
    if form == 'plain':
        dense = turn * random_numbers(rng, (count, *shape), signs, few)
        return Rewards.from_dense(dense, mdp.num_actions)
    features = random_numbers(rng, (3, *shape), signs, few).reshape(3, -1)
    weights = turn * random_numbers(rng, (count, 3), 'one sign', few)
    return Rewards(sparse.csr_matrix(weights), mdp.num_states, mdp.num_actions,
                   per_action=actions == 'per action', features=sparse.csr_matrix(features))


def agree(mdp, rewards, rtol=1e-9):
    expected = solved_by('numpy', mdp, rewards)
    assert_same(solved_by('sweeps', mdp, rewards), expected, rtol)
    return expected


# ---- against policy iteration -------------------------------------------------------------------

@pytest.mark.slow
@for_each(('moves', 'actions', 'signs', 'form'), KINDS)
@INVARIANT
@given(seed=SEEDS)
def test_sweeps_agree_with_policy_iteration(moves, actions, signs, form, seed):
    rng = np.random.default_rng(seed)
    exact = moves == 'deterministic'
    mdp = random_mdp(rng, int(rng.integers(1, 40)), int(rng.integers(1, 5)),
                     1 if exact else int(rng.integers(2, 4)),
                     float(rng.choice(DISCOUNTS if exact else RANDOM_DISCOUNTS)))
    agree(mdp, rewards_of(rng, mdp, int(rng.integers(1, 10)), actions=actions, signs=signs,
                          form=form))


@for_each('count', range(1, 10))
@for_each('successors', [1, 3])
def test_rewards_that_fill_no_whole_lanes_are_solved_too(rng, count, successors):
    mdp = random_mdp(rng, 25, 3, successors, 0.95)
    rewards = rewards_of(rng, mdp, 9, signs='mixed signs')
    whole = solved_by('sweeps', mdp, rewards)
    part = solved_by('sweeps', mdp, rewards.rows(np.arange(count)))
    np.testing.assert_array_equal(part.greedy_bits, whole.greedy_bits[:, :count])
    np.testing.assert_allclose(part.values, whole.values[:count], rtol=1e-11, atol=1e-12)
    agree(mdp, rewards.rows(np.arange(count)))


@for_each('discount', DISCOUNTS)
@for_each('actions', [1, 2, 64])
def test_one_state_with_any_number_of_actions(rng, discount, actions):
    mdp = Mdp.from_successors(np.zeros((1, actions), dtype=int), discount)
    dense = rng.integers(-1, 2, (6, 1, actions)).astype(float)
    found = solved_by('sweeps', mdp, Rewards.from_dense(dense, actions))
    np.testing.assert_allclose(found.values[:, 0], dense.max(axis=(1, 2)) / (1.0 - discount),
                               rtol=1e-12)
    for reward in range(6):
        best = dense[reward, 0] == dense[reward].max()
        assert int(found.greedy_bits[0, reward]) == sum(1 << int(a) for a in np.flatnonzero(best))


@for_each('actions', [7, 8, 9, 16, 17, 32, 33, 63, 64])
@for_each('successors', [1, 2])
def test_greedy_sets_of_many_actions_fit_into_their_words(rng, actions, successors):
    mdp = random_mdp(rng, 9, actions, successors, 0.9)
    solution = agree(mdp, rewards_of(rng, mdp, 5, actions='per action'))
    assert solution.greedy_bits.max() >> np.uint64(actions - 1) <= 1


@for_each('discount', DISCOUNTS)
@for_each('slip', [0.0, 0.3])
def test_chains_numbered_at_random(rng, discount, slip):
    mdp = shuffled_chain(rng, 60, discount, slip)
    agree(mdp, random_rewards(rng, mdp, 5, 3))
    agree(mdp, rewards_of(rng, mdp, 5, signs='mixed signs'))


@for_each(('discount', 'successors'), [
    *((discount, 1) for discount in DISCOUNTS), *((discount, 3) for discount in RANDOM_DISCOUNTS)])
@for_each('signs', ['one sign', 'mixed signs'])
def test_worlds_that_fall_apart(rng, discount, successors, signs):
    mdp = side_by_side([random_mdp(rng, size, 3, min(successors, size), discount)
                        for size in (1, 12, 2, 9, 1)])
    rewards = rewards_of(rng, mdp, 6, signs=signs)
    agree(mdp, rewards)
    only_one_pays = rewards.dense()
    only_one_pays[:, 13:] = 0.0
    solution = agree(mdp, Rewards.from_dense(only_one_pays, 3))
    assert (solution.values[:, 13:] == 0.0).all()
    assert (solution.greedy_bits[13:] == 0b111).all()


@for_each('discount', DISCOUNTS)
def test_where_every_action_stays_values_are_geometric_series(discount):
    mdp = Mdp.from_successors(np.tile(np.arange(5)[:, np.newaxis], 3), discount)
    dense = np.array([[0.0, 1.0, -2.0, 3.0, 0.5]])
    solution = solved_by('sweeps', mdp, Rewards.from_dense(dense, 3))
    np.testing.assert_allclose(solution.values, dense / (1.0 - discount), rtol=1e-14)
    assert (solution.greedy_bits == 0b111).all()


@for_each('discount', DISCOUNTS)
@for_each('world', [grid, slippery_grid])
def test_staying_is_an_action_of_every_state(rng, discount, world):
    moves = world(6, 5, discount)
    matrices = [moves.transitions[action::4] for action in range(4)] + [sparse.identity(30)]
    mdp = Mdp.from_action_matrices([sparse.csr_matrix(m) for m in matrices], discount)
    agree(mdp, rewards_of(rng, mdp, 5))
    agree(mdp, rewards_of(rng, mdp, 5, signs='mixed signs'))


@for_each('discount', [0.5, 0.95, 0.999])
@for_each('world', [grid, slippery_grid])
def test_grids_are_full_of_ties(rng, discount, world):
    mdp = world(9, 8, discount)
    solution = agree(mdp, Rewards.from_dense(rng.integers(0, 2, (7, 72)).astype(float), 4))
    assert (solution.greedy_bits & (solution.greedy_bits - 1) > 0).mean() > 0.1
    agree(mdp, random_rewards(rng, mdp, 7, 2))


@for_each('unit', [1e-300, 1e-200, 1e-9, 1e200, 1e298])
@for_each('successors', [1, 3])
def test_rewards_of_any_size(rng, unit, successors):
    mdp = random_mdp(rng, 20, 3, successors, 0.95)
    dense = rng.integers(-1, 3, (6, 20)).astype(float)
    plain = solved_by('sweeps', mdp, Rewards.from_dense(dense, 3))
    scaled = solved_by('sweeps', mdp, Rewards.from_dense(dense * unit, 3))
    np.testing.assert_array_equal(scaled.greedy_bits, plain.greedy_bits)
    np.testing.assert_allclose(scaled.values / unit, plain.values, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize('successors', [1, 3])
def test_rewards_of_very_different_sizes_share_their_lanes(rng, successors):
    mdp = random_mdp(rng, 20, 3, successors, 0.95)
    units = np.array([1e-200, 1.0, 1e200, 0.0, 1e-30])
    dense = rng.integers(-1, 3, (5, 20)) * units[:, np.newaxis]
    solution = agree(mdp, Rewards.from_dense(dense, 3))
    assert (solution.greedy_bits[:, 3] == 0b111).all()
    assert (solution.values[3] == 0.0).all()


@for_each('successors', [1, 3])
@for_each('count', [1, 4, 5])
def test_no_reward_at_all_makes_every_action_optimal(rng, successors, count):
    mdp = random_mdp(rng, 12, 5, successors, 0.99)
    solution = solved_by('sweeps', mdp, Rewards(sparse.csr_matrix((count, 12)), 12, 5))
    assert (solution.greedy_bits == 0b11111).all()
    assert (solution.values == 0.0).all()


# ---- a start other than zero --------------------------------------------------------------------

@for_each(('discount', 'successors'), [
    *((discount, 1) for discount in DISCOUNTS), (0.0, 3), (0.5, 3), (0.95, 3)])
@for_each('signs', ['one sign', 'mixed signs'])
def test_any_start_leads_to_the_same(rng, discount, successors, signs):
    mdp = random_mdp(rng, 40, 3, successors, discount)
    rewards = rewards_of(rng, mdp, 4, signs=signs)
    expected = solved_by('numpy', mdp, rewards)
    for initial in (expected.values[0], np.zeros(40), np.full(40, 1e6), np.full(40, -1e6),
                    rng.normal(size=40), 1e3 * rng.normal(size=40)):
        assert_same(solved_by('sweeps', mdp, rewards, initial=initial), expected, 1e-8)


def test_a_start_near_the_end_saves_sweeps(rng):
    mdp = random_mdp(rng, 300, 4, 3, 0.99)
    one = rng.random(300)
    near = Rewards.from_dense(one + 1e-6 * rng.random((4, 300)), 4)
    known = solved_by('sweeps', mdp, Rewards.from_dense(one[np.newaxis], 4)).values[0]
    cold, warm = (solved_by('sweeps', mdp, near, initial=initial) for initial in (None, known))
    assert warm.num_updates.sum() < 0.7 * cold.num_updates.sum()


# ---- strongly connected components --------------------------------------------------------------

def graph_of(mdp):
    """Return ``[S, S]``, where each state may lead."""
    one_row = sparse.kron(sparse.identity(mdp.num_states), np.ones((1, mdp.num_actions)))
    return sparse.csr_matrix(one_row @ mdp.transitions)


def worlds_with_components(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 60))
    yield random_mdp(rng, size, int(rng.integers(1, 3)), int(rng.integers(1, min(size, 2) + 1)))
    yield shuffled_chain(rng, size, 0.9)
    one_way = np.minimum(np.arange(size)[:, np.newaxis] + rng.integers(0, 3, (size, 2)), size - 1)
    order = rng.permutation(size)
    yield Mdp.from_successors(order[one_way[np.argsort(order)]], 0.9)
    yield side_by_side([random_mdp(rng, n, 2, 1) for n in rng.integers(1, 9, 4)])


@pytest.mark.slow
@INVARIANT
@given(seed=SEEDS)
def test_components_are_those_of_scipy_and_come_after_all_they_lead_to(seed):
    for mdp in worlds_with_components(seed):
        starts, order = kernel_planner._sweep_order(mdp)
        assert sorted(order.tolist()) == list(range(mdp.num_states))
        assert starts[0] == 0
        assert starts[-1] == mdp.num_states
        assert (np.diff(starts) > 0).all()
        component = np.empty(mdp.num_states, dtype=int)
        component[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        count, expected = connected_components(graph_of(mdp), connection='strong')
        assert count == len(starts) - 1
        assert len(set(zip(component, expected, strict=True))) == count
        edges = graph_of(mdp).tocoo()
        assert (component[edges.row] >= component[edges.col]).all()


def test_a_path_of_100_000_states_needs_no_stack(rng):
    size = 100_000
    mdp = Mdp.from_successors(np.minimum(np.arange(size)[:, np.newaxis] + [1, 1], size - 1), 0.9)
    starts, order = kernel_planner._sweep_order(mdp)
    assert order.tolist() == list(range(size))[::-1]
    assert len(starts) == size + 1
    dense = sparse.csr_matrix(np.ones((1, size)))
    solution = solved_by('sweeps', mdp, Rewards(dense, size, 2))
    np.testing.assert_allclose(solution.values, 10.0, rtol=1e-12)
    assert solution.num_updates[0] <= 2 * size


# ---- sweeps that do not suffice -----------------------------------------------------------------

@pytest.mark.slow
@for_each('sweeps', [1, 2, 7])
@for_each('between', [1, 5, 200])
@for_each('successors', [1, 3])
@for_each('signs', ['one sign', 'mixed signs'])
def test_sweeps_that_run_out_are_finished_by_exact_evaluation(
        monkeypatch, rng, sweeps, between, successors, signs):
    mdp = random_mdp(rng, 50, 3, successors, 0.99)
    rewards = rewards_of(rng, mdp, 6, signs=signs)
    expected = solved_by('numpy', mdp, rewards)
    monkeypatch.setattr(kernel_planner, 'MAX_SWEEPS', sweeps)
    monkeypatch.setattr(kernel_planner, 'SWEEPS_BETWEEN', between)
    found = solved_by('sweeps', mdp, rewards)
    assert_same(found, expected)
    assert found.num_rounds.max() < 50
    if between == 1:
        assert found.num_rounds.max() > 0


@pytest.mark.parametrize('world', [grid, slippery_grid])
def test_exact_evaluation_ends_among_ties(monkeypatch, rng, world):
    mdp = world(7, 7, 0.999)
    rewards = Rewards.from_dense(rng.integers(0, 2, (6, 49)).astype(float), 4)
    expected = solved_by('numpy', mdp, rewards)
    monkeypatch.setattr(kernel_planner, 'MAX_SWEEPS', 1)
    found = solved_by('sweeps', mdp, rewards)
    assert_same(found, expected)
    assert found.num_rounds.max() < 50


@pytest.mark.parametrize('successors', [1, 3])
def test_without_rounds_what_sweeps_have_not_solved_has_not_converged(
        monkeypatch, rng, successors):
    monkeypatch.setattr(kernel_planner, 'MAX_SWEEPS', 1)
    mdp = random_mdp(rng, 50, 3, successors, 0.99)
    dense = rng.random((3, 50))
    dense[1] = 0.0
    solution = solved_by('sweeps', mdp, Rewards.from_dense(dense, 3), max_rounds=0)
    assert solution.converged.tolist() == [False, True, False]
    assert (solution.num_rounds == 0).all()


def test_a_discount_near_one_costs_few_sweeps_of_a_deterministic_world(rng):
    mdp = random_mdp(rng, 200, 3, 1, 0.9999)
    solution = solved_by('sweeps', mdp, rewards_of(rng, mdp, 8))
    assert (solution.num_updates < 60 * 200).all()
    assert (solution.num_rounds == 0).all()


# ---- bad input ----------------------------------------------------------------------------------

@pytest.fixture(params=['sweeps', 'numpy'])
def planner(request):
    if request.param == 'sweeps':
        need_kernel()
    return request.param


@pytest.mark.slow
def test_values_too_small_to_compare_are_refused(planner):
    length = 15_000         # 0.95 ** 7_500 of a reward at each end is 1e-167; of 14_000, 1e-312
    dense = np.zeros((2, length))
    dense[0, 5:] = 1.0
    dense[1, [0, 1]] = 1.0, 2.0
    with pytest.raises(VanishingValuesError, match=(
            r'the values of reward 1 vanish at state \d+: it is so far from every entry that '
            r'discount 0\.95 leaves less than 1e-280 of them, too little to compare actions; use '
            'a discount nearer to 1, or a smaller world')):
        solved_by(planner, corridor(length, 0.95), Rewards.from_dense(dense, 2))


def test_values_small_but_large_enough_are_compared(planner):
    length = 12_000         # 0.95 ** 12_000 = 1e-267
    dense = np.zeros((1, length))
    dense[0, [0, 1]] = 1.0, 1e-3
    solution = solved_by(planner, corridor(length, 0.95), Rewards.from_dense(dense, 2))
    assert (solution.greedy_bits == 0b01).all()
    assert 0.0 < solution.values.min() < 1e-260


@pytest.mark.slow
def test_values_that_vanish_beside_states_without_any_value_are_still_refused(planner):
    # Of 50,000 states most have the value 0 exactly, by underflow; those between tell of it.
    dense = np.zeros((1, 50_000))
    dense[0, [0, 1]] = 1.0
    with pytest.raises(VanishingValuesError, match='the values of reward 0 vanish at state'):
        solved_by(planner, corridor(50_000, 0.95), Rewards.from_dense(dense, 2))


@for_each('number', [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_do_not_get_as_far_as_the_kernel(monkeypatch, number):
    monkeypatch.setattr(kernel, 'call', None)
    dense = np.ones((2, 5))
    dense[1, 3] = number
    with pytest.raises(InvalidRewardsError, match=(
            f'weights must be finite: row 1, column 3 is {number}')):
        solved_by('sweeps', corridor(5), Rewards.from_dense(dense, 2))


@for_each('discount', [0.95, 0.9999])
@for_each('slip', [0.0, 0.3])
def test_policy_iteration_in_numpy_ends_on_long_chains(rng, discount, slip):
    need_nothing = shuffled_chain(rng, 400, discount, slip)
    dense = np.zeros((4, 400))
    for row in dense:
        row[rng.choice(400, 4, replace=False)] = rng.integers(1, 5, 4)
    solution = solved_by('numpy', need_nothing, Rewards.from_dense(dense, 2), max_rounds=200)
    assert solution.converged.all()
