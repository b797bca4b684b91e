"""Learning curves: read from rows, averaged, and how sure the averages are."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from scipy import stats

from gbs_irl_ros.experiments.curves import Curves, mean_and_halfwidth, read_curves
from gbs_irl_ros.experiments.rows import ROWS, ExperimentError, Row


def curves_of(accuracy, mdp=None, trial=None):
    accuracy = np.array(accuracy, dtype=float)
    count = len(accuracy)
    return Curves(np.zeros(count, dtype=int) if mdp is None else np.array(mdp),
                  np.arange(count) if trial is None else np.array(trial),
                  accuracy, 1.0 - accuracy, accuracy / 2.0)


# ---- questions needed ---------------------------------------------------------------------------

@for_each(('accuracy', 'expected'), [
    ([1.0, 1.0, 1.0], 0), ([0.95, 0.95, 0.95], 0), ([0.2, 1.0, 1.0], 1), ([0.2, 0.3, 0.95], 2),
    ([0.2, 1.0, 0.5, 1.0], 3),                      # reached, lost, and reached again
    ([1.0, 1.0, 0.94, 1.0, 1.0], 3), ([1.0, 1.0, 0.94], np.inf), ([0.1, 0.2, 0.3], np.inf),
    ([0.2], np.inf), ([1.0], 0)])
def test_questions_to_hold_are_those_after_which_it_never_is_below(accuracy, expected):
    assert curves_of([accuracy]).questions_to_hold(0.95).tolist() == [expected]


def test_questions_to_hold_are_told_for_each_trial():
    curves = curves_of([[0.0, 0.5, 1.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    assert curves.questions_to_hold(0.5).tolist() == [1.0, 0.0, np.inf]
    assert curves.questions_to_hold(0.51).tolist() == [2.0, 0.0, np.inf]
    assert curves.questions_to_hold(0.0).tolist() == [0.0, 0.0, 0.0]


def test_rounding_is_not_below():
    """A share such as 0.95 may be written a digit less."""
    assert curves_of([[0.0, 0.95 - 1e-12]]).questions_to_hold(0.95).tolist() == [1.0]


def test_questions_to_hold_agree_with_looking_one_after_another(rng):
    accuracy = rng.choice([0.2, 0.9, 1.0], size=(300, 6), p=[0.2, 0.2, 0.6])

    def slow(curve):
        return next((float(step) for step in range(6) if (curve[step:] >= 0.9).all()), np.inf)
    assert curves_of(accuracy).questions_to_hold(0.9).tolist() == [
        slow(curve) for curve in accuracy]


# ---- means and intervals ------------------------------------------------------------------------

def test_with_one_mdp_it_is_student_s_interval(rng):
    values = rng.normal(size=(12, 4))
    mean, half = mean_and_halfwidth(values, np.full(12, 7))
    assert mean.shape == half.shape == (4,)
    for column in range(4):
        expected = stats.ttest_1samp(values[:, column], 0.0).confidence_interval(0.95)
        assert (mean[column] - half[column], mean[column] + half[column]) == pytest.approx(
            (expected.low, expected.high))


def test_by_hand():
    """Values 1, 2, 3: mean 2, deviation 1, and t(2) = 4.3027."""
    mean, half = mean_and_halfwidth(np.array([[1.0], [2.0], [3.0]]), np.zeros(3))
    assert mean.tolist() == [2.0]
    assert half[0] == pytest.approx(4.302652729911275 / np.sqrt(3.0))


def test_with_two_mdps_of_one_variance_it_is_that_of_their_difference(rng):
    """With as many trials in each, the mean of two is as sure as half their difference."""
    first, second = rng.normal(size=(2, 9))
    mean, half = mean_and_halfwidth(np.concatenate([first, second]), np.repeat([3, 8], 9))
    interval = stats.ttest_ind(first, second, equal_var=True).confidence_interval(0.95)
    assert mean == pytest.approx((first.mean() + second.mean()) / 2)
    assert half == pytest.approx((interval.high - interval.low) / 4)


def test_several_mdps_have_equal_weights_and_only_their_own_variance(rng):
    groups = [rng.normal(10.0 * number, 1.0 + number, size=4 + number) for number in range(3)]
    mdp = np.repeat(np.arange(3), [4, 5, 6])
    order = rng.permutation(15)
    mean, half = mean_and_halfwidth(np.concatenate(groups)[order], mdp[order])
    error = np.sqrt(sum(group.var(ddof=1) / len(group) for group in groups)) / 3
    assert mean == pytest.approx(np.mean([group.mean() for group in groups]))
    assert half == pytest.approx(stats.t(15 - 3).ppf(0.975) * error)


def test_what_differs_between_mdps_does_not_widen_the_interval(rng):
    values, mdp = rng.normal(size=20), np.repeat([0, 1], 10)
    _, half = mean_and_halfwidth(values, mdp)
    _, moved = mean_and_halfwidth(values + 1000.0 * mdp, mdp)
    assert moved == pytest.approx(half)


def test_where_an_mdp_has_one_trial_the_variance_is_that_of_all():
    values, mdp = np.array([1.0, 3.0, 8.0]), np.array([0, 0, 1])
    mean, half = mean_and_halfwidth(values, mdp)
    assert mean == pytest.approx((2.0 + 8.0) / 2)
    assert half == pytest.approx(stats.t(2).ppf(0.975) * values.std(ddof=1) / np.sqrt(3.0))


def test_one_trial_has_no_interval():
    mean, half = mean_and_halfwidth(np.array([[1.0, 4.0]]), np.array([0]))
    assert mean.tolist() == [1.0, 4.0]
    assert np.isnan(half).tolist() == [True, True]


def test_the_interval_holds_the_truth_as_often_as_it_says(rng):
    inside = 0
    for _ in range(400):
        mean, half = mean_and_halfwidth(np.concatenate([rng.normal(1.0, 1.0, 5),
                                                        rng.normal(3.0, 1.0, 5)]),
                                        np.repeat([0, 1], 5))
        inside += abs(mean - 2.0) <= half
    assert stats.binomtest(inside, 400, 0.95).pvalue > 1e-3


# ---- trials that two methods share --------------------------------------------------------------

def test_shared_trials_come_in_the_same_order():
    mine = curves_of([[0.1], [0.2], [0.3]], mdp=[0, 0, 1], trial=[0, 1, 0])
    theirs = curves_of([[0.9], [0.8], [0.7]], mdp=[1, 0, 2], trial=[0, 1, 0])
    ours, others = mine.shared_with(theirs)
    for found in (ours, others):
        assert list(zip(found.mdp, found.trial, strict=True)) == [(0, 1), (1, 0)]
    assert ours.accuracy.tolist() == [[0.2], [0.3]]
    assert others.accuracy.tolist() == [[0.8], [0.9]]
    np.testing.assert_allclose(others.relative_loss, [[0.2], [0.1]])
    assert others.p_true.tolist() == [[0.4], [0.45]]


def test_nothing_may_be_shared():
    ours, others = curves_of([[0.1]]).shared_with(curves_of([[0.2]], mdp=[1]))
    assert ours.num_trials == others.num_trials == 0
    assert ours.accuracy.shape == (0, 1)


def test_some_trials_can_be_looked_at_alone():
    curves = curves_of([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    kept = curves.only(np.array([True, False, True]))
    assert kept.trial.tolist() == [0, 2]
    assert kept.accuracy.tolist() == [[0.1, 0.2], [0.5, 0.6]]
    assert (kept.num_trials, kept.num_steps) == (2, 1)


# ---- from a file --------------------------------------------------------------------------------

def row_of(method, mdp, trial, step):
    return Row('small', mdp, trial, 5, method, step, 'action' if step else '', step - 1,
               round(0.1 * step, 6), 7.0 + step, 0.25 * trial, 0.5 * mdp)


def rows_of(*places, steps=3):
    return [row_of(method, mdp, trial, step) for method, mdp, trial in places
            for step in range(steps)]


def written(path, rows, more=''):
    path.write_text(ROWS.header + ROWS.lines(rows) + more)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'small.csv'


def error_of(path):
    with pytest.raises(ExperimentError) as caught:
        read_curves(path)
    return str(caught.value)


def test_methods_come_in_the_order_of_the_file(path):
    found = read_curves(written(path, rows_of(('random', 0, 0), ('emg', 0, 0), ('random', 0, 1),
                                              ('gbs', 0, 1), ('random', 1, 0))))
    assert list(found) == ['random', 'emg', 'gbs']
    random = found['random']
    assert random.mdp.tolist() == [0, 0, 1]
    assert random.trial.tolist() == [0, 1, 0]
    assert (random.num_trials, random.num_steps) == (3, 2)
    np.testing.assert_array_equal(random.accuracy, [[0.0, 0.1, 0.2]] * 3)
    np.testing.assert_array_equal(random.relative_loss, np.outer([0, 0.25, 0], [1, 1, 1]))
    np.testing.assert_array_equal(random.p_true, np.outer([0, 0, 0.5], [1, 1, 1]))
    assert found['gbs'].trial.tolist() == [1]


def test_the_order_of_rows_does_not_matter(path, rng):
    rows = rows_of(('gbs', 0, 0), ('gbs', 0, 1), ('gbs', 1, 0), ('gbs', 1, 1))
    in_order = read_curves(written(path, rows))['gbs']
    shuffled = read_curves(written(path, [rows[i] for i in rng.permutation(len(rows))]))['gbs']
    for name in ('mdp', 'trial', 'accuracy', 'relative_loss', 'p_true'):
        np.testing.assert_array_equal(getattr(in_order, name), getattr(shuffled, name))


def test_a_file_without_rows_has_no_curves(path):
    assert read_curves(written(path, [])) == {}


def test_one_row_is_a_trial_without_questions(path):
    curves = read_curves(written(path, rows_of(('gbs', 0, 0), steps=1)))['gbs']
    assert (curves.num_trials, curves.num_steps) == (1, 0)


def test_a_missing_file_says_what_to_do(path):
    assert error_of(path) == (
        f'{path}: cannot be read ({path} not found.); run the experiment first')


@pytest.mark.parametrize(('line', 'problem'), [
    ('small,0,zero,5,gbs,0,,-1,0,7,0,0',
     "could not convert string 'zero' to int32 at row 3, column 3."),
    ('small,0,0,5,gbs,0', 'invalid column index 8 at row 4 with 6 columns')])
def test_a_broken_line_is_told(path, line, problem):
    written(path, rows_of(('gbs', 0, 0)), line + '\n')
    assert error_of(path) == f'{path}: has a line that is not a row: {problem}'


@for_each('left_out', [0, 1, 2, 4, 5])
def test_a_trial_that_is_not_whole_is_told(path, left_out):
    rows = rows_of(('gbs', 0, 0), ('gbs', 0, 1))
    written(path, rows[:left_out] + rows[left_out + 1:])
    assert error_of(path) == f'{path}: the rows of gbs are not whole trials of 3 steps'


def test_a_trial_that_is_there_twice_is_told(path):
    written(path, rows_of(('gbs', 0, 0), ('gbs', 0, 0)))
    assert error_of(path) == f'{path}: the rows of gbs are not whole trials of 3 steps'
