from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from scipy import optimize
from worlds import random_sets, threshold_corridor, vote_cube

from gbs_irl_ros.core.errors import NotConvergedError
from gbs_irl_ros.core.planning.greedy_sets import GreedySets, unpack
from gbs_irl_ros.core.theory import coherence as module
from gbs_irl_ros.core.theory.coherence import Coherence, coherence

SEEDS = st.integers(0, 2**32 - 1)
INVARIANT = settings(deadline=None, derandomize=True, max_examples=25)


def value(sets, **options):
    """Return c* where it is known exactly."""
    result = coherence(sets, **options)
    assert result.exact
    assert result.lower <= result.upper
    return result.upper


def signs_of(sets, action):
    """Return h(x_i, a) as ``[D, N]``, the paper's way."""
    return np.where(unpack(sets.bits, sets.num_actions)[:, :, action].T, 1.0, -1.0)


def best_grid_mu(sets, steps):
    """Return max_a min_mu max_h over the measures mu whose entries are multiples of 1 / steps."""
    counts = np.array(np.meshgrid(*[np.arange(steps + 1)] * sets.num_classes)
                      ).reshape(sets.num_classes, -1)
    measures = counts[:, counts.sum(axis=0) == steps] / steps
    return max((signs_of(sets, action) @ measures).max(axis=0).min()
               for action in range(sets.num_actions))


# ---- closed forms -------------------------------------------------------------------------------

@for_each('length', [2, 3, 12])
def test_c_is_minus_one_where_each_action_is_ruled_out_somewhere(length):
    assert value(threshold_corridor(length).sets) == -1.0


def test_c_is_one_if_a_policy_always_takes_the_same_action():
    constant = [[{1}, {0}], [{1}, {1}], [{1}, {0}]]
    assert value(GreedySets.from_sets(constant, 2)) == 1.0


def test_c_is_one_if_a_policy_always_allows_an_action_among_others():
    assert value(GreedySets.from_sets([[{0, 1}, {0}], [{1, 2}, {2}], [{1}, {0}]], 3)) == 1.0


def test_c_of_two_opposite_policies_is_zero():
    # In either state each action is right for one policy: mu = (1/2, 1/2) gives 0.
    assert value(GreedySets.from_sets([[{0}, {1}], [{1}, {0}]], 2)) == pytest.approx(0.0, abs=1e-9)


def test_c_of_rock_paper_scissors_is_minus_one_third():
    # Each of three policies takes each of three actions once: mu uniform, (1 - 1 - 1) / 3.
    rows = [[{(state + policy) % 3} for policy in range(3)] for state in range(3)]
    assert value(GreedySets.from_sets(rows, 3)) == pytest.approx(-1.0 / 3.0)


def test_the_largest_action_counts():
    # Action 0 of the states: (+ -), (- +), value 0; action 1 holds in all states for policy 0.
    assert value(GreedySets.from_sets([[{0, 1}, {1}], [{1}, {0}]], 2)) == 1.0
    rows = [[{0, 1}, {1, 2}, {2, 0}], [{1, 2}, {2, 0}, {0, 1}], [{2, 0}, {0, 1}, {1, 2}]]
    assert value(GreedySets.from_sets(rows, 3)) == pytest.approx(1.0 / 3.0)
    mixed = [[{0, 1}, {0, 1}, {0, 2}], [{0, 1}, {0, 2}, {0, 1}], [{1, 2}, {0, 1}, {0, 1}]]
    assert value(GreedySets.from_sets(mixed, 3)) == 1.0


@for_each(('num_policies', 'votes', 'expected'), [
    (3, (1, 2), -1 / 3), (4, (1, 2, 3), -1 / 2), (5, (2, 3), -1 / 5), (5, (3, 4), 1 / 5),
    (6, (4, 5), 1 / 3), (6, (1, 2), 1 / 3), (4, (2, 3), 0.0)])
def test_c_of_a_vote_cube_is_the_surplus_of_the_closest_vote(num_policies, votes, expected):
    assert value(vote_cube(num_policies, votes).sets) == pytest.approx(expected, abs=1e-9)


# ---- the formula --------------------------------------------------------------------------------

@INVARIANT
@given(seed=SEEDS)
def test_c_is_never_above_the_best_of_many_measures_nor_far_below(seed):
    rng = np.random.default_rng(seed)
    sets = GreedySets.from_sets(
        random_sets(rng, 4, int(rng.integers(1, 5)), 3, single=bool(rng.integers(2))), 3)
    steps, result = 12, value(sets)
    by_trying = best_grid_mu(sets, steps)
    assert result <= by_trying + 1e-9
    assert result >= by_trying - 2.0 * sets.num_classes / steps


