"""The benchmark itself: its arithmetic, its files, and that every measurement runs."""

from __future__ import annotations

import importlib
import io
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from waiting import patience

from bench import goals, peer_environment, plots, speed_page
from bench.exact import exact_solution
from bench.fit import fit_power_law, grow
from bench.lesson import Times, run_lesson, teacher_of
from bench.peer_process import PeerProcess
from bench.plain_numpy import PlainLearner
from bench.planning import PEERS
from bench.problems import (
    PlanningProblem,
    chosen,
    grid,
    grid_goals,
    made_up_hypotheses,
    planning_problem,
    spread,
)
from bench.results import PUBLISHED, read_results, rounded, update_results
from bench.session import Effort, Progress, Session
from bench.timing import interleaved
from gbs_irl_ros.core import NEVER, Hypotheses, Learner, Mdp, Problem
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.launching.own_domain import OwnDomain

ROOT = Path(__file__).parent.parent
PLANNED = ('puddle_world', 'trap_world', 'driver')
CURVES = ('planning_states', 'planning_actions', 'planning_hypotheses', 'ask_states',
          'ask_hypotheses', 'ask_live')
# What readers ask for by name.
PUBLISHED_KEYS = [
    *(f'planning.{task}.{key}' for task in PLANNED
      for key in ('seconds', 'ratio_quantecon', 'ratio_mdptoolbox', 'ratio_storm',
                  'ratio_numpy',
                  'differing_sets')),
    *(f'ask.{task}.ms' for task in (*PLANNED, 'grid')),
    *(f'memory.{task}.mb' for task in (*PLANNED, 'grid')),
    *(f'growth.{curve}.exponent' for curve in CURVES),
    *(f'ros.{task}.{key}' for task in ('room', 'trap_world', 'driver')
      for key in ('p50_ms', 'p99_ms')),
    *(f'startup.driver.{key}' for key in ('first_s', 'second_s', 'node_first_s',
                                          'node_second_s')),
    *(f'idle.{where}.all_percent' for where in ('terminal', 'page')),
    *(f'emg.{world}.ratio' for world in ('random_10x5', 'random_10x10', 'puddle_world'))]


def quiet(effort=Effort.TINY):
    return Session(effort, Progress(io.StringIO()))


# ---- fitting ------------------------------------------------------------------------------------

def test_the_exponent_of_a_power_law_is_found():
    sizes = [10, 100, 1000, 10_000]
    law = fit_power_law(sizes, [3e-6 * size ** 1.25 for size in sizes])
    assert law.exponent == pytest.approx(1.25)
    np.testing.assert_allclose(law.at([50.0]), [3e-6 * 50.0 ** 1.25])


def test_a_constant_cost_of_every_call_does_not_flatten_the_exponent():
    sizes = [round(10 ** (1 + step / 2)) for step in range(9)]
    law = fit_power_law(sizes, [1e-3 + 1e-6 * size for size in sizes])
    assert law.exponent == pytest.approx(1.0, abs=0.12)
    assert law.from_size >= 3000


def test_a_flat_curve_has_exponent_zero_and_is_fitted_to_its_last_points():
    law = fit_power_law([10, 100, 1000, 10_000], [2.0, 2.0, 2.0, 2.0])
    assert law.exponent == pytest.approx(0.0, abs=1e-12)
    assert law.from_size == 100


def test_one_point_is_no_curve():
    with pytest.raises(ValueError, match='two or more points, got 1 sizes and 1 times'):
        fit_power_law([1], [1.0])


def test_a_curve_ends_where_the_next_point_would_take_too_long(monkeypatch):
    monkeypatch.setattr('bench.fit.least_seconds', lambda call: call())
    curve = grow(quiet(), 'x', [1, 10, 100, 1000, 10_000], lambda size: lambda: 0.1 * size)
    assert [size for size, _ in curve] == [1, 10, 100]      # 1,000 would take 100 s


# ---- timing and problems ------------------------------------------------------------------------

