"""How many questions are left: at a guess, or by lessons simulated from what is believed now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import entr

from gbs_irl_ros.core.answers import RATED_KINDS
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.posterior import entropy_bits
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stop_conditions import Conformal
from gbs_irl_ros.core.stopping import StopRule
from gbs_irl_ros.core.teacher import SimulatedTeacher

LESSONS = 20
CALIBRATION_LESSONS = 100
MAX_ANSWERS = 200


def about_questions_left(learner: Learner, question: Question | None) -> float | None:
    """
    Return a guess that takes no time: bits to be learned, by the bits that the question brings.

    What remains to be learned is the entropy of the policies, less what a certainty c leaves: h(c)
    with the rest on one rival. None where the learner does not stop by certainty, where nothing is
    known of the question, or where questions can hardly tell the rest apart.
    """
    certainty = learner.stop.wanted_certainty
    if question is None or certainty > 1.0:
        return None
    if question.kind is QuestionKind.CONFIRM:
        return float(max(1, learner.missing_yeses))
    gain = expected_information(learner, question)
    entropy = entropy_bits(learner.situation.policy_probabilities)
    missing = max(0.0, entropy - entropy_bits(np.array([certainty, 1.0 - certainty])))
    left = max(1.0, missing / gain) if gain > 0.0 else np.inf
    if learner.stop.max_answers is not None:
        left = min(left, max(0, learner.stop.max_answers - len(learner.answers)))
    return left if left < MAX_ANSWERS else None


def expected_information(learner: Learner, question: Question) -> float:
    """
    Return the mutual information of the answer and the policy [bit], if a listed one is meant.

    The teacher's error rate, where that is learned, is integrated out: what an answer says about
    it does not count. A demonstration counts as one answer, a reward as told without any error.
    """
    hypotheses, state = learner.task.hypotheses, question.state
    if question.kind is QuestionKind.REWARD:
        rewards = hypotheses.rewards.column(state, question.action)
        values, group = np.unique(rewards, return_inverse=True)
        both = hypotheses.policy_of_reward * len(values) + group
        believed = learner.situation.posterior.probabilities
        told, which, together = (entropy_bits(np.bincount(kind, weights=believed))
                                 for kind in (group, hypotheses.policy_of_reward, both))
        return max(0.0, told + which - together)
    situation = learner.situation
    if question.kind in (QuestionKind.YES_NO, QuestionKind.CONFIRM):
        yes = situation.confirm_chances(question.route) if question.route \
            else situation.yes_chances(state, question.action or 0)
        chances = np.stack([yes, 1.0 - yes], axis=1)
    else:
        chances = situation.action_chances(state)
    believed = situation.policy_probabilities
    within = float(believed @ entr(chances).sum(axis=1)) / np.log(2.0)
    return max(0.0, entropy_bits(believed @ chances) - within)


def questions_left(learner: Learner, rng: np.random.Generator, lessons: int = LESSONS,
                   most: int = MAX_ANSWERS) -> float:
    """
    Return the mean number of questions until the learner stops.

    Each lesson draws a listed task from the posterior and answers with the noise that is assumed,
    or expected where the error rate is learned. A lesson that is not over after ``most`` answers
    counts as ``most``.
    """
    hypotheses, total = learner.task.hypotheses, 0
    for _ in range(lessons):
        reward = int(rng.choice(hypotheses.num_rewards,
                                p=learner.situation.posterior.probabilities))
        total += _taught(learner, reward, rng, most)[1]
    return total / lessons


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
        reward = int(rng.choice(hypotheses.num_rewards,
                                p=learner.situation.posterior.probabilities))
        pupil, _ = _taught(learner, reward, rng, most)
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


def _taught(learner: Learner, reward: int, rng: np.random.Generator,
            most: int) -> tuple[Learner, int]:
    """Return the learner at the end of a simulated lesson, and how much was asked."""
    teacher = SimulatedTeacher.for_hypothesis(
        learner.task.hypotheses, reward, _accuracy(learner, reward), learner.noise.sigma_hat)
    asked = 0
    while asked < most and (question := learner.ask()) is not None:
        learner = learner.tell(teacher.answer(question, rng))
        asked += 1
    return learner, asked
