"""Worlds as they are written for Gazebo, driven by the controller over ROS in Drake."""

from __future__ import annotations

import os

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from physics import DrakeWorld, PlainWorld, drake  # noqa: F401 - a fixture
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool
from waiting import wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.driving.drive import SteeringDrive
from gbs_irl_ros.driving.drive_decision import DriveDecider
from gbs_irl_ros.driving.pose import STOP, Limits
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.learning.saved_policy import save_policy
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions, task_conversions
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg, stamp_to_msg
from gbs_irl_ros.ros.robot.odometry import odometry_to_msg
from gbs_irl_ros.tasks import load_task, load_task_file, shipped_tasks
from gbs_irl_ros.tasks.gazebo import write_world

RATE = 100              # commands per second of the controller,
TICK_S = 1.0 / 20.0     # each of which drives for as long as one of the usual rate
SPEED, TURN = 0.5, 1.5  # [m/s], [rad/s]
IN_VAIN = 15            # tenths of a second without a command, before time passes without one
SLOWER = 0.1            # than the package's own simulation, at most
# All shipped worlds take 35 s of processor time: they are driven before a release.
TASKS = [name for name in shipped_tasks() if load_task(name).world.layout is not None] \
    if os.environ.get('GBS_IRL_ALL_WORLDS') else ['room', 'trap_world']


class Stage:
    """
    Stands for Gazebo and its bridge: a world that is a tick older after every command.

    So it runs as fast as the controller does, and waits for it on a busy machine: a command is
    obeyed only if its stamp says that it was given when the last tick was known. A controller
    that was too busy to hear of a tick stands, and says so for a second only: then time passes
    without a command, as in Gazebo, or nothing would ever happen again.

    driven_s: how long commands to move were obeyed.
    """

    def __init__(self, graph, world):
        self.world, self.driven_s = world, 0.0
        self._told_in_vain = 0      # how often the same tick was told
        self.odometry = graph.publisher(Odometry, names.ODOM, qos.EVENTS)
        self.clock = graph.publisher(Clock, '/clock', qos.EVENTS)
        graph.node.create_subscription(TwistStamped, names.CMD_VEL, self.on_command, 1)
        graph.node.create_timer(0.1, self.remind)

    @property
    def now(self):
        return round((1.0 + self.world.seconds) * 1e9)

    def on_command(self, message):
        if stamp_from_msg(message.header.stamp) >= self.now:
            forward, turn = message.twist.linear.x, message.twist.angular.z
            self.advance(forward, turn)
            if forward or turn:
                self.driven_s += TICK_S

    def advance(self, forward, turn):
        self.world.advance(forward, turn, TICK_S)
        self._told_in_vain = 0
        self.tell()

    def remind(self):
        self._told_in_vain += 1
        if self._told_in_vain > IN_VAIN:
            self.advance(0.0, 0.0)
        else:
            self.tell()

    def tell(self):
        self.odometry.publish(odometry_to_msg(
            self.world.pose, STOP, stamp=self.now, frame_id='odom', child_frame_id='base_link'))
        self.clock.publish(Clock(clock=stamp_to_msg(self.now)))


def what_is_meant(file):
    """Return what the simulated teacher means, as a policy."""
    task, meant = file.task, file.truth.index
    hypotheses = task.compile()
    sets = hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[meant]))
    return PolicyRecord('s', 1, task.hash, Policy(
        sets, np.ones(len(sets)), hypotheses.goal_states(meant), task.world.mdp.num_actions),
        final=True)


def drive_by_ros(graph, task, world, policy_file):
    """Have a controller drive in a world to the goal; return how long that took [s]."""
    worlds = graph.publisher(msg.World, names.WORLD, qos.LATCHED)
    worlds.publish(task_conversions.world_to_msg(task.world))
    heard = graph.listen(msg.Execution, names.EXECUTION, qos.LATCHED)
    stage = Stage(graph, world)
    controller = graph.start('controller', policy_file=policy_file, rate=RATE, max_speed=SPEED,
                             max_turn=TURN, use_sim_time=True, stamped_cmd_vel=True)
    # Allowed by the launch file alone it would wait for a moment, which does not pass here.
    assert graph.call(SetBool, names.CONTROLLER_ENABLE, SetBool.Request(data=True)).success
    wait_for(lambda: conversions.execution_from_msg(heard[-1]).status is ExecutionStatus.GOAL,
             lambda: f'the goal; it is at {world.pose}\n{controller.output}', 60.0)
    return stage.driven_s


