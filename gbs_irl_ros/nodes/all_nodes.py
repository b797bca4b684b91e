"""All nodes of the teaching system in one process: less memory, and they end together."""

from __future__ import annotations

import functools
import importlib
import os
import sys

from gbs_irl_ros.core.errors import GbsIrlError, UnknownNameError
from gbs_irl_ros.launching.composition import EXECUTABLE, parted
from gbs_irl_ros.nodes import cannot_start
from gbs_irl_ros.ros.composition import Maker, run_nodes
from gbs_irl_ros.ros.executors import ParallelExecutor, SequentialExecutor, WaitingExecutor
from gbs_irl_ros.ros.security import ENABLE, ON

# By the name of the module: its class and the executor that it runs with.
NODES = {
    'mdp': ('MdpNode', SequentialExecutor),
    'learner': ('LearnerNode', ParallelExecutor),
    'demonstrator': ('DemonstratorNode', WaitingExecutor),
    'gui': ('GuiNode', WaitingExecutor),
    'controller': ('ControllerNode', SequentialExecutor),
    'simulator': ('SimulatorNode', SequentialExecutor),
    'visualiser': ('VisualiserNode', SequentialExecutor),
}
OPTIONAL = ('gui', 'visualiser')     # the others can do without it where it lacks a module
USAGE_ERROR = 2


def main() -> int:
    """Run the nodes that the command line names; return the exit code."""
    try:
        if os.environ.get(ENABLE) == ON:
            raise GbsIrlError('with ROS 2 security each node needs the keys of its own enclave, '
                              'and so a process of its own: leave out composed:=true')
        nodes, whole = parted(sys.argv[1:])
        makers = {}
        for name, words in nodes.items():
            try:
                makers[name] = maker(name, words)
            except ModuleNotFoundError as error:
                if name not in OPTIONAL:
                    raise
                sys.stderr.write(f'{cannot_start(name, error)}; the others continue without it\n')
    except GbsIrlError as error:
        sys.stderr.write(f'{EXECUTABLE} does not start: {error}\n')
        return USAGE_ERROR
    return run_nodes(makers, [sys.argv[0], *whole])


def maker(name: str, words: list[str]) -> Maker:
    """Return what makes a node with its own arguments, and its executor."""
    if name not in NODES:
        raise UnknownNameError('node', name, NODES)
    kind, executor = NODES[name]
    module = importlib.import_module(f'gbs_irl_ros.nodes.{name}')
    return functools.partial(getattr(module, kind), cli_args=words), executor


if __name__ == '__main__':
    sys.exit(main())
