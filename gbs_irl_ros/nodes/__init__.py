"""One executable per file."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import NoReturn

from gbs_irl_ros.starting.missing_modules import NODE_CANNOT_RUN, how_to_install
from gbs_irl_ros.starting.quick_imports import quick_imports

# What remains possible without a node whose modules may be missing.
WITHOUT = {'gui': '; until then, teach in a terminal: `ros2 run gbs_irl_ros teleop`'}


def run(name: str) -> NoReturn:
    """
    Run a node as its executable does, until the end of the process.

    Until `run_node` takes Ctrl-C, it ends the process at once: there is nothing to be finished
    yet. While a node is still importing, as it is for a second or more after `ros2 launch`,
    Python would print a traceback, and launch would say that the process has died.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    try:
        with quick_imports():
            module = importlib.import_module(f'{__name__}.{name}')
    except ModuleNotFoundError as error:
        sys.stderr.write(f'{cannot_start(name, error)}\n')
        sys.exit(NODE_CANNOT_RUN)
    sys.exit(module.main())


def cannot_start(name: str, error: ModuleNotFoundError) -> str:
    """Return which module a node lacks, how to get it, and what to do until then."""
    return (f'{name} cannot start: there is no Python module {error.name!r}; '
            f'{how_to_install(error.name or "")}, and `rosdep install --from-paths src '
            f'--ignore-src -y` in your workspace installs everything that is missing'
            f'{WITHOUT.get(name, "")}')
