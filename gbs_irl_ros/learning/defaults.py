"""What a lesson with a person is like unless somebody wants it otherwise."""

from __future__ import annotations

from gbs_irl_ros.core.caution import CAREFUL, caution_for
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.queries.bits_per_second import BitsPerSecondQuery
from gbs_irl_ros.core.stopping import DEFAULT, USUAL_CONDITION, make_stop_rule
from gbs_irl_ros.tasks.task import Task


def usual_learner(task: Task) -> Learner:
    """Return a learner as the learner node and ``gbs-irl ask`` make it by default."""
    return Learner(task, BitsPerSecondQuery(),
                   stop=make_stop_rule(USUAL_CONDITION, DEFAULT.certainty or 0.0),
                   caution=caution_for(task.noise, CAREFUL.none_of_these, learn_error_rate=True,
                                       closing_question=CAREFUL.closing_question))