def test_ours_is_measured_before_each_of_the_others_and_medians_are_taken():
    said = []
    ours, other = iter([1.0, 9.0, 2.0, 3.0]), iter([10.0, 20.0])

    def call(name, values):
        said.append(name)
        return next(values)

    times = interleaved(quiet(), 'x', ('ours', lambda: call('ours', ours)),
                        {'a': lambda: call('a', other), 'b': lambda: call('b', iter([5.0]))}, 2)
    assert said == ['ours', 'a', 'ours', 'b'] * 2
    assert times == {'ours': 2.5, 'a': 15.0, 'b': 5.0}


def test_ours_alone_is_measured_in_every_round():
    values = iter([1.0, 2.0, 6.0])
    assert interleaved(quiet(), 'x', ('ours', lambda: next(values)), {}, 3) == {'ours': 2.0}


def test_a_sample_is_spread_over_all():
    assert spread(500, 5).tolist() == [0, 125, 250, 374, 499]
    assert spread(3, 10).tolist() == [0, 1, 2]


@for_each('name', ['puddle_world', 'trap_world', 'driver', 'driver_sparse'])
def test_the_problems_have_500_rewards_and_say_which(name):
    problem = planning_problem(name)
    assert problem.rewards.num_rewards == 500
    assert problem.about
    assert problem.some(20).rewards.num_rewards == 20


def test_few_hypotheses_are_live_and_the_prior_sums_to_one():
    hypotheses = made_up_hypotheses(30, 4, 50, live=3)
    prior = np.exp(hypotheses.log_prior)
    assert prior.sum() == pytest.approx(1.0)
    assert prior[:3].sum() == pytest.approx(1.0, abs=1e-20)
    assert 0.0 < prior[3:].max() < 1e-25


# ---- the references -----------------------------------------------------------------------------

def test_the_exact_solver_finds_the_sets_of_a_corridor_from_any_policy():
    left, stay, right = [0, 0, 1, 2, 3], [0, 1, 2, 3, 4], [1, 2, 3, 4, 4]
    corridor = Mdp.from_successors(np.array([left, stay, right]).T, discount=0.9)
    reward = np.zeros((5, 3))
    reward[4] = 1.0
    for start in (np.zeros(5, dtype=int), np.ones(5, dtype=int)):
        optimal, values, _ = exact_solution(corridor, reward, start)
        assert optimal.tolist() == [[False, False, True]] * 4 + [[False, True, True]]
        np.testing.assert_allclose(values, 10.0 * 0.9 ** np.array([4, 3, 2, 1, 0]))


def test_the_exact_solver_would_notice_a_wrong_set():
    problem = planning_problem('puddle_world').some(2)
    bits = solve(problem.mdp, problem.rewards).greedy_bits
    reward = np.repeat(problem.rewards.dense()[1][:, np.newaxis], 4, axis=1)
    optimal, _, _ = exact_solution(problem.mdp, reward, np.zeros(400, dtype=int))
    assert (unpack(bits[:, 1], 4) == optimal).all()
    bits[17, 1] ^= 1
    assert (unpack(bits[:, 1], 4) != optimal).any(axis=1).sum() == 1


def test_the_plain_learner_believes_what_ours_believes(rng):
    world = grid(5)
    problem = Problem(Hypotheses.from_rewards(world, grid_goals(world, 8)))
    learner = Learner(problem, stop=NEVER)
    plain = PlainLearner(problem.hypotheses, problem.noise.rate(0))
    teacher = teacher_of(problem.hypotheses, 3)
    for _ in range(4):
        by_state = learner.situation.weighted_predictions[
            problem.hypotheses.sets.class_of_state]
        np.testing.assert_allclose(plain.weighted_predictions(plain.share()), by_state, atol=1e-9)
        answer = teacher.answer(learner.ask(), rng)
        learner = learner.tell(answer)
        plain.tell(answer.state, answer.action)
    fresh = plain.anew()
    assert fresh.ask(0.95) in fresh.best_states(fresh.share())
    assert fresh.ask(1e-6) is None


