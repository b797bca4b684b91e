"""Teach a robot a task: `ros2 launch gbs_irl_ros teach.launch.py task:=room`."""

import time
from collections.abc import Callable

from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessExited, ProcessIO
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from gbs_irl_ros.launching.process_table import (
    ARGUMENTS,
    PACKAGE,
    PROCESSES,
    Given,
    Process,
    checked,
    command_for_a_terminal,
    common_arguments,
    namespace_rules,
    parameter_files,
    parameters,
)
from gbs_irl_ros.launching.supervision import RESPAWN_DELAY_S, Supervision
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments of the table, then start its processes."""
    return LaunchDescription([
        *(DeclareLaunchArgument(
            argument.name, default_value=argument.default, description=argument.description,
            choices=list(argument.choices) or None) for argument in ARGUMENTS),
        OpaqueFunction(function=start_processes),
    ])


def start_processes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return an action for each process that the arguments ask for."""
    given = checked({argument.name: LaunchConfiguration(argument.name).perform(context)
                     for argument in ARGUMENTS})
    wanted = [process for process in PROCESSES if process.wanted(given)]
    return [
        *(LogInfo(msg=f'{process.executable} needs a keyboard, which a launch file cannot give: '
                      f'run `{command_for_a_terminal(process.executable, namespace_rules(given))}`'
                      ' in a terminal of its own')
          for process in wanted if process.needs_terminal),
        *(action for process in wanted if not process.needs_terminal
          for action in supervised_node(process, given)),
    ]


def supervised_node(process: Process, given: Given) -> list[LaunchDescriptionEntity]:
    """Return the actions that start a node and look after it."""
    supervision = Supervision(process.executable, respawn=process.respawn)
    node = Node(
        package=PACKAGE, executable=process.executable, name=process.executable,
        namespace=given['namespace'], output='screen', respawn=process.respawn,
        respawn_delay=RESPAWN_DELAY_S, on_exit=on_exit(supervision),
        arguments=common_arguments(process, given),
        parameters=[*parameter_files(given), {
            name: ParameterValue(value, value_type=type(value))
            for name, value in parameters(process, given).items()}])

    def hear(event: ProcessIO) -> None:
        supervision.hear(event.text.decode(errors='replace'))
    return [RegisterEventHandler(OnProcessIO(target_action=node, on_stdout=hear, on_stderr=hear)),
            node]


def on_exit(supervision: Supervision) -> Callable[[ProcessExited, LaunchContext], LogInfo | None]:
    """
    Return what is done when a process has ended.

    What it raises ends everything. Launch then exits with 1; after a Shutdown action it would
    exit with 0, as if all were well.
    """
    def handle(event: ProcessExited, context: LaunchContext) -> LogInfo | None:
        if context.is_shutdown:
            return None
        return LogInfo(msg=supervision.see_end(event.returncode, time.monotonic()))
    return handle
