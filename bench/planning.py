"""
Planning against its peers: `tools/ros-env python bench/planning.py`.

Ours, the same without the compiled kernel, QuantEcon, mdptoolbox-hiive and Storm solve the same
MDPs for the same rewards, in turns. Then the greedy sets are compared with an exact solver's, and
the policies and values of the peers with ours.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bench.alone import run_alone
from bench.backends import seconds_with_one_thread, solve_in_numpy
from bench.exact import exact_solution
from bench.peer_process import PeerProcess
from bench.problems import NUM_REWARDS, PlanningProblem, planning_problem, spread
from bench.results import Figures
from bench.session import Effort, Session
from bench.timing import interleaved, seconds
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import solve

NAME = 'planning'
ABOUT_S = {Effort.TINY: 5, Effort.QUICK: 60, Effort.FULL: 330}
PROBLEMS = ('puddle_world', 'trap_world', 'driver', 'driver_sparse')
LARGE = 10_000              # states: from here on what takes long is done for a sample
NUMPY_SAMPLE, EXACT_SAMPLE, STORM_SAMPLE = 100, 25, 50
PEERS = ('quantecon', 'mdptoolbox', 'storm')
OURS, ONE_THREAD, NUMPY = 'ours', 'ours, one thread', 'numpy'
PEER_TOLERANCE = 1e-7       # actions this close in value are the same to a peer: see peers.py


def measure(session: Session) -> Figures:
    """Measure every problem."""
    figures: Figures = {}
    names = session.pick(PROBLEMS[:2], PROBLEMS, PROBLEMS)
    with tempfile.TemporaryDirectory() as folder, _peers(session, Path(folder)) as peers:
        if peers is not None:
            session.step('planning: starting the peers', 10)
            figures.update({f'planning.versions.{name}': version
                            for name, version in peers.versions().items()})
        for name in names:
            session.step(f'planning {name}: making it')
            problem = planning_problem(name).some(session.pick(4, 50, NUM_REWARDS))
            found = _measured(session, problem, peers)
            figures.update({f'planning.{name}.{key}': value for key, value in found.items()})
    return figures


@contextlib.contextmanager
def _peers(session: Session, folder: Path) -> Iterator[PeerProcess | None]:
    if session.peers is None:
        yield None
        return
    with PeerProcess(session.peers, folder) as peers:
        yield peers


def _measured(session: Session, problem: PlanningProblem, peers: PeerProcess | None) -> Figures:
    title, count = f'planning {problem.name}', problem.rewards.num_rewards
    figures: Figures = {'rewards': count, 'about': problem.about,
                        'states': problem.mdp.num_states, 'actions': problem.mdp.num_actions}
    others: dict[str, Callable[[], float]] = {
        ONE_THREAD: partial(seconds_with_one_thread, problem.mdp, problem.rewards)}
    part = problem.some(_sample_size(problem, NUMPY_SAMPLE))
    figures['numpy_sample'] = part.rewards.num_rewards
    others[NUMPY] = lambda: (seconds(partial(solve_in_numpy, part.mdp, part.rewards))
                             * count / part.rewards.num_rewards)
    if peers is not None:
        session.step(f'{title}: choosing the options of the peers')
        figures.update({f'{name}_about': text for name, text in peers.open(problem).items()})
        sample = spread(count, session.pick(2, 5, 20))
        figures['mdptoolbox_sample'] = len(sample)
        others['quantecon'] = partial(peers.seconds, 'quantecon', range(count))
        others['mdptoolbox'] = lambda: (
            peers.seconds('mdptoolbox', sample) * count / len(sample))
        checked = spread(count, _sample_size(problem, STORM_SAMPLE))
        figures['storm_sample'] = len(checked)
        others['storm'] = lambda: peers.seconds('storm', checked) * count / len(checked)
    ours = (OURS, partial(seconds, partial(solve, problem.mdp, problem.rewards)))
    ours[1]()       # once outside the clock: libraries are loaded, memory is mapped
    times = interleaved(session, title, ours, others, rounds=session.pick(1, 1, 3))
    updates = solve(problem.mdp, problem.rewards).num_updates.sum()
    figures['updates_per_reward'] = float(updates) / count
    figures['entries_per_state'] = problem.mdp.transitions.nnz / problem.mdp.num_states
    return {**figures, **_ratios(times), **_checked(session, problem, peers)}


def _sample_size(problem: PlanningProblem, of_large_ones: int) -> int:
    """Return for how many rewards to do what takes long where there are many states."""
    return of_large_ones if problem.mdp.num_states >= LARGE else problem.rewards.num_rewards


def _ratios(times: dict[str, float]) -> Figures:
    figures = {'seconds': times[OURS], 'one_thread_seconds': times[ONE_THREAD]}
    for name in (NUMPY, *PEERS):
        if name in times:
            figures[f'{name}_seconds'] = times[name]
            figures[f'ratio_{name}'] = times[name] / times[OURS]
            figures[f'one_thread_ratio_{name}'] = times[name] / times[ONE_THREAD]
    return figures


# ---- is it right? -------------------------------------------------------------------------------

def _checked(session: Session, problem: PlanningProblem, peers: PeerProcess | None) -> Figures:
    """Return how many greedy sets differ from the exact ones, and how far the peers agree."""
    mdp, checked = problem.mdp, problem.some(_sample_size(problem, EXACT_SAMPLE))
    count = checked.rewards.num_rewards
    session.step(f'planning {problem.name}: solving exactly for {count} rewards')
    bits = solve(mdp, checked.rewards).greedy_bits
    exact = [_exact(checked, bits, index) for index in range(count)]
    differing = sum(int((_allowed(mdp.num_actions, bits, index) != optimal).any(axis=1).sum())
                    for index, (optimal, _, _) in enumerate(exact))
    figures: Figures = {'checked_sets': bits.size, 'differing_sets': differing}
    session.step(f'planning {problem.name}: comparing with the path without the kernel')
    part = problem.some(_sample_size(problem, NUMPY_SAMPLE))
    plain = solve_in_numpy(mdp, part.rewards).greedy_bits
    figures['differing_sets_numpy'] = int((solve(mdp, part.rewards).greedy_bits != plain).sum())
    if peers is not None:
        for peer in PEERS:
            figures.update(_compared(session, problem, peers, peer))
    return figures


def _exact(problem: PlanningProblem, bits: np.ndarray,
           index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mdp, rewards = problem.mdp, problem.rewards
    reward = rewards.one(index).reshape(mdp.num_states, -1)
    start = _allowed(mdp.num_actions, bits, index).argmax(axis=1)
    return exact_solution(mdp, np.broadcast_to(reward, (mdp.num_states, mdp.num_actions)), start)


def _allowed(num_actions: int, bits: np.ndarray, index: int) -> np.ndarray:
    """Return ``[S, A]``, which actions the greedy sets of one reward hold."""
    return unpack(bits[:, index], num_actions)


def _compared(session: Session, problem: PlanningProblem, peers: PeerProcess,
              peer: str) -> Figures:
    """Return how far a peer's policies and values are from ours, for a sample of the rewards."""
    sample = spread(problem.rewards.num_rewards, session.pick(2, 5, 25))
    session.step(f'planning {problem.name}: comparing with {peer}')
    values, policies = peers.solutions(peer, sample)
    part = problem.some(len(sample))
    ours = solve(part.mdp, part.rewards, keep_values=True)
    assert ours.values is not None
    states, outside, worse = np.arange(part.mdp.num_states), 0, 0
    for index, policy in enumerate(policies):
        inside = _allowed(part.mdp.num_actions, ours.greedy_bits, index)[states, policy]
        _, best, quality = _exact(part, ours.greedy_bits, index)
        loses = best - quality[states, policy] > PEER_TOLERANCE
        outside += int((~inside).sum())
        worse += int((~inside & loses).sum())
    return {f'{peer}_checked_actions': policies.size, f'{peer}_actions_outside': outside,
            f'{peer}_actions_worse': worse,
            f'{peer}_value_difference': float(np.abs(values - ours.values).max())}


if __name__ == '__main__':
    sys.exit(run_alone(measure, needs_peers=True))
