"""Starting a robot in Gazebo: what runs beside the nodes, and what is said where it is missing."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching import gazebo
from gbs_irl_ros.launching.gazebo import find_bridge, find_gazebo, for_fortress, programs
from gbs_irl_ros.launching.process_table import ArgumentError, checked
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.gazebo import RobotShape, write_world

INSTALL = (r'`sudo apt install ros-jazzy-ros-gz` installs Gazebo and its bridge, then source ROS '
           r'2 again; without')


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine on which programs of these names are installed; each says this."""
    monkeypatch.setenv('PATH', str(tmp_path / 'bin'))
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{tmp_path / "none"}:{tmp_path / "ros"}')
    monkeypatch.setenv('ROS_HOME', str(tmp_path / 'a home'))
    monkeypatch.delenv('ROS_DISTRO', raising=False)

    def install(name, says='8.9.0', code=0):
        folder = tmp_path / ('ros/lib/ros_gz_bridge' if name == 'parameter_bridge' else 'bin')
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / name
        file.write_text(f'#!/bin/sh\n[ "$2" = --versions ] && echo "{says}"\nexit {code}\n')
        file.chmod(0o755)
        return str(file)
    return install


@for_each(('installed', 'expected'), [
    ({'gz': ('8.9.0', 0)}, ('gz', 'sim')), ({'ign': ('6.16.0', 0)}, ('ign', 'gazebo')),
    ({'gz': ('8.9.0', 0), 'ign': ('6.16.0', 0)}, ('gz', 'sim')),
    # The tool is there without Gazebo, or the gz is that of Gazebo classic.
    ({'gz': ('Available commands:', 0), 'ign': ('6.16.0', 0)}, ('ign', 'gazebo')),
    ({'gz': ('8.9.0', 255), 'ign': ('', 0)}, None), ({}, None)])
