"""
How a learner thinks of tasks that nobody listed: resample-move (Gilks and Berzuini 2001).

The most probable tasks are resampled, in proportion to how well they explain the answers, and each
then makes a random walk over the tasks that could have been listed: another goal, anywhere or one
step away, another manner of driving, another word for a region. Weights of features walk on a
grid, one step of one weight at a time: PolicyWalk (Ramachandran and Amir 2007). A step is taken
with the probability min(1, P(answers | new) / P(answers | old)), so the walks settle where the
answers are explained best. What explains them best of all that they came across is returned; a
word for a region only where the answers speak for it, because nobody could tell the others apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.belief import Belief
from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.additions import Addition, has_manners
from gbs_irl_ros.tasks.cost import MOST_SECONDS, planning_cost
from gbs_irl_ros.tasks.invention import AS_LISTED, MAX_IDEAS, WORDS, Idea, Invention, addition_of
from gbs_irl_ros.tasks.task import Task

WALKS, STEPS = 32, 16
GRID = 10               # steps from the least to the greatest weight of a feature
WORTH_KEEPING = 8.0     # nats below the best
SAYS_SO = 2.0           # nats: as many as answers must speak for a word
ANYWHERE, MANNER, WORD = 0.4, 0.15, 0.15    # chances of kinds of step; the rest: a goal nearby


class Moves(Protocol):
    """How a walk goes from one idea to another, each as likely as the way back."""

    def step(self, idea: Idea, rng: np.random.Generator) -> Idea:
        """Return another idea."""


class GoalMoves:
    """Steps among goals, manners of driving and words for regions."""

    def __init__(self, task: Task, bases: np.ndarray) -> None:
        """
        Begin.

        :param bases: numbers of tasks whose manners are tried.
        """
        self._task, self._bases = task, bases
        self._regions = list(task.world.appearance.regions)
        self._goals: list[int] = []     # not tried yet: each once before any is tried again

    def step(self, idea: Idea, rng: np.random.Generator) -> Idea:
        """Return another idea."""
        kind = rng.random()
        if kind < ANYWHERE:
            self._goals = self._goals or rng.permutation(self._task.world.mdp.num_states).tolist()
            return replace(idea, goal=self._goals.pop())
        if kind < ANYWHERE + MANNER:
            return replace(idea, base=int(rng.choice(self._bases)))
        if kind < ANYWHERE + MANNER + WORD and self._regions:
            return _simpler(idea) if idea.region else replace(
                idea, region=str(rng.choice(self._regions)), word=str(rng.choice(WORDS)))
        targets = self._task.world.targets[self._goal(idea, rng)]
        return replace(idea, goal=int(rng.choice(targets)))

    def _goal(self, idea: Idea, rng: np.random.Generator) -> int:
        return idea.goal if idea.goal != AS_LISTED \
            else int(rng.choice(self._task.candidates.goal_states(idea.base)))


class WeightMoves:
    """Steps among weights of features, on a grid between the least and the greatest listed."""

    def __init__(self, candidates: Candidates, num_features: int) -> None:
        weights = candidates.rewards.weights[:, :num_features].toarray()
        self._weights = weights
        self._low, self._high = weights.min(axis=0), weights.max(axis=0)
        self._free = np.flatnonzero(self._high > self._low)

    def step(self, idea: Idea, rng: np.random.Generator) -> Idea:
        """Return another idea."""
        weights = np.array(idea.weights or self._weights[idea.base])
        if len(self._free):
            one = int(rng.choice(self._free))
            width = (self._high[one] - self._low[one]) / GRID
            step = weights[one] + width * float(rng.choice([-1.0, 1.0]))
            if self._low[one] - width / 2 <= step <= self._high[one] + width / 2:
                weights[one] = round(step, 12)
        return replace(idea, weights=tuple(weights.tolist()))


@dataclass(frozen=True, eq=False)
class _Walker:
    """An idea with how well it explains the answers."""

    idea: Idea
    log_likelihood: float


class _Judge:
    """
    Says how well ideas explain answers; what was planned for once is not planned for again.

    found: ideas with policies that no other has, by these policies.
    """

    def __init__(self, task: Task, learner: Learner) -> None:
        self._task, self._learner = task, learner
        self._known = set(_policies(learner.task.hypotheses))
        self._judged: dict[Idea, float] = {}
        self.found: dict[bytes, Idea] = {}

    def judge(self, ideas: Sequence[Idea]) -> list[float]:
        """Return log P(answers | idea) of each; minus infinity for what nobody could do."""
        new = [idea for idea in dict.fromkeys(ideas) if idea not in self._judged]
        built = {idea: addition for idea in new
                 if (addition := addition_of(idea, self._task)) is not None}
        self._judged.update(dict.fromkeys(new, -np.inf))
        if built:
            planned = _planned(list(built.values()), self._task)
            belief = Belief.before_answers(planned, self._learner.noise, self._learner.caution,
                                           self._learner.task.start)
            policies = list(_policies(planned))
            for idea, policy, value in zip(built, planned.policy_of_reward,
                                           belief.log_likelihood(self._learner.answers),
                                           strict=True):
                self._judged[idea] = float(value)
                same = self.found.get(policies[policy])
                if policies[policy] not in self._known and (
                        same is None or (same.region and not idea.region)):
                    self.found[policies[policy]] = idea
        return [self._judged[idea] for idea in ideas]

    def best(self) -> list[Idea]:
        """Return those that explain the answers best, none where a simpler one does as well."""
        self.judge([_simpler(idea) for idea in self.found.values()])
        ideas = list(self.found.values())
        values = np.array(self.judge(ideas))
        simple: dict[tuple[int, int], float] = {}       # the best of each goal
        for idea, value in self._judged.items():
            if not idea.region:
                simple[_goal_of(idea)] = max(value, simple.get(_goal_of(idea), -np.inf))
        told = [not idea.region or value > simple[_goal_of(idea)] + SAYS_SO
                for idea, value in zip(ideas, values, strict=True)]
        order = [number for number in np.argsort(-values, kind='stable') if told[number]]
        if not order:
            raise InvalidPlaceError(tr('I can think of no other task; take an answer back, or '
                                       'show the place'))
        return [ideas[number] for number in order[:MAX_IDEAS]
                if values[number] >= values[order[0]] - WORTH_KEEPING]


def rejuvenated(task: Task, learner: Learner, seed: tuple[int, ...],
                num_features: int = 0) -> Invention:
    """
    Return tasks that explain the answers best; raise if there is nothing to be thought of.

    :param task: of the learner, as it has grown.
    :param num_features: of the task as it was listed; 0: as many as it has.
    """
    moves = _moves(task, learner, num_features)
    rng, judge = np.random.default_rng(seed), _Judge(task, learner)
    walkers = list(_resampled(learner, rng))
    for _ in range(_affordable_steps(task)):
        ideas = [moves.step(walker.idea, rng) for walker in walkers]
        chances = rng.random(len(ideas))
        for number, value in enumerate(judge.judge(ideas)):
            walker = walkers[number]
            if np.log(chances[number]) < value - walker.log_likelihood:
                walkers[number] = _Walker(ideas[number], value)
    return Invention(tuple(judge.best()), len(judge.found), seed)


def _moves(task: Task, learner: Learner, num_features: int) -> Moves:
    candidates = task.candidates
    if candidates.rewards.features is not None:
        return WeightMoves(candidates, num_features or candidates.rewards.features.shape[0])
    if has_manners(candidates):
        order = np.argsort(-learner.situation.posterior.probabilities, kind='stable')
        return GoalMoves(task, order[:WALKS])
    raise InvalidPlaceError(tr(
        'I cannot think of other tasks in {task!r}: those that are listed are neither goals nor '
        'weighted features; take an answer back, or add the task to its file',
        task=task.world.name))


def _resampled(learner: Learner, rng: np.random.Generator) -> Iterator[_Walker]:
    """Yield where walks begin: listed tasks, in proportion to what is believed of them."""
    hypotheses = learner.task.hypotheses
    belief = Belief.before_answers(hypotheses, learner.noise, learner.caution,
                                   learner.task.start)
    values = belief.log_likelihood(learner.answers)
    probabilities = learner.situation.posterior.probabilities
    for base in rng.choice(len(values), WALKS, p=probabilities / probabilities.sum()):
        yield _Walker(Idea(int(base)), float(values[base]))


def _planned(additions: Sequence[Addition], task: Task) -> Hypotheses:
    """Return these tasks alone, planned for."""
    candidates = task.candidates
    before = candidates.rewards
    rewards = Rewards(sparse.csr_matrix(np.stack([each.reward for each in additions])),
                      before.num_states, before.num_actions, before.per_action)
    never = sparse.csr_matrix(np.stack([each.never for each in additions]))
    goals = None if candidates.goals is None \
        else sparse.csr_matrix(np.stack([each.goals for each in additions]))
    return Candidates.of(candidates.mdp, rewards, goals=goals,
                         never=never if never.nnz else None).planned()


def _goal_of(idea: Idea) -> tuple[int, int]:
    """Return what two ideas have in common that go to the same place."""
    return idea.goal, idea.base if idea.goal == AS_LISTED else AS_LISTED


def _simpler(idea: Idea) -> Idea:
    return replace(idea, region='', word='')


def _policies(hypotheses: Hypotheses) -> Iterator[bytes]:
    """Yield what tells each policy from others."""
    for policy in range(hypotheses.num_policies):
        sets = hypotheses.sets.policy_sets(policy).astype(np.uint64)
        yield hashlib.sha256(sets.tobytes()).digest()


def _affordable_steps(task: Task) -> int:
    """Return how many steps the walks make, fewer in a large world."""
    seconds = planning_cost(task.world.mdp, WALKS).time
    return max(1, min(STEPS, int(MOST_SECONDS / max(seconds, 1e-9))))
