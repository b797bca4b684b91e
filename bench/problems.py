"""The worlds and rewards that are planned for and asked about."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from gbs_irl_ros.core import Hypotheses, Mdp, Rewards
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.planning.solver import bits_dtype
from gbs_irl_ros.tasks import load_task

DISCOUNT = 0.95
NUM_REWARDS = 500       # of each of the paper's domains
SPARSE_SHARE = 0.01     # of the states have a reward, in driver_sparse
TASKS = ('puddle_world', 'trap_world', 'driver')


@dataclass(frozen=True, eq=False)
class PlanningProblem:
    """
    An MDP and the rewards to plan for.

    about: what kind of rewards they are, for the reader of a figure.
    """

    name: str
    mdp: Mdp
    rewards: Rewards
    about: str

    def some(self, count: int) -> PlanningProblem:
        """Return the same problem with so many of its rewards, evenly spread."""
        return replace(self, rewards=chosen(self.rewards, spread(
            self.rewards.num_rewards, count)))


def spread(total: int, count: int) -> np.ndarray:
    """Return ``[count]`` different numbers below total, evenly spread; all if there are fewer."""
    return np.unique(np.linspace(0, total - 1, min(count, total)).round().astype(np.int64))


def chosen(rewards: Rewards, indices: np.ndarray) -> Rewards:
    """Return these rewards of a set."""
    return replace(rewards, weights=rewards.weights[indices])


def planning_problem(name: str) -> PlanningProblem:
    """Return a shipped task with its hypotheses as rewards, or driver_sparse."""
    if name == 'driver_sparse':
        mdp = load_task('driver').world.mdp
        rewards = sparse_rewards(mdp, NUM_REWARDS, max(1, int(SPARSE_SHARE * mdp.num_states)), 1)
        return PlanningProblem(name, mdp, rewards, f'random, {SPARSE_SHARE:.0%} of the states')
    task = load_task(name)
    if task.rewards.num_rewards != NUM_REWARDS:
        raise ValueError(f'{name} must have {NUM_REWARDS} hypotheses, '
                         f'got {task.rewards.num_rewards}')
    return PlanningProblem(name, task.world.mdp, task.rewards, _kind(task.rewards))


def _kind(rewards: Rewards) -> str:
    if rewards.features is not None:
        return f'weights of {rewards.features.shape[0]} features, as the task file says'
    filled = np.unique(rewards.num_nonzero())
    return f'{"/".join(map(str, filled))} of {rewards.num_columns} entries, as the task file says'


def sparse_rewards(mdp: Mdp, count: int, nonzero: int, seed: int) -> Rewards:
    """Return rewards on states, so many entries of each uniform in -1 .. 1 at random places."""
    rng = np.random.default_rng(seed)
    columns = np.concatenate([rng.choice(mdp.num_states, nonzero, replace=False)
                              for _ in range(count)])
    weights = sparse.csr_matrix(
        (rng.uniform(-1.0, 1.0, count * nonzero), columns, np.arange(count + 1) * nonzero),
        shape=(count, mdp.num_states))
    return Rewards(weights, mdp.num_states, mdp.num_actions)


def grid(side: int) -> Mdp:
    """Return an open square of cells with four moves that a wall stops."""
    cell = np.arange(side * side)
    x, y = cell % side, cell // side
    last = side - 1
    moves = ((x, np.maximum(y - 1, 0)), (np.minimum(x + 1, last), y),
             (x, np.minimum(y + 1, last)), (np.maximum(x - 1, 0), y))
    return Mdp.from_successors(np.stack([to_y * side + to_x for to_x, to_y in moves], axis=1),
                               DISCOUNT)


def grid_goals(mdp: Mdp, count: int, seed: int = 1) -> Rewards:
    """Return one reward for each of so many random states: 1 there."""
    goals = np.random.default_rng(seed).choice(mdp.num_states, count, replace=False)
    return Rewards.goals(mdp, goals)


def random_mdp(states: int, actions: int, successors: int = 3, seed: int = 1) -> Mdp:
    """Return an MDP in which every action leads to a few states anywhere."""
    rng = np.random.default_rng(seed)
    rows = states * actions
    transitions = sparse.csr_matrix(
        (rng.dirichlet(np.ones(successors), rows).ravel(),
         rng.integers(states, size=rows * successors), np.arange(rows + 1) * successors),
        shape=(rows, states))
    return Mdp(transitions, actions, DISCOUNT)


def made_up_hypotheses(states: int, actions: int, hypotheses: int, live: int | None = None,
                       seed: int = 1) -> Hypotheses:
    """
    Return hypotheses with random greedy sets of one or two actions: nothing is planned.

    No two states are alike, so that choosing a question is as much work as it can be.

    :param live: so many share the prior; the others have 1e-26 of it each, as after twenty
        answers against them. None: all are alike.
    """
    rng = np.random.default_rng(seed)
    mdp = Mdp.from_successors(rng.integers(states, size=(states, actions)), DISCOUNT)
    dtype = bits_dtype(actions)
    one, other = (dtype(1) << rng.integers(actions, size=(states, hypotheses)).astype(dtype)
                  for _ in range(2))
    weights = np.ones(hypotheses)
    if live is not None:
        weights[live:] = 1e-26 * live
    log_prior = np.log(weights) - np.log(weights.sum())
    rewards = Rewards.goals(mdp, np.arange(hypotheses) % states)
    return Hypotheses(mdp, rewards, log_prior,
                      sets=GreedySets.from_state_bits(one | other, actions),
                      policy_of_reward=np.arange(hypotheses))
