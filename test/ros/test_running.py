"""Starting and stopping a node: whatever ends it, it ends in order."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from in_process import MODULES
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import String
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.launching.composition import EXECUTABLE
from gbs_irl_ros.ros import qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.executors import ParallelExecutor, SequentialExecutor, WaitingExecutor
from gbs_irl_ros.ros.running import SIGNALS, run_node
from gbs_irl_ros.starting.missing_modules import NODE_CANNOT_RUN

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[2]
WITHOUT_ARGUMENTS = ['test']
EXECUTORS = [SequentialExecutor, ParallelExecutor, WaitingExecutor]
MANY_PROCESSES_S = 60.0


@pytest.fixture(autouse=True)
def own_signals():
    """Give the signals back to pytest; run_node keeps them, as the last thing a process does."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Ending(Node):
    """A node that ends itself as soon as it spins, in some way; remembers what happened."""

    def __init__(self, how):
        super().__init__('ending')
        self.happened = ['made']
        self.create_timer(0.01, self._on_timer)
        self._how = how

    def _on_timer(self):
        if self.happened[-1] == 'made':
            self.happened.append('ended')
            self._how(self)

    def finish(self):
        self.happened.append('finished' if rclpy.ok() else 'finished too late')

    def destroy_node(self):
        self.happened.append('destroyed' if rclpy.ok() else 'destroyed too late')
        super().destroy_node()


def run(how, **options):
    """Run a node that ends in this way; return the exit code and what happened."""
    made = []

    def make():
        made.append(Ending(how))
        return made[-1]
    code = run_node(make, WITHOUT_ARGUMENTS, **options)
    return code, made[-1].happened


def ends_with(code):
    def end(node):
        node.exit_code = code
    return end


ALL_OF_IT = ['made', 'ended', 'finished', 'destroyed']


@for_each('executor', EXECUTORS)
class TestEnding:
    @for_each('number', SIGNALS, ids=lambda number: number.name)
    def test_a_signal_ends_it_in_order_with_code_0(self, domain, number, executor):
        code, happened = run(lambda _: os.kill(os.getpid(), number), executor=executor)
        assert code == 0
        assert happened == ALL_OF_IT
        assert not rclpy.ok()

    @for_each('wanted', [0, 1, 7])
    def test_a_node_that_sets_its_exit_code_ends_with_it(self, domain, wanted, executor):
        code, happened = run(ends_with(wanted), executor=executor)
        assert code == wanted
        assert happened == ALL_OF_IT

    def test_a_shutdown_from_inside_ends_it(self, domain, executor):
        code, happened = run(lambda _: rclpy.shutdown(), executor=executor)
        assert code == 0
        assert happened[:2] == ['made', 'ended']
        assert not rclpy.ok()

    def test_an_exception_in_the_constructor_surfaces_and_ros_is_down(self, domain, executor):
        def fail():
            Node('half_made')
            raise ZeroDivisionError('in the constructor')
        with pytest.raises(ZeroDivisionError, match='in the constructor'):
            run_node(fail, WITHOUT_ARGUMENTS, executor=executor)
        assert not rclpy.ok()

    def test_an_exception_in_an_unguarded_callback_surfaces_after_the_end(self, domain, executor):
        happened = []

        def fail(node):
            happened.append(node.happened)
            raise ZeroDivisionError('in a callback')
        with pytest.raises(ZeroDivisionError, match='in a callback'):
            run(fail, executor=executor)
        assert happened == [ALL_OF_IT]
        assert not rclpy.ok()

    def test_one_can_run_after_the_other(self, domain, executor):
        for wanted in (3, 4):
            assert run(ends_with(wanted), executor=executor)[0] == wanted


def test_a_plain_node_needs_neither_finish_nor_exit_code(domain):
    def make():
        node = rclpy.create_node('plain')
        node.create_timer(0.01, lambda: os.kill(os.getpid(), signal.SIGTERM))
        return node
    assert run_node(make, WITHOUT_ARGUMENTS) == 0


@for_each('executor', EXECUTORS)
@for_each('how', [
    lambda node: os.kill(os.getpid(), signal.SIGTERM), lambda node: node.end(0)],
    ids=['signal', 'end'])
