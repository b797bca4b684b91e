"""Controller and simulator as processes, with a learner that the test plays itself."""

from __future__ import annotations

import itertools
import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from road import EAST, LAST, TASK, WEST, PlayedLearner, Road
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger
from waiting import patience, wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.driving.drive_decision import GO_AFTER_S
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord
from gbs_irl_ros.learning.saved_policy import save_policy
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task

WORST_S = 1.0       # within this the robot has been told to stop


@pytest.fixture
def road(graph, tmp_path):
    made = Road(graph, tmp_path)
    made.learner = PlayedLearner(graph, made.task)
    made.allow()
    made.wait_until_driving()
    return made


def silence(road):
    road.learner.alive = False


def old_session(road):
    road.learner.session = 'another'


def forged_policy(road):
    message = conversions.policy_to_msg(road.learner.record())
    message.checksum = '0' * 64
    road.learner.publish(message)


def policy_for_another_task(road):
    road.learner.publish(conversions.policy_to_msg(road.learner.record(task_hash='f' * 64)))


def policy_that_never_comes(road):
    road.learner.sequence += 1      # announced by the heartbeat alone


def second_learner(road):
    road.second = road.graph.publisher(msg.Policy, names.POLICY, qos.LATCHED)


def service_stop(road):
    assert road.graph.call(Trigger, 'controller/stop').success


def odometry_ceases(road):
    road.simulator.send(signal.SIGSTOP)


@pytest.mark.parametrize(('trouble', 'text'), [
    (silence, 'no heartbeat from the learner for'),
    (old_session, 'the learner that is alive of another'),
    (forged_policy, 'there is no policy yet'),
    (policy_for_another_task, 'for another task'),
    (policy_that_never_comes, 'the policy is old'),
    (second_learner, 'there must be one learner'),
    (service_stop, 'motion is not allowed'),
    (odometry_ceases, 'no odometry for'),
], ids=lambda value: getattr(value, '__name__', ''))
def test_the_robot_stops_within_a_second(road, trouble, text):
    trouble(road)
    assert road.time_to_stop() <= patience(WORST_S)
    # On a machine that is too busy, a late heartbeat may have stopped it a moment before.
    wait_for(lambda: (now := road.execution).status is ExecutionStatus.STOPPED
             and text in execution_text(now), lambda: f'{text!r}; it is {road.execution}')


def test_diagnostics_warn_of_a_stop_that_nobody_wants_and_it_continues_when_the_learner_is_back(
        road):
    diagnostics = road.graph.listen(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)
    silence(road)
    road.time_to_stop()
    wait_for(lambda: any(status.level == DiagnosticStatus.WARN and 'heartbeat' in status.message
                         for each in list(diagnostics) for status in each.status), 'a warning')
    road.learner.alive = True
    road.wait_until_driving()


def test_a_learner_that_was_killed_does_not_count_beside_the_one_that_follows(graph, tmp_path):
    road = Road(graph, tmp_path)
    first = graph.start('learner', str(road.file), module='soak.played_learner')
    road.allow()
    road.wait_until_driving()
    # The controller may know it before this process does, which would then never list it.
    wait_for(lambda: graph.node.count_publishers(names.POLICY) == 1, 'the first to be listed')
    first.kill()
    road.wait_for_status(ExecutionStatus.STOPPED)
    PlayedLearner(graph, road.task)
    wait_for(lambda: graph.node.count_publishers(names.POLICY) == 2, 'both to be listed')
    road.wait_for_status(ExecutionStatus.DRIVING)
    assert graph.node.count_publishers(names.POLICY) == 2       # DDS has not forgotten the first
    second_learner(road)        # but this one lives
    assert road.wait_for_status(ExecutionStatus.STOPPED).reason is ExecutionReason.NOT_ONE_LEARNER


@pytest.mark.parametrize('sign', [signal.SIGINT, signal.SIGTERM])
def test_the_last_command_of_a_controller_that_ends_is_to_stop(road, sign):
    assert road.controller.end(sign) == 0
    wait_for(lambda: road.commands[-1].linear.x == 0.0, 'the last command', 5.0)


