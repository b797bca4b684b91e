"""ML-IRL: its gradient by finite differences, its optimum in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from worlds import corridor, random_mdp

from gbs_irl_ros.core import Mdp
from gbs_irl_ros.core.baselines import Shown, ml_irl
from gbs_irl_ros.core.baselines.ml_irl import BoltzmannLikelihood

STEP = 1e-6


def numerical_slope(value, reward):
    """Return the central differences of a function of a reward ``[S * A]``."""
    return np.array([(value(reward + STEP * unit) - value(reward - STEP * unit)) / (2.0 * STEP)
                     for unit in np.identity(len(reward))])


def test_the_slope_agrees_with_finite_differences(rng):
    """At random rewards, where no two actions are equally good and Q* is smooth."""
    for _ in range(3):
        mdp = random_mdp(rng, 6, 3)
        counts = rng.integers(0, 4, (6, 3)).astype(float)
        likelihood = BoltzmannLikelihood(mdp, counts, eta=1.7)
        reward = rng.normal(size=18)
        value, slope = likelihood.value_and_slope(reward)
        assert value == pytest.approx(likelihood.value(reward))
        np.testing.assert_allclose(slope.ravel(), numerical_slope(likelihood.value, reward),
                                   atol=2e-5)


def test_the_optimum_of_a_single_choice_is_that_of_logistic_regression():
    """One state, no future: softmax(w, 0) is most probable at w = ln(7 / 3) / eta."""
    mdp = Mdp.from_dense(np.ones((1, 2, 1)), 0.0)
    shown = Shown(mdp, tuple([((0, 0),)] * 7 + [((0, 1),)] * 3))
    learned = ml_irl(shown, np.array([[1.0, 0.0]]), eta=2.0, ridge=1e-9)
    np.testing.assert_allclose(learned.reward, [[np.log(7 / 3) / 2.0, 0.0]], atol=1e-4)
    assert learned.policy.actions(0) == (0,)


def test_no_weight_makes_what_was_shown_more_probable():
    """Brute force over the weight of one place, in a world where the way there is long."""
    mdp, ridge = corridor(6), 0.05
    shown = Shown(mdp, (((0, 1), (1, 1), (2, 0), (1, 1), (2, 1), (3, 1), (4, 1)),))
    place = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    likelihood = BoltzmannLikelihood(mdp, shown.counts(), 1.0)

    def objective(weight):
        return likelihood.value(np.repeat(weight * place[0], 2)) - 0.5 * ridge * weight ** 2

    learned = ml_irl(shown, place, ridge=ridge).reward[5]
    best = max(np.linspace(-4.0, 8.0, 241), key=objective)
    assert learned == pytest.approx(best, abs=0.03)
    assert objective(learned) >= objective(best)


def test_a_goal_is_learned_from_a_way_to_it():
    mdp = corridor(7)
    learned = ml_irl(Shown(mdp, (((2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (6, 1)),)))
    assert [learned.policy.actions(state) for state in range(6)] == [(1,)] * 6
    assert learned.reward.argmax() == 6
