from __future__ import annotations

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from worlds import corridor, grid, random_mdp

from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError, InvalidMdpError
from gbs_irl_ros.core.mdp import Mdp, check_index

STAY = np.identity(2)[:, np.newaxis, :]     # two states, one action that does nothing


def test_row_s_times_a_holds_the_successors_of_state_s_and_action_a():
    dense = np.zeros((3, 2, 3))
    dense[0, 0] = 0.25, 0.75, 0.0
    dense[0, 1] = 0.0, 0.0, 1.0
    dense[1, 0] = 0.0, 1.0, 0.0
    dense[1, 1] = 0.5, 0.0, 0.5
    dense[2, 0] = 1.0, 0.0, 0.0
    dense[2, 1] = 0.1, 0.2, 0.7
    mdp = Mdp.from_dense(dense, 0.9)
    assert (mdp.num_states, mdp.num_actions, mdp.discount) == (3, 2, 0.9)
    for state in range(3):
        for action in range(2):
            row = mdp.transitions[state * 2 + action].toarray().ravel()
            np.testing.assert_array_equal(row, dense[state, action])


def test_all_ways_to_build_give_the_same_mdp(rng):
    successors = rng.integers(0, 5, (5, 3))
    dense = np.zeros((5, 3, 5))
    np.put_along_axis(dense, successors[..., np.newaxis], 1.0, axis=2)
    matrices = [sparse.csr_matrix(dense[:, action]) for action in range(3)]
    built = [Mdp.from_dense(dense, 0.5), Mdp.from_successors(successors, 0.5),
             Mdp.from_action_matrices(matrices, 0.5),
             Mdp(sparse.coo_matrix(dense.reshape(15, 5)), 3, 0.5)]
    for mdp in built:
        np.testing.assert_array_equal(mdp.transitions.toarray(), dense.reshape(15, 5))
        np.testing.assert_array_equal(mdp.successors, successors)


def test_a_random_mdp_has_no_single_successors(rng):
    assert random_mdp(rng, 4, 2).successors is None
    np.testing.assert_array_equal(corridor(3).successors, [[0, 1], [0, 2], [1, 2]])


def test_one_random_transition_is_enough_to_have_no_single_successors():
    dense = np.identity(3)[:, np.newaxis, :].copy()
    dense[2, 0] = 0.0, 0.5, 0.5
    assert Mdp.from_dense(dense, 0.9).successors is None


