"""
Optimal policies for many rewards of one MDP at once, with all optimal actions.

For every reward r_k the planner finds V*, the solution of

    V(x) = max_a Q(x, a),    Q(x, a) = r(x, a) + gamma sum_y P(y | x, a) V(y),

and the greedy sets A_k(x) = argmax_a Q_k(x, a) of the paper's section 2.2, in one of three ways:
counting steps where every reward is one goal of a deterministic world (``goal_search``), sweeps by
the compiled kernel (``kernel_planner``), and policy iteration in numpy and scipy
(``policy_iteration``) where there is no kernel, or where its sweeps converge too slowly.

Ties are judged relative to the size of a state's own values: two actions tie if their Q differ
by less than ``TIE_TOLERANCE`` times M(x) = max_a [|r(x, a)| + gamma sum_y P(y | x, a) m(y)], where
m is the value of |r| under the policy found. Far from a goal all values are tiny, and an absolute
tolerance would call everything optimal; M instead of |Q| keeps the scale where gains and losses
cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidPolicyError, InvalidRewardsError, VanishingValuesError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import goal_search, kernel, kernel_planner, policy_iteration
from gbs_irl_ros.core.planning.goal_search import GoalSearch, single_goals
from gbs_irl_ros.core.planning.kernel_planner import KernelPlanner, Outcome
from gbs_irl_ros.core.planning.never import Never, restricted, ways_around
from gbs_irl_ros.core.planning.policy_iteration import RewardBlock
from gbs_irl_ros.core.rewards import Rewards

TIE_TOLERANCE = 1e-8        # relative, see above
MAX_ROUNDS = 10_000         # of policy iteration; tens are usual
UPDATES_PER_PART = 200_000  # states times rewards that the kernel gets at once, sweeps not counted
PARTS_PER_THREAD = 4        # at least, so that none waits long for the others

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """
    What planning found for H rewards.

    greedy_bits: ``[S, H]`` unsigned, bit a of entry (s, h) is set if a is optimal.
    values: ``[H, S]`` V*, or None if they were not asked for.
    num_updates: ``[H]`` how many states the kernel updated, each as often as it did.
    num_rounds: ``[H]`` rounds of policy iteration.
    converged: ``[H]`` False where the rounds ran out.
    """

    greedy_bits: np.ndarray
    values: np.ndarray | None
    num_updates: np.ndarray
    num_rounds: np.ndarray
    converged: np.ndarray

    def __repr__(self) -> str:
        states, rewards = self.greedy_bits.shape
        return f'Solution({states} states, {rewards} rewards, {self.converged.sum()} converged)'


def solve(mdp: Mdp, rewards: Rewards, *, keep_values: bool = False,
          progress: Progress | None = None, max_rounds: int = MAX_ROUNDS,
          initial: np.ndarray | None = None, allow_vanishing: bool = False,
          never: Never | None = None) -> Solution:
    """
    Solve the MDP for every reward.

    :param keep_values: also return V* (8 bytes for each state and reward).
    :param progress: called with (rewards solved, rewards in all) now and then.
    :param max_rounds: of policy iteration, after which a reward is given up.
    :param initial: ``[S]``, values near those of all rewards: the kernel starts from them.
    :param allow_vanishing: do not refuse values that are too small to compare actions; for
        callers who do not need greedy sets.
    :param never: states to be avoided before all else: see ``never``. Values are then those of
        the best policy that does, and of rewards elsewhere.
    """
    rewards.check_fits(mdp)
    if initial is not None:
        initial = _checked_values(mdp, initial)
    count = rewards.num_rewards
    solution = _new_solution(mdp, count, keep_values)
    say = progress or (lambda done, total: None)
    vanished = _fill(mdp, rewards, initial, solution, say, max_rounds) if never is None \
        else _fill_around(mdp, rewards, never, initial, solution, say, max_rounds)
    where = np.flatnonzero(vanished >= 0)
    if len(where) and not allow_vanishing:
        raise VanishingValuesError(
            f'the values of reward {where[0]} vanish at state {vanished[where[0]]}: it is '
            f'so far from every entry that discount {mdp.discount:g} leaves less than '
            f'{policy_iteration.VANISHING:g} of them, too little to compare actions; use a '
            'discount nearer to 1, or a smaller world')
    return solution


def evaluate(mdp: Mdp, reward: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """
    Return V^pi, ``[S]``: the solution of V = r_pi + gamma P_pi V.

    :param reward: ``[S]`` or ``[S, A]``.
    :param policy: ``[S, A]``, rows sum to 1.
    """
    from scipy.sparse.linalg import splu  # slow to import, and not always needed
    weights = np.asarray(policy, dtype=np.float64)
    shape = (mdp.num_states, mdp.num_actions)
    if weights.shape != shape:
        raise InvalidPolicyError(f'policy must have shape {shape}, got {weights.shape}')
    wrong = np.flatnonzero(~(np.isclose(weights.sum(axis=1), 1.0) & (weights >= 0.0).all(axis=1)))
    if len(wrong):
        raise InvalidPolicyError(
            'policy must give probabilities that sum to 1: those of state '
            f'{wrong[0]} are {weights[wrong[0]].tolist()}')
    reward = np.asarray(reward, dtype=np.float64)
    if reward.shape not in ((shape[0],), shape):
        raise InvalidRewardsError(f'reward must have shape (S,) or (S, A), got {reward.shape}')
    expected = reward if reward.ndim == 1 else (weights * reward).sum(axis=1)
    return np.asarray(splu(policy_system(mdp, weights)).solve(expected))


def policy_system(mdp: Mdp, policy: np.ndarray) -> sparse.csc_matrix:
    """Return I - gamma P_pi, ``[S, S]``, for a policy ``[S, A]``."""
    size = mdp.num_states
    rows = sparse.csr_matrix((policy.ravel(), np.arange(policy.size),
                              np.arange(size + 1) * mdp.num_actions), shape=(size, policy.size))
    return sparse.csc_matrix(sparse.identity(size) - mdp.discount * (rows @ mdp.transitions))


def bits_dtype(num_actions: int) -> type[np.unsignedinteger]:
    """Return the smallest unsigned type with one bit per action."""
    return next(dtype for dtype in (np.uint8, np.uint16, np.uint32, np.uint64)
                if np.iinfo(dtype).bits >= num_actions)


def _bits(holds: np.ndarray) -> np.ndarray:
    """Return ``[S]``, a bit for each action that ``[S, A]`` holds."""
    dtype = bits_dtype(holds.shape[1])
    words = dtype(1) << np.arange(holds.shape[1], dtype=dtype)
    return np.where(holds, words, 0).sum(axis=1, dtype=dtype)


def _new_solution(mdp: Mdp, count: int, keep_values: bool) -> Solution:
    return Solution(
        np.empty((mdp.num_states, count), dtype=bits_dtype(mdp.num_actions)),
        np.empty((count, mdp.num_states)) if keep_values else None,
        np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64),
        np.ones(count, dtype=bool))


def _fill(mdp: Mdp, rewards: Rewards, initial: np.ndarray | None, solution: Solution,
          say: Progress, max_rounds: int) -> np.ndarray:
    """Solve all rewards; return where the values of each vanish, or -1: ``[H]``."""
    count, goals = rewards.num_rewards, single_goals(mdp, rewards)
    vanished = np.full(count, -1)
    if goals is not None:
        _count_steps(mdp, rewards, goals, solution, say)
    elif kernel.library() is not None:
        vanished = _sweep(mdp, rewards, initial, solution, say, max_rounds)
    else:
        block = max(1, policy_iteration.BLOCK_ENTRIES // mdp.num_states)
        for first in range(0, count, block):
            part = np.arange(first, min(first + block, count))
            vanished[part] = _iterate_policies(mdp, rewards, part, solution, max_rounds)
            say(part[-1] + 1, count)
    return vanished


def _fill_around(mdp: Mdp, rewards: Rewards, never: Never, initial: np.ndarray | None,
                 solution: Solution, say: Progress, max_rounds: int) -> np.ndarray:
    """Solve rewards among the actions that avoid what each of them must never enter."""
    never.check_fits(rewards)
    vanished, done = np.full(rewards.num_rewards, -1), 0
    for tasks, forbidden, goals in never.groups():
        allowed = np.ones((mdp.num_states, mdp.num_actions), dtype=bool)
        if len(forbidden):
            allowed = ways_around(mdp, forbidden, goals).allowed
        part = _new_solution(mdp, len(tasks), solution.values is not None)
        vanished[tasks] = _fill(*restricted(mdp, rewards.rows(tasks), forbidden, allowed), initial,
                                part, lambda _, __: None, max_rounds)
        solution.greedy_bits[:, tasks] = part.greedy_bits & _bits(allowed)[:, np.newaxis]
        if solution.values is not None:
            solution.values[tasks] = part.values
        for name in ('num_updates', 'num_rounds', 'converged'):
            getattr(solution, name)[tasks] = getattr(part, name)
        done += len(tasks)
        say(done, rewards.num_rewards)
    return vanished


def _count_steps(mdp: Mdp, rewards: Rewards, goals: np.ndarray, solution: Solution,
                 say: Progress) -> None:
    """Solve rewards that are one goal each."""
    search, count = GoalSearch(mdp), len(goals)

    def job(first: int, last: int) -> None:
        part = goals[first:last]
        distances = None if solution.values is None \
            else np.empty((len(part), mdp.num_states), dtype=np.int32)
        search.search(part, solution.greedy_bits, first, distances)
        if solution.values is not None and distances is not None:
            solution.values[first:last] = search.values(
                part, rewards.weights.data[first:last], distances)

    kernel.in_parallel(job, count, goal_search.GROUP, solution.greedy_bits.size,
                       lambda done: say(done, count))


def _sweep(mdp: Mdp, rewards: Rewards, initial: np.ndarray | None, solution: Solution,
           say: Progress, max_rounds: int) -> np.ndarray:
    """Solve by the kernel; return where the values of each reward vanish, or -1: ``[H]``."""
    planner, table = kernel_planner.planner_of(mdp), kernel_planner.RewardArrays(rewards)
    count = len(solution.converged)
    outcome = Outcome(solution.greedy_bits, solution.values, count)
    # m grows from 0: from a start that is too large it would shrink too slowly to be noticed.
    start = None if initial is None else np.stack([initial, np.zeros_like(initial)], axis=1)
    lanes = kernel_planner.LANES
    step = lanes * max(1, min(UPDATES_PER_PART // mdp.num_states,
                              count // PARTS_PER_THREAD // kernel.num_threads()) // lanes)

    def job(first: int, last: int) -> None:
        planner.plan(table, first, last, TIE_TOLERANCE, kernel_planner.MAX_SWEEPS, outcome, start)

    # Sweeping through a state takes as long as writing down tens of results.
    kernel.in_parallel(job, count, step, 30 * solution.greedy_bits.size,
                       lambda done: say(done, count))
    for reward in np.flatnonzero(outcome.status == kernel.UNFINISHED):
        _sweep_and_evaluate(mdp, rewards, int(reward), planner, solution, outcome, max_rounds)
    solution.num_updates[:] = outcome.updates
    return outcome.where


def _sweep_and_evaluate(mdp: Mdp, rewards: Rewards, reward: int, planner: KernelPlanner,
                        solution: Solution, outcome: Outcome, max_rounds: int) -> None:
    """Solve a reward for which sweeps alone are slow: evaluate exactly what they arrive at."""
    one = rewards.rows(np.array([reward]))
    table, block = kernel_planner.RewardArrays(one), RewardBlock(mdp, one, slice(None))
    bits = np.empty((mdp.num_states, 1), dtype=solution.greedy_bits.dtype)
    values = np.empty((1, mdp.num_states))
    found = Outcome(bits, values, 1)
    initial = None
    solution.converged[reward] = False
    if max_rounds == 0:
        return
    while solution.num_rounds[reward] < max_rounds and not solution.converged[reward]:
        planner.plan(table, 0, 1, TIE_TOLERANCE, kernel_planner.SWEEPS_BETWEEN, found, initial,
                     extrapolate=initial is None)
        outcome.updates[reward] += found.updates[0]
        solution.converged[reward] = found.status[0] != kernel.UNFINISHED
        if not solution.converged[reward]:
            solution.num_rounds[reward] += 1
            initial = block.evaluated(values)
    solution.greedy_bits[:, reward] = bits[:, 0]
    outcome.where[reward] = found.where[0]
    if solution.values is not None:
        solution.values[reward] = values[0]


def _iterate_policies(mdp: Mdp, rewards: Rewards, part: np.ndarray, solution: Solution,
                      max_rounds: int) -> np.ndarray:
    """Solve some rewards without the kernel; return where their values vanish, or -1."""
    block = RewardBlock(mdp, rewards, part)
    block.iterate_values()
    solution.num_rounds[part], solution.converged[part] = block.iterate_policies(max_rounds)
    solution.greedy_bits[:, part], vanished = block.greedy_bits(
        solution.greedy_bits.dtype, TIE_TOLERANCE)
    if solution.values is not None:
        solution.values[part] = block.optimal_values()
    return vanished


def _checked_values(mdp: Mdp, values: np.ndarray) -> np.ndarray:
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (mdp.num_states,) or not np.isfinite(given).all():
        raise InvalidRewardsError(f'initial must be a finite number for each of the '
                                  f'{mdp.num_states} states, got shape {given.shape}')
    return given