def test_a_robot_whose_controller_was_killed_stops_by_itself(road):
    road.controller.kill()
    wait_for(lambda: road.odometry[-1].twist.twist.linear.x == 0.0, 'the base to stop', 5.0)
    x = road.odometry[-1].pose.pose.position.x
    heard = len(road.odometry)
    wait_for(lambda: len(road.odometry) > heard + 10, 'more odometry')
    assert road.odometry[-1].pose.pose.position.x == x


def test_it_is_silent_while_a_person_drives_and_reports_the_correction(road):
    shown = road.graph.listen(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    person = road.graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    back = Twist()
    back.linear.x = -1.25
    wait_for(lambda: (road.execution.state or 0) >= 2, 'the robot to be in the third cell')

    def drive_back(condition):
        person.publish(back)
        return condition()
    wait_for(lambda: drive_back(lambda: road.execution.status is ExecutionStatus.MANUAL),
             'the controller to notice')
    road.commands.clear()
    wait_for(lambda: drive_back(lambda: road.odometry[-1].pose.pose.position.x < 0.7),
             'the robot to be in the first cell')
    assert {each.linear.x for each in road.commands} == {back.linear.x}     # nobody else's
    wait_for(lambda: shown, 'the correction')
    assert shown[-1].correction
    assert [(step.state, step.action) for step in shown[-1].steps][-1] == (1, WEST)
    road.wait_until_driving()


def test_it_stops_at_the_goal(graph, tmp_path):
    road = Road(graph, tmp_path, allow_motion=True)
    learner = PlayedLearner(graph, road.task)
    near = Policy(np.full(56, 1 << EAST), np.ones(56), np.array([1]), 4)
    learner.publish(conversions.policy_to_msg(learner.record(policy=near)))
    execution = road.wait_for_status(ExecutionStatus.GOAL)
    assert execution.state == 1
    wait_for(lambda: road.commands and road.commands[-1].linear.x == 0.0, 'the stop', 5.0)


def test_where_it_is_not_sure_it_stops_and_has_the_learner_ask(graph, tmp_path):
    asked = []

    def handle(request, response):
        asked.append(request.state)
        response.ok, response.question_id = True, 'q'
        return response
    graph.node.create_service(srv.AskAbout, names.ASK_ABOUT, handle)
    road = Road(graph, tmp_path, allow_motion=True, confidence=0.8)
    learner = PlayedLearner(graph, road.task)
    confidence = np.ones(56)
    confidence[1] = 0.5
    sure = Policy(np.full(56, 1 << EAST), np.ones(56), np.array([LAST]), 4)
    unsure = Policy(np.full(56, 1 << EAST), confidence, np.array([LAST]), 4)
    learner.publish(conversions.policy_to_msg(learner.record(policy=unsure)))
    assert road.wait_for_status(ExecutionStatus.UNSURE).state == 1
    wait_for(lambda: asked, 'the learner to be asked')
    assert asked[0] == 1
    learner.sequence += 1
    learner.publish(conversions.policy_to_msg(learner.record(policy=sure)))
    road.wait_until_driving()


def test_a_saved_policy_is_driven_without_any_learner(graph, tmp_path):
    file = tmp_path / 'road.yaml'
    file.write_text(TASK)
    task = load_task(file)
    policy = Policy(np.full(56, 1 << EAST), np.ones(56), np.array([1]), 4)
    save_policy(PolicyRecord('s', 1, task.hash, policy, final=True), tmp_path / 'road.json')
    road = Road(graph, tmp_path, allow_motion=True, policy_file=tmp_path / 'road.json')
    road.wait_for_status(ExecutionStatus.GOAL)


def test_a_saved_policy_that_is_damaged_moves_nothing(graph, tmp_path):
    (tmp_path / 'road.json').write_text('{"format": 1}')
    road = Road(graph, tmp_path, allow_motion=True, policy_file=tmp_path / 'road.json')
    road.controller.wait_for_line("road.json: is not a saved policy: 'action_sets' is missing")
    execution = road.wait_for_status(ExecutionStatus.STOPPED)
    wait_for(lambda: 'there is no policy yet' in execution_text(execution or road.execution)
             or 'no policy' in execution_text(road.execution), 'the reason')
    assert not any(command.linear.x for command in road.commands)


def test_topics_can_be_remapped_and_commands_stamped(graph, tmp_path):
    file = tmp_path / 'road.yaml'
    file.write_text(TASK)
    rules = ('cmd_vel:=base/command', 'odom:=base/odometry')
    graph.start('mdp', task=file)
    graph.start('simulator', remap=rules, stamped_cmd_vel=True)
    graph.start('controller', remap=rules, stamped_cmd_vel=True, allow_motion=True,
                base_frame='torso')
    heard = graph.listen(TwistStamped, 'base/command', qos.COMMANDS)
    PlayedLearner(graph, load_task(file))
    wait_for(lambda: any(each.twist.linear.x > 0.0 for each in list(heard)), 'a command')
    assert heard[-1].header.frame_id == 'torso'
    assert heard[-1].header.stamp.sec > 0


@pytest.mark.parametrize(('own', 'other', 'value'), [
    (Twist, TwistStamped, 'true'), (TwistStamped, Twist, 'false')])
def test_a_base_that_takes_the_other_type_of_command_is_noticed(graph, own, other, value):
    executions = graph.listen(msg.Execution, names.EXECUTION, qos.LATCHED)
    diagnostics = graph.listen(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)
    is_stamped = own is TwistStamped
    graph.start('simulator', stamped_cmd_vel=not is_stamped)
    controller = graph.start('controller', stamped_cmd_vel=is_stamped, allow_motion=True)

    def wait_for_reason(reason):
        return wait_for(lambda: executions and (
            now := conversions.execution_from_msg(executions[-1])).reason is reason and now,
            lambda: f'{reason}; it said:\n{controller.output}')
    execution = wait_for_reason(ExecutionReason.COMMAND_TYPE)
    advice = f'parameter stamped_cmd_vel: {value}'
    assert advice in execution_text(execution)
    controller.wait_for_line(advice)
    wait_for(lambda: any(status.level == DiagnosticStatus.WARN and advice in status.message
                         for each in list(diagnostics) for status in each.status), 'a warning')
    graph.start('simulator', stamped_cmd_vel=is_stamped, remap=['__node:=one_who_understands'])
    wait_for_reason(ExecutionReason.NO_TASK)
    graph.publisher(other, names.CMD_VEL, qos.COMMANDS)
    controller.wait_for_line('is not seen here')
    assert sum('nobody takes cmd_vel as' in line for line in controller.lines) == 1


def test_nonsense_from_the_odometry_stops_the_robot(road):
    road.simulator.send(signal.SIGSTOP)
    odometry = road.graph.publisher(Odometry, names.ODOM, qos.EVENTS)
    broken = Odometry()
    broken.pose.pose.position.x = float('nan')
    broken.pose.pose.orientation.w = 1.0
    wait_for(lambda: odometry.publish(broken) or road.commands[-1].linear.x == 0.0,
             'the robot to be stopped', 5.0)
    road.controller.wait_for_line('pose must be finite')
    assert all(np.isfinite(each.linear.x) for each in road.commands)


# ---- stop means stop ----------------------------------------------------------------------------

class Joystick:
    """Sends a velocity twenty times a second, whatever anybody says."""

    def __init__(self, graph, forward, sideways=0.0):
        self._publisher = graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
        self._command = Twist()
        self._command.linear.x, self._command.linear.y = forward, sideways
        self._timer = graph.node.create_timer(0.05, self._send)

    def _send(self):
        self._publisher.publish(self._command)

    def let_go(self):
        self._timer.cancel()


def stands_for(road, messages=20):
    """Return whether the robot does not move while some odometry comes."""
    heard = len(road.odometry)
    wait_for(lambda: len(road.odometry) >= heard + messages, 'more odometry')
    places = [each.pose.pose.position.x for each in road.odometry[heard:]]
    return max(places) - min(places)


def test_a_stop_holds_the_robot_against_a_joystick(road):
    joystick = Joystick(road.graph, 0.4)
    road.wait_for_status(ExecutionStatus.MANUAL)
    began = time.monotonic()
    assert road.graph.call(Trigger, 'controller/stop').success
    execution = road.wait_for_status(ExecutionStatus.STOPPED)
    assert execution.reason is ExecutionReason.HELD
    assert 'somebody else still sends motion' in execution_text(execution)
    # Each command of the joystick is answered at once. The base moves for a moment all the same;
    # without the hold it would go 0.4 m in this time.
    assert stands_for(road) < 0.25
    assert time.monotonic() - began < patience(10.0)
    joystick.let_go()
    wait_for(lambda: road.execution.reason is ExecutionReason.NOT_ALLOWED, 'the end of the hold')


def be_quiet(seconds):
    until = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > until, 'a quiet moment')


