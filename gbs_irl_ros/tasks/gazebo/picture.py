"""A world file seen from above: drawn from what is in the file, not from the task."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

DPI = 120


@dataclass(frozen=True)
class Shape:
    """
    Something in a world: 'box' with its size x, y, z, or a round thing with its diameters.

    z: height of its middle [m]. colour: red, green and blue; grey for what is not seen.
    upright: round things only: seen from above it is a disc.
    """

    model: str
    name: str
    kind: str
    x: float
    y: float
    z: float
    size: tuple[float, float, float]
    colour: tuple[float, float, float]
    upright: bool = True

    @property
    def top(self) -> float:
        """Return the height of its top [m]."""
        return self.z + self.size[2] / 2.0

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Return its left, bottom, right and top edge, seen from above."""
        return (self.x - self.size[0] / 2.0, self.y - self.size[1] / 2.0,
                self.x + self.size[0] / 2.0, self.y + self.size[1] / 2.0)


def shapes(file: Path, part: str) -> Iterator[Shape]:
    """
    Yield what a world file of ours holds; nothing in it is turned but wheels, which lie.

    :param part: 'collision' for what can be touched, 'visual' for what is seen.
    """
    for model in ElementTree.parse(file).getroot().iter('model'):
        for link in model.iter('link'):
            for each in link.iter(part):
                places = [_numbers(holder.find('pose')) for holder in (model, link, each)]
                x, y, z = (sum(place[axis] for place in places) for axis in range(3))
                kind, size, upright = _size(each, places[2][3])
                shade = each.find('material/diffuse')
                red, green, blue = (0.5,) * 3 if shade is None else _numbers(shade)[:3]
                yield Shape(str(model.get('name')), str(each.get('name')), kind, x, y, z, size,
                            (red, green, blue), upright)


def draw_world_file(file: Path, picture: Path, *, metadata: dict[str, str] | None = None) -> None:
    """Draw a world file of ours into a PNG file, lower things first."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Rectangle
    seen = sorted(shapes(file, 'visual'), key=lambda shape: shape.top)
    floor = next(shape for shape in seen if shape.model == 'floor')
    left, bottom, right, top = floor.edges
    scale = 9.0 / max(right - left, top - bottom)
    figure = Figure(figsize=((right - left) * scale + 1.2, (top - bottom) * scale + 1.2),
                    layout='constrained')
    axes = figure.subplots()
    for shape in seen:
        west, south, _, _ = shape.edges
        patch: Any = Circle((shape.x, shape.y), shape.size[0] / 2.0) \
            if shape.kind != 'box' and shape.upright \
            else Rectangle((west, south), shape.size[0], shape.size[1])
        patch.set_facecolor(shape.colour)
        patch.set_edgecolor('#00000030' if shape.model == 'walls' else 'none')
        axes.add_patch(patch)
        if re.search(r'_\d+_0$', shape.name) and shape.model == 'places':  # a place's first piece
            axes.text(shape.x, shape.y, shape.name.rsplit('_', 2)[0], ha='center', va='center',
                      fontsize=8)
    axes.set_xlim(left - 0.02 / scale, right + 0.02 / scale)
    axes.set_ylim(bottom - 0.02 / scale, top + 0.02 / scale)
    axes.set_aspect('equal')
    axes.set_xlabel('x [m]')
    axes.set_ylabel('y [m]')
    axes.set_title('the world file, from above', fontsize=10)
    figure.savefig(picture, dpi=DPI, metadata=metadata)


def _size(part: Element, roll: float) -> tuple[str, tuple[float, float, float], bool]:
    box, sphere = part.find('geometry/box/size'), part.find('geometry/sphere/radius')
    if box is not None:
        width, depth, height = _numbers(box)[:3]
        return 'box', (width, depth, height), True
    if sphere is not None:
        diameter = 2.0 * _numbers(sphere)[0]
        return 'sphere', (diameter,) * 3, True
    diameter = 2.0 * float(part.findtext('geometry/cylinder/radius', 'nan'))
    length = float(part.findtext('geometry/cylinder/length', 'nan'))
    upright = math.isclose(roll, 0.0)
    return 'cylinder', (diameter, diameter, length) if upright \
        else (diameter, length, diameter), upright


def _numbers(element: Element | None) -> list[float]:
    return [0.0] * 6 if element is None or not element.text \
        else [float(word) for word in element.text.split()]
