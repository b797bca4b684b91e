"""`scripts/teach` and `scripts/demo`: the teaching system where `ros2 launch` is not installed."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.printable import printable
from gbs_irl_ros.launching.composition import EXECUTABLE, alone, composed_arguments, together
from gbs_irl_ros.launching.gazebo import programs
from gbs_irl_ros.launching.own_domain import OwnDomain
from gbs_irl_ros.launching.process_table import ARGUMENTS, Given, Process, checked, ros_arguments
from gbs_irl_ros.launching.processes import Command, run_together
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

USAGE_ERROR = 2


def teach(arguments: Sequence[str] | None = None) -> int:
    """Start the system with arguments like ``task:=room``; return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if {'-h', '--help', '-s', '--show-args'} & set(words):
        sys.stdout.write(_usage())
        return 0
    try:
        given = checked(_read(words))
        beside = [Command(each.name, each.arguments, needed=each.needed, is_node=each.guarded)
                  for each in programs(given)]
    except GbsIrlError as error:
        sys.stderr.write(f'{printable(error)}\n')
        return USAGE_ERROR
    return run_together([*beside, *_commands(given)], _environment(), announced=True)


def demo(arguments: Sequence[str] | None = None) -> int:
    """Teach a task with the simulated teacher, let the robot do it, and judge: 0 if it did."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    named = [word for word in words if ':=' in word]
    words = [word for word in words if ':=' not in word]
    task, picture = (*words, DEFAULT_TASK)[0], (*words[1:], 'demo.png')[0]
    environment = _environment()
    with contextlib.ExitStack() as ends:
        try:
            given = checked({'task': task, 'demonstrator': 'simulated', 'allow_motion': 'false',
                             'stop_condition': (*words[2:], '')[0], **_read(named)})
            # It is alone: another one, or a robot nearby, must not answer its questions.
            if 'ROS_DOMAIN_ID' not in environment:
                domain = OwnDomain()
                ends.callback(domain.release)
                environment['ROS_DOMAIN_ID'] = str(domain.number)
        except GbsIrlError as error:
            sys.stderr.write(f'{printable(error)}\n')
            return USAGE_ERROR
        environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        folder = ends.enter_context(tempfile.TemporaryDirectory(prefix='gbs_irl_demo_'))
        commands = [*_commands(given, {
            'learner': ['-p', f'journal_dir:={json.dumps(folder)}'],
            'controller': ['-p', 'max_speed:=2.0', '-p', 'max_turn:=4.0']})]
        judge = Process('judge', lambda _: True, lambda _: {'task': task, 'picture': picture})
        commands.append(_command(judge, given, leads=True))
        return run_together(commands, environment, announced=True)


def _commands(given: Given,
              more: Mapping[str, Sequence[str]] | None = None) -> list[Command]:
    commands = [_command(process, given, (more or {}).get(process.executable, ()))
                for process in alone(given)]
    sharing = tuple(process.executable for process in together(given))
    return [*commands, *([Command(EXECUTABLE, (
        sys.executable, '-m', 'gbs_irl_ros.nodes', EXECUTABLE,
        *composed_arguments(given, more)), is_node=True, nodes=sharing)] if sharing else ())]


def _command(process: Process, given: Given, more: Sequence[str] = (), *,
             leads: bool = False) -> Command:
    return Command(
        process.executable,
        (sys.executable, '-m', 'gbs_irl_ros.nodes', process.executable,
         *ros_arguments(process, given), *more),
        leads=leads or process.needs_terminal, needs_terminal=process.needs_terminal,
        respawn=process.respawn, needed=process.needed, is_node=True)


def _environment() -> dict[str, str]:
    checkout = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (checkout, os.environ.get('PYTHONPATH'))))
    return {**os.environ, 'PYTHONPATH': path}


def _read(words: Sequence[str]) -> dict[str, str]:
    given = {}
    for word in words:
        name, sign, value = word.partition(':=')
        if not sign:
            raise GbsIrlError(f'arguments are written NAME:=VALUE, got {word!r}; '
                              'see them all with --show-args')
        given[name] = value
    return given


def _usage() -> str:
    lines = ['Start the teaching system: teach NAME:=VALUE ...', '']
    for argument in ARGUMENTS:
        lines.append(f'  {argument.name}:={argument.default or chr(39) * 2}')
        lines.append(f'      {argument.description}')
        if argument.choices:
            lines.append('      One of: ' + ', '.join(each or "''" for each in argument.choices))
    return '\n'.join(lines) + '\n'
