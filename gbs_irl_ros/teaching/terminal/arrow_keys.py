"""Which action an arrow key means: the one that leads that way."""

from __future__ import annotations

from gbs_irl_ros.tasks.layout import LEFT, RIGHT, STAY, UP, headings
from gbs_irl_ros.tasks.world import World


def arrow_actions(world: World, state: int) -> dict[str, int]:
    """Return the actions that arrows mean in a state; on a road they steer."""
    scene = world.scene(state)
    if scene is not None:
        own, last = scene.own, world.mdp.num_actions - 1
        return {UP: own, **({LEFT: own - 1} if own > 0 else {}),
                **({RIGHT: own + 1} if own < last else {})}
    found: dict[str, int] = {}
    by_name = headings(world.appearance.action_names, None)     # names count before steps
    for each in (by_name, world.headings):
        for action, heading in enumerate(each):
            if heading not in (None, STAY) and action not in found.values():
                found.setdefault(str(heading), action)
    return found
