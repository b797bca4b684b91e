"""What a learner doubts: how often the teacher is right."""

from __future__ import annotations

from collections import Counter

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.learning.records import NOT_ESTIMATED

USUAL_KIND = 'action'       # whose rate is told before any answer


def error_rate(learner: Learner) -> float:
    """
    Return the estimated chance that an answer is wrong, NOT_ESTIMATED if that is given.

    Of several kinds of answer each counts as often as it was given.
    """
    belief = learner.belief
    if belief.rates is None:
        return NOT_ESTIMATED
    kinds = Counter(answer.kind for answer in learner.answers if answer.has_rate) \
        or Counter([USUAL_KIND])
    return sum(count * belief.error_rate(kind).mean
               for kind, count in kinds.items()) / kinds.total()
