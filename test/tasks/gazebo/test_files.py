"""A Gazebo world on disk: what is in it, who may be overwritten, what is refused."""

from __future__ import annotations

import os

import numpy as np
import pytest
import yaml
from cases import for_each

from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.gazebo import RobotShape, WorldError, files as files_module, write_world
from gbs_irl_ros.tasks.gazebo.boxes import Scenery, merged
from gbs_irl_ros.tasks.gazebo.files import passage
from gbs_irl_ros.tasks.gazebo.picture import shapes
from gbs_irl_ros.tasks.layout import DOWN, RIGHT
from gbs_irl_ros.tasks.worlds.cells import SIDES
from gbs_irl_ros.tasks.worlds.nav2_map import grid_of_map, read_map

NAMES = ['bridge.yaml', 'map.pgm', 'map.yaml', 'world.sdf']
WITH_CELLS = [name for name in shipped_tasks() if load_task(name).world.layout is not None]


def task_of(folder, drawing, **world):
    """Return a task on a grid that is drawn as text."""
    file = folder / 'drawn.yaml'
    file.write_text(yaml.safe_dump({
        'format': 1, 'name': 'drawn "<&> grid', 'hypotheses': {'kind': 'goals', 'goals': 'free'},
        'world': {'kind': 'grid', 'map': drawing, **world}}))
    return load_task(file)


def walls_of(file, layout):
    """Return blocked cells and walls between cells, found out by looking at points."""
    walls = [shape for shape in shapes(file, 'collision') if shape.model == 'walls']

    def is_wall(x, y):
        return any(west < x < east and south < y < north
                   for west, south, east, north in (wall.edges for wall in walls))
    left, _, _, top = layout.extent
    size, (rows, columns) = layout.cell_size, layout.shape
    middles = [[(left + (column + 0.5) * size, top - (row + 0.5) * size)
                for column in range(columns)] for row in range(rows)]
    blocked = {(row, column) for row in range(rows) for column in range(columns)
               if is_wall(*middles[row][column])}
    between = {(row, column, side)
               for row in range(rows) for column in range(columns)
               for side, aside, down in ((RIGHT, 1, 0), (DOWN, 0, 1))
               if row + down < rows and column + aside < columns
               and not {(row, column), (row + down, column + aside)} & blocked
               and is_wall(middles[row][column][0] + aside * size / 2,
                           middles[row][column][1] - down * size / 2)}
    closed = all(is_wall(x, y) for y in (layout.extent[2] - 0.01, top + 0.01)
                 for x, _ in middles[0]) \
        and all(is_wall(x, row[0][1]) for x in (left - 0.01, layout.extent[1] + 0.01)
                for row in middles)
    return blocked, between, closed


@pytest.mark.slow
@for_each('name', WITH_CELLS)
def test_walls_and_places_read_from_the_file_are_those_of_the_task(name, tmp_path):
    task = load_task(name)
    layout, transitions = task.world.layout, task.world.mdp.transitions
    written = write_world(task, tmp_path / 'a world')
    blocked, between, closed = walls_of(written.world, layout)
    assert blocked == {(row, column) for row, column in np.argwhere(layout.states < 0)}
    assert between == {(row, column, side) for row, column, side, one_way
                       in layout.walls(transitions) if not one_way}
    assert closed
    seen = [shape for shape in shapes(written.world, 'visual') if shape.model == 'places']
    for number, (region, states) in enumerate(task.world.appearance.regions.items()):
        pieces = [shape for shape in seen if shape.name.startswith(f'{region}_{number}_')]
        inside = {state for state, (x, y) in enumerate(task.world.appearance.positions)
                  if any(west < x < east and south < y < north
                         for west, south, east, north in (shape.edges for shape in pieces))}
        assert inside == set(states.tolist())
    assert not [shape for shape in shapes(written.world, 'collision') if shape.model == 'places']
    floor, = (shape for shape in shapes(written.world, 'collision') if shape.model == 'floor')
    assert (floor.kind, floor.top) == ('box', 0.0)
    robot = [shape for shape in shapes(written.world, 'collision') if shape.model == 'robot']
    start = task.world.layout.state_at(*written.start)
    assert task.world.start[start] > 0.0
    assert all(np.hypot(shape.x - written.start[0], shape.y - written.start[1]) < 0.2
               for shape in robot)


