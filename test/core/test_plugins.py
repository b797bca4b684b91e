"""What installed packages declare is known by name, and one that is broken harms nobody else."""

from __future__ import annotations

import pickle
import re
import sys
from types import ModuleType

import pytest
from cases import for_each
from plugin_packages import forget_entry_points, plugin_folder
from worlds import threshold_corridor

from gbs_irl_ros.core import Learner, Problem, registry
from gbs_irl_ros.core.errors import InvalidOptionError, PluginError, UnknownNameError
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy, usual_strategy
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.questions import QuestionKind

GOOD = '''
from dataclasses import dataclass
from typing import ClassVar
from gbs_irl_ros.core import QueryStrategy, choose_state, register_strategy

@register_strategy
@dataclass(frozen=True)
class Last(QueryStrategy):
    """Ask about the last class."""

    name: ClassVar[str] = 'last'
    weight: float = 1.0

    def __post_init__(self):
        if self.weight < 0:
            raise ValueError('weight must not be negative')

    def choose(self, situation, rng):
        return choose_state(situation, self.weight * situation.weighted_predictions, rng)
'''


def test_an_entry_point_is_loaded_when_its_name_is_used(plugins):
    plugins.add('good-plugin', GOOD, strategies='last = good_plugin:Last')
    assert 'last' in STRATEGIES
    assert list(STRATEGIES)[-1] == 'last'
    assert len(STRATEGIES) == len(STRATEGIES.ours) + 1
    assert 'good_plugin' not in sys.modules
    assert make_strategy('last', weight=2.0).weight == 2.0
    assert Learner(Problem(threshold_corridor(5)), strategy='last').ask() is not None
    assert STRATEGIES['last'] is sys.modules['good_plugin'].Last
    assert usual_strategy(QuestionKind.ACTION).name == 'gbs'
    assert STRATEGIES.problems() == {}
    assert repr(STRATEGIES).endswith("'last'])")


def test_options_that_it_does_not_take_are_its_own_error(plugins):
    plugins.add('good-plugin', GOOD, strategies='last = good_plugin:Last')
    with pytest.raises(PluginError, match=re.escape(
            "strategy 'last' (good_plugin.Last) does not take the options {'weight': -1}: "
            'ValueError: weight must not be negative (') + r'.*good_plugin\.py:16\)'):
        make_strategy('last', weight=-1)
    with pytest.raises(InvalidOptionError, match=r"no option 'w'; it has \['weight'\]"):
        make_strategy('last', w=1)


NOT_LOADED = 'the question strategy {0!r} of {1} (entry point {2!r}) '
BROKEN = {
    'missing': ('import nothing_like_this', 'missing = bad:Missing',
                "cannot be loaded: ModuleNotFoundError: No module named 'nothing_like_this' (*"),
    'absent': ('', 'absent = bad:Absent',
               "cannot be loaded: AttributeError: module 'bad' has no attribute 'Absent'*"),
    'syntax': ('def', 'syntax = bad:Syntax', 'cannot be loaded: SyntaxError: *'),
    'raises': ('raise KeyError("no licence")', 'raises = bad:Raises',
               "cannot be loaded: KeyError: 'no licence' (*bad.py:1)"),
    'number': ('Number = 3', 'number = bad:Number',
               'cannot be used: a strategy must be a dataclass that is derived from QueryStrategy '
               'and has a name, got 3'),
    'other': (GOOD, 'other = bad:Last', "calls itself 'last'; both names must be the same"),
    'gbs': (GOOD.replace("'last'", "'gbs'"), 'gbs = bad:Last',
            'has the name of one of gbs_irl_ros itself, which is used instead; it needs another '
            'name'),
}


@for_each('name', sorted(BROKEN))
def test_a_broken_one_is_named_and_the_others_work(name, tmp_path):
    code, entry, problem = BROKEN[name]
    expected = NOT_LOADED.format(name, 'bad', entry.split(' = ')[1]) + problem
    pattern = re.escape(expected).replace(r'\*', '.*') + '$'
    with plugin_folder(tmp_path / name) as plugins:
        plugins.add('bad', code, strategies=entry)
        plugins.add('good-plugin', GOOD.replace("'last'", "'good'"),
                    strategies='good = good_plugin:Last')
        assert re.match(pattern, STRATEGIES.problems()[name]), STRATEGIES.problems()[name]
        if name == 'gbs':
            assert make_strategy('gbs') == GbsQuery()
        else:
            with pytest.raises(PluginError, match=pattern) as caught:
                make_strategy(name)
            assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
        assert make_strategy('good').weight == 1.0


def test_a_name_that_two_packages_declare_is_not_guessed(plugins):
    plugins.add('one', GOOD, strategies='last = one:Last')
    plugins.add('two', GOOD, strategies='last = two:Last')
    with pytest.raises(PluginError, match=(
            r"the question strategy 'last' of (one|two) \(entry point '\1:Last'\) has the same "
            r"name as that of (one|two) \(entry point '\2:Last'\); uninstall one of them")):
        make_strategy('last')


def test_a_name_that_a_script_has_registered_is_taken(plugins):
    plugins.add('one', GOOD.replace('last = ', ''), strategies='other = one:Last')
    plugins.add('two', GOOD, strategies='last = two:Last')
    make_strategy('last')
    assert re.search(r"'other' of one \(entry point 'one:Last'\) cannot be loaded: "
                     "InvalidOptionError: the name 'last' of .* is taken by .*two.Last",
                     STRATEGIES.problems()['other'])


def test_the_same_definition_may_be_registered_again(plugins, monkeypatch):
    """As when a cell of a notebook is run twice; another class of that name is refused."""
    cells, elsewhere = ModuleType('cells'), ModuleType('elsewhere')
    for module in (cells, elsewhere):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(GOOD, vars(cells))
    exec(GOOD.replace('1.0', '3.0'), vars(cells))
    assert make_strategy('last').weight == 3.0
    with pytest.raises(InvalidOptionError, match=r"the name 'last' of .*elsewhere.*is taken by"):
        exec(GOOD, vars(elsewhere))


def test_an_unknown_name_is_told_with_those_that_are_declared(plugins):
    plugins.add('good-plugin', GOOD, strategies='last = good_plugin:Last')
    with pytest.raises(UnknownNameError, match=r"'last'.*Did you mean 'last'"):
        make_strategy('lastt')


def test_nothing_is_looked_for_as_long_as_our_own_names_are_used(plugins):
    """Entry points are read from all installed packages: a small robot should not wait for it."""
    forget_entry_points()
    assert Learner(Problem(threshold_corridor(5)), strategy='gbs').ask() is not None
    assert registry._all_entry_points.cache_info().misses == 0