def test_a_lesson_notices_when_the_plain_version_would_ask_elsewhere(rng):
    world = grid(5)
    problem = Problem(Hypotheses.from_rewards(world, grid_goals(world, 8)))
    wrong = PlainLearner(problem.hypotheses, 0.9)
    wrong.best_states = lambda share: np.array([-1])
    times = Times()
    run_lesson(Learner(problem, stop=NEVER), teacher_of(problem.hypotheses, 0), 3, rng, times,
               wrong)
    assert times.disagreements == len(times.ours) == len(times.plain) == 3


@pytest.mark.skipif(not peer_environment.PEER_PYTHON.exists(),
                    reason='the peers are not installed: `make bench ONLY=planning` does it')
def test_the_peers_find_the_values_that_we_find(tmp_path):
    world = grid(6)
    problem = PlanningProblem('grid', world, grid_goals(world, 5), 'goals')
    with PeerProcess(peer_environment.PEER_PYTHON, tmp_path) as peers:
        assert {*PEERS} <= set(peers.versions())
        assert set(peers.open(problem)) == {*PEERS}
        ours = solve(world, chosen(problem.rewards, np.array([0, 3])), keep_values=True)
        for peer in PEERS:
            assert peers.seconds(peer, [0, 1, 2]) > 0.0
            values, policies = peers.solutions(peer, [0, 3])
            np.testing.assert_allclose(values, ours.values, atol=2e-8)
            taken = unpack(ours.greedy_bits.T, 4)[
                np.arange(2)[:, np.newaxis], np.arange(36), policies]
            assert taken.all()


@pytest.mark.parametrize(('said', 'expected'), [
    ("WARNING: Retrying after connection broken by 'NewConnectionError(...)'\n"
     'ERROR: No matching distribution found for quantecon==0.11.4', 'index cannot be reached'),
    ('ERROR: No matching distribution found for quantecon==99', 'found for quantecon==99'),
    ('Killed', 'the peers cannot be installed: pip failed')])
def test_peers_that_cannot_be_installed_are_one_line_and_leave_nothing(
        said, expected, tmp_path, monkeypatch):
    folder = tmp_path / 'peers'

    def run(command, **options):
        if 'venv' in command:
            folder.mkdir()
            return subprocess.CompletedProcess(command, 0, '', '')
        return subprocess.CompletedProcess(command, 1, '', said)

    monkeypatch.setattr(peer_environment.subprocess, 'run', run)
    with pytest.raises(peer_environment.InstallError, match=expected) as caught:
        peer_environment.install_peers(Progress(io.StringIO()), folder=folder)
    assert '\n' not in str(caught.value)
    assert not folder.exists()


def test_peers_are_installed_once_and_again_when_the_requirements_change(tmp_path, monkeypatch):
    folder, requirements, runs = tmp_path / 'peers', tmp_path / 'requirements.txt', []

    def run(command, **options):
        runs.append(command)
        folder.mkdir(exist_ok=True)
        return subprocess.CompletedProcess(command, 0, '', '')

    monkeypatch.setattr(peer_environment.subprocess, 'run', run)
    for text, expected in (('a==1', 2), ('a==1', 2), ('a==2', 4)):      # venv, then pip
        requirements.write_text(text)
        python = peer_environment.install_peers(Progress(io.StringIO()), requirements, folder)
        assert python == folder / 'bin' / 'python'
        assert len(runs) == expected


def test_the_requirements_of_the_peers_are_pinned_by_name_alone():
    lines = [line for line in peer_environment.REQUIREMENTS.read_text().splitlines()
             if not line.startswith('#')]
    assert len(lines) > 5
    for line in lines:
        name, _, version = line.partition('==')
        assert version, f'{line!r} has no version'
        assert name.replace('-', '').replace('_', '').isalnum()


# ---- the figures --------------------------------------------------------------------------------

def test_a_measurement_replaces_its_own_figures_only(tmp_path):
    path = tmp_path / 'results.json'
    update_results(path, 'ask', {'ask.driver.ms': 4.0, 'ask.old.ms': 1.0})
    update_results(path, 'memory', {'memory.driver.mb': 100.0})
    update_results(path, 'ask', {'ask.driver.ms': 3.123456789})
    assert read_results(path) == {'ask.driver.ms': 3.1235, 'memory.driver.mb': 100.0}
    assert [file.name for file in tmp_path.iterdir()] == ['results.json']


