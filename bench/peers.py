"""
The other side of the comparison: runs in the Python of the peers, and imports nothing of ours.

Reads commands from standard input, one JSON object a line, and answers each with one:

    {"do": "versions"}                                        of the peers
    {"do": "open", "problem": "x.npz"}                        how each peer will solve it
    {"do": "time", "peer": "quantecon", "rewards": [0, 1]}    the seconds they take together
    {"do": "solve", "peer": ..., "rewards": ..., "into": "y.npz"}     values and policies, to check

Everything that is the same for all rewards of a problem is done before the clock starts: objects
are built once and only their reward is exchanged, compiled code has run before, and options that
matter are chosen for this problem, whichever is fastest.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata

import numpy as np
from hiive.mdptoolbox import mdp as toolbox
from quantecon.markov import DiscreteDP
from quantecon.markov.utilities import sa_indices
from scipy import sparse
from storm_peer import StormModel

# Both stop when the span of a step is below epsilon (1 - gamma) / gamma; then V, moved to the
# middle of its bounds, is off by at most epsilon / 2.
VALUE_ERROR = 1e-8
EPSILON = 2.0 * VALUE_ERROR
MAX_ROUNDS = 100_000       # of an iteration; hundreds are usual
DENSE_STATES = 5000         # up to here mdptoolbox' matrix of a policy, all states, has room
TRIALS, TRIAL_REWARDS = 2, 3    # by which options are chosen


class Problem:
    """What was written by bench/peer_process.py."""

    def __init__(self, path: str) -> None:
        with np.load(path) as arrays:
            self.transitions = _csr(arrays, 'transitions')
            self._weights = _csr(arrays, 'weights')
            self._features = _csr(arrays, 'features') if 'features_data' in arrays else None
            self.num_actions = int(arrays['num_actions'])
            self.discount = float(arrays['discount'])
            self._per_action = bool(arrays['per_action'])
        self.num_states = self.transitions.shape[1]
        self.num_rewards = self._weights.shape[0]

    def reward(self, index: int) -> np.ndarray:
        """Return one reward, ``[S * A]``."""
        row = self._weights[[index]]
        dense = (row if self._features is None else row @ self._features).toarray()[0]
        return dense if self._per_action else np.repeat(dense, self.num_actions)


class QuantEcon:
    """DiscreteDP with sparse state-action pairs, by modified policy iteration."""

    def __init__(self, problem: Problem) -> None:
        states, actions = sa_indices(problem.num_states, problem.num_actions)
        self._ddp = DiscreteDP(problem.reward(0), problem.transitions, problem.discount, states,
                               actions)
        self._steps = 20
        rewards = [problem.reward(index) for index in range(min(TRIAL_REWARDS,
                                                                problem.num_rewards))]
        self.solve(rewards[0])      # compiled, if it was not
        trials: dict[int, float] = {}
        for self._steps in (1, 2, 5, 10, 20, 40, 80) * TRIALS:  # of evaluation; 20: its default
            taken = timed(self.solve, rewards)
            trials[self._steps] = min(taken, trials.get(self._steps, taken))
        self._steps = min(trials, key=lambda steps: trials[steps])
        self.about = f'modified policy iteration, k = {self._steps}'

    def solve(self, reward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (V*, policy)."""
        self._ddp.R = reward
        result = self._ddp.solve(method='modified_policy_iteration', epsilon=EPSILON,
                                 max_iter=MAX_ROUNDS, k=self._steps)
        check_ended(result.num_iter)
        return result.v, result.sigma

    def timed(self, rewards: Iterable[np.ndarray]) -> float:
        """Return how long rewards take together [s]."""
        return timed(self.solve, rewards)

    def corrected(self, reward: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the values: they are in the middle of their bounds already."""
        return values


class MdpToolbox:
    """
    Value iteration or modified policy iteration, whichever is faster for the problem.

    Its policy iteration is left out: on half of the rewards tried in the puddle world, and on more
    in the trap world, it had not ended after 400 rounds.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        matrices = [sparse.csr_matrix(problem.transitions[action::problem.num_actions])
                    for action in range(problem.num_actions)]
        first = self._table(problem.reward(0))
        ways = {'value iteration': _ValueIteration(
            matrices, first, problem.discount, epsilon=EPSILON, skip_check=True,
            run_stat_frequency=MAX_ROUNDS)}
        if problem.num_states <= DENSE_STATES:
            ways.update({f'modified policy iteration, {steps} steps':
                         toolbox.PolicyIterationModified(
                             matrices, first, problem.discount, epsilon=EPSILON, max_iter=steps,
                             skip_check=True) for steps in (20, 50, 100)})
        rewards = [problem.reward(index) for index in range(min(TRIAL_REWARDS,
                                                                problem.num_rewards))]
        trials: dict[str, float] = {}
        for way in [*ways] * TRIALS:
            self._solver = ways[way]
            taken = timed(self.solve, rewards)
            trials[way] = min(taken, trials.get(way, taken))
        self.about = min(trials, key=lambda way: trials[way])
        self._solver = ways[self.about]

    def solve(self, reward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (V* up to a constant, policy)."""
        solver = self._solver
        solver.R = tuple(self._table(reward).T)
        # Where each of them starts when it is built.
        low = reward.min() / (1.0 - self._problem.discount)
        solver.V = np.full(solver.S, 0.0 if isinstance(solver, _ValueIteration) else low)
        solver.iter = 0
        solver.run()
        check_ended(solver.iter)
        return np.asarray(solver.V), np.asarray(solver.policy)

    def timed(self, rewards: Iterable[np.ndarray]) -> float:
        """Return how long rewards take together [s]."""
        return timed(self.solve, rewards)

    def corrected(self, reward: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the values moved to the middle of their bounds, which this peer does not do."""
        problem = self._problem
        following = problem.transitions @ values
        step = (reward + problem.discount * following).reshape(
            problem.num_states, problem.num_actions).max(axis=1)
        change = step - values
        middle = (change.min() + change.max()) / 2.0
        return step + middle * problem.discount / (1.0 - problem.discount)

    def _table(self, reward: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(
            reward.reshape(self._problem.num_states, self._problem.num_actions))


class Storm:
    """The sparse engine of the model checker Storm: see storm_peer.py."""

    def __init__(self, problem: Problem) -> None:
        trials = [problem.reward(index) for index in range(min(TRIAL_REWARDS,
                                                               problem.num_rewards))]
        self._model = StormModel(problem.transitions, problem.num_actions, problem.discount,
                                 VALUE_ERROR, trials)
        self.about = self._model.about

    def solve(self, reward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (V*, policy)."""
        return self._model.solve(reward)[:2]

    def timed(self, rewards: Iterable[np.ndarray]) -> float:
        """Return how long the checks of rewards take together [s], without making their models."""
        return sum(self._model.solve(reward)[2] for reward in rewards)

    def corrected(self, reward: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the values as they are."""
        return values


class _ValueIteration(toolbox.ValueIteration):
    """Without the bound on its iterations, which takes far longer to compute than to reach."""

    def _boundIter(self, epsilon: float) -> None:  # noqa: N802
        self.max_iter = MAX_ROUNDS


PEERS = {'quantecon': QuantEcon, 'mdptoolbox': MdpToolbox, 'storm': Storm}
PACKAGES = {'quantecon': 'quantecon', 'mdptoolbox': 'mdptoolbox-hiive', 'storm': 'stormpy',
            'numba': 'numba', 'numpy': 'numpy', 'scipy': 'scipy'}


def check_ended(rounds: int) -> None:
    """Raise if an iteration was broken off: its time would mean nothing."""
    if rounds >= MAX_ROUNDS:
        raise RuntimeError(f'not solved in {rounds} rounds')


def timed(solve: Callable[[np.ndarray], object], rewards: Iterable[np.ndarray]) -> float:
    """Return how long the rewards take together [s]; they are unpacked before the clock runs."""
    total = 0.0
    for reward in rewards:
        started = time.perf_counter()
        solve(reward)
        total += time.perf_counter() - started
    return total


def _csr(arrays: Mapping[str, np.ndarray], name: str) -> sparse.csr_matrix:
    return sparse.csr_matrix(tuple(arrays[f'{name}_{part}'] for part in
                                   ('data', 'indices', 'indptr')), tuple(arrays[f'{name}_shape']))


class QuestionBox:
    """Where commands arrive: each is a method, its fields are the arguments."""

    def __init__(self) -> None:
        self._problem: Problem | None = None
        self._peers: dict[str, QuantEcon | MdpToolbox | Storm] = {}

    def versions(self) -> dict[str, str]:
        """Return the versions of what is installed."""
        return {name: metadata.version(package) for name, package in PACKAGES.items()}

    def open(self, problem: str) -> dict[str, str]:
        """Read a problem; return how each peer will solve it."""
        self._problem = Problem(problem)
        self._peers = {name: make(self._problem) for name, make in PEERS.items()}
        return {name: peer.about for name, peer in self._peers.items()}

    def time(self, peer: str, rewards: list[int]) -> dict[str, float]:
        """Return the seconds that these rewards take together."""
        return {'seconds': self._peers[peer].timed(self._rewards(rewards))}

    def solve(self, peer: str, rewards: list[int], into: str) -> dict[str, str]:
        """Write values and policies to a file."""
        values, policies = [], []
        for reward in self._rewards(rewards):
            found, policy = self._peers[peer].solve(reward)
            values.append(self._peers[peer].corrected(reward, found))
            policies.append(policy)
        np.savez(into, values=values, policies=policies)
        return {'written': into}

    def _rewards(self, indices: list[int]) -> Iterator[np.ndarray]:
        assert self._problem is not None    # opened before
        return map(self._problem.reward, indices)


def main() -> int:
    """Answer commands until there are no more."""
    answers, sys.stdout = sys.stdout, sys.stderr    # whatever a library prints is no answer
    desk = QuestionBox()
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(desk, command.pop('do'))(**command)
        print(json.dumps(answer), file=answers, flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
