"""
Planning in numpy and scipy alone: policy iteration with exact evaluation, in blocks of rewards.

Value iteration on a block of rewards gives a first policy; policy iteration finishes it. An action
is changed only where another one is better by more than a margin, so iteration cannot cycle among
ties (plain policy iteration does), and it stops when no action changes: then
Q(x, a) <= V(x) + margin(x) everywhere, the optimality equation up to that margin (Puterman 2005,
section 6.4).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards

SWITCH_MARGIN = 1e-11       # relative: far below the ties, far above the rounding of evaluation
BLOCK_ENTRIES = 4_000_000   # S * (rewards solved together)
CHECK_EVERY = 8             # sweeps of value iteration between two looks at the policy
MAX_SWEEPS = 1_000         # farther than this a reward is spread by a search, not by sweeps
SETTLED = 1e-3              # relative change of a value in a sweep that counts as none
STILL_MOVING = 0.05         # share of the rewards that may be left to policy iteration
LOOK_AHEAD_AFTER = 10       # rounds of policy iteration that are usually enough
MAX_STEPS_AHEAD = 1_024
VANISHING = 1e-280          # of the largest |r|: below, doubles lose their digits
ROUNDING = np.finfo(np.float64).eps


class RewardBlock:
    """
    B rewards solved together, each scaled by a power of two to a largest entry of about 1.

    Arrays: ``rewards [A or 1, S, B]``, ``policy [S, B]``, ``values [S, B]`` and ``sizes [S, B]``,
    the value of |r| under the policy.
    """

    def __init__(self, mdp: Mdp, rewards: Rewards, part: slice | np.ndarray) -> None:
        self._mdp = mdp
        self._rewards, self._units = _scaled(_by_state(rewards, part))
        self._matrices = None if mdp.successors is not None else [
            mdp.transitions[action::mdp.num_actions] for action in range(mdp.num_actions)]
        shape = self._rewards.shape[1:]
        self.policy: np.ndarray = np.zeros(shape, dtype=np.int64)
        self.values: np.ndarray = np.zeros(shape)
        self.sizes: np.ndarray = np.zeros(shape)

    def iterate_values(self) -> None:
        """
        Sweep until the values of most rewards have settled to a few digits in every state.

        Only a start for policy iteration, so no bound is needed; but every reward must have
        spread as far as it can, because policy iteration spreads it by one state a round.
        """
        for sweep in range(min(4 * self._mdp.num_states + 1, MAX_SWEEPS)):
            before = self.values
            sweeps = self._action_values(self._rewards, before, slice(None))
            self.values = next(sweeps)[1]
            for _, q in sweeps:
                np.maximum(self.values, q, out=self.values)
            if sweep % CHECK_EVERY == 0 and self._settled(before):
                break
        self._choose_first_policy()

    def evaluated(self, values: np.ndarray) -> np.ndarray:
        """Return V and m ``[S, 2]`` of the policy that is greedy for the values ``[1, S]``."""
        self.values = np.ascontiguousarray(values.T) / self._units
        self._choose_first_policy()
        found, sizes = self._evaluate(np.arange(1))
        return np.concatenate([found, sizes], axis=1) * self._units

    def optimal_values(self) -> np.ndarray:
        """Return V* ``[B, S]``."""
        return (self.values * self._units).T

    def _choose_first_policy(self) -> None:
        self.policy = self._improve(self.values, slice(None))[1]
        for column in np.flatnonzero((self.values == 0.0).any(axis=0)):
            self._head_for_rewards(int(column))

    def _head_for_rewards(self, column: int) -> None:
        """Where no reward has arrived yet, go the shortest way to one that pays."""
        from scipy.sparse.csgraph import dijkstra  # slow to import, and not always needed
        pays = np.flatnonzero((self._rewards[:, :, column] > 0.0).any(axis=0))
        lost = self.values[:, column] == 0.0
        if not len(pays) or lost.all():
            return
        actions = self._mdp.num_actions
        state_of_row = np.arange(self._mdp.num_states * actions) // actions
        edges = self._mdp.transitions.tocoo()
        backwards = sparse.csr_matrix(
            (np.ones(edges.nnz), (edges.col, state_of_row[edges.row])),
            shape=(self._mdp.num_states, self._mdp.num_states))
        steps = dijkstra(backwards, unweighted=True, indices=pays, min_only=True)
        nearest = np.minimum.reduceat(steps[edges.col], self._mdp.transitions.indptr[:-1])
        shortest = nearest.reshape(-1, actions).argmin(axis=1)
        self.policy[lost, column] = shortest[lost]

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
            policy = self.policy[:, active]
            _, better = self._improve(values, active, values + margin, policy)
            changed = (better != policy).any(axis=0)
            self.policy[:, active[changed]] = better[:, changed]
            active = active[changed]
            if len(active) and rounds[active[0]] > LOOK_AHEAD_AFTER:
                steps = min(2 ** (int(rounds[active[0]]) - LOOK_AHEAD_AFTER), MAX_STEPS_AHEAD)
                self._look_ahead(active, margin[:, changed], steps)
        converged = np.ones(count, dtype=bool)
        converged[active] = False
        return rounds, converged

    def _look_ahead(self, active: np.ndarray, margin: np.ndarray, steps: int) -> None:
        """
        Improve by what would be best for a few steps, with the policy from there on.

        One step moves the border between the catchments of two rewards by one state a round.
        """
        values = self.values[:, active]
        for _ in range(steps):
            values, _ = self._improve(values, active)
        policy = self.policy[:, active]
        current = np.empty(values.shape)
        for action, q in self._action_values(self._rewards, values, active):
            np.copyto(current, q, where=policy == action)
        self.policy[:, active] = self._improve(values, active, current + margin, policy)[1]

    def greedy_bits(self, dtype: np.dtype, tie_tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        """
        Return ``[S, B]``, a bit for every action that ties with the best, and ``[B]``.

        The latter is a state at which values are too small to be compared, or -1.
        """
        everything = slice(None)
        best, _ = self._improve(self.values, everything)
        scale = self._scale(self.sizes, everything)
        threshold = best - tie_tolerance * scale
        bits = np.zeros(best.shape, dtype=dtype)
        for action, q in self._action_values(self._rewards, self.values, everything):
            bits |= (q >= threshold).astype(dtype) << dtype.type(action)
        vanishing = (scale > 0.0) & (scale < VANISHING)
        return bits, np.where(vanishing.any(axis=0), vanishing.argmax(axis=0), -1)

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
                 to_beat: np.ndarray | None = None,
                 current: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the best Q and its action; the current one stays unless its Q is beaten."""
        best = np.full(values.shape, -np.inf) if to_beat is None else to_beat
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
        for column in range(policy.shape[1]):
            chain = self._mdp.transitions[states[:, 0] * self._mdp.num_actions + policy[:, column]]
            both = np.stack([reward[:, column], np.abs(reward[:, column])], axis=1)
            values[:, column], sizes[:, column] = solve_chain(
                chain, self._mdp.discount, both).T
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


def solve_chain(chain: sparse.csr_matrix, discount: float, right: np.ndarray) -> np.ndarray:
    """Return the solution of V = right + discount chain V."""
    # An M-matrix needs no pivoting. Without it small values keep their relative accuracy, and what
    # no reward reaches is exactly 0: a dense solver would leave rounding there, and compare it.
    from scipy.sparse.linalg import splu  # slow to import, and not always needed
    system = sparse.csc_matrix(sparse.identity(len(right)) - discount * chain)
    factors = splu(system, diag_pivot_thresh=0.0, options={'SymmetricMode': True})
    return np.asarray(factors.solve(right))


def _by_state(rewards: Rewards, part: slice | np.ndarray) -> np.ndarray:
    """Return the rewards as ``[A or 1, S, B]``, so that one action is one slab."""
    dense = rewards.dense(part)
    actions = rewards.num_actions if rewards.per_action else 1
    cube = dense.reshape(len(dense), rewards.num_states, actions)
    return np.ascontiguousarray(cube.transpose(2, 1, 0))


def _scaled(rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rewards divided by powers of two, and these ``[B]``: exact either way."""
    largest = np.abs(rewards).max(axis=(0, 1))
    units = np.where(largest > 0.0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)
    return rewards / units, units
