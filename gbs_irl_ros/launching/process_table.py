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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError, UnknownNameError
from gbs_irl_ros.core.queries import STRATEGIES
from gbs_irl_ros.core.stopping import STOP_NAMES
from gbs_irl_ros.launching.parameter_files import settings
from gbs_irl_ros.launching.unknown_names import check_parameters
from gbs_irl_ros.learning.folders import PACKAGE, config_folder
from gbs_irl_ros.learning.study_file import check_code
from gbs_irl_ros.starting.missing_modules import how_to_install
from gbs_irl_ros.tasks import load_task, load_truth
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

FLAG = ('true', 'false')
TOPICS = ('odom', 'cmd_vel', 'scan')        # of the robot, which may have other names there
CMD_VEL_OUT = 'cmd_vel_out'                 # what the relay passes on


class Given(dict[str, str]):
    """
    All arguments with their values.

    said: those that somebody has set; the others have the values of a file, or their defaults.
    """

    def __init__(self, values: Mapping[str, str], said: Collection[str]) -> None:
        super().__init__(values)
        self.said = frozenset(said)


class ArgumentError(GbsIrlError, ValueError):
    """An argument of the teaching system is wrong."""


@dataclass(frozen=True)
class Argument:
    """
    One argument of the launch file.

    choices: all values that it may have; none: any.
    parameter_of: the node that has a parameter of the same name. What a parameter file says there
        counts unless the argument is given.
    """

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()
    parameter_of: str = ''

    @property
    def accepted(self) -> tuple[str, ...]:
        """Return the choices, and True and False as other launch files write them."""
        return (*self.choices, *(each.capitalize() for each in FLAG if each in self.choices))


