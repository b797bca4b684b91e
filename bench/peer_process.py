"""The peers at work in a process of their own: see peers.py."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from scipy import sparse

from bench.problems import PlanningProblem

SCRIPT = Path(__file__).with_name('peers.py')


class PeerError(RuntimeError):
    """The peers' process ended when it should not have."""


class PeerProcess:
    """
    The peers, with one problem open at a time.

    folder: a temporary one, for problems and solutions.
    """

    def __init__(self, python: Path, folder: Path) -> None:
        self._folder = folder
        self._complaints = folder / 'peers.log'
        with self._complaints.open('w') as complaints:
            self._process = subprocess.Popen(
                [python, '-W', 'ignore', SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=complaints, text=True, env=_environment())

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is not None:
            self._process.kill()
        with self._process:     # no more commands: it ends by itself
            pass

    def versions(self) -> dict[str, str]:
        """Return the versions of the peers, and of what they compute with."""
        return self._command(do='versions')

    def open(self, problem: PlanningProblem) -> dict[str, str]:
        """Hand over a problem; return how each peer solves it."""
        path = self._folder / 'problem.npz'
        mdp, rewards = problem.mdp, problem.rewards
        parts = {**_parts('transitions', mdp.transitions), **_parts('weights', rewards.weights)}
        if rewards.features is not None:
            parts.update(_parts('features', rewards.features))
        np.savez(path, num_actions=mdp.num_actions, discount=mdp.discount,
                 per_action=rewards.per_action, **parts)
        return self._command(do='open', problem=str(path))

    def seconds(self, peer: str, rewards: Iterable[int]) -> float:
        """Return how long a peer takes for these rewards together."""
        return float(self._command(do='time', peer=peer, rewards=_numbers(rewards))['seconds'])

    def solutions(self, peer: str, rewards: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return what a peer finds: (values ``[B, S]``, policies ``[B, S]``)."""
        path = self._folder / 'solutions.npz'
        self._command(do='solve', peer=peer, rewards=_numbers(rewards), into=str(path))
        with np.load(path) as found:
            return found['values'], found['policies']

    def _command(self, **command: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(command) + '\n')
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ''
        if not answer:
            said = self._complaints.read_text().strip().splitlines() or ['it said nothing']
            raise PeerError(f'the process of the peers ended: {said[-1]}')
        return dict(json.loads(answer))


def _parts(name: str, matrix: sparse.csr_matrix) -> dict[str, np.ndarray]:
    return {f'{name}_data': matrix.data, f'{name}_indices': matrix.indices,
            f'{name}_indptr': matrix.indptr, f'{name}_shape': np.array(matrix.shape)}


def _numbers(rewards: Iterable[int]) -> list[int]:
    return [int(reward) for reward in rewards]


def _environment() -> dict[str, str]:
    """Return an environment in which nothing of ours can be imported."""
    return {name: value for name, value in os.environ.items()
            if name not in ('PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV')}
