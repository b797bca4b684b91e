"""Several processes as one: what they say is shown, and none is left behind."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.launching import processes
from gbs_irl_ros.launching.processes import Command, run_together

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[2]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Says that it is there, then what ends it.
WAITING = """
import os, signal, time
def end(number, frame):
    os.write(1, signal.Signals(number).name.encode() + b'\\n')
    os._exit(0)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, end)
os.write(1, b'ready\\n')
while True:
    time.sleep(60)
"""
DEAF = """
import signal, time
for number in DEAF_TO:
    signal.signal(number, signal.SIG_IGN)
print('ready', flush=True)
while True:
    time.sleep(60)
"""


def python(name, code, **options):
    """Return a command that runs some code, in a Python that starts quickly."""
    return Command(name, (sys.executable, '-I', '-S', '-c', code), **options)


def deaf(name, *signals):
    return python(name, DEAF.replace('DEAF_TO', str([int(number) for number in signals])))


def is_running(pid):
    """Return whether a process is there; one that only waits to be forgotten is not."""
    try:
        os.kill(pid, 0)
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state not in 'ZX'


class Output(io.StringIO):
    """What is shown; some action follows as soon as there are so many lines with a text."""

    def __init__(self, text=None, count=0, action=None):
        super().__init__()
        self._wanted = (text, count, action)

    def write(self, line):
        super().write(line)
        text, count, action = self._wanted
        if text and self.getvalue().count(text) >= count:
            self._wanted = (None, 0, None)
            action()
        return len(line)

    @property
    def lines(self):
        return self.getvalue().splitlines()


@pytest.fixture
def started(monkeypatch):
    """The processes that were started; in the end none of them is running."""
    original, made = processes._start, []

    def start(command, environment):
        made.append(original(command, environment))
        return made[-1]
    monkeypatch.setattr(processes, '_start', start)
    yield made
    left = [process for process in made if is_running(process.pid)]
    for process in left:
        process.kill()
        process.wait()
    assert left == []


def clean_up(processes):
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def together(commands, output=None, environment=None):
    output = output or Output()
    return run_together(commands, environment or {}, output), output


class TestExitCode:
    @pytest.mark.parametrize('code', [0, 1, 5])
    def test_it_is_that_of_the_process_that_leads(self, started, code):
        returned, _ = together([python('waiting', WAITING),
                                python('leader', f'raise SystemExit({code})', leads=True)])
        assert returned == code
        assert len(started) == 2

    @pytest.mark.parametrize(('code', 'expected', 'shown'), [
        ('raise SystemExit(3)', 3, '3'), ('pass', 1, '0'),
        ('import os; os.kill(os.getpid(), 9)', 1, '-9')])
    def test_one_that_ends_by_itself_ends_all_with_an_error(self, started, code, expected, shown):
        returned, output = together([
            python('waiting', WAITING), python('leader', WAITING, leads=True),
            python('dying', code)])
        assert returned == expected
        assert f'launcher     | dying has ended with exit code {shown}; ending the others' \
            in output.lines

    def test_the_others_are_told_to_end_as_by_ctrl_c(self, started, tmp_path):
        """The leader ends when the others are ready."""
        sign = tmp_path / 'ready'
        leader = f"""
import os, time
while not os.path.exists({str(sign)!r}):
    time.sleep(0.01)
"""
        returned, output = together(
            [python('one', WAITING), python('two', WAITING), python('leader', leader, leads=True)],
            Output('ready', 2, sign.touch))
        assert returned == 0
        assert {'one          | SIGINT', 'two          | SIGINT'} <= set(output.lines)


class TestRespawn:
    @pytest.fixture(autouse=True)
    def _soon(self, monkeypatch):
        monkeypatch.setattr(processes, 'RESPAWN_DELAY_S', 0.01)

    def test_one_that_may_is_started_again_and_the_others_continue(self, started, tmp_path):
        """It ends twice, then stays; that ends the leader."""
        dying = f"""
