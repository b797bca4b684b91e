from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from worlds import LEFT, RIGHT, corridor, grid, random_mdp

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.metrics import ValueLossMeter, policy_accuracy
from gbs_irl_ros.core.planning.greedy_sets import pack, unpack
from gbs_irl_ros.core.planning.solver import evaluate
from gbs_irl_ros.core.policy import Policy

SEEDS = st.integers(0, 2**32 - 1)
BOTH = 1 << LEFT | 1 << RIGHT


def policy_of(bits, num_actions=2):
    bits = np.array(bits, dtype=np.uint64)
    return Policy(bits, np.ones(len(bits)), np.array([], dtype=int), num_actions)


# ---- accuracy -----------------------------------------------------------------------------------

@for_each(('chosen', 'right', 'expected'), [
    ([0b001, 0b010], [0b001, 0b010], 1.0),
    ([0b001, 0b010], [0b010, 0b001], 0.0),
    ([0b001, 0b010], [0b011, 0b001], 0.5),
    ([0b011, 0b010], [0b001, 0b010], 0.75),             # half of the first state's actions
    ([0b111, 0b111], [0b001, 0b011], 0.5),              # (1/3 + 2/3) / 2
    ([0b001, 0b001], [0b111, 0b111], 1.0)])             # one of several optimal ones is enough
def test_accuracy_is_the_mean_share_of_optimal_actions(chosen, right, expected):
    assert policy_accuracy(policy_of(chosen, 3), np.array(right)) == pytest.approx(expected)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seed=SEEDS, num_actions=st.sampled_from([2, 8, 9, 64]))
def test_accuracy_agrees_with_counting(seed, num_actions):
    rng = np.random.default_rng(seed)
    chosen, right = rng.random((2, 7, num_actions)) < 0.5
    chosen[:, 0] = right[:, -1] = True
    shares = [len(set(np.flatnonzero(c)) & set(np.flatnonzero(r))) / c.sum()
              for c, r in zip(chosen, right, strict=True)]
    assert policy_accuracy(policy_of(pack(chosen), num_actions), pack(right)) == pytest.approx(
        np.mean(shares))


# ---- value loss ---------------------------------------------------------------------------------

def test_loss_in_two_states_by_hand():
    # State 1 pays 1 and discount is 1/2. Staying there is worth 2, going there 1; V* = (1, 2).
    mdp = Mdp.from_successors(np.array([[0, 1], [0, 1]]), 0.5)
    meter = ValueLossMeter(mdp, np.array([0.0, 1.0]))
    np.testing.assert_allclose(meter.optimal_values, [1.0, 2.0])
    assert meter.optimal_sets.tolist() == [0b10, 0b10]
    worst = meter.loss(policy_of([0b01, 0b01]))         # V = (0, 1): loses 1 in both
    assert worst.absolute == pytest.approx(1.0)
    # Chance is in either state half of the time: V = (1/2, 3/2), so it loses 1/2.
    assert worst.relative == pytest.approx(2.0)
    swap = meter.loss(policy_of([0b10, 0b01]))          # V(0) = V(1) / 2, V(1) = 1 + V(0) / 2
    assert swap.absolute == pytest.approx(((1 - 2 / 3) + (2 - 4 / 3)) / 2)


def test_loss_in_a_corridor_by_hand():
    # Goal at the right end of three states; LEFT for ever never arrives.
    meter = ValueLossMeter(corridor(3), np.array([0.0, 0.0, 1.0]))
    loss = meter.loss(policy_of([1 << LEFT] * 3))
    assert loss.absolute == pytest.approx((8.1 + 9.0 + (10.0 - 1.0)) / 3)


@pytest.mark.parametrize('per_action', [False, True])
def test_the_optimal_policy_loses_nothing_and_chance_everything(rng, per_action):
    mdp = random_mdp(rng, 12, 3)
    meter = ValueLossMeter(mdp, rng.normal(size=(12, 3) if per_action else 12))
    best = meter.loss(policy_of(meter.optimal_sets, 3))
    assert best.absolute == pytest.approx(0.0, abs=1e-12)
    assert best.relative == pytest.approx(0.0, abs=1e-12)
    assert meter.loss(policy_of([0b111] * 12, 3)).relative == pytest.approx(1.0)
    assert policy_accuracy(policy_of(meter.optimal_sets, 3), meter.optimal_sets) == 1.0


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seed=SEEDS, successors=st.sampled_from([1, 3]))
def test_loss_is_the_mean_difference_of_values(seed, successors):
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, 6, 3, successors)
    reward = rng.normal(size=6)
    meter = ValueLossMeter(mdp, reward)
    bits = rng.integers(1, 8, 6)
    holds = unpack(bits, 3)
    values = evaluate(mdp, reward, holds / holds.sum(axis=1, keepdims=True))
    chance = evaluate(mdp, reward, np.full((6, 3), 1 / 3))
    loss = meter.loss(policy_of(bits, 3))
    assert loss.absolute >= 0.0
    assert loss.absolute == pytest.approx((meter.optimal_values - values).mean(), abs=1e-12)
    assert loss.relative == pytest.approx(
        loss.absolute / (meter.optimal_values - chance).mean(), rel=1e-9)


def test_any_one_of_several_optimal_actions_loses_nothing():
    meter = ValueLossMeter(grid(4, 3), np.eye(12)[3])
    holds = unpack(meter.optimal_sets, 4)
    assert (holds.sum(axis=1) > 1).any()
    one = pack(holds & (np.cumsum(holds, axis=1) == 1))
    assert meter.loss(policy_of(one, 4)).absolute == pytest.approx(0.0, abs=1e-12)


def test_where_chance_loses_nothing_the_relative_loss_is_zero():
    meter = ValueLossMeter(corridor(3), np.ones(3))
    loss = meter.loss(policy_of([1 << LEFT, BOTH, 1 << RIGHT]))
    assert loss.absolute == pytest.approx(0.0, abs=1e-12)
    assert loss.relative == 0.0
