"""A ROS graph of real processes for a test, and a node in the test that watches it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from pathlib import Path

import rclpy
from preloaded import preloaded
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.parameter import Parameter
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.launching.own_domain import OwnDomain
from gbs_irl_ros.ros.executors import SequentialExecutor

# The lessons of these tests are the paper's, and end like them, unless a test says otherwise.
PAPER = {'strategy': 'gbs', 'none_of_these': 0.0, 'learn_error_rate': False,
         'closing_question': False, 'stop_condition': 'certainty'}


class Process:
    """A node in a process of its own; its output is kept."""

    def __init__(self, name, arguments, environment, module=None):
        self.name = name
        self.lines = []
        keyboard, self._keyboard = os.pipe()        # on which nobody types
        reads, output = os.pipe()
        self._output = open(reads, errors='replace')    # noqa: SIM115 - closed by close()
        try:
            self.popen = preloaded().start(module or f'gbs_irl_ros.nodes.{name}', arguments,
                                           environment, [keyboard, output, output])
        finally:
            os.close(keyboard)
            os.close(output)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._output:
            self.lines.append(line.rstrip())

    @property
    def output(self):
        return '\n'.join(self.lines)

    def wait_for_line(self, text, deadline_s=DEADLINE_S):
        """Return the first line that contains a text."""
        return wait_for(lambda: next((line for line in list(self.lines) if text in line), None),
                        lambda: f'{text!r} from {self.name}; it said:\n{self.output}', deadline_s)

    def send(self, number):
        self.popen.send_signal(number)

    def kill(self):
        """End it as the kernel does when memory runs out."""
        self.popen.kill()
        self.popen.wait()

    def end(self, number=signal.SIGINT, deadline_s=20.0):
        """End it as a person does; return the exit code."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGCONT)
            self.popen.send_signal(number)
        try:
            return self.popen.wait(patience(deadline_s))
        except subprocess.TimeoutExpired:
            self.popen.send_signal(signal.SIGABRT)      # it says where each thread is
            self.popen.wait()
            self._reader.join()
            raise AssertionError(f'{self.name} did not end; it said:\n{self.output}') from None

    def close(self):
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        self._reader.join()
        self._output.close()
        os.close(self._keyboard)


class Graph:
    """
    Starts nodes of the package and talks to them.

    node: a node of the test, spinning in the background.
    folder: for journals and files.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self._domain = OwnDomain()
        self.environment = {
            **os.environ, 'ROS_DOMAIN_ID': str(self._domain.number),
            'ROS_LOG_DIR': str(self.folder / 'log'), 'ROS_HOME': str(self.folder / 'home'),
            'ROS_PYTHON_CHECK_FIELDS': '1',
            'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{severity} {name}: {message}',
            'PYTHONUNBUFFERED': '1', 'PYTHONFAULTHANDLER': '1'}
        self.processes = []
        self.context = Context()
        rclpy.init(context=self.context, domain_id=self._domain.number)
        self.node = rclpy.create_node('test', context=self.context)
        self._executor = SequentialExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._escaped = []
        self._closing = threading.Event()
        self._spinning = threading.Thread(target=self._spin, daemon=True)
        self._spinning.start()
        self._clients = {}

    def _spin(self):
        while not self._closing.is_set():
            try:
                self._executor.spin_once()
            except InvalidHandle:
                pass        # a test may destroy a publisher while this waits for its events
            except Exception as error:      # keep spinning, or the test would hear nothing more
                self._escaped.append(error)

    def start(self, executable, *arguments, remap=(), namespace='', module=None, **parameters):
        """
        Start a node; parameters as keywords, of a learner beside PAPER.

        :param module: to be run instead of the one of that name.
        """
        if executable == 'learner':
            parameters = {**PAPER, **parameters}
        words = [*arguments, '--ros-args']
        if namespace:
            words += ['-r', f'__ns:=/{namespace}']
        for rule in remap:
            words += ['-r', rule]
        for name, value in parameters.items():
            shown = str(value).lower() if isinstance(value, bool) else value
            words += ['-p', f'{name}:={shown}']
        process = Process(executable, words, self.environment, module)
        self.processes.append(process)
        return process

    def start_lesson(self, task, *, namespace='', learner=None, demonstrator=None):
        """Start mdp, learner and demonstrator; return the three."""
        return (self.start('mdp', namespace=namespace, task=task),
                self.start('learner', namespace=namespace, journal_dir=self.folder / 'journals',
                           **(learner or {})),
                self.start('demonstrator', namespace=namespace, task=task,
                           **(demonstrator or {})))

    def listen(self, kind, topic, profile):
        """Return a list that grows with every message on a topic."""
        heard = []
        self.node.create_subscription(kind, topic, heard.append, profile)
        return heard

    def publisher(self, kind, topic, profile):
        return self.node.create_publisher(kind, topic, profile)

    def call(self, kind, name, request=None, deadline_s=DEADLINE_S):
        """Call a service and return its response."""
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self.node.create_client(kind, name)
        assert client.wait_for_service(patience(deadline_s)), f'no service {name}'
        response = client.call(request or kind.Request(), timeout_sec=patience(deadline_s))
        assert response is not None, f'{name} did not answer'
        return response

    def set_parameters(self, node, **values):
        """Change parameters of a node, which must agree."""
        request = SetParameters.Request(parameters=[
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()])
        for result in self.call(SetParameters, f'{node}/set_parameters', request).results:
            assert result.successful, result.reason

    def finish(self, process):
        """End one process long before the others; fail if it had any fault."""
        self.processes.remove(process)
        hung = end_all([process])
        assert not hung, f'{process.name} did not end; it said:\n{process.output}'
        assert_no_fault(process)

    def close(self):
        """End everything; fail if a process did not end by itself."""
        hung = end_all(self.processes)
        self._closing.set()
        self._executor.interrupt()
        self._spinning.join()       # before what it uses is taken away
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
        self._domain.release()
        for process in hung:
            raise AssertionError(f'{process.name} did not end; it said:\n{process.output}')
        for error in self._escaped:
            raise AssertionError('an exception in a callback of the test') from error


def end_all(processes):
    """End processes as a person does; return those that had to be ended by force."""
    for process in processes:
        if process.popen.poll() is None:
            process.popen.send_signal(signal.SIGCONT)
            process.popen.send_signal(signal.SIGINT)
    hung = []
    for process in processes:
        try:
            process.popen.wait(patience(DEADLINE_S))
        except subprocess.TimeoutExpired:
            process.popen.send_signal(signal.SIGABRT)   # it says where each thread is
            process.popen.wait()
            hung.append(process)
        process.close()
    return hung


def assert_no_fault(process):
    """Fail if a process has printed a traceback."""
    # A process that is interrupted before it has begun ends in Python's own words.
    interrupted = process.output.rstrip().endswith('KeyboardInterrupt')
    assert interrupted or 'Traceback' not in process.output, \
        f'{process.name} said:\n{process.output}'


@contextlib.contextmanager
def running_graph(folder):
    """Run a graph on a ROS domain of its own; end whatever was started, without any fault."""
    graph = Graph(folder)
    try:
        yield graph
    finally:
        graph.close()
    for process in graph.processes:
        assert_no_fault(process)
