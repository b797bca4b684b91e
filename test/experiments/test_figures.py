from __future__ import annotations

import math
from itertools import combinations

import matplotlib
import numpy as np
import pytest
from cases import for_each
from hand_made import curves_of, level
from matplotlib.figure import Figure

from gbs_irl_ros.core.theory.bounds import ErrorBound
from gbs_irl_ros.core.theory.coherence import Coherence
from gbs_irl_ros.experiments import figures
from gbs_irl_ros.experiments.curves import mean_and_halfwidth
from gbs_irl_ros.experiments.figures import LOOKS, VERSIONS
from gbs_irl_ros.experiments.sweeps import SWEEPS

T_1 = 12.706204736      # 97.5 % of Student's t with one degree of freedom
HALVES = ErrorBound(1, 0.5, Coherence(-1.0, -1.0), 0.5, 4.0, ())     # 1, 1, 1, 1/2, 1/4, ...
TIMES = [{'experiment': name, 'method': method, 'seconds_per_question': seconds}
         for name, method, seconds in (('driver', 'gbs', 0.002), ('driver', 'emg', 0.5),
                                       ('trap_world', 'gbs', 0.004))]
TITLES = {'driver': 'Driver, large', 'trap_world': 'Trap world'}


def some_curves(*methods, count=3, steps=20):
    rng = np.random.default_rng(3)
    return {method: curves_of(np.sort(rng.uniform(0.2, 1.0, (count, steps + 1)), axis=1))
            for method in methods}


def right_after(*answers, steps=6):
    """Return trials that are wrong before so many answers, and right from then on."""
    return curves_of([[0.5] * each + [1.0] * (steps + 1 - each) for each in answers])


def drawn_by(name):
    """Return the figure that each function draws from a few curves."""
    curves = some_curves('gbs', 'iqbc')
    return {'learning_curves': lambda: figures.learning_curves('A title', curves),
            'computing_time': lambda: figures.computing_time(TIMES, TITLES),
            'bound': lambda: figures.bound([('Corridor', some_curves(*VERSIONS), HALVES)] * 2),
            'likelihoods': lambda: figures.likelihoods([('One', curves), ('Two', curves)]),
            }[name]()


ALL = ('learning_curves', 'computing_time', 'bound', 'likelihoods')


def band(collection):
    """Return the lower and the upper edge of a band, by step."""
    path, = collection.get_paths()
    edges = {}
    for step, value in path.vertices:
        edges.setdefault(round(step), []).append(value)
    steps = sorted(edges)
    return (np.array([min(edges[step]) for step in steps]),
            np.array([max(edges[step]) for step in steps]))


def words(legend):
    return [text.get_text() for text in legend.get_texts()]


# ---- every figure -------------------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize('name', ALL)
def test_equal_figures_are_equal_files(name, tmp_path):
    paths = [tmp_path / 'new' / f'{number}.png' for number in range(2)]
    for path in paths:
        figure = drawn_by(name)
        assert isinstance(figure, Figure)
        figures.save(figure, path)
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(b'\x89PNG')
    assert len(first) > 5000
    assert first == second
    assert b'matplotlib' not in first.lower()       # nor does its version make a difference


@for_each('name', ALL)
def test_every_axis_says_what_it_shows(name):
    for axes in drawn_by(name).axes:
        assert axes.get_ylabel()
        assert axes.get_xlabel() == ('' if name == 'computing_time' else 'questions')


@pytest.mark.slow
@for_each('name', ['learning_curves', 'likelihoods', 'bound'])
def test_a_single_trial_is_drawn_without_a_band(name, tmp_path):
    lone = {method: curves_of([np.linspace(0.1, 1.0, 7)]) for method in VERSIONS}
    of_looks = {'gbs': lone['gbs']}
    figure = {'learning_curves': lambda: figures.learning_curves('One', of_looks),
              'likelihoods': lambda: figures.likelihoods([('One', of_looks)]),
              'bound': lambda: figures.bound([('One', lone, HALVES)])}[name]()
    figures.save(figure, tmp_path / 'one.png')      # a warning would be an error
    for collection in figure.axes[0].collections:
        assert collection.get_paths() == []
    if name != 'bound':
        line, = figure.axes[0].lines
        assert line.get_ydata() == pytest.approx(np.linspace(0.1, 1.0, 7))


def test_drawing_leaves_the_style_of_others_alone():
    before = dict(matplotlib.rcParams)
    for name in ALL:
        drawn_by(name)
    assert dict(matplotlib.rcParams) == before


# ---- looks --------------------------------------------------------------------------------------

