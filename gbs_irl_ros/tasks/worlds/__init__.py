"""
The kinds of worlds, one file each: what a task file says of such a world, and how it is built.

A new kind is a file with ``FIELDS`` and ``read``, and a line in ``WORLDS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from gbs_irl_ros.tasks.files.spec import Located, Record
from gbs_irl_ros.tasks.worlds import (
    driver,
    explicit_mdp,
    grid,
    nav2_map,
    puddle_world,
    puddle_world_lopes,
    random_mdp,
    trap_world,
)
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld


class WorldKind(Protocol):
    """
    A file of this folder.

    FIELDS: its keys in a task file.
    """

    FIELDS: Record

    def read(self, values: Located, folder: Path) -> BuiltWorld:
        """Return the world; raise TaskFileError with all that is wrong with the values."""
        ...


WORLDS: Mapping[str, WorldKind] = {
    'grid': grid,
    'map': nav2_map,
    'mdp': explicit_mdp,
    'puddle_world': puddle_world,
    'puddle_world_lopes': puddle_world_lopes,
    'trap_world': trap_world,
    'driver': driver,
    'random_mdp': random_mdp,
}
