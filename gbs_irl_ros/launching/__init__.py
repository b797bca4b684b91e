"""Starting all nodes: one table of processes, with two readers."""

from __future__ import annotations

import importlib
import sys

from gbs_irl_ros.starting.missing_modules import command_lacks
from gbs_irl_ros.starting.quick_imports import quick_imports


def run(name: str) -> int:
    """Run `teach` or `demo` as its script does; return the exit code."""
    try:
        with quick_imports():
            commands = importlib.import_module('gbs_irl_ros.launching.teaching_commands')
    except ModuleNotFoundError as error:
        sys.stderr.write(f'{command_lacks(name, error)}\n')
        return 1
    return int(getattr(commands, name)())