def test_a_node_that_keeps_allowing_motion_cannot_win_against_a_stop(road):
    assert road.graph.call(Trigger, 'controller/stop').success
    assert road.time_to_stop() <= patience(WORST_S)
    refused = [road.allow() for _ in range(30)]
    assert not any(each.success for each in refused)
    assert 'somebody has pressed STOP: let it drive again' in refused[-1].message
    assert road.commands[-1].linear.x == 0.0
    be_quiet(1.1 * GO_AFTER_S)
    assert road.go().ok
    road.wait_until_driving()
    watching = road.graph.publisher(Duration, names.WATCHED, qos.COMMANDS)
    wait_for(watching.get_subscription_count, 'the controller to hear the node of a page')
    watching.publish(Duration(nanosec=500_000_000))     # and then it hangs
    road.wait_for_status(ExecutionStatus.STOPPED)
    wait_for(lambda: road.commands[-1].linear.x == 0.0, 'the stop')


def test_a_zero_velocity_of_another_node_stops_the_robot_until_it_is_allowed_again(road):
    other = road.graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    # The controller may not know of the other node yet, and takes commands without asking for
    # lost ones again.
    wait_for(lambda: other.publish(Twist())
             or road.execution.reason is ExecutionReason.STOPPED_BY_OTHERS,
             lambda: f'a stop by others; it is {road.execution}')
    assert road.execution.status is ExecutionStatus.STOPPED
    assert stands_for(road) < 0.15
    be_quiet(1.1 * GO_AFTER_S)
    assert road.allow().success
    road.wait_until_driving()


