"""A task to be taught: a world, the rewards that may be meant in it, and how the teacher errs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.tasks.world import World


@dataclass(frozen=True, eq=False)
class Task:
    """
    Everything a learner gets. It does not say which hypothesis is true.

    The world's hash is set here: it names model, start, hypotheses and noise, and nothing else.
    """

    world: World
    hypotheses: Hypotheses
    noise: NoiseModel

    def __post_init__(self) -> None:
        if self.hypotheses.mdp is not self.world.mdp:
            raise InvalidHypothesesError('the hypotheses must be about the MDP of the world')
        self.noise.check_fits(self.hypotheses.sets)
        content = content_hash(self.world, self.hypotheses, self.noise)
        if self.world.hash not in ('', content):
            raise InvalidHypothesesError(
                f'the content of task {self.world.name!r} has hash {content[:12]}..., '
                f'its world says {self.world.hash[:12]}...')
        object.__setattr__(self, 'world', replace(self.world, hash=content))

    @property
    def start(self) -> np.ndarray:
        """``[S]``, where the robot may start."""
        return self.world.start

    @property
    def hash(self) -> str:
        """SHA-256 of what is learned from, in hexadecimal."""
        return self.world.hash


def content_hash(world: World, hypotheses: Hypotheses, noise: NoiseModel) -> str:
    """Return a SHA-256 that changes with anything the learner computes with."""
    digest = hashlib.sha256()

    def add(name: str, array: np.ndarray, dtype: type[np.generic]) -> None:
        values = np.ascontiguousarray(array, dtype=dtype)
        digest.update(f'{name}:{values.shape};'.encode() + values.tobytes())

    def add_sparse(name: str, matrix: sparse.csr_matrix | None) -> None:
        if matrix is None:
            digest.update(f'{name}:none;'.encode())
            return
        canonical = sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
        canonical.sum_duplicates()      # sorted rows: equal matrices, equal bytes
        digest.update(f'{name}:{canonical.shape};'.encode())
        add('offsets', canonical.indptr, np.uint64)
        add('columns', canonical.indices, np.uint32)
        add('values', canonical.data, np.float64)

    add_sparse('transitions', world.mdp.transitions)
    add('discount', np.array(world.mdp.discount), np.float64)
    add('start', world.start, np.float64)
    add('log_prior', hypotheses.log_prior, np.float64)
    add('class_of_state', hypotheses.sets.class_of_state, np.uint32)
    add('policy_of_reward', hypotheses.policy_of_reward, np.uint32)
    add('greedy_sets', hypotheses.sets.bits, np.uint64)
    add_sparse('weights', hypotheses.rewards.weights)
    add_sparse('features', hypotheses.rewards.features)
    add_sparse('goals', hypotheses.goals)
    digest.update(f'per_action:{hypotheses.rewards.per_action};{noise.likelihood.value};'.encode())
    add('gamma_hat', np.atleast_1d(noise.gamma_hat), np.float64)
    add('sigma_hat', np.array(noise.sigma_hat), np.float64)
    return digest.hexdigest()
