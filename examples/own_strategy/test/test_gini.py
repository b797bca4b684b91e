"""The strategy keeps its promises and asks where it should."""

import numpy as np
import pytest
from own_strategy import GiniQuery

from gbs_irl_ros.core import Learner, Mdp, Rewards, check_strategy, make_strategy


def test_it_keeps_what_every_strategy_promises():
    check_strategy(GiniQuery())
    check_strategy(GiniQuery(power=3.0))


def test_it_is_known_by_its_name():
    """Only if the package is installed: `pip install .`."""
    assert make_strategy('gini', power=2.0) == GiniQuery(power=2.0)


def test_it_asks_in_the_middle_of_a_corridor():
    """Two goals at the ends: between them, half of the posterior goes each way."""
    places = np.arange(5)[:, np.newaxis]
    corridor = Mdp.from_successors(np.clip(places + np.array([-1, 1]), 0, 4), discount=0.9)
    learner = Learner.for_rewards(corridor, Rewards.goals(corridor, [0, 4]), strategy='gini')
    utilities = learner.choose().utilities
    assert np.allclose(utilities, 0.5)      # at every place


def test_a_power_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match='power must be positive, got 0'):
        GiniQuery(power=0)
