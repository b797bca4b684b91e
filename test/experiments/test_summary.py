from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each
from hand_made import curves_of, level

from gbs_irl_ros.core.theory.bounds import ErrorBound, void_bound
from gbs_irl_ros.core.theory.coherence import Coherence
from gbs_irl_ros.experiments.rows import Time
from gbs_irl_ros.experiments.summary import (
    AFTER,
    LEVELS,
    differences,
    errors,
    merged,
    read_table,
    results,
    supersets,
    write_table,
)

T_1 = 12.706204736  # 97.5 % of Student's t with one degree of freedom: tan(0.475 pi)
T_2 = 4.302652730   # with two: (2 p - 1) sqrt(2 / (4 p (1 - p)))


def times_of(method, seconds, contained=None):
    """Return the times of the trials 0, 1, ... of MDP 0."""
    contained = [0] * len(seconds) if contained is None else contained
    return [Time('x', 0, trial, 1, method, 20, number, each)
            for trial, (each, number) in enumerate(zip(seconds, contained, strict=True))]


def result(curves, times=None, method='gbs'):
    found, = results('x', {method: curves},
                     times_of(method, [1.0] * curves.num_trials) if times is None else times)
    return found


def ramp(reached, steps=20, accuracy=1.0):
    """Return a trial whose accuracy is 0 before that many answers and one value from then on."""
    return [0.0] * reached + [accuracy] * (steps + 1 - reached)


def test_the_two_quantiles_by_their_closed_forms():
    assert pytest.approx(math.tan(0.475 * math.pi), rel=1e-9) == T_1
    assert pytest.approx(0.95 * math.sqrt(2.0 / (4.0 * 0.975 * 0.025)), rel=1e-9) == T_2


# ---- results ------------------------------------------------------------------------------------

def test_means_and_halfwidths_by_hand():
    found = result(curves_of([ramp(0, accuracy=0.2), ramp(0, accuracy=0.6)]))
    # The standard deviation of (0.2, 0.6) is 0.4 / sqrt 2, that of their mean 0.4 / 2.
    for after in (5, 10, 20):
        assert found[f'accuracy_{after}'] == pytest.approx(0.4)
        assert found[f'accuracy_{after}_ci'] == pytest.approx(T_1 * 0.2)
        assert found[f'relative_loss_{after}'] == pytest.approx(0.6)
        assert found[f'relative_loss_{after}_ci'] == pytest.approx(T_1 * 0.2)
    assert (found['experiment'], found['method'], found['trials']) == ('x', 'gbs', 2)


def test_each_number_is_of_its_own_step_and_quantity():
    steps = np.arange(101) / 200.0
    found = result(curves_of([steps, steps], loss=[1.0 - 2.0 * steps, 1.0 - 2.0 * steps]))
    for after in AFTER:
        assert found[f'accuracy_{after}'] == pytest.approx(after / 200.0)
        assert found[f'relative_loss_{after}'] == pytest.approx(1.0 - after / 100.0)
        assert found[f'accuracy_{after}_ci'] == pytest.approx(0.0, abs=1e-15)


def test_numbers_beyond_the_last_question_are_left_out():
    columns = set(result(curves_of([ramp(3), ramp(4)])))
    assert {'accuracy_20', 'accuracy_20_ci', 'relative_loss_20'} <= columns
    assert not any(column.endswith(('_50', '_100', '_50_ci', '_100_ci')) for column in columns)
    assert not any(column.endswith('_20') for column in result(level(0.5, steps=19)))


def test_chance_is_counted_within_an_mdp_and_every_mdp_counts_the_same():
    # MDP 0: 0.0 and 0.2; MDP 1: three times 0.9. Mean (0.1 + 0.9) / 2; error 0.1 / 2, 3 degrees.
    found = result(curves_of([ramp(0, accuracy=each) for each in (0.0, 0.2, 0.9, 0.9, 0.9)],
                             mdp=[0, 0, 1, 1, 1], trial=[0, 1, 0, 1, 2]))
    assert found['accuracy_5'] == pytest.approx(0.5)
    assert found['accuracy_5_ci'] == pytest.approx(3.182446305 * 0.05)


def test_a_single_trial_has_no_interval():
    found = result(curves_of([ramp(2)]))
    assert found['accuracy_5'] == 1.0
    assert math.isnan(found['accuracy_5_ci'])


