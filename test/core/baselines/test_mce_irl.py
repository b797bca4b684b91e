"""MCE-IRL: soft planning beside a public implementation, features that match, the gradient."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from worlds import grid, random_mdp

from gbs_irl_ros.core import Mdp
from gbs_irl_ros.core.baselines import Shown, mce_irl, soft_plan
from gbs_irl_ros.core.baselines.mce_irl import CausalLikelihood
from gbs_irl_ros.core.errors import NotConvergedError
from gbs_irl_ros.core.planning.solver import policy_system

# Four places in a row, a move fails in 20 %, reward (0, -0.5, 0.25, 1), discount 0.9, start in the
# first: V[0], pi[0, :, 1] and the discounted visits by mce_partition_fh and mce_occupancy_measures
# of `imitation` 1.0.1 for a horizon of 400 steps.
REWARD = np.array([0.0, -0.5, 0.25, 1.0])
PUBLIC_VALUES = [9.6531679811, 10.3280136209, 12.258960696, 13.4775136401]
PUBLIC_RIGHT = [0.6191374759, 0.867170672, 0.9061613033, 0.7062744596]
PUBLIC_VISITS = [2.0594249488, 1.296472106, 2.1469875302, 4.497115415]


def slippery_row():
    transitions = np.zeros((4, 2, 4))
    for state in range(4):
        transitions[state, 0, max(state - 1, 0)] += 0.8
        transitions[state, 1, min(state + 1, 3)] += 0.8
        transitions[state, :, state] += 0.2
    return Mdp.from_dense(transitions, 0.9)


def visits(mdp, policy, start):
    return np.linalg.solve(policy_system(mdp, policy).toarray().T, start)


def test_soft_planning_agrees_with_a_public_implementation():
    mdp = slippery_row()
    values, policy = soft_plan(mdp, REWARD)
    np.testing.assert_allclose(values, PUBLIC_VALUES, rtol=1e-9)
    np.testing.assert_allclose(policy[:, 1], PUBLIC_RIGHT, rtol=1e-8)
    np.testing.assert_allclose(visits(mdp, policy, [1, 0, 0, 0]), PUBLIC_VISITS, rtol=1e-8)


def test_soft_values_solve_their_equation(rng):
    mdp, reward = random_mdp(rng, 8, 3), rng.normal(size=(8, 3)) * 20.0
    values, policy = soft_plan(mdp, reward, initial=rng.normal(size=8))
    q = reward + 0.9 * (mdp.transitions @ values).reshape(8, 3)
    np.testing.assert_allclose(np.logaddexp.reduce(q, axis=1), values, rtol=1e-9)
    np.testing.assert_allclose(np.exp(q - values[:, np.newaxis]), policy, atol=1e-8)


def test_soft_planning_says_when_it_does_not_end(monkeypatch):
    monkeypatch.setattr(sys.modules['gbs_irl_ros.core.baselines.mce_irl'], 'MAX_EVALUATIONS', 1)
    with pytest.raises(NotConvergedError, match='did not converge in 1 evaluations'):
        soft_plan(slippery_row(), REWARD)


def test_the_slope_agrees_with_finite_differences(rng):
    mdp, counts = random_mdp(rng, 6, 3), rng.random((6, 3))
    likelihood, reward = CausalLikelihood(mdp, counts), rng.normal(size=18)
    _, slope = likelihood.value_and_slope(reward)
    numerical = [(likelihood.value_and_slope(reward + 1e-6 * unit)[0]
                  - likelihood.value_and_slope(reward - 1e-6 * unit)[0]) / 2e-6
                 for unit in np.identity(18)]
    np.testing.assert_allclose(slope.ravel(), numerical, atol=1e-6)


def test_the_policy_visits_the_features_as_the_teacher_does(rng):
    """Two long walks in a deterministic world: their features are matched by the soft policy."""
    mdp, features = grid(4, 3, discount=0.8), rng.normal(size=(2, 12))
    routes = []
    for start in (0, 7):
        route, state = [], start
        for _ in range(120):
            action = int(rng.choice(4, p=[0.1, 0.5, 0.3, 0.1]))
            route.append((state, action))
            state = int(mdp.successors[state, action])
        routes.append(tuple(route))
    shown = Shown(mdp, tuple(routes))
    learned = mce_irl(shown, features, ridge=1e-9, max_rounds=300)
    _, policy = soft_plan(mdp, learned.reward)
    start = np.zeros(12)
    start[[0, 7]] = 0.5
    np.testing.assert_allclose(features @ visits(mdp, policy, start),
                               features @ shown.counts(0.8).sum(axis=1) / 2.0, atol=1e-3)


def test_a_goal_is_learned_from_one_way_to_it():
    """Also a way that is cut off: it ends where the reward is."""
    mdp = grid(5, 4)
    route = ((0, 1), (1, 1), (2, 2), (7, 2), (12, 1), (13, 2), (18, 1), (19, 1), (19, 2), (19, 1))
    learned = mce_irl(Shown(mdp, (route,)))
    assert learned.reward.argmax() == 19
    assert learned.policy.actions(15) == (1,)       # where nothing was shown
