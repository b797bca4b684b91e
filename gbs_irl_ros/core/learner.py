"""The learner: ask and tell. Immutable, seeded, and the same whatever carries the answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from gbs_irl_ros.core.answers import ActionAnswer, Answer, DontKnowAnswer, LaterAnswer
from gbs_irl_ros.core.errors import (
    InvalidAnswerError,
    InvalidNoiseError,
    InvalidOptionError,
    InvalidQuestionError,
)
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.mdp import Mdp, check_index, whole_number
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning.greedy_sets import pack, unpack
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.posterior import Posterior, entropy_bits
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.situation import (
    SAME_UTILITY,
    Choice,
    QueryStrategy,
    Situation,
    choose_best,
    row_maxima,
)
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import DEFAULT, StopReason, StopRule
from gbs_irl_ros.core.theory.bounds import ErrorBound, error_bound, void_bound

POSTPONED = 3   # "ask me later" means: after this many other answers
NEIGHBOURS_RATE = 0.5   # a state with W <= 1/2 teaches as much as a disagreeing pair: epsilon / 4


class SupersetWarning(UserWarning):
    """Under the aggregated likelihood some hypotheses can never be rejected."""


class Teachable(Protocol):
    """What the learner needs of a task."""

    @property
    def hypotheses(self) -> Hypotheses:
        """Return the tasks that may be meant."""
        ...

    @property
    def noise(self) -> NoiseModel:
        """Return how the teacher errs."""
        ...

    @property
    def start(self) -> np.ndarray:
        """Return ``[S]``, where the robot may start."""
        ...


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """
    The simplest task: hypotheses, how the teacher errs, and where the robot may start.

    start: ``[S]``, read-only.
    """

    hypotheses: Hypotheses
    noise: NoiseModel
    start: np.ndarray = field(repr=False)

    def __init__(self, hypotheses: Hypotheses, noise: NoiseModel | None = None,
                 start: np.ndarray | None = None) -> None:
        """
        Check the start.

        :param noise: ``NoiseModel()`` if None.
        :param start: uniform if None.
        """
        vars(self).update(hypotheses=hypotheses, noise=noise or NoiseModel(),
                          start=hypotheses.mdp.checked_start(start))


@dataclass(frozen=True, eq=False, init=False)
class Learner:
    """
    Asks questions and works out which task is meant.

    ``ask`` returns the next question, the same one however often it is called; ``tell`` returns a
    new learner that knows one answer more and leaves this one as it is.

    task: what may be meant.
    strategy: how questions are chosen.
    seed: of all choices: question t draws from ``default_rng([seed, t])``.
    noise: how the teacher errs.
    stop: when to stop asking.
    true_gamma: assumed lower bound of the teacher's chance of an optimal answer, or None; only
        the certificate needs it.
    answers: what has been told.
    posterior: what follows from the answers.
    """

    task: Teachable
    strategy: QueryStrategy
    seed: int
    noise: NoiseModel
    stop: StopRule
    true_gamma: float | None
    answers: tuple[Answer, ...]
    posterior: Posterior

    def __init__(self, task: Teachable, strategy: str | QueryStrategy = 'gbs', seed: int = 0,
                 noise: NoiseModel | None = None, stop: StopRule = DEFAULT,
                 true_gamma: float | None = None, *, answers: tuple[Answer, ...] = (),
                 posterior: Posterior | None = None) -> None:
        """
        Start a lesson.

        :param strategy: a name in ``STRATEGIES``, or a strategy made by ``make_strategy``.
        :param noise: as the task says if None.
        :param answers, posterior: leave them to ``tell`` and ``replay``.
        """
        vars(self).update(
            task=task, seed=seed, noise=noise or task.noise, stop=stop, true_gamma=true_gamma,
            strategy=make_strategy(strategy) if isinstance(strategy, str) else strategy,
            answers=answers, posterior=posterior or Posterior(task.hypotheses.log_prior))
        if posterior is None:       # otherwise made by tell or replay from a checked learner
            self._check()

    def __repr__(self) -> str:
        return (f'Learner({self.strategy.name}, seed {self.seed}, {len(self.answers)} answers, '
                f'{self.task.hypotheses}, certainty {self.certainty:.2f})')

    @classmethod
    def for_rewards(cls, mdp: Mdp, rewards: Rewards, strategy: str | QueryStrategy = 'gbs',
                    seed: int = 0, noise: NoiseModel | None = None, stop: StopRule = DEFAULT, *,
                    prior: np.ndarray | None = None, start: np.ndarray | None = None,
                    names: Sequence[str] = ()) -> Learner:
        """
        Plan for every reward and start a lesson in which any of them may be meant.

        :param prior: ``[H]``, positive, normalised here; uniform if None.
        :param start: ``[S]``, where the robot may start; uniform if None.
        :param names: H names for a person, or none.
        """
        hypotheses = Hypotheses.from_rewards(mdp, rewards, prior, names=names)
        return cls(Problem(hypotheses, noise, start), strategy, seed, stop=stop)

    # ---- asking and telling ---------------------------------------------------------------------

    def ask(self, current_state: int | None = None) -> Question | None:
        """
        Return the next question, or None when the learner knows enough.

        :param current_state: where the robot is; some strategies ask there, or plan from there.
        """
        choice = self.choose(current_state)
        return None if choice is None else choice.question

    def choose(self, current_state: int | None = None) -> Choice | None:
        """Return the next question with the utilities it was chosen by."""
        if current_state is not None:
            current_state = self.task.hypotheses.mdp.check_state(
                current_state, InvalidQuestionError, 'current_state')
        if self.stop_reason is not None:
            return None
        rng = np.random.default_rng([self.seed, len(self.answers)])
        return self.strategy.choose(self.situation.at(current_state), rng)

    def tell(self, answer: Answer) -> Learner:
        """Return the learner after an answer, solicited or not; raise if it cannot be used."""
        likelihood = log_likelihood(self.task.hypotheses, self.noise, answer)
        return replace(self, answers=(*self.answers, answer),
                       posterior=self.posterior.updated(likelihood))

    def undo(self) -> Learner:
        """Return the learner before its last answer."""
        if not self.answers:
            raise InvalidAnswerError('there is no answer to take back')
        return self.replay(self.answers[:-1])

    def revise(self, index: int, answer: Answer) -> Learner:
        """Return the learner as if another answer had been given at that place."""
        if not self.answers:
            raise InvalidAnswerError('there is no answer to revise')
        index = check_index('index', index, len(self.answers), InvalidAnswerError)
        return self.replay((*self.answers[:index], answer, *self.answers[index + 1:]))

    def replay(self, answers: Iterable[Answer]) -> Learner:
        """Return the learner with this history instead of its own."""
        learner = replace(self, answers=(), posterior=Posterior(self.task.hypotheses.log_prior))
        for answer in answers:
            learner = learner.tell(answer)
        return learner

    # ---- what is known --------------------------------------------------------------------------

    @cached_property
    def situation(self) -> Situation:
        """Return what strategies choose by."""
        return Situation(self.task.hypotheses, self.noise, self.posterior, self.task.start,
                         closed=self._closed_questions())

    @cached_property
    def stop_reason(self) -> StopReason | None:
        """Return which condition ends the questions and its value; None: there are more."""
        return self.stop.reason(self.situation, len(self.answers))

    @cached_property
    def map_policy(self) -> int:
        """Return the most probable policy h_t, ties broken at random."""
        rng = np.random.default_rng([self.seed, len(self.answers), 1])
        best = choose_best(self.situation.policy_probabilities, rng)
        assert best is not None     # probabilities are finite
        return best

    @cached_property
    def most_probable_reward(self) -> int:
        """Return the most probable of the rewards that lead to that policy, ties at random."""
        rng = np.random.default_rng([self.seed, len(self.answers), 2])
        same = self.task.hypotheses.policy_of_reward == self.map_policy
        best = choose_best(np.where(same, self.posterior.probabilities, -np.inf), rng)
        assert best is not None     # every policy has a reward
        return best

    @property
    def certainty(self) -> float:
        """Posterior probability of the most probable policy."""
        return float(self.situation.policy_probabilities[self.map_policy])

    @property
    def entropy(self) -> float:
        """Entropy of the posterior over policies [bit]."""
        return entropy_bits(self.situation.policy_probabilities)

    @cached_property
    def confidence(self) -> np.ndarray:
        """``[S]``, max_a delta(x, a): posterior mass that calls the surest action optimal."""
        sets = self.task.hypotheses.sets
        return row_maxima(self.situation.optimal_mass)[sets.class_of_state]

    @cached_property
    def policy(self) -> Policy:
        """
        Return what to do now: the most probable policy.

        Under version 3, the set A_c(p, x) of actions that are known to be optimal where there are
        any (``known_above``), and the most probable policy's actions elsewhere.
        """
        hypotheses, mass = self.task.hypotheses, self.situation.optimal_mass
        by_class = hypotheses.sets.bits[:, self.map_policy].astype(np.uint64)
        if self.strategy.known_above is not None:
            known = 2.0 * mass - 1.0 > self.strategy.known_above + SAME_UTILITY
            by_class = np.where(known.any(axis=1), pack(known), by_class)
        allowed = unpack(by_class, mass.shape[1])
        confidence = np.where(allowed, mass, 0.0).max(axis=1)
        class_of_state = hypotheses.sets.class_of_state
        return Policy(by_class[class_of_state], confidence[class_of_state],
                      hypotheses.goal_states(self.most_probable_reward),
                      hypotheses.mdp.num_actions)

    @cached_property
    def certificate(self) -> ErrorBound:
        """Return what the paper guarantees about the error here, or why it guarantees nothing."""
        if self.strategy.version is None:
            return void_bound('the paper bounds the error of gbs, gbs1 and gbs3, not of '
                              f'{self.strategy.name}')
        bound = error_bound(self.task.hypotheses, self.noise, self.strategy.version,
                            self.true_gamma)
        return bound.with_reasons(self._departures(bound))

    # ---- inside ---------------------------------------------------------------------------------

    def _check(self) -> None:
        if self.answers:
            raise InvalidAnswerError('a new learner has no answers; use replay')
        if whole_number('seed', self.seed, InvalidOptionError) < 0:
            raise InvalidOptionError(f'seed must not be negative, got {self.seed}')
        if self.true_gamma is not None and not 0.0 < self.true_gamma <= 1.0:
            raise InvalidNoiseError(f'true_gamma must be in (0, 1], got {self.true_gamma}')
        self.noise.check_fits(self.task.hypotheses.sets)
        self._warn_of_supersets()

    def _departures(self, bound: ErrorBound) -> Iterator[str]:
        """Yield how this history violates the conditions of the bound."""
        if bound.void:
            return
        learner = self.replay(())
        for number, answer in enumerate(self.answers, start=1):
            situation = learner.situation
            lowest = float(situation.weighted_predictions.min())
            if bound.while_divided and lowest > bound.coherence.upper:
                yield (f'before answer {number} no class of states was divided enough: '
                       f'min W was {lowest:.3f}, above c* = {bound.coherence}')
                return
            choice = self.strategy.choose(situation, np.random.default_rng(0))
            if choice is None or not isinstance(answer, ActionAnswer) \
                    or choice.utilities[answer.state] < choice.utilities.max() - SAME_UTILITY:
                yield (f'answer {number} is not the action at a state that {self.strategy.name} '
                       'would have asked about')
                return
            asked_neighbours = choice.utilities.max() >= 1.0
            if bound.version == 1 and not asked_neighbours \
                    and lowest > max(bound.coherence.upper, NEIGHBOURS_RATE):
                yield (f'before answer {number} the printed threshold c_t hid the neighbours that '
                       f'the proof asks about (min W was {lowest:.3f}); gbs1_cstar finds them')
                return
            learner = learner.tell(answer)

    def _closed_questions(self) -> frozenset[Question]:
        """
        Return what the teacher could not answer, or wants to answer later.

        Where the teacher could not show steps, the robot does not ask for a single one either.
        """
        unknown = {answer.question for answer in self.answers
                   if isinstance(answer, DontKnowAnswer)}
        postponed = {answer.question for answer in self.answers[-POSTPONED:]
                     if isinstance(answer, LaterAnswer)}
        closed = unknown | postponed
        return frozenset(closed | {Question(QuestionKind.ACTION, question.state)
                                   for question in closed
                                   if question.kind is QuestionKind.DEMONSTRATION})

    def _warn_of_supersets(self) -> None:
        if self.noise.likelihood is not Likelihood.AGGREGATED:
            return
        pairs = self.task.hypotheses.supersets
        if pairs:
            rewards = self.task.hypotheses
            wide, narrow = (int(np.flatnonzero(rewards.policy_of_reward == policy)[0])
                            for policy in pairs[0])
            warnings.warn(
                f'{len(pairs)} pairs of policies contain one another: if '
                f'{rewards.name(narrow)!r} is meant, no answer can reject {rewards.name(wide)!r} '
                'under the aggregated likelihood; the exact one can', SupersetWarning,
                stacklevel=4)      # over here, _check and __init__