@INVARIANT
@given(seed=SEEDS)
def test_no_mixture_of_policies_beats_c(seed):
    # The other player's side of each game: min_i of a mixture of policies is at most the value.
    rng = np.random.default_rng(seed)
    sets = GreedySets.from_sets(random_sets(rng, 6, 5, 3, single=False), 3)
    result = value(sets)
    mixtures = rng.dirichlet(np.ones(sets.num_policies), 200)
    for action in range(3):
        assert ((mixtures @ signs_of(sets, action)).min(axis=1) <= result + 1e-9).all()


# ---- growing the game ---------------------------------------------------------------------------

def random_game(seed, size=12):
    rng = np.random.default_rng(seed)
    num_actions = int(rng.integers(2, 4))
    return GreedySets.from_sets(
        random_sets(rng, int(rng.integers(2, size)), int(rng.integers(2, size)), num_actions,
                    single=bool(rng.integers(2)) or num_actions == 2), num_actions)


@INVARIANT
@given(seed=SEEDS)
def test_a_grown_game_has_the_value_of_the_whole_one(seed):
    sets = random_game(seed)
    exact = value(sets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, 'SMALL_GAME', 0)
        grown = coherence(sets)
    assert grown.upper - grown.lower <= 1e-6 + 1e-12
    assert grown.lower - 1e-9 <= exact <= grown.upper + 1e-9


@pytest.mark.slow
@for_each('replies', [1, 2, 8])
@for_each('max_rounds', [0, 1, 2, 4])
def test_a_search_that_is_stopped_early_still_holds_the_value(monkeypatch, max_rounds, replies):
    sets = GreedySets.from_sets(
        random_sets(np.random.default_rng(8), 40, 40, 3, single=False), 3)
    exact = value(sets)
    monkeypatch.setattr(module, 'SMALL_GAME', 0)
    monkeypatch.setattr(module, 'REPLIES_PER_ROUND', replies)
    early = coherence(sets, max_rounds=max_rounds)
    assert -1.0 <= early.lower <= exact + 1e-9
    assert exact - 1e-9 <= early.upper <= 1.0
    assert not early.exact


def test_more_rounds_never_widen_the_interval(monkeypatch):
    sets = GreedySets.from_sets(random_sets(np.random.default_rng(9), 40, 40, 2), 2)
    monkeypatch.setattr(module, 'SMALL_GAME', 0)
    found = [coherence(sets, max_rounds=rounds) for rounds in range(6)]
    assert found[0] == Coherence(-1.0, 1.0)
    for before, after in pairwise(found):
        assert before.lower - 1e-9 <= after.lower
        assert after.upper <= before.upper + 1e-9
    assert found[-1].upper - found[-1].lower < 1.0


def test_the_search_stops_at_the_tolerance(monkeypatch):
    sets = GreedySets.from_sets(random_sets(np.random.default_rng(10), 60, 60, 2), 2)
    exact = value(sets)
    monkeypatch.setattr(module, 'SMALL_GAME', 0)
    calls = []
    solve_game = module._solve_game
    monkeypatch.setattr(module, '_solve_game',
                        lambda game: calls.append(game.shape) or solve_game(game))
    rough = coherence(sets, tolerance=0.3)
    needed = len(calls)
    coherence(sets)
    assert rough.lower - 1e-9 <= exact <= rough.upper + 1e-9
    assert rough.upper - rough.lower <= 0.3
    assert needed < len(calls) - needed


def test_the_best_replies_come_first(monkeypatch):
    # 12 classes need no more than 12 of 400 policies; taking any eight at a time needs 50 rounds.
    sets = GreedySets.from_sets(random_sets(np.random.default_rng(11), 12, 400, 3), 3)
    exact = value(sets)
    monkeypatch.setattr(module, 'SMALL_GAME', 0)
    assert value(sets, max_rounds=20) == pytest.approx(exact, abs=1e-6)


# ---- words --------------------------------------------------------------------------------------

def test_a_coherence_is_printed_as_a_number_or_an_interval():
    assert str(Coherence(0.25, 0.25)) == '0.25'
    assert str(Coherence(0.25, 0.25 + 1e-6)) == '0.25'
    assert str(Coherence(-0.5, 0.25)) == 'in [-0.5, 0.25]'
    assert not Coherence(0.25, 0.26).exact


def test_a_linear_program_that_fails_is_an_error(monkeypatch):
    failed = SimpleNamespace(status=4, message='numbers went astray')
    monkeypatch.setattr(optimize, 'linprog', lambda **options: failed)
    with pytest.raises(NotConvergedError,
                       match=r'the linear program for c\* failed: numbers went astray'):
        coherence(GreedySets.from_sets([[{0}, {1}], [{1}, {0}]], 2))
