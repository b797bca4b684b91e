"""Several things at once, each in a thread: they mostly wait for processes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar('T')


def at_once(*calls: Callable[[], T]) -> list[T]:
    """Call functions at the same time; return what each returned, or raise what the first did."""
    if not calls:
        return []
    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result() for future in [threads.submit(call) for call in calls]]
