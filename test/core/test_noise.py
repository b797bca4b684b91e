"""How a teacher errs."""

from __future__ import annotations

import re

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from worlds import random_sets

from gbs_irl_ros.core.errors import GbsIrlError, InvalidNoiseError
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning.greedy_sets import GreedySets

MODEST = settings(deadline=None, derandomize=True, max_examples=40)
NESTED = GreedySets.from_sets([[{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}]], 4)
SINGLE = GreedySets.from_sets([[{0}, {1}, {3}], [{3}, {2}, {3}]], 4)


def test_the_exact_likelihood_shares_by_the_size_of_the_set():
    table = NoiseModel(0.9, likelihood=Likelihood.EXACT).answer_table(NESTED, 0.9)
    np.testing.assert_allclose(table, [
        [0.9, 0.1 / 3, 0.1 / 3, 0.1 / 3], [0.45, 0.45, 0.05, 0.05], [0.3, 0.3, 0.3, 0.1],
        [0.25, 0.25, 0.25, 0.25]], rtol=1e-14)


def test_the_aggregated_likelihood_looks_at_membership_alone():
    table = NoiseModel(0.9, likelihood=Likelihood.AGGREGATED).answer_table(NESTED, 0.9)
    np.testing.assert_allclose(table, [
        [0.9, 0.1, 0.1, 0.1], [0.9, 0.9, 0.1, 0.1], [0.9, 0.9, 0.9, 0.1],
        [0.9, 0.9, 0.9, 0.9]], rtol=1e-14)


def test_the_likelihood_of_a_single_action_shares_errors_evenly():
    table = NoiseModel(0.7, likelihood=Likelihood.SINGLE_ACTION).answer_table(SINGLE, 0.7)
    np.testing.assert_allclose(table, [
        [0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.1, 0.1, 0.7]],
        rtol=1e-14)