import os, time
runs = len(os.listdir({str(tmp_path)!r}))
open(os.path.join({str(tmp_path)!r}, str(runs)), 'w').close()
print(f'run {{runs}}', flush=True)
if runs == 0:
    raise SystemExit(3)
if runs == 1:
    os.kill(os.getpid(), 9)
time.sleep(60)
"""
        leader = f"""
import os, time
while len(os.listdir({str(tmp_path)!r})) < 3:
    time.sleep(0.01)
"""
        returned, output = together([python('dying', dying, respawn=True),
                                     python('leader', leader, leads=True)])
        assert returned == 0
        assert output.lines[:4] == [
            'dying        | run 0',
            'launcher     | dying has ended with exit code 3; it is started again',
            'dying        | run 1',
            'launcher     | dying has ended with exit code -9; it is started again']
        assert len(started) == 4

    @pytest.mark.parametrize(('code', 'expected'), [('3', 3), ('0', 1)])
    def test_a_crash_loop_ends_all_and_says_what_it_said(self, started, code, expected):
        returned, output = together([
            python('waiting', WAITING),
            python('dying', f"print('first\\nsecond'); raise SystemExit({code})",
                   respawn=True)])
        assert returned == expected
        assert len(started) == 1 + 5
        lines = [line for line in output.lines if line.startswith('launcher')]
        assert lines[:4] == [
            f'launcher     | dying has ended with exit code {code}; it is started again'] * 4
        assert lines[4:6] == [
            f'launcher     | dying has ended with exit code {code}, the 5th time within 60 s: it '
            'is not started again; ending the others. Its last lines:',
            'launcher     |     first']
        assert lines[-1] == 'launcher     |     second'
        assert len(lines) == 4 + 1 + 10

    @pytest.mark.parametrize(('respawn', 'starts', 'text'), [
        (True, 5, 'other has ended with exit code 3, the 5th time within 60 s: it is not started '
                  'again; the others continue without it. Its last lines:'),
        (False, 1, 'other has ended with exit code 3; the others continue without it')])
    def test_without_one_that_is_not_needed_the_others_continue(
            self, started, tmp_path, respawn, starts, text):
        """The leader ends when that was said, and is the only one that counts."""
        sign = tmp_path / 'said'
        leader = f"""
import os, time
while not os.path.exists({str(sign)!r}):
    time.sleep(0.01)
