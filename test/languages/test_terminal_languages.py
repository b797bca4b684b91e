"""The terminal says nothing that is not in a catalogue, and speaks German."""

from __future__ import annotations

import re

from cases import for_each
from sentences_in_code import PSEUDO, outside_brackets, write_pseudo_language
from test_screen import SITUATIONS, texts, view

from gbs_irl_ros.languages.catalogue import OWN_FOLDER
from gbs_irl_ros.languages.speaking import in_language

WIDE = 2000         # columns: nothing is wrapped or cut
KEYS = [(), ('?',), ('r',), ('m',), ('h',), ('!',), ('/',), ('w', 'd'), ('right',), ('down',),
        ('+',), ('u',), ('p',), ('e',), ('g',), (' ',), ('m', 't'), ('x',), ('y',), ('i',), ('-',)]


def words_of(name, keys):
    """Return all that is on the screen but the cells of the map."""
    lines = texts(view(SITUATIONS[name].spoken(), *keys), WIDE, None)
    return '\n'.join(re.sub(r'^#.{0,40}?#(?=   |$)', '', line) for line in lines)


def test_whatever_the_terminal_says_is_in_a_catalogue(tmp_path, monkeypatch):
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path))
    write_pseudo_language(tmp_path)
    with in_language(PSEUDO):
        found = {(name, keys): outside_brackets(words_of(name, keys))
                 for name in SITUATIONS for keys in KEYS}
    assert {case: words for case, words in found.items() if words} == {}


@for_each('name, said', [
    ('action', 'In welche Richtung soll ich bei'), ('action', 'nach Norden'),
    ('yes_no', 'y ja'), ('task', 'Ziel: Küche, nie über „Spielzeug“'), ('place', 'Schreibtisch'),
    ('demonstration', 'Zeig mir 3 Schritte'), ('compare', 'der erste Weg'),
    ('confirm', 'Meinst du das?'), ('silent', 'Der Lerner schweigt'),
    ('done', 'Keine weiteren Fragen.'), ('reward', 'weder gut noch schlecht')])
def test_the_terminal_speaks_german(name, said):
    with in_language('de'):
        assert said in words_of(name, ())
