"""
The compiled kernel: where it is found, and its functions with arrays instead of pointers.

The library is optional. Everything it does is also done by numpy and scipy, more slowly; callers
ask ``library()`` whether it is there. ``GBS_IRL_KERNEL=off`` leaves it unused, and
``GBS_IRL_KERNEL=/path/to/lib.so`` takes that one.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

import numpy as np

import gbs_irl_ros

VERSION = 2                         # GBS_VERSION of src/kernel.h
VARIABLE = 'GBS_IRL_KERNEL'
THREADS = 'GBS_IRL_THREADS'
SOLVED, UNFINISHED, VANISHED = range(3)
PARALLEL_FROM = 1_000_000           # entries; for fewer, threads cost more than they save

_alone: ContextVar[bool] = ContextVar('_alone', default=False)
_int64, _double, _pointer = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


class World(ctypes.Structure):
    """gbs_world of src/kernel.h."""

    _fields_ = (('num_states', _int64), ('num_actions', _int64), ('num_components', _int64),
                ('deterministic', _int64), ('discount', _double), ('row_start', _pointer),
                ('next', _pointer), ('weight', _pointer), ('gain', _pointer),
                ('component_start', _pointer), ('state_of', _pointer))


class RewardTable(ctypes.Structure):
    """gbs_rewards of src/kernel.h."""

    _fields_ = (('per_action', _int64), ('num_features', _int64), ('weight_start', _pointer),
                ('weight_column', _pointer), ('weight_value', _pointer),
                ('feature_start', _pointer), ('feature_row', _pointer),
                ('feature_value', _pointer))


class PlanResult(ctypes.Structure):
    """gbs_plan_result of src/kernel.h."""

    _fields_ = (('bits', _pointer), ('bits_size', _int64), ('bits_stride', _int64),
                ('values', _pointer), ('updates', _pointer), ('status', _pointer),
                ('where', _pointer))


SIGNATURES: dict[str, list[type]] = {
    'gbs_version': [],
    'gbs_components': [_int64, _int64, _pointer, _pointer, _pointer, _pointer],
    'gbs_plan': [_pointer, _pointer, _pointer, _int64, _int64, _double, _int64, _int64,
                 _pointer],
    'gbs_goals': [_int64, _int64, _pointer, _pointer, _pointer, _pointer, _int64, _pointer,
                  _int64, _int64, _pointer],
    'gbs_patterns': [_pointer, _int64, _int64, _pointer],
    'gbs_mass': [_pointer, _int64, _int64, _int64, _int64, _pointer, _int64, _pointer, _pointer,
                 _pointer],
    'gbs_changes': [_pointer, _int64, _int64, _int64, _int64, _pointer, _pointer, _pointer,
                    _pointer],
    'gbs_mass_by_changes': [_pointer, _int64, _int64, _int64, _int64, _pointer, _pointer,
                            _pointer, _pointer, _pointer, _pointer],
}


def library() -> ctypes.CDLL | None:
    """Return the library, or None if there is none or it is switched off."""
    return _load(os.environ.get(VARIABLE, ''))[0]


def description() -> str:
    """Return which kernel is used and, if none, why not: one sentence for the log."""
    return _load(os.environ.get(VARIABLE, ''))[1]


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread inside, whatever is said elsewhere: for work that is parallel already."""
    token = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(token)


def num_threads() -> int:
    """Return how many threads to use: $GBS_IRL_THREADS, else all processors of this process."""
    if _alone.get():
        return 1
    wanted = os.environ.get(THREADS, '')
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0))


def in_parallel(job: Callable[[int, int], None], count: int, step: int, size: int,
                done: Callable[[int], None] = lambda end: None) -> None:
    """
    Call ``job(first, last)`` for parts of 0 .. count, in threads where that pays.

    :param step: of a part.
    :param size: of the whole work, in entries.
    :param done: told after each part how many are finished.
    """
    parts = [(first, min(first + step, count)) for first in range(0, count, step)]
    workers = min(num_threads(), len(parts)) if size >= PARALLEL_FROM else 1
    finished = 0
    if workers <= 1:
        for first, last in parts:
            job(first, last)
            done(last)
        return
    with ThreadPoolExecutor(workers) as pool:
        for (first, last), _ in zip(parts, pool.map(lambda part: job(*part), parts), strict=True):
            finished += last - first
            done(finished)


def call(name: str, *arguments: object) -> None:
    """Call a function of the library; arrays and structures are passed by their address."""
    found = library()
    assert found is not None    # callers have asked
    if getattr(found, name)(*map(_address, arguments)) != 0:
        raise MemoryError(f'{name} found no memory')


def address(array: np.ndarray | None, dtype: type[np.generic]) -> int | None:
    """Return where the data of an array is; it must be contiguous and of that type."""
    if array is None:
        return None
    assert array.dtype == dtype
    assert array.flags.c_contiguous
    return int(array.ctypes.data)


def _address(argument: object) -> object:
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return argument.ctypes.data
    if isinstance(argument, ctypes.Structure):
        return ctypes.addressof(argument)
    return argument


@cache
def _load(setting: str) -> tuple[ctypes.CDLL | None, str]:
    """Return (library or None, what to say about it) for a value of the variable."""
    without = 'planning without the compiled kernel, which takes many times as long: '
    if setting == 'off':
        return None, f'{without}it is switched off by {VARIABLE}=off'
    if sys.byteorder != 'little':
        return None, f'{without}it is for little-endian processors'
    paths = [Path(setting)] if setting else [
        path for folder in gbs_irl_ros.__path__
        for path in sorted(Path(folder, 'core', 'planning').glob('_kernel*.so'))]
    problems = []
    for path in paths:
        try:
            found = ctypes.CDLL(str(path))
            for name, signature in SIGNATURES.items():
                getattr(found, name).argtypes = signature
            version = found.gbs_version()
        except (OSError, AttributeError) as error:
            problems.append(f'{path} cannot be used: {error}')
            continue
        if version == VERSION:
            return found, f'planning with the compiled kernel {path.name}'
        problems.append(f'{path} has version {version}, expected {VERSION}')
    reason = '; '.join(problems) or 'there is none in gbs_irl_ros/core/planning'
    return None, f'{without}{reason}; build it with colcon, `make setup` or `pip install .`'
