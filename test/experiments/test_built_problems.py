from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import Hypotheses
from gbs_irl_ros.core.theory.coherence import coherence
from gbs_irl_ros.core.theory.neighbours import neighbourliness
from gbs_irl_ros.experiments.built_problems import DISCOUNT, ThresholdCorridor, VoteCube
from gbs_irl_ros.experiments.sweeps import SWEEPS

LEFT, RIGHT = 1, 2      # greedy sets, as bits
CORRIDORS = [2, 3, 9, 33]
CUBES = [(3, 1, 2), (4, 1, 3), (5, 2, 3), (5, 3, 4), (6, 4, 5), (6, 1, 2), (4, 2, 3), (3, 0, 2),
         (1, 0, 1), (3, 0, 3)]
BUILT = [*map(ThresholdCorridor, CORRIDORS), *(VoteCube(*cube) for cube in CUBES)]


def hypotheses_of(domain):
    mdp = domain.mdp(0)
    draw = domain.draw(mdp, np.random.default_rng(1))
    return Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)


def greedy_sets(domain):
    """Return the planned sets ``[D, S]``, one row for each reward as drawn."""
    built = hypotheses_of(domain)
    return np.array([built.sets.policy_sets(policy) for policy in built.policy_of_reward])


# ---- what they are built for --------------------------------------------------------------------

@for_each('length', CORRIDORS)
def test_the_coherence_of_a_corridor_is_minus_one(length):
    found = coherence(hypotheses_of(ThresholdCorridor(length)).sets)
    assert (found.lower, found.upper) == (-1.0, -1.0)


@for_each('cube', CUBES)
def test_the_coherence_of_a_vote_cube_is_what_it_says(cube):
    found = coherence(hypotheses_of(VoteCube(*cube)).sets)
    assert found.exact
    assert VoteCube(*cube).coherence == pytest.approx(found.upper, abs=1e-9)


def test_the_coherence_of_the_vote_cube_that_is_run_by_hand():
    # In the states with the fewest votes, 4 of 6 policies take action 1: 4/6 - 2/6.
    assert SWEEPS['bound_cube'].domain.coherence == pytest.approx(1 / 3)


@for_each('domain', BUILT, ids=str)
def test_every_built_problem_is_1_neighborly_and_has_one_optimal_action(domain):
    sets = hypotheses_of(domain).sets
    assert neighbourliness(sets) == 1
    assert sets.one_action_each


@for_each('name', [name for name in SWEEPS if name.startswith('bound_')])
def test_what_the_bound_is_tried_on_is_as_theorem_2_wants_it(name):
    domain = SWEEPS[name].domain
    built = hypotheses_of(domain)
    assert neighbourliness(built.sets) == 1
    c_star = domain.coherence if isinstance(domain, VoteCube) else -1.0
    assert coherence(built.sets).upper == pytest.approx(c_star, abs=1e-9)


# ---- what cannot be built -----------------------------------------------------------------------

@for_each('length', [1, 0, -3])
def test_a_corridor_without_two_places_is_refused(length):
    with pytest.raises(ValueError, match=f'^length must be at least 2, got {length}$'):
        ThresholdCorridor(length)


@for_each(('policies', 'fewest', 'most'), [
    (6, 4, 4), (6, 5, 4), (6, 4, 7), (6, -1, 3), (0, 0, 0), (0, 0, 1), (-2, -4, -3)])
def test_votes_that_cannot_be_cast_are_refused(policies, fewest, most):
    # With as many votes in every state, two of them differ in two policies.
    text = f'votes must be 0 <= fewest < most <= {policies}, got {fewest} and {most}'
    with pytest.raises(ValueError, match=f'^{text}$'):
        VoteCube(policies, fewest, most)


# ---- what is in them ----------------------------------------------------------------------------

def test_the_policies_of_a_corridor_by_hand():
    assert greedy_sets(ThresholdCorridor(4)).tolist() == [
        [RIGHT, LEFT, LEFT, LEFT], [RIGHT, RIGHT, LEFT, LEFT], [RIGHT, RIGHT, RIGHT, LEFT]]


@for_each('length', CORRIDORS)
def test_a_corridor_has_a_threshold_between_any_two_places(length):
    built = hypotheses_of(ThresholdCorridor(length))
    assert built.mdp.num_states == built.sets.num_classes == length
    assert built.num_policies == built.num_rewards == length - 1
    places = np.arange(length)
    for threshold, sets in enumerate(greedy_sets(ThresholdCorridor(length)), start=1):
        assert sets.tolist() == np.where(places < threshold, RIGHT, LEFT).tolist()


@for_each('cube', CUBES)
def test_a_vote_cube_has_every_way_to_vote_once(cube):
    policies, fewest, most = cube
    votes = greedy_sets(VoteCube(*cube)).T == RIGHT     # [S, D]
    expected = {way for way in product((False, True), repeat=policies)
                if fewest <= sum(way) <= most}
    assert {tuple(way) for way in votes.tolist()} == expected
    assert len(votes) == len(expected)
    assert hypotheses_of(VoteCube(*cube)).num_policies == policies


def test_the_world_is_a_corridor_whatever_the_seed():
    mdp = ThresholdCorridor(4).mdp(1)
    assert mdp.successors.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]
    assert mdp.discount == DISCOUNT
    assert ThresholdCorridor(4).mdp(2).successors.tolist() == mdp.successors.tolist()
    assert VoteCube(3, 1, 2).mdp(1).num_states == 6


@pytest.mark.parametrize('domain', [ThresholdCorridor(5), VoteCube(4, 1, 2)], ids=str)
def test_any_hypothesis_may_be_the_right_one_with_the_same_chance(domain):
    rng, mdp = np.random.default_rng(7), domain.mdp(0)
    draws = [domain.draw(mdp, rng) for _ in range(800)]
    shares = np.bincount([draw.truth for draw in draws]) / len(draws)
    # Four hypotheses: the standard deviation of each share is sqrt(3 / 16 / 800) < 0.016.
    assert shares == pytest.approx(np.full(4, 0.25), abs=0.06)


@for_each('domain', BUILT, ids=str)
def test_nothing_but_the_truth_is_drawn_and_the_prior_is_flat(domain):
    mdp = domain.mdp(0)
    first, second = (domain.draw(mdp, np.random.default_rng(seed)) for seed in (1, 2))
    assert np.array_equal(first.rewards.dense(), second.rewards.dense())
    assert set(first.prior.tolist()) == {1.0}
    assert len(first.prior) == len(first.rewards.dense())
    assert first.truth == domain.draw(mdp, np.random.default_rng(1)).truth
