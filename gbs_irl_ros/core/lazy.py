"""Properties that are worked out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar('Value')


class lazy_property(Generic[Value]):  # noqa: N801 - a decorator, like cached_property
    """
    ``functools.cached_property`` without its lock, as in Python 3.12.

    Up to 3.11 the lock takes longer than many a property. Two threads may work out the same value.
    """

    def __init__(self, work_out: Callable[[Any], Value]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> Value | lazy_property[Value]:
        """Return the value, which then takes the place of this property in the instance."""
        if instance is None:
            return self
        value = self._work_out(instance)
        vars(instance)[self._name] = value
        return value
