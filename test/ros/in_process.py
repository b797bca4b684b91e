"""Nodes in the process of the test: quicker than processes, and open to view."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.parameter import Parameter
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import nodes
from gbs_irl_ros.launching.composition import EXECUTABLE
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.executors import SequentialExecutor

THREADS = 8
MODULES = sorted(path.stem for path in Path(nodes.__file__).parent.glob('*.py')
                 if path.stem not in ('__init__', '__main__', EXECUTABLE))


def node_class(module):
    """Return the node of a module in gbs_irl_ros/nodes."""
    loaded = importlib.import_module(f'gbs_irl_ros.nodes.{module}')
    made_there = [each for each in vars(loaded).values()
                  if isinstance(each, type) and issubclass(each, BaseNode)
                  and each.__module__ == loaded.__name__]
    assert len(made_there) == 1, f'{module} must have one node, has {made_there}'
    return made_there[0]


def parameters_class(module):
    """Return the dataclass of the parameters of a node."""
    return node_class(module).__orig_bases__[0].__args__[0]


def given(**values):
    """Return parameters, as a node is started with them."""
    return [Parameter(name, value=value) for name, value in values.items()]


class Bench:
    """
    A context on a ROS domain of its own, with an executor in the background.

    node: a plain node of the test.
    escaped: exceptions that came out of the executor; there must be none in the end.
    """

    def __init__(self, domain, parallel=False):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.escaped = []
        self._parallel = parallel
        self._executor = MultiThreadedExecutor(THREADS, context=self.context) if parallel \
            else SequentialExecutor(context=self.context)
        self._nodes = []
        self._ending = threading.Event()
        self.node = self.add(rclpy.create_node('test', context=self.context))
        self._spinning = threading.Thread(target=self._spin)
        self._spinning.start()

    def _spin(self):
        while not self._ending.is_set() and self.context.ok():
            try:
                self._executor.spin_once()
            except ExternalShutdownException:
                return
            except Exception as error:
                self.escaped.append(error)

    def add(self, node):
        self._nodes.append(node)
        self._executor.add_node(node)
        return node

    def make(self, kind, *arguments, name='probe', **parameters):
        """Return a new BaseNode that is spun; keywords are its parameters."""
        return self.add(kind(name, *arguments, context=self.context,
                             parameter_overrides=given(**parameters)))

    def listen(self, kind, topic, profile):
        """Return a list that grows with every message on a topic."""
        heard = []
        self.node.create_subscription(kind, topic, heard.append, profile)
        return heard

    def publisher(self, kind, topic, profile):
        """Return a publisher that somebody listens to."""
        made = self.node.create_publisher(kind, topic, profile)
        wait_for(lambda: made.get_subscription_count(), f'a subscription of {topic}')
        return made

    def call(self, kind, name, request=None):
        """Call a service and return its response."""
        client = self.node.create_client(kind, name)
        assert client.wait_for_service(patience(DEADLINE_S)), f'no service {name}'
        response = client.call(request or kind.Request(), timeout_sec=patience(DEADLINE_S))
        assert response is not None, f'{name} did not answer'
        return response

    def close(self):
        self._ending.set()
        self._executor.create_task(lambda: None)    # so that it looks up
        self._spinning.join()
        if self._parallel:
            self._executor._executor.shutdown(wait=True)
        self._executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        self.context.try_shutdown()
        assert self.escaped == []
