from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from hand_made import facts_of, small, write_rows

from gbs_irl_ros.experiments import figures
from gbs_irl_ros.experiments.built_problems import ThresholdCorridor, VoteCube
from gbs_irl_ros.experiments.claims import SECTIONS
from gbs_irl_ros.experiments.curves import read_curves
from gbs_irl_ros.experiments.domains import RandomMdps
from gbs_irl_ros.experiments.drawing import Drawn, bound_of
from gbs_irl_ros.experiments.page import BEGIN, END, write_page
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import TIMES, ExperimentError
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.summary import read_table, write_table
from gbs_irl_ros.experiments.sweeps import ABOUT_LIKELIHOODS, BOUNDS, SWEEPS, TIMED

TINY = small('random_10x5', domain=RandomMdps(5, 3, count=10), steps=6)
CORRIDOR = small('bound_corridor_9', domain=ThresholdCorridor(4), steps=6)
RIVALS = small('supersets', domain=RandomMdps(5, 3, low=-1.0, count=10), steps=6)
PNG = b'\x89PNG'


@pytest.fixture
def unpainted(monkeypatch):
    """Figures by the name of their file, none of which is painted: that takes its time."""
    made = {}

    def save(figure, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PNG)
        made[path.name] = figure
    monkeypatch.setattr(figures, 'save', save)
    return made


def bytes_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def experiments_in(folder):
    return [record['experiment'] for record in read_table(folder / 'results.csv')]


# ---- a whole experiment -------------------------------------------------------------------------

@pytest.fixture(scope='module')
def ran(tmp_path_factory):
    """Small experiments that were really run."""
    folder = tmp_path_factory.mktemp('rows')
    experiments = [Experiment(sweep, folder) for sweep in (TINY, CORRIDOR, RIVALS)]
    for experiment in experiments:
        experiment.run(Progress(io.StringIO()))
    return experiments


@pytest.mark.slow
def test_an_experiment_becomes_figures_and_tables(ran, tmp_path):
    out = tmp_path / 'docs' / 'paper'
    facts = [facts_of('random_10x5'), facts_of('supersets')]
    rows = bytes_in(ran[0].rows.parent)
    names = list(Drawn(out).draw(ran, facts))
    assert names == ['domains.csv', 'random_10x5.png', 'supersets.png', 'results.csv',
                     'differences.csv', 'supersets.csv', 'bounds.csv', 'runs.csv', 'time.png',
                     'bound.png', 'likelihoods.png']
    drawn = bytes_in(out)
    assert set(drawn) == set(names)
    assert all(drawn[name].startswith(PNG) for name in names if name.endswith('.png'))
    assert bytes_in(ran[0].rows.parent) == rows
    # and one of them once more: the same, byte for byte, and the others are left alone
    assert list(Drawn(out).draw(ran[:1], facts)) == [
        'domains.csv', 'random_10x5.png', 'results.csv', 'differences.csv', 'supersets.csv',
        'runs.csv', 'time.png']
    assert bytes_in(out) == drawn


def test_the_tables_have_the_numbers_of_the_rows(ran, tmp_path, unpainted):
    list(Drawn(tmp_path).draw(ran, []))
    results = read_table(tmp_path / 'results.csv')
    assert [(record['experiment'], record['method']) for record in results] == [
        (sweep.name, method.name) for sweep in (TINY, RIVALS, CORRIDOR)
        for method in sweep.methods]
    curves = {experiment.sweep.name: read_curves(experiment.rows) for experiment in ran}
    times = {experiment.sweep.name: TIMES.read(experiment.times) for experiment in ran}
    for record in results:
        trials = curves[record['experiment']][record['method']]
        assert record['trials'] == 2.0
        assert record['accuracy_5'] == pytest.approx(trials.accuracy[:, 5].mean(), abs=1e-6)
        assert 'accuracy_10' not in record
        seconds = [time.seconds for time in times[record['experiment']]
                   if time.method == record['method']]
        assert record['seconds_per_question'] == pytest.approx(np.mean(seconds) / 6, rel=1e-3)
    assert [(record['experiment'], record['method'], record['first'])
            for record in read_table(tmp_path / 'differences.csv')][-1] == (
        'bound_corridor_9', 'gbs', 'gbs1_cstar')
    bounds = read_table(tmp_path / 'bounds.csv')
    assert {record['experiment'] for record in bounds} == {'bound_corridor_9'}
    assert {(record['factor'], record['c_star']) for record in bounds} == {(3.0, -1.0)}
    for record, experiment in zip(read_table(tmp_path / 'runs.csv'),
                                  (ran[0], ran[2], ran[1]), strict=True):
        assert record['experiment'] == experiment.sweep.name
        assert record['trials'] == 2.0
        assert record['minutes'] == pytest.approx(experiment.seconds / 60.0, rel=1e-4)


