"""Tests of paired differences: against closed forms, by hand, and against brute force."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from cases import for_each
from hand_made import curves_of

from gbs_irl_ros.experiments import significance
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.experiments.significance import (
    EXACT_TRIALS,
    FLIPS,
    bootstrap_interval,
    compare_pairs,
    holm,
    sign_flip_test,
)
from gbs_irl_ros.experiments.summary import differences


@for_each('count', [1, 2, 5, 10, EXACT_TRIALS])
def test_if_all_differences_have_one_sign_only_two_choices_are_as_extreme(count):
    assert sign_flip_test(np.arange(1.0, count + 1)) == 2.0 / 2 ** count
    assert sign_flip_test(-np.arange(1.0, count + 1)) == 2.0 / 2 ** count


@for_each(('positive', 'count'), [(3, 4), (5, 6), (6, 8), (7, 7), (10, 12)])
def test_differences_of_equal_size_give_the_sign_test(positive, count):
    """Then the sum is that of a fair coin: p is the two-sided binomial tail."""
    signs = np.where(np.arange(count) < positive, 0.3, -0.3)
    tail = sum(math.comb(count, k) for k in range(positive, count + 1)) / 2 ** count
    assert sign_flip_test(signs) == pytest.approx(min(1.0, 2.0 * tail), abs=1e-12)


def test_small_samples_agree_with_all_choices_of_signs(rng):
    for count in (3, 6, 9):
        values = rng.normal(0.3, 1.0, count)
        sums = [abs(np.dot(signs, values)) for signs in product((-1, 1), repeat=count)]
        expected = np.mean(np.array(sums) >= abs(values.sum()) - 1e-12)
        assert sign_flip_test(values) == pytest.approx(expected)


def test_a_difference_of_zero_changes_nothing():
    values = np.array([0.4, -0.1, 0.3, 0.2])
    assert sign_flip_test(np.append(values, np.zeros(40))) == sign_flip_test(values)
    assert sign_flip_test(np.zeros(5)) == 1.0


def test_drawn_choices_agree_with_all_of_them(rng, monkeypatch):
    values = rng.normal(0.35, 1.0, EXACT_TRIALS)
    exact = sign_flip_test(values)
    monkeypatch.setattr(significance, 'EXACT_TRIALS', 0)
    drawn = sign_flip_test(values)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=4.0 * math.sqrt(exact * (1.0 - exact) / FLIPS))
    assert sign_flip_test(values) == drawn              # the same rows, the same p-value


def test_a_drawn_p_value_is_never_zero(monkeypatch):
    monkeypatch.setattr(significance, 'BLOCK_ENTRIES', 1_000)       # several blocks
    assert sign_flip_test(np.ones(50)) == 1.0 / (FLIPS + 1)


def test_false_alarms_are_as_rare_as_the_level_says(rng):
    alarms = np.mean([sign_flip_test(rng.normal(size=8)) <= 0.05 for _ in range(600)])
    assert alarms <= 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / 600)


def test_holm_by_hand():
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])),
                               [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm(np.array([0.6, 0.5])), [1.0, 1.0])
    assert holm(np.array([])).size == 0


@for_each(('call', 'message'), [
    (lambda: holm(np.array([0.5, 1.2])), r'must be a list of numbers in \[0, 1\], got \[0.5 1.2'),
    (lambda: sign_flip_test(np.zeros((2, 2))), r'one number for each trial, got shape \(2, 2\)'),
    (lambda: sign_flip_test(np.array([])), r'one number for each trial, got shape \(0,\)'),
    (lambda: bootstrap_interval(np.array([0.1, np.nan])), 'that of trial 1 is nan')])
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ExperimentError, match=message):
        call()


def test_the_bootstrap_agrees_with_students_interval_where_both_hold(rng):
    values = rng.normal(1.0, 2.0, 400)
    student, = compare_pairs([values])
    resampled, = compare_pairs([values], bootstrap=True)
    assert resampled.mean == student.mean
    for ours, theirs in ((resampled.low, student.low), (resampled.high, student.high)):
        assert ours == pytest.approx(theirs, abs=0.15 * (student.high - student.low))


def test_an_interval_of_resampled_trials_stays_within_what_was_seen():
    low, high = bootstrap_interval(np.array([0.0] * 9 + [1.0]))
    assert (low, high) == (0.0, pytest.approx(0.3, abs=0.11))


def test_comparisons_of_a_family_are_corrected_together():
    first, second = compare_pairs([np.arange(1.0, 5.0), np.array([1.0, -1.0, 1.0, -1.0])])
    assert (first.p, first.p_holm) == (0.125, 0.25)
    assert (second.p, second.p_holm) == (1.0, 1.0)
    assert first.low < first.mean == 2.5 < first.high


def test_the_table_of_differences_has_p_values():
    curves = {'gbs': curves_of(np.full((4, 11), 0.9)),
              'iqbc': curves_of(np.full((4, 11), 0.6)),
              'random': curves_of(np.tile([[0.8], [1.0]], (2, 11)))}
    iqbc, other = differences('x', curves)
    for count in (5, 10):
        assert (iqbc[f'p_{count}'], iqbc[f'p_{count}_holm']) == (0.125, 0.5)
        assert (other[f'p_{count}'], other[f'p_{count}_holm']) == (1.0, 1.0)
    assert 'p_20' not in iqbc
