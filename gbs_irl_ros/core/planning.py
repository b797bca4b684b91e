"""
Optimal policies for many rewards of one MDP at once, with all optimal actions.

For every reward r_k the planner finds V*, the solution of

    V(x) = max_a Q(x, a),    Q(x, a) = r(x, a) + gamma sum_y P(y | x, a) V(y),

and the greedy sets A_k(x) = argmax_a Q_k(x, a) of the paper's section 2.2. Value iteration on a
block of rewards gives a first policy; policy iteration with exact evaluation finishes it. An
action is changed only where another one is better by more than a margin, so iteration cannot
cycle among ties (plain policy iteration does), and it stops when no action changes: then
Q(x, a) <= V(x) + margin(x) everywhere, the optimality equation up to that margin (Puterman 2005,
section 6.4).

Ties are judged relative to the size of a state's own values: two actions tie if their Q differ
by less than ``TIE_TOLERANCE`` times M(x) = max_a [|r(x, a)| + gamma sum_y P(y | x, a) m(y)], where
m is the value of |r| under the policy found. Far from a goal all values are tiny, and an absolute
tolerance would call everything optimal; M instead of |Q| keeps the scale where gains and losses
cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from gbs_irl_ros.core.errors import InvalidRewardsError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards

TIE_TOLERANCE = 1e-8        # relative, see above
SWITCH_MARGIN = 1e-11       # relative: far below the ties, far above the rounding of evaluation
MAX_ROUNDS = 10_000         # of policy iteration; tens are usual
BLOCK_ENTRIES = 4_000_000   # S * (rewards solved together)
DENSE_STATES = 128          # up to here a dense solver evaluates faster than a sparse one
CHECK_EVERY = 8             # sweeps of value iteration between two looks at the policy
SETTLED = 1e-3              # relative change of a value in a sweep that counts as none
STILL_MOVING = 0.05         # share of the rewards that may be left to policy iteration
ROUNDING = np.finfo(np.float64).eps

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """
    What planning found for H rewards.

    greedy_bits: ``[S, H]`` unsigned, bit a of entry (s, h) is set if a is optimal.
    values: ``[H, S]`` V*, or None if they were not asked for.
    num_rounds: ``[H]`` rounds of policy iteration.
    converged: ``[H]`` False where the rounds ran out.
    """

    greedy_bits: np.ndarray
    values: np.ndarray | None
    num_rounds: np.ndarray
    converged: np.ndarray


def solve(mdp: Mdp, rewards: Rewards, *, keep_values: bool = False,
          progress: Progress | None = None, max_rounds: int = MAX_ROUNDS) -> Solution:
    """
    Solve the MDP for every reward.

    :param keep_values: also return V* (8 bytes for each state and reward).
    :param progress: called with (rewards solved, rewards in all) now and then.
    :param max_rounds: give up on a reward after so many policies.
    """
    rewards.check_fits(mdp)
    num_states, num_rewards = mdp.num_states, rewards.num_rewards
    bits = np.empty((num_states, num_rewards), dtype=bits_dtype(mdp.num_actions))
    values = np.empty((num_rewards, num_states)) if keep_values else None
    num_rounds = np.empty(num_rewards, dtype=np.int64)
    converged = np.empty(num_rewards, dtype=bool)
    block = max(1, BLOCK_ENTRIES // num_states)
    for first in range(0, num_rewards, block):
        part = slice(first, min(first + block, num_rewards))
        problem = _Block(mdp, _by_state(rewards, part))
        problem.iterate_values()
        num_rounds[part], converged[part] = problem.iterate_policies(max_rounds)
        bits[:, part] = problem.greedy_bits(bits.dtype)
        if values is not None:
            values[part] = problem.values.T
        if progress is not None:
            progress(part.stop, num_rewards)
    return Solution(bits, values, num_rounds, converged)


def evaluate(mdp: Mdp, reward: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """
    Return V^pi, ``[S]``: the solution of V = r_pi + gamma P_pi V.

    :param reward: ``[S]`` or ``[S, A]``.
    :param policy: ``[S, A]``, rows sum to 1.
    """
    weights = np.asarray(policy, dtype=np.float64)
    shape = (mdp.num_states, mdp.num_actions)
    if weights.shape != shape:
        raise InvalidRewardsError(f'policy must have shape {shape}, got {weights.shape}')
    wrong = np.flatnonzero(~(np.isclose(weights.sum(axis=1), 1.0) & (weights >= 0.0).all(axis=1)))
    if len(wrong):
        raise InvalidRewardsError(
            'policy must give probabilities that sum to 1: those of state '
            f'{wrong[0]} are {weights[wrong[0]].tolist()}')
    reward = np.asarray(reward, dtype=np.float64)
    if reward.shape not in ((shape[0],), shape):
        raise InvalidRewardsError(f'reward must have shape (S,) or (S, A), got {reward.shape}')
    expected = reward if reward.ndim == 1 else (weights * reward).sum(axis=1)
    rows = sparse.csr_matrix(
        (weights.ravel(), np.arange(weights.size), np.arange(shape[0] + 1) * shape[1]),
        shape=(shape[0], weights.size))
    system = sparse.identity(shape[0]) - mdp.discount * (rows @ mdp.transitions)
    return np.asarray(splu(sparse.csc_matrix(system)).solve(expected))


def bits_dtype(num_actions: int) -> type[np.unsignedinteger]:
    """Return the smallest unsigned type with one bit per action."""
    return next(dtype for dtype in (np.uint8, np.uint16, np.uint32, np.uint64)
                if np.iinfo(dtype).bits >= num_actions)


def _by_state(rewards: Rewards, part: slice) -> np.ndarray:
    """Return the rewards as ``[A or 1, S, B]``, so that one action is one slab."""
    dense = rewards.dense(part)
    actions = rewards.num_actions if rewards.per_action else 1
    cube = dense.reshape(len(dense), rewards.num_states, actions)
    return np.ascontiguousarray(cube.transpose(2, 1, 0))


class _Block:
    """
    B rewards solved together.

    Arrays: ``rewards [A or 1, S, B]``, ``policy [S, B]``, ``values [S, B]`` and ``sizes [S, B]``,
    the value of |r| under the policy.
    """

    def __init__(self, mdp: Mdp, rewards: np.ndarray) -> None:
        self._mdp = mdp
        self._rewards = rewards
        self._matrices = None if mdp.successors is not None else [
            mdp.transitions[action::mdp.num_actions] for action in range(mdp.num_actions)]
        shape = rewards.shape[1:]
        self.policy: np.ndarray = np.zeros(shape, dtype=np.int64)
        self.values: np.ndarray = np.zeros(shape)
        self.sizes: np.ndarray = np.zeros(shape)

    def iterate_values(self) -> None:
        """
        Sweep until the values of most rewards have settled to a few digits in every state.

        Only a start for policy iteration, so no bound is needed; but every reward must have
        spread as far as it can, because policy iteration spreads it by one state a round.
        """
        for sweep in range(4 * self._mdp.num_states + 1):
            before = self.values
            sweeps = self._action_values(self._rewards, before, slice(None))
            self.values = next(sweeps)[1]
            for _, q in sweeps:
                np.maximum(self.values, q, out=self.values)
            if sweep % CHECK_EVERY == 0 and self._settled(before):
                break
        self.policy = self._improve(self.values, slice(None))[1]

    def _settled(self, before: np.ndarray) -> bool:
        """Tell whether another sweep is worth less than a round of policy iteration."""
        if self._matrices is None:      # paths are evaluated so fast that spreading is enough
            moving = (self.values != 0.0) != (before != 0.0)
        else:
            moving = np.abs(self.values - before) > SETTLED * np.abs(self.values)
        return bool(moving.any(axis=0).mean() <= STILL_MOVING)

    def iterate_policies(self, max_rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """Improve until no action changes; return ``[B]`` rounds and whether they sufficed."""
        count = self.policy.shape[1]
        rounds = np.zeros(count, dtype=np.int64)
        active = np.arange(count)
        while len(active) and rounds[active[0]] < max_rounds:
            rounds[active] += 1
            values, sizes = self._evaluate(active)
            self.values[:, active], self.sizes[:, active] = values, sizes
            margin = SWITCH_MARGIN * self._scale(sizes, active)
            _, action = self._improve(values, active, margin, self.policy[:, active])
            changed = action != self.policy[:, active]
            self.policy[:, active] = action
            active = active[changed.any(axis=0)]
        converged = np.ones(count, dtype=bool)
        converged[active] = False
        return rounds, converged

    def greedy_bits(self, dtype: np.dtype) -> np.ndarray:
        """Return ``[S, B]``: a bit for every action that ties with the best."""
        everything = slice(None)
        best, _ = self._improve(self.values, everything)
        threshold = best - TIE_TOLERANCE * self._scale(self.sizes, everything)
        bits = np.zeros(best.shape, dtype=dtype)
        for action, q in self._action_values(self._rewards, self.values, everything):
            bits |= (q >= threshold).astype(dtype) << dtype.type(action)
        return bits

    def _action_values(self, rewards: np.ndarray, values: np.ndarray,
                       columns: slice | np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Yield (a, r(., a) + gamma P_a V) for each action, one ``[S, B]`` at a time."""
        for action in range(self._mdp.num_actions):
            reward = rewards[action if len(rewards) > 1 else 0][:, columns]
            if self._matrices is None:
                expected = values[self._mdp.successors[:, action]]  # type: ignore[index]
            else:
                expected = self._matrices[action] @ values
            yield action, reward + self._mdp.discount * expected

    def _improve(self, values: np.ndarray, columns: slice | np.ndarray,
                 margin: np.ndarray | float = 0.0,
                 current: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the best Q and its action; the current one stays unless beaten by the margin."""
        best = np.full(values.shape, -np.inf) if current is None else values + margin
        chosen = np.zeros(values.shape, dtype=np.int64) if current is None else current.copy()
        for action, q in self._action_values(self._rewards, values, columns):
            better = q > best
            np.copyto(best, q, where=better)
            np.copyto(chosen, action, where=better)
        return best, chosen

    def _scale(self, sizes: np.ndarray, columns: slice | np.ndarray) -> np.ndarray:
        """Return M(x), ``[S, B]``: see the module's docstring."""
        scale = np.zeros(sizes.shape)
        for action in range(self._mdp.num_actions):
            reward = np.abs(self._rewards[action if len(self._rewards) > 1 else 0][:, columns])
            if self._matrices is None:
                expected = sizes[self._mdp.successors[:, action]]  # type: ignore[index]
            else:
                expected = self._matrices[action] @ sizes
            np.maximum(scale, reward + self._mdp.discount * expected, out=scale)
        return scale

    def _evaluate(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of r and of |r| under the policies of these columns: ``[S, b]``."""
        policy = self.policy[:, columns]
        states = np.arange(len(policy))[:, np.newaxis]
        reward = self._rewards[policy if len(self._rewards) > 1 else 0, states, columns]
        if self._mdp.successors is not None:
            follows = self._mdp.successors[states, policy]
            return _evaluate_paths(follows, reward, self._mdp.discount)
        values, sizes = np.empty(policy.shape), np.empty(policy.shape)
        solver = _solve_dense if len(policy) <= DENSE_STATES else _solve_sparse
        for column in range(policy.shape[1]):
            chain = self._mdp.transitions[states[:, 0] * self._mdp.num_actions + policy[:, column]]
            both = np.stack([reward[:, column], np.abs(reward[:, column])], axis=1)
            values[:, column], sizes[:, column] = solver(chain, self._mdp.discount, both).T
        return values, sizes


def _evaluate_paths(follows: np.ndarray, reward: np.ndarray,
                    discount: float) -> tuple[np.ndarray, np.ndarray]:
    """
    Evaluate deterministic policies by pointer doubling: exact, in log2(steps) passes.

    After k passes ``values`` holds the first 2^k rewards of every path. Stops when what is left
    is below rounding in every state, relative to that state's own sum of |r|.

    :param follows: ``[S, b]``, the next state.
    """
    values, sizes, factor = reward.copy(), np.abs(reward), discount
    while True:
        rest = factor * np.take_along_axis(sizes, follows, axis=0)
        if np.all(rest <= ROUNDING * sizes):
            return values, sizes
        values = values + factor * np.take_along_axis(values, follows, axis=0)
        sizes = sizes + rest
        follows = np.take_along_axis(follows, follows, axis=0)
        factor *= factor


def _solve_dense(chain: sparse.csr_matrix, discount: float, right: np.ndarray) -> np.ndarray:
    return np.linalg.solve(np.identity(len(right)) - discount * chain.toarray(), right)


def _solve_sparse(chain: sparse.csr_matrix, discount: float, right: np.ndarray) -> np.ndarray:
    # An M-matrix needs no pivoting; without it small values keep their relative accuracy.
    system = sparse.csc_matrix(sparse.identity(len(right)) - discount * chain)
    factors = splu(system, diag_pivot_thresh=0.0, options={'SymmetricMode': True})
    return np.asarray(factors.solve(right))