def test_who_drives_sideways_or_sends_nonsense_drives_and_does_not_end_the_drive(road):
    """A robot with other wheels than ours, or a broken joystick: what it sends is not a zero."""
    for forward, sideways in ((0.0, 0.3), (float('nan'), 0.0)):
        joystick = Joystick(road.graph, forward, sideways)
        road.wait_for_status(ExecutionStatus.MANUAL)
        joystick.let_go()
        road.wait_until_driving()
    assert ExecutionReason.STOPPED_BY_OTHERS not in {each.reason for each in road.executions}


def test_the_simulated_robot_moves_by_the_time_of_its_stamps(graph, tmp_path):
    """However fast /clock runs, and not at all while it stands still."""
    file = tmp_path / 'road.yaml'
    file.write_text(TASK)
    graph.start('mdp', task=file)
    graph.start('simulator', noise=0.0, use_sim_time=True, rate=50.0, cmd_vel_timeout=10.0)
    odometry = graph.listen(Odometry, names.ODOM, qos.EVENTS)
    clock = graph.publisher(Clock, '/clock', qos.EVENTS)
    person = graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    forward, time_of_ros = Twist(), Clock()
    forward.linear.x = 0.5

    def stamp(message):
        return message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
    for tick in range(1, 31):
        time_of_ros.clock.sec, time_of_ros.clock.nanosec = divmod(tick * 100_000_000, 10**9)

        def arrived(now=tick * 0.1):
            person.publish(forward)
            clock.publish(time_of_ros)
            return odometry and abs(stamp(odometry[-1]) - now) < 1e-6
        wait_for(arrived, f'tick {tick}')
    moving = [each for each in odometry if each.twist.twist.linear.x == 0.5]
    assert stamp(moving[-1]) - stamp(moving[0]) > 1.0
    for before, after in itertools.pairwise(moving):
        assert after.pose.pose.position.x - before.pose.pose.position.x == pytest.approx(
            0.5 * (stamp(after) - stamp(before)), abs=1e-9)