@for_each('name', SWEEPS)
def test_every_method_of_every_experiment_can_be_drawn(name):
    looks = VERSIONS if name.startswith('bound_') else LOOKS
    assert [method.name for method in SWEEPS[name].methods if method.name not in looks] == []


@for_each('name', SWEEPS)
def test_methods_of_one_figure_differ_in_colour_line_and_label(name):
    looks = VERSIONS if name.startswith('bound_') else LOOKS
    chosen = [looks[method.name] for method in SWEEPS[name].methods]
    for one, other in combinations(chosen, 2):
        assert one.colour != other.colour, (one, other)
        assert one.line != other.line, (one, other)
        assert one.label != other.label, (one, other)


def test_no_look_is_left_over():
    used = {method.name for sweep in SWEEPS.values() for method in sweep.methods}
    assert set(LOOKS) | set(VERSIONS) == used


# ---- learning curves ----------------------------------------------------------------------------

def test_lines_are_the_means_and_bands_the_intervals():
    curves = some_curves('gbs', 'random', 'iqbc', count=4)
    figure = figures.learning_curves('A title', curves)
    for axes, name in zip(figure.axes, ('accuracy', 'relative_loss'), strict=True):
        assert len(axes.lines) == len(axes.collections) == len(curves)
        for line, shade, (method, trials) in zip(axes.lines, axes.collections, curves.items(),
                                                 strict=True):
            mean, halfwidth = mean_and_halfwidth(getattr(trials, name), trials.mdp)
            assert line.get_xdata().tolist() == list(range(21))
            assert line.get_ydata() == pytest.approx(mean)
            low, high = band(shade)
            assert low == pytest.approx(mean - halfwidth)
            assert high == pytest.approx(mean + halfwidth)
            assert line.get_color() == LOOKS[method].colour
            assert line.get_label() == LOOKS[method].label


def test_a_line_and_its_band_by_hand():
    axes = figures.learning_curves('', {'gbs': curves_of([[0.2, 0.5], [0.4, 0.5]])}).axes[0]
    assert axes.lines[0].get_ydata() == pytest.approx([0.3, 0.5])
    low, high = band(axes.collections[0])
    assert low == pytest.approx([0.3 - 0.1 * T_1, 0.5])
    assert high == pytest.approx([0.3 + 0.1 * T_1, 0.5])


def test_the_title_the_labels_and_the_legend_are_there():
    curves = some_curves('gbs', 'emg') | {'iqbc': level(0.5, steps=20, count=1200)}
    figure = figures.learning_curves('Random MDPs', curves)
    assert figure.get_suptitle() == 'Random MDPs (1,200 trials)'
    assert [axes.get_ylabel() for axes in figure.axes] == [
        'policy accuracy', 'value loss (1: a random policy’s)']
    legend, = figure.legends
    assert words(legend) == ['GBS-IRL', 'EMG', 'IQBC']


def test_one_trial_is_not_called_trials():
    assert figures.learning_curves('Driver', some_curves('gbs', count=1)).get_suptitle() == (
        'Driver (1 trial)')


def test_methods_of_other_lengths_share_an_axis():
    figure = figures.learning_curves('', some_curves('gbs', steps=30)
                                     | some_curves('emg', steps=12))
    for axes in figure.axes:
        assert axes.get_xlim() == (0.0, 30.0)
        assert axes.get_xticks().tolist() == [0, 1, 2, 5, 10, 20]
        assert [len(line.get_xdata()) for line in axes.lines] == [31, 13]


def test_the_first_questions_have_more_room_than_the_last():
    axes = figures.learning_curves('', some_curves('gbs', steps=100)).axes[0]
    places = axes.transData.transform([(0, 0), (25, 0), (100, 0)])[:, 0]
    assert (places[1] - places[0]) / (places[2] - places[0]) == pytest.approx(0.5)
    assert axes.get_xticks().tolist() == list(figures.QUESTIONS)


def test_accuracy_is_shown_from_nothing_to_all_and_loss_from_nothing_up():
    accuracy, loss = figures.learning_curves('', some_curves('gbs')).axes
    assert accuracy.get_ylim() == (0.0, 1.02)
    assert loss.get_ylim()[0] == 0.0
    assert loss.get_ylim()[1] > 0.0


# ---- likelihoods --------------------------------------------------------------------------------

