"""PolicyWalk: its chain beside the exact posterior of all rewards on a small lattice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cases import for_each
from worlds import corridor

from gbs_irl_ros.core.baselines import Shown, policy_walk
from gbs_irl_ros.core.baselines.ml_irl import BoltzmannLikelihood
from gbs_irl_ros.core.baselines.policy_walk import walk
from gbs_irl_ros.core.baselines.shown import feature_matrix
from gbs_irl_ros.core.errors import InvalidOptionError


@pytest.mark.slow
def test_the_chain_samples_the_exact_posterior(rng):
    """Two places, three rewards for each: nine in all, whose posterior can be written down."""
    mdp = corridor(2, discount=0.5)
    shown = Shown(mdp, (((0, 1),), ((1, 1),), ((0, 1),), ((1, 0),)))
    features = feature_matrix(mdp, None)
    likelihood = BoltzmannLikelihood(mdp, shown.counts(), 1.0)
    lattice = [np.array(each) for each in product((-1.0, 0.0, 1.0), repeat=2)]
    exact = np.exp([likelihood.value(features.T @ each) for each in lattice])
    exact /= exact.sum()
    chain = np.array(list(walk(shown, rng, features, 1.0, 1.0, 3_000)))
    shares = np.array([(chain == each).all(axis=1).mean() for each in lattice])
    np.testing.assert_allclose(shares, exact, atol=0.06)
    again = np.random.default_rng(5)
    rest = list(walk(shown, again, features, 1.0, 1.0, 20))[10:]
    learned = policy_walk(shown, np.random.default_rng(5), alpha=1.0, spacing=1.0, steps=20)
    np.testing.assert_allclose(learned.reward, np.mean(rest, axis=0))


def test_the_chain_stays_on_its_lattice_and_moves_one_weight_at_a_time(rng):
    mdp = corridor(3)
    shown = Shown(mdp, (((0, 1),),))
    chain = np.array(list(walk(shown, rng, feature_matrix(mdp, None), 1.0, 0.5, 200)))
    assert set(np.unique(chain)) == {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert set(np.unique(np.abs(np.diff(chain, axis=0)).sum(axis=1))) == {0.0, 0.5}


@for_each(('options', 'message'), [({'steps': 1}, 'steps must be at least 2, got 1'),
                                   ({'spacing': 0.0}, r'spacing must be in \(0, 1\], got 0.0')])
def test_options_out_of_range_are_refused(options, message, rng):
    with pytest.raises(InvalidOptionError, match=message):
        policy_walk(Shown(corridor(2), (((0, 1),),)), rng, **options)
