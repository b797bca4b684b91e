"""The files of a Gazebo world: all of them are written, or none."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gbs_irl_ros.tasks.gazebo.boxes import THIN, Scenery
from gbs_irl_ros.tasks.gazebo.bridge import bridge_text
from gbs_irl_ros.tasks.gazebo.nav2_map import image_bytes, map_image, map_text
from gbs_irl_ros.tasks.gazebo.picture import draw_world_file
from gbs_irl_ros.tasks.gazebo.robot import RobotShape, WorldError
from gbs_irl_ros.tasks.gazebo.sdf import world_text
from gbs_irl_ros.tasks.gazebo.systems import Topics
from gbs_irl_ros.tasks.layout import Layout
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.whole_files import UNFINISHED
from gbs_irl_ros.tasks.world import World

WORLD, BRIDGE, MAP, IMAGE, PICTURE = \
    'world.sdf', 'bridge.yaml', 'map.yaml', 'map.pgm', 'world.png'
WRITTEN_BY = 'Written by gbs-irl world'     # how one of our files is known again
MAX_WALLS = 20_000      # boxes; many more and Gazebo does not get off the ground
USABLE = 0.75           # of a passage: a robot that steers cuts corners, by a fifth of a cell


@dataclass(frozen=True)
class WorldFiles:
    """
    Where the files of a world are.

    bridge: for ros_gz_bridge, whose parameter ``expand_gz_topic_names`` must be true.
    map: the map.yaml of Nav2.
    start: x and y of the robot [m].
    picture: the world from above, if it was wanted.
    """

    folder: Path
    world: Path
    bridge: Path
    map: Path
    start: tuple[float, float]
    picture: Path | None = None


def write_world(task: Task, folder: Path, robot: RobotShape | None = None, *,
                start_state: int | None = None, namespace: str = '', stamped: bool = False,
                force: bool = False, picture: bool = False) -> WorldFiles:
    """
    Write a task as a Gazebo world, with the file for the bridge and a map for Nav2.

    :param folder: is made if need be; files that are not of this function are left alone.
    :param robot: a TurtleBot3 Waffle if None.
    :param start_state: where the robot stands; None: as the simulator with seed 0 begins.
    :param namespace: of the robot.
    :param stamped: commands come as TwistStamped.
    :param force: replace files of the same names that somebody else has written.
    :param picture: also draw the world from above.
    """
    robot, world = robot or RobotShape(), task.world
    layout = _layout(world)
    _check_fits(world, layout, robot)
    try:
        topics = Topics(namespace)
    except ValueError as error:
        raise WorldError(str(error)) from None
    state = _start_state(world, start_state)
    positions = world.appearance.positions
    assert positions is not None
    start = float(positions[state][0]), float(positions[state][1])
    scenery = Scenery.of(world, layout)
    if len(scenery.walls) > MAX_WALLS:
        raise WorldError(f'task {world.name!r} has too many walls for Gazebo, got '
                         f'{len(scenery.walls)} boxes; expected at most {MAX_WALLS}: use larger '
                         'cells')
    comment = _comment(task)
    files = {
        WORLD: world_text(world.name, scenery, robot, start, topics, comment).encode(),
        BRIDGE: bridge_text(stamped=stamped, laser=robot.laser, comment=comment).encode(),
        MAP: map_text(layout, IMAGE, comment).encode(),
        IMAGE: image_bytes(map_image(layout, scenery.thin_walls), comment)}
    _write(folder, files, force=force, picture=picture)
    return WorldFiles(folder, folder / WORLD, folder / BRIDGE, folder / MAP, start,
                      folder / PICTURE if picture else None)


def check_world(task: Task, folder: Path) -> tuple[Path, Path]:
    """Return world and bridge file of a folder; raise unless they were written for this task."""
    for file in (folder / WORLD, folder / BRIDGE):
        if not file.is_file():
            raise WorldError(f'there is no file {file}; expected a folder that gbs-irl world has '
                             'written')
        if not _begins_with(file, _comment(task)):
            raise WorldError(f'{file} was not written for task {task.world.name!r} as it is now: '
                             'write it again with gbs-irl world')
    return folder / WORLD, folder / BRIDGE


def passage(layout: Layout) -> float:
    """Return how wide a robot may be at most that drives from cell to cell [m]."""
    return USABLE * (1.0 - THIN) * layout.cell_size


def _comment(task: Task) -> str:
    return f'{WRITTEN_BY}, for the task of hash {task.hash[:16]}.'


def _layout(world: World) -> Layout:
    if world.layout is None:
        raise WorldError(f'the states of task {world.name!r} have no place on the floor, so there '
                         'is no world to be written; expected a task with cells, such as grid or '
                         'map')
    return world.layout


def _check_fits(world: World, layout: Layout, robot: RobotShape) -> None:
    if robot.width > passage(layout):
        raise WorldError(
            f'the robot is too wide for task {world.name!r}, got {robot.width:.3g} m; expected at '
            f'most {passage(layout):.3g} m, as its passages are a cell of {layout.cell_size:g} m '
            'wide and it must not touch the walls on its way: use a smaller robot or larger cells')


def _start_state(world: World, wanted: int | None) -> int:
    if wanted is None:      # drawn as the simulator does
        return int(np.random.default_rng([0, 0]).choice(world.mdp.num_states, p=world.start))
    if not 0 <= wanted < world.mdp.num_states:
        raise WorldError(f'there is no state {wanted} in task {world.name!r}; expected 0 .. '
                         f'{world.mdp.num_states - 1}')
    return wanted


def _write(folder: Path, contents: Mapping[str, bytes], *, force: bool, picture: bool) -> None:
    """Write files into a folder beside it first: what is there stays until all are whole."""
    names = [*contents, *([PICTURE] if picture else [])]
    if folder.exists() and not folder.is_dir():
        raise WorldError(f'{folder} is not a folder; name another one')
    for name in names:
        if not force and not _may_replace(folder / name):
            raise WorldError(f'{folder / name} is there already, and not from gbs-irl world: name '
                             'another folder, or replace it with --force')
    whole = folder.absolute()
    beside = whole.parent / f'.{whole.name}.{secrets.token_hex(8)}{UNFINISHED}'
    try:
        beside.mkdir(parents=True)
        for name, content in contents.items():
            (beside / name).write_bytes(content)
        if picture:
            draw_world_file(beside / WORLD, beside / PICTURE, metadata={'Software': WRITTEN_BY})
        if folder.exists():
            for name in names:
                os.replace(beside / name, folder / name)
        else:
            os.replace(beside, folder)
    except OSError as error:
        raise WorldError(f'{folder}: the world cannot be written: {error.strerror or error}; '
                         'name a folder that you own, on a disk with room') from None
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(beside)


def _may_replace(file: Path) -> bool:
    """Return whether a file is not there, or one of ours."""
    if file.exists() and not file.is_file():
        return False        # opening a pipe would wait for ever
    try:
        return _begins_with(file, WRITTEN_BY)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _begins_with(file: Path, comment: str) -> bool:
    with open(file, 'rb') as opened:
        return comment.encode() in opened.read(200)