def test_each_panel_shows_accuracy_and_each_likelihood_is_named_once():
    panels = [('One', some_curves('gbs', 'gbs_exact')), ('Two', some_curves('gbs', 'iqbc_exact'))]
    figure = figures.likelihoods(panels)
    for axes, (title, curves) in zip(figure.axes, panels, strict=True):
        assert axes.get_title() == title
        assert axes.get_ylabel() == 'policy accuracy'
        assert axes.get_ylim() == (0.0, 1.02)
        for line, trials in zip(axes.lines, curves.values(), strict=True):
            assert line.get_ydata() == pytest.approx(trials.accuracy.mean(axis=0))
    legend, = figure.legends
    assert words(legend) == ['GBS-IRL', 'GBS-IRL, exact likelihood', 'IQBC, exact likelihood']


# ---- the bound ----------------------------------------------------------------------------------

def test_how_often_it_is_wrong_against_the_bound():
    figure = figures.bound([('Corridor', {'gbs1_cstar': right_after(2, 2, 4, 5),
                                          'gbs': right_after(1, 1, 2, 2)}, HALVES)])
    axes = figure.axes[0]
    first, second, limit = axes.lines
    nan = math.nan
    assert first.get_ydata() == pytest.approx([1, 1, 0.5, 0.5, 0.25, nan, nan], nan_ok=True)
    assert second.get_ydata() == pytest.approx([1, 0.5, nan, nan, nan, nan, nan], nan_ok=True)
    assert limit.get_xdata().tolist() == list(range(7))
    assert limit.get_ydata() == pytest.approx([1, 1, 1, 0.5, 0.25, 0.125, 0.0625])
    legend, = figure.legends
    assert words(legend) == ['version 1', 'version 2', 'bound of theorem 2']


def test_the_axis_of_the_bound_is_logarithmic_and_ends_below_a_single_error():
    figure = figures.bound([('Corridor', {'gbs': right_after(2, 2, 4, 5)}, HALVES)])
    axes = figure.axes[0]
    assert axes.get_yscale() == 'log'
    assert axes.get_ylim() == (0.5 / 4, 1.5)
    assert axes.get_title() == 'Corridor: c* = -1, λ = 0.5'
    assert axes.get_ylabel() == 'chance that the policy is wrong'


def test_the_band_of_an_error_is_that_of_its_mean_and_stays_above_zero():
    axes = figures.bound([('', {'gbs': right_after(2, 0, steps=3)}, HALVES)]).axes[0]
    low, high = band(axes.collections[0])
    # One of two is wrong: mean 1/2, standard deviation of the mean 1/2.
    assert high[:2] == pytest.approx(0.5 + 0.5 * T_1)
    assert low[:2] == pytest.approx(1e-9)
    # Then none is: nothing to see, but nothing that a logarithm has not either.
    assert low[2:].tolist() == high[2:].tolist() == [1e-9, 1e-9]


@for_each('count', [1, 2, 3, 4, 5])
def test_every_problem_has_its_panel_and_no_panel_is_empty(count):
    figure = figures.bound([(f'P{number}', {'gbs': right_after(2, 3)}, HALVES)
                            for number in range(count)])
    titles = [axes.get_title().split(':')[0] for axes in figure.axes]
    assert titles == [f'P{number}' for number in range(count)]
    assert all(axes.lines for axes in figure.axes)
    columns = {axes.get_subplotspec().colspan.start for axes in figure.axes}
    assert columns == ({0} if count == 1 else {0, 1})


# ---- time ---------------------------------------------------------------------------------------

def test_bars_are_as_high_as_a_question_takes_milliseconds():
    axes, = figures.computing_time(TIMES, TITLES).axes
    gbs, emg = axes.containers
    assert [bar.get_height() for bar in gbs] == pytest.approx([2.0, 4.0])
    assert [bar.get_height() for bar in emg] == pytest.approx([500.0])
    assert axes.get_yscale() == 'log'
    assert axes.get_ylabel() == 'time per question [ms]'
    assert words(axes.get_legend()) == ['GBS-IRL', 'EMG']


def test_bars_stand_over_their_experiment_side_by_side():
    axes, = figures.computing_time(TIMES, TITLES).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ['Driver\nlarge', 'Trap world']
    gbs, emg = axes.containers
    middles = [[bar.get_x() + bar.get_width() / 2 for bar in bars] for bars in (gbs, emg)]
    assert middles == [pytest.approx([-0.21, 0.79]), pytest.approx([0.21])]
    assert gbs[0].get_x() + gbs[0].get_width() < emg[0].get_x()


def test_methods_without_a_time_to_compare_are_left_out():
    more = [*TIMES, {'experiment': 'driver', 'method': 'gbs_exact', 'seconds_per_question': 1.0}]
    axes, = figures.computing_time(more, TITLES).axes
    assert len(axes.containers) == 2
