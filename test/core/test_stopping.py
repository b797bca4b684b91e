"""When the learner knows enough."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from worlds import hypotheses_of

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.posterior import Posterior
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.stopping import DEFAULT, NEVER, DoneReason, StopRule

# delta(0, .) = [p0 + p1, p2] and delta(1, .) = [p0, p1 + p2], so W = [2 (p0 + p1) - 1, ...]
HYPOTHESES = hypotheses_of([[{0}, {0}, {1}], [{0}, {1}, {1}]], 2)


def situation(*probabilities):
    return Situation(HYPOTHESES, NoiseModel(), Posterior(np.log(probabilities)),
                     np.array([0.5, 0.5]))


def test_the_rule_without_conditions_never_stops():
    assert NEVER.reason(situation(0.999998, 1e-6, 1e-6), 10**6) is None


def test_certainty_is_the_mass_of_the_most_probable_policy():
    rule = StopRule(certainty=0.8)
    assert rule.reason(situation(0.1, 0.11, 0.79), 0) is None
    assert rule.reason(situation(0.09, 0.1, 0.81), 0) == (
        DoneReason.CERTAINTY, pytest.approx(0.81))


def test_by_default_certainty_is_what_counts():
    assert DEFAULT.reason(situation(0.03, 0.03, 0.94), 10**6) is None
    assert DEFAULT.reason(situation(0.02, 0.02, 0.96), 0) == (
        DoneReason.CERTAINTY, pytest.approx(0.96))


def test_rewards_of_one_policy_are_certain_together():
    twice = hypotheses_of([[{0}, {1}], [{0}, {1}]], 2)
    object.__setattr__(twice, 'policy_of_reward', np.array([0, 0]))
    merged = Situation(twice, NoiseModel(), Posterior(np.log([0.5, 0.5])), np.array([0.5, 0.5]))
    assert StopRule(certainty=0.99).reason(merged, 0) is not None


def test_every_state_is_version_three_s_condition():
    rule = StopRule(every_state=0.5)
    assert rule.reason(situation(0.6, 0.2, 0.2), 0) is None           # W = [0.6, 0.2]
    known = rule.reason(situation(0.8, 0.1, 0.1), 0)                  # W = [0.8, 0.6]
    assert known == (DoneReason.EVERY_STATE, pytest.approx(0.6))


def test_answers_are_counted():
    rule = StopRule(max_answers=3)
    assert rule.reason(situation(0.4, 0.3, 0.3), 2) is None
    reason = rule.reason(situation(0.4, 0.3, 0.3), 3)
    assert reason == (DoneReason.MAX_ANSWERS, 3)


def test_one_condition_that_holds_is_enough():
    rule = StopRule(certainty=0.99, every_state=0.99, max_answers=1)
    assert rule.reason(situation(0.4, 0.3, 0.3), 0) is None
    assert rule.reason(situation(0.4, 0.3, 0.3), 1) is not None
    assert rule.reason(situation(0.998, 0.001, 0.001), 0) is not None


@for_each('value', [0.0, -0.5, 1.5, np.nan])
def test_certainty_is_a_probability_above_zero(value):
    with pytest.raises(InvalidOptionError, match=rf'certainty must be in \(0, 1\], got {value}'):
        StopRule(certainty=value)


@for_each('value', [-1.0, 1.01, np.nan])
def test_every_state_is_a_weighted_prediction(value):
    text = rf'every_state must be in \(-1, 1\], got {value}'
    with pytest.raises(InvalidOptionError, match=text):
        StopRule(every_state=value)


def test_the_number_of_answers_is_not_negative():
    with pytest.raises(InvalidOptionError, match='max_answers must not be negative, got -1'):
        StopRule(max_answers=-1)
