"""GBS-IRL, version 3."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from worlds import hypotheses_of

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.queries.gbs import GbsQuery
from gbs_irl_ros.core.queries.gbs3 import Gbs3Query

HYPOTHESES = hypotheses_of([[{0}, {0}, {1}], [{0}, {1}, {1}]], 2)


def test_it_stops_once_an_action_is_known_everywhere(situation_of, rng):
    situation = situation_of(HYPOTHESES, [0.8, 0.1, 0.1])        # W = 0.8, 0.6
    assert Gbs3Query(0.59).choose(situation, rng) is None
    assert Gbs3Query(0.61).choose(situation, rng).question.state == 1


def test_it_stops_at_the_threshold_itself(situation_of, rng):
    situation = situation_of(HYPOTHESES, [0.5, 0.25, 0.25])      # W = 0.5, 0
    assert Gbs3Query(0.0).choose(situation, rng) is None


def test_it_stops_though_the_hypothesis_is_open(situation_of, rng):
    """Action 1 is optimal in both states under every hypothesis."""
    sets = [[{1}, {0, 1}], [{1, 2}, {1}]]
    assert Gbs3Query(0.99).choose(situation_of(hypotheses_of(sets, 3)), rng) is None


def test_until_then_it_asks_like_version_two(situation_of, problem):
    for seed in range(10):
        situation = situation_of(problem(seed, levels=2))
        two = GbsQuery().choose(situation, np.random.default_rng(seed))
        three = Gbs3Query(0.9999).choose(situation, np.random.default_rng(seed))
        assert two.question == three.question
        np.testing.assert_array_equal(two.utilities, three.utilities)


@for_each('value', [-1.0, 1.0, 2.0, np.nan])
def test_the_threshold_is_inside_the_range_of_predictions(value):
    with pytest.raises(InvalidOptionError, match=rf'c_hat must be in \(-1, 1\), got {value}'):
        Gbs3Query(value)
