"""How many questions are left: lessons simulated from what is believed now."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.teacher import SimulatedTeacher

LESSONS = 20
MOST_ANSWERS = 200


def questions_left(learner: Learner, rng: np.random.Generator, lessons: int = LESSONS,
                   most: int = MOST_ANSWERS) -> float:
    """
    Return the mean number of questions until the learner stops.

    Each lesson draws a task from the posterior and answers with the noise that is assumed. A
    lesson that is not over after ``most`` answers counts as so many.
    """
    hypotheses, total = learner.task.hypotheses, 0
    for _ in range(lessons):
        reward = int(rng.choice(hypotheses.num_rewards, p=learner.posterior.probabilities))
        teacher = _teacher(learner, reward)
        pupil, asked = learner, 0
        while asked < most and (question := pupil.ask()) is not None:
            pupil = pupil.tell(teacher.answer(question, rng))
            asked += 1
        total += asked
    return total / lessons


def _teacher(learner: Learner, index: int) -> SimulatedTeacher:
    """Return a teacher of one of the hypotheses; its policy is known, so nothing is planned."""
    hypotheses = learner.task.hypotheses
    reward = hypotheses.rewards.dense(np.array([index]))[0]
    if hypotheses.rewards.per_action:
        reward = reward.reshape(hypotheses.mdp.num_states, hypotheses.mdp.num_actions)
    sets = hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[index]))
    return SimulatedTeacher(hypotheses.mdp, reward, sets, float(np.mean(learner.noise.gamma_hat)),
                            learner.noise.sigma_hat)
