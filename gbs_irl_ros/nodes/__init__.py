"""One executable per file."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import NoReturn


def run(name: str) -> NoReturn:
    """
    Run a node as its executable does, until the end of the process.

    Until `run_node` takes Ctrl-C, it ends the process at once: there is nothing to be finished
    yet. While a node is still importing, as it is for a second or more after `ros2 launch`,
    Python would print a traceback, and launch would say that the process has died.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    try:
        module = importlib.import_module(f'{__name__}.{name}')
    except ModuleNotFoundError as error:
        sys.exit(f'{name} cannot start: there is no Python module {error.name!r}; `rosdep install '
                 '--from-paths src --ignore-src -y` in your workspace installs what is missing')
    sys.exit(module.main())
