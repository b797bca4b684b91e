"""
Imports in two thirds of the time, for a process that is ours alone.

Importing makes many objects and hardly any garbage, so that the searches for it are in vain: a
sixth of a node's start. And scipy takes everything that numpy has into a module of its own, which
imports numpy's Fortran compiler and its tools for tests: another eighth.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM_USED = {'f2py', 'ma', 'polynomial', 'testing'}   # numpy imports them when they are used


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import what is imported inside without a search for garbage, and keep it for good."""
    gc.disable()
    try:
        _import_scipy()
        yield
    finally:
        gc.freeze()
        gc.enable()


def _import_scipy() -> None:
    """Import scipy while numpy does not list what is seldom used; where it is missing, do not."""
    try:
        import numpy
        listed, modules = numpy.__all__, numpy.__numpy_submodules__
    except (ImportError, AttributeError):   # no numpy: whoever needs it says so; or another one
        return
    numpy.__all__ = [name for name in listed if name not in SELDOM_USED]
    numpy.__numpy_submodules__ = modules - SELDOM_USED
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        pass
    finally:
        numpy.__all__, numpy.__numpy_submodules__ = listed, modules
