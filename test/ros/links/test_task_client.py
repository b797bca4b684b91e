"""The task, fetched however late or slow the mdp node is."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.callback_groups import ReentrantCallbackGroup
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import srv
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters, refused
from gbs_irl_ros.ros.links import task_client
from gbs_irl_ros.ros.links.task_client import TaskClient
from gbs_irl_ros.ros.messages import task_conversions
from gbs_irl_ros.tasks import load_task

pytestmark = pytest.mark.ros

LOOK_EVERY_S = 0.02


class Fetcher(BaseNode[NodeParameters]):
    """Fetches until it has the task, as the learner does."""

    def __init__(self, name, **options):
        super().__init__(name, NodeParameters, **options)
        self.tasks = []
        self.trouble = []       # exceptions to be raised instead of taking the task
        self.ticks = 0
        self.client_of_mdp = TaskClient(self, self._on_task)
        self.every(LOOK_EVERY_S, self._on_timer)

    @property
    def status_text(self):
        return self.client_of_mdp.status_text

    def _on_timer(self):
        self.ticks += 1
        if not self.tasks:
            self.client_of_mdp.fetch()

    def _on_task(self, task):
        if self.trouble:
            raise self.trouble.pop(0)
        self.tasks.append(task)


class Mdp:
    """
    Serves a task as the test says.

    replies: what is said to the first calls: a text refuses, an event is waited for, a function
    changes the response.
    """

    def __init__(self, bench, *replies):
        self.task = load_task('room')
        self.calls = 0
        self.replies = list(replies)
        bench.node.create_service(srv.GetTask, names.GET_TASK, self._handle,
                                  callback_group=ReentrantCallbackGroup())

    def _handle(self, request, response):
        self.calls += 1
        reply = self.replies.pop(0) if self.replies else None
        if isinstance(reply, str):
            return refused(response, reply)
        if isinstance(reply, threading.Event):
            reply.wait(patience(DEADLINE_S))
        response = srv.GetTask.Response(
            ok=True, world=task_conversions.world_to_msg(self.task.world),
            hypotheses=task_conversions.hypotheses_to_msg(self.task))
        if callable(reply):
            reply(response)
        return response


def fetched(node):
    wait_for(lambda: node.tasks, lambda: f'the task: {node.status_text}')
    return node.tasks


def test_the_task_arrives_whole(parallel_bench):
    mdp = Mdp(parallel_bench)
    task, = fetched(parallel_bench.make(Fetcher))
    assert task.hash == mdp.task.hash
    assert task.world.name == 'room'
    assert task.hypotheses.names == mdp.task.hypotheses.names


def test_it_is_asked_for_once(parallel_bench):
    node = parallel_bench.make(Fetcher)
    mdp = Mdp(parallel_bench)
    fetched(node)
    before = node.ticks
    wait_for(lambda: node.ticks > before + 5, 'some time to pass')
    assert mdp.calls == len(node.tasks) == 1


def test_an_mdp_node_that_comes_late_is_waited_for(parallel_bench):
    node = parallel_bench.make(Fetcher)
    assert node.status_text.startswith('waiting for the task')
    wait_for(lambda: node.status_text == 'waiting for the task: is the mdp node running?',
             'the node to wait')
    Mdp(parallel_bench)
    assert len(fetched(node)) == 1


def test_one_that_is_still_planning_says_how_far_it_is(parallel_bench):
    said = [f'planning for {done} of 20 hypotheses' for done in range(3)]
    standings = []
    mdp = Mdp(parallel_bench, *said)
    node = parallel_bench.make(Fetcher)
    node.every(LOOK_EVERY_S / 4, lambda: standings.append(node.status_text), parallel=True)
    fetched(node)
    assert mdp.calls == 4
    assert f'waiting for the task: {said[-1]}' in standings


def test_a_response_that_is_lost_is_asked_for_again(parallel_bench, monkeypatch):
    monkeypatch.setattr(task_client, 'TIMEOUT_S', 0.2)
    never = threading.Event()
    mdp = Mdp(parallel_bench, never)
    node = parallel_bench.make(Fetcher)
    wait_for(lambda: mdp.calls >= 2, 'the second call')
    monkeypatch.setattr(task_client, 'TIMEOUT_S', DEADLINE_S)   # a busy machine may need more
    fetched(node)
    never.set()             # and when it comes after all, it is ignored
    before = node.ticks
    wait_for(lambda: node.ticks > before + 5, 'some time to pass')
    assert len(node.tasks) == 1


def test_one_that_is_under_way_is_not_asked_for_again(parallel_bench):
    later = threading.Event()
    mdp = Mdp(parallel_bench, later)
    node = parallel_bench.make(Fetcher)
    wait_for(lambda: mdp.calls, 'the first call')
    before = node.ticks
    wait_for(lambda: node.ticks > before + 10, 'some time to pass')
    assert mdp.calls == 1
    later.set()
    assert len(fetched(node)) == 1
    assert mdp.calls == 1


def damaged(response):
    response.hypotheses.log_prior[0] -= 0.5


def torn(response):
    response.world.successors = response.world.successors[:-1]


@pytest.mark.parametrize(('damage', 'text'), [
    (damaged, r'has hash'), (torn, 'transitions: there must be as many columns as values')])
def test_a_damaged_task_is_refused_and_asked_for_again(parallel_bench, said, damage, text):
    mdp = Mdp(parallel_bench, damage)
    node = parallel_bench.make(Fetcher)
    task, = fetched(node)
    assert mdp.calls == 2
    assert task.hash == mdp.task.hash
    wait_for(lambda: text in said(), 'the reason')
    assert '[WARN]' in said()
    assert 'Traceback' not in said()


@pytest.mark.parametrize('error', [GbsIrlError('not this one'), ValueError('boom')])
def test_a_task_that_cannot_be_used_does_not_end_the_fetching(parallel_bench, said, error):
    node = parallel_bench.make(Fetcher)
    node.trouble = [error]
    mdp = Mdp(parallel_bench)
    fetched(node)
    assert mdp.calls == 2
    wait_for(lambda: str(error) in said(), 'the error to be said')
