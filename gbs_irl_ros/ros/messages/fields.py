"""
Values on their way into and out of message fields.

rclpy does not check fields by default: an int in a float64 field arrives as another number, an
integer too large for its field is cut to its last bits, a NUL ends a string. These functions raise
instead.
"""

from __future__ import annotations

import array
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.printable import printable
from gbs_irl_ros.ros.messages.limits import FOR_PEOPLE

ARRAY_CODES = {np.float64: 'd', np.uint32: 'I', np.uint64: 'Q'}


def real(name: str, value: Any) -> float:
    """Return a float: an int put into a float64 field would arrive as another number."""
    number = float(value)
    if not math.isfinite(number):
        raise InvalidRecordError(f'{name} must be finite, got {value!r}')
    return number


def whole(name: str, value: Any, bits: int, lowest: int = 0) -> int:
    """Return an int that fits its field: a larger one would be cut to its last bits."""
    if isinstance(value, (bool, float)) or int(value) != value:
        raise InvalidRecordError(f'{name} must be a whole number, got {value!r}')
    if not lowest <= value < 2**bits:
        raise InvalidRecordError(f'{name} must be in {lowest} .. 2^{bits} - 1, got {value}')
    return int(value)


def text(name: str, value: Any) -> str:
    """Return a str that survives: a NUL would end it, a lone surrogate has no bytes."""
    if not isinstance(value, str):
        raise InvalidRecordError(f'{name} must be a string, got {value!r}')
    if name in FOR_PEOPLE:
        return printable(value)
    if '\0' in value:
        raise InvalidRecordError(f'{name} must not contain a NUL character, got {value!r}')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidRecordError(f'{name} must be valid Unicode, got {value!r}') from None
    return value


def texts(name: str, values: Iterable[str]) -> list[str]:
    """Return strings that survive."""
    return [text(name, value) for value in values]


def numbers(values: np.ndarray, dtype: type[np.generic]) -> array.array:
    """Return values as what rclpy keeps in an array field, without a detour over lists."""
    given = np.asarray(values)
    if len(given) and np.issubdtype(dtype, np.unsignedinteger) \
            and (given.min() < 0 or given.max() > np.iinfo(dtype).max):
        raise InvalidRecordError(
            f'whole numbers must be in 0 .. {np.iinfo(dtype).max}, '
            f'got {given.min()} .. {given.max()}')
    result = array.array(ARRAY_CODES[dtype])
    result.frombytes(np.ascontiguousarray(given, dtype=dtype).tobytes())
    return result


def to_array(values: Any, dtype: type[np.generic]) -> np.ndarray:
    """Return an array field as numpy's."""
    return np.array(values, dtype=dtype)


def csr(name: str, offsets: Any, columns: Any, values: Any,
        shape: tuple[int, int]) -> sparse.csr_matrix:
    """Return a sparse matrix; raise unless the three arrays describe one of that shape."""
    starts = to_array(offsets, np.int64)
    count = len(values)
    if len(starts) != shape[0] + 1 or starts[0] != 0 or starts[-1] != count \
            or np.any(np.diff(starts) < 0):
        raise InvalidRecordError(
            f'{name}: offsets must rise from 0 to {count} in {shape[0] + 1} entries, '
            f'got {len(starts)} entries')
    indices = to_array(columns, np.int64)
    if len(indices) != count:
        raise InvalidRecordError(
            f'{name}: there must be as many columns as values, got {len(indices)} and {count}')
    if count and indices.max() >= shape[1]:
        raise InvalidRecordError(
            f'{name}: columns must be in 0 .. {shape[1] - 1}, got {indices.max()}')
    return sparse.csr_matrix((to_array(values, np.float64), indices, starts), shape=shape)


def key_of(name: str, table: dict[Any, int], value: int) -> Any:
    """Return what a constant of a message stands for."""
    for key, constant in table.items():
        if constant == value:
            return key
    raise InvalidRecordError(
        f'{name} must be one of {sorted(table.values())}, got {value}')


# Fields that a record and a message have by the same name: how a value is checked on its way in,
# and made again on its way out, by the type of the field.
_INTO: dict[str, Callable[[str, Any], Any]] = {
    'string': text, 'double': real, 'boolean': lambda _, value: bool(value),
    'uint32': lambda name, value: whole(name, value, 32),
    'uint64': lambda name, value: whole(name, value, 64),
    'sequence<double>': lambda _, values: numbers(values, np.float64),
    'sequence<string>': texts}
_OUT: dict[str, Callable[[Any], Any]] = {
    'sequence<double>': lambda values: to_array(values, np.float64), 'sequence<string>': tuple}


def into(kind: Any, record: Any, *others: str) -> dict[str, Any]:
    """Return the fields of a message of this kind, as the record has them; without the others."""
    return {name: _INTO[type_name](name, getattr(record, name))
            for name, type_name in kind.get_fields_and_field_types().items()
            if name not in others}


def out_of(message: Any, *others: str) -> dict[str, Any]:
    """Return the fields of a message as a record has them; without the others."""
    return {name: _OUT.get(type_name, lambda value: value)(getattr(message, name))
            for name, type_name in message.get_fields_and_field_types().items()
            if name not in others}