def test_a_node_that_sleeps_is_woken_to_end(domain, executor, how):
    too_late = []

    class Sleeping(BaseNode[NodeParameters]):
        def __init__(self):
            super().__init__('sleeping', NodeParameters)
            for timer in list(self.timers):
                self.destroy_timer(timer)
            self._timer = self.create_timer(0.01, self._on_timer)

        def _on_timer(self):
            self._timer.cancel()
            threading.Timer(0.1, how, [self]).start()

    def give_up():
        too_late.append(True)
        rclpy.shutdown()
    watch = threading.Timer(patience(DEADLINE_S), give_up)
    watch.start()
    assert run_node(Sleeping, WITHOUT_ARGUMENTS, executor=executor) == 0
    watch.cancel()
    assert not too_late


def test_an_executor_waits_once_for_each_callback(domain):
    """Rclpy's own waits twice: it wakes itself after each."""
    waits, called = [], []

    class Counting(SequentialExecutor):
        def get_nodes(self):
            waits.append(len(called))
            return super().get_nodes()

    def make():
        node = rclpy.create_node('ticking')
        node.create_timer(0.01, lambda: on_timer(node))
        return node

    def on_timer(node):
        called.append(True)
        if len(called) == 20:
            node.exit_code = 0
    run_node(make, WITHOUT_ARGUMENTS, executor=Counting)
    assert len(waits) <= len(called) + 2


def test_a_base_node_ends_by_its_exit_code(domain):
    class Finished(BaseNode[NodeParameters]):
        def __init__(self):
            super().__init__('finished', NodeParameters)
            self.every(0.01, self._on_timer)

        def _on_timer(self):
            self.exit_code = 5
    assert run_node(Finished, WITHOUT_ARGUMENTS) == 5


def test_last_words_that_fail_do_not_keep_the_rest_from_being_cleaned_up(domain):
    class Failing(Ending):
        def finish(self):
            raise ZeroDivisionError('in finish')
    try:
        with pytest.raises(ZeroDivisionError, match='in finish'):
            run_node(lambda: Failing(ends_with(0)), WITHOUT_ARGUMENTS)
        assert not rclpy.ok()
    finally:
        rclpy.try_shutdown()


def test_arguments_of_ros_are_read(domain):
    names = []

    def make():
        node = Ending(ends_with(0))
        names.append(node.get_fully_qualified_name())
        return node
    run_node(make, ['test', '--ros-args', '-r', '__ns:=/robot', '-r', '__node:=other'])
    assert names == ['/robot/other']


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_the_last_words_of_a_node_are_heard_after_the_signal(bench, number):
    """A controller sends its last command when it is told to end: stop."""
    heard = bench.listen(String, 'last_words', qos.COMMANDS)

    class Speaker(Node):
        def __init__(self):
            super().__init__('speaker')
            self._publisher = self.create_publisher(String, 'last_words', qos.COMMANDS)
            self.create_timer(0.02, self._on_timer)

        def _on_timer(self):
            if self._publisher.get_subscription_count():
                os.kill(os.getpid(), number)

        def finish(self):
            self._publisher.publish(String(data='stop'))
            assert self._publisher.wait_for_all_acked(Duration(seconds=DEADLINE_S))
    assert run_node(Speaker, WITHOUT_ARGUMENTS) == 0
    wait_for(lambda: heard, 'the last words')
    assert [message.data for message in heard] == ['stop']


@pytest.mark.parametrize('executor', [ParallelExecutor, WaitingExecutor])
def test_a_callback_that_waits_is_woken_by_finish_and_ends_before_the_node_does(
        domain, executor):
    happened = []

    class Waiting(BaseNode[NodeParameters]):
        def __init__(self):
            super().__init__('waiting', NodeParameters)
            self._released = threading.Event()
            self.every(0.01, self._on_wait_timer, parallel=True)
            self.every(0.01, self._on_end_timer)

        def _on_wait_timer(self):
            if not happened:
                happened.append('waits')
                self._released.wait(patience(DEADLINE_S))
                happened.append('woken')

        def _on_end_timer(self):
            if happened:
                self.exit_code = 0

        def finish(self):
            happened.append('finish')
            self._released.set()

        def destroy_node(self):
            happened.append('destroyed')
            super().destroy_node()
    assert run_node(Waiting, WITHOUT_ARGUMENTS, executor=executor) == 0
    assert happened == ['waits', 'finish', 'woken', 'destroyed']



