"""The command that runs experiments, as a person types it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import joblib
import pytest
from small_sweeps import SMALL
from waiting import patience, wait_for

from gbs_irl_ros.experiments import command
from gbs_irl_ros.experiments.command import main
from gbs_irl_ros.experiments.rows import ROWS
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.sweeps import SWEEPS

ROOT = Path(__file__).parents[2]
NAME = SMALL.name
LONGER = SWEEPS['supersets'].quick()        # some seconds, with many short trials


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ran(monkeypatch):
    """A list of (experiment, workers, backend) that would have been run; none is."""
    calls = []

    def run(experiment, progress):
        parallel = joblib.Parallel()
        calls.append((experiment, parallel.n_jobs, type(parallel._backend).__name__))
    monkeypatch.setattr(Experiment, 'run', run)
    monkeypatch.setattr(command, 'find_facts', lambda *given: [])
    return calls


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(command, 'SWEEPS', {NAME: SMALL})


# ---- what is run --------------------------------------------------------------------------------

def test_without_names_every_experiment_is_run(here, ran):
    assert main([]) == 0
    assert [experiment.sweep for experiment, *_ in ran] == list(SWEEPS.values())
    assert {experiment.rows.parent for experiment, *_ in ran} == {Path('.paper', 'full')}


def test_quick_experiments_are_kept_elsewhere(here, ran):
    assert main(['--quick', 'trap_world', 'driver']) == 0
    assert [experiment.sweep for experiment, *_ in ran] == [
        SWEEPS['trap_world'].quick(), SWEEPS['driver'].quick()]
    assert [experiment.rows for experiment, *_ in ran] == [
        Path('.paper', 'quick', 'trap_world.csv'), Path('.paper', 'quick', 'driver.csv')]


@pytest.mark.parametrize(('arguments', 'workers'), [([], -1), (['--jobs', '3'], 3)])
def test_jobs_are_the_workers(here, ran, arguments, workers):
    assert main(['--rows', 'rows', *arguments, NAME]) == 0
    assert [(experiment.rows, jobs, backend) for experiment, jobs, backend in ran] == [
        (Path('rows', f'{NAME}.csv'), workers, 'LokyBackend')]


@pytest.mark.slow
@pytest.mark.usefixtures('small')
def test_rows_are_written_and_said(here, capsys):
    assert main(['--rows', 'rows', '--jobs', '1', NAME]) == 0
    assert len(ROWS.read(here / 'rows' / f'{NAME}.csv')) == 4 * 10
    said = capsys.readouterr()
    assert said.out == ''
    assert said.err.splitlines()[0] == 'paper: Small: 4 trials'
    assert said.err.splitlines()[1].startswith('paper: Small: 4 of 4 trials, ')
    assert main(['--rows', 'rows', '--jobs', '1', NAME]) == 0
    assert capsys.readouterr().err.splitlines()[0] == 'paper: Small: all 4 trials are there'


def test_to_draw_only_runs_nothing(here, ran, capsys):
    assert main(['--rows', 'rows', '--draw-only', NAME]) == 0
    assert ran == []
    assert list(here.rglob('*.csv')) == []


# ---- what is refused ----------------------------------------------------------------------------

def refused(arguments, capsys):
    assert main(['--rows', 'rows', *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ''
    return said.err


def test_an_unknown_experiment_is_refused_before_anything_is_run(here, ran, capsys):
    assert refused([NAME, 'diver'], capsys) == (
        "paper: 'diver' is not an experiment; expected some of " + ', '.join(SWEEPS)
        + ', trust, effort, comparison\n')
    assert ran == []


@pytest.mark.parametrize(('backend', 'problem'), [
    ('ray@no_such_module:register', "'no_such_module:register' cannot be called: No module named "
                                    "'no_such_module'"),
    ('ray@json:register', "'json:register' cannot be called: module 'json' has no attribute "
                          "'register'"),
    ('ray@json', "'json' cannot be called: module 'json' has no attribute ''"),
    ('ray@:register', "':register' cannot be called: Empty module name"),
    ('ray@.json:register', "'.json:register' cannot be called: the 'package' argument is required "
                           "to perform a relative import for '.json'"),
    ('ray@os:sep', "'os:sep' cannot be called: 'str' object is not callable"),
    ('ray@json:dumps', "'json:dumps' cannot be called: dumps() missing 1 required positional "
                       "argument: 'obj'")])
def test_a_backend_that_cannot_be_registered_is_refused(here, ran, capsys, backend, problem):
    assert refused(['--backend', backend, NAME], capsys) == f'paper: --backend: {problem}\n'
    assert ran == []


def test_a_backend_that_there_is_not_is_refused(here, ran, capsys):
    assert refused(['--backend', 'nonsense?a=b', NAME], capsys) == (
        "paper: --backend: 'nonsense?a=b' cannot be used: Invalid backend: nonsense, expected one "
        f'of {sorted(joblib.parallel.BACKENDS)}\n')
    assert ran == []


def test_no_workers_at_all_are_refused(here, ran, capsys):
    assert refused(['--jobs', '0', NAME], capsys) == (
        'paper: --jobs: must not be 0; expected a number of workers, or -1 for all\n')
    assert ran == []


@pytest.mark.usefixtures('small')
def test_a_folder_that_is_a_file_is_refused(here, capsys):
    (here / 'rows').write_text('not a folder')
    assert refused(['--jobs', '1', NAME], capsys) == 'paper: rows: File exists\n'


def test_a_cluster_that_is_not_there_is_told_in_its_own_words(here, monkeypatch, capsys):
    """As distributed tells it: an OSError with a text and no file."""
    def run(experiment, progress):
        raise OSError('Timed out trying to connect to tcp://127.0.0.1:9 after 30 s')
    monkeypatch.setattr(Experiment, 'run', run)
    assert refused([NAME], capsys) == (
        'paper: Timed out trying to connect to tcp://127.0.0.1:9 after 30 s\n')


@pytest.mark.slow
@pytest.mark.usefixtures('small')
def test_rows_of_other_settings_are_refused(here, monkeypatch, capsys):
    assert main(['--rows', 'rows', '--jobs', '1', NAME]) == 0
    monkeypatch.setattr(command, 'SWEEPS', {NAME: replace(SMALL, seed=2)})
    capsys.readouterr()
    assert refused(['--jobs', '1', NAME], capsys) == (
        f'paper: rows/{NAME}.csv: has rows of other settings (seed is 1, expected 2); remove it, '
        'or use another folder (--rows)\n')


def test_workers_must_be_a_number(here, ran, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['--jobs', 'many'])
    assert ended.value.code == 2
    assert "argument --jobs: invalid int value: 'many'" in capsys.readouterr().err
    assert ran == []


def test_help_tells_of_every_experiment_and_option(capsys):
    with pytest.raises(SystemExit) as ended:
        main(['--help'])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith('usage: python -m gbs_irl_ros.experiments')
    words = said.replace(',', ' ').replace(';', ' ').split()
    for word in (*SWEEPS, 'trust', '--trust-page', 'effort', '--effort-page', 'comparison',
                 '--comparison-page', '--parquet', '--quick', '--rows', '--jobs', '--backend',
                 '--draw-only'):
        assert word in words, word
    assert 'NAME[@MODULE:FUNCTION][?KEY=VALUE&...]' in said


# ---- other backends -----------------------------------------------------------------------------

REGISTERS = """
import joblib
from joblib._parallel_backends import SequentialBackend

