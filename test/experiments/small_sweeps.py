"""Sweeps that take milliseconds, and worlds in which everything is known by hand."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import get_type_hints

import numpy as np

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.experiments.domains import Draw, RandomMdps
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import ROWS
from gbs_irl_ros.experiments.sweeps import Method, Sweep
from gbs_irl_ros.experiments.trial import run_trial

GBS, IQBC, RANDOM = (Method(name, name) for name in ('gbs', 'iqbc', 'random'))
# Named like one that is registered, so that it can stand in for that one.
SMALL = Sweep('random_10x5', 'Small', RandomMdps(6, 3, count=8),
              (GBS, replace(IQBC, trials=1), RANDOM), num_mdps=2, trials=2, steps=3)


@dataclass(frozen=True)
class TwoPlaces:
    """
    Two states; action 0 leads to the first, 1 to the second; discount 1/2.

    rewards: for being in each. With (0, 1): V* = (1, 2); the policy for (1, 0) loses 1 on average,
    the random one 1/2.
    """

    prior: tuple[float, ...] = (0.5, 0.5)
    truth: int = 0
    rewards: tuple[tuple[float, float], ...] = ((0.0, 1.0), (1.0, 0.0))

    def mdp(self, seed):
        return Mdp.from_successors(np.array([[0, 1], [0, 1]]), 0.5)

    def draw(self, mdp, rng):
        return Draw(Rewards.from_dense(np.array(self.rewards), 2), self.truth,
                    np.array(self.prior))


@dataclass(frozen=True)
class OnePolicyInAnother:
    """Actions only pay: under reward 0 action 1 is optimal, under 1 also action 0 in state 0."""

    truth: int = 0

    def mdp(self, seed):
        return Mdp.from_successors(np.array([[1, 1], [0, 0]]), 0.5)

    def draw(self, mdp, rng):
        rewards = np.array([[[0.0, 1.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]]])
        return Draw(Rewards.from_dense(rewards, 2), self.truth, np.ones(2))


def rows_in(text, form=ROWS):
    """Return the rows of lines without a header."""
    kinds = get_type_hints(form.kind).values()
    return [form.kind(*(make(word) for make, word in zip(kinds, line.split(','), strict=True)))
            for line in text.splitlines()]


def rows_of(sweep, index=0):
    """Return the rows of one trial."""
    return rows_in(run_trial(sweep, index).rows)


def quiet():
    """Return a progress that nobody sees."""
    return Progress(io.StringIO())
