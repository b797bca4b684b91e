"""Why a question is asked: the tasks it would tell apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.whole_task_statements import chosen_of
from gbs_irl_ros.core.whole_tasks import goal_places
from gbs_irl_ros.learning.records import Rival

MAX_RIVALS = 4
CHOICES = (QuestionKind.PLACE, QuestionKind.TASK, QuestionKind.COMPARE)


def rivals(learner: Learner, question: Question) -> tuple[Rival, ...]:
    """
    Return the likeliest opinions about a question, most probable first.

    Tasks with the same opinion stand together: their probability is that of all of them, their
    name that of the likeliest. An opinion is the set of optimal actions there, or the reward, or
    whether a route is right; of several options or ways, the one that is meant.
    """
    hypotheses = learner.task.hypotheses
    if question.kind in CHOICES:
        return _choosing(learner, question)
    probabilities = learner.situation.posterior.probabilities
    sets = hypotheses.sets.sets_at(question.state)[hypotheses.policy_of_reward]
    rewards = hypotheses.rewards.column(question.state, question.action)
    opinions = rewards if question.kind is QuestionKind.REWARD else sets
    if question.kind is QuestionKind.CONFIRM:
        opinions = hypotheses.sets.allow(question.route)[hypotheses.policy_of_reward]
    found = []
    for likeliest, mass in _likeliest(opinions, probabilities):
        actions = np.flatnonzero(unpack(sets[likeliest], hypotheses.mdp.num_actions))
        if question.kind is QuestionKind.CONFIRM and not opinions[likeliest]:
            actions = actions[:0]       # that it would begin alike does not make the route right
        found.append(Rival(hypotheses.name(likeliest), mass,
                           tuple(int(action) for action in actions), float(rewards[likeliest])))
    return tuple(found)


def _choosing(learner: Learner, question: Question) -> tuple[Rival, ...]:
    """Return what the tasks would choose of options, places or ways, none of them included."""
    hypotheses = learner.task.hypotheses
    if question.kind is QuestionKind.PLACE and not question.options:
        opinions = goal_places(hypotheses).of_reward
        answers = None
    else:
        right = chosen_of(hypotheses, question).good > 0.0
        opinions = np.argmax(right, axis=1)[hypotheses.policy_of_reward]
        answers = ['the first way', 'the second way', 'either way'] \
            if question.kind is QuestionKind.COMPARE \
            else [*map(question.label, range(len(question.options))), 'none of these']
    return tuple(
        Rival(hypotheses.name(likeliest), mass, (), 0.0,
              answers[opinions[likeliest]] if answers else hypotheses.name(likeliest))
        for likeliest, mass in _likeliest(opinions, learner.situation.posterior.probabilities))


def _likeliest(opinions: np.ndarray, probabilities: np.ndarray) -> Iterator[tuple[int, float]]:
    """Yield the likeliest task of each opinion ``[H]``, and the probability of all of them."""
    _, opinion_of_reward = np.unique(opinions, return_inverse=True)
    mass = np.bincount(opinion_of_reward, weights=probabilities)
    for opinion in np.argsort(-mass, kind='stable')[:MAX_RIVALS]:
        members = np.flatnonzero(opinion_of_reward == opinion)
        yield int(members[np.argmax(probabilities[members])]), min(float(mass[opinion]), 1.0)
