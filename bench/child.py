"""
A function run in a fresh process, with the most memory that it took.

`python bench/child.py MODULE FUNCTION ARGUMENTS` calls a function of bench with keyword arguments
given as JSON, and prints what it returns as JSON.
"""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

KILOBYTE, MEGABYTE = 1024, 1e6


class ChildError(RuntimeError):
    """The process did not end well."""


def in_fresh_process(function: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    """Return what a function of a module of bench returns, and ``peak_mb`` of its process."""
    module = Path(function.__code__.co_filename).stem
    done = subprocess.run(
        [sys.executable, __file__, f'bench.{module}', function.__name__, json.dumps(arguments)],
        capture_output=True, text=True)
    if done.returncode < 0:
        raise ChildError(f'{function.__name__} {arguments} was killed by signal '
                         f'{-done.returncode}; was there too little memory?')
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ['it said nothing']
        raise ChildError(f'{function.__name__} {arguments} failed: {said[-1]}')
    return dict(json.loads(done.stdout.splitlines()[-1]))


def peak_memory_mb() -> float:
    """Return the most memory this process has had at once."""
    try:
        status = Path('/proc/self/status').read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILOBYTE / MEGABYTE
    # getrusage() would count that of the process we were started from, if it was larger.
    line = next(line for line in status.splitlines() if line.startswith('VmHWM:'))
    return int(line.split()[1]) * KILOBYTE / MEGABYTE


def main() -> int:
    """Call the function that the command line names."""
    module, name, arguments = sys.argv[1:]
    answer = getattr(importlib.import_module(module), name)(**json.loads(arguments))
    print(json.dumps({**answer, 'peak_mb': peak_memory_mb()}))
    return 0


if __name__ == '__main__':
    sys.exit(main())