@pytest.mark.slow
@for_each('name', WITH_CELLS)
def test_the_map_is_read_as_the_same_cells(name, tmp_path):
    task = load_task(name)
    layout = task.world.layout
    written = write_world(task, tmp_path)
    occupancy = read_map(written.map, tmp_path, 'map.yaml')
    grid = grid_of_map(occupancy, layout.cell_size, 0.0)
    np.testing.assert_allclose(grid.positions(), task.world.appearance.positions, atol=1e-6)
    walls = {(row, column, side) for row, column, side, one_way
             in layout.walls(task.world.mdp.transitions) if not one_way}
    rows, columns = layout.shape
    for row in range(rows):
        for column in range(columns):
            for side, move in ((RIGHT, 'east'), (DOWN, 'south')):
                if layout.states[row, column] >= 0:
                    ahead = (row, column + 1) if side == RIGHT else (row + 1, column)
                    closed = (row, column, side) in walls or not (
                        ahead[0] < rows and ahead[1] < columns and layout.states[ahead] >= 0)
                    assert grid.blocked[move][row + 1, column + 1] == closed
    assert set(grid.blocked) == set(SIDES)


def test_walls_are_merged_into_few_boxes(tmp_path):
    layout = task_of(tmp_path, '....\n.##.\n.##.\n....').world.layout
    assert len(merged(layout, layout.states < 0)) == 1
    trap = load_task('trap_world').world
    assert len(Scenery.of(trap, trap.layout).thin_walls) == 6
    room = load_task('room').world
    blocks = Scenery.of(room, room.layout).blocks
    assert len(blocks) == 8
    assert np.isclose(sum(box.width * box.height for box in blocks),
                      (room.layout.states < 0).sum() * 0.25)


def test_a_robot_wider_than_its_doors_is_refused_and_nothing_written(tmp_path):
    room = load_task('room')
    assert RobotShape().width < passage(room.world.layout) < RobotShape(0.3).width
    for robot in (RobotShape(wheel_separation=0.5), RobotShape(body_radius=0.3)):
        with pytest.raises(WorldError, match=r"too wide for task 'room', got 0\.\d+ m; expected "
                                             r'at most 0\.36 m'):
            write_world(room, tmp_path / 'a', robot)
    assert list(tmp_path.iterdir()) == []


@for_each('change, message', [
    ({'wheel_radius': 0.0}, 'wheel_radius of the robot must be above 0'),
    ({'mass': float('nan')}, 'mass of the robot must be above 0'),
    ({'wheel_separation': 0.05}, 'more than twice its wheel_radius, got 0.05 m and 0.033 m'),
    ({'body_radius': 0.05}, 'body_radius of the robot must be more than 0.0996 m'),
])
def test_a_robot_that_cannot_be_built_is_refused(change, message):
    with pytest.raises(WorldError, match=message):
        RobotShape(**change)


@for_each('name', ['driver', 'random_mdp'])
def test_a_task_without_places_is_refused_and_nothing_written(name, tmp_path):
    with pytest.raises(WorldError, match=f'the states of task {name!r} have no place'):
        write_world(load_task(name), tmp_path / 'a')
    assert list(tmp_path.iterdir()) == []


