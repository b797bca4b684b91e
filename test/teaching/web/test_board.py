"""What pages show: the newest of each section, never an older one after a newer one."""

from __future__ import annotations

import json
import math
import sys
import threading

import pytest
from cases import for_each
from waiting import patience

from gbs_irl_ros.teaching.web.board import Board


@pytest.fixture
def board():
    return Board()


@pytest.fixture
def in_a_hurry():
    """Let threads take turns far more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def news(board, since=0):
    version, text = board.news(since)
    return version, json.loads(text) if text else None


def test_an_empty_board_has_no_news(board):
    assert board.news(0) == (0, '')


def test_each_section_is_shown_once_to_whoever_has_seen_it(board):
    board.put('belief', {'sure': 0.5})
    board.put('robot', None)
    version, seen = news(board)
    assert seen == {'belief': {'sure': 0.5}, 'robot': None}
    assert news(board, version) == (version, None)
    assert news(board, 0) == (version, seen)
    board.put('robot', [1])
    later, seen = news(board, version)
    assert later > version
    assert seen == {'robot': [1]}


def test_whoever_is_slow_gets_the_newest_only(board):
    for number in range(100):
        board.put('robot', number)
        board.put('belief', -number)
    assert news(board)[1] == {'robot': 99, 'belief': -99}


def test_the_same_value_again_is_no_news(board):
    changes = []
    board.on_change(lambda: changes.append(1))
    board.put('robot', {'a': 1})
    version, _ = news(board)
    board.put('robot', {'a': 1})
    assert news(board, version) == (version, None)
    assert len(changes) == 1
    board.put('robot', {'a': 2})
    board.put('robot', {'a': 1})
    assert news(board, version)[1] == {'robot': {'a': 1}}
    assert len(changes) == 3


def test_none_is_a_value_and_differs_from_nothing(board):
    board.put('question', None)
    assert news(board)[1] == {'question': None}


def test_what_changes_later_in_a_value_is_not_shown(board):
    value = [1]
    board.put('robot', value)
    value.append(2)
    assert news(board)[1] == {'robot': [1]}


@for_each('value', [math.nan, [math.inf], {'a': -math.inf}, {1, 2}, object()])
def test_what_no_page_can_read_is_refused_and_changes_nothing(board, value):
    changes = []
    board.put('robot', 1)
    board.on_change(lambda: changes.append(1))
    with pytest.raises((ValueError, TypeError)):
        board.put('robot', value)
    assert news(board)[1] == {'robot': 1}
    assert not changes


@for_each('text', ['"}', '</script>', '\u2028', '\ud800', 'ä\0'])
def test_any_text_comes_back_as_it_was(board, text):
    board.put(text, [text])
    assert news(board)[1][text] == [text]
    assert board.news(0)[1].isascii()


def test_a_change_is_told_when_it_can_be_seen(board):
    seen = []
    board.on_change(lambda: seen.append(news(board)[1]))
    board.put('robot', 1)
    assert seen == [{'robot': 1}]


def test_threads_in_a_hurry_never_show_an_older_value_after_a_newer_one(board, in_a_hurry):
    """Four writers count upwards, each in a section; four readers see them only grow."""
    most, sections = 400, [f'section{number}' for number in range(4)]
    problems, finals = [], []

    def write(section):
        for number in range(most):
            board.put(section, number)

    def read():
        version, last = 0, dict.fromkeys(sections, -1)
        while min(last.values()) < most - 1:
            newer, seen = news(board, version)
            if newer < version or (newer == version) != (seen is None):
                problems.append((version, newer, seen))
            for section, number in (seen or {}).items():
                if number <= last[section]:
                    problems.append((section, last[section], number))
                last[section] = number
            version = newer
        finals.append(last)
    threads = [threading.Thread(target=write, args=(section,)) for section in sections] \
        + [threading.Thread(target=read, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience(30.0))
    assert not problems
    assert finals == [dict.fromkeys(sections, most - 1)] * 4


def test_writers_of_one_section_leave_the_value_of_the_last_version(board, in_a_hurry):
    def write(start):
        for number in range(300):
            board.put('robot', start + number)
    threads = [threading.Thread(target=write, args=(1000 * each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience(30.0))
    version, seen = news(board)
    assert version == 1200
    assert seen['robot'] % 1000 == 299
