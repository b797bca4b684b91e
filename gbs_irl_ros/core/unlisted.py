"""
"None of these": how probable answers are if the teacher means a task that is not listed.

Nothing is known of such a task but that it has right answers, too. So every question has an
unknown right answer, each as likely as another, and the teacher errs about it as about any other
task. With n_k answers k to a question of K possible answers, N in all,

    P(answers | none) = sum_e w(e) prod_questions (1/K) sum_k (1 - e)^n_k (e / (K - 1))^(N - n_k),

w as in ``core.error_rates``, but one rate for all kinds of answer. What is said for the first time
is therefore as probable as chance makes it, and what is said again more probable: somebody who
always gives the same answers that no listed task explains does not err, but means something else.

    action, each step of a demonstration   1/A at first; a question is a state
    yes or no                              1/2 at first; a question is a state and an action
    all the same                           1/2 at first, if a listed task is indifferent there;
                                           otherwise 1: the teacher does not care
    both of these are fine                 1/C(A, k) at first, k: how many are named; a question
                                           is a state and k
    reward                                 the mean of exp(-(u - r)^2 / sigma_hat) over all r
                                           between the least and the greatest of all rewards
    a route is what is meant               CLOSING_ERROR; if not, or wrong here, the rest: whatever
                                           is meant, it is not that route
    go here, none of these places          1/K at first, K as in ``core.whole_task_statements``
    never here                             1/2 at first; a question is a region
    that is on the way                     the region's share of all states
    this way or that                       1/3 at first; a question is two ways
    a task of a list, none of these        1/K at first, K: the tasks of the list and "none"
    words                                  the share of policies that they fit
    don't know, later                      1, as under every hypothesis
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    GoHereAnswer,
    LaterAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    RewardAnswer,
    TaskAnswer,
    WordsAnswer,
    WrongHereAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.error_rates import GRID, RatePrior
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import indifferent
from gbs_irl_ros.core.noise import CLOSING_ERROR, NoiseModel
from gbs_irl_ros.core.posterior import log_sum
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.whole_tasks import goal_places, named_by_words

SAME_REWARDS = 1e-6     # of the spread of answers: a narrower range of rewards is one value
LEAST_ERROR = GRID[0]   # that is allowed for, also where none is assumed


class Reply(NamedTuple):
    """Answer ``chosen`` of ``choices`` to a question that was perhaps asked before."""

    question: Hashable
    state: int
    chosen: Hashable
    choices: int


@dataclass(frozen=True, eq=False)
class Unlisted:
    """
    What has been said so far, as far as it matters if none of the listed tasks is meant.

    hypotheses, noise: those that are listed, and how the teacher errs where that is given.
    prior: of the error rate; None: it is given.
    log_weights: ``[G]``, log P(answers, rate | none) of what is right or wrong.
    tallies: by question, how often each answer was given.
    """

    hypotheses: Hypotheses
    noise: NoiseModel
    prior: RatePrior | None
    log_weights: np.ndarray = field(repr=False)
    tallies: Mapping[Hashable, Counter[Hashable]] = field(default_factory=dict)

    @classmethod
    def before_answers(cls, hypotheses: Hypotheses, noise: NoiseModel,
                       prior: RatePrior | None) -> Unlisted:
        """Return what is known before the first answer."""
        weights = np.ones(1) if prior is None \
            else prior.posterior(ActionAnswer.kind, np.array(0.0), np.array(0.0))
        return cls(hypotheses, noise, prior, np.log(weights))

    def told(self, answer: Answer) -> tuple[float, Unlisted]:
        """Return log P(answer | none, answers so far), and what is known after it."""
        rule = _RULES.get(type(answer))
        if rule is None:
            raise InvalidAnswerError(f'answer must be one of core.answers, got {answer!r}')
        answer.check_fits(self.hypotheses.mdp)
        said = rule(self.hypotheses, self.noise, answer)
        if isinstance(said, float):
            return said, self
        after = self
        for reply in said:
            after = after._replied(reply)
        return log_sum(after.log_weights) - log_sum(self.log_weights), after

    def _replied(self, reply: Reply) -> Unlisted:
        before: Counter[Hashable] = self.tallies.get(reply.question, Counter())
        tally = before + Counter([reply.chosen])
        rates, count = self._rates(reply.state), reply.choices
        return replace(
            self, tallies={**self.tallies, reply.question: tally},
            log_weights=self.log_weights + _log_tally(tally, count, rates)
            - _log_tally(before, count, rates))

    def _rates(self, state: int) -> np.ndarray:
        """Return the error rates ``[G]`` that are possible at a state."""
        if self.prior is not None:
            return np.array(self.prior.rates)
        return np.array([max(1.0 - self.noise.rate(state), LEAST_ERROR)])


def _log_tally(tally: Counter[Hashable], count: int, rates: np.ndarray) -> np.ndarray:
    """Return ``[G]``: the log-probability of these answers to one question that has ``count``."""
    if count == 1:
        return np.zeros(len(rates))
    given = np.array([*tally.values(), 0.0])    # and the answers that nobody gave, all alike
    right, wrong = np.log1p(-rates)[:, np.newaxis], np.log(rates / (count - 1))[:, np.newaxis]
    terms = given * right + (given.sum() - given) * wrong
    with np.errstate(divide='ignore'):
        terms[:, -1] += np.log(float(count - len(tally)))
    return np.asarray(np.logaddexp.reduce(terms, axis=1) - math.log(count))


def _action(hypotheses: Hypotheses, noise: NoiseModel, answer: ActionAnswer) -> list[Reply]:
    return [_step(hypotheses, answer.state, answer.action)]


def _demonstration(hypotheses: Hypotheses, noise: NoiseModel,
                   answer: DemonstrationAnswer) -> list[Reply]:
    return [_step(hypotheses, *step) for step in answer.steps]


def _step(hypotheses: Hypotheses, state: int, action: int) -> Reply:
    return Reply(state, state, action, hypotheses.mdp.num_actions)


def _yes_no(hypotheses: Hypotheses, noise: NoiseModel, answer: YesNoAnswer) -> list[Reply]:
    return [Reply((answer.state, answer.action), answer.state, int(answer.yes), 2)]


def _all_the_same(hypotheses: Hypotheses, noise: NoiseModel,
                  answer: AllTheSameAnswer) -> list[Reply]:
    if not indifferent(hypotheses, answer.state).any():
        return []
    return [Reply((answer.state, answer.kind), answer.state, 1, 2)]


def _either(hypotheses: Hypotheses, noise: NoiseModel, answer: EitherAnswer) -> list[Reply]:
    count = len(answer.actions)
    return [Reply((answer.state, answer.kind, count), answer.state, answer.actions,
                  math.comb(hypotheses.mdp.num_actions, count))]


def _reward(hypotheses: Hypotheses, noise: NoiseModel, answer: RewardAnswer) -> float:
    """
    Return the log of the mean of exp(-(u - r)^2 / sigma_hat) over r in [low, high].

    The same as sqrt(pi sigma_hat) times the density of a flat reward told with normal noise.
    """
    from scipy.special import log_ndtr  # slow to import, and not always needed
    low, high = hypotheses.rewards.limits
    spread = math.sqrt(noise.sigma_hat / 2.0)
    below, above = (low - answer.reward) / spread, (high - answer.reward) / spread
    if above - below <= SAME_REWARDS:
        middle = below / 2.0 + above / 2.0
        return -middle * middle / 2.0       # minus infinity where a power would raise
    if below > 0.0:     # by symmetry: small tails are exact, what is left of large ones is not
        below, above = -above, -below
    log_below, log_above = log_ndtr([below, above])
    if log_above == -np.inf:
        return -math.inf
    log_share = log_above + np.log1p(-np.exp(log_below - log_above))
    return float(log_share - math.log((above - below) / math.sqrt(2.0 * math.pi)))


def _route(hypotheses: Hypotheses, noise: NoiseModel,
           answer: ConfirmAnswer | WrongHereAnswer) -> float:
    is_confirmed = isinstance(answer, ConfirmAnswer) and answer.yes
    return math.log(CLOSING_ERROR if is_confirmed else 1.0 - CLOSING_ERROR)


def _go_here(hypotheses: Hypotheses, noise: NoiseModel, answer: GoHereAnswer) -> list[Reply]:
    """Take the place of the region's first goal; all that is not a goal is one place more."""
    places = goal_places(hypotheses)
    met = np.unique(places.cells[:, list(answer.states)].nonzero()[0])
    count = len(places.states)
    return [Reply('where', answer.states[0], int(met[0]) if len(met) else count, count + 1)]


