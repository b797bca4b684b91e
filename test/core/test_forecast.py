from __future__ import annotations

import numpy as np
import pytest
from worlds import threshold_corridor

from gbs_irl_ros.core import ActionAnswer, Learner, NoiseModel, Problem, StopRule
from gbs_irl_ros.core.forecast import questions_left


def learner_of(length, gamma, certainty=0.95):
    problem = Problem(threshold_corridor(length), NoiseModel(gamma))
    return Learner(problem, stop=StopRule(certainty=certainty))


def test_an_errorless_teacher_needs_the_binary_logarithm(rng):
    """Eight policies that halve with every answer: three questions, whichever is meant."""
    learner = learner_of(9, 1.0)
    assert learner.task.hypotheses.num_policies == 8
    assert questions_left(learner, rng) == 3.0


def test_fewer_are_left_after_answers(rng):
    before = learner_of(33, 0.9)
    after = before
    for _ in range(3):
        state = after.ask().state
        after = after.tell(ActionAnswer(state, int(state < 10)))
    assert questions_left(after, rng) < questions_left(before, rng)


def test_noise_costs_questions(rng):
    assert questions_left(learner_of(17, 0.75), rng) > questions_left(learner_of(17, 0.95), rng)


def test_none_are_left_when_it_knows(rng):
    assert questions_left(learner_of(9, 0.9, certainty=0.01), rng) == 0.0


def test_a_lesson_that_does_not_end_counts_as_the_limit(rng):
    learner = Learner(Problem(threshold_corridor(9)), stop=StopRule())
    assert questions_left(learner, rng, lessons=2, most=7) == 7.0


def test_the_same_seed_gives_the_same_forecast():
    learner = learner_of(17, 0.9)
    first, second = (questions_left(learner, np.random.default_rng(4)) for _ in range(2))
    assert first == pytest.approx(second, abs=0.0)