def test_what_must_go_on_while_another_callback_works_goes_on(domain):
    happened = []

    class Working(BaseNode[NodeParameters]):
        def __init__(self):
            super().__init__('working', NodeParameters)
            self._beats = threading.Semaphore(0)
            self.every(0.01, self._on_beat_timer, parallel=True)
            self.every(0.01, self._on_work_timer)

        def _on_beat_timer(self):
            self._beats.release()

        def _on_work_timer(self):
            if not happened:
                happened.extend(
                    self._beats.acquire(timeout=patience(DEADLINE_S)) for _ in range(3))
                self.exit_code = 0
    assert run_node(Working, WITHOUT_ARGUMENTS, executor=ParallelExecutor) == 0
    assert happened == [True] * 3


def test_while_a_callback_waits_the_others_run_one_at_a_time(domain):
    """Many that wait, and none of the others in their threads."""
    waiting, threads = [], set()

    class Waiting(BaseNode[NodeParameters]):
        def __init__(self):
            super().__init__('waiting', NodeParameters)
            self._released = threading.Event()
            for _ in range(3):
                self.every(0.01, self._on_wait_timer, parallel=True)
            for _ in range(3):
                self.every(0.005, self._on_timer)

        def _on_wait_timer(self):
            waiting.append(threading.get_ident())
            self._released.wait(patience(DEADLINE_S))

        def _on_timer(self):
            threads.add(threading.get_ident())
            if len(waiting) >= 3:
                self.exit_code = 0

        def finish(self):
            self._released.set()
    assert run_node(Waiting, WITHOUT_ARGUMENTS, executor=WaitingExecutor) == 0
    assert threads == {threading.get_ident()}
    assert not threads & set(waiting)


def test_an_exception_in_a_thread_surfaces_too(domain):
    class Failing(Node):
        def __init__(self):
            super().__init__('failing')
            self.create_timer(0.01, lambda: 1 / 0, ReentrantCallbackGroup())
            self.create_timer(0.01, lambda: None)
    with pytest.raises(ZeroDivisionError):
        run_node(Failing, WITHOUT_ARGUMENTS, executor=WaitingExecutor)


@pytest.mark.parametrize(('code', 'holds', 'limit'), [
    (0, 'ctypes.PyDLL(None).pause()', 'LONGEST_CLEAN_UP_S'),
    (3, 'sum(itertools.repeat(1))', 'LONGEST_PROCESSOR_S')])
def test_a_node_that_the_middleware_holds_ends_with_its_own_code(domain, code, holds, limit):
    """It holds the interpreter, too: no thread of Python could end it."""
    script = f"""
import ctypes, itertools
from rclpy.node import Node
from gbs_irl_ros.ros import running

class Hanging(Node):
    exit_code = {code}

    def destroy_node(self):
        {holds}
running.{limit} = 0.5
running.run_node(lambda: Hanging('hanging'), ['test'])
"""
    done = subprocess.run([sys.executable, '-c', script], timeout=patience(DEADLINE_S))
    assert done.returncode == code


# ---- a contract for every executable --------------------------------------------------------

def executables():
    """Return the scripts that start a node."""
    return {path.name: path for path in (ROOT / 'scripts').iterdir()
            if 'gbs_irl_ros.nodes' in path.read_text() and path.name != EXECUTABLE}


def test_every_node_has_an_executable_of_its_name():
    assert sorted(executables()) == MODULES
    for name, path in executables().items():
        assert os.access(path, os.X_OK), f'{path} cannot be executed'
        assert path.read_text().endswith(f"\nrun('{name}')\n")


def test_every_executable_ends_with_code_0_and_without_a_traceback(bench, tmp_path):
    """Each in a namespace of its own, with the parameters that are shipped; by two signals."""
    environment = {
        **os.environ, 'PATH': f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}',
        'PYTHONUNBUFFERED': '1', 'ROS_PYTHON_CHECK_FIELDS': '1'}
    running = {}
    try:
        for name, path in executables().items():
            with open(tmp_path / name, 'w') as output:
                running[name] = subprocess.Popen(
                    [str(path), '--ros-args', '-r', f'__ns:=/of_{name}', '--params-file',
                     str(ROOT / 'config' / 'params.yaml')],
                    env=environment, cwd=tmp_path, stdin=subprocess.PIPE, stdout=output,
                    stderr=subprocess.STDOUT)
        wanted = {(name, f'/of_{name}') for name in running}

        def up():
            died = [name for name, process in running.items() if process.poll() is not None]
            assert not died, (tmp_path / died[0]).read_text()
            # Signals are expected before there is a node, so it may still be half made.
            return wanted <= set(bench.node.get_node_names_and_namespaces())
        wait_for(up, f'all of {sorted(running)}', MANY_PROCESSES_S)
        for number, process in zip(itertools.cycle((signal.SIGINT, signal.SIGTERM)),
                                   running.values()):
            process.send_signal(number)
        codes = {name: process.wait(patience(MANY_PROCESSES_S))
                 for name, process in running.items()}
    finally:
        for process in running.values():
            process.kill()
            process.wait()
            process.stdin.close()
    said = {name: (tmp_path / name).read_text() for name in running}
    assert codes == dict.fromkeys(running, 0), said
    assert [text for text in said.values() if 'Traceback' in text] == []


