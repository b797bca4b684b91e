"""The `gbs-irl` command."""

from __future__ import annotations

import os
import signal
import sys

from gbs_irl_ros.starting.missing_modules import command_lacks
from gbs_irl_ros.starting.quick_imports import quick_imports


def run() -> int:
    """Run the command as its executable does; until it is imported, Ctrl-C says nothing."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    try:
        with quick_imports():
            from gbs_irl_ros.cli.main import main
    except ModuleNotFoundError as error:
        sys.stderr.write(f'{command_lacks("gbs-irl", error)}\n')
        return 1
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return main()
