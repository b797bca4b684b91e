"""The robot of a Gazebo world: a differential drive of the size of a TurtleBot."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from xml.etree.ElementTree import Element

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks.gazebo import systems
from gbs_irl_ros.tasks.gazebo.elements import add, colour, inertia, pose

NAME = 'robot'
LEFT_JOINT, RIGHT_JOINT = 'left_wheel_joint', 'right_wheel_joint'
WHEEL_MASS = 0.05           # [kg] each
MASS_BEHIND_AXLE = 0.03     # [m]: it rests on the caster, also when it starts
BODY_COLOUR, WHEEL_COLOUR, FRONT_COLOUR = '#2e6fbf', '#222222', '#f2c14e'
LASER_RAYS, LASER_RATE = 360, 10
LASER_NEAR, LASER_FAR = 0.12, 10.0      # [m]


class WorldError(GbsIrlError, ValueError):
    """A task cannot be made into a Gazebo world, or not there, or not with this robot."""


@dataclass(frozen=True)
class RobotShape:
    """
    Measures of a differential drive [m], [kg]; those of a TurtleBot3 Waffle by default.

    wheel_separation: between the middles of the wheels, on whose axle it turns.
    body_radius: of its round body, a little behind the axle.
    laser: whether a laser scanner is on top.
    """

    wheel_separation: float = 0.287
    wheel_radius: float = 0.033
    wheel_width: float = 0.018
    body_radius: float = 0.14
    body_height: float = 0.1
    mass: float = 1.4
    laser: bool = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != 'laser' and not (math.isfinite(value) and 0.0 < value <= 100.0):
                raise WorldError(f'{each.name} of the robot must be above 0 and at most 100, got '
                                 f'{value}')
        if self.wheel_separation <= 2.0 * self.wheel_radius:
            raise WorldError(
                f'wheel_separation of the robot must be more than twice its wheel_radius, got '
                f'{self.wheel_separation} m and {self.wheel_radius} m')
        if self.body_radius <= 2.0 * (MASS_BEHIND_AXLE + self.caster_radius):
            raise WorldError(
                f'body_radius of the robot must be more than '
                f'{2.0 * (MASS_BEHIND_AXLE + self.caster_radius):g} m, got {self.body_radius} m: '
                'a caster must find room behind the axle')

    @property
    def radius(self) -> float:
        """Return how far it reaches from the point on which it turns."""
        return max(self.wheel_separation / 2.0 + max(self.wheel_radius, self.wheel_width / 2.0),
                   self.body_radius + MASS_BEHIND_AXLE)

    @property
    def width(self) -> float:
        """Return how much room it needs to turn."""
        return 2.0 * self.radius

    @property
    def caster_radius(self) -> float:
        """Return the radius of the ball at its back."""
        return 0.6 * self.wheel_radius


def robot_model(shape: RobotShape, x: float, y: float, topics: systems.Topics) -> Element:
    """Return the robot at a place, looking along the x axis."""
    model = Element('model', name=NAME)
    pose(model, x, y, 0.0)
    _add_body(model, shape, topics)
    for side, joint, name in ((1.0, LEFT_JOINT, 'left_wheel'), (-1.0, RIGHT_JOINT, 'right_wheel')):
        _add_wheel(model, shape, side, name)
        hinge = add(model, 'joint', name=joint, type='revolute')
        add(hinge, 'parent', 'base_link')
        add(hinge, 'child', name)
        axis = add(hinge, 'axis')
        add(axis, 'xyz', '0 1 0')
        limit = add(axis, 'limit')
        add(limit, 'lower', '-1e16')        # as good as none
        add(limit, 'upper', '1e16')
    systems.add_drive(model, shape.wheel_separation, shape.wheel_radius, LEFT_JOINT, RIGHT_JOINT,
                      topics)
    return model


def _add_body(model: Element, shape: RobotShape, topics: systems.Topics) -> None:
    """Add the round body above the wheels, with a ball at its back that slides."""
    link = add(model, 'link', name='base_link')
    radius, height = shape.body_radius, shape.body_height
    mass = max(shape.mass - 2.0 * WHEEL_MASS, 0.1 * shape.mass)
    # Its batteries lie low: the higher its mass, the sooner it falls over when it stops.
    inertia(link, mass, (mass * (3.0 * radius ** 2 + height ** 2) / 12.0,) * 2
            + (mass * radius ** 2 / 2.0,), (-MASS_BEHIND_AXLE, 0.0, 1.2 * shape.wheel_radius))
    middle = 2.1 * shape.wheel_radius + height / 2.0
    for kind in ('collision', 'visual'):
        part = add(link, kind, name=f'body_{kind}')
        pose(part, -MASS_BEHIND_AXLE, 0.0, middle)
        _add_cylinder(part, radius, height)
    colour(part, BODY_COLOUR)
    front = add(link, 'visual', name='front_visual')        # so that one sees where it looks
    pose(front, radius * 0.5, 0.0, middle + height / 2.0)
    _add_box(front, radius * 0.4, radius * 0.2, 0.01)
    colour(front, FRONT_COLOUR)
    for kind in ('collision', 'visual'):
        caster = add(link, kind, name=f'caster_{kind}')
        pose(caster, -shape.body_radius - MASS_BEHIND_AXLE + 2.0 * shape.caster_radius, 0.0,
             shape.caster_radius)
        _add_sphere(caster, shape.caster_radius)
        if kind == 'collision':
            _add_friction(caster, 0.0)
    colour(caster, WHEEL_COLOUR)
    if shape.laser:
        _add_laser(link, middle + height / 2.0 + 0.04, topics)


def _add_wheel(model: Element, shape: RobotShape, side: float, name: str) -> None:
    """Add a wheel: a ball to the floor, so that it turns where it looks as if it did."""
    link = add(model, 'link', name=name)
    pose(link, 0.0, side * shape.wheel_separation / 2.0, shape.wheel_radius)
    across = WHEEL_MASS * (3.0 * shape.wheel_radius ** 2 + shape.wheel_width ** 2) / 12.0
    inertia(link, WHEEL_MASS, (across, WHEEL_MASS * shape.wheel_radius ** 2 / 2.0, across))
    collision = add(link, 'collision', name=f'{name}_collision')
    _add_sphere(collision, shape.wheel_radius)
    _add_friction(collision, 1.0)
    visual = add(link, 'visual', name=f'{name}_visual')
    pose(visual, 0.0, 0.0, 0.0, roll=math.pi / 2.0)
    _add_cylinder(visual, shape.wheel_radius, shape.wheel_width)
    colour(visual, WHEEL_COLOUR)


def _add_laser(link: Element, height: float, topics: systems.Topics) -> None:
    visual = add(link, 'visual', name='laser_visual')
    pose(visual, 0.0, 0.0, height - 0.02)
    _add_cylinder(visual, 0.03, 0.04)
    colour(visual, WHEEL_COLOUR)
    sensor = add(link, 'sensor', name='laser', type='gpu_lidar')
    pose(sensor, 0.0, 0.0, height)
    add(sensor, 'topic', topics.scan)
    add(sensor, 'gz_frame_id', 'base_link')
    add(sensor, 'update_rate', LASER_RATE)
    add(sensor, 'always_on', 'true')
    lidar = add(sensor, 'lidar')
    horizontal = add(add(lidar, 'scan'), 'horizontal')
    add(horizontal, 'samples', LASER_RAYS)
    add(horizontal, 'resolution', 1)
    add(horizontal, 'min_angle', -math.pi)
    add(horizontal, 'max_angle', math.pi - 2.0 * math.pi / LASER_RAYS)
    ranges = add(lidar, 'range')
    add(ranges, 'min', LASER_NEAR)
    add(ranges, 'max', LASER_FAR)
    add(ranges, 'resolution', 0.01)


def _add_cylinder(part: Element, radius: float, length: float) -> None:
    cylinder = add(add(part, 'geometry'), 'cylinder')
    add(cylinder, 'radius', radius)
    add(cylinder, 'length', length)


def _add_sphere(part: Element, radius: float) -> None:
    add(add(add(part, 'geometry'), 'sphere'), 'radius', radius)


def _add_box(part: Element, *size: float) -> None:
    add(add(add(part, 'geometry'), 'box'), 'size', *size)


def _add_friction(collision: Element, grip: float) -> None:
    ode = add(add(add(collision, 'surface'), 'friction'), 'ode')
    add(ode, 'mu', grip)
    add(ode, 'mu2', grip)