def drive_alone(task, world, policy, longest_s=200.0):
    """Drive as the controller does, without ROS, until it no longer drives; return why."""
    commands = [STOP]
    drive = SteeringDrive(commands.append)
    drive.limits = Limits(SPEED, TURN)
    decider = DriveDecider(drive)
    decider.gate.needs_learner = False
    decider.gate.permit(True)
    decider.gate.policy = policy
    decider.see_world(task.world)
    while world.seconds < longest_s:
        decider.see_pose(world.pose, world.seconds)
        decision = decider.act(world.seconds)
        if decision.status is not ExecutionStatus.DRIVING:
            return decision
        world.advance(commands[-1].forward, commands[-1].turn, TICK_S)
    raise AssertionError(f'it still drives after {longest_s} s, at {world.pose}')


@pytest.mark.usefixtures('drake')
@pytest.mark.parametrize('name', TASKS)
def test_the_controller_reaches_the_goal_in_time_and_touches_no_wall(graph, tmp_path, name):
    file = load_task_file(name)
    task, policy = file.task, what_is_meant(file)
    written = write_world(task, tmp_path / 'a world')
    save_policy(policy, tmp_path / 'policy.json')
    world, plain = DrakeWorld(written.world), PlainWorld(task.world, written.start)
    assert (world.pose.x, world.pose.y) == pytest.approx(written.start)
    took_s = drive_by_ros(graph, task, world, tmp_path / 'policy.json')
    assert task.world.layout.state_at(world.pose.x, world.pose.y) in policy.policy.goal_states
    assert not world.touched
    assert drive_alone(task, plain, policy).status is ExecutionStatus.GOAL
    print(f'{name}: {took_s:.1f} s in Drake, {plain.seconds:.1f} s as we simulate it')
    assert took_s == pytest.approx(plain.seconds, rel=SLOWER)


@pytest.mark.usefixtures('drake')
def test_a_wall_that_the_task_does_not_know_stops_the_robot(tmp_path):
    tasks = {}
    for drawing in ('S..', 'S#.'):
        (tmp_path / 'task.yaml').write_text(yaml.safe_dump({
            'format': 1, 'world': {'kind': 'grid', 'map': drawing},
            'hypotheses': {'kind': 'goals', 'goals': [[2, 0], [0, 0]]},
            'truth': {'hypothesis': 0}}))
        tasks[drawing] = load_task_file(tmp_path / 'task.yaml')
    world = DrakeWorld(write_world(tasks['S#.'].task, tmp_path / 'walled').world)
    policy = what_is_meant(tasks['S..'])
    decision = drive_alone(tasks['S..'].task, world, policy)
    assert (decision.status, decision.reason) == (
        ExecutionStatus.STOPPED, ExecutionReason.NOT_MOVING)
    assert world.touched == {'base_link'}
    reached = world.pose.x
    assert 0.85 < reached < 0.91        # its front is 0.11 m ahead of its axle, the wall at 1 m
    world.advance(SPEED, 0.0, 2.0)
    assert world.pose.x == pytest.approx(reached, abs=0.005)
    assert world.tilt < 0.05


@pytest.mark.usefixtures('drake')
def test_it_goes_as_far_and_turns_as_much_as_it_is_told(tmp_path):
    world = DrakeWorld(write_world(load_task('grid_world'), tmp_path).world)
    before = world.pose
    world.advance(0.25, 0.0, 4.0)
    world.advance(0.0, 0.0, 0.5)
    assert world.pose.x - before.x == pytest.approx(1.0, rel=0.05)
    assert world.pose.y == pytest.approx(before.y, abs=0.01)
    world.advance(0.0, 0.75, 2.0)
    world.advance(0.0, 0.0, 0.5)
    assert world.pose.yaw - before.yaw == pytest.approx(1.5, rel=0.05)
    assert world.tilt < 0.01