made = []


class Recorded(SequentialBackend):
    def __init__(self, nesting_level=None, inner_max_num_threads=None, **options):
        super().__init__(nesting_level=nesting_level)
        made.append(options)


def register():
    joblib.register_parallel_backend('recorded', Recorded)
"""


@pytest.fixture
def registers(tmp_path, monkeypatch):
    """A module that registers a backend, and remembers the options of those that are made."""
    (tmp_path / 'registers_backend.py').write_text(REGISTERS)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda: sys.modules['registers_backend'].made
    joblib.parallel.BACKENDS.pop('recorded', None)
    sys.modules.pop('registers_backend', None)


@pytest.mark.parametrize(('options', 'expected'), [
    ('', {}), ('?', {}), ('?address=tcp://127.0.0.1:5&retries=&', {'address': 'tcp://127.0.0.1:5',
                                                                  'retries': ''}),
    ('?a=b=c', {'a': 'b=c'})])
def test_a_backend_is_registered_and_given_its_options(here, ran, registers, options, expected):
    backend = f'recorded@registers_backend:register{options}'
    assert main(['--rows', 'rows', '--backend', backend, NAME]) == 0
    assert registers()[0] == expected
    assert [used for *_, used in ran] == ['Recorded']


def test_a_backend_that_joblib_knows_needs_no_module(here, ran):
    assert main(['--rows', 'rows', '--backend', 'threading', '--jobs', '2', NAME]) == 0
    assert [(jobs, backend) for _, jobs, backend in ran] == [(2, 'ThreadingBackend')]


# ---- stopped ------------------------------------------------------------------------------------

def test_ctrl_c_ends_with_130_and_a_word_of_comfort(here, monkeypatch, capsys):
    def run(experiment, progress):
        raise KeyboardInterrupt
    monkeypatch.setattr(Experiment, 'run', run)
    assert main(['--rows', 'rows', NAME]) == 130
    assert capsys.readouterr() == ('', 'paper: stopped; the same command continues from here\n')


class Running:
    """The command in a process group of its own, as a terminal starts it."""

    def __init__(self, folder, *arguments):
        self.log = folder / 'log'
        self.rows = folder / 'rows'
        with self.log.open('w') as log:
            self.process = subprocess.Popen(
                [sys.executable, '-m', 'gbs_irl_ros.experiments', '--quick', '--rows',
                 str(self.rows), *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def said(self):
        return self.log.read_text()

    def whole_trials(self):
        assert self.process.poll() is None, self.said()
        return Experiment(LONGER, self.rows).whole_trials

    def press_ctrl_c(self):
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=patience(60))


@pytest.mark.slow
def test_a_real_run_is_stopped_by_ctrl_c_and_gone_on_with(tmp_path):
    with Running(tmp_path, '--jobs', '2', LONGER.name) as first:
        wait_for(lambda: first.whole_trials() > 0, 'a trial')
        assert first.press_ctrl_c() == 130, first.said()
    lines = first.said().splitlines()
    assert lines[0] == f'paper: {LONGER.title}: 40 trials'
    assert lines[-1] == 'paper: stopped; the same command continues from here'
    assert 'command.py' not in first.said()     # joblib's own workers may die with a traceback
    experiment = Experiment(LONGER, first.rows)
    done, rows = experiment.whole_trials, experiment.rows.read_bytes()
    assert 0 < done < 40
    with Running(tmp_path, '--jobs', '1', LONGER.name) as second:
        wait_for(lambda: second.whole_trials() > done, 'another trial')
        assert second.press_ctrl_c() == 130, second.said()
    assert second.said().splitlines()[0] == (
        f'paper: {LONGER.title}: 40 trials, going on after {done}')
    assert experiment.rows.read_bytes().startswith(rows)
    seen = [(row.mdp, row.trial, row.method, row.step) for row in ROWS.read(experiment.rows)]
    assert len(set(seen)) == len(seen)
