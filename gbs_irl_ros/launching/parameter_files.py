"""What parameter files say about a node: read as ROS 2 reads them, without ROS 2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from gbs_irl_ros.core.errors import GbsIrlError

PARAMETERS = 'ros__parameters'


class ParameterFileError(GbsIrlError, ValueError):
    """A parameter file cannot be read."""


def settings(files: Sequence[str], node: str) -> dict[str, Any]:
    """
    Return the parameters that files set for a node; nested ones by their names with dots.

    :param node: its full name, such as /robot/learner.
    """
    return settings_in(merged(files), node)


def merged(files: Sequence[str]) -> dict[str, dict[str, Any]]:
    """
    Return the blocks of all files, by the patterns of the names of nodes.

    As in ROS 2, blocks of the same name are one block, and blocks count in the order in which
    their names first appear.
    """
    found: dict[str, dict[str, Any]] = {}
    for file in files:
        for pattern, parameters in blocks(file):
            found.setdefault(pattern, {}).update(parameters)
    return found


def settings_in(found: Mapping[str, dict[str, Any]], node: str) -> dict[str, Any]:
    """Return the parameters that blocks set for a node; later ones win."""
    return {name: value for pattern, parameters in found.items() if is_about(pattern, node)
            for name, value in parameters.items()}


def blocks(file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the blocks of a file: the pattern of the names of nodes, and the parameters."""
    try:
        content = yaml.safe_load(Path(file).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ParameterFileError(f'{file}: cannot be read as a parameter file: '
                                 f'{" ".join(str(error).split())}') from error
    if content is None:
        return
    if not isinstance(content, dict):
        raise ParameterFileError(f'{file}: must hold names of nodes, each with {PARAMETERS}, got '
                                 f'{type(content).__name__}')
    yield from _blocks_in(content, '', file)


def _blocks_in(content: dict[Any, Any], name: str,
               file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the blocks; namespaces may be keys of their own."""
    for key, value in content.items():
        if key == PARAMETERS:
            yield name or '/', _flat(value) if isinstance(value, dict) else {}
        elif isinstance(value, dict):
            yield from _blocks_in(value, f'{name}/{str(key).strip("/")}', file)
        elif value is not None:
            raise ParameterFileError(f'{file}: {f"{name}/{key}".lstrip("/")}: must hold '
                                     f'{PARAMETERS}, got {value!r}')


def _flat(parameters: dict[Any, Any], prefix: str = '') -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, dict):
            found.update(_flat(value, f'{prefix}{name}.'))
        else:
            found[f'{prefix}{name}'] = value
    return found


def is_about(pattern: str, node: str) -> bool:
    """Return whether the name of a block fits that of a node: * is one word, ** any number."""
    wild = {'**': r'(/\w+)*', '*': r'/\w+'}
    words = [wild.get(word, f'/{re.escape(word)}') for word in pattern.strip('/').split('/')]
    return re.fullmatch(''.join(words), node) is not None
