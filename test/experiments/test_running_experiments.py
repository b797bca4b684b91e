"""Running sweeps: the same rows whoever works, and stopped at any time."""

from __future__ import annotations

import itertools
import json
import os
import sys
import warnings
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import joblib
import pytest
from cases import for_each
from small_sweeps import GBS, RANDOM, SMALL, quiet

from gbs_irl_ros.experiments import command, running
from gbs_irl_ros.experiments.domains import RandomMdps
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import ROWS, TIMES, ExperimentError, TrialFile
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.sweeps import Method, Sweep
from gbs_irl_ros.experiments.trial import first_problem

NAME = SMALL.name
NOT_TESTED = ('the cluster is NOT TESTED: distributed is missing; install it: '
              'pip install distributed')


def need_distributed():
    """Return the package; without it the tests are left out, and fail in CI."""
    try:
        import distributed
    except ImportError:
        if os.environ.get('CI'):
            pytest.fail(NOT_TESTED)
        pytest.skip(NOT_TESTED)
    return distributed


class StopsAfter(Progress):
    """Is interrupted after so many trials, as by Ctrl-C."""

    def __init__(self, trials):
        super().__init__(quiet()._stream)
        self.trials = trials

    def advance(self, done):
        super().advance(done)
        if done == self.trials:
            raise KeyboardInterrupt


class Remembers(Progress):
    """Remembers what it was told."""

    def __init__(self):
        super().__init__(quiet()._stream)
        self.begun, self.advanced, self.ended = [], [], 0

    def begin(self, *told):
        self.begun.append(told)
        super().begin(*told)

    def advance(self, done):
        self.advanced.append(done)

    def end(self):
        self.ended += 1


def run(folder, sweep=SMALL, progress=None, **config):
    """Run a sweep in a folder and return the experiment."""
    experiment = Experiment(sweep, folder)
    with joblib.parallel_config(**{'n_jobs': 1, **config}):
        experiment.run(progress or quiet())
    return experiment


def stopped(folder, trials, sweep=SMALL, **config):
    with warnings.catch_warnings():
        # joblib, when what it works on is let go; that happens with the last of the error
        warnings.filterwarnings('ignore', '.*You could benefit from adjusting', UserWarning)
        try:
            run(folder, sweep, StopsAfter(trials), **config)
        except KeyboardInterrupt:
            return Experiment(sweep, folder)
    pytest.fail('was not stopped')


def lasting(experiment):
    """Return what may not depend on the machine: rows, and times without seconds."""
    return (experiment.rows.read_bytes(),
            [time._replace(seconds=0.0) for time in TIMES.read(experiment.times)])


@pytest.fixture(scope='module')
def expected(tmp_path_factory):
    """What an undisturbed run of one worker leaves."""
    return lasting(run(tmp_path_factory.mktemp('undisturbed')))


# ---- what is left -------------------------------------------------------------------------------

def test_rows_come_in_the_order_of_trials_methods_and_steps(tmp_path):
    experiment = run(tmp_path)
    assert [(row.mdp, row.trial, row.method, row.step) for row in ROWS.read(experiment.rows)] == [
        (mdp, trial, method.name, step) for mdp in range(2) for trial in range(2)
        for method in SMALL.methods_of(2 * mdp + trial) for step in range(4)]
    assert [(time.mdp, time.trial, time.method) for time in TIMES.read(experiment.times)] == [
        (mdp, trial, method.name) for mdp in range(2) for trial in range(2)
        for method in SMALL.methods_of(2 * mdp + trial)]
    assert experiment.complete
    assert experiment.whole_trials == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f'{NAME}.csv', f'{NAME}.json', f'{NAME}.times.csv']


def test_progress_is_told_of_every_trial(tmp_path):
    progress = Remembers()
    run(tmp_path, progress=progress)
    assert (progress.begun, progress.advanced, progress.ended) == (
        [('Small', 4, 0)], [1, 2, 3, 4], 1)
    progress = Remembers()
    run(tmp_path, progress=progress)
    assert (progress.begun, progress.advanced, progress.ended) == ([('Small', 4, 4)], [], 1)


