"""An mdp node that raises KeyError when a parameter is set to true."""

from __future__ import annotations

from typing import Any

from gbs_irl_ros.nodes import mdp
from gbs_irl_ros.ros.parameters import Parameters

_on_set = Parameters._on_set


def on_set(self: Parameters, changed: list[Any]) -> Any:
    """Look at the changes, carelessly."""
    if any(each.value is True for each in changed):
        raise KeyError('a fault that was built in')
    return _on_set(self, changed)


if __name__ == '__main__':
    Parameters._on_set = on_set     # type: ignore[method-assign]
    mdp.main()
