"""
Parameters of a node: declared once, in a frozen dataclass, with description and rule.

A wrong value never ends a node. At the start it is logged and the node waits for a right one;
later it is refused with the reason.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from gbs_irl_ros.core.errors import GbsIrlError, UnknownNameError
from gbs_irl_ros.core.printable import has_controls, printable

LONGEST_TEXT = 4096         # as a path
SHORT = reprlib.Repr()      # of values that may be of any size
SHORT.maxstring = SHORT.maxother = 200

T = TypeVar('T')


class ParameterError(GbsIrlError, ValueError):
    """A parameter has a value that it must not have."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """What a parameter may be."""

    description: str
    low: float | None = None
    high: float | None = None
    choices: Collection[str] = ()
    fixed: bool = False

    def check(self, name: str, value: Any, default: Any) -> Any:
        """Return the value in the type of its default; raise if it is not allowed."""
        value = _typed(name, value, default)
        if isinstance(value, str):
            _check_text(name, value)
        if self.choices and value != default and value not in self.choices:
            raise ParameterError(f'parameter {name!r}: '
                                 f'{UnknownNameError("value", value, self.choices)}')
        too_low = self.low is not None and value < self.low
        too_high = self.high is not None and value > self.high
        if too_low or too_high or value != value:
            raise ParameterError(f'parameter {name!r} must be {self.bounds}, got {value}')
        if value in (math.inf, -math.inf):
            raise ParameterError(f'parameter {name!r} must be finite, got {value}')
        return value

    @property
    def bounds(self) -> str:
        """Return the limits in words."""
        if self.low is not None and self.high is not None:
            return f'in {self.low:g} .. {self.high:g}'
        if self.low is not None:
            return f'at least {self.low:g}'
        return f'at most {self.high:g}' if self.high is not None else 'a number'


def parameter(default: Any, description: str, *, low: float | None = None,
              high: float | None = None, choices: Collection[str] = (),
              fixed: bool = False) -> Any:
    """
    Return a field of a parameter dataclass.

    :param choices: looked at whenever a value is checked, so that a table may grow.
    :param fixed: can only be set when the node is started.
    """
    return dataclasses.field(
        default=default,
        metadata={'rule': Rule(description, low, high, choices, fixed)})


class Parameters(Generic[T]):
    """
    The parameters of one node.

    value: the parameters, None as long as they are wrong.
    problem: what is wrong with them, '' if nothing.
    """

    def __init__(self, node: Node, kind: type[T], exclusively: Callable[..., Any]) -> None:
        """
        Declare the fields of a dataclass as parameters.

        :param kind: its fields are made by ``parameter``; it may check them together.
        :param exclusively: calls a function while nothing else of the node runs.
        """
        self.value: T | None = None
        self.problem = ''
        self._node = node
        self._kind = kind
        self._exclusively = exclusively
        self._on_change: Callable[[T], None] | None = None
        given = {}
        for field in dataclasses.fields(kind):      # type: ignore[arg-type]
            rule: Rule = field.metadata['rule']
            descriptor = ParameterDescriptor(
                description=rule.description, read_only=rule.fixed, dynamic_typing=True,
                additional_constraints=_constraints(rule))
            given[field.name] = node.declare_parameter(
                field.name, field.default, descriptor).value
        try:
            self.value = self._checked(given)
        except GbsIrlError as error:
            self.problem = str(error)
            node.get_logger().error(
                f'{error}; set it right with `ros2 param set` or start the node again')
        node.add_on_set_parameters_callback(self._on_set)

    def on_change(self, callback: Callable[[T], None]) -> None:
        """Have a function called with new parameters before they count; it may raise."""
        self._on_change = callback

    def _checked(self, given: dict[str, Any]) -> T:
        values = {}
        for field in dataclasses.fields(self._kind):    # type: ignore[arg-type]
            rule: Rule = field.metadata['rule']
            values[field.name] = rule.check(field.name, given[field.name], field.default)
        return self._kind(**values)

    def _on_set(self, changed: list[Parameter]) -> SetParametersResult:
        names = {field.name for field in dataclasses.fields(self._kind)}    # type: ignore
        given = {name: self._node.get_parameter(name).value for name in names}
        ours = {each.name: each.value for each in changed if each.name in names}
        if not ours:
            return SetParametersResult(successful=True)
        try:
            self._check_each(ours)
            try:
                value = self._checked({**given, **ours})
            except GbsIrlError as error:
                if self.value is not None:
                    raise
                # It was not right before either: one after the other can be set right.
                self.problem = str(error)
                self._node.get_logger().error(f'still wrong: {error}')
                return SetParametersResult(successful=True)
            if self._on_change is not None:
                self._exclusively(self._on_change, value)
        except GbsIrlError as error:
            self._node.get_logger().warning(f'parameter not changed: {error}')
            return SetParametersResult(successful=False, reason=printable(error))
        self.value, self.problem = value, ''
        return SetParametersResult(successful=True)

    def _check_each(self, given: dict[str, Any]) -> None:
        for field in dataclasses.fields(self._kind):    # type: ignore[arg-type]
            if field.name in given:
                field.metadata['rule'].check(field.name, given[field.name], field.default)


def _typed(name: str, value: Any, default: Any) -> Any:
    kind = type(default)
    if kind is float and type(value) is int:
        return float(value)
    if kind in (list, tuple):
        if isinstance(value, str) or not hasattr(value, '__len__') or len(value) != len(default):
            raise ParameterError(f'parameter {name!r} must be a list of {len(default)} numbers, '
                                 f'got {SHORT.repr(value)}')
        numbers = tuple(_typed(f'{name}[{i}]', each, 0.0) for i, each in enumerate(value))
        if not all(math.isfinite(each) for each in numbers):
            raise ParameterError(f'parameter {name!r} must hold finite numbers, got {value!r}')
        return numbers
    if type(value) is not kind:
        words = {str: 'a string', bool: 'true or false', int: 'a whole number',
                 float: 'a number'}
        raise ParameterError(f'parameter {name!r} must be {words[kind]}, got {SHORT.repr(value)}')
    return value


def _check_text(name: str, value: str) -> None:
    if len(value) > LONGEST_TEXT:
        raise ParameterError(f'parameter {name!r} must have at most {LONGEST_TEXT} characters, '
                             f'got {len(value)}')
    if has_controls(value):
        raise ParameterError(f'parameter {name!r} must not contain control characters, got '
                             f'{SHORT.repr(value)}')


def _constraints(rule: Rule) -> str:
    if rule.choices:
        return 'one of ' + ', '.join(rule.choices)
    return rule.bounds if rule.low is not None or rule.high is not None else ''
