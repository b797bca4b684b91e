"""The keys of a person who teaches: the same ones on the page and in the terminal."""

from __future__ import annotations

from gbs_irl_ros.core.answers import ANSWER_KEYS
from gbs_irl_ros.tasks.world import World

UNDO, HELP, QUIT = 'u', '?', 'q'
PAUSE, ENOUGH, GO, STOP = 'p', 'e', 'g', ' '
REHEARSE, DRIVE, RECORD = 'r', 'm', 't'
COMMANDS = frozenset({UNDO, HELP, QUIT, PAUSE, ENOUGH, GO, STOP, REHEARSE, DRIVE, RECORD})
RESERVED = COMMANDS | ANSWER_KEYS
FREE = '1234567890bcfhjkovzxwdsa'


def action_keys(world: World) -> tuple[str, ...]:
    """
    Return a key for each action: the task's own, or a digit, or a letter; '' when all are taken.

    Keys that mean something else here are not given to actions.
    """
    wanted = [key if len(key) == 1 and key.lower() not in RESERVED else ''
              for key in world.appearance.action_keys]
    free = iter(key for key in FREE if key not in wanted)
    return tuple(key or next(free, '') for key in wanted)
