"""How many answers a lesson still takes, by lessons simulated from what is believed beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.answers import RATED_KINDS, ConfirmAnswer
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stop_conditions import Conformal
from gbs_irl_ros.core.stopping import StopRule
from gbs_irl_ros.core.teacher import SimulatedTeacher

LESSONS = 20
CALIBRATION_LESSONS = 100
MAX_ANSWERS = 200       # a lesson that is not over by then has no end
MAX_ENDLESS = LESSONS // 10     # lessons without an end that a forecast may leave out
SEED = 0                # of simulated lessons, so that a task has the same forecast everywhere
RANGE = (50.0, 10.0, 90.0)      # percentiles: 8 of 10 lessons are between the last two


@dataclass(frozen=True)
class Forecast:
    """
    How many more answers a lesson takes, closing questions included.

    likely: half of the simulated lessons take no more. fewest, most: 8 of 10 are between.
    """

    likely: int
    fewest: int
    most: int

    @property
    def has_end(self) -> bool:
        """Tell whether questions can tell apart what may be meant, in 9 of 10 lessons."""
        return self.most < MAX_ANSWERS


class Moment(NamedTuple):
    """
    What a lesson was like before a question, as far as it says how long the rest takes.

    entropy: of what may be meant [bit]. yeses: to closing questions so far.
    closing: whether the question is another one.
    """

    entropy: float
    yeses: int
    closing: bool

    @classmethod
    def of(cls, learner: Learner, question: Question) -> Moment:
        """Return the moment at which a learner asks this."""
        yeses = sum(isinstance(answer, ConfirmAnswer) and bool(answer.yes)
                    for answer in learner.answers)
        return cls(learner.entropy, yeses, question.kind is QuestionKind.CONFIRM)


@dataclass(frozen=True, eq=False)
class Outlook:
    """
    How simulated lessons of a task went: from them one tells how long another one will take.

    In each of them a listed task was drawn from what is believed beforehand, and the teacher erred
    as often as is assumed, or expected where the error rate is learned.

    lessons: the moments of each, ``[asked, 3]``.
    lengths: how many answers each took; ``MAX_ANSWERS``: it was not over by then.
    """

    lessons: tuple[np.ndarray, ...]
    lengths: tuple[int, ...]

    @classmethod
    def simulated(cls, learner: Learner,
                  progress: Callable[[int, int], None] = lambda done, total: None,
                  is_over: Callable[[], bool] = lambda: False) -> Outlook:
        """
        Simulate lessons of a learner, which must stop by itself; answers so far count.

        :param is_over: asked before each question; once it says so, the lessons that have ended
            are all there are.
        """
        lessons, lengths, rng = [], [], np.random.default_rng(SEED)
        for number in range(LESSONS):
            moments = _moments(learner, rng, is_over)
            if moments is None:
                break
            lessons.append(np.array(moments, dtype=np.float64).reshape(-1, 3))
            lengths.append(len(moments))
            progress(number + 1, LESSONS)
            if sum(length >= MAX_ANSWERS for length in lengths) > MAX_ENDLESS:
                break       # no end is in sight: all others would not change that
        return cls(tuple(lessons), tuple(lengths))

    @property
    def is_endless(self) -> bool:
        """Tell whether questions can hardly tell apart what may be meant."""
        return sum(length >= MAX_ANSWERS for length in self.lengths) > MAX_ENDLESS

    @property
    def whole(self) -> Forecast:
        """Return how many answers a whole lesson takes."""
        return self._of(np.array(self.lengths))

    def forecast(self, learner: Learner, question: Question) -> Forecast:
        """Return how many answers are left to a learner that asks this, this one included."""
        now, left = np.array(Moment.of(learner, question), dtype=np.float64), []
        for lesson, length in zip(self.lessons, self.lengths, strict=True):
            if len(lesson):     # from the moment on that is most like this one
                nearest = int(np.abs(lesson - now).sum(axis=1).argmin())
                left.append(MAX_ANSWERS if length >= MAX_ANSWERS else length - nearest)
        return self._of(np.array(left)) if left else Forecast(1, 1, 1)

    def _of(self, counts: np.ndarray) -> Forecast:
        if self.is_endless:
            return Forecast(MAX_ANSWERS, MAX_ANSWERS, MAX_ANSWERS)
        likely, fewest, most = np.percentile(counts, RANGE, method='inverted_cdf')
        return Forecast(int(likely), int(fewest), int(most))


def _moments(learner: Learner, rng: np.random.Generator,
             is_over: Callable[[], bool]) -> list[Moment] | None:
    """Return the moments of a simulated lesson; None if the time was over before its end."""
    teacher, found = _teacher(learner, _drawn(learner, rng)), list[Moment]()
    while len(found) < MAX_ANSWERS:
        if is_over():
            return None
        if (question := learner.ask()) is None:
            break
        found.append(Moment.of(learner, question))
        learner = learner.tell(teacher.answer(question, rng))
    return found


def _drawn(learner: Learner, rng: np.random.Generator) -> int:
    """Return a reward that may be meant."""
    return int(rng.choice(learner.task.hypotheses.num_rewards,
                          p=learner.situation.posterior.probabilities))


def _teacher(learner: Learner, reward: int) -> SimulatedTeacher:
    return SimulatedTeacher.for_hypothesis(
        learner.task.hypotheses, reward, _accuracy(learner, reward), learner.noise.sigma_hat)


def _accuracy(learner: Learner, reward: int) -> float:
    """Return how often the teacher is expected to be right if a reward is meant."""
    rates = learner.belief.rates
    if rates is None:
        return float(np.mean(learner.noise.gamma_hat))
    policy = learner.task.hypotheses.policy_of_reward[reward]
    kind = learner.strategy.kinds[0].value
    return float(rates.accuracy(kind if kind in RATED_KINDS else 'action')[policy])


def calibrated(learner: Learner, rng: np.random.Generator, certainty: float = 0.95,
               lessons: int = CALIBRATION_LESSONS, most: int = MAX_ANSWERS) -> Conformal:
    """
    Return the conformal condition for lessons like this one, which must stop by itself.

    In each simulated lesson a task is drawn from what is believed now, and the learner taught
    until it stops; the score is the probability that the right policy has then.
    """
    hypotheses, reached = learner.task.hypotheses, []
    for _ in range(lessons):
        reward = _drawn(learner, rng)
        pupil = _taught(learner, reward, rng, most)
        policy = hypotheses.policy_of_reward[reward]
        reached.append(pupil.situation.listed
                       * float(pupil.situation.policy_probabilities[policy]))
    return Conformal.from_scores(reached, certainty)


def with_calibration(learner: Learner) -> Learner:
    """Return a new learner that stops as it should: a conformal condition is calibrated first."""
    condition = learner.stop.condition
    if not isinstance(condition, Conformal):
        return learner
    pupil = replace(learner, stop=StopRule(condition.certainty))
    made = calibrated(pupil, np.random.default_rng(learner.seed), condition.certainty)
    return replace(learner, stop=replace(learner.stop, condition=made))


def _taught(learner: Learner, reward: int, rng: np.random.Generator, most: int) -> Learner:
    """Return the learner at the end of a simulated lesson."""
    teacher, asked = _teacher(learner, reward), 0
    while asked < most and (question := learner.ask()) is not None:
        learner = learner.tell(teacher.answer(question, rng))
        asked += 1
    return learner
