"""Problems are collected, ordered, cut and quoted."""

from __future__ import annotations

import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks.files.file_report import (
    LONGEST_VALUE,
    MAX_SHOWN,
    Report,
    TaskFileError,
    did_you_mean,
    shown,
)


def raised(report):
    with pytest.raises(TaskFileError) as caught:
        report.raise_if_any()
    return caught.value


def test_an_empty_report_raises_nothing():
    report = Report('some.yaml')
    assert not report
    report.raise_if_any()


def test_a_problem_is_shown_with_file_line_and_key():
    report = Report('some.yaml')
    report.add(7, 'world.slip', 'is wrong')
    assert report
    assert str(raised(report)) == 'some.yaml:7: world.slip: is wrong'


def test_a_problem_without_key_is_shown_without():
    report = Report('some.yaml')
    report.add(7, '', 'is wrong')
    assert str(raised(report)) == 'some.yaml:7: is wrong'


def test_problems_stand_in_the_order_of_the_lines_as_numbers():
    report = Report('f')
    for line in (10, 9, 100, 1):
        report.add(line, 'k', 'p')
    assert str(raised(report)).split('\n') == ['f:1: k: p', 'f:9: k: p', 'f:10: k: p',
                                               'f:100: k: p']


def test_problems_of_one_line_keep_the_order_in_which_they_were_found():
    report = Report('f')
    for key in ('z', 'a', 'm'):
        report.add(3, key, 'p')
    assert str(raised(report)).split('\n') == ['f:3: z: p', 'f:3: a: p', 'f:3: m: p']


def test_the_same_problem_is_shown_once():
    report = Report('f')
    report.add(3, 'k', 'p')
    report.add(3, 'k', 'p')
    report.add(4, 'k', 'p')
    assert raised(report).problems == ('f:3: k: p', 'f:4: k: p')


@for_each(('count', 'last'), [
    (1, 'problem 0'), (MAX_SHOWN, f'problem {MAX_SHOWN - 1}'),
    (MAX_SHOWN + 1, '... and 1 more'), (1000, f'... and {1000 - MAX_SHOWN} more')])
def test_at_most_twenty_problems_are_shown_and_the_others_counted(count, last):
    error = TaskFileError(f'problem {i}' for i in range(count))
    lines = str(error).split('\n')
    assert lines[-1] == last
    assert len(lines) == min(count, MAX_SHOWN + 1)
    assert len(error.problems) == count


def test_the_error_is_ours_and_a_value_error():
    assert issubclass(TaskFileError, GbsIrlError)
    assert issubclass(TaskFileError, ValueError)


@for_each('value', ['x' * 1000, list(range(1000)), {'a': 'b' * 1000}, 'a\nb', None])
def test_a_value_is_quoted_short_and_on_one_line(value):
    text = shown(value)
    assert len(text) <= LONGEST_VALUE
    assert '\n' not in text


def test_a_value_that_just_fits_is_quoted_whole():
    fits = 'x' * (LONGEST_VALUE - 2)
    assert shown(fits) == repr(fits)
    assert shown(fits + 'x') == "'" + 'x' * (LONGEST_VALUE - 4) + '...'


@for_each(('word', 'hint'), [
    ('discout', ". Did you mean 'discount'?"), ('wolrd', ". Did you mean 'world'?"),
    ('nothing like it', ''), ('', ''), (5, ''), (None, '')])
def test_the_nearest_word_is_proposed_if_it_is_near(word, hint):
    assert did_you_mean(word, ['discount', 'world', 'slip']) == hint


def test_nothing_is_proposed_where_nothing_is_known():
    assert did_you_mean('world', []) == ''


def test_a_key_with_a_line_break_does_not_break_the_line():
    report = Report('f')
    report.add(3, 'a\nb', 'is wrong')
    assert '\n' not in str(raised(report))
