"""
Lessons that show what teaching costs a person: simulated, a listed task is meant.

Lesson number n of a world has the same task and the same random numbers whatever the way to ask;
those of different worlds have nothing in common. It ends
right if the robot would do what is meant as well as can be from its start, wrong if it would not,
with "none" if the learner says that no listed task fits, and open after ``MOST`` questions.
Closing questions are answered wrongly in CLOSING_ERROR of all cases, all others as often as the
teacher errs.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any
from zlib import crc32

import numpy as np

from gbs_irl_ros.core import (
    CAREFUL,
    PAPER_MODE,
    DoneReason,
    Learner,
    Likelihood,
    NoiseModel,
    Problem,
    Question,
    QuestionKind,
    SimulatedTeacher,
    StopRule,
    caution_for,
    make_stop_condition,
)
from gbs_irl_ros.core.hypotheses import normalised_log_prior
from gbs_irl_ros.core.learner import SupersetWarning
from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.pace import usual_seconds
from gbs_irl_ros.core.posterior import entropy_bits
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.bits_per_second import ALL_KINDS
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.core.regret import losses
from gbs_irl_ros.core.stopping import USUAL_CONDITION
from gbs_irl_ros.core.whole_tasks import goal_places
from gbs_irl_ros.tasks import Task, load_task
from gbs_irl_ros.tasks.hypotheses.random_rewards import random_rewards
from gbs_irl_ros.tasks.worlds.random_mdp import build_random_mdp

MOST = 60               # answers
NO_LOSS = 1e-6          # of the value of the best way
TRUTH, TEACHER = 5, 6   # what is drawn, as the last number of a seed
SMALL_RANDOM = 'random_10x5'    # not shipped: five worlds, by the number of the lesson
SMALL_WORLDS = 5
UNSURE = 0.05           # that may be left at the end


@dataclass(frozen=True)
class Asking:
    """
    One way to ask and to stop.

    says: what the page calls it.
    strategy, options: its question strategy.
    careful: it allows for what the learner node allows for, and asks the closing question.
    aggregated: with the likelihood of the paper, whatever the task file says.
    certainty: at which it stops if it is not careful.
    """

    says: str
    strategy: str
    options: dict[str, Any] = field(default_factory=dict)
    careful: bool = True
    aggregated: bool = False
    certainty: float = 0.95

    def asks(self, kinds: frozenset[QuestionKind]) -> QueryStrategy | None:
        """Return the strategy for a task about which these may be asked; None: nothing is left."""
        among = self.options.get('among')
        if among is None:
            return make_strategy(self.strategy, **self.options)
        left = tuple(kind for kind in among if kind in kinds)
        return make_strategy(self.strategy, **{**self.options, 'among': left}) if left else None


def _mix(says: str, *kinds: QuestionKind, **options: Any) -> Asking:
    return Asking(says, 'bits_per_second', {'among': kinds, **options})


_ACTION, _YES_NO, _SHOWN = (QuestionKind.ACTION, QuestionKind.YES_NO, QuestionKind.DEMONSTRATION)
WAYS: dict[str, Asking] = {
    'paper': Asking("paper mode: GBS, the task file's likelihood", 'gbs', careful=False),
    'aggregated': Asking("paper mode, the paper's likelihood", 'gbs', careful=False,
                         aggregated=True),
    'sure': Asking('paper mode, 99 % certain', 'gbs', careful=False, certainty=0.99),
    'gbs': Asking('GBS, careful', 'gbs'),
    'value_information': Asking('value information, actions', 'value_information'),
    'actions': _mix('actions only, information gain', _ACTION),
    'steps': Asking('three steps only', 'information_gain', {'kind': _SHOWN, 'steps': 3}),
    'lists': _mix('places and lists only', QuestionKind.PLACE, QuestionKind.TASK),
    'yes_no': _mix('mix: actions, yes/no', _ACTION, _YES_NO),
    'actions_steps': _mix('mix: actions, steps shown', _ACTION, _SHOWN),
    'actions_lists': _mix('mix: actions, places, lists', _ACTION, QuestionKind.PLACE,
                          QuestionKind.TASK),
    'all': _mix('mix: all kinds', *ALL_KINDS),
    'all_matters': _mix('mix: all kinds, what matters', *ALL_KINDS, what_matters=True),
}


@dataclass(frozen=True)
class Result:
    """
    How a lesson ended.

    end: right, wrong, none or open.
    same: the policy is exactly the one that is meant.
    loss: what the robot loses, as a share of what the task's own policy gains over chance.
    asked: how many questions of each kind, as ``told`` has it.
    seconds: that a person takes for them, by ``core.pace``.
    """

    end: str
    same: bool
    loss: float
    asked: Counter[str]
    seconds: float = 0.0


def told(question: Question) -> str:
    """Return a word for what makes a question long or short: its kind, its steps or options."""
    if question.kind is QuestionKind.DEMONSTRATION:
        return f'{question.kind.value}{question.steps}'
    return f'{question.kind.value}{len(question.options)}' if question.options \
        else question.kind.value


def capacity(error: float, choices: int) -> float:
    """Return what an answer among this many choices carries, wrong at this rate [bit]."""
    return max(0.0, float(np.log2(choices)) - left_over(choices, error))


def left_over(choices: int, error: float = UNSURE) -> float:
    """Return what is not known by somebody who is right but for an error rate [bit]."""
    return entropy_bits(np.array([error, 1.0 - error])) + error * float(np.log2(choices - 1))


class EffortLessons:
    """
    Lessons about a task.

    name: that the random numbers are drawn by.
    named: its tasks have names that a person knows, so that they can be picked from a list.
    """

    def __init__(self, name: str, task: Task, *, named: bool) -> None:
        self._name, self.task, self._hypotheses = name, task, task.hypotheses
        found = goal_places(self._hypotheses)
        self.num_places = found.cells.shape[0] if found.can_be_told else 0
        self.kinds = frozenset(QuestionKind) - ({QuestionKind.TASK} if not named else set()) \
            - ({QuestionKind.PLACE} if not self.num_places else set())

    @cached_property
    def bits(self) -> float:
        """Return what must be learned about the policy to be 95 % sure of it [bit]."""
        chances = self._hypotheses.merged(np.exp(self._hypotheses.log_prior))
        return max(0.0, entropy_bits(chances) - left_over(len(chances)))

    def run(self, number: int, way: str, error: float) -> Result:
        """Return how lesson ``number`` ends."""
        prior, seed = np.exp(self._hypotheses.log_prior), self._seed(number)
        truth = int(np.random.default_rng([seed, TRUTH]).choice(len(prior), p=prior))
        teacher = replace(SimulatedTeacher.for_hypothesis(self._hypotheses, truth),
                          accuracy=1.0 - error, closing_accuracy=1.0 - CLOSING_ERROR)
        learner, asked, seconds = self.learner(way, seed), Counter[str](), 0.0
        while True:
            question = learner.ask() if asked.total() < MOST else None
            if question is None:
                return replace(self._result(learner, truth, asked), seconds=seconds)
            asked[told(question)] += 1
            seconds += usual_seconds(question)
            chance = np.random.default_rng([seed, len(learner.answers), TEACHER])
            learner = learner.tell(teacher.answer(question, chance))

    def _seed(self, number: int) -> int:
        return crc32(f'{self._name} {number}'.encode())

    def learner(self, way: str, seed: int) -> Learner:
        """Return a learner that asks in this way."""
        asking, noise = WAYS[way], self.task.noise
        strategy = asking.asks(self.kinds)
        assert strategy is not None, f'{way} asks nothing about {self.task.world.name}'
        if asking.aggregated:
            noise = replace(noise, likelihood=Likelihood.AGGREGATED)
        problem = Problem(self._hypotheses, noise, self.task.start)
        if not asking.careful:
            with warnings.catch_warnings():     # under the aggregated likelihood: it is known
                warnings.simplefilter('ignore', SupersetWarning)
                return Learner(problem, strategy, seed=seed, caution=PAPER_MODE,
                               stop=StopRule(certainty=asking.certainty))
        caution = caution_for(noise, CAREFUL.none_of_these, learn_error_rate=True,
                              closing_question=True)
        return Learner(problem, strategy, seed=seed, caution=caution,
                       stop=StopRule(condition=make_stop_condition(USUAL_CONDITION)))

    def _result(self, learner: Learner, truth: int, asked: Counter[str]) -> Result:
        if learner.stop_reason is None:
            return Result('open', False, 0.0, asked)
        if learner.stop_reason[0] is DoneReason.NONE_OF_THESE:
            return Result('none', False, 0.0, asked)
        policy = int(self._hypotheses.policy_of_reward[truth])
        lost = float(losses(self._hypotheses, self.task.start, learner.map_policy,
                            np.array([policy]))[0])
        return Result('right' if lost <= NO_LOSS else 'wrong', learner.map_policy == policy, lost,
                      asked)


@cache
def effort_lessons(name: str, world: int = 0) -> EffortLessons:
    """
    Return the lessons about a task: in each process it is planned for once.

    :param world: number of the world, where there are several.
    """
    if name != SMALL_RANDOM:
        return EffortLessons(name, load_task(name), named=not _is_random(name))
    built = build_random_mdp(10, 5, 3, world, 0.95)
    candidates = random_rewards(built, 500, world, 3, (-1.0, 1.0), include_own=False)
    candidates = replace(candidates, log_prior=normalised_log_prior(None, 500))
    return EffortLessons(name, Task(built.world, candidates, NoiseModel()), named=False)


def _is_random(name: str) -> bool:
    """Tell whether the names of a task say nothing that a person could know."""
    return any(each.startswith('random reward') for each in load_task(name).names)
