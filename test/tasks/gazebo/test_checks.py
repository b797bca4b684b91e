"""World files as those read them that matter: Gazebo's parser, the description of SDF, Drake."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sdf_spec
from cases import for_each
from physics import DrakeWorld, drake, leave_out  # noqa: F401 - a fixture
from waiting import patience, wait_for

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching.gazebo import find_gazebo, for_fortress
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.gazebo import RobotShape, write_world

pytestmark = pytest.mark.slow
NO_PARSER = ("Gazebo's parser of worlds is NOT TESTED: ign and the description of SDF are "
             'missing; install them: apt install ignition-tools libsdformat-dev')
NO_GAZEBO = ('worlds in Gazebo itself are NOT TESTED: there is no Gazebo server; install one '
             '(ROS 2 Jazzy: apt install ros-jazzy-ros-gz)')
ABOUT_ITSELF = 'libignition-tools-backward.so not found'


@pytest.fixture(scope='module')
def worlds(tmp_path_factory):
    """The world file of every shipped task that has one, and one with everything there is."""
    folder = tmp_path_factory.mktemp('worlds of Gazebo')
    tasks = {name: load_task(name) for name in shipped_tasks()}
    written = {name: write_world(task, folder / name).world for name, task in tasks.items()
               if task.world.layout is not None}
    with_all = write_world(tasks['room'], folder / 'with all', RobotShape(
        wheel_separation=0.2, wheel_radius=0.04, body_radius=0.11, laser=True), namespace='a/b')
    assert len(written) == 6
    return {**written, 'with all': with_all.world}


@pytest.fixture(scope='module')
def parser():
    """Gazebo's own; without it the tests are left out on a user's machine, and fail in CI."""
    program = shutil.which('ign') or shutil.which('gz')
    if program is None or not sdf_spec.folder():
        leave_out(NO_PARSER)

    def problems(file):
        done = subprocess.run([program, 'sdf', '-k', str(file)], capture_output=True, text=True,
                              timeout=patience(60))
        said = [line for line in (done.stdout + done.stderr).splitlines()
                if line and ABOUT_ITSELF not in line]
        return [] if (done.returncode, said) == (0, ['Valid.']) else [done.returncode, *said]
    return problems


def changed(file, old, new):
    """Return a file beside a world in which something else stands; it must have stood there."""
    text = file.read_text()
    assert re.search(old, text, re.DOTALL), old
    other = file.with_name('changed.sdf')
    other.write_text(re.sub(old, new, text, count=1, flags=re.DOTALL))
    return other


def test_every_shipped_world_is_valid(worlds, parser):
    for check in (parser, sdf_spec.problems):
        assert [(name, found) for name, file in worlds.items() if (found := check(file))] == []


def test_the_checks_see_what_is_wrong(worlds, parser):
    file = worlds['room']
    assert parser(changed(file, '<child>left_wheel</child>', '<child>nobody</child>'))
    for old, new, problem in (
            ('<static>', '<statik>true</statik><static>', 'sdf/world/model: statik is not known'),
            (r'<size>[^<]*</size>', '', 'sdf/world/model/link/collision/geometry/box: size is '
                                        'missing'),
            (r'<ixy>0</ixy>', '', 'sdf/world/model/link/inertial/inertia: ixy is missing'),
            (r'<mass>[^<]*<', '<mass>heavy<', "sdf/world/model/link/inertial/mass: must be 1 "
                                              "numbers, got 'heavy'"),
            ('<static>true', '<static>perhaps', "sdf/world/model/static: must be one of "
             "('true', 'false', '0', '1'), got 'perhaps'"),
            ('<light name="sun"', '<light', 'sdf/world/light: its attribute name is missing'),
            ('<light ', '<light bright="1" ',
             'sdf/world/light: has an attribute bright that is not known')):
        assert sdf_spec.problems(changed(file, old, new)) == [problem]


@pytest.mark.usefixtures('drake')
def test_every_shipped_world_is_read_by_drake_and_its_robot_stands(worlds):
    for name, file in worlds.items():
        world = DrakeWorld(file if name != 'with all' else changed(
            file, '<gz_frame_id>.*</gz_frame_id>', ''))     # which only Gazebo knows
        before = world.pose
        world.advance(0.0, 0.0, 0.5)
        assert world.tilt < 0.01
        assert (world.pose.x, world.pose.y) == pytest.approx((before.x, before.y), abs=0.001)
        assert not world.touched
    with pytest.raises(RuntimeError, match='statik'):
        DrakeWorld(changed(worlds['room'], '<static>', '<statik>true</statik><static>'))


@for_each('name', ['room', 'with all'])
def test_all_that_moves_has_mass_and_nothing_comes_from_elsewhere(worlds, name):
    world = ElementTree.parse(worlds[name]).getroot().find('world')
    links = world.find('model[@name="robot"]').findall('link')
    assert [link.get('name') for link in links] == ['base_link', 'left_wheel', 'right_wheel']
    for link in links:
        assert float(link.findtext('inertial/mass')) > 0.0
        assert len(link.find('inertial/inertia')) == 6
    for wheel in links[1:]:
        assert wheel.find('collision/geometry/sphere') is not None
        assert wheel.find('visual/geometry/cylinder') is not None
    grip = {each.get('name'): each.findtext('surface/friction/ode/mu') for each in world.iter(
        'collision') if each.find('surface') is not None}
    assert grip == {'caster_collision': '0', 'left_wheel_collision': '1',
                    'right_wheel_collision': '1'}
    assert not list(world.iter('include')) + list(world.iter('uri')) + list(world.iter('mesh'))
    assert not list(world.iter('plane'))
    has_sensor = world.find('.//sensor') is not None
    assert has_sensor == (name == 'with all') \
        == any('sensors' in each.get('filename') for each in world.iter('plugin'))
    truth = next(each for each in world.iter('plugin') if 'odometry' in each.get('filename'))
    assert truth.findtext('dimensions') == '2'
    assert float(truth.findtext('odom_publish_frequency')) >= 30.0
    topics = [each.text for each in world.iter() if each.tag.endswith('topic')]
    assert len(set(topics)) == len(topics)


def test_gazebo_itself_runs_the_world_where_there_is_one(worlds):
    try:
        program, command = find_gazebo()
    except GbsIrlError:
        pytest.skip(NO_GAZEBO)
    is_new = Path(program).name == 'gz'
    file = worlds['room'] if is_new else for_fortress(worlds['room'])

    def place():
        heard = subprocess.run([program, 'topic', '-e', '-t', '/odom', '-n', '1'],
                               capture_output=True, text=True, timeout=patience(30)).stdout
        return [float(value) for value in re.findall(r'position \{[^}]*?x: (\S+)', heard)]
    with open(file.with_name('server.log'), 'w+') as log, subprocess.Popen(
            [program, command, '-s', '-r', str(file)], stdout=log, stderr=log) as server:
        try:
            before = wait_for(place, 'odometry')[0]
            assert before == pytest.approx(4.25, abs=0.01)
            subprocess.run([program, 'topic', '-t', '/cmd_vel', '-m',
                            'gz.msgs.Twist' if is_new else 'ignition.msgs.Twist', '-p',
                            'linear: {x: -0.2}'], check=True, timeout=patience(30))
            wait_for(lambda: place()[0] < before - 0.1, 'the robot to move')
        finally:
            server.terminate()
        log.seek(0)
        assert '[Err]' not in log.read()
