"""A visualiser that ends when it cannot read a message."""

from __future__ import annotations

import os
from typing import Any

from gbs_irl_ros.nodes import visualiser
from gbs_irl_ros.ros import base_node

_subscribe = base_node.BaseNode.subscribe


def subscribe(self: Any, kind: Any, topic: str, callback: Any, profile: Any, **more: Any) -> Any:
    """Listen, without a net."""
    def ends(message: Any) -> None:
        try:
            callback(message)
        except Exception:
            os._exit(1)
    return _subscribe(self, kind, topic, ends, profile, **more)


if __name__ == '__main__':
    base_node.BaseNode.subscribe = subscribe    # type: ignore[method-assign]
    visualiser.main()
