"""`drive: nav2` against a process that offers NavigateToPose, with everything that can happen."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from geometry_msgs.msg import Twist
from road import WEST, PlayedLearner, Road
from std_srvs.srv import Trigger
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.driving.drive_decision import GO_AFTER_S, INSISTENT_S
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions

DRIVING, MANUAL, STOPPED = (
    ExecutionStatus.DRIVING, ExecutionStatus.MANUAL, ExecutionStatus.STOPPED)
# On a busy machine heartbeats and poses may be late, which is not what is tested here.
LENIENT = {'heartbeat_timeout': 1.0, 'odometry_timeout': 5.0, 'nav2_tries': 2}
WORST_S = 1.0       # within this the robot has been told to stop


@contextlib.contextmanager
def load():
    """Have each processor wanted by three more processes."""
    command = [sys.executable, '-IS', '-c', 'while True: pass']
    others = [subprocess.Popen(command) for _ in range(3 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


class Nav2Road(Road):
    """The corridor, with the stand-in for Nav2."""

    def __init__(self, graph, tmp_path, **parameters):
        graph.environment['PYTHONPATH'] += os.pathsep + str(Path(__file__).parent)
        self.nav2 = None
        timeout_s = min(patience(1.0), 4.0)
        super().__init__(graph, tmp_path, drive='nav2', nav2_accept_timeout=timeout_s,
                         nav2_silence_timeout=timeout_s, **LENIENT, **parameters)
        self.learner = PlayedLearner(graph, self.task)
        self.allow()

    def start_nav2(self, mood='drive'):
        self.nav2 = self.graph.start('nav2', module='nav2_process', mood=mood)
        return self.nav2

    def mood(self, mood):
        self.graph.set_parameters('nav2', mood=mood)

    @property
    def cancelled(self):
        """How many goals have been cancelled so far."""
        return self.nav2.lines.count('cancelled')

    def wait_for_cancel(self, before, deadline_s=DEADLINE_S):
        wait_for(lambda: self.cancelled > before, lambda: f'a cancel:\n{self.nav2.output}',
                 deadline_s)

    def wait_for_reason(self, reason):
        return wait_for(lambda: (now := self.execution) and now.reason is reason and now,
                        lambda: f'{reason}; it is {self.execution}\n{self.nav2.output}')

    def let_go_on(self):
        """Allow motion again, when nobody has asked for it for long enough."""
        for quiet_s in (GO_AFTER_S, INSISTENT_S):
            began = time.monotonic()
            wait_for(lambda end=began + 1.1 * quiet_s: time.monotonic() > end, 'a quiet moment')
            if self.go().ok:
                return
        raise AssertionError('motion is not allowed')


@pytest.fixture
def road(foreign_interfaces, graph, tmp_path):
    return Nav2Road(graph, tmp_path)


def test_it_is_driven_by_goals_and_stopped_by_cancelling_them(road):
    road.wait_for_reason(ExecutionReason.NAV2_MISSING)
    assert execution_text(road.execution) == (
        'Nav2 is not there: no node offers the action navigate_to_pose; start Nav2, or set '
        'nav2_action')
    nav2 = road.start_nav2()
    road.wait_until_driving()
    nav2.wait_for_line('drive 27.5 1.5 0.00 map')       # the end of the corridor
    wait_for(lambda: road.execution.state >= 2, 'the robot to get on')
    assert set(nav2.lines) <= {'drive 27.5 1.5 0.00 map', 'cancelled'}, 'one goal for all cells'

    road.learner.action, road.learner.goal = WEST, 0    # the policy changes
    newer = road.learner.record(sequence=road.learner.sequence + 1)
    road.learner.publish(conversions.policy_to_msg(newer))
    road.learner.sequence += 1
    nav2.wait_for_line('drive 0.5 1.5 3.14 map')
    wait_for(lambda: {'replaced', 'cancelled'} & set(nav2.lines), 'the end of the old goal')
    wait_for(lambda: road.odometry[-1].twist.twist.linear.x > 0.0
             and abs(road.odometry[-1].pose.pose.orientation.z) > 0.9, 'the robot to turn round')
    assert road.execution.status is DRIVING

    with load():
        began, before = time.monotonic(), road.cancelled
        assert road.graph.call(Trigger, names.CONTROLLER_STOP).success
        assert road.time_to_stop() <= patience(WORST_S)
        road.wait_for_cancel(before, WORST_S)
        print(f'cancelled {time.monotonic() - began:.3f} s after the call of stop')
    wait_for(lambda: road.execution.status is STOPPED, 'the reason')

    road.let_go_on()
    road.wait_until_driving()
    before, road.learner.alive = road.cancelled, False      # whatever is wrong ends in a stop
    road.wait_for_cancel(before)
    road.learner.alive = True
    road.wait_until_driving()
    before = road.cancelled
    assert road.controller.end(signal.SIGINT) == 0
    road.wait_for_cancel(before)


def test_every_refusal_has_its_reason_and_the_robot_stands(road):
    road.start_nav2('reject')
    road.wait_for_reason(ExecutionReason.NAV2_REJECTED)
    road.mood('abort')
    stopped = road.wait_for_reason(ExecutionReason.NAV2_ABORTED)
    assert execution_text(stopped) == (
        'Nav2 could not get the robot there (error 208: no valid path found): look what is in its '
        'way, then call the service ~/enable (after a STOP, ~/go)')
    road.mood('short')
    road.let_go_on()
    road.wait_for_reason(ExecutionReason.NAV2_STOPS_SHORT)
    assert road.nav2.lines.count('succeeded') >= 3
    road.mood('silent')
    before = road.cancelled
    road.let_go_on()
    road.wait_for_reason(ExecutionReason.NAV2_SILENT)
    road.wait_for_cancel(before + 1)
    assert {each.pose.pose.position.x for each in road.odometry} == {0.5}, 'it has not moved'
    road.mood('drive')
    road.let_go_on()
    road.wait_until_driving()
    assert road.execution.reason is ExecutionReason.NO_REASON


def test_a_nav2_that_stops_answering_or_dies_is_noticed(road):
    nav2 = road.start_nav2()
    road.wait_until_driving()
    nav2.send(signal.SIGSTOP)           # no goal is answered any more
    road.wait_for_reason(ExecutionReason.NAV2_SILENT)
    assert road.time_to_stop() <= patience(WORST_S)
    before = road.cancelled
    nav2.send(signal.SIGCONT)
    road.wait_for_cancel(before)        # of what was sent meanwhile
    road.let_go_on()
    road.wait_until_driving()
    nav2.kill()
    wait_for(lambda: road.execution.reason in (ExecutionReason.NAV2_SILENT,
                                               ExecutionReason.NAV2_MISSING),
             lambda: f'the death to be noticed; it is {road.execution}')
    assert road.commands[-1].linear.x == 0.0
    assert road.controller.popen.poll() is None


def test_a_person_at_a_joystick_or_with_goals_of_their_own_takes_over(road):
    nav2 = road.start_nav2()
    road.wait_until_driving()
    joystick = road.graph.publisher(Twist, 'cmd_vel_teleop', qos.COMMANDS)
    pushed = Twist()
    pushed.linear.x = -0.3

    def push(condition):
        joystick.publish(pushed)
        return condition()
    before = road.cancelled
    wait_for(lambda: push(lambda: road.execution.status is MANUAL), 'the person to be noticed')
    road.wait_for_cancel(before)
    road.wait_until_driving()           # when the person has let go

    from nav2_msgs.action import NavigateToPose
    from rclpy.action import ActionClient
    rviz = ActionClient(road.graph.node, NavigateToPose, 'navigate_to_pose')
    goal = NavigateToPose.Goal()
    goal.pose.pose.position.x, goal.pose.pose.position.y = 20.5, 1.5
    rviz.send_goal_async(goal)
    nav2.wait_for_line('drive 20.5 1.5')
    road.wait_for_status(MANUAL)
    before = road.cancelled
    assert road.graph.call(Trigger, names.CONTROLLER_STOP).success
    road.wait_for_cancel(before)        # of the person's goal
    assert road.time_to_stop() <= patience(WORST_S)
    rviz.destroy()


def test_without_nav2_msgs_it_says_what_to_install_and_stands(graph, tmp_path, monkeypatch):
    hidden = tmp_path / 'nav2_msgs.py'
    hidden.write_text('raise ImportError')
    graph.environment['PYTHONPATH'] = f'{tmp_path}{os.pathsep}' + graph.environment['PYTHONPATH']
    road = Nav2Road(graph, tmp_path)
    stopped = wait_for(lambda: (now := road.execution)
                       and now.reason is ExecutionReason.NAV2_NOT_INSTALLED and now, 'the reason')
    assert 'sudo apt install ros-jazzy-nav2-msgs' in execution_text(stopped)
    assert 'sudo apt install ros-jazzy-nav2-msgs' in road.controller.output
    assert road.commands == []
