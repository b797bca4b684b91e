"""What the places are called that a question offers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.whole_tasks import goal_places
from gbs_irl_ros.learning.sentences import region_words
from gbs_irl_ros.tasks.world import World


def labelled(question: Question, learner: Learner, world: World) -> Question:
    """Return a question with the names of the places that it offers."""
    if question.kind is not QuestionKind.PLACE or question.labels:
        return question
    hypotheses = learner.task.hypotheses
    return replace(question, labels=tuple(
        region_words(_goal_at(state, hypotheses), world) for state in question.options))


def _goal_at(state: int, hypotheses: Hypotheses) -> tuple[int, ...]:
    """Return all states of the goal that a state stands for."""
    places = goal_places(hypotheses)
    for place in np.flatnonzero(places.states == state):
        return tuple(map(int, np.sort(places.cells[int(place)].indices)))
    return (state,)
