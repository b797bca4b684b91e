"""Executors: what waits for the callbacks of nodes and runs them."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future as ThreadFuture, ThreadPoolExecutor
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.guard_condition import GuardCondition
from rclpy.task import Task
from rclpy.timer import Timer

from gbs_irl_ros.ros.wait_list import FOREVER_NS, WAITABLE, WaitList

# Enough that a service waiting for a person, and another one, never stop the timers.
THREADS = 8
# Before rclpy 7.1.9 a coroutine that awaits something was tried again after every wait.
RETRIES_TASKS = not hasattr(Executor, '_call_task_in_next_spin')


class _WakingGuard(GuardCondition):
    """
    What wakes an executor; without effect in the thread that spins, which is awake.

    is_stale: nodes or their entities have changed: this is triggered whenever they do.
    """

    spinning: int | None = None     # the thread
    is_stale = True

    def trigger(self) -> None:
        self.is_stale = True
        self.ring()

    def ring(self) -> None:
        """Wake the executor; there are still the same entities."""
        if threading.get_ident() != self.spinning:
            with contextlib.suppress(InvalidHandle):    # the executor has been shut down
                super().trigger()


class SequentialExecutor(Executor):
    """
    For a node whose callbacks run one after the other: sleeps until there is one to run.

    It does what rclpy's SingleThreadedExecutor does. That one collects everything that may become
    ready before each callback, and makes a task of each: three quarters of the time of a node
    whose callbacks are short. The events executor of rclpy does neither; in Jazzy it has no
    threads, and a task that raises ends the process (rclpy#1641).
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._guard.destroy()
        self._guard = self._waking = _WakingGuard(None, None, self.context)
        self._waited_for: WaitList | None = None
        self._waiting = threading.Lock()        # held while somebody waits
        self._ready: deque[tuple[str, Any]] = deque()       # a kind and an entity, '' and a task
        self._new_tasks: deque[Task] = deque()
        self._suspended_tasks: list[Task] = []
        self._takes = {'timer': self._take_if_due, 'subscription': self._take_subscription,
                       'guard_condition': self._take_guard_condition,
                       'client': self._take_client, 'service': self._take_service,
                       WAITABLE: self._take_waitable}

    def create_task(self, callback: Callable[..., Any] | Coroutine[Any, Any, Any], *args: Any,
                    **kwargs: Any) -> Task:
        """Have something run by the thread that spins, from any thread."""
        task = Task(callback, args, kwargs, executor=self)
        self._call_task_in_next_spin(task)
        return task

    def _call_task_in_next_spin(self, task: Task) -> None:
        self._new_tasks.append(task)
        self._waking.ring()

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for what is to be done next, and do it; or do nothing, if it is interrupted."""
        self._waking.spinning = threading.get_ident()
        if not self._ready:
            tasks = [self._new_tasks.popleft() for _ in range(len(self._new_tasks))]
            self._ready.extend(('', task) for task in tasks)
            self._ready.extend(self._wait(0.0 if tasks else timeout_sec))
        if self._ready:
            self._run(*self._ready.popleft())

    def interrupt(self) -> None:
        """Make ``spin_once`` return, from any thread."""
        self.create_task(_do_nothing)

    def join(self) -> None:
        """Wait for threads; there are none here."""

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Run nothing any more; let go of what was waited for."""
        is_done = bool(super().shutdown(timeout_sec))
        with self._waiting:
            self._forget_waited_for()
        return is_done

    # ---- waiting --------------------------------------------------------------------------------

    def _wait(self, timeout_sec: float | None) -> list[tuple[str, Any]]:
        """Return what is ready, and the tasks that may be by now."""
        tried_again, self._suspended_tasks = self._suspended_tasks, []
        with self._waiting:
            if self._is_shutdown:
                return []
            if not self._context.ok():
                self._forget_waited_for()
                raise ExternalShutdownException
            try:
                ready = self._wait_list().wait(
                    FOREVER_NS if timeout_sec is None or timeout_sec < 0.0
                    else int(timeout_sec * 1e9))
            except InvalidHandle:       # destroyed by another thread, which has not told us yet
                self._waking.is_stale = True
                ready = []
        if not self._is_shutdown and not self._context.ok():
            raise ExternalShutdownException
        return [*(('', task) for task in tried_again), *ready]

    def _wait_list(self) -> WaitList:
        """Return what is to be waited for now."""
        if self._waking.is_stale or self._waited_for is None:
            self._waking.is_stale = False       # before looking: what changes meanwhile counts
            self._forget_waited_for()
            self._waited_for = self._make_wait_list(lambda entity: True)
        return self._waited_for

    def _make_wait_list(self, is_wanted: Callable[[Any], bool]) -> WaitList:
        return WaitList(self.get_nodes(), (self._waking, self._sigint_gc), self._context,
                        is_wanted)

    def _forget_waited_for(self) -> None:
        if self._waited_for is not None:
            self._waited_for.close()
            self._waited_for = None

    # ---- running --------------------------------------------------------------------------------

    def _run(self, kind: str, entity: Any) -> None:
        """Take what has come for an entity and call it back, or run a task."""
        call = self._taken(kind, entity)
        if call is not None:
            call()

    def _taken(self, kind: str, entity: Any) -> Callable[[], None] | None:
        """Return what is to be done about an entity, None if nothing is any more."""
        if not kind:
            return lambda: self._run_task(entity)
        execute = self._takes[kind](entity)
        if execute is None:
            return None
        if kind == WAITABLE or inspect.iscoroutinefunction(getattr(entity, 'callback', None)):
            self.create_task(execute)       # it may await something
            return None
        return lambda: _run_to_its_end(execute())

    def _take_if_due(self, timer: Timer) -> Any:
        try:
            is_due = timer.handle.is_timer_ready()      # or it has been cancelled meanwhile
        except InvalidHandle:
            return None
        return self._take_timer(timer) if is_due else None

    def _run_task(self, task: Task) -> None:
        task()
        if task.done():
            task.result()       # raise what nobody caught
        elif RETRIES_TASKS and not task.cancelled():
            self._suspended_tasks.append(task)


def _run_to_its_end(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine that awaits nothing: rclpy makes one of every callback."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError('a callback that is not a coroutine function has awaited something')


def _do_nothing() -> None:
    pass


def _is_parallel(entity: Any) -> bool:
    return isinstance(getattr(entity, 'callback_group', None), ReentrantCallbackGroup)


class WaitingExecutor(SequentialExecutor):
    """
    For a node with parallel callbacks that may wait for a person; all others are soon done.

    Those run one after the other in the thread that spins. The threads can be waited for: what
    they still hold must not be destroyed under them.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._threads = ThreadPoolExecutor(THREADS)
        self._failures: deque[BaseException] = deque()      # of threads

    def join(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown(wait=True)

    def _run(self, kind: str, entity: Any) -> None:
        if kind and _is_parallel(entity):
            call = self._taken(kind, entity)
            if call is not None:
                self._threads.submit(call).add_done_callback(self._on_done)
        else:
            super()._run(kind, entity)
        if self._failures:
            raise self._failures.popleft()

    def _on_done(self, future: ThreadFuture[None]) -> None:
        failure = future.exception()
        if failure is not None:
            self._failures.append(failure)
            self.interrupt()        # it is reported by the thread that spins


class ParallelExecutor(WaitingExecutor):
    """
    For a node with parallel callbacks that must run while another callback works.

    Those that are not parallel, and tasks, run one after the other in a thread of their own.
    While they do, only parallel ones are waited for.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._worker = ThreadPoolExecutor(1)
        self._under_way = 0         # what the worker has not done yet
        self._counting = threading.Lock()
        self._parallel: WaitList | None = None

    def join(self) -> None:
        """Wait for the threads."""
        self._worker.shutdown(wait=True)
        super().join()

    def _run(self, kind: str, entity: Any) -> None:
        if kind and _is_parallel(entity):
            super()._run(kind, entity)
            return
        call = self._taken(kind, entity)
        if call is not None:
            with self._counting:
                self._under_way += 1
            self._worker.submit(call).add_done_callback(self._on_worked)
        if self._failures:
            raise self._failures.popleft()

    def _on_worked(self, future: ThreadFuture[None]) -> None:
        with self._counting:
            self._under_way -= 1
            is_idle = not self._under_way
        self._on_done(future)
        if is_idle:
            self._waking.ring()     # now the others are waited for, too

    def _wait_list(self) -> WaitList:
        everything = super()._wait_list()
        if not self._under_way:
            return everything
        if self._parallel is None:
            self._parallel = self._make_wait_list(_is_parallel)
        return self._parallel

    def _forget_waited_for(self) -> None:
        super()._forget_waited_for()
        if self._parallel is not None:
            self._parallel.close()
            self._parallel = None
