"""Teach a robot a task: `ros2 launch gbs_irl_ros teach.launch.py task:=room`."""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessIO
from launch.events import matches_action
from launch.events.process import ProcessExited, ProcessIO, ShutdownProcess
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from gbs_irl_ros.launching.composition import EXECUTABLE, alone, composed_arguments, together
from gbs_irl_ros.launching.gazebo import Program, programs
from gbs_irl_ros.launching.process_table import (
    ARGUMENTS,
    PACKAGE,
    Given,
    Process,
    checked,
    command_for_a_terminal,
    common_arguments,
    parameter_files,
    parameters,
    remappings,
    terminal_arguments,
)
from gbs_irl_ros.launching.supervision import RESPAWN_DELAY_S, Supervision
from gbs_irl_ros.launching.unknown_names import ignored_arguments
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments of the table, then start its processes."""
    said: set[str] = set()
    return LaunchDescription([
        # Before arguments have their defaults, those that are there were set by somebody.
        OpaqueFunction(function=lambda context: said.update(context.launch_configurations)),
        *(DeclareLaunchArgument(
            argument.name, default_value=argument.default, description=argument.description,
            choices=list(argument.accepted) or None) for argument in ARGUMENTS),
        OpaqueFunction(function=start_processes, args=[said]),
    ])


def start_processes(context: LaunchContext, said: set[str]) -> list[LaunchDescriptionEntity]:
    """Return an action for each process that the arguments ask for."""
    around = context.launch_configurations
    for sentence in ignored_arguments(said, [each.name for each in ARGUMENTS], typed(context)):
        get_logger('launch.user').warning(sentence)
    given = checked(
        {argument.name: LaunchConfiguration(argument.name).perform(context)
         for argument in ARGUMENTS if argument.name in said}, around.get('ros_namespace') or '')
    wanted, sharing = alone(given), together(given)
    return [
        *(action for program in programs(given) for action in supervised_program(program)),
        *(LogInfo(msg=f'{process.executable} needs a keyboard, which a launch file cannot give: '
                      f'run `{terminal_command(process, given, around)}` in a terminal of its own')
          for process in wanted if process.needs_terminal),
        *(action for process in wanted if not process.needs_terminal
          for action in supervised_node(process, given)),
        *(supervised_nodes(given) if sharing else ()),
    ]


def typed(context: LaunchContext) -> list[str]:
    """Return what was typed for this file, nothing if another launch file includes it."""
    is_first = Path(__file__).name in {Path(word).name for word in sys.argv}
    return list(context.argv) if is_first else []


def terminal_command(process: Process, given: Given, around: Mapping[str, Any]) -> str:
    """Return what a person types, with what other launch files set for all nodes around them."""
    words = [word for name, other in around.get('ros_remaps') or ()
             for word in ('-r', f'{name}:={other}')]
    for each in around.get('global_params') or ():
        words += ['-p', ':='.join(map(str, each))] if isinstance(each, tuple) \
            else ['--params-file', str(each)]
    return command_for_a_terminal(process.executable,
                                  [*words, *terminal_arguments(process, given)])


def supervised_node(process: Process, given: Given) -> list[LaunchDescriptionEntity]:
    """Return the actions that start a node and look after it."""
    supervision = Supervision(process.executable, respawn=process.respawn, needed=process.needed)
    return heard(supervision, Node(
        package=PACKAGE, executable=process.executable, name=process.executable,
        namespace=given['namespace'], output='screen', respawn=process.respawn,
        respawn_delay=RESPAWN_DELAY_S, on_exit=on_exit(supervision),
        arguments=common_arguments(process, given), remappings=remappings(process, given),
        parameters=[*parameter_files(given), {
            name: ParameterValue(value, value_type=type(value))
            for name, value in parameters(process, given).items()}]))


def supervised_nodes(given: Given) -> list[LaunchDescriptionEntity]:
    """Return the actions that start the process that nodes share and look after it."""
    supervision = Supervision(EXECUTABLE, respawn=False)
    return heard(supervision, Node(
        package=PACKAGE, executable=EXECUTABLE, output='screen', on_exit=on_exit(supervision),
        arguments=composed_arguments(given)))


def supervised_program(program: Program) -> list[LaunchDescriptionEntity]:
    """Return the actions that start a program which is not a node of ours and look after it."""
    supervision = Supervision(program.name, respawn=False, needed=program.needed)
    return heard(supervision, ExecuteProcess(
        cmd=list(program.arguments), name=program.name, output='screen',
        on_exit=on_exit(supervision)))


def heard(supervision: Supervision, action: ExecuteProcess) -> list[LaunchDescriptionEntity]:
    """Return an action that starts a process, after the one by which its last lines are known."""
    def hear(event: ProcessIO) -> None:
        supervision.hear(event.text.decode(errors='replace'))
    return [RegisterEventHandler(OnProcessIO(target_action=action, on_stdout=hear,
                                             on_stderr=hear)), action]


def on_exit(supervision: Supervision) -> Callable[
        [ProcessExited, LaunchContext], list[LaunchDescriptionEntity] | None]:
    """
    Return what is done when a process has ended.

    What it raises ends everything. Launch then exits with 1; after a Shutdown action it would
    exit with 0, as if all were well.
    """
    def handle(event: ProcessExited,
               context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        if context.is_shutdown:
            return None
        actions = [LogInfo(msg=supervision.see_end(event.returncode, time.monotonic()))]
        if supervision.given_up:        # or launch would start it again
            actions.append(EmitEvent(event=ShutdownProcess(
                process_matcher=matches_action(event.action))))
        return actions
    return handle
