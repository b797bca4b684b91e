"""Whether learners keep their word: the lessons that are counted, and the table."""

from __future__ import annotations

import pytest

from gbs_irl_ros.experiments import trust
from gbs_irl_ros.experiments.trust import WAYS, Lessons, Outcome, row, wilson
from gbs_irl_ros.tasks import load_task


@pytest.fixture(scope='module')
def lessons():
    return Lessons(load_task('room'))


def test_a_lesson_depends_on_its_number_alone(lessons):
    for inside in (True, False):
        first, again = (lessons.run(3, WAYS[0], 0.1, inside=inside) for _ in range(2))
        assert first == again


def test_a_careful_teacher_of_a_listed_task_is_understood(lessons):
    for way in WAYS[1:3]:
        outcome = lessons.run(1, way, 0.0, inside=True)
        assert outcome.end == 'right'
        assert outcome.claimed >= 0.95


def test_paper_mode_is_sure_and_wrong_about_a_place_that_is_not_listed(lessons):
    outcome = lessons.run(0, WAYS[0], 0.0, inside=False)
    assert outcome.end == 'wrong'
    assert outcome.claimed >= 0.95


def test_a_place_that_is_not_listed_is_learned_once_it_is_shown(lessons):
    ends = [lessons.run(number, WAYS[1], 0.0, inside=False, shows=True).end
            for number in range(5)]
    assert ends.count('right') >= 4, ends


def test_a_line_of_the_table_counts_ends():
    outcomes = [Outcome('right', 5, 0.97), Outcome('wrong', 7, 0.95), Outcome('none', 9, 0.96),
                Outcome('open', 60, 0.0)]
    assert row(WAYS[0], 0.1, inside=True, outcomes=outcomes) == (
        '| paper, certainty 0.95 | listed | 0.1 | 0.250 | 0.250 | 0.250 | 0.250 | 20.2 | 0.960 | '
        '0.095 .. 0.905 |')
    assert '| not listed, shown | 0.1 |' in row(WAYS[0], 0.1, inside=False, shows=True,
                                                outcomes=outcomes)
    assert ' – | 0.000 .. 1.000 |' in row(WAYS[0], 0.1, inside=False, outcomes=outcomes[3:])


def test_the_interval_is_wilson_s():
    assert wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_command_prints_a_table(capsys):
    assert trust.main(['--lessons', '1', '--errors', '0.1', '--ways', WAYS[0].name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(line.count('|') == 11 for line in lines)
