"""A person drives over ROS, and what the robot does is recorded."""

from __future__ import annotations

import math

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import (
    EAST,
    NORTH,
    SOUTH,
    STAY,
    WEST,
    FakeRobot,
    execution,
    odometry,
    some_time,
    square_world,
)
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from waiting import wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import MAX_STEPS
from gbs_irl_ros.driving import cell_driver, held_key
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.gate import ODOMETRY_TIMEOUT_S
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links import person_drive as module
from gbs_irl_ros.ros.links.person_drive import PersonDrive
from gbs_irl_ros.ros.robot.backends import RobotParameters
from gbs_irl_ros.tasks import load_task

pytestmark = pytest.mark.ros

FAST = {'max_speed': 2.0, 'max_turn': 4.0}
IN_CHARGE = [status for status in ExecutionStatus
             if status not in (ExecutionStatus.STOPPED, ExecutionStatus.MANUAL)]
WHILE_EXECUTING = 'the robot is doing its task: what you drive now is taken as a correction'
SILENT = 'The robot was stopped on its way: no odometry for 0.4 s'
STUCK = 'The robot was stopped on its way: it does not get to the next cell; ' \
    'is something in its way?'
NO_POSE = 'the robot does not say where it is: no odometry'


class Person(BaseNode[RobotParameters]):
    """Drives, as a teacher's node does; everything while no callback runs."""

    def __init__(self, name, **options):
        super().__init__(name, RobotParameters, **options)
        self.driver = PersonDrive(self)

    def do(self, name, *given):
        with self.exclusive():
            return getattr(self.driver, name)(*given)

    def drive(self, *actions):
        for action in actions:
            self.do('drive', action)

    def arrive(self):
        wait_for(lambda: not self.driver.is_driving, 'the drive to end')


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(module, 'PERIOD_S', 0.01)


@pytest.fixture
def person(bench, quick, request):
    """Somebody who knows the world but has no robot."""
    timeout_s = ODOMETRY_TIMEOUT_S if request.cls is TestWithoutOdometry else 5.0
    made = bench.make(Person, **FAST, odometry_timeout=timeout_s)
    made.do('see_world', square_world())
    return made


@pytest.fixture
def robot(bench, person):
    made = FakeRobot(bench, square_world())
    made.wait_until_known(person.driver)
    return made


@pytest.fixture
def put(bench, person):
    """A function that moves the robot somewhere, by whatever hand; returns when that is known."""
    publisher = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
    cells = CellMap(square_world())

    def move(*states):
        for state in states:
            x, y = (-5.0, 0.0) if state is None else cells.centre(state)
            publisher.publish(odometry(Pose(x, y, 0.0)))
            wait_for(lambda x=x, y=y: person.driver.pose == Pose(x, y, 0.0), 'the odometry')
            with person.exclusive():
                pass        # what follows from it has been done as well
    return move


@pytest.fixture
def controller(bench, person):
    """A function that says what the controller does; returns when that is known."""
    publisher = bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)

    def say(status):
        publisher.publish(execution(status))
        wait_for(lambda: getattr(person.driver.execution, 'status', None) is status, 'the status')
    return say


# ---- driving --------------------------------------------------------------------------------

