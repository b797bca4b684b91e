"""A controller that waits for a heartbeat for a second and a half before it stops."""

from __future__ import annotations

from gbs_irl_ros.driving.gate import Gate
from gbs_irl_ros.nodes import controller

TOO_LONG_S = 1.5


if __name__ == '__main__':
    Gate.heartbeat_timeout_s = property(lambda self: TOO_LONG_S, lambda self, value: None)  # type: ignore
    controller.main()
