"""
PolicyWalk: Bayesian IRL by a random walk over rewards on a lattice.

Ramachandran and Amir (2007), "Bayesian inverse reinforcement learning": the posterior of a reward
given pairs (s, a) with a teacher who is right the more often the better an action is,

    P(R | shown)  ~  prior(R) prod exp(alpha Q*_R(s, a)) / sum_b exp(alpha Q*_R(s, b)),

is sampled by Metropolis's rule. A proposal moves one weight of the reward to a neighbour on the
lattice {-R_max, ..., 0, ..., R_max} with spacing delta and is planned for from the values known;
beyond the ends of the lattice the prior is zero. The mean reward of the second half of the chain
is what is learned: its optimal policy loses least in expectation (their theorem 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.baselines.ml_irl import BoltzmannLikelihood
from gbs_irl_ros.core.baselines.shown import Learned, Shown, as_reward, best_policy, feature_matrix
from gbs_irl_ros.core.errors import InvalidOptionError

STEPS = 2_000
SPACING = 0.25


def policy_walk(shown: Shown, rng: np.random.Generator,
                features: Sequence[np.ndarray] | sparse.spmatrix | None = None, *,
                alpha: float = 5.0, spacing: float = SPACING, steps: int = STEPS) -> Learned:
    """
    Learn the posterior mean of the reward and the optimal policy for it.

    :param features: ``[F, S]`` or ``[F, S * A]``; one for each state if None.
    :param alpha: how sure the teacher is of better actions.
    :param spacing: delta; R_max is 1.
    :param steps: of the chain; the first half is left out.
    """
    matrix = feature_matrix(shown.mdp, features)
    total, count = np.zeros(matrix.shape[0]), 0
    for step, weights in enumerate(walk(shown, rng, matrix, alpha, spacing, steps)):
        if step >= steps // 2:
            total, count = total + weights, count + 1
    reward = as_reward(shown.mdp, matrix.T @ (total / count))
    return Learned(best_policy(shown.mdp, reward), reward)


def walk(shown: Shown, rng: np.random.Generator, features: sparse.csr_matrix, alpha: float,
         spacing: float, steps: int) -> Iterator[np.ndarray]:
    """Yield the weights ``[F]`` after each step of the chain."""
    if steps < 2:
        raise InvalidOptionError(f'steps must be at least 2, got {steps}')
    if not 0.0 < spacing <= 1.0:
        raise InvalidOptionError(f'spacing must be in (0, 1], got {spacing}')
    likelihood = BoltzmannLikelihood(shown.mdp, shown.counts(), alpha)
    most = round(1.0 / spacing)
    places = np.zeros(features.shape[0], dtype=np.int64)     # on the lattice
    here = likelihood.value(features.T @ (spacing * places))
    for _ in range(steps):
        which, move = int(rng.integers(len(places))), int(rng.choice((-1, 1)))
        chance = rng.random()
        if abs(places[which] + move) <= most:
            places[which] += move
            there = likelihood.value(features.T @ (spacing * places))
            if chance < np.exp(min(0.0, there - here)):
                here = there
            else:
                places[which] -= move
        yield spacing * places
