"""Starting and stopping a node."""

from __future__ import annotations

from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node


def run_node(make_node: Callable[[], Node], args: list[str] | None = None) -> None:
    """
    Spin a node until it is interrupted or terminated, then clean up whatever was built.

    Several threads, because a service that waits for a person blocks one of them.
    """
    rclpy.init(args=args)
    node = None
    executor = MultiThreadedExecutor()
    try:
        node = make_node()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():
            raise
        # A signal has ended ROS while the node was being made: that is an end, not a fault.
    finally:
        executor.shutdown()
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
