"""The whole system as a new user starts it: every shipped task is taught, and driven if it can."""

from __future__ import annotations

import functools
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from graph import wait_for
from preloaded import preloaded
from waiting import patience

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.launching import processes, teaching_commands
from gbs_irl_ros.launching.own_domain import OwnDomain
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / 'scripts'
DEADLINE_S = 300


@pytest.fixture
def environment(tmp_path):
    domain = OwnDomain()
    yield {**os.environ, 'ROS_DOMAIN_ID': str(domain.number), 'ROS_LOG_DIR': str(tmp_path),
           'ROS_HOME': str(tmp_path)}
    domain.release()


def can_be_driven(name):
    try:
        CellMap(load_task(name).world)
    except InvalidMdpError:
        return False
    return True


def pids_of(environment):
    """Return the processes that were started in a ROS domain of a test."""
    mark = f'ROS_LOG_DIR={environment["ROS_LOG_DIR"]}'.encode()
    found = []
    for folder in Path('/proc').iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / 'environ').read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue        # it has ended meanwhile, or is somebody else's
    return found


def check(task, output, picture):
    """Check what a demonstration has said and drawn."""
    assert re.search(r'^learner +\| 1\. .+ -- .+\[.+: \d+%\]$', output, re.M)
    assert 'policy accuracy' in output
    assert ('driven:' in output) == can_be_driven(task)
    assert 'Traceback' not in output
    assert picture.read_bytes().startswith(b'\x89PNG')


def test_the_first_command_of_a_new_user(environment, tmp_path):
    picture = tmp_path / 'learned.png'
    done = subprocess.run([sys.executable, SCRIPTS / 'demo', DEFAULT_TASK, picture],
                          env=environment, cwd=tmp_path, capture_output=True, text=True,
                          timeout=patience(DEADLINE_S))
    assert done.returncode == 0, done.stdout + done.stderr
    check(DEFAULT_TASK, done.stdout + done.stderr, picture)
    shown = re.findall(r'^(?:learner|judge) +\| .*', (ROOT / 'README.md').read_text(), re.M)
    assert len(shown) >= 5
    assert [line for line in shown if line not in done.stdout.splitlines()] == []
    assert pids_of(environment) == []


@pytest.fixture
def demo(environment, tmp_path, monkeypatch):
    """A function that demonstrates a task with processes that are forked; returns all it said."""
    started = []

    def start(command, given):
        """Start what the table says, without importing it again."""
        python, option, module, *arguments = command.arguments
        assert (python, option) == (sys.executable, '-m')
        reads, output = os.pipe()
        with open(os.devnull) as nothing:
            process = preloaded().start(module, arguments, given,
                                        [nothing.fileno(), output, output])
        os.close(output)
        process.stdout = open(reads, errors='replace')      # noqa: SIM115 - its reader closes it
        started.append(process)
        return process

    def run(task, picture, *words):
        said = io.StringIO()
        monkeypatch.setattr(teaching_commands, 'run_together',
                            functools.partial(processes.run_together, output=said))
        return teaching_commands.demo([task, str(picture), *words]), said.getvalue()
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(processes, '_start', start)
    run.started = started
    yield run
    assert None not in [process.poll() for process in started]


@pytest.mark.parametrize('task', sorted(set(shipped_tasks()) - {DEFAULT_TASK}))
def test_every_task_is_taught_and_done(task, demo, tmp_path):
    code, output = demo(task, tmp_path / 'learned.png')
    assert code == 0, output
    check(task, output, tmp_path / 'learned.png')


def test_all_nodes_in_one_process_learn_and_drive_as_well(demo, tmp_path):
    code, output = demo('grid_world', tmp_path / 'learned.png', 'composed:=true')
    assert code == 0, output
    check('grid_world', output, tmp_path / 'learned.png')
    assert len(demo.started) == 2       # all nodes, and the judge
    assert not re.search(r'^all_nodes +\|', output, re.M)       # but the names of the nodes


