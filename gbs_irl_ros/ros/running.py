"""Starting and stopping a node."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import (
    Executor,
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
)
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_rmw_implementation_identifier

from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.security import SecuritySettingsError, check_security
from gbs_irl_ros.ros.transport import use_sockets

# Python sees a signal only when the executor has returned from waiting.
LONGEST_WAIT_S = 0.1
# Enough that a service waiting for a person, and another one, never stop the timers.
THREADS = 8
LONGEST_CLEAN_UP_S = 20     # usually a twentieth of a second
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ParallelExecutor(Executor):
    """
    For a node with parallel callbacks that must run while another callback works.

    As rclpy's MultiThreadedExecutor, but its threads can be waited for: what they still hold must
    not be destroyed under them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._threads = ThreadPoolExecutor(THREADS)
        self._under_way: list[Any] = []

    def join(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown(wait=True)

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for what is to be done next; do it, or have a thread do it."""
        try:
            handler, entity, _ = self.wait_for_ready_callbacks(timeout_sec)
        except (ShutdownException, TimeoutException):
            return
        if self._needs_thread(entity):
            self._threads.submit(handler)
            self._under_way.append(handler)
        else:
            handler()
            handler.result()        # raise what nobody caught
        for each in [each for each in self._under_way if each.done()]:
            self._under_way.remove(each)
            each.result()

    def _needs_thread(self, entity: Any) -> bool:
        return True


class WaitingExecutor(ParallelExecutor):
    """
    For a node with parallel callbacks that may wait for a person; all others are soon done.

    Those run one after the other in the thread that spins. Handing them to threads would rebuild
    the wait set whenever one begins or ends. With odometry at 50 Hz that takes three times as much
    processor time.
    """

    def _needs_thread(self, entity: Any) -> bool:
        return isinstance(getattr(entity, 'callback_group', None), ReentrantCallbackGroup)


def run_node(make_node: Callable[[], Node], args: list[str] | None = None, *,
             executor: Callable[[], Executor] = SingleThreadedExecutor) -> int:
    """
    Spin a node until it is interrupted or terminated, or ends itself by setting ``exit_code``.

    Then clean up whatever was built. Returns the exit code, 0 after a signal.

    ROS stays alive until the node's ``finish``, if it has one, has been called: rclpy's own
    handlers would end it at once, and a controller could not send its last command.

    :param executor: for a node with parallel callbacks, one of those above.
    """
    stop = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: stop.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)     # its parent may have blocked them
    try:
        check_security(os.environ)
    except SecuritySettingsError as error:
        raise SystemExit(f'this node does not start: {error}') from None
    use_sockets(os.environ, get_rmw_implementation_identifier())
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    node = None
    spinner = executor()
    try:
        node = make_node()
        spinner.add_node(node)
        while not stop.is_set() and rclpy.ok() and getattr(node, 'exit_code', None) is None:
            _spin_once(spinner, node)
    except ExternalShutdownException:
        pass
    finally:
        try:
            if node is not None and hasattr(node, 'finish'):
                node.finish()
        finally:
            _clean_up(spinner, node)
    return getattr(node, 'exit_code', None) or 0


def _spin_once(executor: Executor, node: Node) -> None:
    """
    Do what is to be done next.

    rclpy has callbacks of its own, and they raise: a /clock before zero would end every node.
    """
    try:
        executor.spin_once(timeout_sec=LONGEST_WAIT_S)
    except ExternalShutdownException:
        raise
    except Exception as error:
        if not isinstance(node, BaseNode):
            raise
        node.report_foreign_fault(error)


def _clean_up(executor: Executor, node: Node | None) -> None:
    # The middleware has been seen to hang in here for good, holding the interpreter, so that no
    # thread of Python could end it; the system can.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST_CLEAN_UP_S)
    if isinstance(executor, ParallelExecutor):
        executor.join()
    executor.shutdown()
    if node is not None:
        node.destroy_node()
    rclpy.try_shutdown()
    if threading.current_thread() is threading.main_thread():
        signal.alarm(0)
