"""
Trials that set GBS-IRL's questions beside methods that learn from the same teacher.

In a trial all methods face the same world, reward and teacher, who errs in 10 % of all steps. An
answer that names one action is a key press and a visit of the person; a demonstration of n steps,
or a round of DAgger with n labels, is n key presses and one visit. Demonstrations begin in the
second half of the states, as numbered. What is learned is then also tried in a world that nobody
taught in: with a wall that was not there, or with other transitions, and from the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gbs_irl_ros.core import (
    NEVER,
    ActionAnswer,
    Answer,
    Hypotheses,
    Learner,
    Likelihood,
    Mdp,
    NoiseModel,
    Policy,
    Problem,
    Question,
    QuestionKind,
    SimulatedTeacher,
    ValueLossMeter,
    make_strategy,
    policy_accuracy,
)
from gbs_irl_ros.core.baselines import (
    Dagger,
    Learned,
    Shown,
    cloned_policy,
    lpal,
    mce_irl,
    ml_irl,
    policy_walk,
)
from gbs_irl_ros.core.baselines.shown import policy_of_sets
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.experiments.domains import Domain, GoalGrid, RandomMdps, ShippedTask

ACCURACY = 0.9
STEPS, SHORT = 20, 3            # of a demonstration, and of one that is asked for
ANSWERS = (1, 2, 5, 10, 20, 40, 100)
SHORT_ANSWERS = (1, 2, 5, 7, 13, 33)
DEMONSTRATIONS = (1, 2, 5, 10)
FITTED_ANSWERS = (5, 20, 100)   # after which ML-IRL learns from them: a fit takes a while
WALK_ANSWERS, WALK_DEMONSTRATIONS, WALK_STEPS = (20, 100), (1, 5), 1_000       # a chain, too
ANOTHER_WORLD = 1_000_000       # its seeds begin here
REWARDS, TEACHER, DEMONSTRATOR, DAGGER, WALK, HELD_OUT = range(1, 7)    # what is drawn


class Subject(NamedTuple):
    """
    A kind of world.

    columns: of its cells, between which a wall is built; 0: it has none, and is drawn again.
    """

    title: str
    domain: Domain
    columns: int


SUBJECTS = {
    'grid': Subject('grid 19 × 10', GoalGrid(), 19),
    'random': Subject('random 50 × 5', RandomMdps(50, 5), 0),
    'puddle': Subject('puddle world', ShippedTask('puddle_world'), 20),
}


class Score(NamedTuple):
    """
    How good what was learned is.

    accuracy: mean over states of the share of its actions that are optimal, where it was taught.
    loss: from where demonstrations begin, as a share of what a random policy loses.
    held_out: the same in the world that nobody taught in.
    """

    accuracy: float
    loss: float
    held_out: float


class Reading(NamedTuple):
    """A score after some visits and key presses."""

    visits: int
    presses: int
    score: Score


@dataclass(frozen=True, eq=False)
class Judge:
    """What a policy is worth in a world from where it starts."""

    mdp: Mdp
    reward: np.ndarray
    start: np.ndarray

    @cached_property
    def meter(self) -> ValueLossMeter:
        """Return what measures losses."""
        return ValueLossMeter(self.mdp, self.reward)

    def loss(self, policy: Policy) -> float:
        """Return what a policy loses, as a share of what chance loses."""
        best = self.meter.optimal_return(self.start)
        lost = best - self.meter.expected_return(policy, self.start)
        return max(0.0, lost / (best - self._chance))       # below is rounding

    @cached_property
    def _chance(self) -> float:
        everything = np.full(self.mdp.num_states, (1 << self.mdp.num_actions) - 1)
        return self.meter.expected_return(
            policy_of_sets(everything, self.mdp.num_actions), self.start)


class Trial:
    """One trial: the world, what is meant, and a teacher."""

    def __init__(self, name: str, number: int) -> None:
        subject = SUBJECTS[name]
        self.number = number
        self.mdp = subject.domain.mdp(number)
        draw = subject.domain.draw(self.mdp, self._chance(REWARDS))
        self.hypotheses = Hypotheses.from_rewards(self.mdp, draw.rewards, draw.prior)
        reward, half = draw.rewards.one(draw.truth), self.mdp.num_states // 2
        late = np.arange(self.mdp.num_states) >= half
        self.starts = np.flatnonzero(late)
        self.taught = Judge(self.mdp, reward, late / late.sum())
        other = walled(self.mdp, subject.columns, self._chance(HELD_OUT)) if subject.columns \
            else subject.domain.mdp(ANOTHER_WORLD + number)
        self.held_out = Judge(other, reward, ~late / (~late).sum())
        self.teacher = SimulatedTeacher(self.mdp, reward, self.taught.meter.optimal_sets, ACCURACY)

    def _chance(self, what: int, index: int = 0) -> np.random.Generator:
        return np.random.default_rng([self.number, index, what])

    # ---- what the teacher is asked for ----------------------------------------------------------

    def asked(self, strategy: QueryStrategy, most: int) -> Iterator[Learner]:
        """Yield the learner after each answer to a question of its own."""
        learner = self._learner(strategy)
        for index in range(most):
            question = learner.ask()
            assert question is not None     # it never stops by itself
            learner = learner.tell(self.teacher.answer(question, self._chance(TEACHER, index)))
            yield learner

    @cached_property
    def single_answers(self) -> list[Learner]:
        """Return GBS-IRL after each answer: the others learn from the same ones."""
        return list(self.asked(make_strategy('gbs'), ANSWERS[-1]))

    @cached_property
    def demonstrations(self) -> list[Answer]:
        """Return demonstrations from random starts."""
        found = []
        for index in range(DEMONSTRATIONS[-1]):
            chance = self._chance(DEMONSTRATOR, index)
            found.append(self.teacher.answer(Question(
                QuestionKind.DEMONSTRATION, int(chance.choice(self.starts)), steps=STEPS),
                chance))
        return found

    # ---- what is learned from it ----------------------------------------------------------------

    def gbs(self) -> Iterator[Reading]:
        """Questions for an action, chosen by GBS."""
        for count in ANSWERS:
            yield Reading(count, count, self._of_learner(self.single_answers[count - 1]))

    def gbs_steps(self) -> Iterator[Reading]:
        """Questions for three steps, chosen by what they tell."""
        strategy = make_strategy('information_gain', kind=QuestionKind.DEMONSTRATION, steps=SHORT)
        for count, learner in enumerate(self.asked(strategy, SHORT_ANSWERS[-1]), start=1):
            if count in SHORT_ANSWERS:
                yield Reading(count, SHORT * count, self._of_learner(learner))

    def listed_demonstrations(self) -> Iterator[Reading]:
        """Demonstrations, with the list of rewards that GBS-IRL has."""
        learner = self._learner(make_strategy('random'))
        for count, answer in enumerate(self.demonstrations, start=1):
            learner = learner.tell(answer)
            if count in DEMONSTRATIONS:
                yield Reading(count, STEPS * count, self._of_learner(learner))

    def from_answers(self, method: Callable[[Shown], Learned], counts: tuple[int, ...] = ANSWERS
                     ) -> Iterator[Reading]:
        """Learn by a method from the answers that GBS-IRL got."""
        for count in counts:
            answers = self.single_answers[count - 1].answers
            yield Reading(count, count, self._of(method(Shown.from_answers(self.mdp, answers))))

    def from_demonstrations(self, method: Callable[[Shown], Learned],
                            counts: tuple[int, ...] = DEMONSTRATIONS) -> Iterator[Reading]:
        """Learn by a method from demonstrations."""
        for count in counts:
            shown = Shown.from_answers(self.mdp, self.demonstrations[:count])
            yield Reading(count, STEPS * count, self._of(method(shown)))

    def dagger(self) -> Iterator[Reading]:
        """Labels along the learner's own way."""
        learner = Dagger(self.mdp)
        for count in range(1, DEMONSTRATIONS[-1] + 1):
            chance = self._chance(DAGGER, count)
            learner = learner.after_round(int(chance.choice(self.starts)), STEPS,
                                          partial(self._label, chance), chance)
            if count in DEMONSTRATIONS:
                assert learner.learned is not None
                yield Reading(count, STEPS * count, self._of(learner.learned))

    def _label(self, chance: np.random.Generator, state: int) -> int:
        answer = self.teacher.answer(Question(QuestionKind.ACTION, state), chance)
        assert isinstance(answer, ActionAnswer)
        return answer.action

    def walked(self, shown: Shown) -> Learned:
        """Learn by PolicyWalk."""
        return policy_walk(shown, self._chance(WALK), steps=WALK_STEPS)

    def _learner(self, strategy: QueryStrategy) -> Learner:
        noise = NoiseModel(ACCURACY, likelihood=Likelihood.EXACT)
        return Learner(Problem(self.hypotheses, noise), strategy, seed=self.number, stop=NEVER)

    def _of_learner(self, learner: Learner) -> Score:
        sets = self.hypotheses.sets.policy_sets(learner.map_policy)
        return self._of(Learned(policy_of_sets(sets, self.mdp.num_actions),
                                self.hypotheses.rewards.one(learner.most_probable_reward)))

    def _of(self, learned: Learned) -> Score:
        return Score(policy_accuracy(learned.policy, self.taught.meter.optimal_sets),
                     self.taught.loss(learned.policy),
                     self.held_out.loss(learned.policy_in(self.held_out.mdp)))


