"""One loop instead of many tests: every case runs, and those that fail are named."""

from __future__ import annotations

import asyncio
import inspect

import numpy as np
import pytest
from cases import for_each

NUMBERS = []


@for_each('number', [1, 2, 3])
@for_each(('left', 'right'), [(0, 'a'), (5, 'b')])
def test_all_combinations_run(number, left, right):
    NUMBERS.append((number, left, right))


def test_all_combinations_have_run():
    test_all_combinations_run()
    assert NUMBERS[-6:] == [(1, 0, 'a'), (1, 5, 'b'), (2, 0, 'a'), (2, 5, 'b'), (3, 0, 'a'),
                            (3, 5, 'b')]


def test_those_that_fail_are_named_and_the_others_run():
    ran = []

    @for_each('number', [1, 2, 3, 4])
    def broken(number):
        ran.append(number)
        assert number % 2, 'even'
    with pytest.raises(AssertionError) as caught:
        broken()
    assert ran == [1, 2, 3, 4]
    text = str(caught.value)
    assert text.startswith('2 of 4 cases failed:\n[number=2]\n    even')
    assert '[number=4]\n    even' in text
    assert '=1]' not in text
    assert 'even' in str(caught.value.__cause__)


def test_errors_of_every_kind_are_failures():
    @for_each('how', [lambda: pytest.fail('said so'), lambda: {}['key'], lambda: 1 / 0,
                      lambda: pytest.skip('not now')],
              ids=['fail', 'lookup', 'division', 'skip'])
    def broken(how):
        how()
    with pytest.raises(AssertionError, match='4 of 4 cases failed') as caught:
        broken()
    for text in ('[fail]\n    said so', "[lookup]\n    KeyError: 'key'",
                 '[division]\n    ZeroDivisionError: division by zero',
                 '[skip]\n    Skipped: not now'):
        assert text in str(caught.value)


def test_of_many_failures_all_are_named_and_ten_are_explained():
    @for_each('number', range(30))
    def broken(number):
        raise ValueError(f'because of {number}')
    with pytest.raises(AssertionError) as caught:
        broken()
    assert str(caught.value).count('because of') == 10
    assert str(caught.value).endswith('[number=28]; [number=29]')


def test_the_cases_can_be_looked_at_and_fixtures_stay():
    @for_each(('a', 'b'), [(1, 2), pytest.param(3, 4, id='another')])
    def checked(rng, a, b):
        pass
    assert list(inspect.signature(checked).parameters) == ['rng']
    assert len(checked.cases) == 2


def test_a_name_that_was_given_is_used():
    @for_each(('a', 'b'), [(1, 2), pytest.param(3, 4, id='another')])
    def broken(a, b):
        assert a == b
    with pytest.raises(AssertionError) as caught:
        broken()
    assert '[a=1, b=2]' in str(caught.value)
    assert '[another]' in str(caught.value)


def test_no_cases_and_cases_of_another_size_are_mistakes():
    with pytest.raises(ValueError, match=r"for_each\('a'\) has no cases"):
        for_each('a', [])
    with pytest.raises(ValueError, match='a case has 1 values: \\(1,\\)'):
        for_each('a, b', [(1,)])


@for_each('number', [1, 2, 3])
def test_every_case_gets_the_same_random_numbers(rng, number):
    assert rng.random() == np.random.default_rng(20130729).random()


@for_each('number', [1, 2, 3])
def test_every_case_has_a_folder_of_its_own_and_patches_that_are_undone(
        tmp_path, monkeypatch, number):
    assert list(tmp_path.iterdir()) == []
    (tmp_path / 'file').touch()
    assert for_each.__module__ == 'cases'
    monkeypatch.setattr(for_each, '__module__', str(number))


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'file'


@for_each('number', [1, 2, 3])
def test_every_case_has_a_file_of_its_own_if_it_is_not_there_yet(path, tmp_path, number):
    assert path == tmp_path / 'file'
    assert not path.exists()
    path.touch()


def test_a_test_that_waits_for_its_cases_is_one_too():
    ran = []

    @for_each('number', [1, 2, 3])
    async def broken(number):
        await asyncio.sleep(0.0)
        ran.append(number)
        assert number != 2, 'two'
    assert inspect.iscoroutinefunction(broken)
    with pytest.raises(AssertionError, match='1 of 3 cases failed'):
        asyncio.run(broken())
    assert ran == [1, 2, 3]


@for_each('number', [1, 2])
class TestClass:
    def test_a_class_is_decorated_as_a_whole(self, number):
        assert number in (1, 2)

    @for_each('other', [3])
    def test_methods_may_have_cases_of_their_own(self, number, other):
        assert (number, other) in ((1, 3), (2, 3))
