#!/usr/bin/env python3
"""
Run the tests of processes again and again beside other load; say what failed and how often.

    make flaky N=10

Each round runs `pytest --part system` while as many processes as asked for do nothing but count.
A test that fails in some rounds only depends on chance: it is the first thing to repair.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

# It counts until whoever started it is gone, however that ended.
BUSY = 'import os; parent = os.getppid()\nwhile os.getppid() == parent: pass'


def main(arguments: list[str] | None = None) -> int:
    """Run all rounds; return 0 if every test passed in all of them."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--times', type=int, default=10, metavar='N', help='rounds')
    parser.add_argument('--load', type=int, default=4, metavar='N', help='busy processes beside')
    parser.add_argument('pytest', nargs='*', help='arguments of pytest, behind --')
    given = parser.parse_args(arguments)
    if given.times < 1 or given.load < 0:
        parser.error('--times must be at least 1 and --load at least 0')
    failures: collections.Counter[str] = collections.Counter()
    clean = 0
    for number in range(1, given.times + 1):
        print(f'flaky: round {number} of {given.times} beside {given.load} busy processes ...',
              flush=True)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix='gbs_irl_flaky_') as folder, load(given.load):
            code, failed, total = one_round(given.pytest, Path(folder))
        failures.update(failed)
        clean += code == 0
        print(f'flaky: round {number}: {total} tests, {len(failed)} failed, '
              f'{time.monotonic() - began:.0f} s', flush=True)
        if code not in (0, 1):      # no tests, a wrong option, an interruption
            print(f'flaky: pytest ended with exit code {code}; nothing can be said of chance',
                  file=sys.stderr)
            return code
    print(f'flaky: {clean} of {given.times} rounds were clean')
    for name, count in failures.most_common():
        print(f'  {count} of {given.times}: {name}')
    return 0 if clean == given.times else 1


def one_round(options: list[str], folder: Path) -> tuple[int, list[str], int]:
    """Run the tests once; return pytest's exit code, what failed, and how many there were."""
    report = folder / 'report.xml'
    code = subprocess.run([sys.executable, '-m', 'pytest', '-q', '--part', 'system',
                           f'--junit-xml={report}', *options]).returncode
    if not report.exists():
        return code, [], 0
    cases = list(ET.parse(report).getroot().iter('testcase'))
    failed = sorted({f'{case.get("classname")}.{case.get("name")}' for case in cases
                     if case.find('failure') is not None or case.find('error') is not None})
    return code, failed, len(cases)


@contextlib.contextmanager
def load(count: int):
    """Keep as many processes busy."""
    busy = [subprocess.Popen([sys.executable, '-S', '-c', BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == '__main__':
    sys.exit(main())
