"""Strategies by name: ours, and those of others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from cases import for_each
from worlds import threshold_corridor

from gbs_irl_ros.core import Learner, Problem, QueryStrategy, choose_state
from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy, register_strategy, usual_strategy
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.questions import QuestionKind


@dataclass(frozen=True)
class FirstClassQuery(QueryStrategy):
    """Ask about a class of states, or those nearest to it in number."""

    name: ClassVar[str] = 'first_class'
    near: int = 0

    def choose(self, situation, rng):
        numbers = np.arange(situation.hypotheses.sets.num_classes)
        return choose_state(situation, -1.0 * abs(numbers - self.near), rng)


@pytest.fixture
def registry():
    """Undo what a test registers."""
    before = dict(STRATEGIES)
    yield STRATEGIES
    STRATEGIES.clear()
    STRATEGIES.update(before)


def test_strategies_are_made_by_name_with_their_options():
    assert make_strategy('gbs3', c_hat=0.5).c_hat == 0.5
    assert isinstance(make_strategy('gbs'), STRATEGIES['gbs'])


def test_an_unknown_strategy_is_named_with_the_known_ones_and_the_nearest():
    with pytest.raises(UnknownNameError) as caught:
        make_strategy('iqbk')
    assert str(caught.value) == (f"unknown question strategy 'iqbk'; known: {sorted(STRATEGIES)}. "
                                 "Did you mean 'iqbc'?")


def test_an_unknown_option_is_named_with_the_known_ones():
    text = r"strategy 'gbs3' has no option 'chat'; it has \['c_hat'\]"
    with pytest.raises(InvalidOptionError, match=text):
        make_strategy('gbs3', chat=0.5)
    with pytest.raises(InvalidOptionError, match="'gbs' has no option 'x'; it has none"):
        make_strategy('gbs', x=1)


def test_a_strategy_of_somebody_else_is_made_by_its_name_once_it_is_registered(registry):
    with pytest.raises(UnknownNameError, match="unknown question strategy 'first_class'"):
        make_strategy('first_class')
    assert register_strategy(FirstClassQuery) is FirstClassQuery
    assert make_strategy('first_class', near=3) == FirstClassQuery(near=3)
    learner = Learner(Problem(threshold_corridor(5)), strategy='first_class')
    assert learner.strategy == FirstClassQuery()
    assert learner.ask().kind is QuestionKind.ACTION
    assert learner.certificate.void == (
        'the paper bounds the error of gbs, gbs1 and gbs3, not of first_class',)
    with pytest.raises(InvalidOptionError, match=r"no option 'far'; it has \['near'\]"):
        make_strategy('first_class', far=1)


def test_registering_it_twice_is_harmless(registry):
    register_strategy(FirstClassQuery)
    register_strategy(FirstClassQuery)
    assert list(registry).count('first_class') == 1


def test_a_name_that_is_taken_is_refused(registry):
    @dataclass(frozen=True)
    class Mine(FirstClassQuery):
        name: ClassVar[str] = 'gbs'

    text = re.escape(f"the name 'gbs' of {Mine!r} is taken by {GbsQuery!r}")
    with pytest.raises(InvalidOptionError, match=text):
        register_strategy(Mine)
    assert registry['gbs'] is GbsQuery


class Nameless(QueryStrategy):
    """Has no name, and is not a dataclass."""


class NotDerived:
    """Has a name only."""

    name = 'not_derived'


@for_each('wrong', [Nameless, NotDerived, FirstClassQuery(), 'gbs', None])
def test_what_is_not_a_strategy_is_refused(wrong, registry):
    with pytest.raises(InvalidOptionError, match=re.escape(
            'a strategy must be a dataclass that is derived from QueryStrategy and has a name, '
            f'got {wrong!r}')):
        register_strategy(wrong)
    assert wrong not in registry.values()


@for_each(('kind', 'name'), [('action', 'gbs'), ('yes_no', 'gbs_binary'),
                             ('reward', 'gbs_reward')])
def test_each_kind_of_question_has_a_usual_strategy(kind, name):
    assert usual_strategy(QuestionKind(kind)).name == name


@for_each(('name', 'version'), [('gbs1', 1), ('gbs1_cstar', 1), ('gbs', 2), ('gbs3', 3)])
def test_the_versions_of_the_paper_know_their_number(name, version):
    assert make_strategy(name).version == version
    assert {name for name in STRATEGIES if make_strategy(name).version is not None} == {
        'gbs', 'gbs1', 'gbs1_cstar', 'gbs3'}
