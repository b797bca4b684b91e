"""
Where trials take place, and the rewards that may be meant there.

The paper: 500 random rewards, drawn again for each trial, among them the right one, the others "of
similar range and sparsity". The right one is at a random place of the set, so that nothing gives
it away. What the paper leaves open is chosen here and said in docs/paper.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import sparsity_prior
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks import load_task_file
from gbs_irl_ros.tasks.hypotheses.features import feature_rewards
from gbs_irl_ros.tasks.hypotheses.goals import goal_rewards
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld
from gbs_irl_ros.tasks.worlds.driver import TARGET, build_driver
from gbs_irl_ros.tasks.worlds.grid import build_grid
from gbs_irl_ros.tasks.worlds.random_mdp import build_random_mdp

DISCOUNT = 0.95
COUNT = 500                                 # rewards of a trial
SUCCESSORS = 3                              # of each action of a random MDP
GRID_COLUMNS, GRID_ROWS = 19, 10
GRID_MOVES = ('north', 'east', 'south', 'west')
COSTS = (0.0, -0.1, -1.0, -10.0)            # those of the driver's own reward
DRIVER_FEATURES = ('crash', 'close', 'shoulder', 'lane_1', 'lane_2', 'lane_3', 'lane_change')


@dataclass(frozen=True, eq=False)
class Draw:
    """
    What may be meant in one trial, and what is.

    truth: the place of the right reward.
    prior: ``[H]``, not normalised; the paper's is proportional to how sparse each reward is.
    """

    rewards: Rewards
    truth: int
    prior: np.ndarray


class Domain(Protocol):
    """A kind of world with a way to draw rewards for it."""

    def mdp(self, seed: int) -> Mdp:
        """Return the world; kinds without any chance in them ignore the seed."""
        ...

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return the rewards of a trial."""
        ...


@dataclass(frozen=True)
class RandomMdps:
    """
    MDPs without any structure, and rewards without any either.

    Each action leads to three random states. A reward is not zero in 1 to S/2 states, as many as
    chance says, and uniform in [low, 1] there. The right one is any of them.

    most: entries of a reward that are not zero, if not S/2.
    """

    states: int
    actions: int
    low: float = 0.0
    most: int | None = None
    count: int = COUNT

    def mdp(self, seed: int) -> Mdp:
        """Return a random MDP."""
        return _random_mdp(self.states, self.actions, seed)

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return independent rewards."""
        sizes = rng.integers(1, (self.most or self.states // 2) + 1, self.count)
        matrix = _random_rows(sizes, self.states, (self.low, 1.0), rng)
        rewards = Rewards(matrix, mdp.num_states, mdp.num_actions)
        return Draw(rewards, int(rng.integers(self.count)), sparsity_prior(rewards))


@dataclass(frozen=True)
class ShippedTask:
    """
    The world and the right reward of a task file, with other rewards like that one.

    task: the name of a task whose rewards depend on the state alone.
    """

    task: str
    count: int = COUNT

    def mdp(self, seed: int) -> Mdp:
        """Return the world of the task."""
        return _shipped(self.task)[0]

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return the task's own reward among similar ones."""
        matrix, truth = similar_rewards(_shipped(self.task)[1], self.count, rng)
        rewards = Rewards(matrix, mdp.num_states, mdp.num_actions)
        return Draw(rewards, truth, sparsity_prior(rewards))


@dataclass(frozen=True)
class Driver:
    """
    The driver, with rewards like its own: what crashes and shoulders cost is put anywhere.

    Changing lanes costs 0.1 under every reward, so that it is part of the world and not of the
    question.
    """

    count: int = COUNT

    def mdp(self, seed: int) -> Mdp:
        """Return the motorway."""
        return _driver().mdp

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return the driver's own reward among similar ones."""
        built = _driver()
        on_pairs = sum(TARGET[name] * built.features[name] for name in ('crash', 'shoulder'))
        on_states = np.asarray(on_pairs).reshape(mdp.num_states, -1)[:, 0]
        matrix, truth = similar_rewards(on_states, self.count, rng)
        changes = np.full((self.count, 1), TARGET['lane_change'])
        weights = sparse.hstack([matrix, changes], format='csr')
        return Draw(Rewards(weights, mdp.num_states, mdp.num_actions, True, _state_features()),
                    truth, sparsity_prior(Rewards(matrix, mdp.num_states, mdp.num_actions)))


