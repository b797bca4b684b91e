"""Own sweeps: run, tables and figures without touching the package."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from cases import for_each
from small_sweeps import GBS, RANDOM, SMALL, TwoPlaces, quiet
from waiting import patience

from gbs_irl_ros.core import BoltzmannLikelihood, QueryStrategy, choose_state
from gbs_irl_ros.core.errors import InvalidOptionError, PluginError, UnknownNameError
from gbs_irl_ros.experiments import (
    Draw,
    ExperimentError,
    GoalGrid,
    Method,
    RandomMdps,
    Study,
    Sweep,
    compare,
    make_domain,
    register_domain,
)
from gbs_irl_ros.experiments.figures import LOOKS, look_of
from gbs_irl_ros.experiments.rows import ROWS

SCRIPT = Path(__file__).parent / 'own_script.py'


@dataclass(frozen=True)
class AsksOnce(QueryStrategy):
    """Has one question only."""

    name: ClassVar[str] = 'asks_once'

    def choose(self, situation, rng):
        if situation.certainty > 0.6:
            return None
        return choose_state(situation, -situation.weighted_predictions, rng)


OWN = Sweep('own', 'Own', TwoPlaces(), (GBS, Method('once', AsksOnce()), RANDOM), trials=2,
            steps=6)


@pytest.mark.slow
def test_a_script_runs_its_own_strategy_and_domain_in_two_workers(tmp_path):
    """What it defines itself reaches the workers, and so does what goes wrong in it."""
    script = shutil.copy(SCRIPT, tmp_path)      # nothing of the checkout lies beside it
    done = subprocess.run([sys.executable, '-W', 'error', script, tmp_path, '2'], cwd=tmp_path,
                          capture_output=True, text=True, timeout=patience(240))
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert 'study: 3 of 3, Corridor 2: 3 of 3 trials' in done.stderr
    assert said[-2] == 'RandomMdps.png Corridor.png Corridor_2.png results.csv differences.csv'
    assert [line.split(' | ')[1] for line in said[2:-2]] == 3 * ['GBS-IRL', 'gini']
    assert re.fullmatch(
        r"PluginError: failing, trial [01], method mine: the strategy 'gini' \(__main__\.Gini\) "
        r'failed: LookupError: nothing is left \(.*own_script\.py:\d+\)', said[-1]), said[-1]


def test_rows_give_curves_results_differences_and_a_table(tmp_path):
    study = Study([OWN], tmp_path / 'rows').run(1, quiet())
    assert list(study.curves('own')) == ['gbs', 'once', 'random']
    assert [(record['method'], record['trials']) for record in study.results()] == [
        ('gbs', 2), ('once', 2), ('random', 2)]
    assert [(record['first'], record['method']) for record in study.differences()] == [
        ('gbs', 'once'), ('gbs', 'random')]
    head, line, *rest = study.table().splitlines()
    assert head == ('| sweep | method | trials | accuracy after 5 | questions to 0.95 '
                    '| ms per question |')
    assert line == '|---|---|---:|---:|---:|---:|'
    assert [row.split(' | ')[1] for row in rest] == ['GBS-IRL', 'once', 'random']
    files = study.draw(tmp_path / 'drawn')
    assert [path.name for path in files] == ['own.png', 'results.csv', 'differences.csv']
    assert all(path.stat().st_size > 0 for path in files)


def test_a_strategy_that_has_nothing_to_ask_any_more_keeps_what_it_knows(tmp_path):
    Study([OWN], tmp_path).run(1, quiet())
    rows = [row for row in ROWS.read(tmp_path / 'own.csv') if row.method == 'once']
    assert [row.kind for row in rows[:7]] == ['', 'action', '', '', '', '', '']
    assert len({row.p_true for row in rows[1:7]}) == 1


def test_rows_of_other_code_are_refused(tmp_path):
    """Somebody who changes a strategy must not get yesterday's figure."""
    def sweep(utility):
        module = tmp_path / f'version_{len(list(tmp_path.glob("version*")))}.py'
        module.write_text(f"""
from dataclasses import dataclass
from typing import ClassVar
from gbs_irl_ros.core import QueryStrategy, choose_state

@dataclass(frozen=True)
class Mine(QueryStrategy):
    name: ClassVar[str] = 'mine'

    def choose(self, situation, rng):
        return choose_state(situation, {utility}, rng)
""")
        sys.path.insert(0, str(tmp_path))
        try:
            made = __import__(module.stem).Mine
        finally:
            sys.path.remove(str(tmp_path))
        return replace(OWN, methods=(GBS, Method('mine', made())))

    first, changed = sweep('-situation.weighted_predictions'), sweep('situation.optimal_mass[:,0]')
    Study([first], tmp_path / 'rows').run(1, quiet())
    Study([first], tmp_path / 'rows').results()
    with pytest.raises(ExperimentError, match=(
            r"own\.csv: has rows of other settings \(methods\[1\]\.source is '\w{12}', expected "
            r"'\w{12}'\); remove it")):
        Study([changed], tmp_path / 'rows').run(1, quiet())


def test_what_is_missing_is_said(tmp_path):
    study = Study([OWN], tmp_path)
    for look in (study.results, study.differences, lambda: study.draw(tmp_path / 'drawn'),
                 lambda: study.curves('own')):
        with pytest.raises(ExperimentError, match=r'own\.csv: has 0 of 2 trials; run the study f'):
            look()
    with pytest.raises(ExperimentError, match=r"'other' is not a sweep of this study; it has \['"):
        study.curves('other')
    with pytest.raises(ExperimentError, match='jobs must not be 0; expected a number of workers'):
        study.run(0)


