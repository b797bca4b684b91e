"""Names that people give to places: kept on disk for each world, and refused in words."""

from __future__ import annotations

import re

import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.teaching.web.named_places import LONGEST_NAME, MAX_NAMES, NamedPlace, NamedPlaces

ROOM, GRID = load_task('room').world, load_task('grid_world').world


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'lessons' / 'places.json'


def test_names_are_kept_changed_and_taken_away_for_each_world(path):
    named = NamedPlaces(path)
    assert named.of(None) == named.of(ROOM) == ()
    named.give(ROOM, (3, 4), '  my   printer ')
    named.give(GRID, (3,), 'corner')
    assert NamedPlaces(path).of(ROOM) == named.of(ROOM) == (('my printer', (3, 4)),)
    assert named.of(ROOM) is named.of(ROOM)         # nothing to show again
    named.give(ROOM, (3, 4), 'plotter')
    assert named.of(ROOM) == (('plotter', (3, 4)),)
    named.give(ROOM, (3, 4), '')
    assert NamedPlaces(path).of(ROOM) == ()
    assert NamedPlaces(path).of(GRID) == (('corner', (3,)),)
    assert path.stat().st_mode & 0o077 == 0


@for_each('states, name, text', [
    ((), 'x', 'a name needs a place: press one on the map'),
    ((95,), 'x', 'state must be in 0 .. 94, got 95'),
    ((1,), 'x' * (LONGEST_NAME + 1), f'a name has at most {LONGEST_NAME} characters, got 41'),
    ((1,), 'desk', "another place is called 'desk' already"),
    ((1,), 'printer', "another place is called 'printer' already")])
def test_what_cannot_be_a_name_is_said_and_changes_nothing(tmp_path, states, name, text):
    named = NamedPlaces(tmp_path / 'places.json')
    named.give(ROOM, (3, 4), 'printer')
    with pytest.raises(GbsIrlError, match=re.escape(text)):
        named.give(ROOM, states, name)
    assert named.of(ROOM) == (('printer', (3, 4)),)


def test_there_is_an_end_to_names(tmp_path):
    named = NamedPlaces(tmp_path / 'places.json')
    named._known = {ROOM.hash: tuple(
        NamedPlace(str(number), (number, number)) for number in range(MAX_NAMES))}
    with pytest.raises(GbsIrlError, match=f'at most {MAX_NAMES} places can have names'):
        named.give(ROOM, (1,), 'one more')


@for_each('content', ['nonsense', '[1]', '{"hash": [{"name": "x"}]}', '{"hash": 3}'])
def test_a_file_that_cannot_be_read_has_no_names_and_is_replaced(tmp_path, content):
    path = tmp_path / 'places.json'
    path.write_text(content)
    named = NamedPlaces(path)
    assert f'{path}: is not a list of names of places' in named.problem
    named.give(ROOM, (1,), 'printer')
    again = NamedPlaces(path)
    assert (again.problem, again.of(ROOM)) == ('', (('printer', (1,)),))