def test_an_errorless_teacher_never_gives_a_wrong_answer():
    table = NoiseModel(1.0).answer_table(NESTED, 1.0)
    np.testing.assert_allclose(table[0], [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(table[3], 0.25)


@MODEST
@given(some.integers(0, 10**6), some.integers(1, 6), some.floats(0.01, 1.0), some.booleans())
def test_normalised_likelihoods_sum_to_one_over_the_actions(seed, actions, rate, single):
    single = single or actions == 1
    sets = GreedySets.from_sets(
        random_sets(np.random.default_rng(seed), 3, 5, actions, single), actions)
    kinds = [Likelihood.EXACT, Likelihood.SINGLE_ACTION] if single else [Likelihood.EXACT]
    for kind in kinds:
        table = NoiseModel(rate, likelihood=kind).answer_table(sets, rate)
        if kind is Likelihood.EXACT or actions > 1:
            np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-12)


def test_single_action_and_exact_agree_where_there_is_one_optimal_action():
    tables = [NoiseModel(0.8, likelihood=kind).answer_table(SINGLE, 0.8)
              for kind in (Likelihood.EXACT, Likelihood.SINGLE_ACTION)]
    np.testing.assert_allclose(tables[0], tables[1], rtol=1e-14)


@for_each(('kind', 'beta'), [
    ('single_action', 0.05), ('exact', 0.05), ('aggregated', 0.2)])
def test_beta_hat_follows_from_gamma_hat(kind, beta):
    assert NoiseModel(0.8, likelihood=kind).wrong_rate(5, 0.8) == pytest.approx(beta)


def test_only_the_aggregated_likelihood_needs_normalising():
    assert NoiseModel(likelihood='aggregated').normalised().likelihood is Likelihood.EXACT
    for kind in (Likelihood.EXACT, Likelihood.SINGLE_ACTION):
        assert NoiseModel(likelihood=kind).normalised().likelihood is kind


def test_normalising_keeps_the_rates():
    model = NoiseModel(np.array([0.7, 0.8]), 0.3, Likelihood.AGGREGATED).normalised()
    np.testing.assert_array_equal(model.gamma_hat, [0.7, 0.8])
    assert model.sigma_hat == 0.3


def test_gamma_hat_may_differ_from_state_to_state():
    model = NoiseModel(np.array([0.6, 0.9, 1.0]))
    assert [model.rate(state) for state in range(3)] == [0.6, 0.9, 1.0]
    np.testing.assert_array_equal(model.rates(3), [0.6, 0.9, 1.0])


def test_one_gamma_hat_serves_all_states():
    assert NoiseModel(0.7).rate(5) == 0.7
    np.testing.assert_array_equal(NoiseModel(0.7).rates(3), [0.7, 0.7, 0.7])


def test_a_model_copies_and_freezes_its_rates():
    rates = np.array([0.6, 0.9])
    model = NoiseModel(rates)
    rates[0] = 0.7
    assert model.rate(0) == 0.6
    assert not model.gamma_hat.flags.writeable


@for_each('value', [0.0, -0.5, 1.5, np.nan])
def test_gamma_hat_is_a_probability_above_zero(value):
    text = rf'gamma_hat must be in \(0, 1\], that is {value}'
    with pytest.raises(InvalidNoiseError, match=text):
        NoiseModel(value)


def test_a_wrong_gamma_hat_is_named_with_its_state():
    text = r'gamma_hat must be in \(0, 1\], that of state 1 is 2.0'
    with pytest.raises(InvalidNoiseError, match=text):
        NoiseModel(np.array([0.9, 2.0, 3.0]))


def test_gamma_hat_is_not_a_table():
    with pytest.raises(InvalidNoiseError, match=r'one entry per state, got shape \(2, 3\)'):
        NoiseModel(np.full((2, 3), 0.9))


@for_each('value', [0.0, -1.0, np.nan, np.inf])
def test_sigma_hat_is_positive(value):
    with pytest.raises(InvalidNoiseError, match=f'sigma_hat must be .*positive.*, got {value}'):
        NoiseModel(sigma_hat=value)


def test_an_unknown_likelihood_is_an_error_of_ours_that_lists_the_known_ones():
    with pytest.raises(GbsIrlError, match=r"(?s)'exakt'.*aggregated.*exact.*single_action"):
        NoiseModel(likelihood='exakt')


def test_gamma_hat_needs_an_entry_for_every_state():
    text = 'gamma_hat must have one entry for each of the 2 states, got 3'
    with pytest.raises(InvalidNoiseError, match=text):
        NoiseModel(np.full(3, 0.9)).check_fits(SINGLE)


def test_the_single_action_likelihood_refuses_several_optimal_actions():
    sets = GreedySets.from_sets([[{0}, {1}], [{1}, {2}], [{0}, {0, 2}]], 4)
    text = 'needs one optimal action in every state: policy 1 has several in state 2; use exact'
    with pytest.raises(InvalidNoiseError, match=text):
        NoiseModel(likelihood=Likelihood.SINGLE_ACTION).check_fits(sets)


@for_each(('kind', 'floor', 'rate'), [
    ('exact', 0.25, 0.25), ('single_action', 0.25, 0.1), ('aggregated', 0.5, 0.5)])
def test_right_answers_must_be_the_likelier_ones(kind, floor, rate):
    text = (f'gamma_hat must be above {floor} for the likelihood {kind} with 4 actions, '
            f'or right answers count as wrong; got {rate}')
    with pytest.raises(InvalidNoiseError, match=re.escape(text)):
        NoiseModel(rate, likelihood=kind).check_fits(SINGLE)


def test_the_lowest_rate_of_all_states_counts():
    with pytest.raises(InvalidNoiseError, match=r'gamma_hat must be above 0\.25.*got 0\.2'):
        NoiseModel(np.array([0.9, 0.2])).check_fits(SINGLE)


@for_each(('kind', 'rate'), [
    ('exact', 0.26), ('single_action', 0.26), ('aggregated', 0.51)])
def test_just_above_the_floor_a_model_fits(kind, rate):
    NoiseModel(rate, likelihood=kind).check_fits(SINGLE)


def test_any_rate_fits_where_there_is_one_action_only():
    NoiseModel(0.01).check_fits(GreedySets.from_sets([[{0}]], 1))