def test_figures_that_cannot_be_written_leave_the_file_as_it_was(tmp_path):
    path = tmp_path / 'results.json'
    update_results(path, 'ask', {'ask.driver.ms': 4.0})
    with pytest.raises(ValueError, match=r'must begin with "ask\.", got .memory\.x\.mb.'):
        update_results(path, 'ask', {'memory.x.mb': 1.0})
    with pytest.raises(ValueError, match='JSON'):
        update_results(path, 'ask', {'ask.driver.ms': math.nan})
    assert read_results(path) == {'ask.driver.ms': 4.0}


def test_figures_keep_five_digits():
    assert rounded({'a': [123456.789, 0.000123456789, 7, 'x', 0.0]}) == {
        'a': [123460.0, 0.00012346, 7, 'x', 0.0]}


def test_the_table_says_what_is_met_missed_and_not_measured():
    found = {'planning.driver.ratio_quantecon': 9.96, 'ask.driver.ms': 5.01,
             'ask.grid.ms': 20.0, 'ask.effort': 'quick', 'growth.ask_states.exponent': 1.14,
             'growth.effort': 'full'}
    verdicts = {goal.key: goal.verdict(found) for goal in goals.GOALS}
    assert verdicts['planning.driver.ratio_quantecon'] == 'NO'      # although 10.0 is shown
    assert verdicts['ask.driver.ms'] == 'NO'
    assert verdicts['ask.grid.ms'] == 'yes (quick)'
    assert verdicts['growth.ask_states.exponent'] == 'yes'          # about 1.1
    assert verdicts['memory.grid.mb'] == '-'
    text = goals.text_table(found)
    assert 'not measured' in text
    assert len(text.splitlines()) == len(goals.GOALS) + 1
    assert goals.markdown_table(found).count('\n') == len(goals.GOALS) + 1


def test_the_page_shows_the_figures_that_are_there_and_a_dash_for_the_others():
    text = speed_page.section({'ask.driver.ms': 4.25, 'machine.cores': 2})
    assert '| driver | 4.25 ms | – |' in text
    assert speed_page.section({}) == speed_page.NOTHING


def test_a_page_without_markers_is_refused(tmp_path):
    page = tmp_path / 'speed.md'
    page.write_text('# Speed\n')
    with pytest.raises(ValueError, match=r'speed.md must have the lines'):
        speed_page.write_page({}, page)
    assert page.read_text() == '# Speed\n'


def test_the_page_agrees_with_the_results():
    assert f'{speed_page.BEGIN}\n{speed_page.section(read_results())}\n{speed_page.END}' \
        in speed_page.PAGE.read_text(), 'write it again: tools/ros-env python bench/plots.py'


@pytest.mark.skipif(not PUBLISHED.exists(), reason='nothing was measured: `make bench` does it')
def test_the_published_results_are_complete_and_say_nothing_of_the_machine_but_its_kind():
    found = read_results()
    for key in PUBLISHED_KEYS:
        assert isinstance(found.get(key), (int, float)), key
        assert math.isfinite(found[key]), key
    assert {value for key, value in found.items() if key.endswith('.effort')} == {'full'}
    text = PUBLISHED.read_text()
    assert not any(secret in text for secret in (str(ROOT), str(Path.home()) + '/', '/tmp/'))


# ---- the measurements ---------------------------------------------------------------------------

def check_figures(name, figures):
    assert figures
    for key, value in figures.items():
        assert key.startswith(f'{name}.'), key
        assert not isinstance(value, float) or math.isfinite(value), key
    json.dumps(figures, allow_nan=False)


@pytest.mark.parametrize('name', ['planning', 'ask', 'memory', 'emg', 'growth'])
def test_a_measurement_runs(name):
    module = importlib.import_module(f'bench.{name}')
    figures = module.measure(quiet())
    check_figures(name, figures)
    wrong = [key for key, value in figures.items()
             if key.endswith(('.differing_sets', '.differing_sets_numpy', '.disagreements'))
             and value != 0]
    assert wrong == []
    assert set(module.ABOUT_S) == set(Effort)


