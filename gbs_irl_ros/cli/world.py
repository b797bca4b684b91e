"""`gbs-irl world TASK -o DIR`: the task as a Gazebo world, with a robot in it."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

from gbs_irl_ros.cli.progress import add_task_arguments
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.tasks import load_task_file
from gbs_irl_ros.tasks.gazebo import RobotShape, write_world

MEASURES = {
    'wheel_separation': 'distance of the middles of the wheels [m]',
    'wheel_radius': 'radius of a wheel [m]',
    'wheel_width': 'width of a wheel [m]',
    'body_radius': 'radius of the body [m]',
    'body_height': 'height of the body [m]',
    'mass': 'mass of the robot [kg]'}


def add_world(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('world', help='write a task as a Gazebo world and a Nav2 map')
    add_task_arguments(parser)
    parser.add_argument('-o', '--output', type=Path, metavar='DIR', required=True,
                        help='folder for the files; it is made if need be')
    parser.add_argument('--start-state', type=int, metavar='NUMBER',
                        help='where the robot stands (default: where the simulator begins)')
    parser.add_argument('--namespace', default='', help='of the robot (default: none)')
    parser.add_argument('--stamped', action='store_true',
                        help='the bridge takes commands as TwistStamped')
    parser.add_argument('--laser', action='store_true',
                        help='a laser scanner on the robot, which needs a graphics card or time')
    parser.add_argument('--picture', action='store_true',
                        help='draw the world from above into world.png')
    parser.add_argument('--force', action='store_true',
                        help='replace files of the same names that are not from this command')
    robot = parser.add_argument_group('measures of the robot')
    for each in fields(RobotShape):
        if each.name in MEASURES:
            robot.add_argument(f'--{each.name.replace("_", "-")}', type=float, metavar='NUMBER',
                               default=each.default,
                               help=f'{MEASURES[each.name]} (default: {each.default})')
    parser.set_defaults(run=world)


def world(given: argparse.Namespace) -> int:
    """Write the files and say what to do with them."""
    robot = RobotShape(laser=given.laser, **{name: getattr(given, name) for name in MEASURES})
    task = load_task_file(given.file, allow_large=given.large).task
    files = write_world(task, given.output, robot, start_state=given.start_state,
                        namespace=given.namespace, stamped=given.stamped, force=given.force,
                        picture=given.picture)
    say(f'{files.world}: the world, with a robot at ({files.start[0]:g}, {files.start[1]:g})')
    say(f'{files.bridge}: what ros_gz_bridge carries')
    say(f'{files.map}: the same as a map for Nav2')
    if files.picture is not None:
        say(f'{files.picture}: the world from above')
    words = {'robot': 'gazebo', 'task': given.file, 'gz_world': given.output.absolute(),
             **({'namespace': given.namespace} if given.namespace else {})}
    say('teach and drive it: ros2 launch gbs_irl_ros teach.launch.py '
        + shlex.join(f'{name}:={value}' for name, value in words.items()))
    return 0
