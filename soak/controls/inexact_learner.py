"""A learner whose beliefs are off by the last bit of one probability."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gbs_irl_ros.learning import lesson
from gbs_irl_ros.learning.records import BeliefRecord, PolicyRecord
from gbs_irl_ros.nodes import learner

_report = lesson.Lesson.report


def report(self: lesson.Lesson, stamp: int,
           certificate: str = '') -> tuple[PolicyRecord, BeliefRecord]:
    """Return what is known, almost."""
    policy, belief = _report(self, stamp, certificate)
    wrong = np.array(belief.probabilities)
    wrong[0] = np.nextafter(wrong[0], 1.0)
    return policy, replace(belief, probabilities=wrong)


if __name__ == '__main__':
    lesson.Lesson.report = report       # type: ignore[method-assign]
    learner.main()
