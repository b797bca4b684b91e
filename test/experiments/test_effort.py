"""What teaching costs a person: the lessons, how they are kept, and the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cases import for_each
from small_sweeps import quiet

from gbs_irl_ros.core.pace import usual_seconds
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.experiments import command
from gbs_irl_ros.experiments.effort import (
    EFFORT,
    EFFORT_ROWS,
    EffortExperiment,
    EffortRow,
    EffortSubject,
    EffortSweep,
    lessons_of,
    run_effort_lessons,
)
from gbs_irl_ros.experiments.effort_lessons import (
    MOST,
    SMALL_RANDOM,
    WAYS,
    EffortLessons,
    capacity,
    effort_lessons,
    told,
)
from gbs_irl_ros.experiments.effort_page import BEGIN, draw_effort, write_effort_page, written
from gbs_irl_ros.experiments.effort_summary import COSTS, effort_cells, recosted
from gbs_irl_ros.experiments.page import END
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.tasks import load_task

SMALL = EffortSweep((EffortSubject('room'),
                     EffortSubject(SMALL_RANDOM, ('paper', 'aggregated', 'sure', 'actions',
                                                  'actions_steps', 'all'), every=2)),
                    errors=(0.1,), lessons=2)


@pytest.fixture(scope='module')
def lessons():
    return effort_lessons('room')


@pytest.fixture(scope='module')
def drawn(tmp_path_factory):
    """Return the folder of a small run, its cells drawn into it."""
    folder = tmp_path_factory.mktemp('effort')
    experiment = EffortExperiment(SMALL, folder)
    experiment.run(quiet())
    return folder, draw_effort(experiment.rows, folder)


def row(lesson=0, way='paper', questions=6, seconds=18.0, asked='action*6', **others):
    return EffortRow(**{'task': 'room', 'lesson': lesson, 'error': 0.1, 'way': way, 'end': 'right',
                        'same': 1, 'loss': 0.0, 'questions': questions, 'closing': 0,
                        'seconds': seconds, 'asked': asked, 'bits': 4.0, 'actions': 5,
                        'places': 5, **others})


# ---- lessons ------------------------------------------------------------------------------------

def test_a_lesson_depends_on_its_number_alone(lessons):
    assert lessons.run(3, 'all', 0.1) == lessons.run(3, 'all', 0.1)
    assert lessons.run(3, 'actions', 0.1) != lessons.run(4, 'actions', 0.1)


def test_lessons_of_one_number_have_nothing_in_common_in_different_worlds():
    meant = [[lessons.run(number, 'actions', 0.0).asked for number in range(6)]
             for lessons in (EffortLessons(name, load_task('room'), named=True)
                             for name in ('here', 'there'))]
    assert meant[0] != meant[1]


def test_a_teacher_without_errors_is_understood_in_every_way(lessons):
    for way, asking in WAYS.items():
        found = lessons.run(1, way, 0.0)
        assert found.end == 'right', way
        assert (found.asked['confirm'] > 0) is asking.careful, way
        assert 0 < found.asked.total() <= MOST, way


def test_ways_ask_what_they_say(lessons):
    for number in range(4):
        assert set(lessons.run(number, 'paper', 0.1).asked) == {'action'}
        assert set(lessons.run(number, 'actions', 0.1).asked) <= {'action', 'confirm'}
        assert {'demonstration3', 'confirm'} <= set(lessons.run(number, 'steps', 0.1).asked)
        kinds = {word.rstrip('0123456789') for word in lessons.run(number, 'lists', 0.1).asked}
        assert kinds & {'task', 'place'}


def test_lists_are_left_out_where_nobody_knows_the_names():
    assert QuestionKind.TASK in effort_lessons('room').kinds
    assert QuestionKind.TASK not in effort_lessons(SMALL_RANDOM).kinds
    assert QuestionKind.PLACE not in effort_lessons(SMALL_RANDOM).kinds
    for subject in EFFORT.subjects:
        names = load_task(subject.task).names if subject.task != SMALL_RANDOM else ()
        assert ('lists' in subject.ways) is bool(names and not any(
            name.startswith('random reward') for name in names)), subject.task


def test_random_worlds_differ_with_the_lesson():
    subject = EffortSubject(SMALL_RANDOM)
    hashes = {lessons_of(subject, number).task.hash for number in range(10)}
    assert len(hashes) == 5


def test_the_seconds_are_those_of_the_cost_model(lessons):
    found = lessons.run(2, 'paper', 0.1)
    assert found.seconds == 3.0 * found.asked['action']


@for_each('question, word', [
    (Question(QuestionKind.ACTION, 0), 'action'), (Question(QuestionKind.PLACE, 0), 'place'),
    (Question(QuestionKind.DEMONSTRATION, 0, steps=3), 'demonstration3'),
    (Question(QuestionKind.TASK, 0, options=(1, 2, 5)), 'task3')])
def test_questions_are_told_apart_by_what_they_cost(question, word):
    assert told(question) == word


@for_each('error, choices, bits', [
    (0.1, 2, 0.53), (0.1, 4, 1.37), (0.1, 5, 1.65), (0.1, 20, 3.43), (0.0, 8, 3.0), (0.5, 2, 0.0)])
def test_the_capacity_of_an_answer(error, choices, bits):
    assert capacity(error, choices) == pytest.approx(bits, abs=0.005)


# ---- rows ---------------------------------------------------------------------------------------

def test_rows_depend_on_sweep_and_number_alone_and_can_be_read(tmp_path):
    (lines,) = run_effort_lessons(SMALL, 0)
    assert (lines,) == run_effort_lessons(SMALL, 0)
    path = tmp_path / 'rows.csv'
    path.write_text(EFFORT_ROWS.header + lines)
    rows = EFFORT_ROWS.read(path)
    assert [each.way for each in rows] == list(WAYS)
    assert all(each.questions == sum(int(part.split('*')[1]) for part in each.asked.split())
               for each in rows)


def test_a_run_continues_where_it_was_stopped(tmp_path):
    whole, cut = EffortExperiment(SMALL, tmp_path / 'a'), EffortExperiment(SMALL, tmp_path / 'b')
    whole.run(quiet())
    (tmp_path / 'b').mkdir()
    for name in ('effort.csv', 'effort.json'):
        (tmp_path / 'b' / name).write_bytes((tmp_path / 'a' / name).read_bytes())
    lines = whole.rows.read_text().splitlines(keepends=True)
    cut.rows.write_text(''.join(lines[:len(WAYS) + 3]))
    assert cut.whole_trials == 1
    cut.run(quiet())
    assert cut.rows.read_text() == whole.rows.read_text()


def test_rows_of_another_sweep_are_refused(tmp_path):
    EffortExperiment(SMALL, tmp_path).run(quiet())
    with pytest.raises(ExperimentError, match='has rows of other settings'):
        EffortExperiment(replace(SMALL, errors=(0.2,)), tmp_path).run(quiet())


# ---- summary ------------------------------------------------------------------------------------

def with_others(ours):
    """Return the rows of two lessons in the ways that others are compared with, and ours."""
    return [row(lesson, way) for lesson in (0, 1)
            for way in ('paper', 'aggregated', 'sure', 'actions')] + ours


def test_cells_compare_pairs_of_lessons():
    cells = effort_cells(with_others([row(0, 'all', 2, 6.0), row(1, 'all', 4, 9.0, end='wrong')]))
    ours = cells[-1]
    assert (ours.way, ours.lessons, ours.questions, ours.seconds) == ('all', 2, 3.0, 7.5)
    assert (ours.right, ours.less_questions, ours.less_seconds) == (0.5, 3.0, 10.5)
    assert ours.fewer_questions == pytest.approx(0.5)
    assert ours.fewer_seconds == pytest.approx(1.0 - 7.5 / 18.0)
    assert ours.slower == -10.5
    assert ours.less_questions_ci == pytest.approx(12.706, abs=0.01)    # Student, one degree
    assert ours.limit == pytest.approx(4.0 / capacity(0.1, 5))
    assert cells[0].fewer_questions == 0.0


def test_a_lesson_without_its_pair_is_left_out_of_the_differences():
    ours = effort_cells(with_others([row(0, 'all', 2, 6.0), row(7, 'all', 60, 180.0)]))[-1]
    assert ours.less_questions == 4.0
    assert ours.questions == 31.0


@for_each('cost, seconds', [('usual', 20.0), ('fast', 18.0), ('slow', 24.0),
                            ('linear', 20.0 + 4.0 - usual_seconds(
                                Question(QuestionKind.TASK, 0, options=tuple(range(10))))),
                            ('steps', 20.0 + 2 * (9.0 - 5.0))])
def test_other_costs_change_what_they_say(cost, seconds):
    given = row(seconds=20.0, asked='action*2 demonstration3*2 task10*1 confirm*2 place*1')
    assert recosted(given, cost) == pytest.approx(seconds)
    assert cost in COSTS


# ---- the page -----------------------------------------------------------------------------------

def test_the_page_has_goals_tables_and_figure(drawn):
    folder, cells = drawn
    text = written(cells, 'paper', 'It took a minute.')
    for part in ('## What was asked for', '## Questions and seconds', '### room, 2 lessons',
                 '### random 10 × 5, 1 lessons', '## Where fewer than 95%', '## Mixes against',
                 '## If people take other times', '## The information limit', 'It took a minute.',
                 '(paper/effort.png)', '| an action 5 s |', '| all answers alike |'):
        assert part in text, part
    assert 'None' not in text
    assert (folder / 'effort.png').read_bytes().startswith(b'\x89PNG')
    assert len((folder / 'effort.csv').read_text().splitlines()) > len(cells)


def test_a_goal_that_is_missed_is_called_so():
    slow = with_others([row(0, 'all', 7, 30.0, task='room'), row(1, 'all', 7, 31.0)])
    text = written(effort_cells([*slow, *(each._replace(task='driver') for each in slow),
                                 *(each._replace(way='actions_steps', task='driver')
                                   for each in slow[-2:])]), 'paper', '')
    assert '| ≥ 40% fewer questions on each, against paper mode | driver -17% | **no** |' in text
    assert '| `room` in ≤ 2.5 answers and ≤ 11 s, the teacher errs in 10% | 7.00 and 30.5 s | ' \
        '**no** |' in text
    assert 'of 3 comparisons 3: mix: all kinds: room, 10%: +12.5 ± 6.4 s' in text


def test_the_page_is_written_between_its_marks(tmp_path, drawn):
    page = tmp_path / 'effort.md'
    page.write_text(f'before\n{BEGIN}\nwas here before\n{END}\nafter\n')
    write_effort_page(page, drawn[1], 'paper', 'Run.')
    text = page.read_text()
    assert text.startswith(f'before\n{BEGIN}\n## What was asked for')
    assert text.endswith(f'{END}\nafter\n')
    assert 'was here before' not in text


def test_the_command_runs_it_and_writes_its_page(tmp_path, monkeypatch, capsys):
    small = replace(SMALL, lessons=1)
    monkeypatch.setattr(command, 'OWN', tuple(
        own._replace(sweep=small) if own.name == 'effort' else own for own in command.OWN))
    page = tmp_path / 'effort.md'
    page.write_text(f'{BEGIN}\n{END}\n')
    assert command.main(['effort', '--rows', str(tmp_path), '--draw', str(tmp_path / 'drawn'),
                         '--jobs', '1', '--effort-page', str(page)]) == 0
    assert 'What was asked for' in page.read_text()
    assert 'tables and figures of effort are in' in capsys.readouterr().err
