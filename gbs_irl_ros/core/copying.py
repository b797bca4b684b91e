"""Copies of frozen dataclasses, made in a hurry."""

from __future__ import annotations

from typing import Any, TypeVar

Instance = TypeVar('Instance')


def with_fields(instance: Instance, **fields: Any) -> Instance:
    """
    Return what ``dataclasses.replace`` returns, in a tenth of the time: nothing is checked again.

    For parts that are checked already, where many copies are made. What is cached is left behind.
    """
    copy = object.__new__(type(instance))
    known, own = vars(instance), vars(copy)
    for name in instance.__dataclass_fields__:      # type: ignore[attr-defined]
        own[name] = known[name]
    own.update(fields)
    return copy