"""
        returned, output = together(
            [python('other', "print('boom'); raise SystemExit(3)", respawn=respawn, needed=False),
             python('leader', leader, leads=True)], Output('without it', 1, sign.touch))
        assert returned == 0
        assert f'launcher     | {text}' in output.lines
        assert len(started) == starts + 1

    def test_a_signal_ends_the_wait_for_the_next_start(self, started, monkeypatch):
        monkeypatch.setattr(processes, 'RESPAWN_DELAY_S', 3600.0)
        output = Output('started again', 1, lambda: os.kill(os.getpid(), signal.SIGINT))
        returned, _ = together([python('dying', 'pass', respawn=True)], output)
        assert (returned, len(started)) == (0, 1)


class TestSignals:
    @pytest.mark.parametrize('number', SIGNALS, ids=lambda number: number.name)
    def test_a_signal_ends_all_with_code_0(self, started, number):
        output = Output('ready', 2, lambda: os.kill(os.getpid(), number))
        before = [signal.getsignal(each) for each in SIGNALS]
        returned, _ = together([python('one', WAITING),
                                python('two', WAITING, leads=True)], output)
        assert returned == 0
        assert {'one          | SIGINT', 'two          | SIGINT'} <= set(output.lines)
        assert [signal.getsignal(each) for each in SIGNALS] == before

    @pytest.mark.parametrize('deaf_to', [
        (signal.SIGINT,), (signal.SIGINT, signal.SIGTERM)], ids=['patient', 'stubborn'])
    def test_one_that_does_not_listen_is_ended_all_the_same(self, started, monkeypatch, deaf_to):
        monkeypatch.setattr(processes, 'PATIENCE_S', (
            (signal.SIGINT, 0.2), (signal.SIGTERM, 0.2), (signal.SIGKILL, DEADLINE_S)))
        output = Output('ready', 2, lambda: os.kill(os.getpid(), signal.SIGINT))
        returned, _ = together([deaf('deaf', *deaf_to), python('other', WAITING)], output)
        assert returned == 0
        last = signal.SIGKILL if len(deaf_to) == 2 else signal.SIGTERM
        assert [process.returncode for process in started] == [-last, 0]
        assert 'other        | SIGINT' in output.lines

    def test_a_signal_while_they_start_is_not_lost(self, started, monkeypatch):
        counted, start = [], processes._start

        def start_and_interrupt(command, environment):
            counted.append(command.name)
            if len(counted) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            return start(command, environment)
        monkeypatch.setattr(processes, '_start', start_and_interrupt)
        returned, _ = together([python('one', WAITING), python('two', WAITING)])
        assert returned == 0


RUNNER = """
import sys
from gbs_irl_ros.launching.processes import Command, run_together
WAITING = 'import os, time; print(os.getpid(), flush=True); time.sleep(600)'
python = (sys.executable, '-I', '-S', '-c', WAITING)
run_together([Command('one', python), Command('two', python)], {})
"""


def start_runner(code=RUNNER, **options):
    return subprocess.Popen([sys.executable, '-S', '-c', code],
                            env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
                            stdout=subprocess.PIPE, text=True, cwd=ROOT, **options)


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGINT], ids=lambda each: each.name)
def test_nothing_is_left_when_the_runner_itself_is_ended(number):
    runner = start_runner()
    pids = []
    try:
        lines = [runner.stdout.readline() for _ in range(2)]
        pids = [int(line.partition('|')[2]) for line in lines]
        assert {line.split()[0] for line in lines} == {'one', 'two'}
        assert all(map(is_running, pids))
        runner.send_signal(number)
        assert runner.wait(patience(DEADLINE_S)) == (-number if number == signal.SIGKILL else 0)
        wait_for(lambda: not any(map(is_running, pids)), 'the processes to end')
    finally:
        runner.kill()
        runner.wait()
        runner.stdout.close()
        for pid in filter(is_running, pids):
            os.kill(pid, signal.SIGKILL)


class TestOutput:
    def test_every_line_has_the_name_of_its_process_and_stays_whole(self, started):
        """They talk all at once; when the last word of the last was heard, all may go."""
        talk = """
for number in range(300):
    print(f'{number} ' + 'NAME' * 20, flush=number % 3 == 0)
print('done', flush=True)
"""
        names = ('one', 'two', 'three')
        output = Output('| done', 3, lambda: os.kill(os.getpid(), signal.SIGINT))
        returned, _ = together([python(name, talk.replace('NAME', name) + WAITING)
                                for name in names], output)
        assert returned == 0
        for name in names:
            mine = [line for line in output.lines if line.startswith(f'{name} ')]
            assert mine[:300] == [f'{name:<12} | {number} {name * 20}' for number in range(300)]

    def test_what_was_said_last_is_shown_even_without_the_end_of_the_line(self, started):
        _, output = together([python('one', "print('first'); print('last', end='')", leads=True)])
        assert output.lines == ['one          | first', 'one          | last']

    def test_errors_are_shown_as_well(self, started):
        _, output = together([python('one', 'raise ValueError("boom")', leads=True)])
        assert output.lines[-1] == 'one          | ValueError: boom'

    def test_ordinary_lines_of_ros_lose_their_level_and_others_keep_it(self, started):
        _, output = together([python('one', "print('INFO: a'); print('WARN: b')", leads=True)])
        assert output.lines == ['one          | a', 'one          | WARN: b']

    def test_bytes_that_are_no_text_do_no_harm(self, started):
        code = r"import os; os.write(1, b'\xff\xfe caf\xc3\xa9\n')"
        _, output = together([python('one', code, leads=True)])
        assert len(output.lines) == 1
        assert output.lines[0].startswith('one          | \ufffd\ufffd caf')

    def test_nodes_are_told_to_say_it_briefly_and_at_once(self, started):
        code = "import os; print(os.environ['RCUTILS_CONSOLE_OUTPUT_FORMAT'], os.environ['MINE'])"
        _, output = together([python('one', code, leads=True)], environment={'MINE': 'and this'})
        assert output.lines == ['one          | {severity}: {message} and this']

    def test_an_output_that_nobody_reads_any_more_does_no_harm(self):
        """As in `teach | head`."""
        code = """