def test_ctrl_c_while_an_executable_is_still_importing_ends_it_quietly(tmp_path, domain):
    """As a person does who has started the wrong thing: there is nothing to be told about."""
    node = subprocess.Popen(
        [sys.executable, '-X', 'importtime', str(ROOT / 'scripts' / 'simulator')], cwd=tmp_path,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    for line in node.stderr:        # each module when it has been imported
        said.append(line)
        if line.split('|')[-1].strip() == 'numpy':
            node.send_signal(signal.SIGINT)
    node.stderr.close()
    assert node.wait(patience(MANY_PROCESSES_S)) == 0
    assert any('gbs_irl_ros.' in line for line in said), 'it was interrupted before'
    assert [line for line in said if not line.startswith('import time:')
            and 'simulator' not in line] == []


IN_A_CHECKOUT = ', and in a checkout `make setup` installs it for `tools/ros-env {} ...`\n'


@for_each('command, code, said', [
    (('gui',), NODE_CANNOT_RUN,
     "gui cannot start: there is no Python module 'aiohttp'; `apt install python3-aiohttp` "
     'installs it (without ROS: `pip install aiohttp`), and `rosdep install --from-paths src '
     '--ignore-src -y` in your workspace installs everything that is missing; until then, teach '
     'in a terminal: `ros2 run gbs_irl_ros teleop`\n'),
    *(((command,), 1,
       f"{command}: there is no Python module '{module}'; `apt install python3-{module}` installs "
       f'it (without ROS: `pip install {package}`)' + IN_A_CHECKOUT.format(command))
      for command, module, package in (
          ('teach', 'yaml', 'PyYAML'), ('demo', 'scipy', 'scipy'), ('gbs-irl', 'yaml', 'PyYAML'))),
    (('gbs-irl', 'check', 'room'), 1,       # a map has an image
     "gbs-irl: there is no Python module 'PIL'; `apt install python3-pil` installs it (without "
     'ROS: `pip install pillow`)' + IN_A_CHECKOUT.format('gbs-irl')),
    (('teach', 'task:=room'), 2,
     "task: room cannot be read: there is no Python module 'PIL'; `apt install python3-pil` "
     'installs it (without ROS: `pip install pillow`)\n')])
def test_an_executable_whose_packages_are_missing_says_how_to_get_them(
        command, code, said, tmp_path):
    module = re.search(r"module '(\w+)'", said)[1]
    (tmp_path / f'{module}.py').write_text(f'raise ModuleNotFoundError(name={module!r})')
    done = subprocess.run(
        [sys.executable, str(ROOT / 'scripts' / command[0]), *command[1:]], text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True, timeout=patience(MANY_PROCESSES_S))
    assert (done.returncode, done.stderr) == (code, said)


def test_nodes_import_only_what_they_need_to_start():
    """Half of a node's start is importing, and these take long; who needs one imports it then."""
    seldom = ('scipy.linalg', 'scipy.optimize', 'scipy.ndimage', 'scipy.special', 'scipy.stats',
              'scipy.sparse.csgraph', 'scipy.sparse.linalg', 'matplotlib', 'PIL', 'jsonschema',
              'aiohttp', 'joblib', 'gbs_irl_ros.experiments')
    others = [module for module in MODULES if module != 'gui']     # which serves a page
    code = (f'import importlib, sys\nfor name in {others}:\n'
            "    importlib.import_module(f'gbs_irl_ros.nodes.{name}')\n"
            f'    found = [each for each in {seldom} if each in sys.modules]\n'
            "    assert not found, f'{name} imports {found}'")
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