def walled(mdp: Mdp, columns: int, chance: np.random.Generator) -> Mdp:
    """
    Return a world of cells with a wall from top to bottom and one door in it.

    Whatever would cross the wall elsewhere stays where it is. The wall is in the middle third.
    """
    rows = mdp.num_states // columns
    last = int(chance.integers(columns // 3, 2 * columns // 3))     # west of the wall
    door = int(chance.integers(rows))
    matrix = mdp.transitions.tocoo()
    before, after = matrix.row // mdp.num_actions, matrix.col
    west = np.arange(mdp.num_states) % columns <= last
    crossing = (west[before] != west[after]) & (before // columns != door)
    return Mdp(sparse.coo_matrix((matrix.data, (matrix.row, np.where(crossing, before, after))),
                                 shape=matrix.shape).tocsr(), mdp.num_actions, mdp.discount)


METHODS: dict[str, tuple[str, Callable[[Trial], Iterator[Reading]]]] = {
    'gbs': ('GBS-IRL, questions for an action', Trial.gbs),
    'gbs_steps': ('information gain, three steps shown', Trial.gbs_steps),
    'listed': ('demonstrations, the same list of rewards', Trial.listed_demonstrations),
    'ml_answers': ("ML-IRL, GBS-IRL's answers",
                   lambda trial: trial.from_answers(ml_irl, FITTED_ANSWERS)),
    'ml_demos': ('ML-IRL, demonstrations', lambda trial: trial.from_demonstrations(ml_irl)),
    'mce_demos': ('MCE-IRL, demonstrations', lambda trial: trial.from_demonstrations(mce_irl)),
    'walk_answers': ("PolicyWalk, GBS-IRL's answers",
                     lambda trial: trial.from_answers(trial.walked, WALK_ANSWERS)),
    'walk_demos': ('PolicyWalk, demonstrations',
                   lambda trial: trial.from_demonstrations(trial.walked, WALK_DEMONSTRATIONS)),
    'clone_answers': ("cloning, GBS-IRL's answers",
                      lambda trial: trial.from_answers(cloned_policy)),
    'clone_demos': ('cloning, demonstrations',
                    lambda trial: trial.from_demonstrations(cloned_policy)),
    'dagger': ('DAgger', Trial.dagger),
    'lpal_demos': ('LPAL, demonstrations', lambda trial: trial.from_demonstrations(lpal)),
}
# of a trial: GBS-IRL and cloning learn from all answers, six from demonstrations or rounds
READINGS = 2 * len(ANSWERS) + len(FITTED_ANSWERS) + len(SHORT_ANSWERS) \
    + 6 * len(DEMONSTRATIONS) + len(WALK_ANSWERS) + len(WALK_DEMONSTRATIONS)
