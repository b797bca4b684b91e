"""The keys of a person who teaches: the same ones on the page and in the terminal."""

from __future__ import annotations

from gbs_irl_ros.core.answers import ANSWER_KEYS
from gbs_irl_ros.tasks.layout import LEFT, RIGHT, STAY, UP, headings
from gbs_irl_ros.tasks.world import World

UNDO, HELP, QUIT = 'u', '?', 'q'
PAUSE, ENOUGH, GO, STOP = 'p', 'e', 'g', ' '
SEVERAL = '+'       # of the answers to one question
REHEARSE, DRIVE, RECORD, PLACE, INVENT, SAY = 'r', 'm', 't', 'h', 'o', '/'
START_OVER = '!'
COMMANDS = frozenset({UNDO, HELP, QUIT, PAUSE, ENOUGH, GO, STOP, REHEARSE, DRIVE, RECORD,
                      PLACE, INVENT, SAY, START_OVER})
DIGITS = frozenset('0123456789')      # choose from a list, where no action is asked for
RESERVED = COMMANDS | {SEVERAL} | (ANSWER_KEYS - DIGITS)
FREE = '1234567890bcfjkvzxwdsa'


def action_keys(world: World) -> tuple[str, ...]:
    """
    Return a key for each action: the task's own, or a digit, or a letter; '' when all are taken.

    Keys that mean something else here are not given to actions.
    """
    wanted = [key if len(key) == 1 and key.lower() not in RESERVED else ''
              for key in world.appearance.action_keys]
    free = iter(key for key in FREE if key not in wanted)
    return tuple(key or next(free, '') for key in wanted)


def unused_key(world: World, wanted: str) -> str:
    """Return a key that no action and no command has: the wanted one, if it is free; or ''."""
    taken = {*action_keys(world), *RESERVED}
    return next((key for key in wanted + FREE if key not in taken), '')


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
