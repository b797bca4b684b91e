"""Executors: nothing is missed although what is waited for is collected only once."""

from __future__ import annotations

import contextlib
import inspect
import threading

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from in_process import Bench
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.ros import executors, qos, wait_list
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.executors import ParallelExecutor

pytestmark = pytest.mark.ros

PRIVATE = ('_take_timer', '_take_subscription', '_take_guard_condition', '_take_client',
           '_take_service', '_take_waitable')


@pytest.fixture
def made(monkeypatch):
    """The lists that were made."""
    made = []

    class Counted(wait_list.WaitList):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)
    monkeypatch.setattr(executors, 'WaitList', Counted)
    return made


def test_what_is_used_of_rclpy_is_there():
    """These are not public; a new version of rclpy that changes them must be noticed here."""
    for name in PRIVATE:
        assert list(inspect.signature(getattr(Executor, name)).parameters)[1:] != [], name


def test_callbacks_leave_the_list_as_it_is(bench, made):
    ticks, heard = [], []
    bench.node.create_timer(0.005, lambda: ticks.append(1))
    bench.node.create_subscription(String, 'said', heard.append, qos.EVENTS)
    publisher = bench.node.create_publisher(String, 'said', qos.EVENTS)
    wait_for(lambda: (publisher.publish(String()), len(heard) > 3)[1], 'messages')
    before = len(made)
    wait_for(lambda: len(ticks) > 50, 'ticks')
    assert len(made) == before


def test_what_is_made_while_it_sleeps_is_waited_for_and_what_is_destroyed_is_let_go(bench):
    for number in range(20):
        heard = []
        subscription = bench.node.create_subscription(String, 'said', heard.append, qos.LATCHED)
        publisher = bench.node.create_publisher(String, 'said', qos.LATCHED)
        publisher.publish(String(data=str(number)))
        wait_for(lambda heard=heard: heard, 'a message')
        handle = subscription.handle
        bench.node.destroy_subscription(subscription)
        bench.node.destroy_publisher(publisher)
        wait_for(lambda handle=handle: not _is_usable(handle), 'the end of the subscription')


def _is_usable(handle):
    with contextlib.suppress(InvalidHandle), handle:
        return True
    return False


def test_a_timer_that_was_cancelled_ticks_again_when_it_is_resumed(bench):
    node = bench.make(BaseNode, NodeParameters)
    ticks = []

    def tick():
        ticks.append(1)
        timer.cancel()
    timer = node.every(0.01, tick)
    for count in range(1, 4):
        wait_for(lambda count=count: len(ticks) == count, 'one tick')
        assert timer.is_canceled()
        node.resume(timer)


def test_events_are_seen_although_they_are_not_looked_for_every_time(bench, monkeypatch):
    incompatible = []
    monkeypatch.setattr(wait_list, 'EVENTS_EVERY_S', 0.05)
    unreliable = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    bench.node.create_publisher(String, 'said', unreliable)
    bench.node.create_subscription(
        String, 'said', lambda message: None, qos.EVENTS,
        event_callbacks=SubscriptionEventCallbacks(incompatible_qos=incompatible.append))
    wait_for(lambda: incompatible, 'the event')


def test_coroutines_await_what_comes_later(bench):
    """The package has none, but who adds a callback to one of its nodes may."""
    asked, answer = [], Future(executor=bench._executor)

    async def handle(request, response):
        asked.append(1)
        response.message = await answer
        return response
    bench.node.create_service(Trigger, 'asked', handle)
    client = bench.node.create_client(Trigger, 'asked')
    assert client.wait_for_service(patience(DEADLINE_S))
    future = client.call_async(Trigger.Request())
    wait_for(lambda: asked, 'the request')
    answer.set_result('later')
    bench._executor.wake()
    wait_for(future.done, 'the response')
    assert future.result().message == 'later'


def test_while_one_works_others_of_its_kind_wait_and_come_in_order(domain):
    bench = Bench(domain)
    executor = ParallelExecutor(context=bench.context)
    node = rclpy.create_node('working', context=bench.context)
    heard, may_go_on = [], threading.Event()

    def hear(message):
        heard.append(message.data)
        may_go_on.wait(patience(DEADLINE_S))
    node.create_subscription(String, 'said', hear, qos.EVENTS)
    publisher = bench.node.create_publisher(String, 'said', qos.EVENTS)
    executor.add_node(node)
    ending = threading.Event()

    def spin():
        while not ending.is_set():
            executor.spin_once()
    spinning = threading.Thread(target=spin)
    spinning.start()
    try:
        wait_for(lambda: publisher.get_subscription_count(), 'a connection')
        for number in range(5):
            publisher.publish(String(data=str(number)))
        wait_for(lambda: heard, 'the first')
        executor.interrupt()
        assert heard == ['0']
        may_go_on.set()
        wait_for(lambda: len(heard) == 5, 'all')
        assert heard == list('01234')
    finally:
        may_go_on.set()
        ending.set()
        executor.interrupt()
        spinning.join()
        executor.join()
        executor.shutdown()
        node.destroy_node()
        bench.close()