class TestDriving:
    def test_an_action_brings_the_robot_to_the_next_cell_and_then_it_stops(self, person, robot):
        person.drive(EAST)
        assert person.driver.is_driving
        person.arrive()
        assert person.driver.state == 5
        wait_for(lambda: robot.stops, 'the stop')
        assert robot.velocities[-1].is_zero

    def test_the_stop_is_sent_once(self, person, robot):
        person.drive(NORTH)
        person.arrive()
        wait_for(lambda: robot.stops, 'the stop')
        some_time(person)
        assert robot.stops == 1

    def test_while_nobody_drives_nothing_is_sent(self, person, robot):
        some_time(person)
        assert robot.commands == []

    def test_cell_by_cell_round_a_corner(self, person, robot):
        for action, state in ((WEST, 3), (SOUTH, 6), (EAST, 7), (NORTH, 4)):
            person.drive(action)
            person.arrive()
            assert person.driver.state == state

    def test_the_next_action_may_be_given_on_the_way(self, person, robot):
        person.drive(EAST, SOUTH)
        person.arrive()
        assert person.driver.state == 8
        some_time(person)
        assert robot.stops == 1

    def test_against_a_wall_nothing_is_sent(self, person, robot):
        with pytest.raises(GbsIrlError, match='there is no way in that direction'):
            person.drive(STAY)
        some_time(person)
        assert robot.commands == []

    def test_it_keeps_to_its_limits_even_when_they_change(self, person, robot):
        person.set_parameters([Parameter('max_speed', value=0.25),
                               Parameter('max_turn', value=0.5)])
        person.drive(NORTH)
        wait_for(lambda: len(robot.commands) > 10, 'some commands')
        assert all(abs(each.forward) <= 0.25 and abs(each.turn) <= 0.5
                   for each in robot.velocities)
        assert max(abs(each.turn) for each in robot.velocities) == 0.5

    def test_halting_stops_at_once_and_once(self, person, robot):
        person.drive(EAST, SOUTH)
        wait_for(lambda: robot.commands, 'the drive')
        person.do('halt')
        person.do('halt')
        assert not person.driver.is_driving
        wait_for(lambda: robot.stops, 'the stop')
        some_time(person)
        assert robot.stops == 1
        assert robot.velocities[-1].is_zero
        assert person.driver.state in (4, 5)

    def test_a_key_that_was_held_stops_it_when_it_is_released(self, person, robot, monkeypatch):
        clock = [person.steady()]
        monkeypatch.setattr(held_key, 'FAST_S', 1e-3)       # by this clock, which stands
        monkeypatch.setattr(held_key, 'RELEASED_S', 1e-3)
        monkeypatch.setattr(person, 'steady', lambda: clock[0])
        person.drive(EAST)
        for _ in range(3):
            with pytest.raises(GbsIrlError, match='there is no way'):       # further than one cell
                person.drive(EAST)
        with person.exclusive():
            clock[0] += 2e-3
            assert person.driver.is_driving
            person.driver._on_timer()
            assert not person.driver.is_driving
        wait_for(lambda: robot.stops, 'the stop')
        assert person.driver.gave_up == ''

    def test_a_robot_that_is_stuck_is_given_up(self, person, put, monkeypatch):
        monkeypatch.setattr(cell_driver, 'PATIENCE', 0.01)
        put(4)
        wait_for(lambda: person.driver.state == 4, 'the robot')
        person.drive(EAST)
        person.arrive()
        wait_for(lambda: person.driver.gave_up, 'the reason')
        assert person.driver.gave_up == STUCK

    def test_another_world_stops_it(self, person, robot):
        person.drive(EAST)
        wait_for(lambda: robot.commands, 'the drive')
        person.do('see_world', square_world('......', '......', '......'))
        assert not person.driver.is_driving
        wait_for(lambda: robot.stops == 1, 'the stop')
        assert person.driver.state in (7, 8)        # where it is in that world

    def test_stamped_commands_have_time_and_frame(self, bench, quick):
        person = bench.make(Person, stamped_cmd_vel=True, base_frame='wheels', **FAST)
        person.do('see_world', square_world())
        robot = FakeRobot(bench, square_world(), stamped=True)
        wait_for(lambda: person.driver.state == 4, 'the robot')
        person.drive(EAST)
        person.arrive()
        wait_for(lambda: robot.stops == 1, 'the stop')
        assert {command.header.frame_id for command in robot.commands} == {'wheels'}
        assert all(command.header.stamp.sec > 0 for command in robot.commands)


