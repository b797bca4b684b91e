"""A controller that takes a while for each message."""

from __future__ import annotations

import time
from typing import Any

from gbs_irl_ros.nodes import controller

PAUSE_S = 0.3
_subscribe = controller.ControllerNode.subscribe


def subscribe(self: Any, kind: Any, topic: str, callback: Any, profile: Any, **more: Any) -> Any:
    """Listen, slowly."""
    def slowly(message: Any) -> None:
        time.sleep(PAUSE_S)
        callback(message)
    return _subscribe(self, kind, topic, slowly, profile, **more)


if __name__ == '__main__':
    controller.ControllerNode.subscribe = subscribe     # type: ignore[method-assign]
    controller.main()