def test_before_the_first_run_nothing_is_there(tmp_path):
    experiment = Experiment(SMALL, tmp_path / 'new')
    assert (experiment.whole_trials, experiment.complete, experiment.seconds) == (0, False, 0.0)
    assert not (tmp_path / 'new').exists()


def test_what_is_complete_is_left_as_it_is(tmp_path, monkeypatch):
    run(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(running, 'run_trial', None)
    monkeypatch.setattr(running.time, 'monotonic', itertools.count().__next__)  # a second a look
    run(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_trials_before_one_that_fails_are_kept(tmp_path, monkeypatch, expected):
    run_trial = running.run_trial

    def failing(sweep, index):
        if index == 2:
            raise ArithmeticError('trial 2')
        return run_trial(sweep, index)
    monkeypatch.setattr(running, 'run_trial', failing)
    with pytest.raises(ArithmeticError, match='trial 2'):
        run(tmp_path)
    assert Experiment(SMALL, tmp_path).whole_trials == 2
    monkeypatch.undo()
    assert lasting(run(tmp_path)) == expected


# ---- whoever works ------------------------------------------------------------------------------

@pytest.mark.slow
def test_two_workers_write_the_same(tmp_path, expected):
    assert lasting(run(tmp_path, n_jobs=2)) == expected


def test_threads_write_the_same(tmp_path, expected):
    assert lasting(run(tmp_path, n_jobs=3, backend='threading')) == expected


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """A Dask cluster of two processes on this machine."""
    distributed = need_distributed()
    import dask
    folder = str(tmp_path_factory.mktemp('dask'))
    with dask.config.set({'temporary_directory': folder}), distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host='127.0.0.1',
            dashboard_address=None) as made:
        yield made


@pytest.mark.slow
def test_a_cluster_writes_the_same(tmp_path, cluster, expected):
    distributed = need_distributed()
    with distributed.Client(cluster) as client:
        before = client.run(lambda dask_worker: dask_worker.state.executed_count)
        assert lasting(run(tmp_path, backend='dask', n_jobs=-1)) == expected
        after = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(after.values()) > sum(before.values())


NOTEBOOK = """
from dataclasses import dataclass
from typing import ClassVar
from gbs_irl_ros.core import QueryStrategy, choose_state, register_strategy

@register_strategy
@dataclass(frozen=True)
class Mine(QueryStrategy):
    name: ClassVar[str] = 'mine'
    def choose(self, situation, rng):
        if situation.certainty > 2.0:
            raise RuntimeError('never')
        return choose_state(situation, -situation.weighted_predictions, rng)
"""


@pytest.mark.slow
def test_a_cluster_learns_of_a_strategy_that_is_only_registered_here(
        tmp_path, cluster, plugins):
    """As from a notebook: no worker can import what it was defined in."""
    distributed = need_distributed()
    notebook = ModuleType('notebook_of_a_test')
    exec(compile(NOTEBOOK, 'notebook', 'exec', dont_inherit=True), vars(notebook))
    sweep = replace(SMALL, methods=(GBS, Method('own', 'mine')), num_mdps=1)
    with distributed.Client(cluster):
        found = run(tmp_path, sweep, backend='dask', n_jobs=-1)
    rows = ROWS.read(found.rows)
    own, gbs = ([row._replace(method='') for row in rows if row.method == method]
                for method in ('own', 'gbs'))
    assert own == gbs       # it asks the same questions


@pytest.mark.slow
def test_the_command_runs_on_a_cluster_by_its_address(tmp_path, cluster, expected, monkeypatch):
    distributed = need_distributed()
    address = cluster.scheduler_address
    assert address.startswith('tcp://127.0.0.1:')
    monkeypatch.setattr(command, 'SWEEPS', {NAME: SMALL})
    with distributed.Client(cluster, set_as_default=False) as watching:
        before = watching.run(lambda dask_worker: dask_worker.state.executed_count)
        assert command.main(['--rows', str(tmp_path), '--backend',
                             f'dask?scheduler_host={address}', NAME]) == 0
        after = watching.run(lambda dask_worker: dask_worker.state.executed_count)
        for client in set(distributed.Client._instances) - {watching}:
            client.close()      # joblib's, which lasts as long as its process
    assert lasting(Experiment(SMALL, tmp_path)) == expected
    assert sum(after.values()) > sum(before.values())


@pytest.mark.parametrize('is_ci', [True, False])
def test_a_cluster_that_cannot_be_tested_is_said_so_and_fails_in_ci(monkeypatch, is_ci):
    monkeypatch.setitem(sys.modules, 'distributed', None)
    monkeypatch.setenv('CI', '1' if is_ci else '')
    with pytest.raises(pytest.fail.Exception if is_ci else pytest.skip.Exception,
                       match='NOT TESTED: distributed is missing'):
        need_distributed()


# ---- stopped and gone on with -------------------------------------------------------------------

@pytest.mark.parametrize('trials', [1, 2, 3, 4])
def test_a_run_that_was_stopped_is_gone_on_with(tmp_path, trials, expected):
    experiment = stopped(tmp_path, trials)
    assert experiment.whole_trials == trials
    assert experiment.complete == (trials == 4)
    progress = Remembers()
    assert lasting(run(tmp_path, progress=progress)) == expected
    assert progress.begun == [('Small', 4, trials)]


def test_a_run_can_be_stopped_again_and_again(tmp_path, expected):
    for trials in (1, 2, 3):
        stopped(tmp_path, trials)
    assert lasting(run(tmp_path)) == expected


@pytest.mark.slow
def test_two_workers_can_be_stopped(tmp_path, expected):
    assert stopped(tmp_path, 2, n_jobs=2).whole_trials == 2
    assert lasting(run(tmp_path)) == expected


def test_wherever_files_end_the_rest_is_run_again(tmp_path, expected):
    """The power failed: both files end somewhere, not at the same trial."""
    experiment = run(tmp_path)
    rows, times = experiment.rows.read_bytes(), experiment.times.read_bytes()
    for part, other in ((0.0, 0.0), (0.01, 1.0), (1.0, 0.01), (0.3, 0.9), (0.9, 0.3), (0.9, 0.9)):
        experiment.rows.write_bytes(rows[:int(part * len(rows))])
        experiment.times.write_bytes(times[:int(other * len(times))])
        assert lasting(run(tmp_path)) == expected, (part, other)


def test_rows_that_were_removed_are_run_again(tmp_path, expected):
    experiment = run(tmp_path)
    experiment.rows.unlink()
    assert experiment.whole_trials == 0
    assert lasting(run(tmp_path)) == expected


def test_where_a_run_was_stopped_before_its_first_trial_the_next_begins(tmp_path, expected):
    class StopsAtOnce(Progress):
        def begin(self, *told):
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, progress=StopsAtOnce(quiet()._stream))
    assert lasting(run(tmp_path)) == expected


