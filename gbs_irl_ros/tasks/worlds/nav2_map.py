"""
A map as Nav2 and its map server use it (map.yaml and an image), cut into cells for a robot.

A pixel is occupied if its darkness is above `occupied_thresh`, free if below `free_thresh`,
unknown in between; unknown counts as occupied. Map savers draw the unknown with grey 205, and
until the middle of 2025 they wrote a `free_thresh` that made it free: in a map of three colours
that grey is unknown whatever the threshold says.

A cell is free if nothing occupied comes nearer to its centre than the radius of the robot, and a
robot can go from a cell to the next if that holds all along the line between their centres: a wall
thinner than a cell still separates them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gbs_irl_ros.tasks.cost import PIXEL, WIDENED_PIXEL, Cost, check_cost, too_large, world_cost
from gbs_irl_ros.tasks.files.file_report import Report, TaskFileError, shown
from gbs_irl_ros.tasks.files.spec import (
    AnyOf,
    Each,
    Field,
    Located,
    Number,
    Record,
    Table,
    Text,
    Whole,
)
from gbs_irl_ros.tasks.files.yaml_tree import exists, is_file, read_tree
from gbs_irl_ros.tasks.world import Picture, World
from gbs_irl_ros.tasks.worlds.built_world import CELL_SIZE, DISCOUNT, BuiltWorld
from gbs_irl_ros.tasks.worlds.cells import (
    MOVE_LIST,
    SLIP,
    Grid,
    check_moves,
    grid_appearance,
    largest_component,
)
from gbs_irl_ros.tasks.worlds.floor import floor_image, shrunk, with_floor

MAX_PIXELS = 25_000_000
MAX_CELLS = 4_000_000
GREY_MODES = ('1', 'L', 'LA', 'P', 'PA', 'RGB', 'RGBA')     # 8 bits and less
ROUNDING = 1e-9
FARTHEST_IN_PIXEL = 0.7072      # from its middle, in pixels
IMAGE_KINDS = ('.pgm', '.png')
LONGEST_PATH = 1000
UNKNOWN_GREY = 205

GREY_HINT = (f'; grey {UNKNOWN_GREY} is what map savers write for unknown: where it is meant to '
             'be free, draw it lighter')

MAP_FILE = Record({
    'image': Field(Text(longest=LONGEST_PATH), 'the image, relative to this file'),
    'resolution': Field(Number(above=0.0, at_most=100.0), 'edge of a pixel [m]'),
    'origin': Field(Each(Number(), 2, 3), 'x, y (and yaw) of the lower left pixel [m, rad]'),
    'occupied_thresh': Field(Number(0.0, 1.0), 'darkness above which a pixel is occupied', 0.65),
    # UNKNOWN_GREY has a darkness just above 0.196
    'free_thresh': Field(Number(0.0, 1.0), 'darkness below which a pixel is free', 0.196),
    'negate': Field(AnyOf([Whole(0, 1)], '0 or 1'), '1: light and dark change places', 0),
    'mode': Field(Text(('trinary', 'scale')), 'how the map server reads it', 'trinary'),
})

FIELDS = Record({
    'file': Field(Text(longest=LONGEST_PATH),
                  'a map.yaml of Nav2, in or below the folder of this file'),
    'cell_size': CELL_SIZE,
    'robot_radius': Field(Number(at_least=0.0, at_most=100.0), 'radius of the robot [m]', 0.0),
    'regions': Field(Table(Each(Number(), 4, 4)), 'name: [x from, y from, x to, y to] [m]', {}),
    'moves': MOVE_LIST, 'slip': SLIP, 'discount': DISCOUNT})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world of a map."""
    check_moves(values)
    path, got, problem = folder / values.file, f'got {shown(values.file)}', None
    if Path(values.file).is_absolute() or not is_inside(path, folder):
        problem = (f'must lie in the folder of the task file, {got}; expected a relative path '
                   'below it')
    elif path.suffix.lower() in IMAGE_KINDS:
        problem = f'is an image, {got}; expected the map.yaml that names it'
    elif not is_file(path):
        problem = f'cannot be found, {got}; expected a map.yaml'
    if problem is not None:
        values.refuse(problem, 'file')
        values.report.raise_if_any()
    occupancy = read_map(path, folder, str(Path(values.report.file).parent / values.file),
                         widened=values.robot_radius > 0.0, allow_large=values.report.allow_large)
    _check_free(values, occupancy)
    _check_cells(values, occupancy)
    try:
        grid = grid_of_map(occupancy, values.cell_size, values.robot_radius)
    except TaskFileError as error:
        key, _, problem = str(error).partition(': ')
        values.refuse(problem, key)
    values.report.raise_if_any()
    built = build_map_world(grid, values.regions, tuple(values.moves), values.discount,
                            values.slip)
    for name, states in built.regions.items():
        if not len(states):
            values.refuse(f'holds no free cell, got {values.regions[name]}; expected '
                          '[x from, y from, x to, y to] in metres around free space'
                          + (GREY_HINT if occupancy.grey_is_unknown else ''), 'regions', name)
    values.report.raise_if_any()
    return with_floor(built, floor_image(occupancy.picture, occupancy.free.shape,
                                         occupancy.resolution, occupancy.origin,
                                         built.world.layout))


