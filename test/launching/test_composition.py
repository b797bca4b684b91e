"""Several nodes in one process: which, and what each of them is told."""

from __future__ import annotations

import sys

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching import teaching_commands
from gbs_irl_ros.launching.composition import alone, composed_arguments, parted, together
from gbs_irl_ros.launching.process_table import PROCESSES, checked, ros_arguments

pytestmark = pytest.mark.ros


def names(processes):
    return [each.executable for each in processes]


@for_each(('given', 'shared', 'own'), [
    ({}, [], ['mdp', 'learner', 'gui', 'controller', 'simulator', 'visualiser']),
    ({'composed': 'true'}, ['mdp', 'learner', 'gui', 'controller', 'simulator', 'visualiser'], []),
    ({'composed': 'true', 'demonstrator': 'teleop', 'robot': 'own', 'relay': 'true'},
     ['mdp', 'learner', 'controller', 'visualiser'], ['teleop', 'relay'])])
def test_all_share_a_process_but_what_must_not(given, shared, own):
    given = checked(given)
    assert (names(together(given)), names(alone(given))) == (shared, own)


def test_each_is_told_what_it_would_be_told_alone():
    given = checked({'composed': 'true', 'namespace': 'flat', 'demonstrator': 'simulated',
                     'odom': 'base/odom', 'log_level': 'warn'})
    nodes, whole = parted(composed_arguments(given, {'learner': ['-p', 'seed:=3']}))
    assert list(nodes) == names(together(given))
    for process in PROCESSES:
        if process.executable in nodes:
            more = ['-p', 'seed:=3'] if process.executable == 'learner' else []
            assert nodes[process.executable] == [*ros_arguments(process, given), *more]
    assert whole == ['--ros-args', '--log-level', 'warn', '--enclave', '/flat/all_nodes']


def test_who_starts_it_knows_whose_lines_it_shows():
    given = checked({'composed': 'true', 'demonstrator': 'teleop'})
    terminal, shared = teaching_commands._commands(given)
    assert terminal.name == 'teleop'
    assert (shared.name, shared.nodes, shared.respawn, shared.is_node) == (
        'all_nodes', ('mdp', 'learner', 'controller', 'simulator', 'visualiser'), False, True)
    assert shared.arguments == (sys.executable, '-m', 'gbs_irl_ros.nodes', 'all_nodes',
                                *composed_arguments(given))


@for_each(('words', 'text'), [
    ([], 'no node is named; expected --node NAME --ros-args'),
    (['--all', '--ros-args'], 'no node is named'),
    (['mdp'], "expected --node NAME and the words of that node, got 'mdp'"),
    (['--node'], "--node needs the name of a node, each once, got ''"),
    (['--node', 'mdp', '--node', 'mdp'], "each once, got 'mdp'")])
def test_words_that_are_not_clear_are_refused(words, text):
    with pytest.raises(GbsIrlError, match=text):
        parted(words)


def test_what_stands_behind_belongs_to_the_whole_process():
    """Launch adds words at the end, for the process as it sees it."""
    assert parted(['--node', 'mdp', '-x', '--all', '-a', '--ros-args', '-r', 'b:=c']) == (
        {'mdp': ['-x']}, ['-a', '--ros-args', '-r', 'b:=c'])
