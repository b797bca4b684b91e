"""
Several nodes in one process: which, and what each of them is told on the command line.

The words of ``all_nodes`` are those of each node, as it would have them in a process of its own,
behind ``--node NAME``; behind ``--all`` is what holds for the whole process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching.process_table import (
    PROCESSES,
    Given,
    Process,
    common_arguments,
    ros_arguments,
)

EXECUTABLE = 'all_nodes'
NODE, ALL = '--node', '--all'
ALL_NODES = Process(EXECUTABLE, lambda given: given['composed'] == 'true', lambda given: {})


def together(given: Given) -> list[Process]:
    """Return the nodes that share a process, none if each has one of its own."""
    if not ALL_NODES.wanted(given):
        return []
    return [each for each in PROCESSES if each.wanted(given) and not each.alone]


def alone(given: Given) -> list[Process]:
    """Return the nodes that have a process of their own."""
    return [each for each in PROCESSES if each.wanted(given) and each not in together(given)]


def composed_arguments(given: Given,
                       more: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """
    Return the words of the process that several nodes share.

    :param more: further words for some of them.
    """
    words = []
    for process in together(given):
        words += [NODE, process.executable, *ros_arguments(process, given),
                  *(more or {}).get(process.executable, ())]
    return [*words, ALL, *common_arguments(ALL_NODES, given)]


def parted(words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the words of each node, by its name, and those of the process; raise if unclear."""
    nodes: dict[str, list[str]] = {}
    whole: list[str] = []
    target: list[str] | None = None
    left = iter(words)
    for word in left:
        if word == NODE:
            name = next(left, '')
            if not name or name in nodes:
                raise GbsIrlError(f'{NODE} needs the name of a node, each once, got {name!r}')
            target = nodes[name] = []
        elif word == ALL:
            target = whole
        elif target is None:
            raise GbsIrlError(f'expected {NODE} NAME and the words of that node, got {word!r}')
        else:
            target.append(word)
    if not nodes:
        raise GbsIrlError(f'no node is named; expected {NODE} NAME --ros-args ...')
    return nodes, whole