def test_a_frozen_odometry_stops_the_robot(road):
    last = road.odometry[-1]
    road.simulator.send(signal.SIGSTOP)
    odometry = road.graph.publisher(Odometry, names.ODOM, qos.EVENTS)

    def stopped():
        frozen = Odometry(pose=last.pose)
        odometry.publish(frozen)
        return road.execution.reason is ExecutionReason.NOT_MOVING
    wait_for(stopped, lambda: f'the robot to be stopped; it is {road.execution}')
    wait_for(lambda: road.commands[-1].linear.x == 0.0, 'the last command')
    assert 'the robot has not moved, or its odometry is frozen' in execution_text(road.execution)


def test_odometry_with_an_old_stamp_stops_the_robot(road):
    last = road.odometry[-1]
    road.simulator.send(signal.SIGSTOP)
    odometry = road.graph.publisher(Odometry, names.ODOM, qos.EVENTS)

    def stopped():
        late = Odometry(pose=last.pose)
        late.header.stamp.sec = int(time.time()) - 2
        odometry.publish(late)
        return road.execution.reason is ExecutionReason.OLD_ODOMETRY
    wait_for(stopped, lambda: f'the robot to be stopped; it is {road.execution}')
    assert road.commands[-1].linear.x == 0.0


# ---- forged -------------------------------------------------------------------------------------

@pytest.fixture
def announcing(graph, tmp_path):
    """A robot that drives, and a learner that says which policy is in force."""
    made = Road(graph, tmp_path)
    made.learner = PlayedLearner(graph, made.task)
    made.learner.announced = made.learner.record()
    made.allow()
    made.wait_until_driving()
    return made


def other_policy(road, goal=0):
    size = road.task.world.mdp.num_states
    west = Policy(np.full(size, 1 << WEST), np.ones(size), np.array([goal]), 4)
    return road.learner.record(policy=west, sequence=road.learner.sequence + 1)


def test_a_forged_policy_is_never_obeyed_and_leaves_nothing_behind(announcing):
    road = announcing
    forger = road.graph.publisher(msg.Policy, names.POLICY, qos.LATCHED)
    wait_for(forger.get_subscription_count, 'the controller to listen')
    for _ in range(20):
        forger.publish(conversions.policy_to_msg(other_policy(road)))
    road.graph.node.destroy_publisher(forger)
    wait_for(lambda: road.execution.status is ExecutionStatus.DRIVING
             and road.commands[-1].linear.x > 0.0, lambda: f'driving; it is {road.execution}')
    assert all(each.action in (None, EAST) for each in road.executions)


def forge_an_arrival(road, sequence):
    """Say that the goal is where the robot is until it stops, and once more; then go."""
    policies = road.graph.publisher(msg.Policy, names.POLICY, qos.LATCHED)
    heartbeats = road.graph.publisher(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)
    wait_for(lambda: policies.get_subscription_count() and heartbeats.get_subscription_count(),
             'the controller to listen')
    policy = replace(other_policy(road, road.execution.state), sequence=sequence)

    def forge():
        policies.publish(conversions.policy_to_msg(policy))
        heartbeats.publish(conversions.heartbeat_to_msg(HeartbeatRecord(
            'played', sequence, road.learner.beats + 5, checksum=policy.checksum)))
        return road.execution.status is ExecutionStatus.STOPPED
    wait_for(forge, 'a stop')
    forge()
    road.graph.node.destroy_publisher(policies)
    road.graph.node.destroy_publisher(heartbeats)