def test_the_figures_show_the_rows(ran, tmp_path, unpainted):
    list(Drawn(tmp_path).draw(ran, []))
    assert unpainted['random_10x5.png'].get_suptitle() == 'Random MDPs, 10 × 5 (2 trials)'
    curves = read_curves(ran[0].rows)
    for line, trials in zip(unpainted['random_10x5.png'].axes[0].lines, curves.values(),
                            strict=True):
        assert line.get_ydata() == pytest.approx(trials.accuracy.mean(axis=0))
    assert unpainted['bound.png'].axes[0].get_title().startswith(
        'Corridor of 9 places: c* = -1, λ = ')
    panel, = unpainted['likelihoods.png'].axes
    assert panel.get_title() == RIVALS.title
    assert len(panel.lines) == 4
    assert len(unpainted['time.png'].axes[0].containers) == len(TINY.methods)


# ---- what is there and what is not --------------------------------------------------------------

def cut_short(experiment):
    lines = experiment.rows.read_text().splitlines(keepends=True)
    experiment.rows.write_text(''.join(lines[:-1]))


@pytest.mark.slow
def test_an_experiment_that_is_not_complete_is_left_out(tmp_path, unpainted):
    rows, out = tmp_path / 'rows', tmp_path / 'out'
    whole, short = (write_rows(small(name, steps=10), rows) for name in ('driver', 'trap_world'))
    never = Experiment(small('puddle_world', steps=10), rows)
    cut_short(short)
    names = list(Drawn(out).draw([short, whole, never], []))
    assert set(unpainted) == {'driver.png', 'time.png'}
    assert set(experiments_in(out)) == {'driver'}
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    assert not never.rows.exists()


@pytest.mark.slow
def test_nothing_is_drawn_from_nothing(tmp_path, unpainted):
    short = write_rows(small('driver', steps=3), tmp_path / 'rows')
    cut_short(short)
    assert list(Drawn(tmp_path / 'out').draw([short], [])) == []
    assert not (tmp_path / 'out').exists()


@pytest.mark.slow
@pytest.mark.parametrize(('changes', 'why'), [
    ({'seed': 2}, 'seed is 1, expected 2'), ({'steps': 4}, 'steps is 3, expected 4'),
    ({'trials': 1, 'gamma': 0.8}, 'trials is 2, expected 1; gamma is 0.9, expected 0.8')])
def test_rows_of_other_settings_are_not_drawn(changes, why, tmp_path, unpainted):
    whole, there = (write_rows(small(name, steps=3), tmp_path / 'rows')
                    for name in ('trap_world', 'driver'))
    other = Experiment(small('driver', **{'steps': 3, **changes}), tmp_path / 'rows')
    with pytest.raises(ExperimentError) as caught:
        list(Drawn(tmp_path / 'out').draw([whole, other], []))
    assert str(caught.value) == (
        f'{there.rows}: has rows of other settings ({why}); remove it, or use another folder '
        '(--rows)')
    assert unpainted == {}
    assert not (tmp_path / 'out').exists()


@pytest.mark.parametrize('notes', [None, '', '{', '[]', '{}', '{"settings": null}'])
def test_rows_that_do_not_say_of_what_they_are_are_not_drawn(notes, tmp_path, unpainted):
    experiment = write_rows(small('driver', steps=3), tmp_path)
    path = tmp_path / 'driver.json'
    path.unlink()
    if notes is not None:
        path.write_text(notes)
    with pytest.raises(ExperimentError) as caught:
        list(Drawn(tmp_path / 'out').draw([experiment], []))
    assert str(caught.value) == (
        f'{experiment.rows}: has rows of other settings (driver.json does not say which); remove '
        'it, or use another folder (--rows)')
    assert unpainted == {}


def test_without_rows_it_does_not_matter_what_is_noted(tmp_path, unpainted):
    write_rows(small('driver', steps=3), tmp_path).rows.unlink()
    other = Experiment(small('driver', steps=4), tmp_path)
    assert not other.complete
    assert list(Drawn(tmp_path / 'out').draw([other], [])) == []


