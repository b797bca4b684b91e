"""The planner with all it has, with one thread, and without its compiled kernel."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import partial

from bench.timing import seconds
from gbs_irl_ros.core import Mdp, Rewards
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.planning.solver import Solution, solve


def kernel_used() -> str:
    """Return 'compiled' or 'none': what planning runs on."""
    return 'none' if kernel.library() is None else 'compiled'


def solve_in_numpy(mdp: Mdp, rewards: Rewards) -> Solution:
    """Solve as on a machine without the compiled kernel."""
    with _set(kernel.VARIABLE, 'off'):
        return solve(mdp, rewards)


def seconds_with_one_thread(mdp: Mdp, rewards: Rewards) -> float:
    """Return how long planning takes that uses one core, as the peers do."""
    with _set(kernel.THREADS, '1'):
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
