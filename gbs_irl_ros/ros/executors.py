"""Executors: what waits for the callbacks of a node and runs them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import Executor, ShutdownException, TimeoutException
from rclpy.guard_condition import GuardCondition

# Enough that a service waiting for a person, and another one, never stop the timers.
THREADS = 8


class _WakingGuard(GuardCondition):
    """
    What wakes an executor; without effect in the thread that spins, which is awake.

    rclpy triggers it whenever a callback begins and ends. The next wait would return at once with
    nothing to do, and to build a wait set takes longer than most callbacks.
    """

    spinning: int | None = None     # the thread

    def trigger(self) -> None:
        if threading.get_ident() != self.spinning:
            super().trigger()


class SequentialExecutor(Executor):
    """For a node whose callbacks run one after the other: sleeps until there is one to run."""

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._guard.destroy()
        self._guard = self._waking = _WakingGuard(None, None, self.context)

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for what is to be done next, and do it."""
        self._waking.spinning = threading.get_ident()
        try:
            handler, entity, _ = self.wait_for_ready_callbacks(timeout_sec)
        except (ShutdownException, TimeoutException):
            return
        self._run(handler, entity)

    def interrupt(self) -> None:
        """Make ``spin_once`` return, from any thread."""
        self.create_task(_do_nothing)

    def join(self) -> None:
        """Wait for threads; there are none here."""

    def _run(self, handler: Any, entity: Any) -> None:
        handler()
        handler.result()        # raise what nobody caught


def _do_nothing() -> None:
    pass


class ParallelExecutor(SequentialExecutor):
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

    def _run(self, handler: Any, entity: Any) -> None:
        if self._needs_thread(entity):
            self._threads.submit(handler)
            self._under_way.append(handler)
        else:
            super()._run(handler, entity)
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
