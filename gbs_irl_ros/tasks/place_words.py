"""Where a state is, in the words of somebody who knows the place: regions, lanes, cars."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.languages.speaking import tr, tr_count
from gbs_irl_ros.tasks.layout import LANES, Scene
from gbs_irl_ros.tasks.world import World

SHOULDERS = (0, LANES - 1)
NEAR = 3.0      # cells: a region that is not farther away is near


def place_words(world: World, state: int) -> str:
    """Return where a state is, without coordinates: "carpet, near the desk"; '' if unknown."""
    inside, near = _regions(world, state)
    return ', '.join([*inside, *([tr('near the {place}', place=near)] if near else [])])


def where_words(world: World, state: int) -> str:
    """Return a state as a place in a sentence: "at (10, 9) (carpet, near the desk)"."""
    words = place_words(world, state)
    return f'{world.where(state)} ({words})' if words else world.where(state)


def cell_words(world: World, state: int) -> str:
    """Return a state by its name, and in which region it is: "(10, 9), carpet"."""
    return ', '.join([world.state_name(state), *_regions(world, state)[0]])


def road_words(scene: Scene, lane_names: tuple[str, ...]) -> str:
    """Return a state of a road: "You are on the left shoulder. Middle lane: a car beside you."."""
    own = lane_names[scene.own]
    told = [tr('You are on the {lane}.', lane=own) if scene.own in SHOULDERS
            else tr('You are in the {lane}.', lane=own)]
    for lane in sorted({lane for lane, _ in scene.cars}):
        places = [tr('beside you') if far == 0 else tr('{count} ahead', count=far)
                  for each, far in sorted(set(scene.cars)) if each == lane]
        name = f'{lane_names[lane][:1].upper()}{lane_names[lane][1:]}'
        told.append(tr_count(len(places), '{lane}: a car {where}.', '{lane}: cars {where}.',
                             lane=name, where=f' {tr("and")} '.join(places)))
    return ' '.join(told)


def _regions(world: World, state: int) -> tuple[list[str], str]:
    """Return the regions that a state is in, and another one that is near, or ''."""
    looks = world.appearance
    if looks.cells is None:
        return [], ''
    inside = [name for name, states in looks.regions.items() if state in states]
    far = {name: float(np.linalg.norm(looks.cells[states] - looks.cells[state], axis=1).min())
           for name, states in looks.regions.items() if name not in inside and len(states)}
    nearest = min(far, key=lambda name: far[name], default='')
    return inside, nearest if nearest and far[nearest] <= NEAR else ''
