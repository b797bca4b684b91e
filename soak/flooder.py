"""
A process that sends messages with odd contents as fast as it can, on every topic of the package.

Prints how many it has sent. Its arguments: seed and messages per second.
"""

from __future__ import annotations

import sys
import time

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from gbs_irl_ros import msg
from gbs_irl_ros.ros import names
from soak.choices import Choices
from soak.targets.messages import filled

TOPICS = {names.DEMONSTRATION: msg.Demonstration, names.EXECUTION: msg.Execution,
          names.QUESTION: msg.Question, names.BELIEF: msg.Belief, names.HISTORY: msg.History,
          names.POLICY: msg.Policy, names.HEARTBEAT: msg.Heartbeat}
TELL_EVERY = 1000
BYTES = 256
# Heard by everybody, whatever they ask of a publisher.
FLOOD = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE,
                   durability=DurabilityPolicy.TRANSIENT_LOCAL)


def main() -> None:
    """Flood until it is killed."""
    import numpy as np
    seed, rate = int(sys.argv[1]), float(sys.argv[2])
    rng = np.random.default_rng(seed)
    rclpy.init()
    node = rclpy.create_node('flooder')
    publishers = {name: node.create_publisher(kind, name, FLOOD)
                  for name, kind in TOPICS.items()}
    sent, began = 0, time.monotonic()
    while True:
        for name, kind in TOPICS.items():
            publishers[name].publish(filled(kind, Choices(rng.bytes(BYTES))))
            sent += 1
            if sent % TELL_EVERY == 0:
                sys.stdout.write(f'sent {sent}\n')
                sys.stdout.flush()
        time.sleep(max(0.0, began + sent / rate - time.monotonic()))


if __name__ == '__main__':
    main()
