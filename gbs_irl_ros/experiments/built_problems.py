"""Problems that are built so that the paper's theory applies: 1-neighborly, with a known c*."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.experiments.domains import Draw

DISCOUNT = 0.9


@dataclass(frozen=True)
class ThresholdCorridor:
    """
    A corridor in which the goal lies between two places: right of it go left, left of it right.

    Neighbouring places are told apart by one hypothesis, and every place is a class of its own.
    All agree at both ends, so c* = -1.
    """

    length: int

    def __post_init__(self) -> None:
        if self.length < 2:
            raise ValueError(f'length must be at least 2, got {self.length}')

    def mdp(self, seed: int) -> Mdp:
        """Return the corridor: action 0 is left, 1 right."""
        return _corridor(self.length)

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return one hypothesis for each threshold."""
        thresholds = np.arange(1, self.length)
        goes_right = np.arange(self.length) < thresholds[:, np.newaxis]
        return _draw_of(goes_right, rng)


@dataclass(frozen=True)
class VoteCube:
    """
    One state for each way in which a number of policies between two votes for action 1.

    1-neighborly, as two states with one vote more or less differ in one policy. By symmetry
    c* = max(2 fewest - D, D - 2 most) / D for D policies.
    """

    policies: int
    fewest: int
    most: int

    def __post_init__(self) -> None:
        if not 0 <= self.fewest < self.most <= self.policies:
            raise ValueError(f'votes must be 0 <= fewest < most <= {self.policies}, '
                             f'got {self.fewest} and {self.most}')

    @property
    def coherence(self) -> float:
        """Return c*."""
        return max(2 * self.fewest - self.policies,
                   self.policies - 2 * self.most) / self.policies

    def mdp(self, seed: int) -> Mdp:
        """Return a corridor of as many states; how they are joined does not matter."""
        return _corridor(len(self._votes()))

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return the policies."""
        return _draw_of(self._votes().T, rng)

    def _votes(self) -> np.ndarray:
        """Return ``[S, D]`` bool."""
        ways = np.array(list(product((False, True), repeat=self.policies)))
        counts = ways.sum(axis=1)
        return ways[(counts >= self.fewest) & (counts <= self.most)]


def _corridor(length: int) -> Mdp:
    states = np.arange(length)[:, np.newaxis]
    return Mdp.from_successors(np.clip(states + np.array([-1, 1]), 0, length - 1), DISCOUNT)


def _draw_of(takes_one: np.ndarray, rng: np.random.Generator) -> Draw:
    """
    Return the hypotheses ``[D, S]`` that take action 1 or 0, any of them the right one.

    A reward of 1 for the right action and 0 for the other leads to that policy in any MDP.
    """
    rewards = np.stack([~takes_one, takes_one], axis=-1).astype(np.float64)
    count = len(rewards)
    return Draw(Rewards.from_dense(rewards, 2), int(rng.integers(count)), np.ones(count))
