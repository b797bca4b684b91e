"""gbs-irl world as a person types it."""

from __future__ import annotations

import os
import re

import pytest
from cases import for_each

from gbs_irl_ros.cli.main import main


@pytest.mark.slow       # it draws
def test_it_says_what_it_has_written_and_what_to_do_next(tmp_path, capsys):
    folder = tmp_path / 'my worlds' / 'room'
    assert main(['world', 'room', '-o', str(folder), '--picture']) == 0
    assert capsys.readouterr().out == (
        f'{folder}/world.sdf: the world, with a robot at (4.25, 5.25)\n'
        f'{folder}/bridge.yaml: what ros_gz_bridge carries\n'
        f'{folder}/map.yaml: the same as a map for Nav2\n'
        f'{folder}/world.png: the world from above\n'
        'teach and drive it: ros2 launch gbs_irl_ros teach.launch.py robot:=gazebo task:=room '
        f"'gz_world:={folder}'\n")
    assert sorted(os.listdir(folder)) == [
        'bridge.yaml', 'map.pgm', 'map.yaml', 'world.png', 'world.sdf']
    assert (folder / 'world.png').read_bytes().startswith(b'\x89PNG')


def test_measures_of_the_robot_are_options(tmp_path):
    assert main(['world', 'grid_world', '-o', str(tmp_path), '--wheel-separation', '0.4',
                 '--wheel-radius', '0.05', '--mass', '5', '--start-state', '0', '--stamped',
                 '--laser', '--namespace', 'robot1']) == 0
    world = (tmp_path / 'world.sdf').read_text()
    assert '<wheel_separation>0.4</wheel_separation>' in world
    assert '<wheel_radius>0.05</wheel_radius>' in world
    assert sum(float(mass) for mass in re.findall('<mass>(.*)</mass>', world)) \
        == pytest.approx(5.0)
    assert re.search(r'<model name="robot">\s*<pose>0\.5 9\.5 0 0 0 0</pose>', world)
    assert '<topic>/robot1/scan</topic>' in world
    assert 'TwistStamped' in (tmp_path / 'bridge.yaml').read_text()


@for_each('arguments, message', [
    (['driver'], "the states of task 'driver' have no place on the floor"),
    (['room', '--wheel-separation', '0.6'], "the robot is too wide for task 'room', got 0.666 m"),
    (['room', '--wheel-radius', '-1'], 'wheel_radius of the robot must be above 0'),
    (['nowhere'], 'nowhere: is not a task'),
])
def test_what_cannot_be_ends_with_two_and_writes_nothing(arguments, message, tmp_path, capsys):
    assert main(['world', *arguments, '-o', str(tmp_path / 'a')]) == 2
    assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
