"""The mdp node plans for a task once; whatever becomes of the plan, the task is served."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from waiting import patience

from gbs_irl_ros import srv
from gbs_irl_ros.ros import names

READY = "task 'room' is ready"


def set_parameter(graph, name, value):
    given = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value) \
        if isinstance(value, int) \
        else ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=given)])
    return graph.call(SetParameters, 'mdp/set_parameters', request).results[0]


def served(graph):
    """Return the response with the task."""
    response = graph.call(srv.GetTask, names.GET_TASK)
    assert response.ok, response.message
    return response


def count(process, text):
    return sum(text in line for line in process.lines)


@pytest.fixture
def folder(graph):
    return graph.folder / 'plans'


def test_a_node_that_is_started_again_serves_the_same_without_planning(graph, folder):
    first = graph.start('mdp', task='room', cache_dir=folder)
    kept = first.wait_for_line('; the plan is kept in ')
    first.wait_for_line(READY)
    task = served(graph)
    assert first.end() == 0
    file, = folder.iterdir()
    assert kept.startswith('INFO mdp: planned in ')
    assert kept.endswith(f' s; the plan is kept in {file}')

    second = graph.start('mdp', task='room', cache_dir=folder)
    assert second.wait_for_line('the plan was found') == f'INFO mdp: the plan was found in {file}'
    second.wait_for_line(READY)
    assert served(graph) == task
    assert not count(second, 'planned in')
    assert list(folder.iterdir()) == [file]


def test_it_is_kept_with_the_caches_of_the_person_if_nothing_is_said(graph):
    graph.environment['XDG_CACHE_HOME'] = str(graph.folder)
    mdp = graph.start('mdp', task='room')
    mdp.wait_for_line(f'; the plan is kept in {graph.folder}/gbs_irl_ros/')


def test_without_room_nothing_is_kept(graph, folder):
    mdp = graph.start('mdp', task='room', cache_dir=folder, cache_mb=0)
    assert mdp.wait_for_line('planned in ').endswith(' s')
    mdp.wait_for_line(READY)
    assert not folder.exists()


def test_a_folder_that_cannot_be_used_is_told_once_and_the_task_is_served(graph, folder):
    folder.write_text('a file')
    mdp = graph.start('mdp', task='room', cache_dir=folder)
    mdp.wait_for_line(READY)
    assert [line for line in mdp.lines if str(folder) in line] == [
        f'WARN mdp: {folder}: plans cannot be kept here: Not a directory; fix that, give the '
        'cache another folder, or switch it off']
    served(graph)


def test_a_damaged_plan_is_told_and_the_right_task_is_served(graph, folder):
    first = graph.start('mdp', task='room', cache_dir=folder)
    first.wait_for_line(READY)
    task = served(graph)
    assert first.end() == 0
    file, = folder.iterdir()
    good = file.read_bytes()
    file.write_bytes(good[:100] + b'?' + good[101:])
    second = graph.start('mdp', task='room', cache_dir=folder)
    second.wait_for_line(READY)
    assert second.wait_for_line('WARN') == (
        f'WARN mdp: {file}: this plan is not used: it is damaged: its checksum is wrong; it was '
        'removed')
    assert served(graph) == task
    assert file.read_bytes() == good


def test_a_wrong_size_can_be_set_right_and_another_cache_is_no_other_task(graph, folder):
    mdp = graph.start('mdp', task='room', cache_dir=folder, cache_mb=-1)
    mdp.wait_for_line("parameter 'cache_mb' must be at least 0, got -1")
    assert set_parameter(graph, 'cache_mb', 5).successful
    mdp.wait_for_line(READY)
    refused = set_parameter(graph, 'cache_mb', -5)
    assert refused.reason == "parameter 'cache_mb' must be at least 0, got -5"
    assert set_parameter(graph, 'cache_dir', str(graph.folder / 'other')).successful
    assert set_parameter(graph, 'task', 'grid_world').successful
    mdp.wait_for_line("task 'grid_world' is ready")
    assert count(mdp, 'planned in') == count(mdp, 'is ready') == 2     # not again for the folder
    assert len(list(folder.iterdir())) == len(list((graph.folder / 'other').iterdir())) == 1
    assert set_parameter(graph, 'task', 'grid_world').successful        # reads the file again
    mdp.wait_for_line(f'the plan was found in {graph.folder}/other/')


ENDED_WHILE_PLANNING = """
import threading
import rclpy
from gbs_irl_ros.nodes.mdp import MdpNode
from gbs_irl_ros.tasks.task import Task

go_on, compile_plan = threading.Event(), Task.compile
Task.compile = lambda *given: go_on.wait() and compile_plan(*given)
rclpy.init(args=['mdp', '--ros-args', '-p', 'task:=room'])
node = MdpNode()
planning, = [thread for thread in threading.enumerate() if '_load' in thread.name]
node.finish()
node.destroy_node()
go_on.set()
planning.join()
rclpy.shutdown()
"""


def test_planning_that_ends_after_the_node_says_nothing(graph):
    graph.environment['XDG_CACHE_HOME'] = str(graph.folder)
    done = subprocess.run([sys.executable, '-c', ENDED_WHILE_PLANNING], env=graph.environment,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.returncode == 0, done.stderr
    assert 'planned in' in done.stderr
    assert 'Traceback' not in done.stderr
    assert 'is ready' not in done.stderr


def test_a_task_that_needs_too_much_is_said_at_once_and_another_can_be_set(graph, folder):
    large = graph.folder / 'large.yaml'
    large.write_text('format: 1\nworld: {kind: trap_world, rooms: [10, 10], room_size: 99}\n'
                     'hypotheses: {kind: goals, goals: free}\n')
    mdp = graph.start('mdp', task=large, cache_dir=folder)
    mdp.wait_for_line('needs about 1.9 TB and 4 h, got 990 x 990 cells, each of them a goal')
    response = graph.call(srv.GetTask, names.GET_TASK)
    assert not response.ok
    assert response.message.startswith('the task cannot be served: ')
    assert 'allow_large:=true (launch, nodes)' in response.message
    assert set_parameter(graph, 'task', 'room').successful
    mdp.wait_for_line(READY)
