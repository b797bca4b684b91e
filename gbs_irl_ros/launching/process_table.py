"""
The processes of the teaching system, as one table with two readers.

``launch/teach.launch.py`` starts it with ROS 2 launch, ``scripts/teach`` where launch is not
installed. So this file knows neither, nor rclpy.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gbs_irl_ros.core.errors import GbsIrlError, UnknownNameError
from gbs_irl_ros.core.queries import STRATEGIES
from gbs_irl_ros.core.stopping import STOP_NAMES
from gbs_irl_ros.learning.folders import PACKAGE, config_folder
from gbs_irl_ros.tasks import find_task, load_truth

Given = Mapping[str, str]


class ArgumentError(GbsIrlError, ValueError):
    """An argument of the teaching system is wrong."""


@dataclass(frozen=True)
class Argument:
    """
    One argument of the launch file.

    choices: all values that it may have; none: any.
    """

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()


ARGUMENTS = (
    Argument('task', 'room', 'The task to be taught: a name in config/tasks, or a path.'),
    Argument('demonstrator', 'gui',
             'Who teaches: a person at a page in a browser (gui) or at the keyboard of a terminal '
             '(teleop), a simulated teacher, or a node of your own (none).',
             ('gui', 'teleop', 'simulated', 'none')),
    Argument('robot', 'simulator',
             'Which robot does it: a simulated one; your own, in Gazebo or real, with odom and '
             'cmd_vel; or none.', ('simulator', 'own', 'none')),
    Argument('strategy', '', 'How questions are chosen; empty: as the parameter file says.',
             ('', *sorted(STRATEGIES))),
    Argument('stop_condition', '',
             'What ends a lesson and is promised then; empty: as the parameter file says.',
             ('', *STOP_NAMES)),
    Argument('lesson', '',
             'Name of the lesson; a lesson of the same name is continued. Empty: the name of the '
             'task.'),
    Argument('taught', '',
             'File with what was taught in another lesson (.taught.json), from which a new lesson '
             'starts; empty: none.'),
    Argument('person', '',
             'Name of the person who teaches, whose error rate is remembered; empty: nobody in '
             'particular.'),
    Argument('allow_motion', 'auto',
             'Whether the robot may drive without a call of controller/enable; auto: only a '
             'simulated robot with a simulated teacher.',
             ('auto', 'true', 'false')),
    Argument('allow_large', 'false',
             'Whether the task may need more than 2 GB of memory or 5 s.', ('true', 'false')),
    Argument('namespace', '', 'Namespace of all nodes.'),
    Argument('params_file', '', 'Parameters of your own, on top of those in config/params.yaml.'),
    Argument('use_sim_time', 'false', 'Whether time comes from /clock.', ('true', 'false')),
    Argument('log_level', 'info', 'Log level of all nodes.',
             ('debug', 'info', 'warn', 'error', 'fatal')),
)


@dataclass(frozen=True)
class Process:
    """
    One node of the system.

    executable: its name, which is also the name of the node.
    wanted: whether the arguments ask for it.
    parameters: what the arguments say about it.
    needs_terminal: it reads the keyboard, which a launch file cannot give to it.
    respawn: it is started again when it has ended, and the lesson continues. Not the controller: a
        new one would know of no STOP, and drive if the launch file allows it. Not the simulator:
        its robot would be back at the start.
    """

    executable: str
    wanted: Callable[[Given], bool]
    parameters: Callable[[Given], dict[str, Any]]
    needs_terminal: bool = False
    respawn: bool = False


def _always(given: Given) -> bool:
    return True


def _task_parameters(given: Given) -> dict[str, Any]:
    return {'task': given['task'],
            **({'allow_large': True} if given['allow_large'] == 'true' else {})}


def _learner_parameters(given: Given) -> dict[str, Any]:
    taught = {'taught': str(Path(given['taught']).absolute())} if given['taught'] else {}
    return {name: given[name] for name in ('strategy', 'stop_condition', 'lesson', 'person')
            if given[name]} | taught


def _may_move(given: Given) -> bool:
    wanted = given['allow_motion']
    nobody_there = (given['robot'], given['demonstrator']) == ('simulator', 'simulated')
    return nobody_there if wanted == 'auto' else wanted == 'true'


PROCESSES = (
    Process('mdp', _always, _task_parameters, respawn=True),
    Process('learner', _always, _learner_parameters, respawn=True),
    Process('demonstrator', lambda given: given['demonstrator'] == 'simulated',
            _task_parameters, respawn=True),
    Process('gui', lambda given: given['demonstrator'] == 'gui',
            lambda given: {'lesson': given['lesson'] or Path(given['task']).stem}, respawn=True),
    Process('teleop', lambda given: given['demonstrator'] == 'teleop', lambda given: {},
            needs_terminal=True),
    Process('controller', lambda given: given['robot'] != 'none',
            lambda given: {'allow_motion': _may_move(given)}),
    Process('simulator', lambda given: given['robot'] == 'simulator', lambda given: {}),
    Process('visualiser', _always, lambda given: {}, respawn=True),
)


def checked(given: Given) -> dict[str, str]:
    """Return all arguments, with defaults; raise if one is unknown or wrong."""
    known = {argument.name: argument for argument in ARGUMENTS}
    for name in given:
        if name not in known:
            raise UnknownNameError('argument', name, known)
    values = {name: given.get(name, argument.default) for name, argument in known.items()}
    for name, value in values.items():
        choices = known[name].choices
        if choices and value not in choices:
            raise ArgumentError(f'{name}: {UnknownNameError("value", value, choices)}')
    if not re.fullmatch(r'/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*)?/?', values['namespace'], re.ASCII):
        raise ArgumentError(f'namespace: must be words of letters, digits and _ with slashes '
                            f'between, got {values["namespace"]!r}')
    find_task(values['task'])
    if values['demonstrator'] == 'simulated':
        # A simulated teacher must know what it means.
        load_truth(values['task'], allow_large=values['allow_large'] == 'true')
    for name in ('params_file', 'taught'):
        if values[name] and not Path(values[name]).is_file():
            raise ArgumentError(f'{name}: there is no file {values[name]!r}')
    return values


def parameter_files(given: Given) -> list[str]:
    """Return the parameter files, later ones winning."""
    own = [str(Path(given['params_file']).absolute())] if given['params_file'] else []
    return [str(config_folder() / 'params.yaml'), *own]


def parameters(process: Process, given: Given) -> dict[str, Any]:
    """Return what is set besides the files; it wins over them."""
    return {**process.parameters(given), 'use_sim_time': given['use_sim_time'] == 'true'}


def ros_arguments(process: Process, given: Given) -> list[str]:
    """Return the command-line arguments of a process, to start it without launch."""
    arguments = common_arguments(process, given)
    for rule in namespace_rules(given):
        arguments += ['-r', rule]
    for file in parameter_files(given):
        arguments += ['--params-file', file]
    for name, value in parameters(process, given).items():
        quoted = json.dumps(value, ensure_ascii=False)      # "1" is a name, too
        arguments += ['-p', f'{name}:={quoted}']
    return arguments


def common_arguments(process: Process, given: Given) -> list[str]:
    """
    Return the arguments that both readers give in the same words.

    ROS 2 security looks for the keys of a node in its enclave; without security it says nothing.
    """
    namespace = given['namespace'].strip('/')
    enclave = f'/{namespace}/{process.executable}' if namespace else f'/{process.executable}'
    return ['--ros-args', '--log-level', given['log_level'], '--enclave', enclave]


def namespace_rules(given: Given) -> list[str]:
    """Return the remapping that puts a node into the namespace, if there is one."""
    namespace = given['namespace'].strip('/')
    return [f'__ns:=/{namespace}'] if namespace else []


def command_for_a_terminal(executable: str, rules: Sequence[str] = ()) -> str:
    """Return what a person types to run a node in a terminal of its own, with these remappings."""
    words = [word for rule in rules for word in ('-r', rule)]
    return shlex.join(['ros2', 'run', PACKAGE, executable, *(['--ros-args', *words] if words
                                                             else [])])


def remapping_rules(words: Sequence[str]) -> list[str]:
    """Return the remappings among the arguments of a node, but for its own name."""
    return [rule for flag, rule in itertools.pairwise(words)
            if flag in ('-r', '--remap') and not rule.startswith(('__node:=', '__name:='))]
