"""What the figures were measured on: nothing that names the machine or its folders."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy
import scipy

from bench.backends import kernel_used
from bench.results import Figures


def facts() -> Figures:
    """Return processor, versions, and whether there is a compiled kernel."""
    return {
        'machine.cores': len(os.sched_getaffinity(0)), 'machine.processor': _processor(),
        'machine.system': platform.system(), 'machine.python': platform.python_version(),
        'machine.numpy': numpy.__version__, 'machine.scipy': scipy.__version__,
        'machine.kernel': kernel_used()}


def _processor() -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')]
    return names[0] if names else platform.machine()