def test_a_task_that_is_not_learned_is_no_success(demo, tmp_path, monkeypatch):
    """The teacher is always wrong: no task fits, or another one, and the judge says so."""
    commands = teaching_commands._commands

    def wrong(given, more=None):
        return commands(given, {**(more or {}), 'demonstrator': ['-p', 'accuracy:=0.0']})
    monkeypatch.setattr(teaching_commands, '_commands', wrong)
    code, output = demo('room', tmp_path / 'x.png')
    assert code == 1, output
    assert 'NOT' in output


def test_an_unknown_task_is_refused_before_anything_starts(environment):
    done = subprocess.run([sys.executable, SCRIPTS / 'demo', 'rome'], env=environment,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.returncode == 2
    assert "Did you mean 'room'?" in done.stderr


@pytest.mark.parametrize(('teacher', 'sign', 'begun'), [
    ('simulated', signal.SIGTERM, 'done: '),
    ('gui', signal.SIGINT, 'Teach here: http://')])     # nobody has answered yet
def test_ctrl_c_ends_everything(environment, tmp_path, teacher, sign, begun):
    started = subprocess.Popen(
        [sys.executable, SCRIPTS / 'teach', 'task:=room', 'namespace:=flat',
         f'demonstrator:={teacher}'], env=environment,
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in started.stdout:
        lines.append(line)
        if begun in line:
            break
    started.send_signal(sign)
    output = ''.join(lines) + started.stdout.read()
    assert started.wait(patience(60)) == 0, output
    started.stdout.close()
    assert 'Traceback' not in output
    assert pids_of(environment) == []


def test_ctrl_c_before_the_nodes_are_ready_prints_no_traceback(environment, tmp_path):
    started = subprocess.Popen(
        [sys.executable, SCRIPTS / 'teach', 'task:=room', 'demonstrator:=none'], env=environment,
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wait_for(lambda: len(pids_of(environment)) >= 6, 'five nodes and who starts them')
    started.send_signal(signal.SIGINT)
    output = started.stdout.read()
    assert started.wait(patience(60)) == 0, output
    started.stdout.close()
    assert 'Traceback' not in output


def test_nothing_is_left_running_when_the_starter_is_killed(environment, tmp_path):
    started = subprocess.Popen(
        [sys.executable, SCRIPTS / 'teach', 'task:=room', 'demonstrator:=none'], env=environment,
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in started.stdout:
        if 'a new lesson' in line:
            break
    started.kill()
    started.wait()
    started.stdout.close()
    wait_for(lambda: pids_of(environment) == [], 'everything to end')


def test_a_person_teaches_in_the_terminal(environment, tmp_path):
    """With the whole system in one terminal: only the screen of teleop is seen, till the end."""
    from terminal_process import TerminalProcess
    terminal = TerminalProcess('teach', [
        sys.executable, SCRIPTS / 'teach', 'task:=room', 'demonstrator:=teleop', 'robot:=none',
        'strategy:=gbs', 'log_level:=info'], environment)
    try:
        terminal.wait_for_text('Which way should I go at (9, 9)', "i don't know")
        terminal.press('y')
        terminal.wait_for_text('y does nothing now')
        terminal.press('d')
        terminal.wait_for_text('Which way should I go at (7, 9)', '14% sure, about')
        terminal.press('u')
        terminal.wait_for_text('Which way should I go at (9, 9)', 'Answer removed.')
        assert 'learner      |' not in terminal.output
        terminal.press('q')
        assert terminal.wait(patience(60.0)) == 0
        terminal.assert_restored()
        wait_for(lambda: 'learner      | a new lesson' in terminal.output, 'what others said')
    finally:
        terminal.close()


def test_the_rviz_file_shows_topics_that_exist():
    from gbs_irl_ros.ros import names
    content = yaml.safe_load((ROOT / 'config' / 'teach.rviz').read_text())
    shown = {display['Topic']['Value'] for display in content['Visualization Manager']['Displays']}
    assert shown == {names.TASK_MAP, names.REWARD_MAP, names.MARKERS}
