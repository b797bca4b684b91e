"""A digest of content: the same for ever, whatever the content is stored in."""

from __future__ import annotations

import hashlib

import numpy as np
from cases import for_each
from scipy import sparse

from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.plans.digest import ContentDigest


def digest_of(take_in):
    digest = ContentDigest()
    take_in(digest)
    return digest.hexdigest()


# Journals of earlier versions carry these: a task of another one would end their lessons.
@for_each(('name', 'hash_before'), [
    ('room', '6e2bf9d9e1163b5b4bb89a90fb66d4bab92f3fae5f9f47fba40ce915966bbf48'),
    ('grid_world', '1f16451c1640261f9dabf99fecc136e5cb8d78cab6b8efb73de3abae9512fe03'),
    ('driver', '1520cf6ed6f75a7883ef222de4a1985031622965b7388f0792c06eb7a024336d')])
def test_a_shipped_task_is_known_by_the_hash_that_it_had(name, hash_before):
    assert load_task(name).content_hash == hash_before
    assert load_task(name).is_known_as(hash_before)


def test_it_is_the_sha_256_of_names_shapes_and_bytes():
    digest = ContentDigest()
    digest.add_text('text')
    digest.add('array', np.array([[1, 2], [3, 4]]), np.uint32)
    digest.add('number', np.array(0.5), np.float64)
    digest.add('nothing', np.zeros((0, 3)), np.float64)
    digest.add_sparse('none', None)
    digest.add_sparse('matrix', sparse.csr_matrix([[0.0, 2.0], [0.0, 0.0]]))
    assert digest.hexdigest() == hashlib.sha256(
        b'text'
        b'array:(2, 2);' + np.array([1, 2, 3, 4], np.uint32).tobytes()
        + b'number:(1,);' + np.array([0.5]).tobytes()
        + b'nothing:(0, 3);'
        + b'none:none;'
        + b'matrix:(2, 2);offsets:(3,);' + np.array([0, 1, 1], np.uint64).tobytes()
        + b'columns:(1,);' + np.array([1], np.uint32).tobytes()
        + b'values:(1,);' + np.array([2.0]).tobytes()).hexdigest()


@for_each('other', [
    np.asfortranarray([[1, 2], [3, 4]]), np.array([[1, 9, 2], [3, 9, 4]])[:, ::2],
    np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), [[1, 2], [3, 4]]],
    ids=['columns first', 'part of another', 'other type', 'list'])
def test_it_does_not_depend_on_how_an_array_is_stored(other):
    assert digest_of(lambda digest: digest.add('a', other, np.float64)) \
        == digest_of(lambda digest: digest.add('a', np.array([[1, 2], [3, 4]]), np.float64))


def test_it_does_not_depend_on_how_a_matrix_is_stored_and_leaves_it_alone():
    mixed = sparse.csr_matrix(([1.0, 1.0, 1.0], [2, 0, 2], [0, 3]), shape=(1, 3))
    assert digest_of(lambda digest: digest.add_sparse('m', mixed)) \
        == digest_of(lambda digest: digest.add_sparse('m', sparse.csr_matrix([[1.0, 0, 2.0]])))
    assert mixed.indices.tolist() == [2, 0, 2]


@for_each('take_in', [
    lambda digest: digest.add('b', np.array([[1.0, 2.0]]), np.float64),
    lambda digest: digest.add('a', np.array([1.0, 2.0]), np.float64),
    lambda digest: digest.add('a', np.array([[2.0, 1.0]]), np.float64),
    lambda digest: digest.add('a', np.array([[1.0, 2.0]]), np.float32),
    lambda digest: digest.add_sparse('a', sparse.csr_matrix([[1.0, 2.0]])),
    lambda digest: digest.add_sparse('a', None)],
    ids=['name', 'shape', 'order', 'type', 'matrix', 'none'])
def test_it_changes_with_everything_else(take_in):
    assert digest_of(take_in) \
        != digest_of(lambda digest: digest.add('a', np.array([[1.0, 2.0]]), np.float64))