@dataclass(frozen=True, eq=False)
class OccupancyMap:
    """
    Which pixels can be entered.

    free: ``[rows, columns]`` bool, row 0 at the top.
    resolution: edge of a pixel [m].
    origin: x and y of the lower left corner [m].
    num_unknown: pixels that are neither free nor occupied.
    grey_is_unknown: some of them would be free by the threshold of the file.
    picture: the map in grey, perhaps in larger pixels, for people; None if there is none.
    """

    free: np.ndarray
    resolution: float
    origin: tuple[float, float]
    num_unknown: int = 0
    grey_is_unknown: bool = False
    picture: np.ndarray | None = None


def _check_free(values: Located, occupancy: OccupancyMap) -> None:
    """Report a map on which a robot can be nowhere, before the robot is blamed."""
    if not occupancy.free.any():
        values.refuse(
            f'names a map without free space, got {occupancy.num_unknown} unknown and '
            f'{occupancy.free.size - occupancy.num_unknown} occupied pixels; expected the map of '
            f'a place that has been explored{GREY_HINT if occupancy.grey_is_unknown else ""}',
            'file')
        values.report.raise_if_any()


def _check_cells(values: Located, occupancy: OccupancyMap) -> None:
    rows, columns = (size * occupancy.resolution / values.cell_size
                     for size in occupancy.free.shape)
    if rows * columns <= MAX_CELLS:         # else it is refused in any case
        check_cost(values, 'cell_size', world_cost(
            rows * columns, rows * columns * len(values.moves) * (3 if values.slip else 1)),
            f'{columns:.0f} x {rows:.0f} cells with {len(values.moves)} moves')


def read_map(path: Path, folder: Path, shown_as: str, *, widened: bool = False,
             allow_large: bool = False) -> OccupancyMap:
    """
    Read a map.yaml and its image.

    :param folder: neither file may lie outside it.
    :param widened: obstacles will be widened by the radius of a robot, which takes more.
    :param allow_large: do not refuse an image that needs much memory or time.
    """
    tree = read_tree(path, shown_as)
    report = Report(shown_as, allow_large=allow_large)
    values = MAP_FILE.read(tree, '', report)
    report.raise_if_any()
    if len(values.origin) == 3 and values.origin[2] != 0.0:
        report.add(values.line_of('origin'), 'origin',
                   f'a turned map cannot be used, got a yaw of {values.origin[2]}; expected 0')
    if values.free_thresh >= values.occupied_thresh:
        report.add(values.line_of('free_thresh'), 'free_thresh',
                   f'is too large, got {values.free_thresh}; expected less than occupied_thresh = '
                   f'{values.occupied_thresh}')
    report.raise_if_any()
    grey = _read_image(path.parent / values.image, folder, values, shown_as,
                       WIDENED_PIXEL if widened else PIXEL)
    darkness = grey if values.negate else 1.0 - grey
    free = darkness < values.free_thresh
    doubtful = free & (grey == UNKNOWN_GREY / 255.0)
    if values.negate or values.mode != 'trinary':       # then this grey is like any other
        doubtful[:] = False
    free &= ~doubtful
    unknown = ~free & (darkness <= values.occupied_thresh)
    return OccupancyMap(free, values.resolution, (values.origin[0], values.origin[1]),
                        int(unknown.sum()), bool(doubtful.any()),
                        shrunk(1.0 - grey if values.negate else grey))


