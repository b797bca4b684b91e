"""Calls of the learner and the controller: what they say, or why they cannot be had."""

from __future__ import annotations

import threading

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import FakeServices
from rclpy.task import Future
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.links import lesson_services as module
from gbs_irl_ros.ros.links.lesson_services import REPEATABLE, SERVICES, TIMEOUT_S, LessonServices
from gbs_irl_ros.teaching.teacher_actions import ServiceError

pytestmark = pytest.mark.ros


class Caller(BaseNode[NodeParameters]):
    """Has a remote, as a teacher's node has."""

    def __init__(self, name, **options):
        super().__init__(name, NodeParameters, **options)
        self.remote = LessonServices(self)


@pytest.fixture
def remote(parallel_bench):
    return parallel_bench.make(Caller).remote


@pytest.fixture
def services(parallel_bench, remote):
    made = FakeServices(parallel_bench)
    made.wait_until_known(remote)
    yield made
    made.gate.set()


def test_it_knows_what_the_learner_and_the_controller_serve():
    own = {name.replace('~', node) for node, served in (
        ('learner', (names.START, names.PAUSE, names.FINISH, names.UNDO, names.RESET,
                     names.REVISE, names.SHOW_PLACE, names.INVENT)),
        ('controller', (names.GO, names.STOP))) for name in served}
    assert set(SERVICES) == {*own, names.ASK_ABOUT}


def test_nobody_waits_for_long():
    assert TIMEOUT_S == 5.0


def test_each_service_is_called_and_what_it_says_returned(remote, services):
    """Some are called again if the reply is late, so that one may have been called twice."""
    for name in SERVICES:
        assert remote.call(name).startswith(f'{name} ')
    assert list(dict(services.calls)) == list(SERVICES)


def test_fields_of_the_request_are_sent(remote, services):
    remote.call(names.ASK_ABOUT, state=7)
    remote.call(names.CONTROLLER_GO, stops=3)
    (_, about), (_, allowed) = services.calls
    assert (about.state, allowed.stops) == (7, 3)


@for_each('name', sorted(SERVICES))
def test_where_nobody_serves_it_is_refused_at_once(remote, name):
    who = 'controller' if name.startswith('controller') else 'learner'
    assert not remote.is_there(name)
    with pytest.raises(ServiceError, match=f'the {who} cannot be reached just now: is it running'):
        remote.call(name)


def test_a_service_that_says_no_is_quoted(remote, services):
    services.refusal = 'there is nothing to take back'
    for name in SERVICES:
        with pytest.raises(ServiceError, match=r'^there is nothing to take back$'):
            remote.call(name)


def test_a_service_that_hangs_is_not_waited_for(remote, services, monkeypatch):
    monkeypatch.setattr(module, 'TIMEOUT_S', 0.2)
    monkeypatch.setattr(module, 'THINKING_S', 0.2)
    services.gate.clear()
    for name, who in ((names.LEARNER_UNDO, 'learner'), (names.CONTROLLER_STOP, 'controller')):
        with pytest.raises(
                ServiceError, match=f'the {who} did not answer within 0.2 s; try again'):
            remote.call(name)


def test_a_response_that_comes_too_late_is_not_taken_for_the_next(remote, services, monkeypatch):
    monkeypatch.setattr(module, 'TIMEOUT_S', 0.1)
    monkeypatch.setattr(module, 'THINKING_S', 0.1)
    services.gate.clear()
    with pytest.raises(ServiceError, match='did not answer'):
        remote.call(names.LEARNER_UNDO)
    monkeypatch.setattr(module, 'TIMEOUT_S', DEADLINE_S)
    services.gate.set()
    assert remote.call(names.LEARNER_UNDO) == f'{names.LEARNER_UNDO} 2'


def lose_first_request(remote, name):
    """Have the first request of a service end nowhere."""
    client, real = remote._clients[name], remote._clients[name].call_async
    lost = []

    def call(request):
        if not lost:
            lost.append(Future())
            return lost[0]
        return real(request)
    client.call_async = call


@pytest.mark.parametrize('name', sorted(REPEATABLE))
def test_what_may_be_done_twice_is_asked_for_again_if_nobody_replies(remote, services, monkeypatch,
                                                                     name):
    monkeypatch.setattr(module, 'ASK_AGAIN_S', 0.1)
    lose_first_request(remote, name)
    assert remote.call(name).startswith(f'{name} ')      # maybe asked for a third time


@pytest.mark.parametrize('name', sorted(set(SERVICES) - REPEATABLE))
def test_what_must_not_be_done_twice_is_asked_for_once(remote, services, monkeypatch, name):
    monkeypatch.setattr(module, 'TIMEOUT_S', 0.3)
    monkeypatch.setattr(module, 'THINKING_S', 0.3)
    monkeypatch.setattr(module, 'ASK_AGAIN_S', 0.1)
    lose_first_request(remote, name)
    with pytest.raises(ServiceError, match='did not answer'):
        remote.call(name)
    assert services.calls == []