@for_each(('reached', 'median'), [
    ([3], 3), ([3, 8], 5.5), ([0, 4, 20], 4), ([1, 2, 21, 21], math.inf), ([1, 2, 21], 2),
    ([21, 21], math.inf), ([7, 21], math.inf)])
def test_questions_are_the_median_and_inf_where_half_of_the_trials_fail(reached, median):
    found = result(curves_of([ramp(each) for each in reached]))       # 21: never in 20 questions
    assert found['questions_95'] == found['questions_99'] == median


def test_the_two_levels_are_told_apart():
    found = result(curves_of([[0.0, 0.96, 0.96, 0.985, 0.99, 1.0]]))
    assert found['questions_95'] == 1
    assert found['questions_99'] == 4
    assert LEVELS == (0.95, 0.99)


def test_an_accuracy_that_is_lost_again_was_not_held():
    assert result(curves_of([[0.0, 1.0, 1.0, 0.5, 1.0]]))['questions_99'] == 4


def test_time_is_the_mean_over_the_trials_of_that_method_for_one_question():
    curves = {'gbs': level(0.5, steps=20), 'emg': level(0.5, steps=20, count=1)}
    times = [*times_of('gbs', [1.0, 3.0]), *times_of('emg', [40.0])]
    found = {record['method']: record['seconds_per_question']
             for record in results('x', curves, times)}
    assert found == {'gbs': pytest.approx(0.1), 'emg': pytest.approx(2.0)}


def test_the_methods_come_in_the_order_of_the_rows():
    curves = {name: level(0.5) for name in ('random', 'gbs', 'emg')}
    times = [time for name in curves for time in times_of(name, [1.0])]
    assert [record['method'] for record in results('x', curves, times)] == list(curves)


# ---- differences --------------------------------------------------------------------------------

def test_the_first_method_is_compared_with_every_other():
    curves = {'action': level(0.9), 'reward': level(0.6), 'both': level(0.95)}
    found = differences('feedback', curves)
    assert [(record['method'], record['first']) for record in found] == [
        ('reward', 'action'), ('both', 'action')]
    for record, ahead in zip(found, (0.3, -0.05), strict=True):
        assert record['experiment'] == 'feedback'
        assert [record[f'ahead_{after}'] for after in AFTER] == pytest.approx([ahead] * 5)


def test_trials_are_paired():
    # Very different trials, but the first method is ahead by 0.1 or 0.3 in each of them.
    first = curves_of([ramp(0, accuracy=each) for each in (0.2, 0.9, 0.6)])
    second = curves_of([ramp(0, accuracy=each) for each in (0.1, 0.6, 0.4)])
    record, = differences('x', {'gbs': first, 'iqbc': second})
    assert record['ahead_5'] == pytest.approx(0.2)
    assert record['ahead_5_ci'] == pytest.approx(T_2 * 0.1 / math.sqrt(3.0))


def test_only_trials_that_both_have_are_compared():
    first = curves_of([ramp(0, accuracy=each) for each in (0.1, 0.5, 0.2, 0.7)],
                      mdp=[0, 0, 1, 1], trial=[0, 1, 0, 1])
    second = curves_of([ramp(0, accuracy=each) for each in (0.05, 0.1)], mdp=[0, 1], trial=[0, 0])
    record, = differences('x', {'gbs': first, 'emg': second})
    assert record['trials'] == 2
    assert record['ahead_5'] == pytest.approx((0.05 + 0.1) / 2)


def test_a_method_alone_is_compared_with_nothing():
    assert differences('x', {'gbs': level(0.5)}) == []


# ---- where policies contain the right one -------------------------------------------------------

def test_the_end_of_a_trial_counts_where_it_belongs():
    curves = {'gbs': curves_of([ramp(3, accuracy=each) for each in (0.4, 1.0, 0.8, 0.9)])}
    record, = supersets('x', curves, times_of('gbs', [1.0] * 4, [2, 0, 1, 0]))
    assert record == {'experiment': 'x', 'method': 'gbs', 'trials': 4,
                      'share_with_supersets': 0.5, 'accuracy_with': pytest.approx(0.6),
                      'accuracy_without': pytest.approx(0.95)}


