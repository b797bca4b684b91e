"""Teach a robot a task: `ros2 launch gbs_irl_ros teach.launch.py task:=room`."""

from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from gbs_irl_ros.launching.process_table import (
    ARGUMENTS,
    PACKAGE,
    PROCESSES,
    checked,
    command_for_a_terminal,
    common_arguments,
    namespace_rules,
    parameter_files,
    parameters,
)
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
        *(Node(
            package=PACKAGE, executable=process.executable, name=process.executable,
            namespace=given['namespace'], output='screen', on_exit=Shutdown(),
            arguments=common_arguments(process, given),
            parameters=[*parameter_files(given), {
                name: ParameterValue(value, value_type=type(value))
                for name, value in parameters(process, given).items()}])
          for process in wanted if not process.needs_terminal),
    ]
