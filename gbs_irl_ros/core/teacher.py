"""A simulated teacher: knows the true reward and errs at a known rate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    Answer,
    DemonstrationAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidNoiseError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards


@dataclass(frozen=True, eq=False)
class SimulatedTeacher:
    """
    Answers every kind of question.

    mdp, reward: the task; reward ``[S]`` or ``[S, A]``.
    optimal_sets: ``[S]``, its greedy sets as bits.
    gamma: gamma*, the chance of an optimal answer; a wrong one is uniform among the others.
    sigma: spread of reward answers, which are normal with variance sigma / 2; 0: exact.
    """

    mdp: Mdp
    reward: np.ndarray = field(repr=False)
    optimal_sets: np.ndarray = field(repr=False)
    gamma: float = 0.9
    sigma: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.gamma <= 1.0:
            raise InvalidNoiseError(f'gamma must be in [0, 1], got {self.gamma}')
        if not (np.isfinite(self.sigma) and self.sigma >= 0.0):
            raise InvalidNoiseError(
                f'sigma must be finite and not negative, got {self.sigma}')

    @classmethod
    def for_reward(cls, mdp: Mdp, reward: np.ndarray, gamma: float = 0.9,
                   sigma: float = 0.0) -> SimulatedTeacher:
        """Build a teacher, planning for the reward."""
        reward = np.asarray(reward, dtype=np.float64)
        solution = solve(mdp, Rewards.from_dense(reward[np.newaxis], mdp.num_actions))
        return cls(mdp, reward, solution.greedy_bits[:, 0], gamma, sigma)

    def answer(self, question: Question, rng: np.random.Generator) -> Answer:
        """Return what the teacher says."""
        question.check_fits(self.mdp)
        if question.kind is QuestionKind.ACTION:
            return ActionAnswer(question.state, self._action(question.state, rng))
        if question.kind is QuestionKind.YES_NO:
            action = question.action or 0
            truth = bool(self._optimal(question.state)[action])
            told = truth if rng.random() < self.gamma else not truth
            return YesNoAnswer(question.state, action, told)
        if question.kind is QuestionKind.REWARD:
            value = self._reward(question.state, question.action)
            told_value = value + rng.normal(0.0, np.sqrt(self.sigma / 2.0))
            return RewardAnswer(question.state, float(told_value), question.action)
        return self._demonstrate(question, rng)

    def _optimal(self, state: int) -> np.ndarray:
        return unpack(self.optimal_sets[state], self.mdp.num_actions)

    def _action(self, state: int, rng: np.random.Generator) -> int:
        optimal = self._optimal(state)
        right, wrong = np.flatnonzero(optimal), np.flatnonzero(~optimal)
        err = len(wrong) > 0 and rng.random() >= self.gamma
        return int(rng.choice(wrong if err else right))

    def _reward(self, state: int, action: int | None) -> float:
        if self.reward.ndim == 1:
            return float(self.reward[state])
        row = self.reward[state]
        return float(row.max() if action is None else row[action])

    def _demonstrate(self, question: Question, rng: np.random.Generator) -> DemonstrationAnswer:
        steps = []
        state = question.state
        for _ in range(question.steps):
            action = self._action(state, rng)
            steps.append((state, action))
            row = self.mdp.transitions[state * self.mdp.num_actions + action]
            state = int(rng.choice(row.indices, p=row.data / row.data.sum()))
        return DemonstrationAnswer(tuple(steps))
