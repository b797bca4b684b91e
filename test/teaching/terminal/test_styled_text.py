"""Text that fits into a terminal."""

from __future__ import annotations

import hypothesis.strategies as some
import pytest
from hypothesis import given, settings

from gbs_irl_ros.teaching.terminal.styled_text import (
    BOLD,
    Piece,
    ansi,
    cut,
    ellipsis,
    flowed,
    line,
    padded,
    plain,
    width,
    wrapped,
)

MODEST = settings(deadline=None, derandomize=True, max_examples=200)


def test_what_would_control_the_terminal_is_made_visible():
    assert Piece('a\x1b[2Jb\r\nc\u200cd').text == 'a\\x1b[2Jb\\r c d'
    assert ansi(line('x\x1b]0;title\x07'), styled=True) == r'x\x1b]0;title\x07'


def test_styles_are_for_who_wants_them():
    pieces = (Piece('a', BOLD), Piece('b'))
    assert ansi(pieces, styled=True) == '\x1b[1ma\x1b[0mb'
    assert ansi(pieces, styled=False) == 'ab'


def test_wide_characters_take_two_columns_and_accents_none():
    assert width('日本') == 4
    assert width('e\u0301') == 1
    assert plain(cut(line('日本語'), 5)) == '日本'
    assert plain(padded(line('日本語'), 5)) == '日本 '


def test_the_last_line_says_that_there_is_more():
    assert wrapped('one two three four', 9, 2) == ['one two', 'three fo…']
    assert wrapped('one two', 9, 2) == ['one two']
    assert wrapped('', 9) == []
    assert ellipsis('long', 3) == 'lo…'
    assert ellipsis('long', 0) == ''


def test_parts_stay_together():
    assert flowed(['a north', 'd east', 's south'], 16, '  ') == ['a north  d east', 's south']


@pytest.mark.slow
@MODEST
@given(some.lists(some.text(max_size=12), max_size=12), some.integers(1, 30),
       some.none() | some.integers(0, 5))
def test_nothing_is_ever_wider_than_it_may_be(parts, columns, most):
    lines = flowed(parts, columns, '  ', most)
    assert all(width(each) <= columns for each in lines)
    assert most is None or len(lines) <= most
    for part in parts:
        assert width(plain(cut(line(part), columns))) <= columns
        assert width(plain(padded(line(part), columns))) == columns
