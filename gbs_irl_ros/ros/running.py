"""Starting and stopping a node."""

from __future__ import annotations

import signal
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node

# A signal in the very moment in which the executor begins to wait is not noticed by it (seen with
# rclpy 7.1.6), so it never waits for ever.
LONGEST_WAIT_S = 0.2


def run_node(make_node: Callable[[], Node], args: list[str] | None = None) -> None:
    """
    Spin a node until it is interrupted or terminated, then clean up whatever was built.

    Several threads, because a service that waits for a person blocks one of them.
    """
    # rclpy sees the signal itself; an exception in the middle of anything would only do harm.
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=args)
    node = None
    executor = MultiThreadedExecutor()
    try:
        node = make_node()
        executor.add_node(node)
        while rclpy.ok():
            executor.spin_once(timeout_sec=LONGEST_WAIT_S)
    except ExternalShutdownException:
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
