"""A task to be taught: a world, the rewards that may be meant in it, and how the teacher errs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import numpy as np

from gbs_irl_ros.core.action_likelihood import ActionLikelihood
from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.planning.solver import Progress
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.plans.digest import ContentDigest
from gbs_irl_ros.tasks.plans.plan_cache import PlanCache
from gbs_irl_ros.tasks.world import World


@dataclass(frozen=True, eq=False)
class Task:
    """
    Everything a learner gets. It does not say which hypothesis is true.

    The greedy sets of the rewards are planned for when they are first needed: see ``compile``. The
    world's hash is set here: it names what is learned from and where that is, nothing else.

    candidates: what may be meant; hypotheses where planning is done already.
    began_as: the hash of the task that this one has grown from, which remains its own; '': it has
        not grown.
    content_hash: of what is learned from, wherever it is. It was the hash of a task until places
        counted too, so what was saved then carries it.
    """

    world: World
    candidates: Candidates
    noise: NoiseModel
    began_as: str = ''
    content_hash: str = field(init=False, repr=False, default='')

    def __post_init__(self) -> None:
        if self.candidates.mdp is not self.world.mdp:
            raise InvalidHypothesesError('the hypotheses must be about the MDP of the world')
        object.__setattr__(self, 'content_hash', self.began_as or self._content_hash())
        known_as = self.began_as or self._hash_with_places()
        if self.world.hash not in ('', known_as):
            raise InvalidHypothesesError(
                f'the content of task {self.world.name!r} has hash {known_as[:12]}..., '
                f'its world says {self.world.hash[:12]}...')
        object.__setattr__(self, 'world', replace(self.world, hash=known_as))
        if isinstance(self.candidates, Hypotheses):
            self.noise.check_fits(self.candidates.sets)

    def compile(self, progress: Progress | None = None,
                cache: PlanCache | None = None) -> Hypotheses:
        """
        Return the hypotheses, planning for all rewards the first time.

        :param progress: called with (0, rewards in all) when planning begins, then now and then.
        :param cache: where to look for the plan first, and to keep it; None: nowhere.
        """
        found = self.candidates
        if not isinstance(found, Hypotheses):
            found = self._planned(progress) if cache is None \
                else cache.planned(found, lambda: self._planned(progress))
            self.noise.check_fits(found.sets)
            object.__setattr__(self, 'candidates', found)
        return found

    @property
    def hypotheses(self) -> Hypotheses:
        """Return the tasks that may be meant."""
        return self.compile()

    @property
    def rewards(self) -> Rewards:
        """Return the rewards that may be meant; nothing is planned."""
        return self.candidates.rewards

    @property
    def names(self) -> tuple[str, ...]:
        """Return how a person calls each of them, if they have names."""
        return self.candidates.names

    def goal_states(self, reward: int) -> np.ndarray:
        """Return the states at which the task of a reward is accomplished; nothing is planned."""
        return self.candidates.goal_states(reward)

    @property
    def start(self) -> np.ndarray:
        """Return ``[S]``, where the robot may start."""
        return self.world.start

    @property
    def has_map(self) -> bool:
        """Tell whether the states have cells, so that a person can point at any place."""
        return self.world.layout is not None

    @property
    def hash(self) -> str:
        """
        Return a SHA-256 of what is learned from and where it is, in hexadecimal.

        Growing does not change it.
        """
        return self.world.hash

    def is_known_as(self, task_hash: str) -> bool:
        """
        Tell whether a lesson about a task of this hash is one about this task.

        Those that began before places counted are: what they learned holds wherever the map lies.
        A policy is not asked here, because it drives: see ``driving.gate``.
        """
        return task_hash in (self.hash, self.content_hash)

    def _planned(self, progress: Progress | None) -> Hypotheses:
        if progress is not None:
            progress(0, self.rewards.num_rewards)
        return self.candidates.planned(progress)

    def _hash_with_places(self) -> str:
        """Return the hash of the content and of where its states are, if they are anywhere."""
        looks = self.world.appearance
        if looks.positions is None:
            return self.content_hash
        digest = ContentDigest()
        digest.add_text(self.content_hash)
        digest.add('positions', looks.positions, np.float64)
        digest.add('cell_size', np.array(looks.cell_size), np.float64)
        if looks.cells is not None:
            digest.add('cells', looks.cells, np.int64)
        digest.add_text(f'frame_id:{looks.frame_id};')
        return digest.hexdigest()

    def _content_hash(self) -> str:
        """Return a SHA-256 that changes with anything the learner computes with."""
        digest = ContentDigest()
        digest.add_sparse('transitions', self.world.mdp.transitions)
        digest.add('discount', np.array(self.world.mdp.discount), np.float64)
        digest.add('start', self.world.start, np.float64)
        digest.add('log_prior', self.candidates.log_prior, np.float64)
        digest.add_sparse('weights', self.rewards.weights)
        digest.add_sparse('features', self.rewards.features)
        digest.add_sparse('goals', self.candidates.goals)
        if self.candidates.never is not None:
            digest.add_sparse('never', self.candidates.never)
        digest.add('gamma_hat', np.atleast_1d(self.noise.gamma_hat), np.float64)
        digest.add('sigma_hat', np.array(self.noise.sigma_hat), np.float64)
        digest.add_text(f'{self.rewards.per_action};{self.noise.likelihood.value}')
        if isinstance(self.noise.likelihood, ActionLikelihood):
            digest.add_text(json.dumps(self.noise.likelihood.options, sort_keys=True))
        return digest.hexdigest()
