"""Nodes as processes of their own, seen by nobody but this machine."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import get_rmw_implementation_identifier

from gbs_irl_ros.launching.own_domain import OwnDomain
from gbs_irl_ros.ros.transport import use_sockets


@contextlib.contextmanager
def own_graph() -> Iterator[None]:
    """Use a ROS graph that reaches no other machine and leaves nothing on the disk."""
    before = dict(os.environ)
    domain = OwnDomain()
    os.environ.setdefault('ROS_DOMAIN_ID', str(domain.number))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    use_sockets(os.environ, get_rmw_implementation_identifier())
    with tempfile.TemporaryDirectory() as folder:
        os.environ['ROS_HOME'] = os.environ['ROS_LOG_DIR'] = folder
        rclpy.init()
        try:
            yield
        finally:
            rclpy.try_shutdown()
            domain.release()
            os.environ.clear()
            os.environ.update(before)


@contextlib.contextmanager
def spinning(node: Node) -> Iterator[SingleThreadedExecutor]:
    """Give an executor for one node, and destroy both at the end."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        yield executor
    finally:
        executor.shutdown()
        node.destroy_node()


def node_command(name: str, parameters: Mapping[str, object]) -> list[str]:
    """Return what runs a node of the package as its executable does."""
    options = [word for key, value in parameters.items() for word in ('-p', f'{key}:={value}')]
    return [sys.executable, '-m', 'gbs_irl_ros.nodes', name, '--ros-args', '--log-level', 'warn',
            *options]


@contextlib.contextmanager
def running(name: str, parameters: Mapping[str, object],
            environment: Mapping[str, str] | None = None,
            stdout: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a node of the package as a process."""
    process = subprocess.Popen(node_command(name, parameters), stdout=stdout,
                               env={**os.environ, **(environment or {})})
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