def test_facts_alone_become_a_table(tmp_path):
    assert list(Drawn(tmp_path).draw([], [facts_of('driver')])) == ['domains.csv']
    assert read_table(tmp_path / 'domains.csv') == [facts_of('driver')]


@pytest.mark.slow
def test_what_is_drawn_again_replaces_its_own_and_nothing_else(tmp_path, unpainted):
    rows, out = tmp_path / 'rows', tmp_path / 'out'
    names = ('trap_world', 'random_10x5')
    list(Drawn(out).draw([write_rows(small(name, steps=10), rows) for name in names],
                         [facts_of(name) for name in names]))
    write_table(out / 'results.csv', [*read_table(out / 'results.csv'),
                                      {'experiment': 'gone', 'method': 'gbs'}])
    before = {name: read_table(out / f'{name}.csv') for name in ('results', 'runs', 'domains')}
    again = write_rows(small('trap_world', steps=10), tmp_path / 'other', accuracy=0.5)
    list(Drawn(out).draw([again], [facts_of('trap_world', policies=3)]))
    for table, records in before.items():
        after = read_table(out / f'{table}.csv')
        of_first = [record for record in records if record['experiment'] == 'random_10x5']
        assert after[:len(of_first)] == of_first
        assert {record['experiment'] for record in after[len(of_first):]} == {'trap_world'}
    of_trap = [record for record in read_table(out / 'results.csv')
               if record['experiment'] == 'trap_world']
    assert [record['accuracy_10'] for record in of_trap] == [0.5] * 5
    assert read_table(out / 'domains.csv')[1]['policies'] == 3


@pytest.mark.slow
def test_time_is_drawn_from_the_table_so_that_what_was_there_stays(tmp_path, unpainted):
    list(Drawn(tmp_path / 'out').draw(
        [write_rows(small('trap_world', steps=5), tmp_path)], []))
    list(Drawn(tmp_path / 'out').draw(
        [write_rows(small(name, steps=5), tmp_path) for name in ('driver', 'grid_actions')], []))
    labels = [text.get_text() for text in unpainted['time.png'].axes[0].get_xticklabels()]
    assert labels == ['Trap world', 'Driver']       # the grid is not among those that are timed


@pytest.mark.slow
def test_time_is_drawn_only_where_one_of_those_that_are_timed_is_drawn(tmp_path, unpainted):
    driver, grid = (write_rows(small(name, steps=5), tmp_path)
                    for name in ('driver', 'grid_actions'))
    out = tmp_path / 'out'
    assert 'time.png' not in list(Drawn(out).draw([grid], []))
    assert 'time.png' in list(Drawn(out).draw([driver], []))
    unpainted.clear()
    assert 'grid_actions.png' in list(Drawn(out).draw([grid], []))
    assert set(unpainted) == {'grid_actions.png'}


def titles_in(figure):
    return [axes.get_title().split(': c*')[0] for axes in figure.axes]


def titles_of(names):
    return [SWEEPS[name].title for name in names]


@pytest.mark.slow
def test_both_experiments_about_likelihoods_are_side_by_side(tmp_path, unpainted):
    experiments = [write_rows(small(name, steps=5), tmp_path / 'rows')
                   for name in ABOUT_LIKELIHOODS]
    list(Drawn(tmp_path / 'out').draw(experiments, []))
    figure = unpainted['likelihoods.png']
    assert titles_in(figure) == titles_of(ABOUT_LIKELIHOODS)
    assert [len(axes.lines) for axes in figure.axes] == [4, 3]      # no IQBC with exact there


SHARED = [pytest.param(BOUNDS, 'bound.png', id='bound'),
          pytest.param(ABOUT_LIKELIHOODS, 'likelihoods.png', id='likelihoods')]


@pytest.mark.slow
@pytest.mark.parametrize(('names', 'file'), SHARED)
def test_a_shared_figure_is_the_same_in_whatever_order_experiments_are_named(names, file, tmp_path,
                                                                             unpainted):
    # `make paper` and the command on the page name them in different ones.
    experiments = [write_rows(small(name, steps=5), tmp_path / 'rows') for name in names]
    list(Drawn(tmp_path / 'out').draw(experiments, []))
    before = titles_in(unpainted[file])
    list(Drawn(tmp_path / 'out').draw(experiments[::-1], []))
    assert titles_in(unpainted[file]) == before


