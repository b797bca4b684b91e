"""The bytes of a keyboard as keys."""

from __future__ import annotations

import itertools

import hypothesis.strategies as some
import pytest
from cases import for_each
from hypothesis import given, settings

from gbs_irl_ros.teaching.terminal.key_reader import (
    BACKSPACE,
    DOWN,
    ENTER,
    ESCAPE,
    LEFT,
    REDRAW,
    RIGHT,
    UP,
    KeyReader,
)

MODEST = settings(deadline=None, derandomize=True, max_examples=200)


@for_each(('data', 'keys'), [
    (b'aZ1?= ', ['a', 'Z', '1', '?', '=', ' ']),
    (b'\x1b[A\x1b[B\x1b[C\x1b[D', [UP, DOWN, RIGHT, LEFT]),
    (b'\x1bOA\x1bOB\x1bOC\x1bOD', [UP, DOWN, RIGHT, LEFT]),
    (b'\x1b[1;5C\x1b[1;2A', [RIGHT, UP]),
    (b'\r\n', [ENTER, ENTER]), (b'\x7f\x08', [BACKSPACE, BACKSPACE]), (b'\x0c', [REDRAW]),
    ('äö日'.encode(), ['ä', 'ö', '日']),
    (b'\x1b[3~x', ['x']), (b'\x1b[15~', []), (b'\x1bOPx', ['x']), (b'\x1b[[Ax', ['x']),
    (b'\x1b[200~', []), (b'\x00\x04\t', []), (b'\xff\xfex', ['x']),
    (b'\x1bx', [ESCAPE, 'x']), (b'\x1b\x1b[A', [ESCAPE, UP]), (b'\x1b[\x1b[A', [UP]),
    (b'\x1b[' + b'1' * 100 + b'x', ['1'] * 70 + ['x']),
])
def test_keys(data, keys):
    reader = KeyReader()
    assert reader.feed(data) == keys
    assert not reader.is_waiting


@for_each('data', [b'\x1b[A', b'\x1bOB', b'\x1b[1;5C', 'é'.encode(), '日'.encode()])
def test_a_key_may_come_in_pieces(data):
    whole = KeyReader().feed(data)
    assert len(whole) == 1
    reader = KeyReader()
    pieces = [reader.feed(data[place:place + 1]) for place in range(len(data))]
    assert pieces == [[]] * (len(data) - 1) + [whole]


def test_an_escape_alone_is_a_key_when_nothing_follows():
    reader = KeyReader()
    assert reader.feed(b'\x1b') == []
    assert reader.is_waiting
    assert reader.flush() == [ESCAPE]
    assert not reader.is_waiting
    assert reader.flush() == []
    assert reader.feed(b'a') == ['a']


@pytest.mark.parametrize('rest', [b'[A', b'OA'])
def test_the_rest_of_an_arrow_that_is_late_is_no_answer(rest):
    """A stray A would mean west."""
    reader = KeyReader()
    reader.feed(b'\x1b')
    reader.flush()
    assert reader.feed(rest) == [UP]


def test_only_an_escape_alone_is_given_up():
    reader = KeyReader()
    reader.feed(b'\x1b[')
    assert not reader.is_waiting
    assert reader.flush() == []
    assert reader.feed(b'D') == [LEFT]


def test_another_encoding():
    assert KeyReader('latin-1').feed(b'\xe4') == ['ä']


@MODEST
@given(some.binary(max_size=40), some.lists(some.integers(0, 40), max_size=5))
def test_pieces_make_no_difference_and_nothing_is_unprintable(data, cuts):
    reader = KeyReader()
    places = [0, *sorted(cuts), len(data)]
    keys = [key for begin, end in itertools.pairwise(places)
            for key in reader.feed(data[begin:end])]
    assert keys == KeyReader().feed(data)
    assert all(key.isprintable() for key in keys)
