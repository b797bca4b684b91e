"""
A learner that is played, in a process of its own, so that it can be killed.

Its argument: the file of the task.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import rclpy
from road import PlayedLearner

from gbs_irl_ros.tasks import load_task


def main() -> None:
    """Publish a policy and beat until it is killed."""
    rclpy.init(args=sys.argv)
    node = rclpy.create_node('learner')
    PlayedLearner(SimpleNamespace(node=node, context=rclpy.get_default_context(),
                                  publisher=node.create_publisher), load_task(sys.argv[1]))
    rclpy.spin(node)


if __name__ == '__main__':
    main()
