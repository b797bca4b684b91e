"""Starting and stopping a node."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import rclpy
from rclpy.executors import (
    Executor,
    ExternalShutdownException,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
)
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_rmw_implementation_identifier

from gbs_irl_ros.ros.transport import use_sockets

# Python sees a signal only when the executor has returned from waiting.
LONGEST_WAIT_S = 0.1
# Enough that a service waiting for a person, and another one, never stop the timers.
THREADS = 8
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_node(make_node: Callable[[], Node], args: list[str] | None = None, *,
             parallel: bool = False) -> int:
    """
    Spin a node until it is interrupted or terminated, or ends itself by setting ``exit_code``.

    Then clean up whatever was built. Returns the exit code, 0 after a signal.

    ROS stays alive until the node's ``finish``, if it has one, has been called: rclpy's own
    handlers would end it at once, and a controller could not send its last command.

    :param parallel: for a node with parallel callbacks. Not for all: with many messages the
        threads of rclpy's executor keep waking each other, which took a whole processor.
    """
    stop = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: stop.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)     # who starts it may have had it wait
    use_sockets(os.environ, get_rmw_implementation_identifier())
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    node = None
    executor = MultiThreadedExecutor(num_threads=THREADS) if parallel \
        else SingleThreadedExecutor()
    try:
        node = make_node()
        executor.add_node(node)
        while not stop.is_set() and rclpy.ok() and getattr(node, 'exit_code', None) is None:
            executor.spin_once(timeout_sec=LONGEST_WAIT_S)
    except ExternalShutdownException:
        pass
    finally:
        try:
            if node is not None and hasattr(node, 'finish'):
                node.finish()
        finally:
            _clean_up(executor, node)
    return getattr(node, 'exit_code', None) or 0


def _clean_up(executor: Executor, node: Node | None) -> None:
    if isinstance(executor, MultiThreadedExecutor):
        # rclpy's shutdown() does not wait for its threads, and what they still hold must not be
        # destroyed under them.
        executor._executor.shutdown(wait=True)
    executor.shutdown()
    if node is not None:
        node.destroy_node()
    rclpy.try_shutdown()
