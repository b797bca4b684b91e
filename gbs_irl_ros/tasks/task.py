"""A task to be taught: a world, the rewards that may be meant in it, and how the teacher errs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.hypotheses import Hypotheses, goal_states
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.planning.solver import Progress
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.plans.digest import ContentDigest
from gbs_irl_ros.tasks.plans.plan_cache import PlanCache, plan_key
from gbs_irl_ros.tasks.plans.plan_file import Plan
from gbs_irl_ros.tasks.world import World


@dataclass(frozen=True, eq=False)
class Task:
    """
    Everything a learner gets. It does not say which hypothesis is true.

    The greedy sets of the rewards are planned for when they are first needed: see ``compile``. The
    world's hash is set here: it names what is learned from, and nothing else.

    rewards, log_prior, names, goals: as in ``Hypotheses``.
    """

    world: World
    rewards: Rewards
    log_prior: np.ndarray
    noise: NoiseModel
    names: tuple[str, ...] = ()
    goals: sparse.csr_matrix | None = None

    def __post_init__(self) -> None:
        self.rewards.check_fits(self.world.mdp)
        count = self.rewards.num_rewards
        if np.shape(self.log_prior) != (count,):
            raise InvalidHypothesesError(
                f'log_prior must have one entry for each of the {count} rewards, '
                f'got shape {np.shape(self.log_prior)}')
        if self.names and len(self.names) != count:
            raise InvalidHypothesesError(
                f'names must be none or one for each of the {count} rewards, '
                f'got {len(self.names)}')
        content = self._content_hash()
        if self.world.hash not in ('', content):
            raise InvalidHypothesesError(
                f'the content of task {self.world.name!r} has hash {content[:12]}..., '
                f'its world says {self.world.hash[:12]}...')
        object.__setattr__(self, 'world', replace(self.world, hash=content))

    @classmethod
    def of_hypotheses(cls, world: World, hypotheses: Hypotheses, noise: NoiseModel) -> Task:
        """Return a task whose planning is done already."""
        if hypotheses.mdp is not world.mdp:
            raise InvalidHypothesesError('the hypotheses must be about the MDP of the world')
        noise.check_fits(hypotheses.sets)
        task = cls(world, hypotheses.rewards, hypotheses.log_prior, noise, hypotheses.names,
                   hypotheses.goals)
        task.__dict__['hypotheses'] = hypotheses
        return task

    def compile(self, progress: Progress | None = None,
                cache: PlanCache | None = None) -> Hypotheses:
        """
        Return the hypotheses, planning for all rewards the first time.

        :param progress: called with (0, rewards in all) when planning begins, then now and then.
        :param cache: where to look for the plan first, and to keep it; None: nowhere.
        """
        if 'hypotheses' not in self.__dict__:
            hypotheses = self._planned(progress) if cache is None \
                else self._planned_once(progress, cache)
            self.noise.check_fits(hypotheses.sets)
            self.__dict__['hypotheses'] = hypotheses
        compiled: Hypotheses = self.__dict__['hypotheses']
        return compiled

    @cached_property
    def hypotheses(self) -> Hypotheses:
        """Return the tasks that may be meant."""
        return self.compile()

    def goal_states(self, reward: int) -> np.ndarray:
        """Return the states at which the task of a reward is accomplished; nothing is planned."""
        return goal_states(self.rewards, self.goals, reward)

    @property
    def start(self) -> np.ndarray:
        """Return ``[S]``, where the robot may start."""
        return self.world.start

    @property
    def hash(self) -> str:
        """Return a SHA-256 of what is learned from, in hexadecimal."""
        return self.world.hash

    def _planned_once(self, progress: Progress | None, cache: PlanCache) -> Hypotheses:
        key = plan_key(self.world.mdp, self.rewards)
        plan = cache.load(key)
        if plan is not None:
            try:
                return Hypotheses(self.world.mdp, self.rewards, plan.sets, plan.policy_of_reward,
                                  self.log_prior, self.names, self.goals)
            except InvalidHypothesesError as error:
                cache.discard(key, str(error))
        planned = self._planned(progress)
        cache.store(key, Plan(planned.sets, planned.policy_of_reward))
        return planned

    def _planned(self, progress: Progress | None) -> Hypotheses:
        if progress is not None:
            progress(0, self.rewards.num_rewards)
        planned = Hypotheses.from_rewards(self.world.mdp, self.rewards, names=self.names,
                                          goals=self.goals, progress=progress)
        return replace(planned, log_prior=self.log_prior)

    def _content_hash(self) -> str:
        """Return a SHA-256 that changes with anything the learner computes with."""
        digest = ContentDigest()
        digest.add_sparse('transitions', self.world.mdp.transitions)
        digest.add('discount', np.array(self.world.mdp.discount), np.float64)
        digest.add('start', self.world.start, np.float64)
        digest.add('log_prior', self.log_prior, np.float64)
        digest.add_sparse('weights', self.rewards.weights)
        digest.add_sparse('features', self.rewards.features)
        digest.add_sparse('goals', self.goals)
        digest.add('gamma_hat', np.atleast_1d(self.noise.gamma_hat), np.float64)
        digest.add('sigma_hat', np.array(self.noise.sigma_hat), np.float64)
        digest.add_text(f'{self.rewards.per_action};{self.noise.likelihood.value}')
        return digest.hexdigest()