def test_one_who_forges_that_it_has_arrived_and_goes_leaves_nothing_behind(announcing):
    road = announcing
    for sequence in (road.learner.sequence + 1, 2**64 - 1):
        forge_an_arrival(road, sequence)
        road.wait_for_status(ExecutionStatus.DRIVING)
    assert {each.action for each in road.executions} <= {None, EAST}
    assert ExecutionStatus.GOAL not in {each.status for each in road.executions}


def test_a_forged_heartbeat_does_not_leave_it_deaf(announcing):
    road = announcing
    forger = road.graph.publisher(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)
    wait_for(lambda: forger.get_subscription_count(), 'the controller to listen')
    forged = conversions.heartbeat_to_msg(HeartbeatRecord('played', 2**64 - 1, 2**64 - 1))
    # A single heartbeat may be lost: nobody asks for it again.
    wait_for(lambda: forger.publish(forged) or road.execution.status is ExecutionStatus.STOPPED,
             lambda: f'a stop; it is {road.execution}')
    road.graph.node.destroy_publisher(forger)
    road.wait_until_driving()


def test_with_a_key_only_the_learner_that_has_it_is_obeyed(graph, tmp_path):
    key = tmp_path / 'key'
    key.write_bytes(b'k' * 32)
    key.chmod(0o600)
    road = Road(graph, tmp_path, allow_motion=True, key_file=key)
    road.learner = PlayedLearner(graph, road.task)
    road.learner.announced = road.learner.record()
    wait_for(lambda: road.execution and road.execution.reason in (
        ExecutionReason.LEARNER_UNHEARD, ExecutionReason.NO_POLICY), 'a learner without the key')
    heard = road.learner.beats
    wait_for(lambda: road.learner.beats > heard + 20, 'more heartbeats')
    assert not any(command.linear.x for command in road.commands)
    road.learner.key = b'k' * 32
    road.wait_until_driving()


def test_with_a_key_a_controller_that_is_started_again_obeys_nothing_recorded(graph, tmp_path):
    key = tmp_path / 'key'
    key.write_bytes(b'k' * 32)
    key.chmod(0o600)
    road = Road(graph, tmp_path, allow_motion=True, key_file=key)
    learner = road.learner = PlayedLearner(graph, road.task, b'k' * 32)
    learner.announced = learner.record()
    road.wait_until_driving()
    learner.alive = False
    recorded = list(learner.sent)
    road.controller.end()
    heard = len(road.executions)
    road.commands.clear()
    graph.start('controller', max_speed=0.5, max_turn=4.0, allow_motion=True, key_file=key)
    wait_for(lambda: len(road.executions) > heard + 1 and road.execution.state is not None,
             'the new controller to know where the robot is')
    for message in recorded:        # the policy itself is latched, and whole
        learner.send(message)
        time.sleep(0.002)
    known = len(road.executions)
    wait_for(lambda: len(road.executions) > known + 1, 'the controller to go on')
    assert road.execution.reason in (ExecutionReason.LEARNER_UNHEARD, ExecutionReason.NO_POLICY)
    assert not any(command.linear.x for command in road.commands)
    learner.alive = True            # it signs the new challenge
    road.wait_until_driving()


def test_a_key_that_cannot_be_read_means_that_nobody_is_obeyed(graph, tmp_path):
    road = Road(graph, tmp_path, allow_motion=True, key_file=tmp_path / 'missing')
    road.controller.wait_for_line('no learner is obeyed: ')
    road.learner = PlayedLearner(graph, road.task)
    road.learner.announced = road.learner.record()
    wait_for(lambda: road.execution and road.execution.reason in (
        ExecutionReason.LEARNER_UNHEARD, ExecutionReason.NO_POLICY), 'the reason')
    assert not any(command.linear.x for command in road.commands)
