"""The `gbs-irl` command: look at task files, and teach one in a terminal, without ROS."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TextIO

from gbs_irl_ros.cli.ask import add_ask
from gbs_irl_ros.cli.check import add_check
from gbs_irl_ros.cli.export import add_export
from gbs_irl_ros.cli.history import add_history
from gbs_irl_ros.cli.plan import add_plan
from gbs_irl_ros.cli.plugins import add_plugins
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.cli.schema import add_schema
from gbs_irl_ros.cli.show import add_show
from gbs_irl_ros.cli.world import add_world
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.starting.missing_modules import command_lacks

USAGE_ERROR = 2     # also argparse's own


def make_parser() -> argparse.ArgumentParser:
    """Return what reads the words of all commands."""
    parser = argparse.ArgumentParser(
        prog='gbs-irl', description='Task files: check them, draw them, teach them.')
    commands = parser.add_subparsers(required=True, metavar='COMMAND')
    for add in (add_check, add_show, add_ask, add_plan, add_export, add_history, add_world,
                add_schema, add_plugins):
        add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    given = make_parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = given.run
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return run(given)
    except GbsIrlError as error:
        say(error, file=sys.stderr)
        return USAGE_ERROR
    except ModuleNotFoundError as error:
        say(command_lacks('gbs-irl', error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:         # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if error.filename is None:
            raise
        say(f'{error.filename}: {error.strerror}', file=sys.stderr)
        return USAGE_ERROR


def _warn(message: Warning | str, category: type[Warning], filename: str, lineno: int,
          file: TextIO | None = None, line: str | None = None) -> None:
    say(f'warning: {message}', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