@pytest.mark.slow
@pytest.mark.parametrize(('names', 'file'), SHARED)
def test_drawing_some_experiments_takes_none_from_a_shared_figure(names, file, tmp_path,
                                                                  unpainted):
    # `make paper ONLY=puddle_world,trap_world,driver,driver_features` stands on the page.
    out = tmp_path / 'out'
    experiments = [write_rows(small(name, steps=5), tmp_path / 'rows') for name in names]
    assert file in list(Drawn(out).draw(experiments, []))
    unpainted.clear()
    for some in (experiments[:1], experiments[1:], experiments[-1:]):
        assert file not in list(Drawn(out).draw(some, []))
    assert file not in unpainted
    assert file in list(Drawn(out).draw(experiments, []))
    assert titles_in(unpainted.pop(file)) == titles_of(names)
    cut_short(experiments[0])
    assert file not in list(Drawn(out).draw(experiments, []))
    assert file not in unpainted


@pytest.mark.slow
@pytest.mark.parametrize(('names', 'file'), SHARED)
def test_a_shared_figure_is_begun_with_what_there_is(names, file, tmp_path, unpainted):
    out = tmp_path / 'out'
    experiments = [write_rows(small(name, steps=5), tmp_path / 'rows') for name in names]
    assert file in list(Drawn(out).draw(experiments[1:], []))
    assert titles_in(unpainted[file]) == titles_of(names[1:])       # three panels, or one
    assert file in list(Drawn(out).draw(experiments, []))
    assert titles_in(unpainted[file]) == titles_of(names)


# ---- the bound ----------------------------------------------------------------------------------

def test_the_bound_of_a_corridor_by_hand():
    # Two actions: eps = (0.75 - 0.25) (0.9 / 0.75 - 0.1 / 0.25) = 0.4, lambda = eps / 4.
    bound = bound_of(SWEEPS['bound_corridor_9'])
    assert bound.void == ()
    assert bound.version == 1
    assert bound.factor == 8.0
    assert bound.rate == pytest.approx(0.1)
    assert bound.error(30) == pytest.approx(8.0 * 0.9 ** 30)


@for_each('name', BOUNDS)
def test_the_bound_holds_where_it_is_drawn(name):
    sweep = SWEEPS[name]
    bound = bound_of(sweep)
    assert bound.void == ()
    c_star = sweep.domain.coherence if isinstance(sweep.domain, VoteCube) else -1.0
    assert bound.coherence.upper == pytest.approx(c_star, abs=1e-9)
    assert bound.rate == pytest.approx(0.4 * min((1.0 - c_star) / 2.0, 0.25))
    assert bound.error(sweep.steps) < 0.05      # so there is something to see


def test_the_bound_is_that_of_the_noise_of_the_sweep():
    sweep = replace(SWEEPS['bound_corridor_9'], gamma_hat=0.6, gamma=0.8)
    assert bound_of(sweep).epsilon == pytest.approx(0.2 * (0.8 / 0.6 - 0.2 / 0.4))
    assert bound_of(sweep).epsilon != pytest.approx(bound_of(SWEEPS['bound_corridor_9']).epsilon)


# ---- everything that is registered --------------------------------------------------------------

@pytest.mark.slow
def test_all_experiments_together_make_all_that_the_page_shows(tmp_path, unpainted):
    rows, out = tmp_path / 'rows', tmp_path / 'paper'
    experiments = [write_rows(small(name), rows) for name in SWEEPS]
    names = list(Drawn(out).draw(experiments, [facts_of(name) for name in SWEEPS]))
    assert len(set(names)) == len(names)
    shown = {f'{figure}.png' for section in SECTIONS for figure in section.figures}
    assert shown <= set(names)
    assert len(unpainted['bound.png'].axes) == len(BOUNDS)
    assert [text.get_text() for text in unpainted['time.png'].axes[0].get_xticklabels()] == [
        SWEEPS[name].title.replace(', ', '\n') for name in SWEEPS if name in TIMED]
    # and every number that the page tells
    page = tmp_path / 'paper.md'
    page.write_text(f'{BEGIN}\n{END}\n')
    write_page(page, out)
    text = page.read_text()
    assert 'nan' not in text
    assert [name for name in SWEEPS if f'| {name} |' not in text] == []
