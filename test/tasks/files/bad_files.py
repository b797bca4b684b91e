"""
The catalogue of bad task files.

Every ``bad/<name>.yaml`` must be refused with the lines of ``bad/<name>.txt``. An expected line
that ends in ``...`` says only how the line begins.
"""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / 'bad'
NAMES = sorted(path.stem for path in FOLDER.glob('*.yaml'))
PATIENCE = 5.0      # s: nothing takes one second, but a test machine may be busy


@contextlib.contextmanager
def in_time(seconds=PATIENCE):
    """Fail rather than hang; what others do on this machine does not count."""
    def too_late(signum, frame):
        # no `except Exception` catches it
        pytest.fail(f'still running after {seconds} s of processor time')

    before = signal.signal(signal.SIGPROF, too_late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def expected_lines(name):
    return (FOLDER / f'{name}.txt').read_text(encoding='utf-8').splitlines()


def says(text, expected):
    """Tell whether a text has the expected lines, each whole or up to its `...`."""
    lines = text.split('\n')
    return len(lines) == len(expected) and all(
        line.startswith(wanted[:-3]) if wanted.endswith('...') else line == wanted
        for line, wanted in zip(lines, expected, strict=True))
