"""The launch file read by ROS 2 launch itself, where that is installed."""

from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path

import pytest
from cases import for_each

pytest.importorskip('launch_ros', reason='ROS 2 launch NOT TESTED: it is not installed here '
                                         '(Debian, Ubuntu: apt install ros-jazzy-launch-ros)')

from launch.actions import ExecuteProcess, LogInfo, PushLaunchConfigurations
from launch_ros.actions import Node, PushROSNamespace, SetParameter, SetRemap

from gbs_irl_ros.launching import process_table
from gbs_irl_ros.launching.gazebo import Program
from gbs_irl_ros.launching.process_table import ARGUMENTS, checked
from gbs_irl_ros.launching.teaching_commands import _commands
from launch import LaunchContext

pytestmark = pytest.mark.ros

LAUNCH_FILE = Path(__file__).parents[2] / 'launch' / 'teach.launch.py'
# The arguments on which it depends what is started, and one that goes to all.
COMBINED = ('demonstrator', 'robot', 'relay', 'composed', 'use_sim_time', 'gz_gui')
BESIDE = [Program('gazebo', ('gz', 'sim', '-r', '-s', 'a world.sdf')),
          Program('bridge', ('bridge',), guarded=False)]


@pytest.fixture(scope='module')
def launch_file():
    """The launch file, with a Gazebo that need not be there."""
    made = runpy.run_path(str(LAUNCH_FILE))
    made['start_processes'].__globals__['programs'] = \
        lambda given: BESIDE if given['robot'] == 'gazebo' else []
    with pytest.MonkeyPatch.context() as patched:       # whether a task has a truth takes time
        for name in ('load_truth', 'load_task'):
            patched.setattr(process_table, name, lambda *given, **options: None)
        yield made


def evaluated(launch_file, given, *before):
    """Return all that is done with these arguments, and the context in which it was."""
    context = LaunchContext()
    context.launch_configurations.update(given)
    done = []
    waiting = [*before, launch_file['generate_launch_description']()]
    while waiting:
        entity = waiting.pop(0)
        done.append(entity)
        if not isinstance(entity, ExecuteProcess):
            waiting[:0] = entity.visit(context) or ()
    return done, context


def nodes(done):
    return [each for each in done if isinstance(each, Node)]


def words(node, context):
    """Return the command line of a node, as launch would run it."""
    node._perform_substitutions(context)
    context.extend_locals({'ros_specific_arguments': {
        'name': f'__node:={node.node_name.rpartition("/")[2]}',
        'ns': f'__ns:={node.expanded_node_namespace}'}})
    return [''.join(part.perform(context) for part in parts) for parts in node.cmd[1:]]


def test_every_combination_starts_what_the_other_reader_starts(launch_file):
    choices = {each.name: each.choices for each in ARGUMENTS}
    count = 0
    for values in itertools.product(*(choices[name] for name in COMBINED)):
        given = dict(zip(COMBINED, values, strict=True))
        done, _ = evaluated(launch_file, given)
        by_hand = [each.name for each in _commands(checked(given)) if not each.needs_terminal]
        assert [each._Node__node_executable for each in nodes(done)] == by_hand, given
        beside = [each for each in done if isinstance(each, ExecuteProcess)
                  and not isinstance(each, Node)]
        assert len(beside) == (2 if given['robot'] == 'gazebo' else 0), given
        count += 1
    assert count >= 4 * 4 * 3 * 2 * 3 * 2


@for_each('given', [
    {}, {'namespace': 'flat', 'odom': 'base/odom', 'scan': '/front'},
    {'robot': 'own', 'relay': 'True', 'cmd_vel': 'base/cmd', 'robot_config': 'turtlebot3'},
    {'robot': 'gazebo', 'demonstrator': 'simulated', 'task': 'grid_world', 'lesson': '1'}])
def test_each_node_is_given_what_the_other_reader_gives_it(launch_file, given):
    done, context = evaluated(launch_file, given)
    by_hand = {each.name: list(each.arguments[3:]) for each in _commands(checked(given))}
    for node in nodes(done):
        name = node._Node__node_executable
        line, expected = words(node, context), by_hand[name]
        for flag in ('-r', '--enclave', '--log-level'):
            values = [value for word, value in itertools.pairwise(line) if word == flag
                      and not value.startswith('__node:=') and value != '__ns:=/']
            assert sorted(values) == sorted(value for word, value in itertools.pairwise(expected)
                                            if word == flag), (name, line)
        files = [value for word, value in itertools.pairwise(line) if word == '--params-file']
        shared = [value for word, value in itertools.pairwise(expected) if word == '--params-file']
        assert files[:len(shared)] == shared
        own = Path(files[-1]).read_text() if len(files) > len(shared) else ''
        for word, value in itertools.pairwise(expected):
            if word == '-p':
                key, _, said = value.partition(':=')
                found = re.search(rf'^\s+{key}: (.*)$', own, re.M)
                assert found is not None, (name, value, own)
                assert found[1].strip('\'"') == said.strip('"'), (name, value, own)


def test_defaults_do_not_win_over_a_file_of_parameters(launch_file, tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('/**/controller: {ros__parameters: {allow_motion: true}}\n'
                    '/**/mdp: {ros__parameters: {task: grid_world}}\n')
    for given, task, moves in (({}, 'grid_world', 'true'),
                               ({'task': 'room', 'allow_motion': 'False'}, 'room', 'false')):
        done, context = evaluated(launch_file, {'params_file': str(file), **given})
        found = {}
        for node in nodes(done):
            last = words(node, context)[-1]
            found[node._Node__node_executable] = Path(last).read_text()
        assert f'task: {task}' in found['mdp']
        assert f'allow_motion: {moves}' in found['controller']


def test_the_command_for_teleop_has_what_launch_files_around_it_set(launch_file):
    done, _ = evaluated(
        launch_file, {'demonstrator': 'teleop'}, PushLaunchConfigurations(),
        PushROSNamespace('fleet'), SetRemap('odom', 'base/odom'),
        SetParameter('use_sim_time', True))
    (said,) = (each for each in done if isinstance(each, LogInfo))
    text = ''.join(part.perform(LaunchContext()) for part in said.msg)
    assert ('`ros2 run gbs_irl_ros teleop --ros-args -r odom:=base/odom -p use_sim_time:=True -r '
            '__ns:=/fleet`') in text
