"""Keys of actions: one each, none that means something else."""

from __future__ import annotations

from functools import cache

from cases import for_each
from hypothesis import given, settings, strategies as st
from small_lessons import corridor_world

from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.keys import FREE, RESERVED, action_keys

INVARIANT = settings(deadline=None, derandomize=True, max_examples=40)
SOME_KEYS = ('', 'a', 'A', 'd', 'x', 'y', 'Y', '7', ' ', '?', '=', 'ü', 'up', 'Q')


@cache
def world_of(name):
    return load_task(name).world


def given_keys(*wanted):
    """The keys of a world whose actions have these; it has three of them."""
    return action_keys(corridor_world(keys=wanted))


def test_the_keys_of_the_task_are_kept():
    assert given_keys('a', 'd', 'x') == ('a', 'd', 'x')


def test_an_action_without_a_key_gets_the_first_that_is_free():
    assert given_keys('', '', '') == ('1', '2', '3')
    assert given_keys('2', '', '') == ('2', '1', '3')


@for_each('reserved', sorted(RESERVED))
def test_a_key_that_means_something_else_is_not_given_to_an_action(reserved):
    assert given_keys(reserved, 'd', 'x') == ('1', 'd', 'x')
    assert given_keys(reserved.upper(), 'd', 'x') == ('1', 'd', 'x')


def test_a_key_of_several_characters_is_none():
    assert given_keys('up', 'down', 'x') == ('1', '2', 'x')


def test_when_all_are_taken_the_others_have_none(monkeypatch):
    monkeypatch.setattr(keys, 'FREE', '12')
    assert given_keys('', '1', '') == ('2', '1', '')


def test_keys_that_are_free_mean_nothing_else():
    assert len(set(FREE)) == len(FREE)
    assert not RESERVED & set(FREE)


def test_each_thing_to_do_has_a_key_of_its_own():
    named = [*'yni=l', keys.UNDO, keys.HELP, keys.QUIT, keys.PAUSE, keys.ENOUGH, keys.GO,
             keys.STOP, keys.REHEARSE, keys.DRIVE, keys.RECORD, keys.PLACE,
             keys.INVENT, keys.SAY, keys.START_OVER, keys.SEVERAL]
    assert len(RESERVED) == len(named)
    assert set(named) == RESERVED


@INVARIANT
@given(st.lists(st.sampled_from(SOME_KEYS), min_size=3, max_size=3).filter(
    lambda wanted: len(set(filter(None, wanted))) == len(list(filter(None, wanted)))))
def test_whatever_is_wanted_keys_differ_and_are_one_character_and_free(wanted):
    found = given_keys(*wanted)
    assert len(found) == len(set(found)) == 3
    for key, wish in zip(found, wanted, strict=True):
        assert len(key) == 1
        assert key.lower() not in RESERVED
        assert key in (wish, *FREE)


@for_each('name', sorted(shipped_tasks()))
def test_every_task_has_one_key_for_each_action(name):
    world = world_of(name)
    found = action_keys(world)
    assert len(found) == len(set(found)) == world.mdp.num_actions
    assert all(len(key) == 1 for key in found)
    assert found == world.appearance.action_keys    # none of theirs is reserved
