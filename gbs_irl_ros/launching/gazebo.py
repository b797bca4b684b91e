"""A robot in Gazebo: its world, and the programs that run beside the nodes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from gbs_irl_ros.launching.parameter_files import settings
from gbs_irl_ros.launching.process_table import (
    CMD_VEL_OUT,
    ArgumentError,
    Given,
    full_name,
    has_relay,
    namespace_rules,
    parameter_files,
)
from gbs_irl_ros.learning.folders import lessons_folder
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.gazebo import check_world, write_world
from gbs_irl_ros.tasks.whole_files import replacing

BRIDGE = ('ros_gz_bridge', 'parameter_bridge')
FORTRESS = (('gz-sim-', 'ignition-gazebo-'), ('gz::sim::', 'ignition::gazebo::'))
GUARD = (sys.executable, '-m', 'gbs_irl_ros.launching.guarded_program')
LONGEST_ANSWER_S = 30.0     # of a program that only says its version


@dataclass(frozen=True)
class Program:
    """
    A program beside the nodes; it is never started again.

    needed: the others end when it has ended.
    guarded: it runs in ``guarded_program``, in a group of its own.
    """

    name: str
    command: tuple[str, ...]
    needed: bool = True
    guarded: bool = True

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the whole command line."""
        return (*GUARD, *self.command) if self.guarded else self.command


def programs(given: Given) -> list[Program]:
    """
    Return what runs beside the nodes: nothing without Gazebo.

    Writes the world of the task unless one is given; raises, before anything is started, if that
    cannot be, or if something is not installed.
    """
    if given['robot'] != 'gazebo':
        return []
    gazebo, bridge = find_gazebo(), find_bridge()
    namespace = given['namespace'].strip('/')
    found = settings(parameter_files(given), full_name('controller', given))
    task = load_task(given['task'], allow_large=given['allow_large'] == 'true')
    if given['gz_world']:
        world, bridge_file = check_world(task, Path(given['gz_world']))
    else:
        files = write_world(
            task, lessons_folder(namespace) / 'worlds' / Path(given['task']).stem,
            namespace=namespace, stamped=found.get('stamped_cmd_vel') is True)
        world, bridge_file = files.world, files.bridge
    if Path(gazebo[0]).name != 'gz':
        world = for_fortress(world)
    window = [Program('gazebo_gui', (*gazebo, '-g'), needed=False)]
    return [Program('gazebo', (*gazebo, '-r', '-s', str(world))),
            Program('bridge', (bridge, *_bridge_arguments(given, bridge_file)), guarded=False),
            *(window if given['gz_gui'] == 'true' else ())]


def find_gazebo() -> tuple[str, str]:
    """Return the two words that start Gazebo; raise if it is not installed."""
    for name, command in (('gz', 'sim'), ('ign', 'gazebo')):
        path = shutil.which(name)
        if path is not None and _answers(path, command):
            return path, command
    raise ArgumentError('robot: there is no Gazebo on this machine: neither `gz sim` nor `ign '
                        f'gazebo` says a version; {_how_to_get_it()}')


def find_bridge() -> str:
    """Return the path of the bridge between Gazebo and ROS; raise if it is not installed."""
    for prefix in filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)):
        path = Path(prefix) / 'lib' / Path(*BRIDGE)
        if path.is_file():
            return str(path)
    raise ArgumentError(f'robot: the package {BRIDGE[0]}, which connects Gazebo with ROS 2, is '
                        f'not installed; {_how_to_get_it()}')


def for_fortress(world: Path) -> Path:
    """Write a world in the names that Gazebo had until Fortress; return that file."""
    text = world.read_text(encoding='utf-8')
    for name, before in FORTRESS:
        text = text.replace(name, before)
    file = world.with_name(f'{world.stem}_fortress{world.suffix}')
    with replacing(file) as written:
        written.write(text)
    return file


def _answers(path: str, command: str) -> bool:
    """Return whether a tool knows a command: the tool alone may be there without Gazebo."""
    try:
        done = subprocess.run([path, command, '--versions'], capture_output=True, text=True,
                              timeout=LONGEST_ANSWER_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip()[:1].isdigit()


def _how_to_get_it() -> str:
    distro = os.environ.get('ROS_DISTRO') or 'jazzy'
    return (f'`sudo apt install ros-{distro}-ros-gz` installs Gazebo and its bridge, then source '
            'ROS 2 again; without Gazebo, robot:=simulator drives the same task')


def _bridge_arguments(given: Given, file: Path) -> list[str]:
    commands = given['cmd_vel'] or (CMD_VEL_OUT if has_relay(given) else '')
    renamed = (('cmd_vel', commands), ('odom', given['odom']), ('scan', given['scan']))
    words = ['--ros-args', '--log-level', given['log_level']]
    for rule in (*namespace_rules(given),
                 *(f'{name}:={other}' for name, other in renamed if other)):
        words += ['-r', rule]
    return [*words, '-p', f'config_file:={json.dumps(str(file), ensure_ascii=False)}',
            '-p', 'expand_gz_topic_names:=true', '-p', 'use_sim_time:=true']
