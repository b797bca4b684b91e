"""An own office of twelve tasks whose place is soon clear: a lesson ends after a few answers."""

from __future__ import annotations

import numpy as np
import pytest

from gbs_irl_ros.core import CAREFUL, Learner, SimulatedTeacher
from gbs_irl_ros.core.regret import loses_nothing
from gbs_irl_ros.core.stopping import DEFAULT, USUAL_CONDITION, make_stop_rule
from gbs_irl_ros.learning.defaults import usual_learner
from gbs_irl_ros.tasks import load_task

OFFICE = """\
format: 1
name: office
world:
  kind: grid
  map: |
    ............
    .....rr.....
    .....rr.....
    p..........k
    p....cc....k
    .....cc.....
    ............
    ............
    ......d.....
  legend: {r: rug, p: printer, k: kitchen, c: cables, d: desk}
  moves: [north, east, south, west, stay]
hypotheses:
  kind: places
  places: [printer, kitchen, desk]
  over:
    rug: [free, never]
    cables: [free, rather not]
start: [desk]
"""
FEW = 7         # answers, at least two of them to closing questions
FEW_BY_DEFAULT = 6


@pytest.fixture(scope='module')
def office(tmp_path_factory):
    file = tmp_path_factory.mktemp('tasks') / 'office.yaml'
    file.write_text(OFFICE)
    task = load_task(file)
    task.compile()
    return task


def taught(office, learner, meant, seed=0):
    """Return the learner after a lesson with somebody who never errs, at most 30 answers."""
    teacher = SimulatedTeacher.for_hypothesis(office.hypotheses, meant, 1.0)
    rng = np.random.default_rng(100 * seed + meant)
    while (question := learner.ask()) is not None and len(learner.answers) < 30:
        learner = learner.tell(teacher.answer(question, rng))
    return learner


def test_a_lesson_is_over_when_the_rest_does_not_matter(office):
    usual, certain = (
        [taught(office, Learner(office, stop=stop, caution=CAREFUL), meant)
         for meant in range(office.hypotheses.num_rewards)]
        for stop in (make_stop_rule(USUAL_CONDITION, DEFAULT.certainty), DEFAULT))
    assert len(usual) == 12
    assert max(len(learner.answers) for learner in usual) <= FEW
    assert max(len(learner.answers) for learner in certain) > 2 * FEW
    for meant, learner in enumerate(usual):
        assert learner.stop_reason is not None
        assert loses_nothing(office.hypotheses, office.start, learner.map_policy,
                             office.hypotheses.policy_of_reward[[meant]]).all()


def test_the_learner_as_it_is_by_default_needs_at_most_six_answers(office):
    for seed in range(3):
        for meant in range(office.hypotheses.num_rewards):
            learner = taught(office, usual_learner(office), meant, seed)
            assert learner.stop_reason is not None, (seed, meant)
            assert len(learner.answers) <= FEW_BY_DEFAULT, (seed, meant)
            assert loses_nothing(office.hypotheses, office.start, learner.map_policy,
                                 office.hypotheses.policy_of_reward[[meant]]).all(), (seed, meant)
