#!/usr/bin/env python3
"""
List everything that others may rely on, for docs/compatibility.md and the test that guards it.

``tools/ros-env python tools/public_surface.py`` writes it to test/public_surface.json after a
change that is meant. Nothing here needs ROS.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / 'test' / 'public_surface.json'
MODULES = ('gbs_irl_ros.core', 'gbs_irl_ros.tasks', 'gbs_irl_ros.experiments')


def surface() -> dict[str, dict[str, Any]]:
    """Return what is public, by kind and name."""
    from gbs_irl_ros.launching.process_table import ARGUMENTS
    from gbs_irl_ros.learning import events
    return {
        'python': {f'{module}.{name}': shape(getattr(importlib.import_module(module), name))
                   for module in MODULES
                   for name in importlib.import_module(module).__all__},
        'interfaces': {f'{path.parent.name}/{path.stem}': fields(path.read_text())
                       for folder in ('msg', 'srv') for path in (ROOT / folder).iterdir()},
        'parameters': parameters(),
        'launch arguments': {each.name: {'default': each.default, 'choices': list(each.choices)}
                             for each in ARGUMENTS},
        'task files': keys(json.loads((ROOT / 'config' / 'task.schema.json').read_text())),
        'journal': {'formats that are read': list(events.READABLE),
                    **{kind.__name__: [each.name for each in dataclasses.fields(kind)]
                       for kind in vars(events).values()
                       if inspect.isclass(kind) and kind.__module__ == events.__name__}},
        'HTTP commands': http_commands(),
        'gbs-irl commands': dict.fromkeys(re.findall(
            r'import add_(\w+)', (ROOT / 'gbs_irl_ros' / 'cli' / 'main.py').read_text()), ''),
    }


def shape(thing: Any) -> Any:
    """Return what a caller writes: parameters of a function, members of a class."""
    if inspect.isclass(thing):
        members = sorted(name for name in dir(thing)
                         if not name.startswith('_') and is_ours(thing, name))
        return {'called with': parameter_names(thing), 'has': members}
    return parameter_names(thing) if callable(thing) else type(thing).__name__


def is_ours(kind: type, name: str) -> bool:
    """Return whether a member comes from this package, and not from Python's own classes."""
    return any(name in vars(base) for base in kind.__mro__
               if base.__module__.startswith('gbs_irl_ros'))


def parameter_names(thing: Any) -> list[str]:
    """Return the parameters of a call, those that may be left out with a question mark."""
    if inspect.isclass(thing) and issubclass(thing, enum.Enum):
        return ['value']    # what else an enumeration takes is Python's, other in each version
    try:
        found = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name + ('' if each.default is each.empty else '?') for each in found]


def fields(text: str) -> list[str]:
    """Return the lines of an interface file without comments and blanks."""
    lines = (re.sub(r'\s+', ' ', line.partition('#')[0]).strip() for line in text.splitlines())
    return [line for line in lines if line]


def parameters() -> dict[str, Any]:
    """Return the shipped parameters of the nodes with the type of each."""
    shipped = yaml.safe_load((ROOT / 'config' / 'params.yaml').read_text())
    return {f'{node}: {name}': type(value).__name__ for node, block in shipped.items()
            for name, value in block['ros__parameters'].items()}


def keys(schema: Any, path: str = '') -> dict[str, Any]:
    """Return the keys of a task file, by where they are."""
    found: dict[str, Any] = {}
    if isinstance(schema, Mapping):
        for name in schema.get('properties', {}):
            needed = 'needed' if name in schema.get('required', ()) else 'optional'
            found[f'{path}.{name}'.lstrip('.')] = needed
        for name, value in schema.items():
            inside = value.items() if name == 'properties' else [('', value)]
            for key, each in inside:
                found.update(keys(each, f'{path}.{key}' if key else path))
    elif isinstance(schema, list):
        for each in schema:
            found.update(keys(each, path))
    return found


def http_commands() -> dict[str, list[str]]:
    """Return the commands of the page's server with their fields."""
    from unittest.mock import MagicMock

    from gbs_irl_ros.teaching.web.commands import commands
    # Only the table is looked at; nothing in it is called.
    return {name: [*command.needed, *(f'{each}?' for each in command.optional)]
            for name, command in commands(MagicMock(), MagicMock(), MagicMock()).items()}


def as_text(found: Mapping[str, Any]) -> str:
    """Return the record: sorted, so that a change is a short difference."""
    return json.dumps(found, indent=1, sort_keys=True, default=str) + '\n'


if __name__ == '__main__':
    RECORD.write_text(as_text(surface()))
    sys.stdout.write(f'{RECORD.relative_to(ROOT)} is up to date\n')
