"""Which key, or which typed word, means what."""

from __future__ import annotations

from cases import for_each

from gbs_irl_ros.teaching.terminal.bindings import Binding, bound_to, meant_by, not_understood
from gbs_irl_ros.teaching.terminal.key_reader import ENTER


def binding(label, *keys, action=None, name=''):
    return Binding(keys, label, lambda: label, name=name, action=action)


STAY, SOUTH, STOP, SEND = (binding('stay', 'x', action=0), binding('south', 's', 'S', action=1),
                           binding('STOP', ' '), binding('send', ENTER))
ALL = [STOP, SEND, STAY, SOUTH]


@for_each(('key', 'expected'), [
    ('x', STAY), ('X', STAY), ('s', SOUTH), ('S', SOUTH), (' ', STOP), (ENTER, SEND), ('y', None)])
def test_a_key_means_what_it_is_bound_to_also_with_caps_lock(key, expected):
    assert bound_to(key, ALL) is expected


def test_the_exact_key_goes_before_the_same_letter_in_another_case():
    small, large = binding('small', 'a'), binding('large', 'A')
    assert bound_to('a', [large, small]) is small
    assert bound_to('A', [small, large]) is large


@for_each(('word', 'expected'), [
    ('x', STAY), ('stay', STAY), ('STAY', STAY), ('sta', STAY), ('so', SOUTH), ('se', SEND),
    ('s', SOUTH), ('stop', STOP), ('st', None), ('', None), ('north', None), ('down', SOUTH)])
def test_a_word_is_a_key_a_name_or_the_beginning_of_one_name_only(word, expected):
    assert meant_by(word, ALL, action_keys=('', 'down')) is expected


def test_the_error_lists_what_can_be_typed():
    offered = [STAY, SOUTH, binding('a number', name='0-9'), binding('', 'h')]
    assert str(not_understood('st', offered)) == (
        "not understood, got 'st'; expected one of ['x', 'S', '0-9']")


def test_keys_are_shown_as_a_person_reads_them():
    assert SOUTH.shown == 's S'
    assert SEND.shown == 'Enter'
    assert binding('a number', name='0-9').shown == '0-9'
