"""
Run a few hundred random problems through every function of the kernel: for sanitisers.

A program of its own, because a sanitiser must be loaded before Python. Results are compared with
those of numpy only now and then: test_sweeping.py and its neighbours do that.
"""

from __future__ import annotations

import os
import sys

import numpy as np
from kernel_help import shuffled_chain, side_by_side, solved_by
from scipy import sparse
from worlds import corridor, grid, random_mdp

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel, kernel_planner, mass, solver
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.rewards import Rewards

MAX_PLANNED_ACTIONS = 63


def random_world(rng):
    kind, discount = rng.integers(5), float(rng.choice([0.0, 0.5, 0.95]))
    size, actions = int(rng.integers(1, 30)), int(rng.choice([1, 2, 4, 9, 33, 63]))
    if kind == 0:
        return shuffled_chain(rng, size, discount, float(rng.choice([0.0, 0.3])))
    if kind == 1:
        return grid(int(rng.integers(1, 8)), int(rng.integers(1, 8)), discount)
    if kind == 2:
        return side_by_side([random_mdp(rng, n, actions, 1, discount) for n in (1, size, 2)])
    if kind == 3:
        return Mdp.from_successors(np.tile(np.arange(size)[:, np.newaxis], actions), discount)
    return random_mdp(rng, size, min(actions, MAX_PLANNED_ACTIONS), int(rng.integers(1, 4)),
                      discount)


def random_rewards(rng, mdp):
    count, per_action = int(rng.integers(1, 11)), bool(rng.integers(2))
    columns = mdp.num_states * (mdp.num_actions if per_action else 1)
    low = int(rng.integers(-1, 1))
    if rng.integers(3):
        weights, features = rng.integers(low, 3, (count, columns)), None
    else:
        weights = rng.integers(low, 3, (count, 4))
        features = sparse.csr_matrix(rng.integers(0, 2, (4, columns)), dtype=float)
    return Rewards(sparse.csr_matrix(weights, dtype=float), mdp.num_states, mdp.num_actions,
                   per_action, features)


def plan(rng):
    mdp = random_world(rng)
    rewards = random_rewards(rng, mdp)
    initial = None if rng.integers(2) else 10.0 * rng.normal(size=mdp.num_states)
    kernel_planner.MAX_SWEEPS = int(rng.choice([1, 3, 2000]))
    solution = solved_by('sweeps', mdp, rewards, initial=initial, max_rounds=20)
    assert np.isfinite(solution.values[solution.converged]).all()
    assert (solution.greedy_bits[:, solution.converged] > 0).all()


def count_steps(rng):
    size, actions = int(rng.integers(1, 50)), int(rng.choice([1, 3, 4, 8, 9, 17, 33, 64]))
    mdp = random_mdp(rng, size, actions, 1)
    goals = rng.integers(0, size, int(rng.choice([1, 5, 63, 64, 65, 130])))
    solution = solved_by('steps', mdp, Rewards.goals(mdp, goals))
    assert (solution.greedy_bits > 0).all()


def add_up(rng):
    actions, policies = int(rng.integers(1, 65)), int(rng.choice([1, 7, 8, 9, 65, 511, 512, 1030]))
    bits = rng.integers(1, 2, (int(rng.choice([1, 20])), policies)).astype(
        solver.bits_dtype(actions))
    bits[rng.random(bits.shape) < 0.5] <<= bits.dtype.type(actions - 1)
    probabilities = rng.dirichlet(np.full(policies, rng.choice([0.01, 1.0])))
    sets = GreedySets(bits, np.arange(len(bits)), actions)
    assert sets.optimal_mass(probabilities).max() <= 1.0
    assert sets.largest_mass(probabilities).max() <= 1.0


def add_changes(rng):
    classes, policies, actions = (int(rng.integers(1, most)) for most in (300, 200, 9))
    bits = np.tile(rng.integers(1, 1 << actions, policies).astype(np.uint8), (classes, 1))
    bits[rng.random(bits.shape) < rng.choice([0.0, 0.01, 0.1])] = 1
    mass.CHANGES_FROM = mass.SMALL_ENTRIES = 0
    mass.KERNEL_BLOCK_ENTRIES = int(rng.choice([1, 10_000]))
    sums, probabilities = mass.SetSums(bits, actions), rng.dirichlet(np.ones(policies))
    assert sums.of_actions(probabilities).max() == sums.largest(probabilities).max() <= 1.0


def main():
    assert kernel.description() == f'planning with the compiled kernel {sys.argv[1]}'
    rng = np.random.default_rng(7)
    kernel.PARALLEL_FROM = 500          # threads too
    for _ in range(150):
        plan(rng)
    for _ in range(50):
        count_steps(rng)
        add_up(rng)
        add_changes(rng)
    long = corridor(5000)
    solved_by('steps', long, Rewards.goals(long, [0, 4999]))
    print('worked out', os.getpid())


if __name__ == '__main__':
    main()
