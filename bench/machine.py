"""What the figures were measured on: nothing that names the machine or its folders."""

from __future__ import annotations

import os
import platform
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import scipy

from bench.backends import kernel_used
from bench.results import Figures
from bench.timing import seconds

STREAM_ENTRIES = 1 << 23     # of each array: 64 MB
STREAM_TIMES = 10


def facts() -> Figures:
    """Return processor, versions, and whether there is a compiled kernel."""
    return {
        'machine.cores': len(os.sched_getaffinity(0)), 'machine.processor': _processor(),
        'machine.system': platform.system(), 'machine.python': platform.python_version(),
        'machine.numpy': np.__version__, 'machine.scipy': scipy.__version__,
        'machine.kernel': kernel_used(),
        'machine.one_core_gb_per_s': bandwidth(1),
        'machine.all_cores_gb_per_s': bandwidth(len(os.sched_getaffinity(0)))}


def bandwidth(threads: int) -> float:
    """
    Return how fast memory is read and written [GB/s], as STREAM's "add" measures it: a = b + c.

    Three arrays that no cache holds, parts of them in as many threads; the best of a few times.
    """
    a, b, c = (np.full(STREAM_ENTRIES, float(value)) for value in range(3))
    parts = [slice(*STREAM_ENTRIES * np.array([k, k + 1]) // threads) for k in range(threads)]

    def add(part: slice) -> None:
        np.add(b[part], c[part], out=a[part])

    with ThreadPoolExecutor(threads) as pool:
        best = min(seconds(lambda: list(pool.map(add, parts))) for _ in range(STREAM_TIMES))
    return 3 * a.nbytes / best / 1e9


def _processor() -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')]
    return names[0] if names else platform.machine()
