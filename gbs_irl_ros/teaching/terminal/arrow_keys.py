"""Which action an arrow key means: the one that leads that way."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gbs_irl_ros.tasks.world import Picture, World
from gbs_irl_ros.tasks.worlds.driver import scene_of
from gbs_irl_ros.teaching.terminal.key_reader import DOWN, LEFT, RIGHT, UP

BY_NAME = {'north': UP, 'up': UP, 'forward': UP, 'east': RIGHT, 'right': RIGHT,
           'south': DOWN, 'down': DOWN, 'back': DOWN, 'backward': DOWN, 'west': LEFT,
           'left': LEFT}
STRAIGHT = 2.0      # times as far along one axis as along the other: else it is a diagonal


def arrow_actions(world: World, state: int) -> dict[str, int]:
    """Return the actions that arrows mean in a state; on a road they steer."""
    if world.appearance.picture is Picture.ROAD:
        own, last = scene_of(state).own, world.mdp.num_actions - 1
        return {UP: own, **({LEFT: own - 1} if own > 0 else {}),
                **({RIGHT: own + 1} if own < last else {})}
    return _by_direction(world)


@lru_cache(maxsize=4)
def _by_direction(world: World) -> dict[str, int]:
    """Return an action for each arrow: by its name, or else by where it usually leads."""
    found: dict[str, int] = {}
    for action, name in enumerate(world.appearance.action_names):
        arrow = BY_NAME.get(name.strip().lower())
        if arrow is not None:
            found.setdefault(arrow, action)
    for action in range(world.mdp.num_actions):
        arrow = _way(world, action)
        if arrow is not None and action not in found.values():
            found.setdefault(arrow, action)
    return found


def _way(world: World, action: int) -> str | None:
    """Return the arrow along which an action moves most often, None if it is no straight way."""
    positions = world.appearance.positions
    if positions is None:
        return None
    moves = positions[world.targets[:, action]] - positions
    moves = np.round(moves[np.any(moves != 0.0, axis=1)], 6)
    if not len(moves):
        return None
    steps, counts = np.unique(moves, axis=0, return_counts=True)
    x, y = (float(part) for part in steps[np.argmax(counts)])
    if abs(x) >= STRAIGHT * abs(y):
        return RIGHT if x > 0.0 else LEFT
    if abs(y) >= STRAIGHT * abs(x):
        return UP if y > 0.0 else DOWN
    return None
