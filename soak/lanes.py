"""Several things at once, each in a thread: they mostly wait for processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar('T')


def at_once(*calls: Callable[[], T]) -> list[T]:
    """
    Call functions at the same time; return what each returned, or raise what the first did.

    Ctrl-C does not wait for them: their threads end with the program.
    """
    futures: list[Future[T]] = [Future() for _ in calls]
    for call, future in zip(calls, futures, strict=True):
        threading.Thread(target=_carry_out, args=(call, future), daemon=True).start()
    wait(futures)
    return [future.result() for future in futures]


def _carry_out(call: Callable[[], T], future: Future[T]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:      # whatever it is, somebody waits for it
        future.set_exception(error)
