#!/usr/bin/env python3
"""
Run the tests and say which lines and branches they reach: what `make coverage` does.

Processes that the tests start are measured too, those that are killed excepted: they have no time
to write down what they did. Arguments are those of pytest. What is measured, and how much is
enough, is in pyproject.toml.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Return 0 if all tests passed and reached enough."""
    with tempfile.TemporaryDirectory(prefix='gbs_irl_coverage_') as folder:
        # A folder of its own: another run at the same time has another.
        environment = {**os.environ, 'COVERAGE_FILE': str(Path(folder) / 'data')}

        def coverage(*words: str) -> int:
            return subprocess.run([sys.executable, '-m', 'coverage', *words], cwd=ROOT,
                                  env=environment).returncode
        tested = coverage('run', '-m', 'pytest', *arguments)
        combined = coverage('combine', '--quiet')
        reported = coverage('report', '--skip-covered', '--skip-empty')
    return tested or combined or reported


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