def _never_here(hypotheses: Hypotheses, noise: NoiseModel, answer: NeverHereAnswer) -> list[Reply]:
    return [Reply((answer.kind, answer.states), answer.states[0], 1, 2)]


def _on_the_way(hypotheses: Hypotheses, noise: NoiseModel, answer: OnTheWayAnswer) -> float:
    return math.log(len(answer.states) / hypotheses.mdp.num_states)


def _task(hypotheses: Hypotheses, noise: NoiseModel, answer: TaskAnswer) -> list[Reply]:
    """Whoever means something else may still choose what comes next to it."""
    options = answer.question.options
    return [Reply(('which', options), answer.question.state, options.index(answer.task),
                  len(options) + 1)]


def _none_of_these(hypotheses: Hypotheses, noise: NoiseModel,
                   answer: NoneOfTheseAnswer) -> list[Reply]:
    question = answer.question
    if question.kind is QuestionKind.TASK:
        count = len(question.options)
        return [Reply(('which', question.options), question.state, count, count + 1)]
    count = len(goal_places(hypotheses).states)
    return [Reply('where', question.state, count, count + 1)]


def _compare(hypotheses: Hypotheses, noise: NoiseModel, answer: CompareAnswer) -> list[Reply]:
    return [Reply(answer.question, answer.question.state, answer.better, 3)]


def _words(hypotheses: Hypotheses, noise: NoiseModel, answer: WordsAnswer) -> float:
    return math.log(float(np.mean(named_by_words(hypotheses, answer))))


def _nothing(hypotheses: Hypotheses, noise: NoiseModel, answer: Any) -> float:
    return 0.0


_RULES: dict[type, Callable[..., float | list[Reply]]] = {
    ActionAnswer: _action,
    YesNoAnswer: _yes_no,
    RewardAnswer: _reward,
    DemonstrationAnswer: _demonstration,
    AllTheSameAnswer: _all_the_same,
    EitherAnswer: _either,
    DontKnowAnswer: _nothing,
    LaterAnswer: _nothing,
    ConfirmAnswer: _route,
    WrongHereAnswer: _route,
    GoHereAnswer: _go_here,
    NeverHereAnswer: _never_here,
    OnTheWayAnswer: _on_the_way,
    TaskAnswer: _task,
    NoneOfTheseAnswer: _none_of_these,
    CompareAnswer: _compare,
    WordsAnswer: _words,
}
