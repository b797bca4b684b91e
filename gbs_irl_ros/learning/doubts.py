"""What a learner doubts: how often the teacher is right, and that a listed task is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gbs_irl_ros.core.caution import PAPER_MODE, Caution
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.records import NOT_ESTIMATED
from gbs_irl_ros.learning.sentences import nothing_fits_text, ways_on

MAX_UNEXPLAINED = 100       # answers that are told
USUAL_KIND = 'action'       # whose rate is told before any answer


def known_caution(settings: dict[str, Any], caution: Caution) -> Caution:
    """Return the caution without what the version that wrote these settings did not know."""
    if settings and 'none_of_these' not in settings:
        return PAPER_MODE
    return caution if not settings or 'closing_question' in settings \
        else replace(caution, closing_question=False)


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


def unexplained(learner: Learner) -> tuple[int, ...]:
    """Return which answers the most probable task contradicts, the worst, if nothing fits."""
    if not learner.nothing_fits:
        return ()
    against = learner.unexplained_answers()
    worst = sorted(against, key=lambda index: (-against[index], index))[:MAX_UNEXPLAINED]
    return tuple(sorted(worst))


def misfit_text(learner: Learner, numbers: Sequence[int] = (), *, has_map: bool) -> str:
    """
    Return that no listed task explains the answers, which of them, and what to do.

    :param numbers: of the answers, where other things are counted, too.
    :param has_map: places can be shown.
    """
    numbers = [numbers[index] if numbers else index + 1 for index in unexplained(learner)]
    return (f'{nothing_fits_text(learner.task.hypotheses.num_rewards, numbers)} '
            f'{ways_on(has_map=has_map)}')


def trusted_policy(learner: Learner) -> Policy:
    """Return what to do, without any confidence while nothing fits: no robot follows that."""
    policy = learner.policy
    return policy if not learner.nothing_fits \
        else replace(policy, confidence=np.zeros(policy.num_states))
