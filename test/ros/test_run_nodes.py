"""Several nodes in one process: one that ends ends the others, in order."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from rclpy.node import Node

from gbs_irl_ros.nodes import all_nodes
from gbs_irl_ros.nodes.all_nodes import NODES, main, maker
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.composition import run_nodes
from gbs_irl_ros.ros.executors import ParallelExecutor, SequentialExecutor
from gbs_irl_ros.ros.running import SIGNALS

pytestmark = pytest.mark.ros


@pytest.fixture(autouse=True)
def own_signals():
    """Give the signals back to pytest; run_nodes keeps them, as the last a process does."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Living(Node):
    """A node that does something once it spins, and remembers what happened."""

    def __init__(self, name, happened, how=None):
        super().__init__(name)
        self._happened, self._how = happened, how
        if how is not None:
            self.create_timer(0.01, self._on_timer)

    def _on_timer(self):
        self._happened.append((self.get_name(), threading.current_thread().name))
        self._how(self)

    def finish(self):
        self._happened.append((self.get_name(), 'finished' if rclpy.ok() else 'too late'))


def run(how, **more):
    """Run a node that does something beside one that does not; return code and events."""
    happened = []
    makers = {'quiet': (lambda: Living('quiet', happened), ParallelExecutor),
              'loud': (lambda: Living('loud', happened, how), SequentialExecutor), **more}
    return run_nodes(makers, ['test']), happened


def fails(node):
    raise ZeroDivisionError('oh')


@for_each(('how', 'code', 'text'), [
    (lambda node: os.kill(os.getpid(), signal.SIGINT), 0, ''),
    (lambda node: os.kill(os.getpid(), signal.SIGTERM), 0, ''),
    (lambda node: rclpy.shutdown(), 0, ''),
    (lambda node: setattr(node, 'exit_code', 3), 3, 'loud has ended with exit code 3, and ends'),
    (lambda node: setattr(node, 'exit_code', 0), 1, 'loud has ended with exit code 0, and ends'),
    (fails, 1, "loud has failed, and ends the others: ZeroDivisionError('oh')")])
def test_one_that_ends_ends_all(domain, said, how, code, text):
    ended, happened = run(how)
    assert ended == code
    assert text in said()
    assert happened[0] == ('loud', 'loud')      # in a thread of its own
    assert {name for name, what in happened if what in ('finished', 'too late')} \
        == {'quiet', 'loud'}
    assert not rclpy.ok()


def test_one_that_cannot_be_made_is_named_and_the_others_end(domain, said):
    def fail():
        raise ZeroDivisionError('while it is made')
    code, happened = run(None, broken=(fail, SequentialExecutor))
    assert code == 1
    assert happened == [('quiet', 'finished'), ('loud', 'finished')]
    assert 'broken cannot be made, and ends the others' in said()


def test_last_words_that_fail_keep_no_other_from_its_own(domain, said):
    class Failing(Living):
        def finish(self):
            raise ZeroDivisionError('at the end')
    code, happened = run(lambda node: os.kill(os.getpid(), signal.SIGINT),
                         first=(lambda: Failing('first', []), SequentialExecutor))
    assert code == 1
    assert ('quiet', 'finished') in happened
    assert "first has not ended in order: ZeroDivisionError('at the end')" in said()


def test_each_has_its_own_arguments(domain):
    names = []

    class Named(BaseNode[NodeParameters]):
        def __init__(self, name, **node_options):
            super().__init__(name, NodeParameters, **node_options)
            names.append((self.get_fully_qualified_name(), self.parameters.introspection))
            self.every(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))
    run_nodes({name: (lambda name=name, words=words: Named(name, cli_args=words),
                      SequentialExecutor) for name, words in (
        ('a', ['--ros-args', '-p', 'introspection:=metadata', '-r', '__ns:=/x']),
        ('b', ['--ros-args', '-r', '__ns:=/y']))}, ['test'])
    assert names == [('/x/a', 'metadata'), ('/y/b', 'off')]


@for_each(('words', 'security', 'text'), [
    (['--node', 'teleop'], '', "unknown node 'teleop'; known: ['controller'"),
    (['mdp'], '', "expected --node NAME and the words of that node, got 'mdp'"),
    (['--node', 'mdp'], 'true', 'with ROS 2 security each node needs the keys of its own')])
def test_what_cannot_run_together_is_refused_before_anything_starts(
        monkeypatch, capsys, words, security, text):
    monkeypatch.setattr(sys, 'argv', ['all_nodes', *words])
    monkeypatch.setenv('ROS_SECURITY_ENABLE', security)
    assert main() == 2
    assert f'all_nodes does not start: {text}' in capsys.readouterr().err


@for_each('name', sorted(NODES))
def test_the_table_has_the_class_and_the_executor_with_which_a_node_runs_alone(name):
    module = importlib.import_module(f'gbs_irl_ros.nodes.{name}')
    called = []

    def run_node(kind, *, executor=SequentialExecutor):
        called.append((kind, executor))
    original, module.run_node = module.run_node, run_node
    try:
        module.main()
    finally:
        module.run_node = original
    make, executor = maker(name, [])
    assert called == [(make.func, executor)]


def test_a_page_that_lacks_a_module_is_left_out_and_the_learner_never_is(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(all_nodes, 'run_nodes', lambda makers, words: ran.append([*makers]) or 0)
    monkeypatch.setattr(sys, 'argv', ['all_nodes', '--node', 'mdp', '--node', 'gui'])
    monkeypatch.setitem(sys.modules, 'gbs_irl_ros.nodes.gui', None)     # as if it were not there
    assert all_nodes.main() == 0
    assert ran == [['mdp']]
    assert 'gui cannot start' in (said := capsys.readouterr().err)
    assert said.endswith('teleop`; the others continue without it\n')
    monkeypatch.setitem(sys.modules, 'gbs_irl_ros.nodes.mdp', None)
    with pytest.raises(ModuleNotFoundError):
        all_nodes.main()
