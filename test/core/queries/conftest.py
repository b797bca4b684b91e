"""What the tests of the strategies share."""

from __future__ import annotations

import numpy as np
import pytest

from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.posterior import Posterior
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.rewards import Rewards


def _situation_of(hypotheses, probabilities=None, noise=None, start=None, current_state=None,
                  closed=()):
    count, states = hypotheses.num_rewards, hypotheses.mdp.num_states
    weights = np.ones(count) if probabilities is None else np.asarray(probabilities, dtype=float)
    start = np.full(states, 1.0 / states) if start is None else np.asarray(start, dtype=float)
    return Situation(hypotheses, noise or NoiseModel(), Posterior(np.log(weights / weights.sum())),
                     start, current_state, frozenset(closed))


def _problem(seed, num_states=6, num_actions=3, count=7, successors=2, per_action=False,
             levels=None):
    from worlds import random_mdp
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, num_states, num_actions, successors)
    shape = (count, num_states, num_actions) if per_action else (count, num_states)
    while True:
        rewards = rng.random(shape) if levels is None else rng.integers(0, levels, shape) / levels
        try:
            return Hypotheses.from_rewards(mdp, Rewards.from_dense(rewards, num_actions))
        except InvalidHypothesesError:      # with few levels one may be the same everywhere
            continue


def _greedy(hypotheses):
    sets, count = hypotheses.sets, hypotheses.mdp.num_actions
    return [[{a for a in range(count) if int(sets.sets_at(state)[policy]) >> a & 1}
             for state in range(hypotheses.mdp.num_states)]
            for policy in hypotheses.policy_of_reward]


def _delta(situation):
    policies, mdp = _greedy(situation.hypotheses), situation.hypotheses.mdp
    return np.array([[sum(p for p, policy in zip(situation.posterior.probabilities, policies,
                                                 strict=True) if action in policy[state])
                      for action in range(mdp.num_actions)] for state in range(mdp.num_states)])


@pytest.fixture(scope='session')
def situation_of():
    """A function that makes a situation; the posterior is uniform unless weights are given."""
    return _situation_of


@pytest.fixture(scope='session')
def problem():
    """A function that makes hypotheses with random rewards; few levels make ties likely."""
    return _problem


@pytest.fixture(scope='session')
def greedy():
    """A function that returns the greedy sets as Python sets ``[h][s]``, one row per reward."""
    return _greedy


@pytest.fixture(scope='session')
def delta():
    """A function that returns delta(x, a) ``[S, A]``, added up reward by reward."""
    return _delta
