"""What all nodes share: checked parameters, callbacks that cannot end them, diagnostics."""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import CallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_system_default
from rclpy.service_introspection import ServiceIntrospectionState

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.printable import printable
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.diagnostics import Health, Level, health_to_msg
from gbs_irl_ros.ros.messages.limits import check_limits
from gbs_irl_ros.ros.parameters import Parameters, parameter
from gbs_irl_ros.ros.readable_logger import ReadableLogger

DIAGNOSTICS_PERIOD_S = 1.0
MAX_LINES = 1000          # that are remembered in order not to repeat them
LAST_STAMP = (2**31 - 1) * 10**9        # in 2038
NUMBER = re.compile(r'-?\d[\d.e+-]*')
SAME_LINE_EVERY_S = 2.0     # how often a repeated complaint is logged
INTROSPECTION = {'off': ServiceIntrospectionState.OFF,
                 'metadata': ServiceIntrospectionState.METADATA,
                 'contents': ServiceIntrospectionState.CONTENTS}

T = TypeVar('T', bound='NodeParameters')


@dataclass(frozen=True)
class NodeParameters:
    """Parameters of every node."""

    introspection: str = parameter(
        'off', 'What is published of every service call, for bags and debugging.',
        choices=list(INTROSPECTION), fixed=True)


