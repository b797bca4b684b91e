"""Long work on a terminal: how far it is, and not doing it twice."""

from __future__ import annotations

import argparse
import sys
import time
from types import TracebackType

from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.tasks.plans.plan_cache import PlanCache, cache_folder

QUIET_S = 0.5       # work that is done by then shows nothing
LONG = 1_000_000    # states times rewards for which planning takes seconds


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
        if not done or elapsed < QUIET_S or not sys.stderr.isatty():
            return
        left = elapsed / done * (total - done)
        print(f'\r\033[K{self._what}: {done} of {total}, about {left:.0f} s left',
              end='', file=sys.stderr, flush=True)
        self._shown = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._shown:
            print('\r\033[K', end='', file=sys.stderr, flush=True)


def add_task_arguments(parser: argparse.ArgumentParser, default: str = '') -> None:
    """Add the task file, which may have a default, and whether it may be a large one."""
    parser.add_argument('file', nargs='?' if default else None, default=default or None,
                        help='a task file, or the name of a shipped task'
                             + (' (default: %(default)s)' if default else ''))
    add_large_option(parser)


def add_large_option(parser: argparse.ArgumentParser) -> None:
    """Add whether a task may be a large one."""
    parser.add_argument('--large', action='store_true',
                        help='even if the task needs more than 2 GB or 5 s')


def add_cache_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that ``compile_with_progress`` is given."""
    parser.add_argument('--no-cache', dest='cache', action='store_false',
                        help='plan again, and keep no plan on disk')


def compile_with_progress(task: Task, *, cache: bool) -> Hypotheses:
    """
    Plan for all rewards of a task, showing how far it is.

    :param cache: use the plan that is kept from an earlier time, or keep this one.
    """
    count = task.rewards.num_rewards
    is_long = count * task.world.mdp.num_states > LONG
    with ProgressLine(f'planning for {count} rewards') as line:
        def show(done: int, total: int) -> None:
            if not done and is_long and not sys.stderr.isatty():
                print(f'planning for {count} rewards ...', file=sys.stderr, flush=True)
            line(done, total)
        return task.compile(show, PlanCache(cache_folder(), log=_warn) if cache else None)


def _warn(text: str) -> None:
    say(f'warning: {text}', file=sys.stderr)
