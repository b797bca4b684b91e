"""The distribution over rewards."""

from __future__ import annotations

import dataclasses

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings

from gbs_irl_ros.core.errors import ImpossibleAnswerError
from gbs_irl_ros.core.posterior import Posterior, entropy_bits

MODEST = settings(deadline=None, derandomize=True, max_examples=50)
LIKELIHOODS = some.lists(
    some.lists(some.floats(-50.0, 0.0), min_size=4, max_size=4), min_size=1, max_size=8)


def test_posterior_agrees_with_bayes_rule_by_hand():
    posterior = Posterior.uniform(2).updated(np.log([0.9, 0.3]))
    np.testing.assert_allclose(posterior.probabilities, [0.75, 0.25], rtol=1e-14)


def test_the_prior_counts():
    posterior = Posterior(np.log([0.1, 0.6, 0.3])).updated(np.log([0.8, 0.1, 0.4]))
    np.testing.assert_allclose(
        posterior.probabilities, np.array([0.08, 0.06, 0.12]) / 0.26, rtol=1e-14)


def test_an_update_leaves_the_old_posterior_as_it_was():
    before = Posterior.uniform(3)
    before.updated(np.log([0.9, 0.05, 0.05]))
    np.testing.assert_allclose(before.probabilities, 1.0 / 3.0, rtol=1e-14)


def test_a_posterior_cannot_be_changed():
    posterior = Posterior.uniform(3)
    with pytest.raises(ValueError, match='read-only'):
        posterior.log_weights[0] = 0.0
    with pytest.raises(ValueError, match='read-only'):
        posterior.probabilities[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        posterior.log_weights = np.zeros(3)


def test_a_hypothesis_that_was_ruled_out_stays_out():
    posterior = Posterior.uniform(2).updated(np.array([0.0, -np.inf]))
    posterior = posterior.updated(np.array([-700.0, 0.0]))
    np.testing.assert_array_equal(posterior.probabilities, [1.0, 0.0])


def test_an_answer_that_leaves_nothing_to_believe_is_refused():
    first_ruled_out = Posterior.uniform(2).updated(np.array([-np.inf, 0.0]))
    with pytest.raises(ImpossibleAnswerError, match='impossible under every hypothesis left'):
        first_ruled_out.updated(np.array([0.0, -np.inf]))


@MODEST
@given(LIKELIHOODS)
def test_probabilities_sum_to_one_and_agree_with_a_product(likelihoods):
    posterior = Posterior.uniform(4)
    for likelihood in likelihoods:
        posterior = posterior.updated(np.array(likelihood))
    total = np.sum(likelihoods, axis=0)
    expected = np.exp(total - total.max())
    assert posterior.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(
        posterior.probabilities, expected / expected.sum(), rtol=1e-9, atol=1e-300)


@MODEST
@given(LIKELIHOODS, some.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(likelihoods, random):
    shuffled = random.sample(likelihoods, len(likelihoods))
    one, other = Posterior.uniform(4), Posterior.uniform(4)
    for a, b in zip(likelihoods, shuffled, strict=True):
        one, other = one.updated(np.array(a)), other.updated(np.array(b))
    np.testing.assert_allclose(one.log_weights, other.log_weights, rtol=0, atol=1e-10)


@pytest.mark.slow
def test_a_hundred_thousand_answers_leave_a_distribution(rng):
    posterior = Posterior.uniform(3)
    answers = np.log(rng.uniform([0.01, 0.02, 0.03], 0.9, size=(100_000, 3)))
    for answer in answers:
        posterior = posterior.updated(answer)
    expected = answers.sum(axis=0) - np.log(3)
    expected -= np.logaddexp.reduce(expected)
    assert np.isfinite(posterior.log_weights).all()
    assert posterior.log_weights.min() < -745     # too small for a plain number
    assert posterior.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(posterior.log_weights, expected, rtol=0, atol=1e-5)


@for_each(('probabilities', 'bits'), [
    ([1.0, 0.0], 0.0), ([0.5, 0.5], 1.0), ([0.5, 0.25, 0.125, 0.125], 1.75),
    (np.full(8, 0.125), 3.0)])
def test_entropy_is_in_bits(probabilities, bits):
    assert entropy_bits(np.array(probabilities)) == pytest.approx(bits, abs=1e-14)


def test_entropy_of_a_posterior_is_that_of_its_probabilities():
    assert Posterior.uniform(16).entropy == pytest.approx(4.0)
    assert Posterior(np.array([0.0, -np.inf])).entropy == 0.0
