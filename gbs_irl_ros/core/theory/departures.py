"""Where a lesson left what the paper's proofs assume: then its bound says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.core.queries.situation import SAME_UTILITY
from gbs_irl_ros.core.theory.bounds import ErrorBound

if TYPE_CHECKING:
    from gbs_irl_ros.core.learner import Learner

NEIGHBOURS_RATE = 0.5   # a state with W <= 1/2 teaches as much as a disagreeing pair: epsilon / 4


def departures(learner: Learner, bound: ErrorBound) -> Iterator[str]:
    """Yield how the history of a learner violates the conditions of its bound."""
    if bound.void:
        return
    answers, strategy = learner.answers, learner.strategy
    learner = learner.replay(())
    for number, answer in enumerate(answers, start=1):
        situation = learner.situation
        lowest = float(situation.weighted_predictions.min())
        if bound.while_divided and lowest > bound.coherence.upper:
            yield (f'before answer {number} no class of states was divided enough: '
                   f'min W was {lowest:.3f}, above c* = {bound.coherence}')
            return
        choice = strategy.choose(situation, np.random.default_rng(0))
        if choice is None or not isinstance(answer, ActionAnswer) \
                or choice.utilities[answer.state] < choice.utilities.max() - SAME_UTILITY:
            yield (f'answer {number} is not the action at a state that {strategy.name} '
                   'would have asked about')
            return
        asked_neighbours = choice.utilities.max() >= 1.0
        if bound.version == 1 and not asked_neighbours \
                and lowest > max(bound.coherence.upper, NEIGHBOURS_RATE):
            yield (f'before answer {number} the printed threshold c_t hid the neighbours that '
                   f'the proof asks about (min W was {lowest:.3f}); gbs1_cstar finds them')
            return
        learner = learner.tell(answer)
