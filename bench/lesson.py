"""A simulated lesson with a clock: how long each question takes."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np

from bench.plain_numpy import PlainLearner
from gbs_irl_ros.core import ActionAnswer, Hypotheses, Learner, SimulatedTeacher

RIGHT = 0.9     # how often the teacher gives an optimal answer


@dataclass
class Times:
    """
    Of all questions of a lesson, or of several.

    first: to the first question of a learner [s].
    ours: from an answer to the next question, `tell` and `ask` [s].
    plain: the same in plain numpy, as far as that was run along [s].
    careful: the same by a learner that also learns how often the teacher errs [s].
    disagreements: questions that the plain version would not have asked.
    """

    first: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    careful: list[float] = field(default_factory=list)
    disagreements: int = 0


def teacher_of(hypotheses: Hypotheses, reward: int) -> SimulatedTeacher:
    """Return a teacher who means one of the hypotheses; its policy is known already."""
    return SimulatedTeacher.for_hypothesis(hypotheses, reward, RIGHT)


def run_lesson(learner: Learner, teacher: SimulatedTeacher, questions: int,
               rng: np.random.Generator, times: Times, plain: PlainLearner | None = None,
               careful: Learner | None = None) -> None:
    """
    Ask and answer until the learner knows enough, or so many times.

    :param plain, careful: told the same answers, in turns with ours.
    """
    started = time.perf_counter()
    question = learner.ask()
    times.first.append(time.perf_counter() - started)
    for _ in range(questions):
        if question is None:
            return
        answer = teacher.answer(question, rng)
        assert isinstance(answer, ActionAnswer)
        started = time.perf_counter()
        learner = learner.tell(answer)
        question = learner.ask()
        if question is not None:        # a learner that knows enough does not look for one
            times.ours.append(time.perf_counter() - started)
        if careful is not None:
            started = time.perf_counter()
            careful = careful.tell(answer)
            if careful.ask() is not None:
                times.careful.append(time.perf_counter() - started)
        if plain is not None:
            started = time.perf_counter()
            plain.tell(answer.state, answer.action)
            if plain.ask(learner.stop.certainty or math.inf) is not None:
                times.plain.append(time.perf_counter() - started)
            times.disagreements += question is not None \
                and question.state not in plain.best_states(plain.share())