@pytest.mark.parametrize(('where', 'name'), [(Experiment, '_note'), (TrialFile, 'cut')])
def test_where_a_run_was_stopped_as_it_began_the_next_begins(
        tmp_path, monkeypatch, expected, where, name):
    def killed(*given):
        raise KeyboardInterrupt
    monkeypatch.setattr(where, name, killed)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / 'new' / 'folder')
    monkeypatch.undo()
    assert lasting(run(tmp_path / 'new' / 'folder')) == expected


def test_rows_of_other_settings_are_not_called_complete(tmp_path):
    run(tmp_path)
    text = r'has rows of other settings \(seed is 1, expected 2\)'
    with pytest.raises(ExperimentError, match=text):
        assert Experiment(replace(SMALL, seed=2), tmp_path).complete


# ---- settings and notes -------------------------------------------------------------------------

def refused(folder, sweep=SMALL):
    before = (folder / f'{NAME}.csv').read_bytes()
    with pytest.raises(ExperimentError) as caught:
        run(folder, sweep)
    assert (folder / f'{NAME}.csv').read_bytes() == before
    return str(caught.value)


def test_rows_of_other_settings_are_left_alone(tmp_path):
    path = run(tmp_path).rows
    assert refused(tmp_path, replace(SMALL, steps=4, gamma=0.8)) == (
        f'{path}: has rows of other settings (steps is 3, expected 4; gamma is 0.9, expected '
        '0.8); remove it, or use another folder (--rows)')
    other = replace(SMALL, domain=RandomMdps(6, 3, count=9))
    assert refused(tmp_path, other) == (
        f'{path}: has rows of other settings (domain.count is 8, expected 9); remove it, or use '
        'another folder (--rows)')


