"""Several nodes in one process, each with a thread of its own."""

from __future__ import annotations

import gc
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.logging import get_logger
from rclpy.node import Node

from gbs_irl_ros.ros.executors import SequentialExecutor
from gbs_irl_ros.ros.running import begin, clean_up, spin_once
from gbs_irl_ros.ros.unblocked_output import unblocked_output

FAILED = 1

Maker = tuple[Callable[[], Node], Callable[[], SequentialExecutor]]


def run_nodes(makers: Mapping[str, Maker], args: list[str] | None = None) -> int:
    """
    Spin nodes until a signal comes or one of them ends; return the exit code, 0 after a signal.

    A node that ends ends the others: with its own code if that says failure, otherwise 1.

    Each is spun by an executor of its own. One for all would wait for everything that any of them
    has, and build that wait set again after each callback, which takes longer than most of them.

    :param makers: by the name of the node, what makes it and its executor.
    """
    with unblocked_output():
        return _run_nodes(makers, args)


def _run_nodes(makers: Mapping[str, Maker], args: list[str] | None) -> int:
    stop = begin(args)
    spinning: list[_Spinning] = []
    try:
        for name, (make_node, executor) in makers.items():
            try:
                node = make_node()
            except Exception:
                get_logger(name).error(f'{name} cannot be made, and ends the others\n'
                                       f'{traceback.format_exc()}')
                return FAILED
            spinning.append(_Spinning(name, node, executor(), stop))
        gc.freeze()     # what is here now stays: searching it for garbage would take most time
        for each in spinning:
            each.thread.start()
        stop.wait()
    finally:
        stop.set()
        try:
            for each in spinning:
                each.wait()
            for each in spinning:
                each.finish()
        finally:
            clean_up([(each.executor, each.node) for each in spinning], _code_of(spinning))
    return _code_of(spinning)


def _code_of(spinning: Sequence[_Spinning]) -> int:
    return max((each.code for each in spinning), default=0)


class _Spinning:
    """A node with the thread that spins it."""

    def __init__(self, name: str, node: Node, executor: SequentialExecutor,
                 stop: threading.Event) -> None:
        self.node, self.executor = node, executor
        self.code = 0
        self.thread = threading.Thread(target=self._spin, name=name)
        self._name, self._stop = name, stop
        executor.add_node(node)

    def wait(self) -> None:
        """Wait for the thread, which has been told to stop."""
        self.executor.interrupt()
        if self.thread.ident is not None:
            self.thread.join()

    def finish(self) -> None:
        """Let the node do what it must do while ROS is there; one that fails keeps no other."""
        try:
            if hasattr(self.node, 'finish'):
                self.node.finish()
        except Exception as error:
            self._say(f'has not ended in order: {error!r}')

    def _spin(self) -> None:
        try:
            while not self._stop.is_set() and rclpy.ok() and self._exit_code is None:
                spin_once(self.executor, self.node)
        except ExternalShutdownException:
            pass
        except Exception as error:
            self._say(f'has failed, and ends the others: {error!r}')
        else:
            if self._exit_code is not None:
                self._say(f'has ended with exit code {self._exit_code}, and ends the others')
                self.code = max(self._exit_code, FAILED)
        self._stop.set()

    @property
    def _exit_code(self) -> int | None:
        return getattr(self.node, 'exit_code', None)

    def _say(self, what: str) -> None:
        self.code = FAILED
        get_logger(self._name).error(f'{self._name} {what}')
