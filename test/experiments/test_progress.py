"""What is said of how far an experiment is."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from cases import for_each

from gbs_irl_ros.experiments import progress as progress_module
from gbs_irl_ros.experiments.progress import Progress, duration


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(progress_module, 'time', SimpleNamespace(monotonic=made.monotonic))
    return made


def advance(progress, clock, *steps):
    """Tell how many trials are done, so many seconds after the last time."""
    for seconds, done in steps:
        clock.now += seconds
        progress.advance(done)


def test_in_a_log_a_line_comes_every_half_minute(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin('Driver', 2000, 0)
    advance(progress, clock, (10, 50), (19.9, 90), (0.1, 100), (29.9, 150), (70.1, 400))
    clock.now += 20.0
    progress.end()
    assert stream.getvalue().splitlines() == [
        'paper: Driver: 2,000 trials',
        'paper: Driver: 100 of 2,000 trials, 30 s, about 9 min 30 s left',
        'paper: Driver: 400 of 2,000 trials, 2 min 10 s, about 8 min 40 s left',
        'paper: Driver: 400 of 2,000 trials, 2 min 30 s']


def test_parts_are_numbered_where_there_are_several(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    progress.expect(2)
    progress.begin('Driver', 20, 20)
    progress.end()
    progress.begin('Trap world', 8, 3)
    advance(progress, clock, (30, 4))
    assert stream.getvalue().splitlines() == [
        'paper: 1 of 2, Driver: all 20 trials are there',
        'paper: 2 of 2, Trap world: 8 trials, going on after 3',
        'paper: 2 of 2, Trap world: 4 of 8 trials, 30 s, about 2 min 0 s left']


def test_on_a_terminal_one_line_is_written_over_and_over(clock):
    stream = Terminal()
    progress = Progress(stream)
    progress.begin('Trap world', 8, 0)
    advance(progress, clock, (0.4, 1), (0.1, 2), (0.3, 3), (1.2, 4))
    clock.now += 2.0
    progress.advance(8)
    progress.end()
    assert stream.getvalue() == (
        '\r\033[Kpaper: Trap world: 8 trials\n'
        '\r\033[Kpaper: Trap world: 2 of 8 trials, 0 s, about 2 s left'
        '\r\033[Kpaper: Trap world: 4 of 8 trials, 2 s, about 2 s left'
        '\r\033[Kpaper: Trap world: 8 of 8 trials, 4 s, about 0 s left'
        '\r\033[Kpaper: Trap world: 8 of 8 trials, 4 s\n')


def test_on_a_terminal_no_line_is_so_long_that_it_wraps(clock):
    stream = Terminal()
    progress = Progress(stream)
    progress.begin('T' * 200, 8, 0)
    before = len(stream.getvalue())
    advance(progress, clock, (1, 1))
    assert len(stream.getvalue()) - before == 120


def test_the_time_left_counts_only_what_was_done_since_the_start(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin('Driver', 200, 100)
    advance(progress, clock, (40, 120))
    assert stream.getvalue().splitlines() == [
        'paper: Driver: 200 trials, going on after 100',
        'paper: Driver: 120 of 200 trials, 40 s, about 2 min 40 s left']


@pytest.mark.usefixtures('clock')
@pytest.mark.parametrize(('total', 'done', 'said'), [
    (2000, 2000, 'all 2,000 trials are there'), (20, 4, '20 trials, going on after 4')])
def test_an_experiment_that_did_nothing_ends_without_a_word(total, done, said):
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin('Driver', total, done)
    progress.end()
    assert stream.getvalue() == f'paper: Driver: {said}\n'


def test_one_experiment_after_another_begins_anew(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    progress.begin('First', 10, 0)
    advance(progress, clock, (100, 10))
    progress.end()
    clock.now += 500.0
    progress.begin('Second', 4, 0, 'experiments')
    advance(progress, clock, (29, 1), (1, 2))
    progress.end()
    assert stream.getvalue().splitlines()[-3:] == [
        'paper: Second: 4 experiments',
        'paper: Second: 2 of 4 experiments, 30 s, about 30 s left',
        'paper: Second: 2 of 4 experiments, 30 s']


def test_notes_go_to_standard_error(capsys):
    Progress().note('stopped')
    assert capsys.readouterr() == ('', 'paper: stopped\n')


@for_each(('seconds', 'text'), [
    (0.0, '0 s'), (0.4, '0 s'), (59.4, '59 s'), (59.6, '1 min 0 s'), (61.0, '1 min 1 s'),
    (3661.0, '61 min 1 s')])
def test_a_time_is_said_in_minutes_and_seconds(seconds, text):
    assert duration(seconds) == text