class TestWithoutOdometry:
    def test_who_has_no_robot_cannot_drive(self, person):
        with pytest.raises(GbsIrlError, match=NO_POSE):
            person.drive(EAST)
        assert person.driver.pose is None
        assert person.driver.state is None

    def test_when_the_robot_falls_silent_it_is_stopped(self, person, robot):
        person.drive(WEST, SOUTH)
        wait_for(lambda: robot.commands, 'the drive')
        robot.silent = True
        person.arrive()
        assert person.driver.gave_up == SILENT
        wait_for(lambda: robot.stops, 'the stop')
        with pytest.raises(GbsIrlError, match=NO_POSE):
            person.drive(EAST)
        some_time(person)
        assert robot.stops == 1
        assert robot.velocities[-1].is_zero

    def test_it_is_stopped_in_time(self, person, robot):
        """No command but the stop is sent later than the odometry may be old."""
        person.drive(WEST)
        wait_for(lambda: robot.commands, 'the drive')
        with person.exclusive():
            person.driver._poses._source.seen_at -= ODOMETRY_TIMEOUT_S + 0.01
            before = len(robot.commands)
            person.driver._on_timer()
        wait_for(lambda: robot.stops, 'the stop')
        assert robot.velocities[before:][-1].is_zero
        assert not person.driver.is_driving

    def test_a_robot_that_speaks_again_is_driven_again(self, person, robot):
        robot.silent = True
        wait_for(lambda: person.steady() - person.driver._poses.seen_at > ODOMETRY_TIMEOUT_S,
                 'the odometry to be old')
        with pytest.raises(GbsIrlError, match=NO_POSE):
            person.drive(EAST)
        robot.silent = False
        wait_for(lambda: person.steady() - person.driver._poses.seen_at < 0.1, 'odometry')
        person.driver.gave_up = SILENT
        person.drive(EAST)
        assert person.driver.gave_up == ''
        person.arrive()
        assert person.driver.state == 5

    def test_what_is_no_pose_is_ignored(self, bench, person, put, said):
        put(4)
        broken = odometry(Pose(0.0, 0.0, 0.0))
        broken.pose.pose.position.x = math.nan
        bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(broken)
        wait_for(lambda: 'on odom: pose must be finite' in said(), 'the warning')
        assert person.driver.state == 4


class TestWhereItIs:
    def test_outside_all_cells_it_is_nowhere(self, person, put):
        put(None)
        assert person.driver.pose == Pose(-5.0, 0.0, 0.0)
        assert person.driver.state is None
        with pytest.raises(GbsIrlError, match=r'the robot is at \(-5\.00, 0\.00\), outside all'):
            person.drive(EAST)

    def test_odometry_is_seen_in_the_frame_of_the_task(self, bench):
        """A quarter turn, then 1 m to the right and 2 m up."""
        person = bench.make(Person, odom_to_map=[1.0, 2.0, math.pi / 2.0])
        publisher = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
        publisher.publish(odometry(Pose(0.5, 0.25, 0.125)))
        wait_for(lambda: person.driver.pose, 'the odometry')
        pose = person.driver.pose
        assert (pose.x, pose.y, pose.yaw) == pytest.approx((0.75, 2.5, math.pi / 2.0 + 0.125))

    def test_before_the_world_is_known_nothing_can_be_done(self, bench):
        person = bench.make(Person)
        for name, given in (('drive', (EAST,)), ('start_recording', ())):
            with pytest.raises(GbsIrlError, match='the task is not known yet'):
                person.do(name, *given)
        person.do('halt')
        assert person.driver.state is None
        assert not person.driver.is_driving

    def test_in_a_world_without_cells_nothing_can_be_driven(self, bench):
        person = bench.make(Person)
        person.do('see_world', load_task('random_mdp').world)
        for name, given in (('drive', (EAST,)), ('start_recording', ())):
            with pytest.raises(GbsIrlError, match=r"the states of task 'random_mdp' have no place "
                                                  r'on the floor.*; it can be taught, not'):
                person.do(name, *given)


# ---- recording ------------------------------------------------------------------------------

