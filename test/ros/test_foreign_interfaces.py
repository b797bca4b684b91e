"""The messages of Nav2 and tf2 on machines that have neither: importable, and built once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import foreign_interfaces as built

USE = """
import rclpy
from nav2_msgs.action import NavigateToPose
from nav2_msgs.msg import CostmapFilterInfo
from rclpy.action import ActionClient, ActionServer
from tf2_msgs.msg import TFMessage
for kind in (NavigateToPose.Goal, NavigateToPose.Result, NavigateToPose.Feedback,
             CostmapFilterInfo, TFMessage):
    print(*kind.get_fields_and_field_types())
rclpy.init()
node = rclpy.create_node('test')
for kind in (CostmapFilterInfo, TFMessage):
    node.create_publisher(kind, kind.__name__, 1)
    node.create_subscription(kind, kind.__name__, print, 1)
ActionServer(node, NavigateToPose, 'action', print)
ActionClient(node, NavigateToPose, 'action')
"""


def test_a_fresh_process_can_use_them_and_they_have_the_fields_of_jazzy(
        foreign_interfaces, domain):
    done = subprocess.run([sys.executable, '-c', USE], capture_output=True, text=True)
    assert done.stderr == ''
    assert done.stdout.splitlines() == [
        'pose behavior_tree',
        'error_code error_msg',
        'current_pose navigation_time estimated_time_remaining number_of_recoveries '
        'distance_remaining',
        'header type filter_mask_topic base multiplier',
        'transforms']


def test_several_at_once_build_once(tmp_path, monkeypatch):
    runs = []
    monkeypatch.setattr(built, 'BUILT', tmp_path / 'built')
    monkeypatch.setattr(built.importlib.util, 'find_spec', lambda name: None)

    def build(package, prefix):
        runs.append(package)
        (prefix / 'lib' / 'python3' / 'site-packages').mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(built, '_build', build)
    with ThreadPoolExecutor(6) as workers:
        folders = {folder.result() for folder in
                   [workers.submit(built.python_folder) for _ in range(6)]}
    assert len(folders) == 1
    assert runs == list(built.PACKAGES)


def test_a_changed_definition_is_built_again_and_the_old_one_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(built, 'BUILT', tmp_path / 'built')
    monkeypatch.setattr(built, 'SOURCES', tmp_path / 'sources')
    monkeypatch.setattr(built.importlib.util, 'find_spec', lambda name: None)
    monkeypatch.setattr(built, '_build', lambda package, prefix: (
        prefix / 'lib' / 'python3' / 'site-packages').mkdir(parents=True, exist_ok=True))
    (tmp_path / 'sources').mkdir()
    (tmp_path / 'sources' / 'One.msg').write_text('int8 number\n')
    first = built.python_folder()
    assert built.python_folder() == first
    (tmp_path / 'sources' / 'One.msg').write_text('int16 number\n')
    assert built.python_folder() != first
    assert not first.exists()


def test_a_build_that_fails_shows_its_output(tmp_path, monkeypatch):
    monkeypatch.setattr(built, 'BUILT', tmp_path / 'built')
    monkeypatch.setattr(built, 'SOURCES', tmp_path / 'sources')
    with pytest.raises(built.BuildError, match=r'cmake -S .*nav2_msgs.* failed:\n.*sources'):
        built._build('nav2_msgs', tmp_path / 'prefix')
