"""gbs-irl plans for a task once, and goes on with the plan that is kept."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import patience

from gbs_irl_ros.cli import progress
from gbs_irl_ros.cli.main import main
from gbs_irl_ros.tasks import load_task

SCRIPT = Path(__file__).parents[2] / 'scripts' / 'gbs-irl'
COMMANDS = [['check', 'room'], ['show', 'room', '--truth'], ['ask', 'room', '--simulate']]
by_command = pytest.mark.parametrize('command', COMMANDS, ids=[each[0] for each in COMMANDS])


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where this person has his caches."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'caches'))
    monkeypatch.chdir(tmp_path)
    return tmp_path / 'caches'


@pytest.mark.slow
@by_command
def test_the_second_time_it_does_not_plan(home, planned, capsys, command):
    assert main(command) == 0
    first = capsys.readouterr()
    assert len(planned) == 1
    assert len(list((home / 'gbs_irl_ros').glob('*.plan'))) == 1
    assert main(command) == 0
    assert len(planned) == 1
    assert capsys.readouterr() == first
    assert first.err == ''


@pytest.mark.slow
@by_command
def test_the_plan_of_one_command_is_that_of_all(home, planned, command):
    assert main(['check', 'room']) == 0
    assert main(command) == 0
    assert len(planned) == 1


@pytest.mark.slow
@by_command
def test_without_the_cache_it_plans_every_time_and_keeps_nothing(home, planned, command):
    for times in (1, 2):
        assert main([*command, '--no-cache']) == 0
        assert len(planned) == times
    assert not home.exists()


@pytest.mark.slow
@by_command
def test_a_folder_that_cannot_be_used_is_told_once_and_is_no_error(home, capsys, command):
    home.write_text('a file')
    assert main(command) == 0
    assert capsys.readouterr().err == (
        f'warning: {home}/gbs_irl_ros: plans cannot be kept here: Not a directory; fix that, '
        'give the cache another folder, or switch it off\n')
    assert main([*command, '--no-cache']) == 0
    assert capsys.readouterr().err == ''


def test_a_damaged_plan_is_told_and_replaced(home, capsys):
    assert main(['check', 'room']) == 0
    file, = (home / 'gbs_irl_ros').iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b'?')
    before = capsys.readouterr().out
    assert main(['check', 'room']) == 0
    after = capsys.readouterr()
    assert after.out == before
    assert after.err == (f'warning: {file}: this plan is not used: it is damaged: its checksum is '
                         'wrong; it was removed\n')
    assert main(['check', 'room']) == 0
    assert capsys.readouterr().err == ''


@pytest.mark.slow
def test_the_option_is_explained():
    done = subprocess.run([sys.executable, SCRIPT, 'ask', '--help'], capture_output=True,
                          text=True, timeout=patience(60))
    assert '--no-cache' in done.stdout
    assert 'plan again, and keep no plan on disk' in done.stdout


def test_long_planning_is_announced_unless_the_plan_is_kept(home, capsys, monkeypatch):
    monkeypatch.setattr(progress, 'LONG', 0)
    progress.compile_with_progress(load_task('room'), cache=True)
    assert capsys.readouterr().err == 'planning for 30 rewards ...\n'
    progress.compile_with_progress(load_task('room'), cache=True)
    assert capsys.readouterr().err == ''
    progress.compile_with_progress(load_task('room'), cache=False)
    assert capsys.readouterr().err == 'planning for 30 rewards ...\n'


def test_on_a_terminal_the_line_begins_when_something_is_done(monkeypatch):
    """Nothing done yet says nothing about how long the rest will take."""
    master, slave = pty.openpty()
    monkeypatch.setattr(progress, 'QUIET_S', 0.0)
    with os.fdopen(slave, 'w') as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, 'stderr', terminal)
        with progress.ProgressLine('planning') as line:
            line(0, 20)
            terminal.write('then ')
            line(10, 20)
    seen = os.read(master, 1000).decode()
    os.close(master)
    assert seen.startswith('then \r\033[Kplanning: 10 of 20, about ')
