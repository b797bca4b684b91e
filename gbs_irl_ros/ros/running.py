"""Starting and stopping a node."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_rmw_implementation_identifier

from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.executors import SequentialExecutor
from gbs_irl_ros.ros.last_resort import ended_after
from gbs_irl_ros.ros.security import SecuritySettingsError, check_security
from gbs_irl_ros.ros.transport import use_sockets
from gbs_irl_ros.ros.unblocked_output import unblocked_output

# Cleaning up usually takes a twentieth of a second, and hundredths of that on a processor.
LONGEST_CLEAN_UP_S, LONGEST_PROCESSOR_S = 20.0, 1.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_node(make_node: Callable[[], Node], args: list[str] | None = None, *,
             executor: Callable[[], SequentialExecutor] = SequentialExecutor,
             owns_terminal: bool = False) -> int:
    """
    Spin a node until it is interrupted or terminated, or ends itself by setting ``exit_code``.

    Then clean up whatever was built. Returns the exit code, 0 after a signal.

    ROS stays alive until the node's ``finish``, if it has one, has been called: rclpy's own
    handlers would end it at once, and a controller could not send its last command.

    :param executor: for a node with parallel callbacks, another one of ``ros.executors``.
    :param owns_terminal: standard output is a screen that the node draws; otherwise it is for
        lines, and nobody waits until somebody reads them.
    """
    with contextlib.nullcontext() if owns_terminal else unblocked_output():
        return _run_node(make_node, args, executor)


def _run_node(make_node: Callable[[], Node], args: list[str] | None,
              executor: Callable[[], SequentialExecutor]) -> int:
    stop = begin(args)
    node = None
    spinner = executor()
    try:
        node = make_node()
        spinner.add_node(node)
        gc.freeze()     # what is here now stays: searching it for garbage would take most time
        with _woken_by_signals(spinner):
            while not stop.is_set() and rclpy.ok() and getattr(node, 'exit_code', None) is None:
                spin_once(spinner, node)
    except ExternalShutdownException:
        pass
    finally:
        try:
            if node is not None and hasattr(node, 'finish'):
                node.finish()
        finally:
            clean_up([(spinner, node)], _code_of(node))
    return _code_of(node)


def _code_of(node: Node | None) -> int:
    return getattr(node, 'exit_code', None) or 0


def begin(args: list[str] | None) -> threading.Event:
    """Start ROS; return what is set when a signal tells this process to end."""
    stop = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: stop.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)     # its parent may have blocked them
    try:
        check_security(os.environ)
        use_sockets(os.environ, get_rmw_implementation_identifier())
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except (SecuritySettingsError, RuntimeError) as error:      # keys or folders are missing
        raise SystemExit(f'this node does not start: {one_line(error)}') from None
    return stop


@contextlib.contextmanager
def _woken_by_signals(executor: SequentialExecutor) -> Iterator[None]:
    """Python sees a signal only when the executor has returned from waiting: make it return."""
    here, there = socket.socketpair()
    there.setblocking(False)

    def pass_on() -> None:
        while here.recv(1):
            executor.interrupt()
    passing_on = threading.Thread(target=pass_on, daemon=True)
    passing_on.start()
    before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        there.close()
        passing_on.join()
        here.close()


def spin_once(executor: SequentialExecutor, node: Node) -> None:
    """
    Do what is to be done next.

    rclpy has callbacks of its own, and they raise: a /clock before zero would end every node.
    """
    try:
        executor.spin_once()
    except ExternalShutdownException:
        raise
    except Exception as error:
        if not isinstance(node, BaseNode):
            raise
        node.report_foreign_fault(error)


def clean_up(nodes: Sequence[tuple[SequentialExecutor, Node | None]], code: int) -> None:
    """
    Destroy nodes with their executors, and end ROS.

    Fast DDS takes a participant apart under a lock that it waits for in another thread, where it
    learns that others have ended: seen in 1 of 600 ends of nodes that ended together. It then goes
    round in circles for ever. All that the nodes had to do is done, so the process ends as usual.

    :param code: to end with then, if no exception is on its way.
    """
    failed = sys.exc_info()[0] is not None
    with ended_after(LONGEST_CLEAN_UP_S, LONGEST_PROCESSOR_S, code or int(failed)):
        for executor, node in nodes:
            executor.join()
            executor.shutdown()
            if node is not None:
                node.destroy_node()
        rclpy.try_shutdown()
