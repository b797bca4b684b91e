"""The errors of the package."""

from __future__ import annotations

import inspect
import pickle

import pytest
from cases import for_each

from gbs_irl_ros.core import errors
from gbs_irl_ros.core.errors import GbsIrlError, UnknownNameError
from gbs_irl_ros.tasks import TaskFileError

OURS = [value for _, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, GbsIrlError) and value is not GbsIrlError]


@for_each('error', OURS)
def test_every_error_is_also_a_built_in_one(error):
    assert issubclass(error, (ValueError, RuntimeError, KeyError, ImportError))


@for_each('error', OURS)
def test_every_error_says_when_it_is_raised(error):
    assert error.__doc__
    assert error.__doc__.endswith('.')


@for_each('error', [*OURS, *GbsIrlError.__subclasses__()])
def test_every_error_arrives_from_a_worker_as_it_was_raised(error):
    raised = error('colour', 'gren', ['green']) if error is UnknownNameError \
        else error(['this is wrong', 'that too'] if error is TaskFileError else 'this is wrong')
    arrived = pickle.loads(pickle.dumps(raised))
    assert type(arrived) is error
    assert str(arrived) == str(raised)
    assert vars(arrived) == vars(raised)


def test_an_unknown_name_is_shown_with_all_known_names_and_the_nearest():
    error = UnknownNameError('colour', 'gren', ['red', 'green', 'blue'])
    assert str(error) == (
        "unknown colour 'gren'; known: ['blue', 'green', 'red']. Did you mean 'green'?")


def test_an_unknown_name_like_no_other_gets_no_hint():
    error = UnknownNameError('colour', 'xyzzy', ['red', 'green'])
    assert str(error) == "unknown colour 'xyzzy'; known: ['green', 'red']."


def test_an_unknown_name_may_be_anything_and_is_not_quoted_twice():
    assert str(UnknownNameError('colour', 7, [])) == 'unknown colour 7; known: [].'


def test_an_unknown_name_is_caught_as_a_key_error():
    with pytest.raises(KeyError, match='unknown colour'):
        raise UnknownNameError('colour', 'gren', ['green'])
