"""Whether learners keep their word: the lessons, how they are kept, and the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_sweeps import quiet

from gbs_irl_ros.experiments import command
from gbs_irl_ros.experiments.page import END
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.experiments.trust import (
    LISTED,
    TRUST,
    TRUST_ROWS,
    Subject,
    TrustExperiment,
    TrustRow,
    TrustSweep,
    run_lessons,
)
from gbs_irl_ros.experiments.trust_lessons import WAYS, lessons_about
from gbs_irl_ros.experiments.trust_page import BEGIN, draw_trust, write_trust_page, written
from gbs_irl_ros.experiments.trust_summary import summarised, wilson
from gbs_irl_ros.tasks import load_task

ROOM = Subject('room', ('place', 'region'), shown=True)
TASKS = Path(__file__).parents[2].glob('config/tasks/*.yaml')
SMALL = TrustSweep((ROOM, replace(ROOM, missing=('region',), shown=False, every=2)),
                   errors=(0.1,), lessons=2)


@pytest.fixture(scope='module')
def lessons():
    return lessons_about('room')


def row(lesson=0, end='right', claimed=0.99, loss=0.0, answers=5, way='paper', **others):
    return TrustRow(**{'task': 'room', 'lesson': lesson, 'missing': LISTED, 'error': 0.1,
                       'way': way, 'end': end, 'answers': answers, 'closing': 1,
                       'claimed': claimed, 'loss': loss, **others})


# ---- lessons ------------------------------------------------------------------------------------

def test_a_lesson_depends_on_its_number_alone(lessons):
    for missing in ('', 'place', 'region'):
        first, again = (lessons.run(3, 'defaults', 0.1, missing) for _ in range(2))
        assert first == again, missing


def test_a_careful_teacher_of_a_listed_task_is_understood_in_every_way(lessons):
    for way in set(WAYS) - {'shown'}:
        outcome = lessons.run(1, way, 0.0)
        assert outcome.end == 'right', way
        assert outcome.claimed >= 0.95, way
        assert (outcome.closing >= 2) is WAYS[way].careful, way


def test_paper_mode_is_sure_and_wrong_about_a_place_that_is_not_listed(lessons):
    outcome = lessons.run(0, 'paper', 0.0, 'place')
    assert outcome.end == 'wrong'
    assert outcome.claimed >= 0.95
    assert outcome.loss > 0.0


def test_a_place_that_is_not_listed_is_learned_once_it_is_shown(lessons):
    ends = [lessons.run(number, 'shown', 0.0, 'place').end for number in range(5)]
    assert ends.count('right') >= 4, ends


def test_what_is_missing_is_not_possible_and_the_rest_is(lessons):
    names = load_task('room').names
    for missing in ('region', 'reward'):
        meant = lessons.meant(missing, np.random.default_rng(0))
        possible = np.isfinite(meant.listed.log_prior)
        assert np.exp(meant.listed.log_prior).sum() == pytest.approx(1.0), missing
        assert not possible[meant.listed.policy_of_reward == meant.policy].any(), missing
        assert not (missing == 'region'
                    and any('toys' in name for name, may in zip(names, possible, strict=True)
                            if may)), missing
    assert np.isfinite(lessons.meant('place', np.random.default_rng(0)).listed.log_prior).all()
    assert lessons.meant('', np.random.default_rng(0)).listed is load_task_hypotheses(lessons)


def load_task_hypotheses(lessons):
    return lessons._hypotheses


def test_a_shaped_reward_has_the_policies_of_a_sparse_one():
    """So the lessons about one are those about the other, and only one is swept."""
    shaped, sparse = (load_task(name).hypotheses for name in ('grid_world_shaped', 'grid_world'))
    for policy in range(sparse.num_policies):
        np.testing.assert_array_equal(shaped.sets.policy_sets(policy),
                                      sparse.sets.policy_sets(policy))
    tasks = {subject.task for subject in TRUST.subjects}
    assert tasks == {path.stem for path in TASKS} - {'grid_world_shaped'}


# ---- rows ---------------------------------------------------------------------------------------

def test_a_run_that_was_cut_off_continues_and_other_settings_are_refused(tmp_path):
    experiment = TrustExperiment(SMALL, tmp_path)
    assert not experiment.complete
    experiment.run(quiet())
    assert experiment.complete
    whole = experiment.rows.read_text()
    assert whole.splitlines()[1:] == ''.join(
        run_lessons(SMALL, index)[0] for index in range(3)).splitlines()
    experiment.rows.write_text(whole[:-20])
    assert not experiment.complete
    experiment.run(quiet())
    assert experiment.rows.read_text() == whole
    with pytest.raises(ExperimentError, match=r'has rows of other settings \(errors\[0\] is'):
        TrustExperiment(replace(SMALL, errors=(0.2,)), tmp_path).run(quiet())


def test_first_lessons_come_first_and_quick_is_short():
    assert [(subject.missing, number) for subject, number in SMALL.trials] == [
        (('place', 'region'), 0), (('region',), 0), (('place', 'region'), 1)]
    assert TRUST.quick().num_trials == 3 * len(TRUST.subjects) - 2      # driver: one
    assert {way for subject in TRUST.subjects for *_, way in subject.cells(0, (0.1,))} == set(WAYS)


# ---- numbers ------------------------------------------------------------------------------------

def test_a_cell_by_hand():
    paper = [row(number, answers=answers) for number, answers in enumerate((4, 5, 6, 7))]
    ends = (('right', 0.99, 0.0), ('wrong', 0.97, 0.2), ('none', 0.0, 0.0), ('open', 0.0, 0.0))
    careful = [row(number, *end, answers=8, way='defaults') for number, end in enumerate(ends)]
    _, cell = summarised([*paper, *careful])
    assert (cell.right, cell.wrong, cell.none, cell.open) == (0.25,) * 4
    assert (cell.answers, cell.more, cell.lessons) == (8.0, 2.5, 4)
    assert cell.claimed == pytest.approx(0.98)
    assert cell.kept == 0.5
    assert (cell.kept_low, cell.kept_high) == wilson(1, 2)
    assert not cell.keeps_its_word
    assert cell.loss == pytest.approx(0.1)


def test_a_claim_is_judged_by_what_it_claims():
    rows = [row(), row(end='wrong', loss=0.04, way='value_at_risk'),
            row(end='wrong', loss=0.06, way='minimax_regret')]
    assert [cell.kept for cell in summarised(rows)] == [1.0, 1.0, 0.0]


def test_the_interval_is_wilson_s():
    assert wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    for total in range(1, 500):
        assert wilson(total, total)[1] == 1.0, total
        assert wilson(0, total)[0] == 0.0, total


# ---- the page -----------------------------------------------------------------------------------

def test_the_page_says_what_is_met_and_what_is_not(tmp_path):
    rows = [row(number, answers=answers, way=way, missing=missing, end=end, loss=0.0)
            for missing, way, end, answers in (
                (LISTED, 'paper', 'right', 5), (LISTED, 'defaults', 'right', 6),
                ('place', 'paper', 'wrong', 5), ('place', 'defaults', 'none', 9),
                ('place', 'shown', 'right', 9))
            for number in range(10)]
    text = written(summarised(rows), 'paper', 'It took long.')
    assert '| wrong at the stop at most 1%, a listed task is meant | 1 | 1 | `room`, 10%' in text
    assert '| `room`, a place | 10 | 10% | 100.0% → 0.0% | 0.0% | 100.0% |' in text
    assert text.endswith('(paper/trust.csv). It took long.')
    slow = [each._replace(answers=9) if each.way == 'defaults' else each for each in rows]
    assert '10% | 1 | 0 | `room`, 10%: +4.00 |' in written(summarised(slow), 'paper', '')
    path, page = tmp_path / 'trust.csv', tmp_path / 'trust.md'
    path.write_text(TRUST_ROWS.header + TRUST_ROWS.lines(rows))
    page.write_text(f'before\n{BEGIN}\nold\n{END}\nafter\n')
    write_trust_page(page, draw_trust(path, tmp_path / 'drawn'), 'drawn', '')
    assert page.read_text().startswith(f'before\n{BEGIN}\n## What is asked')
    assert page.read_text().endswith(f'{END}\nafter\n')
    assert {file.name for file in (tmp_path / 'drawn').iterdir()} == {'trust.csv', 'trust.png'}


def test_the_command_runs_it_by_its_name(tmp_path, monkeypatch, capsys):
    small = replace(SMALL, subjects=(ROOM,))
    monkeypatch.setattr(command, 'OWN', tuple(
        own._replace(sweep=small) if own.name == 'trust' else own for own in command.OWN))
    page = tmp_path / 'trust.md'
    page.write_text(f'{BEGIN}\n{END}\n')
    given = ['trust', '--rows', str(tmp_path), '--jobs', '1', '--trust-page', str(page)]
    assert command.main([*given, '--draw-only']) == 0
    assert 'no lesson of the trust sweep is there' in capsys.readouterr().err
    assert command.main(given) == 0
    assert '| `room` | 2 | 10% |' in page.read_text()
    assert 'The run behind this page: 0 min.' in page.read_text()
    assert (tmp_path / 'drawn' / 'trust.png').stat().st_size > 1000