def is_inside(path: Path, folder: Path) -> bool:
    """Tell whether a file lies in a folder, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):     # links in a circle
        return False


def _read_image(path: Path, folder: Path, values: Located, shown_as: str,
                pixel: Cost) -> np.ndarray:
    """Return grey values in [0, 1], looking at the size before anything is decoded."""
    from PIL import Image, UnidentifiedImageError  # only maps need it
    where = f'{shown_as}:{values.line_of("image")}: image: '
    got = f'got {shown(values.image)}'
    if Path(values.image).is_absolute() or not is_inside(path, folder):
        raise TaskFileError([where + f'must lie in the folder of the task file, {got}; expected a '
                                     'relative path below it'])
    if path.suffix.lower() not in IMAGE_KINDS:
        raise TaskFileError([where + f'is of an unknown kind, {got}; expected one of '
                                     f'{list(IMAGE_KINDS)}'])
    if not exists(path):
        raise TaskFileError([where + f'cannot be found, {got}; expected a file beside the '
                                     'map.yaml'])
    if not path.is_file():
        raise TaskFileError([where + f'is not an ordinary file, {got}'])
    limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None    # ours is checked below
    try:
        with Image.open(path, formats=('PPM', 'PNG')) as image:
            size, mode = image.size, image.mode
            grey, count = None, size[0] * size[1]
            problem = too_large(pixel * count, f'{size[0]} x {size[1]} pixels',
                                values.report.allow_large)
            if count <= MAX_PIXELS and problem is None and mode in GREY_MODES:
                grey = np.asarray(image.convert('L'), dtype=np.float64) / 255.0
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, OverflowError) as error:
        raise TaskFileError([where + f'cannot be read as an image, {got}: {error}']) from None
    finally:
        Image.MAX_IMAGE_PIXELS = limit
    if count > MAX_PIXELS:
        raise TaskFileError([where + f'is too large, got {size[0]} x {size[1]} pixels; expected '
                                     f'at most {MAX_PIXELS} in all'])
    if problem is not None:
        raise TaskFileError([where + problem])
    if grey is None:
        raise TaskFileError([where + f'has pixels of an unknown kind, got {mode!r}; expected 8 '
                                     'bits of grey or colour'])
    return grey


def grid_of_map(occupancy: OccupancyMap, cell_size: float, robot_radius: float) -> Grid:
    """Cut a map into cells; only the largest connected part is kept."""
    rows, columns = occupancy.free.shape
    height, width = rows * occupancy.resolution, columns * occupancy.resolution
    wanted = (height / cell_size, width / cell_size)
    if min(wanted) < 1.0 - ROUNDING:
        raise TaskFileError([f'cell_size: is larger than the map, got {cell_size} m; expected at '
                             f'most {min(height, width):g} m'])
    if not wanted[0] * wanted[1] < MAX_CELLS + 1.0:
        raise TaskFileError([f'cell_size: makes too many cells, got {wanted[1]:.10g} x '
                             f'{wanted[0]:.10g}; expected at most {MAX_CELLS} in all'])
    shape = (math.floor(wanted[0] + ROUNDING), math.floor(wanted[1] + ROUNDING))
    # In half pixels from the lower left corner, which is fixed in the world; row 0 is at the top.
    step = cell_size / occupancy.resolution
    up = 2 * rows - _half_pixels((shape[0] - np.arange(shape[0]) - 0.5) * step)
    right = _half_pixels((np.arange(shape[1]) + 0.5) * step)
    between = not np.isclose(step % 1.0, [0.0, 1.0], atol=ROUNDING).any()
    slack = FARTHEST_IN_PIXEL * occupancy.resolution if between and robot_radius > 0.0 else 0.0
    too_near = _too_near(occupancy, robot_radius + slack)
    free = ~too_near[np.ix_(up, right)]
    if not free.any():
        raise TaskFileError([f'robot_radius: leaves no free cell, got {robot_radius} m; expected '
                             'a smaller robot, smaller cells or a map with free space'])
    east = _any_between(too_near[up], right[:-1], right[1:])
    south = _any_between(too_near[:, right].T, up[:-1], up[1:]).T
    edge_column, edge_row = np.ones((shape[0], 1), bool), np.ones((1, shape[1]), bool)
    blocked = {'east': np.c_[east, edge_column], 'west': np.c_[edge_column, east],
               'south': np.r_[south, edge_row], 'north': np.r_[edge_row, south]}
    grid = Grid(free, blocked, cell_size, occupancy.origin)
    return Grid(largest_component(grid), blocked, cell_size, occupancy.origin)


def _half_pixels(places: np.ndarray) -> np.ndarray:
    """Return places, given in pixels, in whole halves: the middle of their pixel if between."""
    halves = np.round(2.0 * places)
    exact = np.abs(2.0 * places - halves) < 1e-6
    return np.where(exact, halves, 2.0 * np.floor(places) + 1.0).astype(int)


def _too_near(occupancy: OccupancyMap, radius: float) -> np.ndarray:
    """
    Return ``[2 rows + 1, 2 columns + 1]``: which corners, edges and middles are too near.

    Of pixels, that is. Too near is less than the radius from an occupied pixel, taken as a square
    with its edges. The point of a square that is nearest to one of these points is again one of
    them, so distances are exact.
    """
    rows, columns = occupancy.free.shape
    occupied = np.zeros((2 * rows + 1, 2 * columns + 1), dtype=bool)
    for down, across in itertools.product(range(3), repeat=2):
        occupied[down:down + 2 * rows:2, across:across + 2 * columns:2] |= ~occupancy.free
    if radius == 0.0 or not occupied.any():
        return occupied
    return _within(occupied, radius * (1.0 - ROUNDING) / (occupancy.resolution / 2.0))


def _within(marked: np.ndarray, radius: float) -> np.ndarray:
    """
    Return ``[rows, columns]``: what is nearer than the radius to anything marked.

    In steps of one row or column. scipy's distance transform would take longer, and a tenth of a
    second to be imported.
    """
    rows, columns = marked.shape
    square = math.ceil(min(radius, rows + columns) ** 2) - 1    # the largest that is too near
    far = rows + math.isqrt(square) + 1
    here = np.arange(rows, dtype=np.int32)[:, np.newaxis]
    above = np.maximum.accumulate(np.where(marked, here, np.int32(-far)), axis=0)
    below = np.minimum.accumulate(np.where(marked, here, np.int32(far))[::-1], axis=0)[::-1]
    vertical = np.minimum(here - above, below - here)
    near = np.zeros_like(marked)
    for across in range(min(math.isqrt(square), columns - 1) + 1):
        reached = vertical <= math.isqrt(square - across ** 2)
        near[:, across:] |= reached[:, :columns - across]
        near[:, :columns - across] |= reached[:, across:]
    return near


def _any_between(marked: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return for each row and each pair (first, last) whether any column of them is marked."""
    total = np.cumsum(marked, axis=1, dtype=np.int32)
    before = total[:, first] - marked[:, first]
    return np.asarray(total[:, last] > before)


def build_map_world(grid: Grid, regions: Mapping[str, tuple[float, float, float, float]],
                    moves: tuple[str, ...], discount: float, slip: float) -> BuiltWorld:
    """
    Build a world on the free cells of a map.

    :param regions: named rectangles (x from, y from, x to, y to) [m]; the cells whose centre lies
        inside belong to them.
    """
    x, y = grid.positions().T
    named = {name: np.flatnonzero((low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y))
             for name, (low_x, low_y, high_x, high_y) in regions.items()}
    mdp = grid.mdp(moves, discount, slip=slip)
    return BuiltWorld(World('map', mdp, mdp.checked_start(None),
                            grid_appearance(grid, moves, Picture.MAP, named)), grid=grid)
