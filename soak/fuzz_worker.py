"""
Feeds one target with inputs made of random bytes; prints what it found as JSON.

    python -m soak.fuzz_worker messages --seed 1 --count 1000 --seconds 60

A process of its own: it may use so much memory and no more, and whatever happens in it is seen.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from soak.choices import Choices

BYTES = 96                  # of one input
BATCH = 500                 # inputs between two looks at the clock
MEMORY = 4 << 30
SLOW_S = 1.0                # of processor time, whatever else the machine does
FAULT_ONE_IN = 50
MOST_FINDINGS = 5


class TooSlowError(Exception):
    """An input took longer than a person would wait."""


def main() -> None:
    """Fuzz, and print what was found."""
    given = _arguments()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter('ignore')
    json.dump(fuzz_target(given.target, given.seed, given.count, given.seconds,
                          fault=given.fault), sys.stdout)


def fuzz_target(name: str, seed: int, count: int, seconds: float, *,
                fault: bool = False) -> dict[str, Any]:
    """
    Fuzz a target in this process, in its main thread.

    :param fault: with a fault built in.
    """
    before = signal.signal(signal.SIGPROF, _too_slow)
    target = importlib.import_module(f'soak.targets.{name}')
    tempfile.tempdir = _fast_folder()       # lessons too: a disk would take most of the time
    try:
        patched: Any = mock.patch(target.FAULT, _faulty(target.FAULT)) if fault \
            else contextlib.nullcontext()
        with tempfile.TemporaryDirectory() as folder, target.make(Path(folder)) as feed, patched:
            return fuzz(feed, seed, count, seconds)
    finally:
        tempfile.tempdir = None
        signal.signal(signal.SIGPROF, before)


def fuzz(feed: Callable[[Choices], bool], seed: int, count: int, seconds: float,
         ) -> dict[str, Any]:
    """Return how many inputs were tried and accepted, the slowest, and what was raised."""
    ends_at = time.monotonic() + seconds
    rng = np.random.default_rng(seed)
    tried = accepted = 0
    slowest_s = 0.0
    findings: list[dict[str, str]] = []
    while tried < count and time.monotonic() < ends_at and len(findings) < MOST_FINDINGS:
        block = rng.bytes(BYTES * min(BATCH, count - tried))
        for at in range(0, len(block), BYTES):
            data = block[at:at + BYTES]
            began = time.process_time()
            try:
                accepted += timed(feed, data)
            except Exception as error:
                findings.append({'input': data.hex(), 'error': f'{type(error).__name__}: {error}',
                                 'where': traceback.format_exc(limit=-4)[-1500:]})
                if len(findings) >= MOST_FINDINGS:
                    break
            tried += 1
            slowest_s = max(slowest_s, time.process_time() - began)
    return {'tried': tried, 'accepted': accepted, 'slowest': round(slowest_s, 3),
            'findings': findings}


def timed(feed: Callable[[Choices], bool], data: bytes) -> bool:
    """Feed one input; raise if it takes too long."""
    signal.setitimer(signal.ITIMER_PROF, SLOW_S)
    try:
        return feed(Choices(data))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def _too_slow(*_: Any) -> None:
    raise TooSlowError(f'an input took longer than {SLOW_S:g} s')


def _faulty(name: str) -> Callable[..., Any]:
    """Return a function that now and then raises what the package must not."""
    module, attribute = name.rsplit('.', 1)
    holder: Any = None
    try:
        holder = importlib.import_module(module)
    except ModuleNotFoundError:         # of a class
        module, kind = module.rsplit('.', 1)
        holder = getattr(importlib.import_module(module), kind)
    real, calls = getattr(holder, attribute), [0]

    def faulty(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] % FAULT_ONE_IN == 0:
            raise ZeroDivisionError('a fault that was built in')
        return real(*given, **named)
    return faulty


def _fast_folder() -> str | None:
    return '/dev/shm' if Path('/dev/shm').is_dir() else None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('target')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--count', type=int, default=1_000_000)
    parser.add_argument('--seconds', type=float, default=60.0)
    parser.add_argument('--fault', action='store_true', help='with a fault, to see it found')
    return parser.parse_args()


if __name__ == '__main__':
    main()
