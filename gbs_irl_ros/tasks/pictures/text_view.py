"""A world as text, for terminals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.layout import DOWN, LEFT, RIGHT, STAY, UP
from gbs_irl_ros.tasks.world import World

WALL, FREE, START, ASKED = '#', '.', 'S', '?'
RESERVED = (WALL, FREE, START, ASKED)
ARROWS: Mapping[str | None, str] = {UP: '↑', RIGHT: '→', DOWN: '↓', LEFT: '←', STAY: '•'}
SEVERAL = '+'
MAX_LISTED = 20
WIDEST = 200        # cells; wider maps are not drawn as text


def world_as_text(world: World, marks: Mapping[int, str] | None = None) -> str:
    """
    Return the world drawn with one character per cell and a wall around it, or as a list.

    :param marks: characters to draw at states.
    """
    marks = marks or {}
    layout = world.layout
    if layout is None or layout.shape[1] > WIDEST:
        return _as_list(world, marks)
    lines = [''.join(WALL if state < 0 else marks.get(int(state), FREE) for state in row)
             for row in layout.states]
    edge = WALL * (layout.shape[1] + 2)
    return '\n'.join([edge, *(f'{WALL}{line}{WALL}' for line in lines), edge])


def region_letters(world: World) -> dict[str, str]:
    """Return a character for each region: a letter of its name that is still free, or a digit."""
    letters: dict[str, str] = {}
    for name in world.appearance.regions:
        own = ''.join(filter(str.isalnum, name))
        wanted = [*own, *own.upper(), *'0123456789']
        taken = {*letters.values(), *RESERVED}
        letters[name] = next((letter for letter in wanted if letter not in taken), '*')
    return letters if len(letters) <= world.mdp.num_states // 2 else {}


def region_marks(world: World) -> dict[int, str]:
    """Return the characters of the regions, and S where the robot starts if not anywhere."""
    marks = {int(state): letter for name, letter in region_letters(world).items()
             for state in world.appearance.regions[name]}
    starts = np.flatnonzero(world.start)
    if len(starts) < world.mdp.num_states:
        marks.update({int(state): START for state in starts})
    return marks


def legend(world: World) -> str:
    """Return what the characters of the regions mean, in one line."""
    named = [f'{letter} {name}' for name, letter in region_letters(world).items()]
    starts = len(np.flatnonzero(world.start)) < world.mdp.num_states
    return ', '.join(named + ([f'{START} {tr("start")}'] if starts else []))


def policy_marks(world: World, policy: Policy) -> dict[int, str]:
    """Return an arrow for every state: what the policy does there."""
    marks = {}
    for state in range(policy.num_states):
        actions = policy.actions(state)
        marks[state] = ARROWS.get(world.headings[actions[0]], str(actions[0])) \
            if len(actions) == 1 else SEVERAL
    return marks


def _as_list(world: World, marks: Mapping[int, str]) -> str:
    names = [f'{marks[state]} {world.state_name(state)}' if state in marks
             else world.state_name(state)
             for state in (sorted(marks) or range(min(world.mdp.num_states, MAX_LISTED)))]
    more = world.mdp.num_states - len(names)
    shown = names[:MAX_LISTED]
    return '\n'.join(shown + ([tr('... and {count} more states', count=more)] if more > 0 else []))
