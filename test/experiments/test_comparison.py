"""The comparison sweep: worlds, costs and scores of a trial; tables and page from known rows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gbs_irl_ros.core import policy_accuracy
from gbs_irl_ros.core.baselines.shown import best_policy, policy_of_sets
from gbs_irl_ros.experiments import command, comparison_trials
from gbs_irl_ros.experiments.comparison import (
    COMPARISON,
    COMPARISON_ROWS,
    ComparisonExperiment,
    ComparisonRow,
    ComparisonSweep,
)
from gbs_irl_ros.experiments.comparison_page import BEGIN, LOOKS, Compared, curves, written
from gbs_irl_ros.experiments.comparison_summary import (
    ComparisonCell,
    Difference,
    comparison_cells,
    comparison_differences,
)
from gbs_irl_ros.experiments.comparison_trials import (
    METHODS,
    READINGS,
    SUBJECTS,
    Judge,
    Subject,
    Trial,
    walled,
)
from gbs_irl_ros.experiments.domains import RandomMdps
from gbs_irl_ros.experiments.page import END
from gbs_irl_ros.experiments.summary import read_table

DOCS = Path(__file__).parent.parent.parent / 'docs'
TINY = ComparisonSweep(domains=('tiny',), trials=1)


@pytest.fixture
def tiny(monkeypatch):
    """A domain in which a whole trial takes a moment."""
    monkeypatch.setitem(SUBJECTS, 'tiny', Subject('tiny', RandomMdps(6, 2, count=12), 0))
    monkeypatch.setattr(comparison_trials, 'WALK_STEPS', 10)


# ---- a trial ------------------------------------------------------------------------------------


def test_a_wall_is_crossed_by_its_door_alone(rng):
    """Whatever would cross it elsewhere stays where it is; nothing else changes."""
    open_floor = SUBJECTS['grid'].domain.mdp(0)
    shut = walled(open_floor, 19, rng)
    before, after = open_floor.successors, shut.successors
    changed = np.argwhere(before != after)
    assert len(changed) == 2 * 9                        # nine of ten rows, from both sides
    for state, action in changed:
        assert after[state, action] == state
        assert abs(before[state, action] - state) == 1
    columns = {int(min(state % 19, before[state, action] % 19)) for state, action in changed}
    assert len(columns) == 1
    assert 19 // 3 <= columns.pop() < 2 * 19 // 3


def test_a_slippery_world_keeps_its_probabilities_behind_a_wall(rng):
    shut = walled(SUBJECTS['puddle'].domain.mdp(0), 20, rng)
    np.testing.assert_allclose(np.asarray(shut.transitions.sum(axis=1)).ravel(), 1.0)


def test_the_best_policy_loses_nothing_and_chance_everything(rng):
    mdp = SUBJECTS['random'].domain.mdp(1)
    judge = Judge(mdp, rng.random(50), np.full(50, 0.02))
    assert judge.loss(best_policy(mdp, judge.reward)) == pytest.approx(0.0, abs=1e-9)
    assert judge.loss(policy_of_sets(np.full(50, 0b11111), 5)) == pytest.approx(1.0)


def test_a_trial_depends_on_its_number_alone(tiny):
    first, again = ([*Trial('tiny', 2).gbs(), *Trial('tiny', 2).dagger()] for _ in range(2))
    assert first == again
    assert first != [*Trial('tiny', 3).gbs(), *Trial('tiny', 3).dagger()]


def test_a_trial_teaches_in_one_half_and_tries_in_the_other(tiny):
    trial = Trial('tiny', 4)
    assert [answer.steps[0][0] >= 3 for answer in trial.demonstrations] == [True] * 10
    assert trial.taught.start.tolist() == pytest.approx([0, 0, 0, 1 / 3, 1 / 3, 1 / 3])
    assert trial.held_out.start.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0, 0])
    assert (trial.held_out.mdp.transitions != trial.mdp.transitions).nnz > 0
    assert trial.held_out.reward is trial.taught.reward


def test_a_reward_is_planned_for_in_the_other_world():
    """Where the wall is, what was best before is not any more: a policy alone would lose there."""
    trial = Trial('grid', 0)
    policy = best_policy(trial.mdp, trial.taught.reward)
    assert policy_accuracy(policy, trial.taught.meter.optimal_sets) == 1.0
    assert trial.taught.loss(policy) == pytest.approx(0.0, abs=1e-9)
    assert trial.held_out.loss(policy) > 0.1
    learner = trial.single_answers[-1]
    assert trial._of_learner(learner) == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)


def test_settings_name_what_rows_depend_on(tiny, tmp_path):
    settings = TINY.settings()
    assert settings['methods'] == list(METHODS)
    assert 'RandomMdps(states=6' in settings['subjects']['tiny']
    assert COMPARISON.quick().num_trials == 6
    assert [COMPARISON.place(index) for index in (0, 1, 2, 3)] == [
        ('grid', 0), ('random', 0), ('puddle', 0), ('grid', 1)]
    experiment = ComparisonExperiment(TINY, tmp_path)
    assert experiment.whole_trials == 0
    assert len(experiment._problem()) == 8


# ---- tables and page ----------------------------------------------------------------------------


def known_rows(trials=6):
    """GBS-IRL is better than cloning by 0.2 in every trial, and as good as a list."""
    return [ComparisonRow(domain, trial, method, visits, presses, accuracy + 0.01 * trial,
                          1.0 - accuracy, 0.5)
            for domain in SUBJECTS for trial in range(trials)
            for method, visits, presses, accuracy in (
                ('gbs', 1, 1, 0.5), ('gbs', 5, 5, 0.6), ('gbs', 20, 20, 0.9),
                ('gbs_steps', 7, 21, 0.9), ('clone_demos', 1, 20, 0.7),
                ('clone_demos', 5, 100, 0.4))]


def test_means_and_intervals_by_hand():
    cells = comparison_cells(known_rows(2))
    first = cells[0]
    assert first[:5] == ('grid', 'gbs', 1, 1, 2)
    assert first.accuracy == pytest.approx(0.505)
    assert first.accuracy_ci == pytest.approx(12.706204736 * 0.005)     # Student's, of two
    assert (first.loss, first.held_out_ci) == (0.5, 0.0)
    assert len(cells) == 3 * 6


def test_methods_are_compared_where_they_cost_the_same():
    rows = known_rows()
    found = comparison_differences(rows, comparison_cells(rows))
    accuracy = {(each.method, each.unit, each.budget): each for each in found
                if each.domain == 'grid' and each.measure == 'accuracy'}
    assert set(accuracy) == {('gbs_steps', 'presses', 20), ('clone_demos', 'presses', 20),
                             ('clone_demos', 'visits', 1), ('clone_demos', 'visits', 5)}
    better = accuracy['clone_demos', 'presses', 20]
    assert better.mean == pytest.approx(0.2)
    assert (better.trials, better.p, better.p_holm) == (6, 2 / 64, 4 / 64)      # of two methods
    assert accuracy['gbs_steps', 'presses', 20].p == 1.0
    assert accuracy['clone_demos', 'visits', 5].mean == pytest.approx(0.2)


def test_a_budget_that_gbs_has_no_reading_for_is_left_out():
    rows = [row for row in known_rows() if not (row.method == 'gbs' and row.visits == 5)]
    found = comparison_differences(rows, comparison_cells(rows))
    assert {(each.unit, each.budget) for each in found} == {('presses', 20), ('visits', 1)}


def test_the_page_has_the_numbers():
    rows = known_rows(9)
    cells = comparison_cells(rows)
    text = written(Compared(cells, comparison_differences(rows, cells)), 'drawn', 'Run.')
    assert text.startswith('Trials: grid 19 × 10 9, random 50 × 5 9, puddle world 9.')
    for part in ('| cloning, demonstrations | 0.74 ± 0.02 | 0.44 ± 0.02 | 0.30 ± 0.00 | 0.60',
                 '| information gain, three steps shown | 0.94 ± 0.02 | – |',
                 '| 20 key presses | with: 0.94, GBS-IRL, questions for an action; information '
                 'gain, three steps shown<br>without: 0.74, cloning, demonstrations |',
                 '| 1 visit | with: 0.54, GBS-IRL, questions for an action<br>without: 0.74,',
                 '(drawn/comparison_visits.png)', '**+0.20 ± 0.00**', 'Run.'):
        assert part in text, part
    assert 'None' not in text
    assert 'nan' not in text


def test_every_method_is_drawn_with_a_look_of_its_own():
    assert set(LOOKS) == set(METHODS)
    assert len(set(LOOKS.values())) == len(LOOKS)
    panel = curves(comparison_cells(known_rows()), 'visits').axes[0]
    assert len(panel.lines) == len(METHODS)


def test_one_trial_has_no_interval():
    rows = known_rows(1)
    cells = comparison_cells(rows)
    text = written(Compared(cells, comparison_differences(rows, cells)), 'drawn', '')
    assert '| cloning, demonstrations | 0.70 | 0.40 |' in text
    assert 'nan' not in text


@pytest.mark.slow
def test_the_command_runs_every_method_and_writes_page_and_parquet(tiny, tmp_path, monkeypatch):
    pytest.importorskip('pyarrow')
    monkeypatch.setattr(command, 'OWN', tuple(
        own._replace(sweep=TINY) if own.name == 'comparison' else own for own in command.OWN))
    page = tmp_path / 'comparison.md'
    page.write_text(f'{BEGIN}\n{END}\n')
    assert command.main(['comparison', '--rows', str(tmp_path), '--jobs', '1', '--parquet',
                         '--comparison-page', str(page)]) == 0
    assert 'Trials: tiny 1.' in page.read_text()
    for file in ('comparison.parquet', 'drawn/comparison_presses.png',
                 'drawn/comparison_visits.png', 'drawn/comparison_differences.csv'):
        assert (tmp_path / file).stat().st_size > 500, file
    rows = COMPARISON_ROWS.read(tmp_path / 'comparison.csv')
    assert len(rows) == READINGS
    paid = {method: [(row.visits, row.presses) for row in rows if row.method == method]
            for method in METHODS}
    assert paid['gbs'] == paid['clone_answers'] == [(n, n) for n in (1, 2, 5, 10, 20, 40, 100)]
    assert paid['gbs_steps'] == [(n, 3 * n) for n in (1, 2, 5, 7, 13, 33)]
    for method in ('listed', 'ml_demos', 'mce_demos', 'clone_demos', 'lpal_demos', 'dagger'):
        assert paid[method] == [(n, 20 * n) for n in (1, 2, 5, 10)], method
    assert all(0.0 <= row.accuracy <= 1.0 and row.loss >= 0.0 for row in rows)
    final = {row.method: row.accuracy for row in rows}
    assert final['gbs'] == final['listed'] == 1.0


def test_the_page_says_what_its_tables_say():
    """Numbers in the files have six digits; the page rounds to two."""
    cells = [ComparisonCell(**each) for each in read_table(DOCS / 'paper' / 'comparison.csv')]
    differences = [Difference(**each) for each in
                   read_table(DOCS / 'paper' / 'comparison_differences.csv')]
    whole = [cell._replace(visits=int(cell.visits), presses=int(cell.presses),
                           trials=int(cell.trials)) for cell in cells]
    budgets = [each._replace(budget=int(each.budget)) for each in differences]
    text = written(Compared(whole, budgets), 'paper', '').rstrip()
    page = (DOCS / 'comparison.md').read_text().split(BEGIN)[1].split(END)[0]
    assert re.sub(r' The run behind this page:.*', '', page).strip() == text
