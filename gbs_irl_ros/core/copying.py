"""Frozen dataclasses made in a hurry, for a learner that asks as fast as plain numpy would."""

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


def made(kind: type[Instance], **fields: Any) -> Instance:
    """
    Return ``kind(**fields)`` in a quarter of the time: nothing is checked, nothing has a default.

    What is worked out lazily may be given, too, where it is at hand.
    """
    instance = object.__new__(kind)
    vars(instance).update(fields)
    return instance
