"""A task as a map of Nav2: map.yaml and an image in grey."""

from __future__ import annotations

import math

import numpy as np

from gbs_irl_ros.tasks.gazebo.boxes import Box, border_thickness
from gbs_irl_ros.tasks.gazebo.elements import number
from gbs_irl_ros.tasks.layout import Layout

OCCUPIED, UNKNOWN, FREE = 0, 205, 254       # as map savers draw them
COARSEST = 0.025        # [m] of a pixel where there is room for it
FEWEST = 10             # pixels along a cell
MAX_PIXELS = 25_000_000


def pixels_per_cell(layout: Layout) -> int:
    """Return how many pixels a cell is wide: an even number, so that its middle is a corner."""
    rows, columns = (size + 2 for size in layout.shape)
    wanted = max(FEWEST, math.ceil(round(layout.cell_size / COARSEST, 6)))
    most = math.isqrt(MAX_PIXELS // (rows * columns))
    return max(2, min(wanted, most) // 2 * 2)


def map_image(layout: Layout, thin_walls: tuple[Box, ...]) -> np.ndarray:
    """
    Return grey values ``[rows, columns]``, row 0 at the top.

    There is a cell of unknown ground all round, with the border of the world in it. So a task made
    from this map has its cells where this one has them.
    """
    fine = pixels_per_cell(layout)
    blocked = np.pad(layout.states < 0, 1, constant_values=True)
    image = np.where(np.kron(blocked, np.ones((fine, fine), dtype=bool)), OCCUPIED, FREE)
    edge = max(1, round(border_thickness(layout.cell_size) / layout.cell_size * fine))
    beyond = np.ones(image.shape, dtype=bool)
    beyond[fine - edge:edge - fine, fine - edge:edge - fine] = False
    image[beyond] = UNKNOWN
    left, top = layout.extent[0] - layout.cell_size, layout.extent[3] + layout.cell_size
    size = layout.cell_size / fine
    for wall in thin_walls:
        west, south, east, north = wall.edges
        image[math.floor((top - north) / size):math.ceil((top - south) / size),
              math.floor((west - left) / size):math.ceil((east - left) / size)] = OCCUPIED
    return image.astype(np.uint8)


def map_text(layout: Layout, image: str, comment: str) -> str:
    """
    Return the text of a map.yaml.

    :param image: name of its image.
    :param comment: the first line.
    """
    x, y = (place - layout.cell_size for place in layout.corner)
    return (f'# {comment}\n'
            f'image: {image}\n'
            'mode: trinary\n'
            f'resolution: {layout.cell_size / pixels_per_cell(layout)!r}\n'
            f'origin: [{number(x)}, {number(y)}, 0]\n'
            'negate: 0\n'
            'occupied_thresh: 0.65\n'
            'free_thresh: 0.196\n')


def image_bytes(image: np.ndarray, comment: str) -> bytes:
    """Return an image as a PGM file."""
    rows, columns = image.shape
    return f'P5\n# {comment}\n{columns} {rows}\n255\n'.encode() + image.tobytes()