def test_other_wrong_wishes_are_refused(tmp_path, monkeypatch):
    task = task_of(tmp_path, '..')
    with pytest.raises(WorldError, match=r'there is no state 2 in task .*; expected 0 \.\. 1'):
        write_world(task, tmp_path / 'a', start_state=2)
    with pytest.raises(WorldError, match=r"must be a name of ROS, got 'a b'"):
        write_world(task, tmp_path / 'a', namespace='a b')
    (tmp_path / 'file').write_text('')
    with pytest.raises(WorldError, match=r'file is not a folder; name another one'):
        write_world(task, tmp_path / 'file')
    with pytest.raises(WorldError, match=r'the world cannot be written: Not a directory; name a'):
        write_world(task, tmp_path / 'file' / 'below')
    monkeypatch.setattr(files_module, 'MAX_WALLS', 3)
    with pytest.raises(WorldError, match=r'too many walls for Gazebo, got 4 boxes; expected at'):
        write_world(task, tmp_path / 'a')
    assert not (tmp_path / 'a').exists()


@pytest.mark.slow
def test_only_files_of_its_own_are_replaced(tmp_path):
    task, folder = task_of(tmp_path, '..'), tmp_path / 'out'
    first = write_world(task, folder, picture=True)
    (folder / 'notes.txt').write_text('mine')
    write_world(task, folder, start_state=1, picture=True)
    assert '1.5 0.5' in first.world.read_text()
    assert sorted(os.listdir(folder)) == sorted([*NAMES, 'notes.txt', 'world.png'])
    (folder / 'map.yaml').write_text('image: flat.pgm\n')
    before = first.world.read_bytes()
    with pytest.raises(WorldError, match=r'map\.yaml is there already, and not from gbs-irl'):
        write_world(task, folder, start_state=0)
    assert first.world.read_bytes() == before
    assert (folder / 'map.yaml').read_text() == 'image: flat.pgm\n'
    (folder / 'world.sdf').unlink()
    os.mkfifo(folder / 'world.sdf')
    with pytest.raises(WorldError, match=r'world\.sdf is there already'):
        write_world(task, folder)
    write_world(task, folder, force=True)
    assert 'Written by gbs-irl world' in (folder / 'map.yaml').read_text()
    assert not [name for name in os.listdir(tmp_path) if name.endswith('.tmp')]


def test_what_fails_on_the_way_leaves_what_was_there(tmp_path, monkeypatch):
    task, folder = task_of(tmp_path, '..'), tmp_path / 'out'
    written = write_world(task, folder)
    before = {name: (folder / name).read_bytes() for name in NAMES}

    def full(*_, **__):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(files_module, 'draw_world_file', full)
    for other in (folder, tmp_path / 'new'):
        with pytest.raises(WorldError, match='cannot be written: No space left on device; name a'):
            write_world(task, other, start_state=1, picture=True)
    assert {name: (folder / name).read_bytes() for name in NAMES} == before
    assert sorted(os.listdir(tmp_path)) == ['drawn.yaml', 'out']
    assert written.picture is None


def test_bridge_and_topics_agree(tmp_path):
    task = task_of(tmp_path, '..')
    plain = write_world(task, tmp_path / 'plain')
    entries = {entry['ros_topic_name']: entry for entry in yaml.safe_load(
        plain.bridge.read_text())}
    assert list(entries) == ['/clock', 'cmd_vel', 'odom', 'tf']
    assert entries['cmd_vel']['ros_type_name'] == 'geometry_msgs/msg/Twist'
    assert {entry['direction'] for entry in entries.values()} == {'GZ_TO_ROS', 'ROS_TO_GZ'}
    world = plain.world.read_text()
    assert all(f'>/{name}</' in world for name in ('cmd_vel', 'odom', 'tf', 'wheel_odom'))
    assert 'sensor' not in world
    laser = write_world(task, tmp_path / 'laser', RobotShape(laser=True), namespace='/robot1/',
                        stamped=True)
    world, bridge = laser.world.read_text(), laser.bridge.read_text()
    assert all(f'>/robot1/{name}</' in world for name in ('cmd_vel', 'odom', 'tf', 'scan'))
    assert 'gz-sim-sensors-system' in world
    assert 'gpu_lidar' in world
    assert 'ros_topic_name: scan' in bridge
    assert 'geometry_msgs/msg/TwistStamped' in bridge
