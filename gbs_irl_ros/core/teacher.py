"""A simulated teacher: knows the true reward and errs at a known rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.answers import Answer, answer_naming, answer_to
from gbs_irl_ros.core.errors import InvalidNoiseError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.named_enum import no_other_case
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.task_answers import EITHER_WAY
from gbs_irl_ros.core.whole_tasks import Route, better_way, tasks_alike

NONE = -1       # of the options


@dataclass(frozen=True, eq=False)
class SimulatedTeacher:
    """
    Answers every kind of question.

    name: what it is called in parameters.
    avoids: whether it knows of states that must never be entered.

    mdp, reward: the task; reward ``[S]`` or ``[S, A]``.
    optimal_sets: ``[S]``, its greedy sets as bits.
    accuracy: the chance of an optimal answer (the paper's gamma*); a wrong one is uniform among
        the others.
    sigma: spread of reward answers, which are normal with variance sigma / 2; 0: exact.
    closing_accuracy: the chance of a right answer to the closing question; None: ``accuracy``.
    choices: ``[S, A]`` bool, the actions that a teacher would name, right or wrong, as long as
        there are any; None: all.
    goals: ``[S]`` bool, where the task ends; None: where its reward is largest.
    says_either: where several actions are optimal, but not all, the teacher names them all.
    tasks: the numbers of the listed tasks that are what is meant, by name or by policy; None: the
        teacher does not know them by their numbers, and cannot say which one it is.
    """

    name: ClassVar[str] = 'simulated'
    avoids: ClassVar[bool] = True

    mdp: Mdp
    reward: np.ndarray = field(repr=False)
    optimal_sets: np.ndarray = field(repr=False)
    accuracy: float = 0.9
    sigma: float = 0.0
    closing_accuracy: float | None = None
    choices: np.ndarray | None = field(default=None, repr=False)
    goals: np.ndarray | None = field(default=None, repr=False)
    tasks: frozenset[int] | None = None
    says_either: bool = False

    def __post_init__(self) -> None:
        for name, value in (('accuracy', self.accuracy),
                            ('closing_accuracy', self.closing_accuracy)):
            if value is not None and not 0.0 <= value <= 1.0:
                raise InvalidNoiseError(f'{name} must be in [0, 1], got {value}')
        if not (np.isfinite(self.sigma) and self.sigma >= 0.0):
            raise InvalidNoiseError(
                f'sigma must be finite and not negative, got {self.sigma}')

    @classmethod
    def for_reward(cls, mdp: Mdp, reward: np.ndarray, accuracy: float = 0.9,
                   sigma: float = 0.0, never: Never | None = None) -> SimulatedTeacher:
        """Build a teacher, planning for the reward, and around what must never be entered."""
        reward = np.asarray(reward, dtype=np.float64)
        solution = solve(mdp, Rewards.from_dense(reward[np.newaxis], mdp.num_actions),
                         never=never)
        return cls(mdp, reward, solution.greedy_bits[:, 0], accuracy, sigma)

    @classmethod
    def for_hypothesis(cls, hypotheses: Hypotheses, index: int, accuracy: float = 0.9,
                       sigma: float = 0.0) -> SimulatedTeacher:
        """Build a teacher who means one of the hypotheses; its policy is known already."""
        sets = hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[index]))
        goals = np.zeros(hypotheses.mdp.num_states, dtype=bool)
        goals[hypotheses.goal_states(index)] = True
        return cls(hypotheses.mdp, hypotheses.rewards.one(index), sets, accuracy, sigma,
                   goals=goals, tasks=tasks_alike(hypotheses, index))

    def answer(self, question: Question, rng: np.random.Generator) -> Answer:
        """Return what the teacher says."""
        question.check_fits(self.mdp)
        state = question.state
        if question.kind is QuestionKind.ACTION:
            return self._either(question, rng) if self.says_either \
                else answer_to(question, 'action', action=self.action(state, rng))
        if question.kind is QuestionKind.YES_NO:
            truth = bool(self._optimal(state)[question.action])
            return answer_to(question, 'yes_no', yes=truth == (rng.random() < self.accuracy))
        if question.kind is QuestionKind.REWARD:
            value = self._reward(state, question.action)
            return answer_to(question, 'reward', reward=value + rng.normal(
                0.0, np.sqrt(self.sigma / 2.0)))
        if question.kind is QuestionKind.DEMONSTRATION:
            return answer_to(question, 'demonstration', steps=self._steps(question, rng))
        if question.kind is QuestionKind.CONFIRM:
            meant = all(self._optimal(state)[action] for state, action in question.route)
            accuracy = self.accuracy if self.closing_accuracy is None else self.closing_accuracy
            return answer_to(question, 'confirm', yes=meant == (rng.random() < accuracy))
        if question.kind is QuestionKind.PLACE:
            return self._place(question, rng)
        if question.kind is QuestionKind.TASK:
            return self._task(question, rng)
        if question.kind is QuestionKind.COMPARE:
            better = self._better(question.route, question.other_route)
            return answer_to(question, 'compare', better=self._one_of(
                [better], [way for way in range(EITHER_WAY + 1) if way != better], rng))
        return no_other_case(question.kind)

    def _place(self, question: Question, rng: np.random.Generator) -> Answer:
        goals = np.flatnonzero(self._ends if self.goals is None else self.goals)
        options = question.options or tuple(range(self.mdp.num_states))
        right = [state for state in options if state in set(goals.tolist())]
        wrong = [state for state in options if state not in right]
        return self._chosen(question, right, wrong, rng,
                            lambda state: answer_to(question, 'go_here', states=(state,)))

    def _task(self, question: Question, rng: np.random.Generator) -> Answer:
        if self.tasks is None:
            return answer_to(question, 'dont_know')
        right = [task for task in question.options if task in self.tasks]
        wrong = [task for task in question.options if task not in self.tasks]
        return self._chosen(question, right, wrong, rng,
                            lambda task: answer_to(question, 'task', task=task))

    def _chosen(self, question: Question, right: list[int], wrong: list[int],
                rng: np.random.Generator, answer: Callable[[int], Answer]) -> Answer:
        """Return a choice of a list, or "none of these", which is right if nothing else is."""
        none = [NONE] if question.options else []       # of anywhere there is always one
        chosen = self._one_of(right or none, wrong + (none if right else []), rng)
        return answer_to(question, 'none_of_these') if chosen == NONE else answer(chosen)

    def _one_of(self, right: list[int], wrong: list[int], rng: np.random.Generator) -> int:
        err = not right or (len(wrong) > 0 and rng.random() >= self.accuracy)
        return int(rng.choice(wrong if err else right))

    @property
    def _ends(self) -> np.ndarray:
        """``[S]`` bool: where the reward is largest."""
        by_state = self.reward if self.reward.ndim == 1 else self.reward.max(axis=1)
        return np.asarray(by_state == by_state.max())

    def _better(self, first: Route, second: Route) -> int:
        """Return which of two ways earns more, FIRST_WAY, SECOND_WAY or EITHER_WAY."""
        rewards = Rewards.from_dense(self.reward[np.newaxis], self.mdp.num_actions)
        return int(better_way(self.mdp, rewards, first, second)[0])

    def _optimal(self, state: int) -> np.ndarray:
        return unpack(self.optimal_sets[state], self.mdp.num_actions)

    def action(self, state: int, rng: np.random.Generator) -> int:
        """Return what the teacher does at a state: what other teachers do otherwise."""
        optimal = self._optimal(state)
        right, wrong = self._named(state, optimal), self._named(state, ~optimal)
        err = len(wrong) > 0 and rng.random() >= self.accuracy
        return int(rng.choice(wrong if err else right))

    def _either(self, question: Question, rng: np.random.Generator) -> Answer:
        """Return all optimal actions, or as many that are not all optimal; or a single one."""
        optimal, count = self._optimal(question.state), self.mdp.num_actions
        right = chosen = self._named(question.state, optimal)
        if len(right) == 1 or optimal.all():
            return answer_to(question, 'action', action=self.action(question.state, rng))
        wrong = self._named(question.state, ~optimal)
        if rng.random() >= self.accuracy:
            while optimal[chosen].all():
                chosen = rng.choice([*right, *wrong], len(right), replace=False)
        return answer_naming(question, [int(each) for each in chosen], count)

    def _named(self, state: int, among: np.ndarray) -> np.ndarray:
        """Return the actions among these that the teacher would name, all if none."""
        named = among if self.choices is None else among & self.choices[state]
        return np.flatnonzero(named if named.any() else among)

    def _reward(self, state: int, action: int | None) -> float:
        if self.reward.ndim == 1:
            return float(self.reward[state])
        row = self.reward[state]
        return float(row.max() if action is None else row[action])

    def _steps(self, question: Question,
               rng: np.random.Generator) -> tuple[tuple[int, int], ...]:
        steps = []
        state = question.state
        for _ in range(question.steps):
            action = self.action(state, rng)
            steps.append((state, action))
            row = self.mdp.transitions[state * self.mdp.num_actions + action]
            state = int(rng.choice(row.indices, p=row.data / row.data.sum()))
        return tuple(steps)
