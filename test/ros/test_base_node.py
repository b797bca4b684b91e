"""What all nodes share: nothing that happens in a callback ends them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from in_process import MODULES, node_class
from rcl_interfaces.msg import Log
from rclpy.node import Node
from service_msgs.msg import ServiceEventInfo
from std_msgs.msg import String
from std_srvs.srv import Trigger
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.ros import base_node, names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters, refused
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.parameters import parameter

pytestmark = pytest.mark.ros

ENTITIES = ('subscription', 'timer', 'parallel timer', 'service', 'parallel service', 'response')


@dataclass(frozen=True)
class ProbeParameters(NodeParameters):
    """One more than all nodes have."""

    count: int = parameter(1, 'Some number.', low=0, high=5)


class Probe(BaseNode[ProbeParameters]):
    """A node to be tried out."""

    def __init__(self, name, **options):
        super().__init__(name, ProbeParameters, **options)
        self.how = Health(Level.OK, 'running')
        self.reacted = 0

    def health(self):
        return self.how

    def on_fault(self):
        self.reacted += 1


@pytest.fixture(autouse=True)
def diagnostics_often(monkeypatch):
    monkeypatch.setattr(base_node, 'DIAGNOSTICS_PERIOD_S', 0.05)


class Provoked:
    """
    Makes a callback of a node be called, again and again.

    calls: how often it was. outcomes: what it does the first times: exceptions to be raised.
    """

    def __init__(self, bench, node, entity, *outcomes):
        self.calls = 0
        self.responses = []
        self._outcomes = list(outcomes)
        self._bench, self._entity = bench, entity
        if entity == 'subscription':
            node.subscribe(String, 'told', self._given, qos.EVENTS)
            self._publisher = bench.publisher(String, 'told', qos.EVENTS)
        elif entity.endswith('timer'):
            node.every(0.02, self._happens, parallel=entity.startswith('parallel'))
        elif entity.endswith('service'):
            node.serve(Trigger, 'asked', self._asked, parallel=entity.startswith('parallel'))
        else:
            bench.node.create_service(Trigger, 'others', lambda request, response: response)
            self._node, self._client = node, node.client(Trigger, 'others')
            assert self._client.wait_for_service(DEADLINE_S)

    def once_more(self):
        before = self.calls
        if self._entity == 'subscription':
            self._publisher.publish(String(data='x'))
        elif self._entity.endswith('service'):
            self.responses.append(self._bench.call(Trigger, 'asked'))
        elif self._entity == 'response':
            self._node.when_done(self._client.call_async(Trigger.Request()), self._given)
        wait_for(lambda: self.calls > before, f'the {self._entity}')

    def _happens(self):
        self.calls += 1
        if self._outcomes:
            raise self._outcomes.pop(0)

    def _given(self, _):
        self._happens()

    def _asked(self, request, response):
        response.message = 'half filled'
        self._happens()
        response.success = True
        return response


def counts(bench):
    """Return a function that returns the last diagnosed numbers of the node."""
    heard = bench.listen(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)

    def last():
        return {each.key: each.value for each in heard[-1].status[0].values} if heard else {}
    return last


@pytest.mark.parametrize('entity', ENTITIES)
class TestGuard:
    def test_a_fault_is_logged_with_its_traceback_and_counted_and_the_node_goes_on(
            self, bench, said, entity):
        node = bench.make(Probe)
        counted = counts(bench)
        provoked = Provoked(bench, node, entity, ZeroDivisionError('boom'))
        provoked.once_more()
        provoked.once_more()
        wait_for(lambda: counted().get('faults') == '1', 'the fault to be counted')
        assert counted()['refused'] == '0'
        assert node.reacted == 1
        text = said()
        assert re.search(r'\[ERROR\].*\[probe\]: exception (on told|in a timer|in asked|in a '
                         r'response); the node continues', text)
        assert 'Traceback (most recent call last)' in text
        assert 'ZeroDivisionError: boom' in text
        assert bench.escaped == []

    def test_an_error_of_ours_is_a_warning_in_one_line(self, bench, said, entity):
        node = bench.make(Probe)
        counted = counts(bench)
        provoked = Provoked(bench, node, entity, GbsIrlError('no such state'))
        provoked.once_more()
        provoked.once_more()
        wait_for(lambda: counted().get('refused') == '1', 'the refusal to be counted')
        assert counted()['faults'] == '0'
        assert node.reacted == 0
        text = said()
        assert re.search(r'\[WARN\].*\[probe\]: (on told|in a timer|asked refused|in a response): '
                         r'no such state\n', text)
        assert 'Traceback' not in text
        assert '[ERROR]' not in text


class TestRepeatedFaults:
    def test_the_same_one_is_counted_each_time_and_logged_now_and_then(self, bench, said):
        node, began = bench.make(Probe), time.monotonic()
        counted = counts(bench)
        timer = node.every(0.01, lambda: 1 / 0)
        wait_for(lambda: int(counted().get('faults', 0)) >= 20, 'twenty faults')
        timer.cancel()
        logged = said().count('exception in a timer')
        assert 1 <= logged <= 1 + (time.monotonic() - began) / base_node.SAME_LINE_EVERY_S

    def test_nor_does_a_stream_of_messages_that_are_refused_fill_the_log(self, bench, said):
        node, began = bench.make(Probe), time.monotonic()
        counted = counts(bench)

        def refuse():
            raise GbsIrlError('pose must be finite')
        timer = node.every(0.01, refuse)
        wait_for(lambda: int(counted().get('refused', 0)) >= 20, 'twenty refusals')
        timer.cancel()
        logged = said().count('pose must be finite')
        assert 1 <= logged <= 1 + (time.monotonic() - began) / base_node.SAME_LINE_EVERY_S

    def test_another_one_is_logged_all_the_same(self, bench, said):
        node, failed = bench.make(Probe), []

        def fail():
            failed.append(1)
            raise ZeroDivisionError('every time')
        timer = node.every(0.01, fail)
        wait_for(lambda: len(failed) > 3, 'the first fault')
        Provoked(bench, node, 'subscription', ValueError('only once')).once_more()
        before = len(failed)
        wait_for(lambda: len(failed) > before + 3, 'the first fault again')
        timer.cancel()
        ticks = []
        node.every(0.01, lambda: ticks.append(1))
        wait_for(lambda: len(ticks) > 3, 'the last fault to be over')
        assert 'ValueError: only once' in said()


class TestServices:
    @pytest.mark.parametrize('entity', ['service', 'parallel service'])
    @pytest.mark.parametrize(('error', 'message'), [
        (GbsIrlError('no such state'), 'no such state'),
        (ZeroDivisionError('boom'), 'ZeroDivisionError: boom')])
    def test_the_response_says_what_went_wrong(self, bench, entity, error, message):
        provoked = Provoked(bench, bench.make(Probe), entity, error)
        provoked.once_more()
        provoked.once_more()
        bad, good = provoked.responses
        assert (bad.success, bad.message) == (False, message)
        assert (good.success, good.message) == (True, 'half filled')

    def test_a_service_of_ours_says_ok_false(self, bench):
        node = bench.make(Probe)

        def handle(request, response):
            response.ok, response.question_id = True, 'q'
            raise KeyError(request.state)
        node.serve(srv.AskAbout, 'asked', handle)
        response = bench.call(srv.AskAbout, 'asked', srv.AskAbout.Request(state=7))
        assert (response.ok, response.message) == (False, 'KeyError: 7')
        assert response.question_id == ''   # nothing half done is sent

    @for_each(('kind', 'field'), [
        (Trigger, 'success'), (srv.AskAbout, 'ok'), (srv.GetTask, 'ok'), (srv.Revise, 'ok'),
        (srv.QueryDemonstrator, 'ok')])
    def test_every_service_can_say_no(self, kind, field):
        response = kind.Response()
        setattr(response, field, True)
        assert refused(response, 'because') is response
        assert (getattr(response, field), response.message) == (False, 'because')


def test_a_fault_in_the_reaction_to_a_fault_does_not_end_the_node(bench):
    node = bench.make(Probe)
    node.on_fault = lambda: 1 / 0
    provoked = Provoked(bench, node, 'subscription', ValueError('boom'))
    provoked.once_more()
    provoked.once_more()
    escaped, bench.escaped = bench.escaped, []
    assert escaped == []


def test_what_fails_while_ros_goes_down_is_no_fault(bench, said):
    node = bench.make(Probe)

    def callback(_):
        bench.context.shutdown()
        raise ValueError('boom')
    node.subscribe(String, 'told', callback, qos.EVENTS)
    bench.publisher(String, 'told', qos.EVENTS).publish(String())
    wait_for(lambda: not bench.context.ok(), 'the end of ROS')
    bench._spinning.join(patience(DEADLINE_S))
    assert node.reacted == 0
    assert 'boom' not in said()


class Inside:
    """Counts how many callbacks are running at the same time."""

    def __init__(self):
        self.now = self.most = 0
        self.calls = {}
        self._lock = threading.Lock()

    def visit(self, who, seconds=0.002):
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.calls[who] = self.calls.get(who, 0) + 1
        time.sleep(seconds)
        with self._lock:
            self.now -= 1


class TestTakingTurns:
    def test_exclusive_callbacks_never_overlap(self, parallel_bench):
        """Two timers, a subscription, a service, a response and a change of parameters."""
        bench, inside = parallel_bench, Inside()
        node = bench.make(Probe)
        bench.node.create_service(Trigger, 'others', lambda request, response: response)
        client = node.client(Trigger, 'others')
        assert client.wait_for_service(DEADLINE_S)

        def tick():
            inside.visit('timer')
            node.when_done(client.call_async(Trigger.Request()), lambda _: inside.visit('done'))

        def handle(request, response):
            inside.visit('service')
            return response
        node.declared.on_change(lambda _: inside.visit('parameters'))
        node.every(0.05, tick)
        node.every(0.05, lambda: inside.visit('other timer'))
        node.subscribe(String, 'told', lambda _: inside.visit('subscription'), qos.EVENTS)
        node.serve(Trigger, 'asked', handle)
        publisher = bench.publisher(String, 'told', qos.EVENTS)
        for number in range(10):
            publisher.publish(String())
            assert bench.call(Trigger, 'asked') is not None
            node.set_parameters([rclpy.parameter.Parameter('count', value=number % 5)])
        wait_for(lambda: len(inside.calls) == 6 and min(inside.calls.values()) >= 10,
                 'ten calls of each')
        assert inside.most == 1

    def test_parallel_ones_do_overlap(self, parallel_bench):
        """Three of them wait for each other: they pass only if all are running."""
        node, meeting = parallel_bench.make(Probe), threading.Barrier(3)
        first_tick = threading.Lock()

        def meet():
            meeting.wait(patience(DEADLINE_S))

        def tick():
            if first_tick.acquire(blocking=False):
                meet()

        def handle(request, response):
            meet()
            response.success = True
            return response
        node.serve(Trigger, 'asked', handle, parallel=True)
        node.serve(Trigger, 'asked_too', handle, parallel=True)
        futures = [parallel_bench.node.create_client(Trigger, name)
                   for name in ('asked', 'asked_too')]
        for client in futures:
            assert client.wait_for_service(DEADLINE_S)
        calls = [client.call_async(Trigger.Request()) for client in futures]
        node.every(0.05, tick, parallel=True)
        wait_for(lambda: all(call.done() for call in calls), 'the responses')
        assert all(call.result().success for call in calls)

    def test_one_parallel_service_serves_several_at_once(self, parallel_bench):
        """A question that is asked again must not wait for the one that is being thought about."""
        node, meeting = parallel_bench.make(Probe), threading.Barrier(2)

        def handle(request, response):
            meeting.wait(patience(DEADLINE_S))
            response.success = True
            return response
        node.serve(Trigger, 'asked', handle, parallel=True)
        client = parallel_bench.node.create_client(Trigger, 'asked')
        assert client.wait_for_service(DEADLINE_S)
        calls = [client.call_async(Trigger.Request()) for _ in range(2)]
        wait_for(lambda: all(call.done() for call in calls), 'the responses')
        assert all(call.result().success for call in calls)

    def test_what_waits_for_a_person_stops_nothing_else(self, parallel_bench):
        node, answered = parallel_bench.make(Probe), threading.Event()
        ticks = []

        def think(request, response):
            answered.wait(patience(DEADLINE_S))
            response.success = True
            return response

        def reply(request, response):
            response.success = True
            return response
        node.serve(Trigger, 'thinking', think, parallel=True)
        node.serve(Trigger, 'quick', reply)
        node.every(0.02, lambda: ticks.append(1))
        client = parallel_bench.node.create_client(Trigger, 'thinking')
        assert client.wait_for_service(DEADLINE_S)
        thinking = client.call_async(Trigger.Request())
        for _ in range(3):
            assert parallel_bench.call(Trigger, 'quick').success
        before = len(ticks)
        wait_for(lambda: len(ticks) > before + 3, 'the timer')
        assert not thinking.done()
        answered.set()
        wait_for(thinking.done, 'the answer')
        assert thinking.result().success


class TestBusyFor:
    def test_it_grows_while_an_exclusive_callback_runs(self, parallel_bench):
        node, go_on = parallel_bench.make(Probe), threading.Event()
        seen = []
        assert node.busy_for() == 0.0
        node.every(0.01, lambda: seen.append(node.busy_for()), parallel=True)
        node.subscribe(String, 'told', lambda _: go_on.wait(patience(DEADLINE_S)), qos.EVENTS)
        parallel_bench.publisher(String, 'told', qos.EVENTS).publish(String())
        wait_for(lambda: seen and seen[-1] > 0.2, 'the callback to take long')
        growing = [busy for busy in seen if busy > 0.0]
        assert growing == sorted(growing)
        go_on.set()
        wait_for(lambda: seen[-1] == 0.0, 'the callback to end')

    def test_a_parallel_callback_may_take_as_long_as_it_likes(self, parallel_bench):
        node, go_on, began = parallel_bench.make(Probe), threading.Event(), threading.Event()

        def wait():
            began.set()
            go_on.wait(patience(DEADLINE_S))
        node.every(0.01, wait, parallel=True)
        assert began.wait(patience(DEADLINE_S))
        assert node.busy_for() == 0.0
        go_on.set()

    def test_a_callback_that_failed_is_over(self, bench):
        node = bench.make(Probe)
        provoked = Provoked(bench, node, 'subscription', ValueError('boom'))
        provoked.once_more()
        wait_for(lambda: node.busy_for() == 0.0, 'the callback to end')


class TestDiagnostics:
    def test_they_say_how_the_node_is(self, bench):
        heard = bench.listen(DiagnosticArray, '/diagnostics', qos.EVENTS)
        node = bench.add(Probe('probe', namespace='/robot', context=bench.context))
        node.how = Health(Level.WARN, 'waiting for the task', {'answers': 3})
        wait_for(lambda: heard and heard[-1].status[0].message == node.how.text, 'diagnostics')
        status = heard[-1].status[0]
        assert len(heard[-1].status) == 1
        assert status.level == DiagnosticStatus.WARN
        assert status.name == '/robot/probe'
        assert status.hardware_id == 'gbs_irl_ros'
        assert [(each.key, each.value) for each in status.values] == [
            ('answers', '3'), ('refused', '0'), ('faults', '0')]
        assert heard[-1].header.stamp.sec > 0

    def test_a_wrong_parameter_comes_before_everything_else(self, bench):
        heard = bench.listen(DiagnosticArray, '/diagnostics', qos.EVENTS)
        node = bench.make(Probe, count=9)
        assert node.parameters is None
        wait_for(lambda: heard, 'diagnostics')
        assert heard[-1].status[0].level == DiagnosticStatus.ERROR
        assert heard[-1].status[0].message == "parameter 'count' must be in 0 .. 5, got 9"
        node.set_parameters([rclpy.parameter.Parameter('count', value=4)])
        wait_for(lambda: heard[-1].status[0].message == 'running', 'the node to be well')
        assert node.parameters == ProbeParameters(count=4)

    def test_they_go_on_while_a_callback_takes_long(self, parallel_bench):
        heard = parallel_bench.listen(DiagnosticArray, '/diagnostics', qos.EVENTS)
        node, go_on = parallel_bench.make(Probe), threading.Event()
        node.subscribe(String, 'told', lambda _: go_on.wait(patience(DEADLINE_S)), qos.EVENTS)
        parallel_bench.publisher(String, 'told', qos.EVENTS).publish(String())
        wait_for(lambda: node.busy_for() > 0.0, 'the callback')
        before = len(heard)
        wait_for(lambda: len(heard) > before + 3, 'diagnostics')
        go_on.set()

    def test_a_node_that_cannot_say_how_it_is_goes_on(self, bench, said):
        node = bench.make(Probe)
        node.how = None
        wait_for(lambda: 'exception in a timer' in said(), 'the fault')
        heard = bench.listen(DiagnosticArray, '/diagnostics', qos.EVENTS)
        node.how = Health(Level.OK, 'well again')
        wait_for(lambda: heard and heard[-1].status[0].message == 'well again', 'diagnostics')


class TestTime:
    def test_timers_tick_without_a_clock_although_the_time_of_ros_stands_still(self, bench):
        node = bench.make(Probe, use_sim_time=True)
        steady, of_ros = [], []
        node.create_timer(0.01, lambda: of_ros.append(1))
        node.every(0.02, lambda: steady.append(node.steady()))
        wait_for(lambda: len(steady) > 10, 'the timer')
        assert of_ros == []
        assert node.stamp() == 0
        assert steady == sorted(steady)
        assert steady[10] - steady[0] > 0.1

    def test_the_stamp_is_the_time_of_ros(self, bench):
        node = bench.make(Probe)
        assert abs(node.stamp() - time.time_ns()) < DEADLINE_S * 1e9


class TestIntrospection:
    @pytest.mark.parametrize(('level', 'contents'), [('contents', 1), ('metadata', 0)])
    def test_every_service_call_is_published(self, bench, level, contents):
        node = bench.make(Probe, introspection=level)
        node.serve(Trigger, 'asked', lambda request, response: refused(response, 'because'))
        events = bench.listen(Trigger.Event, 'asked/_service_event', qos.EVENTS)
        wait_for(lambda: bench.node.count_publishers('asked/_service_event'), 'the publisher')
        assert not bench.call(Trigger, 'asked').success
        wait_for(lambda: len(events) >= 2, 'request and response')
        received, sent = events[:2]
        assert received.info.event_type == ServiceEventInfo.REQUEST_RECEIVED
        assert sent.info.event_type == ServiceEventInfo.RESPONSE_SENT
        assert len(received.request) == len(sent.response) == contents
        assert [each.message for each in sent.response] == ['because'] * contents

    def test_the_calls_of_a_client_too(self, bench):
        node = bench.make(Probe, introspection='contents')
        client = node.client(Trigger, 'others')
        bench.node.create_service(Trigger, 'others', lambda _, response: refused(response, 'no'))
        events = bench.listen(Trigger.Event, 'others/_service_event', qos.EVENTS)
        wait_for(lambda: bench.node.count_publishers('others/_service_event'), 'the publisher')
        assert client.wait_for_service(DEADLINE_S)
        client.call_async(Trigger.Request())
        wait_for(lambda: len(events) >= 2, 'request and response')
        assert [event.info.event_type for event in events[:2]] == [
            ServiceEventInfo.REQUEST_SENT, ServiceEventInfo.RESPONSE_RECEIVED]
        assert events[1].response[0].message == 'no'

    def test_nothing_is_published_unless_wanted(self, bench):
        node = bench.make(Probe)
        node.serve(Trigger, 'asked', lambda _, response: refused(response, 'because'))
        assert not bench.call(Trigger, 'asked').success
        assert bench.node.count_publishers('asked/_service_event') == 0

    @pytest.mark.parametrize('wrong', [
        'everything', False, 5,
        [1, 2]])
    def test_a_wrong_wish_does_not_end_the_node(self, bench, said, wrong):
        node = bench.make(Probe, introspection=wrong)
        assert node.parameters is None
        node.serve(Trigger, 'asked', lambda _, response: refused(response, 'because'))
        assert bench.call(Trigger, 'asked').message == 'because'
        assert "parameter 'introspection'" in said()


# ---- a contract for every node --------------------------------------------------------------

def set_names(kind):
    """Return all names that a class gives to itself or to its instances, by its source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    on_class = {each.name for each in body.body
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
    on_class |= {target.id for each in body.body if isinstance(each, (ast.Assign, ast.AnnAssign))
                 for target in getattr(each, 'targets', None) or [each.target]}
    on_self = {node.attr for node in ast.walk(body)
               if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
               and isinstance(node.value, ast.Name) and node.value.id == 'self'}
    return on_class - {'__init__'}, on_self


def used_names(path):
    """Return the topics and services that a file names by a constant of ros/names.py."""
    return {getattr(names, node.attr) for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            and node.value.id == 'names'}


ROS = Path(base_node.__file__).parent


def helpers_of(path):
    """Return the files of ros/links and ros/robot that a file uses, and those that they use."""
    found, new = set(), {path}
    while new:
        imported = [name for each in new for name in re.findall(
            r'from gbs_irl_ros\.ros\.((?:links|robot)\.\w+) import', each.read_text())]
        new = {ROS / f'{name.replace(".", "/")}.py' for name in imported} - found
        found |= new
    return sorted(found)


def class_docstrings(path):
    return ' '.join(ast.get_docstring(node) or '' for node in ast.walk(ast.parse(path.read_text()))
                    if isinstance(node, ast.ClassDef))


def test_the_check_sees_every_kind_of_name():
    class Sample:
        one = 1
        two: int = 2

        def three(self):
            self.four = self.five = 4
            self.six, (self.seven, _) = 6, (7, 8)
            self.eight: int = 8
            self.nine += 1
            self.ten.other = 10

    assert set_names(Sample) == (
        {'one', 'two', 'three'}, {'four', 'five', 'six', 'seven', 'eight', 'nine'})


@for_each('kind', [BaseNode, *map(node_class, MODULES)], ids=lambda kind: kind.__name__)
class TestEveryNode:
    def test_nothing_hides_what_belongs_to_rclpy(self, bench, kind):
        plain = set(dir(Node)) | set(vars(bench.node))
        on_class, on_self = set_names(kind)
        on_purpose = {'get_logger'} if kind is BaseNode else set()
        assert (on_class | on_self) & plain == on_purpose

    def test_nothing_hides_what_belongs_to_the_base(self, bench, kind):
        if kind is BaseNode:
            return
        on_class, on_self = set_names(kind)
        base_on_class, base_on_self = set_names(BaseNode)
        assert on_self & (base_on_class | base_on_self) <= {'exit_code'}
        assert on_class & (base_on_class | base_on_self) <= {'health', 'finish', 'on_fault'}

    def test_docstrings_name_every_topic_and_service(self, kind):
        """That of the node, or of a class that speaks to others for it."""
        path = Path(inspect.getsourcefile(kind))
        helpers = helpers_of(path)
        used = set().union(*map(used_names, [path, *helpers]))
        assert used, 'a node without any topic'
        told = ' '.join([kind.__doc__, *map(class_docstrings, helpers)])
        missing = {name for name in used
                   if not re.search(rf'(?<![\w/~]){re.escape(name)}(?![\w/])', told)}
        assert missing == set()

    def test_the_docstring_names_nothing_else(self, kind):
        """What it lists as ~/name or with its type exists."""
        known = {value for key, value in vars(names).items() if key.isupper()}
        listed = set(re.findall(r'(~/\w+)', kind.__doc__))
        with_type = re.findall(r'(?<![~/\w])(\w+) \((?:\w+/)?[A-Z]\w+\)', kind.__doc__)
        listed |= {name for name in with_type if name.islower()}
        assert listed - known == set()


@for_each('module', MODULES)
def test_no_line_logs_with_one_severity_now_and_another_then(module):
    """A logger of rclpy raises then: it remembers the severity of each line."""
    source = inspect.getsource(inspect.getmodule(node_class(module)))
    chosen = [ast.unparse(node) for node in ast.walk(ast.parse(source))
              if isinstance(node, ast.IfExp) and 'get_logger' in ast.unparse(node)]
    assert chosen == []


def test_what_is_logged_and_answered_cannot_play_tricks_on_a_terminal(bench, said):
    node = bench.make(Probe)
    for number in range(2):     # two lines of this file, of one level each: rclpy insists on it
        node.get_logger().info(f'name {number}: \x1b[2J\rgone', throttle_duration_sec=100.0)
    node.get_logger().error('x' * 5_000_000)
    lines = said()
    assert r'name 0: \x1b[2J\rgone' in lines
    assert 'name 1' not in lines
    assert 'x' * 10_000 + ' ... (5000000 characters)' in lines
    assert '\x1b[2J' not in lines
    response = base_node.refused(Trigger.Response(), 'no \0 such \udc80 name\x1b')
    assert response.message == r'no \x00 such \udc80 name\x1b'


def test_a_line_of_the_log_names_its_caller_and_looks_for_no_source(bench, monkeypatch):
    node, heard = bench.make(Probe), []
    bench.node.create_subscription(Log, '/rosout', heard.append, 10)
    wait_for(lambda: node.count_subscribers('/rosout'), 'somebody to listen')
    monkeypatch.setattr(inspect, 'getframeinfo', None)      # of all modules, 20 ms for the first
    frame = inspect.currentframe()
    number = frame.f_lineno + 1
    node.get_logger().warning('here')
    line, = wait_for(lambda: [each for each in heard if each.msg == 'here'], 'the line')
    assert (line.file, line.function, line.line, line.level) == (
        __file__, frame.f_code.co_name, number, Log.WARN)


def test_a_message_beyond_all_limits_is_refused_in_words(bench, said):
    node = bench.make(Probe)
    taken = []
    node.subscribe(msg.Demonstration, 'shown', taken.append, 10)
    node.serve(srv.Revise, 'revise', lambda request, response: taken.append(request))
    publisher = bench.node.create_publisher(msg.Demonstration, 'shown', 10)
    wait_for(lambda: publisher.get_subscription_count(), 'the node to listen')
    publisher.publish(msg.Demonstration(id='x' * 5_000_000))
    wait_for(lambda: 'on shown: id must have at most 200 characters, got 5000000' in said(),
             'a word about it')
    client = bench.node.create_client(srv.Revise, 'revise')
    assert client.wait_for_service(patience(20.0))
    future = client.call_async(srv.Revise.Request(answer=msg.Answer(id='x' * 5_000_000)))
    wait_for(future.done, 'the reply')
    assert not future.result().ok
    assert future.result().message == 'id must have at most 200 characters, got 5000000'
    assert taken == []
    assert len(said()) < 10_000
