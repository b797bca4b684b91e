"""The planner with all it has, with one thread, and without its compiled kernel."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import os
from collections.abc import Iterator
from functools import partial

from bench.timing import seconds
from gbs_irl_ros.core import Mdp, Rewards
from gbs_irl_ros.core.planning import Solution, solve

THREADS, KERNEL = 'GBS_IRL_THREADS', 'GBS_IRL_KERNEL'
HAS_ARGUMENT = 'backend' in inspect.signature(solve).parameters
HAS_KERNEL = importlib.util.find_spec('gbs_irl_ros.core.kernel') is not None
HAS_CHOICE = HAS_ARGUMENT or HAS_KERNEL     # else all planning is in numpy


def kernel_used() -> str:
    """Return 'compiled' or 'none': what planning runs on."""
    if not HAS_KERNEL:
        return 'none'
    from gbs_irl_ros.core import kernel
    return 'none' if kernel.library() is None else 'compiled'


def solve_in_numpy(mdp: Mdp, rewards: Rewards) -> Solution:
    """Solve as on a machine without the compiled kernel."""
    if HAS_ARGUMENT:
        return solve(mdp, rewards, backend='numpy')     # type: ignore[call-arg]
    with _set(KERNEL, 'off'):
        return solve(mdp, rewards)


def seconds_with_one_thread(mdp: Mdp, rewards: Rewards) -> float:
    """Return how long planning takes that uses one core, as the peers do."""
    with _set(THREADS, '1'):
        return seconds(partial(solve, mdp, rewards))


@contextlib.contextmanager
def _set(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