def test_probabilities_that_are_zero_are_not_stored():
    matrix = sparse.csr_matrix(([1.0, 0.0, 1.0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert Mdp(matrix, 1, 0.9).transitions.nnz == 2


def test_entries_given_twice_add_up():
    matrix = sparse.csr_matrix(([0.5, 0.5, 1.0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    np.testing.assert_array_equal(Mdp(matrix, 1, 0.9).successors, [[1], [0]])


def test_an_mdp_cannot_be_changed_and_does_not_change_what_it_was_given():
    matrix = sparse.csr_matrix(np.identity(2))
    mdp = Mdp(matrix, 1, 0.9)
    matrix.data[:] = 7.0
    assert mdp.transitions.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    for array in (mdp.transitions.data, mdp.transitions.indices, mdp.successors):
        with pytest.raises(ValueError, match='read-only'):
            array.ravel()[0] = 0
    with pytest.raises(AttributeError):
        mdp.discount = 0.5


@pytest.mark.parametrize('discount', [0.0, 0.999999])
def test_discounts_at_the_ends_are_allowed(discount):
    assert Mdp.from_dense(STAY, discount).discount == discount


@for_each('discount', [1.0, -0.1, float('nan'), float('inf')])
def test_a_discount_outside_zero_to_one_is_refused(discount):
    with pytest.raises(InvalidMdpError, match=rf'discount must be in \[0, 1\), got {discount}'):
        Mdp.from_dense(STAY, discount)


def test_sixty_four_actions_are_allowed_and_sixty_five_refused():
    assert Mdp.from_successors(np.zeros((2, 64), dtype=int), 0.9).num_actions == 64
    with pytest.raises(InvalidMdpError, match=r'num_actions must be in 1 \.\. 64, got 65'):
        Mdp.from_successors(np.zeros((2, 65), dtype=int), 0.9)


@pytest.mark.parametrize('number', [0, -2])
def test_an_mdp_without_actions_is_refused(number):
    with pytest.raises(InvalidMdpError, match=rf'num_actions must be in 1 \.\. 64, got {number}'):
        Mdp(sparse.identity(2), number, 0.9)


@for_each('number', [1.0, True, '1', None])
def test_a_number_of_actions_that_is_not_whole_is_refused(number):
    with pytest.raises(InvalidMdpError, match=f'num_actions must be a whole number, got {number}'
                       if number != '1' else "num_actions must be a whole number, got '1'"):
        Mdp(sparse.identity(2), number, 0.9)


@pytest.mark.parametrize('what', ['text', {'a': 1}])
def test_transitions_that_are_no_matrix_are_refused(what):
    with pytest.raises(InvalidMdpError, match='transitions must be a sparse matrix: '):
        Mdp(what, 1, 0.9)


@for_each('shape', [(3, 2), (4, 4), (0, 0)])
def test_a_matrix_of_the_wrong_shape_is_refused(shape):
    with pytest.raises(InvalidMdpError, match=(
            rf'transitions must have shape \(S \* 2, S\) with S > 0, got \({shape[0]}, ')):
        Mdp(sparse.csr_matrix(shape), 2, 0.9)


@for_each('shape', [(2, 2), (2, 1, 3), (0, 1, 0), (2, 0, 2)])
def test_a_dense_array_of_the_wrong_shape_is_refused(shape):
    with pytest.raises(InvalidMdpError,
                       match=rf'transitions must have shape \(S, A, S\), got \({shape[0]}, '):
        Mdp.from_dense(np.zeros(shape), 0.9)


def test_a_row_that_does_not_sum_to_one_is_refused():
    dense = np.zeros((3, 2, 3))
    dense[..., 0] = 1.0
    dense[1, 1] = 0.5, 0.25, 0.0
    dense[2, 0] = 0.0
    with pytest.raises(InvalidMdpError, match=(
            r'probabilities must sum to 1: those of state 1, action 1 sum to 0\.75$')):
        Mdp.from_dense(dense, 0.9)


def test_a_row_that_is_off_by_rounding_is_accepted_and_by_more_is_not():
    Mdp.from_dense(STAY * (1.0 + 1e-10), 0.9)
    with pytest.raises(InvalidMdpError, match=r'state 0, action 0 sum to 1\.0000001'):
        Mdp.from_dense(STAY * (1.0 + 1e-7), 0.9)


@for_each('bad', [-0.5, float('nan'), float('inf'), -float('inf')])
def test_a_probability_that_is_negative_or_not_finite_is_refused(bad):
    dense = np.zeros((3, 2, 3))
    dense[..., 0] = 1.0
    dense[1, 0] = 0.0, 1.0, bad
    dense[2, 1, 1] = -1.0
    with pytest.raises(InvalidMdpError, match=(
            'probabilities must be finite and not negative: '
            rf'P\(2 \| 1, 0\) is {bad}$')):
        Mdp.from_dense(dense, 0.9)


def test_no_action_matrices_are_refused():
    with pytest.raises(InvalidMdpError, match='matrices must hold one matrix per action, got no'):
        Mdp.from_action_matrices([], 0.9)


@pytest.mark.parametrize('shapes', [[(2, 2), (3, 3)], [(2, 3), (2, 3)]])
def test_action_matrices_of_the_wrong_shape_are_refused(shapes):
    with pytest.raises(InvalidMdpError, match=(
            rf'matrices must all have shape \(S, S\), got \[\(2, {shapes[0][1]}\)')):
        Mdp.from_action_matrices([sparse.csr_matrix(shape) for shape in shapes], 0.9)


@for_each('array', [np.zeros((2, 1)), np.zeros(2, dtype=int),
                    np.zeros((2, 0), dtype=int), np.zeros((2, 1), dtype=bool)])
def test_successors_that_are_no_table_of_whole_numbers_are_refused(array):
    with pytest.raises(InvalidMdpError, match=(
            rf'successors must be whole numbers of shape \(S, A\), got {array.dtype} of shape')):
        Mdp.from_successors(array, 0.9)


@pytest.mark.parametrize('bad', [3, -1])
def test_a_successor_that_does_not_exist_is_refused(bad):
    table = np.zeros((3, 2), dtype=int)
    table[1, 1] = table[2, 0] = bad
    with pytest.raises(InvalidMdpError, match=(
            rf'successors must be states 0 \.\. 2: that of state 1, action 1 is {bad}$')):
        Mdp.from_successors(table, 0.9)


def test_states_and_actions_that_exist_come_back_as_int():
    mdp = grid(3, 2)
    assert type(mdp.check_state(np.int32(5))) is int
    assert mdp.check_state(0) == 0
    assert mdp.check_action(np.uint8(3)) == 3


@for_each(('bad', 'text'), [(6, r'state must be in 0 \.\. 5, got 6'),
                            (-1, r'state must be in 0 \.\. 5, got -1'),
                            (1.0, r'state must be a whole number, got 1\.0'),
                            (True, 'state must be a whole number, got True'),
                            ('1', "state must be a whole number, got '1'")])
def test_states_that_do_not_exist_are_refused(bad, text):
    with pytest.raises(InvalidMdpError, match=text):
        grid(3, 2).check_state(bad)


def test_actions_that_do_not_exist_are_refused_with_the_error_of_the_caller():
    with pytest.raises(InvalidAnswerError, match=r'action must be in 0 \.\. 3, got 4'):
        grid(3, 2).check_action(4, InvalidAnswerError)
    with pytest.raises(InvalidMdpError, match='action must be a whole number, got None'):
        grid(3, 2).check_action(None)
    with pytest.raises(KeyError, match=r'hat must be in 0 \.\. 1, got 2'):
        check_index('hat', 2, 2, KeyError)


def test_an_invalid_mdp_is_a_value_error_and_one_of_ours():
    with pytest.raises(ValueError, match='discount') as caught:
        Mdp.from_dense(STAY, 2.0)
    assert isinstance(caught.value, GbsIrlError)


def test_a_chance_that_is_one_but_for_rounding_is_one():
    given = corridor(4).transitions
    almost = sparse.csr_matrix((np.full(given.nnz, 1.0 - 5e-10), given.indices, given.indptr),
                               shape=given.shape)
    mdp = Mdp(almost, 2, 0.9)
    assert (mdp.transitions.data == 1.0).all()
    np.testing.assert_array_equal(mdp.successors, corridor(4).successors)
