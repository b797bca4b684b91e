"""Rows: written and read the same, and files that may end anywhere."""

from __future__ import annotations

import math

import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.experiments.rows import ROWS, TIMES, ExperimentError, Row, Time, TrialFile

ROW = Row('driver', 0, 12, 345678901234567890, 'gbs', 3, 'action', 16874, 0.975, 0.0123, 1.5,
          0.25)
FIRST = ROW._replace(step=0, kind='', state=-1, accuracy=1.0, value_loss=0.0, relative_loss=1e-9)
TIME = Time('driver', 0, 12, 345678901234567890, 'gbs', 499, 3, 0.125)
FIELDS = ('experiment,mdp,trial,seed,method,step,kind,state,accuracy,value_loss,relative_loss,'
          'p_true')
SIZES = (2, 1, 3)
ALL = sum(SIZES)
anything = st.floats(width=64)


def written(path, *lines, form=ROWS):
    path.write_text(form.header + ''.join(lines))
    return path


# ---- written and read ---------------------------------------------------------------------------

def test_a_row_is_a_line_with_six_digits():
    row = ROW._replace(accuracy=2 / 3, value_loss=1e-7 / 3, relative_loss=1234567.0)
    assert ROWS.header == FIELDS + '\n'
    assert ROWS.lines([row, FIRST]) == (
        'driver,0,12,345678901234567890,gbs,3,action,16874,0.666667,3.33333e-08,1.23457e+06,0.25\n'
        'driver,0,12,345678901234567890,gbs,0,,-1,1,0,1e-09,0.25\n')
    assert TIMES.header == 'experiment,mdp,trial,seed,method,policies,supersets,seconds\n'
    assert TIMES.lines([TIME]) == 'driver,0,12,345678901234567890,gbs,499,3,0.125\n'
    assert ROWS.lines([]) == ''


@for_each(('form', 'rows'), [(ROWS, [ROW, FIRST]), (TIMES, [TIME, TIME]),
                             (ROWS, [])])
def test_what_is_written_is_read_again(tmp_path, form, rows):
    path = written(tmp_path / 'rows.csv', form.lines(rows), form=form)
    found = form.read(path)
    assert found == rows
    assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in rows]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(numbers=st.tuples(anything, anything, anything, anything))
def test_reading_and_writing_again_changes_nothing(tmp_path_factory, numbers):
    text = ROWS.lines([ROW._replace(accuracy=numbers[0], value_loss=numbers[1],
                                    relative_loss=numbers[2], p_true=numbers[3])])
    path = written(tmp_path_factory.mktemp('rows') / 'rows.csv', text)
    row, = ROWS.read(path)
    assert ROWS.lines([row]) == text
    for found, number in zip(row[-4:], numbers, strict=True):
        assert found == pytest.approx(number, rel=1e-5, abs=1e-320, nan_ok=True) \
            or math.isinf(found)


# ---- what cannot be read ------------------------------------------------------------------------

def error_of(path, form=ROWS):
    with pytest.raises(ExperimentError) as caught:
        form.read(path)
    return str(caught.value)


def test_a_missing_file_says_what_to_do(tmp_path):
    path = tmp_path / 'rows.csv'
    assert error_of(path) == (
        f'{path}: cannot be read (No such file or directory); run the experiment first')
    assert error_of(tmp_path) == (
        f'{tmp_path}: cannot be read (Is a directory); run the experiment first')


@for_each('text', ['', '\n', FIELDS[:-1] + '\n', TIMES.header, ROWS.lines([ROW])])
def test_a_file_must_begin_with_the_names_of_the_columns(tmp_path, text):
    path = tmp_path / 'rows.csv'
    path.write_text(text)
    assert error_of(path) == f"{path}: must begin with the line '{FIELDS}'"


@for_each(('line', 'problem'), [
    ('driver,0,12,1,gbs,x,action,4,1,0,0,0.5', "invalid literal for int() with base 10: 'x'"),
    ('driver,0,12,1,gbs,3,action,4,1,0,0,half', "could not convert string to float: 'half'"),
    ('driver,0,12,1,gbs,3,action,4,1,0,0', 'zip() argument 2 is shorter than argument 1'),
    ('driver,0,12,1,gbs,3,action,4,1,0,0,0,0', 'zip() argument 2 is longer than argument 1'),
    ('', 'zip() argument 2 is shorter than argument 1')])
def test_a_broken_line_is_named(tmp_path, line, problem):
    path = written(tmp_path / 'rows.csv', ROWS.lines([ROW]), line + '\n', ROWS.lines([ROW]))
    assert error_of(path) == f'{path}:3: is not a row: {problem}'


# ---- files that trials are appended to ----------------------------------------------------------

def trial_lines():
    """Return the lines of each trial, no two alike."""
    rows = [ROW._replace(step=step, trial=trial) for trial, size in enumerate(SIZES)
            for step in range(size)]
    lines = [ROWS.lines([row]) for row in rows]
    return [''.join(lines[sum(SIZES[:trial]):sum(SIZES[:trial + 1])])
            for trial in range(len(SIZES))]


WHOLE = (ROWS.header + ''.join(trial_lines())).encode()
ENDS = [len((ROWS.header + ''.join(trial_lines()[:trial])).encode())
        for trial in range(len(SIZES) + 1)]


def trial_file(path):
    return TrialFile(path, ROWS, SIZES)


def test_a_file_that_is_not_there_has_no_trials_and_is_begun(tmp_path):
    file = trial_file(tmp_path / 'rows.csv')
    assert file.whole_trials() == 0
    assert not file.path.exists()
    file.cut(0)
    assert file.path.read_text() == ROWS.header
    for number, lines in enumerate(trial_lines(), start=1):
        file.append(lines)
        assert file.whole_trials() == number
    assert file.path.read_bytes() == WHOLE


def test_a_file_cut_off_anywhere_is_gone_on_with(tmp_path):
    for length in range(len(WHOLE) + 1):
        file = trial_file(tmp_path / f'{length}.csv')
        file.path.write_bytes(WHOLE[:length])
        done = file.whole_trials()
        assert done == max(0, sum(end <= length for end in ENDS) - 1), length
        file.cut(done)
        assert file.path.read_bytes() == WHOLE[:ENDS[done]], length     # at least the header
        for lines in trial_lines()[done:]:
            file.append(lines)
        assert file.path.read_bytes() == WHOLE, length
        assert file.whole_trials() == len(SIZES)


@for_each('trials', range(4))
def test_fewer_trials_can_be_kept_than_are_there(tmp_path, trials):
    file = trial_file(tmp_path / 'rows.csv')
    file.path.write_bytes(WHOLE)
    file.cut(trials)
    assert file.path.read_bytes() == WHOLE[:ENDS[trials]]
    assert file.whole_trials() == trials


def test_what_is_too_much_is_cut_off(tmp_path):
    file = trial_file(tmp_path / 'rows.csv')
    file.path.write_bytes(WHOLE + trial_lines()[0].encode())
    assert file.whole_trials() == 3
    file.cut(3)
    assert file.path.read_bytes() == WHOLE


def test_a_file_of_another_kind_is_left_alone(tmp_path):
    file = trial_file(tmp_path / 'rows.csv')
    file.path.write_text(TIMES.header)
    for attempt in (file.whole_trials, lambda: file.cut(0)):
        with pytest.raises(ExperimentError) as caught:
            attempt()
        assert str(caught.value) == (f"{file.path}: must begin with the line '{FIELDS}\\n'; "
                                     'remove the file to start again')
    assert file.path.read_text() == TIMES.header