@pytest.mark.parametrize(('contained', 'missing', 'there'), [
    ([0, 0], 'accuracy_with', 'accuracy_without'), ([1, 3], 'accuracy_without', 'accuracy_with')])
def test_where_there_are_no_such_trials_there_is_no_number(contained, missing, there):
    record, = supersets('x', {'gbs': level(0.5)}, times_of('gbs', [1.0, 1.0], contained))
    assert math.isnan(record[missing])
    assert record[there] == 0.5


def test_trials_are_found_by_their_place_and_method():
    curves = {'gbs': curves_of([ramp(0, accuracy=0.1), ramp(0, accuracy=0.9)], mdp=[0, 1],
                               trial=[1, 0])}
    times = [Time('x', 1, 0, 1, 'gbs', 20, 0, 1.0), Time('x', 0, 1, 1, 'gbs', 20, 5, 1.0),
             Time('x', 1, 0, 1, 'iqbc', 20, 9, 1.0)]
    record, = supersets('x', curves, times)
    assert (record['accuracy_with'], record['accuracy_without']) == (0.1, 0.9)


# ---- errors and the bound -----------------------------------------------------------------------

HALVES = ErrorBound(1, 0.5, Coherence(-1.0, -1.0), 0.5, 4.0, ())     # 1, 1, 1, 1/2, 1/4, ...


def test_errors_against_a_bound_by_hand():
    # Wrong are 4, 4, 2, 2, 1, 0 of 4; the bound allows 1, 1, 1, 1/2, 1/4, 1/8 of them.
    wrong_until = (2, 2, 4, 5)
    curves = {'gbs1_cstar': curves_of([ramp(each, steps=5) for each in wrong_until])}
    record, = errors('bound_x', curves, HALVES)
    assert record == {
        'experiment': 'bound_x', 'method': 'gbs1_cstar', 'trials': 4, 'c_star': -1.0,
        'rate': 0.5, 'factor': 4.0, 'highest_share': pytest.approx(1.0), 'questions_5': 5,
        'bound_5': math.ceil(math.log(4.0 / 0.05) / 0.5)}


@for_each(('wrong_until', 'share', 'questions'), [
    ((0, 0), 0.0, 0), ((5, 5), 4.0, 5), ((3, 0), 0.0, 3), ((4, 0), 1.0, 4), ((6, 0), 4.0, 6),
    ((7, 0), 8.0, math.inf), ((7, 7), 16.0, math.inf)])     # wrong after the last, the sixth, too
def test_the_largest_share_of_the_bound_and_the_last_error(wrong_until, share, questions):
    curves = {'gbs': curves_of([ramp(each, steps=6) for each in wrong_until])}
    record, = errors('x', curves, HALVES)
    # After 4 answers the bound is 1/4, after 5 it is 1/8.
    assert record['highest_share'] == pytest.approx(share)
    assert record['questions_5'] == questions


def test_one_error_in_twenty_is_few_enough():
    trials = [ramp(4, steps=6)] + [ramp(1, steps=6)] * 19
    record, = errors('x', {'gbs': curves_of(trials)}, HALVES)
    assert record['questions_5'] == 1


@pytest.mark.parametrize(('wrong', 'questions'), [(1, 2), (2, math.inf)])
def test_one_error_in_twenty_is_few_enough_at_the_end_and_two_are_not(wrong, questions):
    trials = [ramp(7, steps=6)] * wrong + [ramp(2, steps=6)] * (20 - wrong)
    record, = errors('x', {'gbs': curves_of(trials)}, HALVES)
    assert record['questions_5'] == questions


def test_errors_that_come_back_are_counted():
    record, = errors('x', {'gbs': curves_of([[0.5, 1.0, 0.5, 1.0], [1.0] * 4])}, HALVES)
    assert record['questions_5'] == 3
    record, = errors('x', {'gbs': curves_of([[0.5, 1.0, 1.0, 0.5], [1.0] * 4])}, HALVES)
    assert record['questions_5'] == math.inf


def test_nearly_right_is_wrong():
    record, = errors('x', {'gbs': level(0.999, steps=3)}, HALVES)
    assert record['highest_share'] == 2.0


def test_a_void_bound_allows_nothing_to_be_said():
    record, = errors('x', {'gbs': level(0.5, steps=4)}, void_bound('there is no proof'))
    assert math.isnan(record['highest_share'])
    assert record['bound_5'] == math.inf


