"""MDPs without structure."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.answers import ActionAnswer, offers
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.random_mdp import KEYS, build_random_mdp
from gbs_irl_ros.teaching.keys import RESERVED, action_keys


def transitions(**options):
    return build_random_mdp(**{'states': 20, 'actions': 4, 'successors': 3, 'seed': 5,
                               'discount': 0.9, **options}).mdp.transitions


@for_each(('states', 'actions', 'successors'), [
    (10, 5, 3), (50, 10, 1), (100, 5, 8), (4, 2, 4), (1, 1, 1)])
def test_every_row_has_exactly_as_many_successors_as_asked(states, actions, successors):
    matrix = transitions(states=states, actions=actions, successors=successors)
    assert matrix.shape == (states * actions, states)
    assert set(np.diff(matrix.indptr)) == {successors}
    assert (matrix.data > 0.0).all()
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)


def test_one_successor_makes_it_deterministic():
    built = build_random_mdp(30, 3, 1, 0, 0.9)
    assert built.mdp.successors is not None


def test_the_same_seed_gives_the_same_mdp_bit_for_bit():
    one, other = transitions(), transitions()
    assert one.data.tobytes() == other.data.tobytes()
    assert one.indices.tobytes() == other.indices.tobytes()


def test_another_seed_gives_another_mdp():
    assert (transitions(seed=1) != transitions(seed=2)).nnz > 0


def test_successors_are_spread_over_all_states():
    """Each of 80 states follows with chance 3 / 80 in each of 4,000 rows."""
    counts = np.bincount(transitions(actions=50, states=80).indices, minlength=80)
    np.testing.assert_allclose(counts / 4000, 3 / 80, atol=5 * np.sqrt(3 / 80 / 4000))


def test_probabilities_are_those_of_a_flat_dirichlet():
    """The share of one of three is Beta(1, 2): mean 1/3, variance 1/18."""
    data = transitions(states=100, actions=50).data
    assert data.mean() == pytest.approx(1 / 3)
    assert data.var() == pytest.approx(1 / 18, rel=0.1)


def test_actions_have_names_and_different_keys_as_far_as_there_are_any():
    built = build_random_mdp(3, 40, 2, 0, 0.9)
    built.world.appearance.check_fits(built.mdp)
    keys = built.world.appearance.action_keys
    assert built.world.appearance.action_names[:2] == ('action 0', 'action 1')
    assert keys[:2] == ('1', '2')
    assert keys[:len(KEYS)] == tuple(KEYS)
    assert len(set(KEYS)) == len(KEYS) == 33
    assert keys[len(KEYS):] == ('',) * 7


def test_no_key_is_a_command_of_the_terminal():
    built = build_random_mdp(3, 40, 2, 0, 0.9)
    world = World('many actions', built.mdp, built.mdp.checked_start(None), built.world.appearance)
    assert not RESERVED & set(action_keys(world))


def test_what_the_terminal_offers_means_what_it_says():
    built = build_random_mdp(3, 40, 2, 0, 0.9)
    world = World('many actions', built.mdp, built.mdp.checked_start(None), built.world.appearance)
    question = Question(QuestionKind.ACTION, 1)
    keys = action_keys(world)
    assert 10 < sum(map(bool, keys)) < 40       # there are not enough for all
    offered = [offer for offer in offers(question, world.appearance.action_names, keys)
               if isinstance(offer.answer, ActionAnswer)]
    assert [(offer.answer, offer.key, offer.label) for offer in offered] == [
        (ActionAnswer(1, action), keys[action], f'action {action}') for action in range(40)]


def test_the_discount_is_the_one_given():
    assert build_random_mdp(3, 2, 1, 0, 0.7).mdp.discount == 0.7
