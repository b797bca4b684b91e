"""Small worlds whose solutions are known or easy to enumerate."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.rewards import Rewards

LEFT, RIGHT = 0, 1
NORTH, EAST, SOUTH, WEST = range(4)
MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))      # (dx, dy) of the four actions of a grid


def corridor(length, discount=0.9):
    """States 0 .. length - 1 in a row; LEFT and RIGHT move by one and stop at the ends."""
    states = np.arange(length)
    successors = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, length - 1)], axis=1)
    return Mdp.from_successors(successors, discount)


def grid(width, height, discount=0.95):
    """State y * width + x; NORTH (y falls), EAST, SOUTH, WEST; moves into a wall do nothing."""
    successors = np.array([
        [min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)
         for dx, dy in MOVES]
        for y in range(height) for x in range(width)])
    return Mdp.from_successors(successors, discount)


def slippery_grid(width, height, discount=0.95, stay=0.3):
    """As a grid, but every move fails with some chance: nothing happens then."""
    successors, count = grid(width, height).successors, width * height
    ones, states = np.ones(count), np.arange(count)
    moves = [sparse.csr_matrix((ones, (states, column)), shape=(count, count))
             for column in successors.T]
    return Mdp.from_action_matrices(
        [sparse.csr_matrix((1.0 - stay) * move + stay * sparse.identity(count)) for move in moves],
        discount)


def random_mdp(rng, num_states, num_actions, successors=3, discount=0.9):
    """Every state and action leads to a few random states; one successor: deterministic."""
    size, count = num_states * num_actions, min(successors, num_states)
    columns = np.array([rng.choice(num_states, count, replace=False) for _ in range(size)])
    chances = rng.dirichlet(np.ones(count), size) if count > 1 else np.ones((size, 1))
    matrix = sparse.csr_matrix(
        (chances.ravel(), columns.ravel(), np.arange(size + 1) * count), shape=(size, num_states))
    return Mdp(matrix, num_actions, discount)


def random_rewards(rng, mdp, count, nonzero):
    """As many rewards on states, each with so many entries that are not zero, in (0, 1]."""
    dense = np.zeros((count, mdp.num_states))
    for row in dense:
        row[rng.choice(mdp.num_states, nonzero, replace=False)] = 1.0 - rng.random(nonzero)
    return Rewards.from_dense(dense, mdp.num_actions)


def hypotheses_of(sets, num_actions, mdp=None, prior=None):
    """
    Hypotheses with the greedy sets ``sets[s][d]``, one reward for each policy.

    The rewards are 1 for the actions of the set and 0 for the others, so they lead to these sets
    in any MDP; that is a corridor with as many actions as needed unless one is given.
    """
    num_states, num_policies = len(sets), len(sets[0])
    if mdp is None:
        states = np.arange(num_states)[:, np.newaxis]
        steps = np.arange(num_actions) - num_actions // 2
        mdp = Mdp.from_successors(np.clip(states + steps, 0, num_states - 1), 0.9)
    dense = np.zeros((num_policies, num_states, num_actions))
    for state, policy in product(range(num_states), range(num_policies)):
        dense[policy, state, list(sets[state][policy])] = 1.0
    weights = np.ones(num_policies) if prior is None else np.asarray(prior, dtype=np.float64)
    return Hypotheses(mdp, Rewards.from_dense(dense, num_actions), np.log(weights / weights.sum()),
                      sets=GreedySets.from_sets(sets, num_actions),
                      policy_of_reward=np.arange(num_policies))


def threshold_corridor(length):
    """
    Hypothesis k - 1 says RIGHT in states < k and LEFT from k on, for k = 1 .. length - 1.

    Every state is a class of its own, neighbouring states are told apart by one hypothesis, and
    none is constant. All agree in the first and in the last state, so c* = -1.
    """
    sets = [[{RIGHT} if state < k else {LEFT} for k in range(1, length)]
            for state in range(length)]
    return hypotheses_of(sets, 2, corridor(length))


def vote_cube(num_policies, votes):
    """
    One state for each way in which a number of policies in ``votes`` calls action 1 optimal.

    1-neighborly if ``votes`` are consecutive numbers, at least two of them. By symmetry the best
    mu is uniform over the states with the fewest votes for the action, so with D policies
    c* = max(2 min(votes) - D, D - 2 max(votes)) / D.
    """
    sets = [[{action} for action in row] for row in product((0, 1), repeat=num_policies)
            if sum(row) in votes]
    return hypotheses_of(sets, 2)


def random_sets(rng, num_states, num_policies, num_actions, single=True):
    """Greedy sets ``[s][d]`` at random: of one action, or of any number but not of all."""
    sizes = np.ones((num_states, num_policies), dtype=int) if single else \
        rng.integers(1, num_actions, (num_states, num_policies))
    return [[set(rng.choice(num_actions, size, replace=False).tolist()) for size in row]
            for row in sizes]
