#!/usr/bin/env python3
"""
Run the tests and say which lines and branches they reach: what `make coverage` does.

Processes that the tests start are measured too, those that are killed excepted: they have no time
to write down what they did. Arguments are those of pytest. What is measured and how little is too
little stands in pyproject.toml.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Return 0 if all tests passed and reached enough."""
    coverage = [sys.executable, '-m', 'coverage']
    subprocess.run([*coverage, 'erase'], cwd=ROOT, check=True)
    tested = subprocess.run([*coverage, 'run', '-m', 'pytest', *arguments], cwd=ROOT).returncode
    subprocess.run([*coverage, 'combine', '--quiet'], cwd=ROOT, check=True)
    reported = subprocess.run([*coverage, 'report', '--skip-covered', '--skip-empty'],
                              cwd=ROOT).returncode
    return tested or reported


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