@pytest.fixture
def domain(monkeypatch):
    """A ROS domain that no other test has."""
    taken = OwnDomain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(taken.number))
    yield taken.number
    taken.release()


@pytest.mark.ros
@pytest.mark.usefixtures('domain')
@pytest.mark.parametrize(('module', 'name'), [
    ('startup', 'startup'), ('answer_latency', 'ros'), ('idle', 'idle')])
def test_a_measurement_over_ros_runs(module, name):
    check_figures(name, importlib.import_module(f'bench.{module}').measure(quiet()))


def test_pictures_are_drawn_from_figures_alone(tmp_path):
    page = tmp_path / 'speed.md'
    page.write_text(f'# Speed\n\n{speed_page.BEGIN}\n{speed_page.END}\n\nMore.\n')
    found = {**{f'planning.{task}.{key}': 0.5 + number for task in speed_page.PLANNED
                for number, key in enumerate(('seconds', 'quantecon_seconds'))},
             'growth.ask_states.curve': [[10, 0.1], [100, 1.0]],
             'growth.ask_states.exponent': 1.0, 'growth.ask_states.factor': 0.01,
             'growth.ask_states.fitted_from': 10,
             'emg.puddle_world.gbs_seconds': 0.001, 'emg.puddle_world.emg_seconds': 1.0,
             'emg.puddle_world.ratio': 1000.0}
    written = plots.draw_all(found, tmp_path / 'speed', page)
    assert written == ['speed/planning.png', 'speed/growth.png', 'speed/emg.png', 'speed.md']
    for name in written[:3]:
        assert (tmp_path / name).stat().st_size > 5000
    assert page.read_text().endswith(f'{speed_page.END}\n\nMore.\n')
    before = {name: (tmp_path / name).read_bytes() for name in written}
    plots.draw_all(found, tmp_path / 'speed', page)
    assert before == {name: (tmp_path / name).read_bytes() for name in written}


def failing_measurement(error):
    def measure(session):
        raise error
    return type('Failing', (), {'NAME': 'ask', 'ABOUT_S': dict.fromkeys(Effort, 1),
                                'measure': staticmethod(measure)})


def test_what_fails_is_said_and_leaves_no_older_figures(tmp_path, monkeypatch, capsys):
    run = importlib.import_module('bench.run')
    path = tmp_path / 'quick.json'
    update_results(path, 'ask', {'ask.driver.ms': 1.0})
    update_results(path, 'memory', {'memory.grid.mb': 100.0})
    monkeypatch.setattr(run, 'QUICK', path)
    monkeypatch.setattr(run, 'MEASUREMENTS', {'ask': failing_measurement(OSError('no disk'))})
    monkeypatch.setattr(sys, 'argv', ['run.py', '--quick', '--only', 'ask'])
    assert run.main() == 1
    found = read_results(path)
    assert found['ask.failure'] == 'OSError: no disk'
    assert 'ask.driver.ms' not in found
    assert found['memory.grid.mb'] == 100.0
    said = capsys.readouterr()
    assert 'ask could not be measured: OSError: no disk' in said.err
    assert 'next question, driver' in said.out


def test_an_interrupted_run_keeps_what_it_had(tmp_path, monkeypatch, capsys):
    run = importlib.import_module('bench.run')
    path = tmp_path / 'quick.json'
    update_results(path, 'ask', {'ask.driver.ms': 1.0})
    monkeypatch.setattr(run, 'QUICK', path)
    monkeypatch.setattr(run, 'MEASUREMENTS', {'ask': failing_measurement(KeyboardInterrupt())})
    monkeypatch.setattr(sys, 'argv', ['run.py', '--quick', '--only', 'ask'])
    assert run.main() == 130
    assert read_results(path)['ask.driver.ms'] == 1.0
    assert 'interrupted' in capsys.readouterr().err


def test_a_measurement_that_does_not_exist_is_refused():
    done = subprocess.run([sys.executable, 'bench/run.py', '--only', 'planing'], cwd=ROOT,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.returncode == 2
    assert "there is no measurement 'planing'; known: " in done.stderr
    assert 'Traceback' not in done.stderr
