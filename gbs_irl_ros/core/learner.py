"""The learner: ask and tell. Immutable, seeded, and the same whatever carries the answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gbs_irl_ros.core.answers import Answer, ConfirmAnswer
from gbs_irl_ros.core.asking_again import closed_questions
from gbs_irl_ros.core.belief import Belief
from gbs_irl_ros.core.caution import NOTHING_FITS, PAPER_MODE, Caution
from gbs_irl_ros.core.closing import CLOSING_FROM, Closing
from gbs_irl_ros.core.copying import made, with_fields
from gbs_irl_ros.core.errors import (
    InvalidAnswerError,
    InvalidNoiseError,
    InvalidOptionError,
    InvalidQuestionError,
)
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.lazy import lazy_property
from gbs_irl_ros.core.mdp import Mdp, check_index, whole_number
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning.greedy_sets import pack, unpack
from gbs_irl_ros.core.planning.mass import row_maxima
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.posterior import Posterior, entropy_bits
from gbs_irl_ros.core.problem import Problem, Teachable
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.chosen import chosen_by
from gbs_irl_ros.core.queries.draws import draws
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.queries.situation import (
    SAME_UTILITY,
    Choice,
    QueryStrategy,
    Situation,
    choose_best,
)
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.routes import refused_route
from gbs_irl_ros.core.stopping import DEFAULT, UNCONFIRMED, StopReason, StopRule
from gbs_irl_ros.core.theory.bounds import ErrorBound, error_bound, void_bound
from gbs_irl_ros.core.theory.departures import departures
from gbs_irl_ros.languages.speaking import tr


class SupersetWarning(UserWarning):
    """Under the aggregated likelihood some hypotheses can never be rejected."""


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
    caution: what it allows for beyond the paper.
    answers: what has been told.
    belief: what follows from the answers.
    """

    task: Teachable
    strategy: QueryStrategy
    seed: int
    noise: NoiseModel
    stop: StopRule
    true_gamma: float | None
    caution: Caution
    answers: tuple[Answer, ...]
    belief: Belief

    def __init__(self, task: Teachable, strategy: str | QueryStrategy = 'gbs', seed: int = 0,
                 noise: NoiseModel | None = None, stop: StopRule = DEFAULT,
                 true_gamma: float | None = None, caution: Caution = PAPER_MODE, *,
                 answers: tuple[Answer, ...] = (), belief: Belief | None = None) -> None:
        """
        Start a lesson.

        :param strategy: a name in ``STRATEGIES``, or a strategy made by ``make_strategy``.
        :param noise: as the task says if None.
        :param answers, belief: leave them to ``tell`` and ``replay``.
        """
        noise = noise or task.noise
        vars(self).update(
            task=task, seed=seed, noise=noise, stop=stop, true_gamma=true_gamma, caution=caution,
            strategy=make_strategy(strategy) if isinstance(strategy, str) else strategy,
            answers=answers,
            belief=belief or Belief.before_answers(task.hypotheses, noise, caution, task.start))
        if belief is None:          # otherwise made by tell or replay from a checked learner
            self._check()

    def __repr__(self) -> str:
        return (f'Learner({self.strategy.name}, seed {self.seed}, {len(self.answers)} answers, '
                f'{self.task.hypotheses}, certainty {self.certainty:.2f})')

    @classmethod
    def for_rewards(cls, mdp: Mdp, rewards: Rewards, strategy: str | QueryStrategy = 'gbs',
                    seed: int = 0, noise: NoiseModel | None = None, stop: StopRule = DEFAULT, *,
                    prior: np.ndarray | None = None, start: np.ndarray | None = None,
                    names: Sequence[str] = (), caution: Caution = PAPER_MODE) -> Learner:
        """
        Plan for every reward and start a lesson in which any of them may be meant.

        :param prior: ``[H]``, positive, normalised here; uniform if None.
        :param start: ``[S]``, where the robot may start; uniform if None.
        :param names: H names for a person, or none.
        """
        hypotheses = Hypotheses.from_rewards(mdp, rewards, prior, names=names)
        return cls(Problem(hypotheses, noise, start), strategy, seed, stop=stop, caution=caution)

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
        if self.caution.closing_question and self._is_nearly_sure \
                and (closing := self._closing_choice()) is not None \
                and self._may_close(closing.question):
            return closing
        situation, rng = self.situation.at(current_state), self._rng()
        choice = self._refusal_choice() or chosen_by(self.strategy, situation, rng) \
            or self._insisting_choice(situation)
        if choice is not None or self._is_confirmed:
            return choice
        # It has nothing to ask, but a lesson does not end without a yes.
        return self._closing_choice() or GbsQuery().choose(situation, rng)

    def tell(self, answer: Answer) -> Learner:
        """Return the learner after an answer, solicited or not; raise if it cannot be used."""
        return with_fields(self, answers=(*self.answers, answer), belief=self.belief.told(answer))

    def undo(self) -> Learner:
        """Return the learner before its last answer."""
        if not self.answers:
            raise InvalidAnswerError(tr('there is no answer to take back'))
        return self.replay(self.answers[:-1])

    def revise(self, index: int, answer: Answer) -> Learner:
        """Return the learner as if another answer had been given at that place."""
        if not self.answers:
            raise InvalidAnswerError('there is no answer to revise')
        index = check_index('index', index, len(self.answers), InvalidAnswerError)
        return self.replay((*self.answers[:index], answer, *self.answers[index + 1:]))

    def replay(self, answers: Iterable[Answer]) -> Learner:
        """Return the learner with this history instead of its own."""
        learner = replace(self, answers=(), belief=Belief.before_answers(
            self.task.hypotheses, self.noise, self.caution, self.task.start))
        for answer in answers:
            learner = learner.tell(answer)
        return learner

    # ---- what is known --------------------------------------------------------------------------

    @property
    def posterior(self) -> Posterior:
        """Return what is believed of the tasks."""
        return self.belief.posterior

    @lazy_property
    def situation(self) -> Situation:
        """Return what strategies choose by."""
        closed = closed_questions(self.answers, insists=not self.caution.closing_question)
        has_map = getattr(self.task, 'has_map', True)       # tasks of others need not say it
        posterior = self.belief.posterior
        return made(Situation, hypotheses=self.belief.hypotheses, noise=self.noise,
                    posterior=posterior.among_listed, start=self.task.start, current_state=None,
                    closed=closed, none_of_these=posterior.none_of_these, rates=self.belief.rates,
                    has_map=has_map)

    @lazy_property
    def stop_reason(self) -> StopReason | None:
        """Return which condition ends the questions and its value; None: there are more."""
        reason = self._rule_reason
        if reason is None or reason[0] in UNCONFIRMED or self._is_confirmed:
            return reason
        return None

    @lazy_property
    def map_policy(self) -> int:
        """Return the most probable policy h_t, ties broken at random."""
        best = choose_best(self.situation.policy_probabilities, self._rng(1))
        assert best is not None     # probabilities are finite
        return best

    @lazy_property
    def most_probable_reward(self) -> int:
        """Return the most probable of the rewards that lead to that policy, ties at random."""
        same = self.task.hypotheses.policy_of_reward == self.map_policy
        best = choose_best(np.where(same, self.situation.posterior.probabilities, -np.inf),
                           self._rng(2))
        assert best is not None     # every policy has a reward
        return best

    @property
    def certainty(self) -> float:
        """Posterior probability of the most probable policy."""
        return self.situation.listed * float(self.situation.policy_probabilities[self.map_policy])

    @property
    def none_of_these(self) -> float:
        """Posterior probability that none of the listed tasks is meant."""
        return self.posterior.none_of_these

    @property
    def nothing_fits(self) -> bool:
        """Tell whether "none of these" is too probable to conclude that a listed task is meant."""
        return self.none_of_these >= NOTHING_FITS

    @property
    def entropy(self) -> float:
        """Entropy of the posterior over policies and "none of these" [bit]."""
        listed = self.situation.listed
        which = listed * entropy_bits(self.situation.policy_probabilities)
        return which + entropy_bits(np.array([listed, self.none_of_these]))

    @lazy_property
    def confidence(self) -> np.ndarray:
        """``[S]``, max_a delta(x, a): posterior mass that calls the surest action optimal."""
        sets, situation = self.task.hypotheses.sets, self.situation
        return (situation.listed * row_maxima(situation.optimal_mass))[sets.class_of_state]

    @property
    def missing_yeses(self) -> int:
        """Return how many yeses, more than noes, closing questions still need."""
        return self._closing.missing_yeses

    @lazy_property
    def evidence(self) -> tuple[float, ...]:
        """
        For each answer, ln P(answer | a listed task is meant) - ln P(answer | none is).

        Given the answers before it: the sum is how far the log-odds of "one of these" have moved.
        Negative: this answer speaks for "none of these". Independent of their prior.
        """
        found, belief = [], self.replay(()).belief.weighing_none()
        for answer in self.answers:
            found.append(belief.evidence(answer))
            belief = belief.told(answer)
        return tuple(found)

    def unexplained_answers(self) -> dict[int, float]:
        """
        Return the answers that the most probable task does not explain, by their index.

        With each the evidence against that task, ln P(answer | chance) - ln P(answer | task) > 0,
        at the error rates that are believed now: what would have to be an error of the teacher.
        """
        against = {index: -self.belief.evidence_for(self.most_probable_reward, answer)
                   for index, answer in enumerate(self.answers)}
        return {index: excess for index, excess in against.items() if excess > 0.0}

    @lazy_property
    def policy(self) -> Policy:
        """
        Return what to do now: the most probable policy.

        Under version 3, the set A_c(p, x) of actions that are known to be optimal where there are
        any (``known_above``), and the most probable policy's actions elsewhere.
        """
        hypotheses, mass = self.task.hypotheses, self.situation.optimal_mass
        allowed, reward = unpack(self._sets_by_class, mass.shape[1]), self.most_probable_reward
        confidence = self.situation.listed * np.where(allowed, mass, 0.0).max(axis=1)
        return Policy(self._action_sets, confidence[hypotheses.sets.class_of_state],
                      hypotheses.goal_states(reward), hypotheses.mdp.num_actions,
                      hypotheses.never_states(reward))

    @lazy_property
    def certificate(self) -> ErrorBound:
        """Return what the paper guarantees about the error here, or why it guarantees nothing."""
        if self.strategy.version is None:
            return void_bound('the paper bounds the error of gbs, gbs1 and gbs3, not of '
                              f'{self.strategy.name}')
        if self.caution != PAPER_MODE:
            return void_bound('the paper bounds the error where one of the listed tasks is meant '
                              'for certain, the error rate is given and no closing question is '
                              'asked')
        bound = error_bound(self.task.hypotheses, self.noise, self.strategy.version,
                            self.true_gamma)
        return bound.with_reasons(departures(self, bound))

    # ---- inside ---------------------------------------------------------------------------------

    @lazy_property
    def _sets_by_class(self) -> np.ndarray:
        """``[N]``, the actions of the policy in each class, as bits."""
        sets, mass = self.task.hypotheses.sets, self.situation.optimal_mass
        by_class = sets.bits[:, self.map_policy].astype(np.uint64)
        if self.strategy.known_above is None:
            return by_class
        predictions = 2.0 * self.situation.listed * mass - 1.0
        known = predictions > self.strategy.known_above + SAME_UTILITY
        return np.where(known.any(axis=1), pack(known), by_class)

    @property
    def _action_sets(self) -> np.ndarray:
        """``[S]``, the actions of the policy."""
        return np.asarray(self._sets_by_class[self.task.hypotheses.sets.class_of_state])

    @lazy_property
    def _closing(self) -> Closing:
        """Return what there is to ask about the policy before it counts as learned."""
        return Closing(self.situation, self.answers, self.map_policy, self._action_sets)

    @property
    def _is_confirmed(self) -> bool:
        return not self.caution.closing_question or self.missing_yeses <= 0

    @lazy_property
    def _rule_reason(self) -> StopReason | None:
        """Return why the rule would stop, confirmed or not."""
        return self.stop.reason(self.situation, len(self.answers))

    def _rng(self, *purpose: int) -> np.random.Generator:
        return draws(self.seed, len(self.answers), *purpose)

    def _closing_choice(self) -> Choice | None:
        """Return the closing question; None if there is none now."""
        return self._closing.choice() if self.caution.closing_question else None

    @property
    def _is_nearly_sure(self) -> bool:
        """Tell whether it is time to look for a route: that takes longer than a question."""
        return self._rule_reason is not None or (
            self.certainty >= CLOSING_FROM and self.stop.wanted_certainty <= 1.0)

    def _may_close(self, question: Question) -> bool:
        """Tell whether a yes to the closing question would satisfy the stop rule."""
        return self._rule_reason is not None \
            or self.tell(ConfirmAnswer(question, yes=True))._rule_reason is not None

    def _refusal_choice(self) -> Choice | None:
        """
        Return what to ask after a no.

        A strategy that chooses among kinds of question finds something better itself.
        """
        if not refused_route(self.answers) or len(self.strategy.kinds) > 1:
            return None
        return self._closing.after_no()

    def _insisting_choice(self, situation: Situation) -> Choice | None:
        """Return what to ask where nothing is left but what was answered just now."""
        closed = closed_questions(self.answers)
        return None if closed == situation.closed \
            else chosen_by(self.strategy, replace(situation, closed=closed), self._rng())

    def _check(self) -> None:
        if self.answers:
            raise InvalidAnswerError('a new learner has no answers; use replay')
        if not isinstance(self.strategy, QueryStrategy):
            raise InvalidOptionError('strategy must be a name or a strategy, such as GbsQuery(), '
                                     f'got {self.strategy!r}')
        if whole_number('seed', self.seed, InvalidOptionError) < 0:
            raise InvalidOptionError(f'seed must not be negative, got {self.seed}')
        if self.true_gamma is not None and not 0.0 < self.true_gamma <= 1.0:
            raise InvalidNoiseError(f'true_gamma must be in (0, 1], got {self.true_gamma}')
        self.noise.check_hypotheses(self.task.hypotheses)
        self.caution.check_fits(self.noise)
        self._warn_of_supersets()

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
