"""The image of a map as a picture of the floor, small enough to be sent to a page."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np

from gbs_irl_ros.tasks.layout import Layout
from gbs_irl_ros.tasks.world import MAX_FLOOR_BYTES, FloorImage
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld

LONGEST_EDGE = 1600     # pixels that are kept of a whole map,
LONGEST_SHOWN = 800     # and of the part that is shown
SMALLEST_EDGE = 8


def shrunk(light: np.ndarray, longest: int = LONGEST_EDGE) -> np.ndarray:
    """
    Return an image ``[rows, columns]`` of light, 0 to 1, as grey values in larger pixels.

    A pixel is as dark as the darkest part of it, so that no wall gets lost. They are counted from
    the lower left corner, so some may reach beyond the image at the top and at the right.
    """
    factor = math.ceil(max(light.shape) / longest)
    darkest = light[::-1]
    for axis in range(2):
        darkest = np.minimum.reduceat(darkest, np.arange(0, light.shape[axis], factor), axis=axis)
    return np.asarray(np.round(darkest[::-1] * 255.0), dtype=np.uint8)


def floor_image(picture: np.ndarray | None, shape: tuple[int, ...], resolution: float,
                origin: tuple[float, float], layout: Layout | None) -> FloorImage | None:
    """
    Return what of a map lies under the cells, None if there is nothing to be seen.

    :param picture: as ``shrunk`` made it of an image of this shape, resolution [m] and origin.
    """
    if picture is None or layout is None or min(picture.shape) < 1:
        return None
    size = resolution * math.ceil(max(shape) / LONGEST_EDGE)
    left, right, bottom, top = layout.extent
    rows, columns = picture.shape
    first, last = (_bounded((edge - origin[0]) / size, columns) for edge in (left, right))
    low, high = (_bounded((edge - origin[1]) / size, rows) for edge in (bottom, top))
    if last <= first or high <= low:
        return None
    part = picture[rows - high:rows - low, first:last]
    corner = (origin[0] + first * size, origin[1] + low * size)
    longest = LONGEST_SHOWN
    while True:
        small = shrunk(part / 255.0, longest)
        edge = size * math.ceil(max(part.shape) / longest)
        png = _png(small)
        if len(png) <= MAX_FLOOR_BYTES:
            break
        longest //= 2
        if longest < SMALLEST_EDGE:
            return None
    return FloorImage(png, (corner[0], corner[0] + small.shape[1] * edge,
                            corner[1], corner[1] + small.shape[0] * edge))


def with_floor(built: BuiltWorld, floor: FloorImage | None) -> BuiltWorld:
    """Return a world with a picture under its cells."""
    looks = replace(built.world.appearance, floor=floor)
    return replace(built, world=replace(built.world, appearance=looks))


def _bounded(place: float, count: int) -> int:
    return min(max(round(place), 0), count)


def _png(grey: np.ndarray) -> bytes:
    from PIL import Image  # only maps need it
    written = io.BytesIO()
    Image.fromarray(grey).save(written, 'PNG', optimize=True)
    return written.getvalue()