class BaseNode(Node, Generic[T]):
    """
    A node whose callbacks are guarded: an exception is logged and counted, never the end.

    No two callbacks run at the same time, those for responses included, but the parallel ones: for
    what may wait for a person, and for what must go on meanwhile.

    Publishes: /diagnostics (diagnostic_msgs/DiagnosticArray).
    """

    _readable_logger: ReadableLogger | None = None

    def __init__(self, name: str, kind: type[T], **node_options: Any) -> None:
        super().__init__(name, **node_options)
        self.exit_code: int | None = None   # set by a callback: the node ends
        self._steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._lock = threading.RLock()
        self._busy_since: float | None = None
        self._refused = 0
        self._faults = 0
        self._said_at: dict[str, float] = {}
        self.declared = Parameters(self, kind, self._exclusively)
        self._diagnostics = self.create_publisher(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)
        self.every(DIAGNOSTICS_PERIOD_S, self._publish_diagnostics, parallel=True)

    @property
    def parameters(self) -> T | None:
        """Return the parameters, None as long as one of them is wrong."""
        return self.declared.value

    def get_logger(self) -> ReadableLogger:
        """Return the logger, which makes control characters visible."""
        if self._readable_logger is None:
            self._readable_logger = ReadableLogger(super().get_logger().name)
        return self._readable_logger

    def stamp(self) -> int:
        """Return the time of ROS [ns], the last that a message can hold if it is later."""
        return min(self.get_clock().now().nanoseconds, LAST_STAMP)

    def steady(self) -> float:
        """Return the time of a clock that never jumps [s]."""
        return time.monotonic()

    def health(self) -> Health:
        """Return how the node is."""
        return Health(Level.OK, 'running')

    def end(self, exit_code: int) -> None:
        """End the node, from any thread."""
        self.exit_code = exit_code
        if self.executor is not None:
            self.executor.create_task(lambda: None)     # it sleeps until there is something to do

    def finish(self) -> None:
        """Do what must be done while ROS is still there; called once, at the end."""

    # ---- guarded entities -----------------------------------------------------------------------

    def subscribe(self, kind: type, topic: str, callback: Callable[[Any], None],
                  profile: QoSProfile) -> Any:
        """Create a subscription; a message that cannot be used is logged and ignored."""
        def within_limits(message: Any) -> None:
            check_limits(message)
            callback(message)
        return self.create_subscription(
            kind, topic, self._guarded(within_limits, f'on {topic}'), profile)

    def read_waiting(self, subscription: Any) -> None:
        """Call a subscription back for all that waits, now: not when its turn comes."""
        for _ in range(subscription.qos_profile.depth):     # while more come, not for ever
            with subscription.handle:
                found = subscription.handle.take_message(subscription.msg_type, False)
            if found is None:
                return
            subscription.callback(found[0])

    def every(self, seconds: float, callback: Callable[[], None], *,
              parallel: bool = False) -> Any:
        """Create a timer on the steady clock: it ticks without /clock, and through its jumps."""
        return self.create_timer(
            seconds, self._guarded(callback, 'in a timer', parallel), self._group(parallel),
            clock=self._steady_clock)

    def resume(self, timer: Any) -> None:
        """Let a timer that was cancelled tick again, from any thread."""
        timer.reset()
        if self.executor is not None:
            self.executor.wake()        # it sleeps until another one is due

    def serve(self, kind: type, name: str, callback: Callable[[Any, Any], Any], *,
              parallel: bool = False) -> None:
        """Create a service; what goes wrong is said in its response."""
        def handle(request: Any, response: Any) -> Any:
            try:
                check_limits(request)
                return callback(request, response) if parallel \
                    else self._exclusively(callback, request, response)
            except GbsIrlError as error:
                self._refuse(f'{name} refused', error)
                return refused(response, str(error))
            except Exception as error:
                self._fault(f'in {name}')
                return refused(kind.Response(), f'{type(error).__name__}: {error}')
        service = self.create_service(kind, name, handle, callback_group=self._group(parallel))
        self._introspect(service)

    def client(self, kind: type, name: str) -> Any:
        """Create a client."""
        client = self.create_client(kind, name)
        self._introspect(client)
        return client

    def when_done(self, future: Any, callback: Callable[[Any], None]) -> None:
        """Have a response handled, with the same guard as everything else."""
        def within_limits(done: Any) -> None:
            check_limits(done.result())
            callback(done)
        future.add_done_callback(self._guarded(within_limits, 'in a response'))

    def guarded(self, callback: Callable[..., None], where: str) -> Callable[..., None]:
        """Return a callback with the same guard, for what is given to rclpy directly."""
        return self._guarded(callback, where)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Return a context in which no callback runs but the parallel ones, for any thread."""
        with self._lock:
            before = self._busy_since       # when one calls another
            self._busy_since = self.steady() if before is None else before
            try:
                yield
            finally:
                self._busy_since = before

    def busy_for(self) -> float:
        """Return how long the callback or the thread that excludes others has taken so far [s]."""
        since = self._busy_since
        return 0.0 if since is None else self.steady() - since

    # ---- inside ---------------------------------------------------------------------------------

    def _group(self, parallel: bool) -> CallbackGroup | None:
        return ReentrantCallbackGroup() if parallel else None

    def _introspect(self, entity: Any) -> None:
        wanted = INTROSPECTION.get(str(self.get_parameter('introspection').value))
        if wanted not in (None, ServiceIntrospectionState.OFF):
            entity.configure_introspection(
                self.get_clock(), qos_profile_system_default, wanted)

    def _exclusively(self, callback: Callable[..., Any], *given: Any) -> Any:
        with self.exclusive():
            return callback(*given)

    def _guarded(self, callback: Callable[..., Any], where: str,
                 parallel: bool = False) -> Callable[..., None]:
        def safe(*given: Any) -> None:
            try:
                if parallel:
                    callback(*given)
                else:
                    self._exclusively(callback, *given)
            except GbsIrlError as error:
                self._refuse(where, error)
            except Exception:
                self._fault(where)
        return safe

    def _refuse(self, where: str, error: GbsIrlError) -> None:
        self._refused += 1
        line = f'{where}: {error}'
        if self._is_news(NUMBER.sub('#', line)):     # one that moves would be news every time
            self.get_logger().warning(line)

    def _fault(self, where: str) -> None:
        if not self.context.ok():
            return      # everything fails while ROS goes down
        self._faults += 1
        try:
            if self._is_news(where):
                self.get_logger().error(
                    f'exception {where}; the node continues\n{traceback.format_exc()}')
            self.on_fault()
        except Exception as error:      # a guard must not fall itself
            self.get_logger().error(f'exception in the reaction to it: {error!r}',
                                    throttle_duration_sec=SAME_LINE_EVERY_S)

    def report_foreign_fault(self, error: Exception) -> None:
        """Log and count what was raised in a callback that is not of this package."""
        self._faults += 1
        line = f'exception in a callback of rclpy, the node continues: {error!r}'
        if self._is_news(line):
            self.get_logger().error(line)

    def _is_news(self, line: str) -> bool:
        """Return whether a line was not logged in the last moments."""
        now = self.steady()
        if now - self._said_at.get(line, -math.inf) < SAME_LINE_EVERY_S:
            return False
        if len(self._said_at) >= MAX_LINES:
            self._said_at.clear()
        self._said_at[line] = now
        return True

    def on_fault(self) -> None:
        """React to an exception that nobody expected."""

    def _publish_diagnostics(self) -> None:
        health = self.health() if not self.declared.problem \
            else Health(Level.ERROR, self.declared.problem)
        counted = Health(health.level, health.text, {
            **health.values, 'refused': self._refused, 'faults': self._faults})
        self._diagnostics.publish(health_to_msg(
            counted, self.get_fully_qualified_name(), self.stamp()))


def accepted(response: Any, message: str) -> Any:
    """Return a response that says yes."""
    return _responded(response, True, message)


def refused(response: Any, message: str) -> Any:
    """Return a response that says no."""
    return _responded(response, False, message)


def _responded(response: Any, ok: bool, message: str) -> Any:
    for name, value in (('ok', ok), ('success', ok), ('message', printable(message))):
        if hasattr(response, name):     # those of ROS itself have not all of them
            setattr(response, name, value)
    return response