def test_a_late_reply_to_the_first_request_counts(remote, services, monkeypatch):
    monkeypatch.setattr(module, 'TIMEOUT_S', DEADLINE_S)
    monkeypatch.setattr(module, 'ASK_AGAIN_S', 0.05)
    services.gate.clear()
    client, real = remote._clients[names.LEARNER_PAUSE], \
        remote._clients[names.LEARNER_PAUSE].call_async
    sent = []

    def call(request):
        sent.append(request)
        if len(sent) == 3:
            services.gate.set()
        return real(request)
    client.call_async = call
    assert remote.call(names.LEARNER_PAUSE).startswith(names.LEARNER_PAUSE)
    assert len(sent) >= 3


class TestStop:
    def test_what_the_controller_says_is_returned(self, remote, services):
        assert remote.stop().startswith(f'{names.CONTROLLER_STOP} ')     # maybe not the first

    def test_one_that_is_not_confirmed_says_so(self, remote, services, monkeypatch):
        """Its controller is known, but hangs or has just been killed."""
        monkeypatch.setattr(module, 'TIMEOUT_S', 0.3)
        monkeypatch.setattr(module, 'THINKING_S', 0.3)
        services.gate.clear()
        with pytest.raises(ServiceError, match=(
                r'^the controller did not answer within 0\.3 s \(STOP is repeated for 10 s\)$')):
            remote.stop()
        assert len(services.calls) > 0

    def test_it_is_repeated_until_a_controller_that_comes_later_confirms_it(
            self, parallel_bench, remote, monkeypatch):
        monkeypatch.setattr(module, 'TIMEOUT_S', 0.1)
        monkeypatch.setattr(module, 'THINKING_S', 0.1)
        with pytest.raises(ServiceError, match=(
                r'^the controller cannot be reached just now: is it running\? \(STOP is rep')):
            remote.stop()
        made = FakeServices(parallel_bench, [names.CONTROLLER_STOP])
        wait_for(lambda: made.calls, 'the stop')
        wait_for(lambda: remote._stop._ended.is_set(), 'the confirmation')

    def test_one_that_is_refused_says_why_and_is_repeated(self, remote, services):
        services.refusal = 'not now'
        with pytest.raises(ServiceError, match=r'^not now \(STOP is repeated for 10 s\)$'):
            remote.stop()
        services.refusal = ''
        wait_for(lambda: remote._stop._ended.is_set(), 'the confirmation')

    def test_who_waits_for_one_that_is_said_again_hears_the_reply_to_that(
            self, remote, services):
        services.gate.clear()
        said = []
        waiting = threading.Thread(target=lambda: said.append(remote.stop()))
        waiting.start()
        wait_for(lambda: services.calls, 'the stop')
        remote.stop(wait=False)
        services.gate.set()
        waiting.join()
        assert said[0].startswith(names.CONTROLLER_STOP)

    def test_it_is_not_repeated_for_longer_than_it_says(self, remote, services, monkeypatch):
        monkeypatch.setattr(module, 'STOP_FOR_S', 0.5)
        services.gate.clear()
        remote.stop(wait=False)
        wait_for(lambda: services.calls, 'the stop')
        wait_for(lambda: not remote._stop._thread.is_alive(), 'the end of it')

    def test_who_wants_something_else_ends_it(self, remote, services):
        services.refusal = 'not now'
        assert remote.stop(wait=False) == ''
        wait_for(lambda: services.calls, 'the stop')
        remote.forget_stop()
        wait_for(lambda: not remote._stop._thread.is_alive(), 'the end of it')


def test_a_service_that_comes_and_goes_is_noticed(parallel_bench, remote):
    made = FakeServices(parallel_bench, [names.CONTROLLER_STOP])
    wait_for(lambda: remote.is_there(names.CONTROLLER_STOP), 'the controller')
    assert not remote.is_there(names.LEARNER_UNDO)
    parallel_bench.node.destroy_service(made.services[names.CONTROLLER_STOP])
    wait_for(lambda: not remote.is_there(names.CONTROLLER_STOP), 'it to be gone')
    with pytest.raises(ServiceError, match='the controller cannot be reached'):
        remote.call(names.CONTROLLER_STOP)


def test_several_threads_may_call_at_once(remote, services):
    said = {}

    def call(name):
        said[name] = remote.call(name).split()[0]
    threads = [threading.Thread(target=call, args=(name,)) for name in SERVICES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience(DEADLINE_S))
    assert said == {name: name for name in SERVICES}


def test_its_errors_are_ours():
    assert issubclass(ServiceError, GbsIrlError)
