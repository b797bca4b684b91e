"""Options of a strategy, a likelihood or a teacher, as one line of text: a parameter of a node."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from gbs_irl_ros.core.errors import InvalidOptionError

LIKE = 'must be like "c_hat=0.9", several with commas, or JSON like \'{"c_hat": 0.9}\''


def read_options(text: str) -> dict[str, Any]:
    """
    Return options such as "c_hat=0.9"; several with commas.

    A value is a number, true or false, or else a word. Values of any other type are written as
    JSON, all in braces; a list there is a tuple here, as options must be hashable.
    """
    if text.strip().startswith('{'):
        try:
            return {name: _frozen(value) for name, value in json.loads(text).items()}
        except (ValueError, RecursionError):
            raise InvalidOptionError(f'options {LIKE}, got {text!r}') from None
    options = {}
    for part in filter(None, map(str.strip, text.split(','))):
        name, equals, value = map(str.strip, part.partition('='))
        try:
            options[name] = _value(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            equals = ''
        if not equals or not isinstance(options[name], (int, float, str)):
            raise InvalidOptionError(f'options {LIKE}, got {part!r}')
    return options


def _value(text: str) -> Any:
    if text.lower() in ('true', 'false'):
        return text.lower() == 'true'
    return text if re.fullmatch('[A-Za-z_]+', text) else ast.literal_eval(text)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
