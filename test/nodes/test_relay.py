"""The relay as a process: a base that obeys its last command for ever stands all the same."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from preloaded import preloaded
from road import PlayedLearner, Road
from std_srvs.srv import Trigger
from waiting import patience, wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.ros import names, qos

WORST_S = 0.5       # after the death of the controller


class RelayedRoad(Road):
    """Its robot hears the relay alone, and would drive on for ten seconds."""

    def start_simulator(self):
        self.relay = self.graph.start('relay')
        self.simulator = self.graph.start('simulator', noise=0.0, cmd_vel_timeout=10.0,
                                          remap=['cmd_vel:=cmd_vel_out'])

    def stands(self):
        twist = self.odometry[-1].twist.twist
        return (twist.linear.x, twist.angular.z) == (0.0, 0.0)


def test_a_robot_whose_controller_is_killed_stands_within_half_a_second(graph, tmp_path):
    road = RelayedRoad(graph, tmp_path)
    road.learner = PlayedLearner(graph, road.task)
    road.allow()
    road.wait_until_driving()
    killed_at = time.monotonic()
    road.controller.send(signal.SIGKILL)
    wait_for(road.stands, 'the robot to stand', WORST_S)
    assert time.monotonic() - killed_at <= patience(WORST_S)
    assert road.commands[-1].linear.x > 0.0     # the controller itself said nothing more
    heard = len(road.odometry)
    wait_for(lambda: len(road.odometry) > heard + 10, 'more odometry')
    assert road.stands()


def test_nothing_gets_past_a_stop_however_fast_somebody_sends_motion(graph, tmp_path):
    road = RelayedRoad(graph, tmp_path)
    other = graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    forged = graph.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
    real = wait_for(lambda: road.execution, 'the controller')
    forged.publish(msg.Execution(       # the very STOP that is going to be pressed
        reason=msg.Execution.HELD, reason_data=['0'], challenge=real.challenge,
        stops=real.stops + 1))
    motion = Twist()
    motion.linear.x = 0.4
    sending = graph.node.create_timer(0.01, lambda: other.publish(motion))
    wait_for(lambda: road.odometry and not road.stands(), 'the robot to move')
    road.wait_for_status(ExecutionStatus.MANUAL)
    assert graph.call(Trigger, names.CONTROLLER_STOP).success
    wait_for(lambda: road.execution.reason is ExecutionReason.HELD and road.stands(), 'the stop')
    heard = len(road.odometry)
    wait_for(lambda: len(road.odometry) > heard + 20, 'more odometry')
    assert len({each.pose.pose.position.x for each in road.odometry[heard:]}) == 1
    assert road.execution.reason is ExecutionReason.HELD        # somebody still sends
    forging = graph.node.create_timer(0.01, lambda: forged.publish(
        msg.Execution(status=msg.Execution.DRIVING)))
    heard = len(road.odometry)
    wait_for(lambda: len(road.odometry) > heard + 25, 'more odometry')
    assert len({each.pose.pose.position.x for each in road.odometry[heard:]}) == 1
    graph.node.destroy_timer(forging)
    graph.node.destroy_timer(sending)
    wait_for(lambda: road.execution.reason is ExecutionReason.NOT_ALLOWED, 'the end of the hold')
    drive(other, motion, lambda: not road.stands(), 'the robot to move again')
    # A STOP that waits behind many other messages, with commands behind it
    road.relay.send(signal.SIGSTOP)
    assert graph.call(Trigger, names.CONTROLLER_STOP).success
    drive(other, motion, lambda: road.execution.reason is ExecutionReason.HELD, 'the second stop')
    for _ in range(20):
        forged.publish(msg.Execution(status=msg.Execution.DRIVING))
    passed = graph.listen(Twist, names.CMD_VEL_OUT, qos.EVENTS)
    motion.linear.x = 0.2
    for _ in range(5):
        other.publish(motion)
    road.relay.send(signal.SIGCONT)
    drive(other, motion, lambda: len(passed) > 3, 'the relay to continue')
    assert {each.linear.x for each in passed[:3]} == {0.0}


def drive(publisher, command, condition, what):
    """Send a command again and again, as one who drives does, until something is true."""
    def sent():
        publisher.publish(command)
        return condition()
    wait_for(sent, what)


def test_commands_are_passed_on_as_they_are_and_its_own_end_is_a_zero(graph):
    sideways = Twist()
    sideways.linear.x, sideways.linear.y, sideways.angular.z = 0.25, -0.5, 0.125
    stamped = TwistStamped(twist=sideways)
    stamped.header.frame_id, stamped.header.stamp.sec = 'torso', 7
    for kind, command, is_zero in (
            (Twist, sideways, lambda message: message == Twist()),
            (TwistStamped, stamped, lambda message: message.twist == Twist()
             and message.header.frame_id == 'base_link' and message.header.stamp.sec > 7)):
        relay = graph.start('relay', namespace=kind.__name__, timeout=0.5,
                            stamped_cmd_vel=kind is TwistStamped)
        person = graph.publisher(kind, f'{kind.__name__}/{names.CMD_VEL}', qos.COMMANDS)
        heard = graph.listen(kind, f'{kind.__name__}/{names.CMD_VEL_OUT}', qos.COMMANDS)
        wait_for(lambda heard=heard: heard, 'a zero before anybody drives')
        assert is_zero(heard[0])
        drive(person, command, lambda heard=heard, command=command: heard[-1] == command,
              'the command')
        assert relay.end() == 0
        wait_for(lambda heard=heard, is_zero=is_zero: is_zero(heard[-1]), 'the last command')
        assert 'Traceback' not in relay.output


def test_what_is_not_a_number_is_not_passed_on_and_nothing_goes_in_circles(graph):
    relay = graph.start('relay')
    person = graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    heard = graph.listen(Twist, names.CMD_VEL_OUT, qos.COMMANDS)
    wrong = Twist()
    wrong.linear.x = math.nan
    drive(person, wrong, lambda: 'must be finite' in relay.output, 'it to be refused')
    assert {message.linear.x for message in heard} <= {0.0}
    circle = graph.start('relay', namespace='circle', remap=['cmd_vel_out:=cmd_vel'])
    circle.wait_for_line('nothing is passed on: commands would come from /circle/cmd_vel and go '
                         'to the same topic; remap cmd_vel_out to what the base listens to')
    graph.listen(TwistStamped, f'other/{names.CMD_VEL_OUT}', qos.COMMANDS)
    other = graph.start('relay', namespace='other')
    other.wait_for_line('whoever listens on /other/cmd_vel_out takes TwistStamped, and is sent '
                        'Twist: start the nodes with the parameter stamped_cmd_vel: true')


def test_a_node_whose_log_nobody_reads_is_not_held_up_and_ends(graph):
    reads, output = os.pipe()       # as a terminal that is paused
    keyboard, keys = os.pipe()
    os.set_blocking(output, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(output, b'x' * 4096)
    os.set_blocking(output, True)
    heard = graph.listen(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)
    relay = preloaded().start(
        'gbs_irl_ros.nodes.relay', ['--ros-args', '-r', 'cmd_vel_out:=cmd_vel'],
        graph.environment, [keyboard, output, output])
    try:
        wait_for(lambda: heard, 'it to go on after it has logged')
        assert 'nothing is passed on' in heard[0].status[0].message
        relay.send_signal(signal.SIGINT)
        wait_for(lambda: relay.poll() is not None, 'its end')
        assert relay.poll() == 0
    finally:
        relay.kill()
        for each in (reads, output, keyboard, keys):
            os.close(each)