@dataclass(frozen=True)
class DriverFeatures:
    """The driver, with rewards that weigh its features: rivals that resemble the right one."""

    count: int = COUNT

    def mdp(self, seed: int) -> Mdp:
        """Return the motorway."""
        return _driver().mdp

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return rewards with drawn weights, the driver's own among them."""
        built = _driver()
        choices = dict.fromkeys(DRIVER_FEATURES, COSTS)
        found = feature_rewards(built, choices, {}, self.count, int(rng.integers(2**32)),
                                include_own=True)
        assert built.own is not None
        truth = found.names.index(built.own.names[0])
        values = found.rewards.columns(found.rewards.column_groups[0])      # [H, G]
        varied = np.ptp(values, axis=1) > 0.0       # the same cost everywhere asks for nothing
        rewards = found.rewards.rows(np.flatnonzero(varied))
        return Draw(rewards, int(varied[:truth].sum()), sparsity_prior(rewards))


@dataclass(frozen=True)
class GoalGrid:
    """
    The 19 x 10 grid with the goal in its top right corner; as far as is known, in any cell.

    There are 190 rewards with one good cell and no more, so each of them is there once; all are
    equally sparse, and so equally likely before the first answer.

    shaped: add a potential that tells the way (Ng et al. 1999); the policies are the same.
    anywhere: the goal is in a random cell instead.
    """

    shaped: bool = False
    anywhere: bool = False

    def mdp(self, seed: int) -> Mdp:
        """Return the grid."""
        return _grid().mdp

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return a reward for every cell, in a random order."""
        order = rng.permutation(mdp.num_states)
        goals = {str(state): np.array([state]) for state in order}
        found = goal_rewards(_grid(), goals, 1.0, shaped=self.shaped)
        goal = int(rng.integers(mdp.num_states)) if self.anywhere else GRID_COLUMNS - 1
        return Draw(found.rewards, int(np.flatnonzero(order == goal)[0]),
                    np.ones(mdp.num_states))


def similar_rewards(target: np.ndarray, count: int, rng: np.random.Generator
                    ) -> tuple[sparse.csr_matrix, int]:
    """
    Return ``[count, S]`` rewards of similar range and sparsity, and the place of the target.

    Each of the others has between half and one and a half times as many entries that are not
    zero (at least one), at random states and uniform in the range of the target's.

    :param target: ``[S]``.
    """
    entries = target[target != 0.0]
    size = len(entries)
    sizes = rng.integers(max(1, (size + 1) // 2), 3 * size // 2 + 1, count - 1)
    others = _random_rows(sizes, len(target), (entries.min(), entries.max()), rng)
    truth = int(rng.integers(count))
    order = np.insert(np.arange(1, count), truth, 0)
    stacked = sparse.vstack([sparse.csr_matrix(target[np.newaxis]), others], format='csr')
    return stacked[order], truth


def _random_rows(sizes: np.ndarray, num_columns: int, values: tuple[float, float],
                 rng: np.random.Generator) -> sparse.csr_matrix:
    """Return ``[len(sizes), num_columns]``, with this many uniform entries in each row."""
    columns = np.concatenate([rng.choice(num_columns, size, replace=False, shuffle=False)
                              for size in sizes])
    entries = rng.uniform(*values, len(columns))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return sparse.csr_matrix((entries, columns, offsets), shape=(len(sizes), num_columns))


# Worlds are built once in each process that works.


@cache
def _random_mdp(states: int, actions: int, seed: int) -> Mdp:
    return build_random_mdp(states, actions, SUCCESSORS, seed, DISCOUNT).mdp


@cache
def _shipped(task: str) -> tuple[Mdp, np.ndarray]:
    file = load_task_file(task)
    return file.task.world.mdp, file.truth.reward


@cache
def _driver() -> BuiltWorld:
    return build_driver(DISCOUNT)


@cache
def _grid() -> BuiltWorld:
    return build_grid(['.' * GRID_COLUMNS] * GRID_ROWS, {}, GRID_MOVES, DISCOUNT)


@cache
def _state_features() -> sparse.csr_matrix:
    """Return ``[S + 1, S * A]``: one feature for being in each state, one for changing lanes."""
    built = _driver()
    in_state = sparse.kron(sparse.identity(built.mdp.num_states),
                           np.ones((1, built.mdp.num_actions)), format='csr')
    return sparse.vstack([in_state, built.features['lane_change'][np.newaxis]], format='csr')
