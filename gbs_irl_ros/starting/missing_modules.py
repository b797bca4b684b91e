"""What to install when a Python module is missing, in the words of each package manager."""

from __future__ import annotations

import os

NODE_CANNOT_RUN = 69    # exit code of a node that lacks a module: EX_UNAVAILABLE of sysexits.h
_PIP_NAMES = {'PIL': 'pillow', 'yaml': 'PyYAML'}
_APT_NAMES = {'PIL': 'pil', 'yaml': 'yaml'}
_ROS_ENDINGS = ('_msgs', '_interfaces', '_srvs', 'rclpy', '_ros')


def how_to_install(module: str) -> str:
    """
    Return the command that brings a module, for a machine with ROS 2 and for one without.

    :param module: as it is imported, perhaps with what is inside it: ``PIL.Image``.
    """
    name = module.partition('.')[0]
    if name.endswith(_ROS_ENDINGS):
        distro = os.environ.get('ROS_DISTRO') or 'jazzy'
        return f'`apt install ros-{distro}-{name.replace("_", "-")}` installs it'
    return (f'`apt install python3-{_APT_NAMES.get(name, name)}` installs it (without '
            f'ROS: `pip install {_PIP_NAMES.get(name, name)}`)')


def command_lacks(command: str, error: ModuleNotFoundError) -> str:
    """Return which module a command lacks, and how to get it."""
    module = (error.name or '').partition('.')[0]
    return (f'{command}: there is no Python module {module!r}; {how_to_install(module)}, and in a '
            f'checkout `make setup` installs it for `tools/ros-env {command} ...`')
