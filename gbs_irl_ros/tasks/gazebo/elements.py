"""Elements of SDF, Gazebo's language for worlds."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement


def add(parent: Element, tag: str, *values: object, **attributes: str) -> Element:
    """Add an element that holds these values, numbers among them without needless digits."""
    child = SubElement(parent, tag, attributes)
    if values:
        child.text = ' '.join(number(value) if isinstance(value, float) else str(value)
                              for value in values)
    return child


def number(value: float) -> str:
    """Return a number with nine digits: what differs by a rounding error reads the same."""
    return f'{value + 0.0:.9g}'


def pose(parent: Element, x: float, y: float, z: float, *, roll: float = 0.0) -> None:
    """Add the place of an element relative to what holds it [m, rad]."""
    add(parent, 'pose', float(x), float(y), float(z), float(roll), 0.0, 0.0)


def colour(visual: Element, shade: str) -> None:
    """Give what is seen a colour such as '#2e6fbf'."""
    material = add(visual, 'material')
    parts = [int(shade[start:start + 2], 16) / 255.0 for start in (1, 3, 5)]
    for kind in ('ambient', 'diffuse'):
        add(material, kind, *(round(part, 3) for part in parts), 1.0)


def inertia(link: Element, mass: float, moments: tuple[float, ...],
            centre: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
    """Add a mass with all six moments: without one of them a robot may lie on its back."""
    inertial = add(link, 'inertial')
    pose(inertial, *centre)
    add(inertial, 'mass', mass)
    tensor = add(inertial, 'inertia')
    for name, value in zip(('ixx', 'iyy', 'izz'), moments, strict=True):
        add(tensor, name, value)
    for name in ('ixy', 'ixz', 'iyz'):
        add(tensor, name, 0.0)
