"""Progress of long work on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.tasks import Task

QUIET_S = 0.5       # work that is done by then shows nothing


class ProgressLine:
    """A line that says how far a piece of work is; gone when it is done."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._started = time.monotonic()
        self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __call__(self, done: int, total: int) -> None:
        """Show how many of how many are done, and how long the rest will take."""
        elapsed = time.monotonic() - self._started
        if elapsed < QUIET_S or not sys.stderr.isatty():
            return
        left = elapsed / done * (total - done)
        print(f'\r\033[K{self._what}: {done} of {total}, about {left:.0f} s left',
              end='', file=sys.stderr, flush=True)
        self._shown = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._shown:
            print('\r\033[K', end='', file=sys.stderr, flush=True)


def compile_with_progress(task: Task) -> Hypotheses:
    """Plan for all rewards of a task, showing how far it is."""
    count = task.rewards.num_rewards
    size = count * task.world.mdp.num_states
    if size > 1_000_000 and not sys.stderr.isatty():
        print(f'planning for {count} rewards ...', file=sys.stderr, flush=True)
    with ProgressLine(f'planning for {count} rewards') as progress:
        return task.compile(progress)
