"""A world of Gazebo as text: SDF 1.9."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from gbs_irl_ros.tasks.gazebo.boxes import Box, Scenery
from gbs_irl_ros.tasks.gazebo.elements import add, colour, pose
from gbs_irl_ros.tasks.gazebo.robot import RobotShape, robot_model
from gbs_irl_ros.tasks.gazebo.systems import Topics, add_systems

VERSION = '1.9'
STEP_S = 0.004
FLOOR_DEPTH = 0.1               # [m]
WALL_HEIGHT = 0.4               # [m]: over the robot's laser
SHEET = 0.0005                  # [m]: what lies on the floor lies this much over what is below it
FLOOR_COLOUR, WALL_COLOUR, ONE_WAY_COLOUR = '#f4f1ea', '#5b616b', '#e07b39'
START_COLOUR = '#1b7837'
PLACE_COLOURS = ('#9ec3e0', '#f7c894', '#a6d4a0', '#e8a3a0', '#c9b6df', '#c8aea8', '#efbfdf',
                 '#c4c4c4', '#dcdc97', '#9adfe6')


def world_text(name: str, scenery: Scenery, robot: RobotShape, start: tuple[float, float],
               topics: Topics, comment: str) -> str:
    """
    Return the text of a world file.

    :param start: where the robot stands [m].
    :param comment: the first line.
    """
    root = Element('sdf', version=VERSION)
    world = add(root, 'world', name=plain(name) or 'task')
    physics = add(world, 'physics', name='steps', type='ignored')
    add(physics, 'max_step_size', STEP_S)
    add(physics, 'real_time_factor', 1.0)
    add_systems(world, sensors=robot.laser)
    _add_light(world)
    _add_floor(world, scenery.floor)
    _add_walls(world, scenery.walls)
    _add_places(world, scenery, robot, start)
    world.append(robot_model(robot, *start, topics))
    ElementTree.indent(root)
    return (f'<?xml version="1.0" encoding="utf-8"?>\n<!-- {comment} -->\n'
            f'{ElementTree.tostring(root, encoding="unicode")}\n')


def plain(name: str) -> str:
    """Return a name with nothing in it that a world file forbids or a topic cannot hold."""
    return re.sub(r'_+', '_', re.sub(r'[^A-Za-z0-9]', '_', name)).strip('_')


def _add_light(world: Element) -> None:
    scene = add(world, 'scene')
    add(scene, 'ambient', 0.6, 0.6, 0.6, 1.0)
    add(scene, 'background', 0.8, 0.85, 0.9, 1.0)
    add(scene, 'shadows', 'false')
    sun = add(world, 'light', name='sun', type='directional')
    pose(sun, 0.0, 0.0, 10.0)
    add(sun, 'cast_shadows', 'false')
    add(sun, 'diffuse', 0.8, 0.8, 0.8, 1.0)
    add(sun, 'specular', 0.1, 0.1, 0.1, 1.0)
    add(sun, 'direction', -0.4, 0.3, -0.9)


def _add_floor(world: Element, floor: Box) -> None:
    """Add a box, not a plane: its top is at height 0."""
    link = _still_link(world, 'floor')
    for kind in ('collision', 'visual'):
        part = add(link, kind, name=f'floor_{kind}')
        _shape(part, floor, -FLOOR_DEPTH, 0.0)
    colour(part, FLOOR_COLOUR)


def _add_walls(world: Element, walls: Iterable[Box]) -> None:
    link = _still_link(world, 'walls')
    for number, wall in enumerate(walls):
        for kind in ('collision', 'visual'):
            part = add(link, kind, name=f'wall_{number}_{kind}')
            _shape(part, wall, 0.0, WALL_HEIGHT)
        colour(part, WALL_COLOUR)


def _add_places(world: Element, scenery: Scenery, robot: RobotShape,
                start: tuple[float, float]) -> None:
    """Add coloured sheets on the floor, each over the one before: there is nothing to touch."""
    link = _still_link(world, 'places')
    for number, (name, boxes) in enumerate(scenery.places):
        shade = PLACE_COLOURS[number % len(PLACE_COLOURS)]
        for piece, box in enumerate(boxes):
            _sheet(link, f'{plain(name) or "place"}_{number}_{piece}', box, number, shade)
    top = len(scenery.places)
    for number, box in enumerate(scenery.one_way):
        _sheet(link, f'one_way_{number}', box, top, ONE_WAY_COLOUR)
    _sheet(link, 'start', Box(*start, robot.radius, robot.radius), top + 1, START_COLOUR)


def _sheet(link: Element, name: str, box: Box, level: int, shade: str) -> None:
    visual = add(link, 'visual', name=name)
    _shape(visual, box, 0.0, (level + 1) * SHEET)
    colour(visual, shade)


def _still_link(world: Element, name: str) -> Element:
    model = add(world, 'model', name=name)
    add(model, 'static', 'true')
    return add(model, 'link', name=f'{name}_link')


def _shape(part: Element, box: Box, bottom: float, top: float) -> None:
    pose(part, box.x, box.y, (bottom + top) / 2.0)
    add(add(add(part, 'geometry'), 'box'), 'size', box.width, box.height, top - bottom)
