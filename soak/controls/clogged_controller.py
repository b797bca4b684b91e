"""A controller that takes a while for each policy, once there have been some."""

from __future__ import annotations

import time
from typing import Any

from gbs_irl_ros.nodes import controller
from gbs_irl_ros.ros import names

PAUSE_S = 1.5
AFTER = 20          # policies: it drives before the flood begins
_subscribe = controller.ControllerNode.subscribe


def subscribe(self: Any, kind: Any, topic: str, callback: Any, profile: Any, **more: Any) -> Any:
    """Listen, slowly."""
    heard = [0]

    def slowly(message: Any) -> None:
        heard[0] += 1
        if heard[0] > AFTER:
            time.sleep(PAUSE_S)
        callback(message)
    return _subscribe(self, kind, topic, slowly if topic == names.POLICY else callback, profile,
                      **more)


if __name__ == '__main__':
    controller.ControllerNode.subscribe = subscribe     # type: ignore[method-assign]
    controller.main()
