"""Proofs of greedy sets: that they hold, that they notice what is wrong, and what they admit."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from worlds import corridor, random_mdp

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import certificate
from gbs_irl_ros.core.planning.certificate import SetCertificate, certify_sets
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.rewards import Rewards


def problems(rng):
    """Yield worlds with rewards of one sign, of both, on actions, and none at all in places."""
    for discount in (0.0, 0.5, 0.95, 0.999):
        mdp = random_mdp(rng, 20, 3, 2, discount)
        yield mdp, Rewards.from_dense(rng.normal(size=(6, 20)), 3)
        yield mdp, Rewards.from_dense(rng.random((6, 20)) * (rng.random((6, 20)) < 0.2), 3)
        yield mdp, Rewards.from_dense(-rng.random((6, 20)) * (rng.random((6, 20)) < 0.2), 3)
        yield mdp, Rewards.from_dense(rng.integers(-1, 2, (6, 20, 3)), 3)
    yield corridor(300), Rewards.goals(corridor(300), [0, 150, 299])


def test_sets_of_many_kinds_of_problem_are_proved(rng):
    for mdp, rewards in problems(rng):
        bits = solve(mdp, rewards).greedy_bits
        found = certify_sets(mdp, rewards, bits)
        assert found == SetCertificate(mdp.num_actions * bits.size, 0, 0), (mdp, rewards)
        assert found.is_proof


def test_every_wrong_bit_is_refuted(rng):
    for mdp, rewards in problems(rng):
        bits = solve(mdp, rewards).greedy_bits.copy()
        for _ in range(3):
            bits[rng.integers(len(bits)), rng.integers(bits.shape[1])] ^= 1
        right = solve(mdp, rewards).greedy_bits
        found = certify_sets(mdp, rewards, bits)
        assert found.refuted == (bits != right).sum() > 0
        assert not found.is_proof


def test_a_gap_as_large_as_the_tolerance_is_undecided():
    """Two ways to 1, one of them worse by a share of its value."""
    for share, expected in ((1e-11, 0), (1e-8, 1), (1e-5, 0)):
        mdp = Mdp.from_successors(np.array([[1, 2], [1, 1], [2, 2]]), 0.5)
        rewards = Rewards.from_dense(np.array([[0.0, 1.0, 1.0 - share]]), 2)
        bits = solve(mdp, rewards).greedy_bits
        assert certify_sets(mdp, rewards, bits).undecided == expected


def test_values_that_are_too_rough_leave_pairs_undecided_and_none_refuted(rng, monkeypatch):
    mdp = random_mdp(rng, 20, 3, 2, 0.95)
    rewards = Rewards.from_dense(rng.integers(0, 2, (6, 20)), 3)
    bits, exact = solve(mdp, rewards).greedy_bits, certificate._values
    for error, decided in ((1e-12, True), (1.0, False)):
        def rough(mdp, rewards, error=error):
            found = exact(mdp, rewards)
            return found + error * rng.random(found.shape) * found.max()

        monkeypatch.setattr(certificate, '_values', rough)
        found = certify_sets(mdp, rewards, bits)
        assert found.refuted == 0
        assert (found.undecided == 0) == decided


def test_bounds_that_do_not_hold_prove_nothing(rng, monkeypatch):
    mdp = random_mdp(rng, 20, 3, 2, 0.95)
    rewards = Rewards.from_dense(rng.random((6, 20)), 3)
    bits = solve(mdp, rewards).greedy_bits
    plain = certificate._values
    monkeypatch.setattr(certificate, '_values', lambda mdp, rewards: plain(mdp, rewards) * (
        0.5 if rewards.dense().max() < 1e-6 else 1.0))
    assert certify_sets(mdp, rewards, bits) == SetCertificate(3 * bits.size, 3 * bits.size, 0)


def test_blocks_change_nothing(rng, monkeypatch):
    mdp, rewards = next(problems(rng))
    bits = solve(mdp, rewards).greedy_bits
    whole = certify_sets(mdp, rewards, bits)
    monkeypatch.setattr(certificate, 'BLOCK_ENTRIES', 1)
    assert certify_sets(mdp, rewards, bits) == whole


def test_sets_around_what_must_never_be_entered_are_proved_among_what_is_allowed():
    left, right = np.maximum(np.arange(6) - 1, 0), np.minimum(np.arange(6) + 1, 5)
    mdp = Mdp.from_successors(np.stack([left, right, np.arange(6)], axis=1), 0.9)
    rewards = Rewards.goals(mdp, [5, 0])
    rows = sparse.csr_matrix(([1.0], ([0], [2])), shape=(2, 6))
    goals = sparse.csr_matrix(np.eye(6)[[5, 0]])
    never = Never(rows, goals)
    bits = solve(mdp, rewards, never=never).greedy_bits
    found = certify_sets(mdp, rewards, bits, never)
    assert found.is_proof
    assert found.pairs < 2 * 6 * 3      # what is not allowed needs no proof
    bits = bits.copy()
    bits[4, 0] ^= 2
    assert certify_sets(mdp, rewards, bits, never).refuted == 1