# ---- files --------------------------------------------------------------------------------------

def test_tables_come_back_as_they_were_written(tmp_path):
    path = tmp_path / 'new' / 'results.csv'
    records = [{'experiment': 'driver', 'method': 'gbs', 'trials': 200.0, 'accuracy_5': 0.25},
               {'experiment': 'feedback', 'questions_95': math.inf, 'accuracy_5': -1e-5}]
    write_table(path, records)
    assert read_table(path) == records
    write_table(path, read_table(path))
    assert read_table(path) == records


def test_a_table_has_a_column_for_everything_and_gaps_where_nothing_is(tmp_path):
    path = tmp_path / 'a.csv'
    write_table(path, [{'experiment': 'x', 'a': 1}, {'experiment': 'y', 'b': 0.5}])
    assert path.read_text() == 'experiment,a,b\nx,1,\ny,,0.5\n'


@for_each(('value', 'text'), [
    (0.123456789, '0.123457'), (1234567.0, '1.23457e+06'), (1e-12, '0'), (math.inf, 'inf'),
    (math.nan, 'nan'), (7, '7'), (12345678, '12345678'), ('a, b', '"a, b"'),
    (np.float64(0.5), '0.5'), (-0.0, '0'), (-1e-12, '0'), (np.float64(-0.0), '0'),
    (-1e-9, '-1e-09'), (-math.inf, '-inf')])
def test_numbers_have_six_digits_and_no_rounding_errors(tmp_path, value, text):
    path = tmp_path / 'a.csv'
    write_table(path, [{'experiment': 'x', 'a': value}])
    assert path.read_text() == f'experiment,a\nx,{text}\n'


class Unwritable:
    def __str__(self):
        raise KeyboardInterrupt


def test_a_table_that_cannot_be_written_to_its_end_stays_as_it_was(tmp_path):
    path = tmp_path / 'a.csv'
    write_table(path, [of('x', 1)])
    with pytest.raises(KeyboardInterrupt):
        write_table(path, [of('x', 2), of('y', Unwritable())])
    assert path.read_text() == 'experiment,value\nx,1\n'
    with pytest.raises(KeyboardInterrupt):
        write_table(tmp_path / 'b.csv', [of('x', 2), of('y', Unwritable())])
    assert not (tmp_path / 'b.csv').exists()
    # and what was begun beside it is in nobody's way
    write_table(path, [of('z', 3)])
    assert path.read_text() == 'experiment,value\nz,3\n'


def test_whoever_reads_a_table_while_it_is_written_has_the_old_one_and_nothing_is_left(tmp_path):
    path = tmp_path / 'a.csv'
    write_table(path, [of('x', 1)])
    with path.open() as file:
        write_table(path, [of('y', 2)])
        assert file.read() == 'experiment,value\nx,1\n'
    assert path.read_text() == 'experiment,value\ny,2\n'
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_not_a_number_stays_one(tmp_path):
    write_table(tmp_path / 'a.csv', [{'experiment': 'x', 'a': math.nan}])
    record, = read_table(tmp_path / 'a.csv')
    assert math.isnan(record['a'])


def test_a_table_that_is_not_there_is_empty(tmp_path):
    assert read_table(tmp_path / 'none.csv') == []


def of(experiment, value):
    return {'experiment': experiment, 'value': value}


def test_new_records_replace_all_old_ones_of_their_experiment():
    old = [of('a', 1), of('a', 2), of('b', 3)]
    assert merged(old, [of('a', 9)], ['a', 'b']) == [of('a', 9), of('b', 3)]


def test_records_come_in_the_order_of_the_experiments_and_then_as_given():
    found = merged([of('c', 1), of('c', 0), of('a', 2)], [of('b', 5), of('b', 4)], ['a', 'b', 'c'])
    assert found == [of('a', 2), of('b', 5), of('b', 4), of('c', 1), of('c', 0)]


def test_old_records_of_experiments_that_are_no_more_are_dropped():
    assert merged([of('gone', 1), of('a', 2)], [], ['a']) == [of('a', 2)]


def test_merging_changes_nothing_that_was_given():
    old, new = [of('a', 1), of('b', 2)], [of('a', 3)]
    merged(old, new, ['b', 'a'])
    assert (old, new) == ([of('a', 1), of('b', 2)], [of('a', 3)])
