"""The picture of a map under its cells."""

from __future__ import annotations

import io

import numpy as np
import pytest
from cases import for_each
from PIL import Image

from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.layout import Layout
from gbs_irl_ros.tasks.world import MAX_FLOOR_BYTES
from gbs_irl_ros.tasks.worlds.floor import LONGEST_EDGE, floor_image, shrunk

CELL = 0.5


def grey_of(floor):
    with Image.open(io.BytesIO(floor.png)) as image:
        return np.asarray(image.convert('L'))


def cells(rows, columns, left=0.0, bottom=0.0):
    """A rectangle of cells whose lower left corner is there."""
    places = np.array([(column, row) for row in range(rows) for column in range(columns)])
    x, y = left + (places[:, 0] + 0.5) * CELL, bottom + (rows - places[:, 1] - 0.5) * CELL
    return Layout.of(places, np.stack([x, y], axis=1), CELL)


@for_each(('shape', 'longest', 'expected'), [
    ((3, 4), 10, (3, 4)), ((3, 4), 2, (2, 2)), ((5, 4), 2, (2, 2)), ((1, 100), 10, (1, 10)),
    ((7, 7), 3, (3, 3)), ((7, 1), 7, (7, 1))])
def test_a_smaller_picture_keeps_every_wall(shape, longest, expected):
    for row, column in np.ndindex(shape):
        light = np.ones(shape)
        light[row, column] = 0.0
        small = shrunk(light, longest)
        assert small.shape == expected
        factor = -(-max(shape) // longest)
        dark = expected[0] - 1 - (shape[0] - 1 - row) // factor, column // factor
        assert np.argwhere(small == 0).tolist() == [list(dark)]


def test_it_is_cut_to_where_the_cells_are():
    """A map of 8 x 6 m in pixels of 0.1 m, with one dark spot in the middle of a cell."""
    light = np.ones((60, 80))
    light[60 - 22:60 - 18, 38:42] = 0.0         # around x 4, y 2 from the lower left corner
    floor = floor_image(shrunk(light), light.shape, 0.1, (-1.0, -2.0), cells(4, 6, 2.0, -1.0))
    assert floor.extent == pytest.approx((2.0, 5.0, -1.0, 1.0))
    rows, columns = np.nonzero(grey_of(floor) == 0)
    x, y = 2.0 + (columns.mean() + 0.5) * 0.1, 1.0 - (rows.mean() + 0.5) * 0.1
    assert (x, y) == pytest.approx((3.0, 0.0))


def test_a_large_and_noisy_map_is_small_enough_to_be_sent(rng):
    light = rng.random((2000, 3000))
    floor = floor_image(shrunk(light), light.shape, 0.05, (0.0, 0.0), cells(200, 300))
    assert len(floor.png) <= MAX_FLOOR_BYTES
    left, right, bottom, top = floor.extent
    assert (left, bottom) == (0.0, 0.0)
    assert 150.0 <= right < 152.0
    assert 100.0 <= top < 102.0
    assert max(shrunk(light).shape) <= LONGEST_EDGE


def test_cells_beside_the_picture_have_none():
    assert floor_image(np.ones((4, 4), np.uint8), (4, 4), 0.1, (50.0, 0.0), cells(2, 2)) is None
    assert floor_image(None, (4, 4), 0.1, (0.0, 0.0), cells(2, 2)) is None
    assert floor_image(np.ones((4, 4), np.uint8), (4, 4), 0.1, (0.0, 0.0), None) is None


def test_the_room_is_light_where_the_robot_can_be_and_dark_somewhere_else():
    world = load_task('room').world
    floor, grey = world.appearance.floor, grey_of(world.appearance.floor)
    left, right, bottom, top = floor.extent
    x, y = world.appearance.positions.T
    columns = ((x - left) / (right - left) * grey.shape[1]).astype(int)
    rows = ((top - y) / (top - bottom) * grey.shape[0]).astype(int)
    assert (grey[rows, columns] > 200).all()
    assert grey.min() == 0
    assert len(floor.png) < 10_000
    assert load_task('grid_world').world.appearance.floor is None
