"""Where lessons are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import for_each

from gbs_irl_ros.learning.folders import lessons_folder


@for_each(('namespace', 'rest'), [
    ('/', ''), ('', ''), ('/robot', 'robot'), ('robot/', 'robot'), ('/fleet/one', 'fleet/one')])
def test_each_namespace_has_a_folder_of_its_own(monkeypatch, namespace, rest):
    monkeypatch.setenv('ROS_HOME', '/somewhere')
    assert lessons_folder(namespace) == Path('/somewhere/gbs_irl') / rest


@pytest.mark.parametrize('value', [None, ''])
def test_without_a_home_of_ros_it_is_in_that_of_the_person(monkeypatch, value):
    monkeypatch.setenv('HOME', '/home/me')
    if value is None:
        monkeypatch.delenv('ROS_HOME', raising=False)
    else:
        monkeypatch.setenv('ROS_HOME', value)
    assert lessons_folder('/robot') == Path('/home/me/.ros/gbs_irl/robot')


def test_a_person_may_want_them_elsewhere(monkeypatch):
    monkeypatch.setenv('ROS_HOME', '/somewhere')
    monkeypatch.setenv('HOME', '/home/me')
    assert lessons_folder('/robot', '/data') == Path('/data/robot')
    assert lessons_folder('/', '~/lessons') == Path('/home/me/lessons')
    assert lessons_folder('/', 'here') == Path('here')