class TestRecording:
    def test_own_driving_is_recorded(self, person, robot):
        person.do('start_recording')
        assert person.driver.recording
        wait_for(lambda: person.driver._recorder._state == 4, 'it to know where it begins')
        for action in (EAST, SOUTH, WEST):
            person.drive(action)
            person.arrive()
        assert person.driver.steps == ((4, EAST), (5, SOUTH), (8, WEST))
        assert person.do('stop_recording') == DemonstrationAnswer(
            ((4, EAST), (5, SOUTH), (8, WEST)))
        assert not person.driver.recording
        assert person.driver.steps == ()

    def test_movement_by_any_other_hand_is_recorded(self, person, put):
        person.do('start_recording')
        put(0, 1, 1, 4, 3)
        assert person.do('stop_recording') == DemonstrationAnswer(((0, EAST), (1, SOUTH),
                                                                   (4, WEST)))

    def test_what_happened_before_and_after_is_not(self, person, put):
        put(0, 1)
        person.do('start_recording')
        put(2, 5)       # 1 to 2 was begun before
        assert person.driver.steps == ((2, SOUTH),)
        person.do('stop_recording')
        put(8)
        assert person.driver.steps == ()
        assert person.do('stop_recording') is None

    def test_without_a_move_nothing_was_recorded(self, person, put):
        person.do('start_recording')
        put(4)
        assert person.do('stop_recording') is None
        assert not person.driver.recording

    def test_each_recording_begins_anew(self, person, put):
        person.do('start_recording')
        put(0, 1)
        person.do('start_recording')
        put(4, 7)
        assert person.do('stop_recording') == DemonstrationAnswer(((4, SOUTH),))

    def test_a_jump_is_no_step(self, person, put):
        person.do('start_recording')
        put(0, 8, 5, None, 4, 3)
        assert person.driver.steps == ((8, NORTH), (4, WEST))

    def test_only_so_many_steps_are_recorded(self, person, put, monkeypatch):
        assert module.MAX_STEPS == MAX_STEPS
        monkeypatch.setattr(module, 'MAX_STEPS', 3)
        person.do('start_recording')
        put(0, 1, 0, 1, 0, 1)
        assert person.driver.steps == ((0, EAST), (1, WEST), (0, EAST))

    def test_in_another_world_nothing_is_recorded_any_more(self, person, put):
        person.do('start_recording')
        put(0)
        person.do('see_world', square_world())
        assert not person.driver.recording
        put(1)
        assert person.driver.steps == ()

    def test_in_another_world_what_was_recorded_is_forgotten(self, person, put):
        person.do('start_recording')
        put(0, 1)
        person.do('see_world', square_world('......'))
        assert person.driver.steps == ()
        assert person.do('stop_recording') is None


class TestWhoReports:
    @pytest.mark.parametrize('status', IN_CHARGE)
    def test_while_the_controller_executes_it_reports(self, person, controller, status):
        controller(status)
        assert person.driver.corrects
        with pytest.raises(GbsIrlError, match=WHILE_EXECUTING):
            person.do('start_recording')
        assert not person.driver.recording

    def test_a_robot_that_is_stopped_may_be_recorded(self, person, controller):
        controller(ExecutionStatus.STOPPED)
        assert not person.driver.corrects
        person.do('start_recording')
        assert person.driver.recording

    @pytest.mark.parametrize(('before', 'corrects'), [
        (ExecutionStatus.DRIVING, True), (ExecutionStatus.STOPPED, False)])
    def test_who_drives_does_not_change_who_reports(self, person, controller, before, corrects):
        controller(before)
        controller(ExecutionStatus.MANUAL)
        assert person.driver.corrects is corrects

    def test_without_a_controller_one_records_oneself(self, person):
        assert person.driver.execution is None
        assert not person.driver.corrects
        person.do('start_recording')

    def test_what_the_controller_drives_is_no_demonstration(self, person, put, controller):
        controller(ExecutionStatus.STOPPED)
        person.do('start_recording')
        put(0, 1)
        controller(ExecutionStatus.DRIVING)
        put(4, 5)
        assert person.do('stop_recording') == DemonstrationAnswer(((0, EAST),))


def test_without_nav2_a_person_is_told_why_nothing_drives(foreign_interfaces, bench, quick):
    node = bench.make(Person, drive='nav2', odometry_timeout=5.0)
    node.do('see_world', square_world())
    bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(odometry(Pose(1.5, 1.5, 0.0)))
    wait_for(lambda: node.driver.pose, 'the pose')
    node.drive(EAST)
    node.arrive()
    wait_for(lambda: node.driver.gave_up, 'the reason')
    assert node.driver.gave_up == (
        'The robot was stopped on its way: Nav2 is not there: no node offers the action '
        'navigate_to_pose; start Nav2, or set nav2_action')