@dataclass(frozen=True)
class Broken:
    """Draws a reward for another world."""

    def mdp(self, seed):
        return TwoPlaces().mdp(seed)

    def draw(self, mdp, rng):
        return Draw(None, 3 // int(rng.integers(1)), None)


def test_a_domain_that_fails_is_named(tmp_path):
    with pytest.raises(PluginError, match=r'own: the domain Broken\(\) failed: ZeroDivisionError: '
                                          r'.*test_study\.py:\d+\)'):
        Study([replace(OWN, domain=Broken())], tmp_path).run(1, quiet())


WRONG = [
    (lambda: Study([], 'x'), 'a study must have sweeps of different names, got []'),
    (lambda: Study([OWN, OWN], 'x'), "sweeps of different names, got ['own', 'own']"),
    (lambda: replace(OWN, methods=()), "the sweep 'own' has no method"),
    (lambda: replace(OWN, methods=(GBS, GBS)), "the sweep 'own' has the method 'gbs' twice"),
    (lambda: replace(OWN, domain=3), "the sweep 'own' must have a domain that is a dataclass, "
                                     'got 3'),
    (lambda: replace(OWN, trials=0), "the sweep 'own' must have trials of at least 1, got 0"),
    (lambda: replace(OWN, name='../own'), "the sweep '../own' must have a name that can be that "
                                          'of a file'),
    (lambda: Method('a,b', 'gbs'), 'the name of a method must have 1 to 24 characters and neither '
                                   "commas nor quotation marks, got 'a,b'"),
    (lambda: replace(OWN, domain=TwoPlaces), 'must have a domain that is a dataclass, got <class'),
    (lambda: compare([AsksOnce], [TwoPlaces()], 'x'), "the strategy of the method 'asks_once' "
     'must be a name or a strategy, such as GbsQuery(), got <class'),
    (lambda: compare('gbs', ['room'], 'x'), "strategies must be a list, got 'gbs'"),
    (lambda: compare(['gbs'], 'room', 'x'), "domains must be a list, got 'room'"),
    (lambda: compare(['gbs'], ['goal_gird'], 'x'), "Did you mean 'goal_grid'? Nor is it a task: "
     'goal_gird: is not a task'),
    (lambda: Method(25 * 'x', 'gbs'), 'the name of a method must have 1 to 24 characters'),
]


@for_each(('make', 'text'), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_run_is_refused(make, text):
    with pytest.raises(ExperimentError, match=re.escape(text)):
        make()


def test_sweeps_are_made_of_names_strategies_and_methods(tmp_path):
    exact = Method('gbs_exact', 'gbs', likelihood='exact')
    study = compare(['iqbc', AsksOnce(), exact], ['room', RandomMdps(5, 2), RandomMdps(6, 2)],
                    tmp_path, trials=7, steps=3, seed=5, likelihood='aggregated')
    assert [sweep.name for sweep in study.sweeps] == ['room', 'RandomMdps', 'RandomMdps_2']
    sweep = study.sweeps[0]
    assert sweep.methods == (Method('iqbc', 'iqbc'), Method('asks_once', AsksOnce()), exact)
    assert (sweep.trials, sweep.steps, sweep.seed) == (7, 3, 5)


def test_likelihoods_and_teachers_are_chosen_by_name(tmp_path):
    softmax = Method('softmax', 'gbs', likelihood='boltzmann', likelihood_options=(('eta', 3.0),))
    study = compare([softmax, Method('object', 'gbs', likelihood=BoltzmannLikelihood(3.0))],
                    [TwoPlaces()], tmp_path, trials=2, steps=4, teacher='boltzmann',
                    teacher_options={'eta': 3.0})
    curves = study.run(1, quiet()).curves('TwoPlaces')
    assert np.array_equal(curves['softmax'].p_true, curves['object'].p_true)
    settings = study.sweeps[0].settings()
    assert (settings['teacher'], settings['teacher_options']) == ('boltzmann', (('eta', 3.0),))
    assert settings['methods'][1]['likelihood'] == 'BoltzmannLikelihood(eta=3.0)'


def test_domains_are_known_by_name(plugins):
    assert make_domain('goal_grid', shaped=True) == GoalGrid(shaped=True)
    register_domain('two_places')(TwoPlaces)
    assert compare(['gbs'], ['two_places'], 'x').sweeps[0].domain == TwoPlaces()
    with pytest.raises(InvalidOptionError, match=r"domain 'GoalGrid' has no option 'size'; it has "
                                                 r"\['shaped', 'anywhere'\]"):
        make_domain('goal_grid', size=3)
    with pytest.raises(InvalidOptionError, match='a domain must be a dataclass with the methods md'
                                                 'p and draw, got'):
        register_domain('three')(int)
    with pytest.raises(UnknownNameError, match=r"unknown domain 'goal_gird'.*Did you mean 'goal"):
        make_domain('goal_gird')
    with pytest.raises(InvalidOptionError, match=r"domain 'random_mdps': .*missing 2 required"):
        make_domain('random_mdps')


def test_methods_that_we_do_not_know_are_told_apart_in_figures():
    methods = ['gbs', 'mine', 'yours', 'random']
    looks = [look_of(method, methods) for method in methods]
    assert looks[0] is LOOKS['gbs']
    assert looks[1].label == 'mine'
    assert len({look.colour for look in looks}) == len({str(look.line) for look in looks}) == 4


def test_settings_of_our_own_sweeps_are_those_of_earlier_rows():
    found = SMALL.settings()
    assert set(found['methods'][0]) == {'name', 'strategy', 'options', 'likelihood', 'trials'}
    assert set(found['domain']) == {'kind', 'states', 'actions', 'low', 'most', 'count'}