import sys
from gbs_irl_ros.launching.processes import Command, run_together
talk = 'for _ in range(20000): print("x" * 50, flush=True)'
run_together([Command('one', (sys.executable, '-I', '-S', '-c', talk), leads=True)], {})
"""
        runner = start_runner(code, stderr=subprocess.PIPE)
        assert runner.stdout.readline().startswith('one ')
        runner.stdout.close()
        _, errors = runner.communicate(timeout=patience(DEADLINE_S))
        assert 'Traceback' not in errors


class TestKeyboard:
    def test_processes_have_none(self, started):
        code = 'import sys; print(repr(sys.stdin.read()))'
        _, output = together([python('one', code, leads=True)])
        assert output.lines == ["one          | ''"]

    def test_one_that_needs_the_terminal_has_it_to_itself(self, tmp_path):
        """What the other says while the first reads the keyboard comes when that has ended."""
        code = f"""
import sys
from gbs_irl_ros.launching.processes import Command, run_together
echo = '''
import os
while not os.path.exists({str(tmp_path / 'said')!r}): pass
print(input())
print(os.getpgid(0) == os.getpgid(os.getppid()))
'''
wait = '''
import os, signal
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
print(os.getpgid(0) == os.getpgid(os.getppid()))
open({str(tmp_path / 'said')!r}, 'w').close()
signal.pause()
'''
python = (sys.executable, '-I', '-S', '-u', '-c')
raise SystemExit(run_together([
    Command('asking', (*python, echo), leads=True, needs_terminal=True),
    Command('other', (*python, wait))], {{}}))
"""
        runner = start_runner(code, stdin=subprocess.PIPE)
        output, _ = runner.communicate('typed\n', timeout=patience(DEADLINE_S))
        assert runner.returncode == 0
        # Only who reads the keyboard is in the group that Ctrl-C goes to.
        assert output == 'typed\nTrue\nother        | False\n'


class TestStarting:
    def test_it_is_said_at_once_and_again_until_one_of_them_says_something(
            self, started, tmp_path, monkeypatch):
        monkeypatch.setattr(processes, 'STILL_EVERY_S', 0.05)
        sign = tmp_path / 'said'
        slow = f"""
import os, time
while not os.path.exists({str(sign)!r}):
    time.sleep(0.01)
print('here', flush=True)
time.sleep(0.3)     # six more chances to say that it is still starting
"""
        output = Output('still starting', 2, sign.touch)
        run_together([python('slow', slow, leads=True), python(
            'other', 'import time; time.sleep(60)')], {}, output, announced=True)
        assert output.lines[0] == 'launcher     | starting slow, other; this takes some seconds'
        assert re.fullmatch(r'launcher     \| still starting, \d+ s so far', output.lines[1])
        heard = output.lines.index('slow         | here')
        assert heard >= 3
        assert not any('still starting' in line for line in output.lines[heard:])

    def test_one_that_cannot_be_started_leaves_nothing_behind(self, started):
        with pytest.raises(FileNotFoundError, match='no_such_program'):
            together([python('one', WAITING), Command('two', ('no_such_program',))])
        assert len(started) == 1
        started[0].stdout.close()

    def test_the_same_command_may_be_started_twice(self, started):
        try:
            together([python('same', WAITING), python('same', WAITING),
                      python('leader', 'pass', leads=True)])
            assert [process.poll() for process in started][:2] == [0, 0]
        finally:
            clean_up(started)

    def test_arguments_may_be_a_list(self, started):
        command = Command('one', [sys.executable, '-I', '-S', '-c', WAITING])
        try:
            together([command, python('leader', 'pass', leads=True)])
        finally:
            clean_up(started)