ARGUMENTS = (
    Argument('task', DEFAULT_TASK, 'The task to be taught: a name in config/tasks, or a path.',
             parameter_of='mdp'),
    Argument('demonstrator', 'gui',
             'Who teaches: a person at a page in a browser (gui) or at the keyboard of a terminal '
             '(teleop), a simulated teacher, or a node of your own (none).',
             ('gui', 'teleop', 'simulated', 'none')),
    Argument('robot', 'simulator',
             'Which robot does it: a simulated one; one in Gazebo, in a world made from the task; '
             'your own, with odom and cmd_vel; or none.',
             ('simulator', 'gazebo', 'own', 'none')),
    Argument('robot_config', '',
             'Parameters of the robot: a name in config/robots, or a path. Empty: gazebo for the '
             'one in Gazebo, otherwise none.'),
    Argument('odom', '', 'Topic of the odometry of the robot; empty: odom.'),
    Argument('cmd_vel', '',
             'Topic that the robot takes commands from; empty: cmd_vel, or cmd_vel_out behind the '
             'relay.'),
    Argument('scan', '', 'Topic of the laser scanner of the robot; empty: scan.'),
    Argument('relay', 'auto',
             'Whether a relay tells the robot to stand when no command comes, for a base that '
             'does not do that itself; auto: in Gazebo.', ('auto', *FLAG)),
    Argument('gz_gui', 'false', 'Whether Gazebo has a window.', FLAG),
    Argument('gz_world', '',
             'Folder that `gbs-irl world` has written for the task, with a robot of other '
             'measures or a laser scanner; empty: the world is made when all is started.'),
    Argument('strategy', '', 'How questions are chosen; empty: as the parameter file says.',
             ('', *sorted(STRATEGIES))),
    Argument('stop_condition', '',
             'What ends a lesson and is promised then; empty: as the parameter file says.',
             ('', *STOP_NAMES)),
    Argument('lesson', '',
             'Name of the lesson; a lesson of the same name is continued. Empty: the name of the '
             'task.', parameter_of='learner'),
    Argument('taught', '',
             'File with what was taught in another lesson (.taught.json), from which a new lesson '
             'starts; empty: none.'),
    Argument('person', '',
             'Name of the person who teaches, whose error rate is remembered; empty: nobody in '
             'particular.'),
    Argument('study', '',
             'Code of a participant in a user study, a pseudonym: what happens in the lesson is '
             'also written to a CSV file (docs/study.md); empty: it is not.'),
    Argument('allow_motion', 'auto',
             'Whether the robot may drive without a call of controller/enable; auto: only a '
             'simulated robot with a simulated teacher.',
             ('auto', *FLAG), 'controller'),
    Argument('autostart', 'true',
             'Whether the controller becomes active by itself; false: a lifecycle manager, or '
             '`ros2 lifecycle set`, configures and activates it.', FLAG, 'controller'),
    Argument('composed', 'false',
             'Whether the nodes share one process, but for the relay and what needs a terminal.',
             FLAG),
    Argument('allow_large', 'false',
             'Whether the task may need more than 2 GB of memory or 5 s.', FLAG, 'mdp'),
    Argument('namespace', '', 'Namespace of all nodes.'),
    Argument('params_file', '',
             'Parameters of your own, on top of those in config/params.yaml and of robot_config; '
             'arguments that are given win over both.'),
    Argument('use_sim_time', 'auto', 'Whether time comes from /clock; auto: in Gazebo.',
             ('auto', *FLAG)),
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
    needed: the others cannot do without it: they end when it has ended for good.
    alone: it has a process of its own in any case: the relay must outlive the controller, and a
        terminal belongs to one program.
    """

    executable: str
    wanted: Callable[[Given], bool]
    parameters: Callable[[Given], dict[str, Any]]
    needs_terminal: bool = False
    respawn: bool = False
    needed: bool = True
    alone: bool = False


def _always(given: Given) -> bool:
    return True


def _task_parameters(given: Given) -> dict[str, Any]:
    return {'task': given['task'],
            **({'allow_large': True} if given['allow_large'] == 'true' else {})}


def _learner_parameters(given: Given) -> dict[str, Any]:
    taught = {'taught': str(Path(given['taught']).absolute())} if given['taught'] else {}
    named = ('strategy', 'stop_condition', 'lesson', 'person', 'study')
    return {name: given[name] for name in named if given[name]} | taught


def _may_move(given: Given) -> bool:
    wanted = given['allow_motion']
    nobody_there = given['robot'] in ('simulator', 'gazebo') \
        and given['demonstrator'] == 'simulated'
    return nobody_there if wanted == 'auto' else wanted == 'true'


def _controller_parameters(given: Given) -> dict[str, Any]:
    return {'allow_motion': _may_move(given),
            **({'autostart': False} if given['autostart'] == 'false' else {})}


def has_relay(given: Given) -> bool:
    """Return whether commands go through the relay."""
    wanted = given['relay']
    return given['robot'] != 'none' \
        and (given['robot'] == 'gazebo' if wanted == 'auto' else wanted == 'true')


PROCESSES = (
    Process('mdp', _always, _task_parameters, respawn=True),
    Process('learner', _always, _learner_parameters, respawn=True),
    Process('demonstrator', lambda given: given['demonstrator'] == 'simulated',
            _task_parameters, respawn=True),
    Process('gui', lambda given: given['demonstrator'] == 'gui',
            lambda given: {'lesson': given['lesson'] or Path(given['task']).stem}, respawn=True,
            needed=False),
    Process('teleop', lambda given: given['demonstrator'] == 'teleop', lambda given: {},
            needs_terminal=True, alone=True),
    Process('controller', lambda given: given['robot'] != 'none',
            _controller_parameters),
    Process('relay', has_relay, lambda given: {}, respawn=True, alone=True),
    Process('simulator', lambda given: given['robot'] == 'simulator', lambda given: {}),
    Process('visualiser', _always, lambda given: {}, respawn=True, needed=False),
)


def checked(given: Mapping[str, str], around: str = '') -> Given:
    """
    Return all arguments, raise if one is unknown or wrong.

    What is not given is as the parameter files say, and otherwise has its default.

    :param around: the namespace of a launch file that includes this one.
    """
    known = {argument.name: argument for argument in ARGUMENTS}
    for name in given:
        if name not in known:
            raise UnknownNameError('argument', name, known)
    values = Given({name: _cleaned(argument, given.get(name, argument.default))
                    for name, argument in known.items()}, given)
    if not re.fullmatch(r'/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*)?/?', values['namespace'], re.ASCII):
        raise ArgumentError(f'namespace: must be words of letters, digits and _ with slashes '
                            f'between, got {values["namespace"]!r}')
    if around.strip('/') and not values['namespace'].startswith('/'):
        values['namespace'] = f'/{around.strip("/")}/{values["namespace"]}'.rstrip('/')
    for name in ('params_file', 'taught'):
        if values[name] and not Path(values[name]).is_file():
            raise ArgumentError(f'{name}: there is no file {values[name]!r}')
    try:
        if values['study']:
            check_code(values['study'])
    except InvalidRecordError as error:
        raise ArgumentError(f'study: {error}') from None
    _read_files(values, known)
    check_parameters(own_files(values), str(config_folder() / 'params.yaml'),
                     [full_name(each.executable, values) for each in PROCESSES])
    _check_topics(values)
    # Before anything is started. A simulated teacher must also know what it means.
    load = load_truth if values['demonstrator'] == 'simulated' else load_task
    try:
        load(values['task'], allow_large=values['allow_large'] == 'true')
    except ModuleNotFoundError as error:    # as the image of a map needs one
        raise ArgumentError(f'task: {values["task"]} cannot be read: there is no Python module '
                            f'{error.name!r}; {how_to_install(error.name or "")}') from None
    return values


def _cleaned(argument: Argument, value: str) -> str:
    if not argument.choices:
        return value
    if value not in argument.accepted:
        raise ArgumentError(f'{argument.name}: '
                            f'{UnknownNameError("value", value, argument.choices)}')
    return value.lower() if 'true' in argument.choices else value


def _read_files(values: Given, known: Mapping[str, Argument]) -> None:
    """Let files say what arguments have not said."""
    files = own_files(values)
    for name, argument in known.items():
        if argument.parameter_of and name not in values.said:
            found = settings(files, full_name(argument.parameter_of, values))
            if name in found:
                value = found[name]
                values[name] = _cleaned(
                    argument, str(value).lower() if isinstance(value, bool) else str(value))


def _check_topics(values: Given) -> None:
    for name in TOPICS:
        if not re.fullmatch(r'(/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*)?', values[name], re.ASCII):
            raise ArgumentError(f'{name}: must be the name of a topic, got {values[name]!r}')
    namespace = values['namespace'].strip('/')
    if has_relay(values) and values['cmd_vel'] in (
            'cmd_vel', f'/{namespace}/cmd_vel' if namespace else '/cmd_vel'):
        raise ArgumentError(
            'cmd_vel: everybody who drives commands on cmd_vel, from where the relay passes '
            'commands on; the robot must take them from another topic, such as the default '
            f'{CMD_VEL_OUT}, got {values["cmd_vel"]!r}')


def full_name(executable: str, given: Given) -> str:
    """Return the full name of a node."""
    namespace = given['namespace'].strip('/')
    return f'/{namespace}/{executable}' if namespace else f'/{executable}'


def own_files(given: Given) -> list[str]:
    """Return the files besides that of the package which the arguments ask for, the last wins."""
    wanted = given['robot_config'] or ('gazebo' if given['robot'] == 'gazebo' else '')
    return [*([_robot_file(wanted)] if wanted else ()),
            *([str(Path(given['params_file']).absolute())] if given['params_file'] else ())]


def _robot_file(wanted: str) -> str:
    shipped = {path.stem: path for path in (config_folder() / 'robots').glob('*.yaml')}
    if wanted in shipped:
        return str(shipped[wanted])
    if Path(wanted).is_file():
        return str(Path(wanted).absolute())
    raise ArgumentError(f'robot_config: there is no file {wanted!r}, and no robot of that name; '
                        f'known: {sorted(shipped)}')


def parameter_files(given: Given) -> list[str]:
    """Return the parameter files, later ones winning."""
    return [str(config_folder() / 'params.yaml'), *own_files(given)]


def parameters(process: Process, given: Given) -> dict[str, Any]:
    """
    Return what is set besides the files; it wins over them.

    It is what the arguments say; what they do not say, files may.
    """
    values = process.parameters(given)
    if given['use_sim_time'] != 'auto' or given['robot'] == 'gazebo':
        values = {**values, 'use_sim_time': given['use_sim_time'] != 'false'}
    in_files = settings(own_files(given), full_name(process.executable, given))
    return {name: in_files[name] if name in in_files and name not in given.said else value
            for name, value in values.items()}


def remappings(process: Process, given: Given) -> list[tuple[str, str]]:
    """Return the names of topics that a process uses under another name."""
    rules = [(name, given[name]) for name in ('odom', 'scan') if given[name]]
    out = given['cmd_vel']
    if process.executable == 'relay':
        return [*rules, *([(CMD_VEL_OUT, out)] if out else ())]
    if has_relay(given):
        out = out or CMD_VEL_OUT if process.executable == 'simulator' else ''
    return [*rules, *([('cmd_vel', out)] if out else ())]


def ros_arguments(process: Process, given: Given) -> list[str]:
    """Return the command-line arguments of a process, to start it without launch."""
    return [*common_arguments(process, given),
            *_flagged('-r', (*namespace_rules(given), *_rules(process, given))),
            *_flagged('--params-file', parameter_files(given)),
            *_parameter_words(process, given)]


def common_arguments(process: Process, given: Given) -> list[str]:
    """
    Return the arguments that both readers give in the same words.

    ROS 2 security looks for the keys of a node in its enclave; without security it says nothing.
    """
    return ['--ros-args', '--log-level', given['log_level'],
            '--enclave', full_name(process.executable, given)]


def namespace_rules(given: Given) -> list[str]:
    """Return the remapping that puts a node into the namespace, if there is one."""
    namespace = given['namespace'].strip('/')
    return [f'__ns:=/{namespace}'] if namespace else []


def _rules(process: Process, given: Given) -> list[str]:
    return [f'{name}:={other}' for name, other in remappings(process, given)]


def terminal_arguments(process: Process, given: Given) -> list[str]:
    """Return the arguments of ROS that a node needs in a terminal of its own."""
    return [*_flagged('-r', (*namespace_rules(given), *_rules(process, given))),
            *_flagged('--params-file', own_files(given)), *_parameter_words(process, given)]


def command_for_a_terminal(executable: str, words: Sequence[str] = ()) -> str:
    """Return what a person types to run a node in a terminal, with these arguments of ROS."""
    return shlex.join(['ros2', 'run', PACKAGE, executable,
                       *(['--ros-args', *words] if words else [])])


def repeated_arguments(words: Sequence[str]) -> list[str]:
    """Return what a node was given that it also needs elsewhere: all but its own name."""
    return [word for flag, value in itertools.pairwise(words)
            if flag in ('-r', '--remap', '-p', '--param', '--params-file')
            and not value.startswith(('__node:=', '__name:=')) for word in (flag, value)]


def _parameter_words(process: Process, given: Given) -> list[str]:
    # As JSON: "1" is a name, too.
    return _flagged('-p', [f'{name}:={json.dumps(value, ensure_ascii=False)}'
                           for name, value in parameters(process, given).items()])


def _flagged(flag: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (flag, value)]
