"""Why a question is asked: the tasks it would tell apart."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import Rival

MAX_RIVALS = 4


def rivals(learner: Learner, question: Question) -> tuple[Rival, ...]:
    """
    Return the likeliest opinions about a question, most probable first.

    Tasks with the same opinion stand together: their probability is that of all of them, their
    name that of the likeliest. An opinion is the set of optimal actions there, or the reward, or
    whether a route is right.
    """
    hypotheses = learner.task.hypotheses
    probabilities = learner.situation.posterior.probabilities
    sets = hypotheses.sets.sets_at(question.state)[hypotheses.policy_of_reward]
    rewards = hypotheses.rewards.column(question.state, question.action)
    opinions = rewards if question.kind is QuestionKind.REWARD else sets
    if question.kind is QuestionKind.CONFIRM:
        opinions = hypotheses.sets.allow(question.route)[hypotheses.policy_of_reward]
    _, opinion_of_reward = np.unique(opinions, return_inverse=True)
    mass = np.bincount(opinion_of_reward, weights=probabilities)
    found = []
    for opinion in np.argsort(-mass, kind='stable')[:MAX_RIVALS]:
        members = np.flatnonzero(opinion_of_reward == opinion)
        likeliest = int(members[np.argmax(probabilities[members])])
        actions = np.flatnonzero(unpack(sets[likeliest], hypotheses.mdp.num_actions))
        if question.kind is QuestionKind.CONFIRM and not opinions[likeliest]:
            actions = actions[:0]       # that it would begin alike does not make the route right
        found.append(Rival(hypotheses.name(likeliest), min(float(mass[opinion]), 1.0),
                           tuple(int(action) for action in actions), float(rewards[likeliest])))
    return tuple(found)