def test_gazebo_is_what_says_a_version(installed, expected, tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    for name, (says, code) in installed.items():
        file = tmp_path / name
        file.write_text(f'#!/bin/sh\necho "{says}"\nexit {code}\n')
        file.chmod(0o755)
    if expected is not None:
        assert find_gazebo() == (str(tmp_path / expected[0]), expected[1])
        return
    with pytest.raises(ArgumentError, match=(
            r'^robot: there is no Gazebo on this machine: neither `gz sim` nor `ign gazebo` says '
            rf'a version; {INSTALL}')):
        find_gazebo()


def test_without_the_bridge_one_sentence_says_how_to_get_it(machine, monkeypatch):
    machine('gz')
    monkeypatch.setenv('ROS_DISTRO', 'kilted')
    with pytest.raises(ArgumentError, match=(
            r'^robot: the package ros_gz_bridge, which connects Gazebo with ROS 2, is not '
            r'installed; `sudo apt install ros-kilted-ros-gz`')):
        programs(checked({'robot': 'gazebo'}))
    bridge = machine('parameter_bridge')
    assert find_bridge() == bridge


def test_nothing_runs_beside_other_robots(machine):
    for robot in ('simulator', 'own', 'none'):
        assert programs(checked({'robot': robot, 'gz_gui': 'true'})) == []


def options(words, flag):
    return [value for name, value in itertools.pairwise(words) if name == flag]


def test_the_server_the_bridge_and_perhaps_a_window_run_beside_the_nodes(machine, tmp_path):
    gz, bridge = machine('gz'), machine('parameter_bridge')
    server, carrier = programs(checked({'robot': 'gazebo'}))
    folder = tmp_path / 'a home' / 'gbs_irl' / 'worlds' / 'room'
    guard = (sys.executable, '-m', 'gbs_irl_ros.launching.guarded_program')
    assert (server.name, server.needed, server.arguments) == (
        'gazebo', True, (*guard, gz, 'sim', '-r', '-s', str(folder / 'world.sdf')))
    assert ElementTree.parse(folder / 'world.sdf').getroot().tag == 'sdf'
    assert (carrier.name, carrier.needed, carrier.arguments[0]) == ('bridge', True, bridge)
    assert options(carrier.arguments, '-r') == ['cmd_vel:=cmd_vel_out']
    given = dict(word.split(':=') for word in options(carrier.arguments, '-p'))
    assert yaml.safe_load(given.pop('config_file')) == str(folder / 'bridge.yaml')
    assert given == {'expand_gz_topic_names': 'true', 'use_sim_time': 'true'}
    window = programs(checked({'robot': 'gazebo', 'gz_gui': 'true'}))[-1]
    assert (window.name, window.needed, window.arguments) == (
        'gazebo_gui', False, (*guard, gz, 'sim', '-g'))


def test_a_world_that_was_written_before_is_used_as_it_is(machine, tmp_path):
    machine('gz')
    machine('parameter_bridge')
    folder = tmp_path / 'my world'
    given = {'robot': 'gazebo', 'gz_world': str(folder)}
    with pytest.raises(GbsIrlError, match=(
            rf'^there is no file {folder}/world.sdf; expected a folder that gbs-irl world has')):
        programs(checked(given))
    write_world(load_task('room'), folder, RobotShape(wheel_radius=0.03))
    before = (folder / 'world.sdf').read_bytes()
    server, carrier = programs(checked(given))
    assert server.command[-1] == str(folder / 'world.sdf')
    assert f'config_file:="{folder}/bridge.yaml"' in carrier.command
    assert (folder / 'world.sdf').read_bytes() == before
    assert not (tmp_path / 'a home').exists()
    with pytest.raises(GbsIrlError, match=(
            rf"^{folder}/world.sdf was not written for task 'grid_world' as it is now: write it")):
        programs(checked({**given, 'task': 'grid_world'}))


@for_each(('given', 'rules'), [
    ({'namespace': 'flat', 'odom': 'base/odom'},
     ['__ns:=/flat', 'cmd_vel:=cmd_vel_out', 'odom:=base/odom']),
    ({'relay': 'false'}, []),
    ({'relay': 'false', 'cmd_vel': 'go', 'scan': 'front'}, ['cmd_vel:=go', 'scan:=front']),
    ({'cmd_vel': '/go'}, ['cmd_vel:=/go'])])
def test_the_bridge_has_the_names_that_the_nodes_have(given, rules, tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    monkeypatch.setattr(gazebo, 'find_gazebo', lambda: ('/usr/bin/gz', 'sim'))
    monkeypatch.setattr(gazebo, 'find_bridge', lambda: '/bridge')
    _, bridge = programs(checked({'robot': 'gazebo', **given}))
    assert options(bridge.arguments, '-r') == rules
    namespace = given.get('namespace', '')
    world = (tmp_path / 'gbs_irl' / namespace / 'worlds' / 'room' / 'world.sdf').read_text()
    assert (f'<odom_topic>/{namespace}/odom' in world) == bool(namespace)


def test_the_bridge_takes_the_kind_of_command_that_is_sent(machine, tmp_path):
    machine('gz')
    machine('parameter_bridge')
    mine = tmp_path / 'mine.yaml'
    mine.write_text('/**/*: {ros__parameters: {stamped_cmd_vel: true}}')
    for given, kind in (({}, 'Twist'), ({'params_file': str(mine)}, 'TwistStamped')):
        programs(checked({'robot': 'gazebo', **given}))
        carried = yaml.safe_load(
            (tmp_path / 'a home/gbs_irl/worlds/room/bridge.yaml').read_text())
        assert [each['ros_type_name'] for each in carried if each['ros_topic_name'] == 'cmd_vel'] \
            == [f'geometry_msgs/msg/{kind}']


def test_before_fortress_plugins_had_other_names(machine, tmp_path):
    machine('ign', '6.16.0')
    machine('parameter_bridge')
    server, _ = programs(checked({'robot': 'gazebo'}))
    assert server.command[1:4] == ('gazebo', '-r', '-s')
    text = Path(server.command[4]).read_text()
    assert Path(server.command[4]).name == 'world_fortress.sdf'
    assert 'filename="ignition-gazebo-diff-drive-system"' in text
    assert 'name="ignition::gazebo::systems::DiffDrive"' in text
    assert 'gz-sim-' not in text
    assert 'gz::sim::' not in text
    assert for_fortress(tmp_path / 'a home/gbs_irl/worlds/room/world.sdf').read_text() == text


def test_a_task_without_places_is_refused_before_anything_starts(machine):
    machine('gz')
    machine('parameter_bridge')
    with pytest.raises(GbsIrlError, match='random_mdp'):
        programs(checked({'robot': 'gazebo', 'task': 'random_mdp'}))
