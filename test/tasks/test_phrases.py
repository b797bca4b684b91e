"""Sentences and names of tasks, read into phrases."""

from __future__ import annotations

import pytest
from cases import for_each

from gbs_irl_ros.tasks.phrases import Sense, form, likeness, pieces, said


@for_each('word, expected', [
    ('Toys', 'toy'), ('crashes', 'crash'), ('boxes', 'box'), ('batteries', 'battery'),
    ('bus', 'bus'), ('glass', 'glass'), ('gas', 'gas'), ('Büro', 'buro'), ('STRASSE', 'strasse'),
    ("don't", 'dont'), ('don’t', 'dont'), ('(18, 0)', '18,0'), ('Straße', 'strasse')])
def test_words_are_compared_in_one_form(word, expected):
    assert form(word) == expected


@for_each('one, other, alike', [
    ('desk', 'desk', 1.0), ('desk', 'dsek', 0.7), ('18', '19', 0.0), ('18', '18', 1.0),
    ('bed', 'sofa', 0.0), ('kichen', 'kitchen', 0.86)])
def test_words_look_alike_by_letters_and_pairs_of_letters(one, other, alike):
    assert likeness(one, other) == pytest.approx(alike, abs=0.01)
    assert likeness(other, one) == likeness(one, other)


@for_each('text, expected', [
    ('go to desk', [('desk', Sense.WANTED)]),
    ('go to desk, never over the carpet or the toys',
     [('desk', Sense.WANTED), ('carpet', Sense.NEVER), ('toy', Sense.NEVER)]),
    ('rather not over the carpet', [('carpet', Sense.RATHER_NOT)]),
    ('avoids crashes and the left lane, dislikes the shoulder, likes the right lane',
     [('crash', Sense.NEVER), ('left lane', Sense.NEVER), ('shoulder', Sense.RATHER_NOT),
      ('right lane', Sense.WANTED)]),
    ('I do not mind the carpet', [('carpet', Sense.ALLOWED)]),
    ('the carpet is forbidden', [('carpet', Sense.NEVER)]),
    ('keep away from the door but go to bed', [('door', Sense.NEVER), ('bed', Sense.WANTED)]),
    ('next to the desk', [('next desk', Sense.WANTED)]), ('please, go to the', []), ('', [])])
def test_what_is_said_has_a_sense(text, expected):
    assert [(' '.join(piece.tokens), piece.sense) for piece in pieces(text)] == expected


def test_own_words_are_not_passed_over():
    assert pieces('go up') == []
    assert [piece.tokens for piece in pieces('go up', ['up'])] == [['up']]


def test_all_words_of_a_text():
    assert said('The Left-lane, (3, 4)!') == ('the', 'left', 'lane', '3,4')
    assert said('--') == ()