@for_each('notes', [None, '', '{"settings": ', '[]', '{}', '{"settings": 3}',
                    '{"seconds": 5}', '\xff'])
def test_rows_without_notes_are_left_alone(tmp_path, notes):
    path = run(tmp_path).rows
    file = tmp_path / f'{NAME}.json'
    if notes is None:
        file.unlink()
    else:
        file.write_text(notes, encoding='latin-1')
    assert refused(tmp_path) == (
        f'{path}: has rows of other settings ({NAME}.json does not say which); remove it, or '
        'use another folder (--rows)')


@pytest.mark.parametrize('key', [key for key, value in SMALL.settings().items() if value is None])
def test_a_setting_that_the_notes_do_not_know_is_named(tmp_path, key):
    path = run(tmp_path).rows
    file = tmp_path / f'{NAME}.json'
    notes = json.loads(file.read_text())
    del notes['settings'][key]
    file.write_text(json.dumps(notes))
    message = refused(tmp_path)
    assert message.startswith(f'{path}: has rows of other settings ({key} ')


@pytest.mark.parametrize('problem', ['another', None])
def test_rows_of_a_problem_that_has_changed_are_left_alone(tmp_path, problem):
    path = run(tmp_path).rows
    file = tmp_path / f'{NAME}.json'
    notes = json.loads(file.read_text())
    assert notes.pop('problem') == first_problem(SMALL)
    file.write_text(json.dumps({**notes, **({'problem': problem} if problem else {})}))
    assert refused(tmp_path) == (
        f'{path}: has rows of another problem: the code or the task file that it comes from has '
        'changed since; remove it, or use another folder (--rows)')


def test_notes_hold_the_settings(tmp_path):
    run(tmp_path)
    notes = json.loads((tmp_path / f'{NAME}.json').read_text())
    assert notes['settings'] == json.loads(json.dumps(SMALL.settings()))
    assert notes['seconds'] > 0.0


def test_options_of_methods_are_the_same_after_json(tmp_path):
    """Tuples become lists there."""
    sweep = replace(SMALL, methods=(GBS, Method('reward', 'random', (('kind', 'reward'),))))
    stopped(tmp_path, 1, sweep)
    assert run(tmp_path, sweep).complete


@pytest.fixture
def ten_seconds(monkeypatch):
    """Each run takes 10 s by its own clock."""
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(running, 'time', SimpleNamespace(monotonic=lambda: next(clock)))


@pytest.mark.usefixtures('ten_seconds')
def test_seconds_of_all_runs_add_up(tmp_path):
    assert stopped(tmp_path, 1).seconds == 10.0
    assert stopped(tmp_path, 3).seconds == 20.0
    assert run(tmp_path).seconds == 30.0


@pytest.mark.usefixtures('ten_seconds')
def test_seconds_begin_anew_with_the_rows(tmp_path):
    experiment = run(tmp_path)
    experiment.rows.unlink()
    assert run(tmp_path).seconds == 10.0


def test_experiments_of_one_folder_do_not_disturb_one_another(tmp_path, expected):
    other = Sweep('other', 'Other', RandomMdps(5, 2, count=4), (RANDOM,), trials=2, steps=2)
    stopped(tmp_path, 2)
    run(tmp_path, other)
    assert lasting(run(tmp_path)) == expected
    assert Experiment(other, tmp_path).complete
