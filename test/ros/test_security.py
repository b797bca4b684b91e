"""Security that is set up by halves is refused, before a node starts without any."""

from __future__ import annotations

import re

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.node import Node

from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.ros.security import SecuritySettingsError, check_security

pytestmark = pytest.mark.ros


def settings(enable=None, strategy=None, keystore=None):
    given = {'ENABLE': enable, 'STRATEGY': strategy, 'KEYSTORE': keystore}
    return {f'ROS_SECURITY_{name}': value for name, value in given.items() if value is not None}


@for_each('enable, strategy, keystore', [
    (None, None, None), ('false', None, None), ('', '', ''), ('false', 'Enforce', '/keys'),
    ('true', 'Enforce', '.'), ('true', 'Permissive', '.')])
def test_all_or_nothing_is_accepted(enable, strategy, keystore):
    check_security(settings(enable, strategy, keystore))


@for_each('enable, strategy, keystore, text', [
    ('1', 'Enforce', '.', 'ROS_SECURITY_ENABLE must be exactly "true" or "false", got \'1\': ROS '
                          'would start without security'),
    ('True', 'Enforce', '.', "got 'True'"),
    (None, 'Enforce', '.', 'ROS_SECURITY_STRATEGY is set but ROS_SECURITY_ENABLE is not: set it '
                           'to "true", or to "false" to go without security'),
    (None, None, '.', 'ROS_SECURITY_KEYSTORE is set but ROS_SECURITY_ENABLE is not'),
    ('true', None, '.', 'ROS_SECURITY_STRATEGY must be exactly "Enforce", or "Permissive" to let '
                        "nodes start without keys, got ''"),
    ('true', 'enforce', '.', "got 'enforce'"),
    ('true', 'Enforce', None, "ROS_SECURITY_KEYSTORE must be a folder with keys, got ''; make "
                              'one by "ros2 security create_keystore"'),
    ('true', 'Enforce', '/nowhere', "got '/nowhere'")])
def test_halves_are_refused(enable, strategy, keystore, text):
    with pytest.raises(SecuritySettingsError, match=re.escape(text)):
        check_security(settings(enable, strategy, keystore))


def test_keys_that_are_not_there_are_named_in_a_sentence(domain, monkeypatch, tmp_path):
    for name, value in settings('true', 'Enforce', str(tmp_path)).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        run_node(lambda: Node('without_keys'))
    said = str(ended.value)
    assert said.startswith('this node does not start: failed to initialize rcl: SECURITY ERROR: ')
    assert f"directory '{tmp_path}/enclaves' does not exist" in said
    assert '\n' not in said


def test_so_is_a_folder_for_logs_that_cannot_be_made(domain, monkeypatch, tmp_path):
    (tmp_path / 'file').touch()
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path / 'file/logs'))
    with pytest.raises(SystemExit, match='^this node does not start: failed to initialize .*'
                       f'{re.escape(str(tmp_path / "file/logs"))}'):
        run_node(lambda: Node('without_logs'))


def test_a_node_does_not_start_with_halves(domain, monkeypatch):
    monkeypatch.setenv('ROS_SECURITY_ENABLE', '1')
    made = []
    with pytest.raises(SystemExit, match=r'^this node does not start: ROS_SECURITY_ENABLE must'):
        run_node(lambda: made.append(Node('unsafe')))
    assert made == []
