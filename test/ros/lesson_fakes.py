"""What a teacher's node talks to, in the process of the test: mdp node, learner and robot."""

from __future__ import annotations

import threading

import numpy as np
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.callback_groups import ReentrantCallbackGroup
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import STOP, Pose
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.learning.execution import ExecutionRecord
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import refused
from gbs_irl_ros.ros.links.lesson_services import SERVICES
from gbs_irl_ros.ros.messages import conversions, task_conversions
from gbs_irl_ros.ros.robot.cmd_vel import command_from_msg
from gbs_irl_ros.ros.robot.odometry import odometry_to_msg
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.grid import build_grid

NORTH, EAST, SOUTH, WEST, STAY = range(5)
FIVE = ('north', 'east', 'south', 'west', 'stay')
STEP_S = 0.01           # how often a robot moves,
FASTER = 3.0            # and how much faster than in reality


def square_world(*rows, start=None):
    """States 0 1 2 / 3 4 5 / 6 7 8 unless told otherwise; the middle of 4 is at (1.5, 1.5)."""
    built = build_grid(list(rows or ('...', '...', '...')), {}, FIVE, 0.9)
    return World('square', built.mdp, start, built.world.appearance)


def square_task(*rows, start=None):
    """Go to one of the first three states."""
    world = square_world(*rows, start=start)
    rewards = Rewards.goals(world.mdp, range(3))
    return Task(world, Candidates.of(world.mdp, rewards, names=('go to 0', 'go to 1', 'go to 2')),
                NoiseModel(0.9))


def policy_for(task, action=EAST, sequence=1, goals=(2,), session='s', sure=0.75):
    """A policy that does the same everywhere."""
    count = task.world.mdp.num_states
    return PolicyRecord(session, sequence, task.hash, Policy(
        np.full(count, 1 << action), np.full(count, sure), np.array(goals), 5))


class FakeMdp:
    """
    Serves a task.

    task: may be changed; ``publish`` tells everybody.
    """

    def __init__(self, bench, task):
        self.task = task
        self._publisher = bench.node.create_publisher(msg.World, names.WORLD, qos.LATCHED)
        bench.node.create_service(srv.GetTask, names.GET_TASK, self._handle)
        self.publish()

    def publish(self):
        self._publisher.publish(task_conversions.world_to_msg(self.task.world))

    def _handle(self, request, response):
        return srv.GetTask.Response(
            ok=True, world=task_conversions.world_to_msg(self.task.world),
            hypotheses=task_conversions.hypotheses_to_msg(self.task))


class FakeServices:
    """
    Serves what the learner and the controller do.

    calls: (name, request) in the order in which they came.
    refusal: what is said to all, '' if they may.
    gate: what a response waits for.
    """

    def __init__(self, bench, serve=tuple(SERVICES)):
        self.calls = []
        self.refusal = ''
        self.gate = threading.Event()
        self.gate.set()
        self.services = {name: bench.node.create_service(
            SERVICES[name], name, self._handler(name), callback_group=ReentrantCallbackGroup())
            for name in serve}

    def _handler(self, name):
        def handle(request, response):
            self.calls.append((name, request))
            number = len(self.calls)
            self.gate.wait(patience(DEADLINE_S))
            if self.refusal:
                return refused(response, self.refusal)
            if hasattr(response, 'ok'):
                response.ok = True
            else:
                response.success = True
            response.message = f'{name} {number}'
            return response
        return handle

    def wait_until_known(self, remote):
        wait_for(lambda: all(remote.is_there(name) for name in self.services), 'the services')


class FakeRobot:
    """
    A robot that obeys at once and says where it is, unless it is silent, and arrives unless stuck.

    commands: all that it was told.
    """

    def __init__(self, bench, world, pose=None, stamped=False):
        self.pose = pose or Pose(1.5, 1.5, 0.0)
        self.commands = []
        self.silent = self.stuck = False
        self._drive = DifferentialDrive(CellMap(world))
        self._velocity = STOP
        self._rng = np.random.default_rng(0)
        self._publisher = bench.node.create_publisher(Odometry, names.ODOM, qos.EVENTS)
        bench.node.create_subscription(TwistStamped if stamped else Twist, names.CMD_VEL,
                                       self._on_command, qos.EVENTS)
        bench.node.create_timer(STEP_S, self._move)

    def wait_until_known(self, driver, state=4):
        """Wait until a person who drives knows where it is, and can be heard."""
        wait_for(lambda: driver.state == state
                 and driver._cmd_vel._publisher.get_subscription_count(), 'the robot')

    @property
    def velocities(self):
        return [command_from_msg(command) for command in list(self.commands)]

    @property
    def stops(self):
        return sum(velocity.is_zero for velocity in self.velocities)

    def _on_command(self, command):
        self.commands.append(command)
        self._velocity = command_from_msg(command)

    def _move(self):
        if not self.stuck:
            self.pose = self._drive.moved(self.pose, self._velocity, STEP_S * FASTER, self._rng)
        if not self.silent:
            self._publisher.publish(odometry(self.pose))


def odometry(pose):
    return odometry_to_msg(
        pose, STOP, stamp=0, frame_id='odom', child_frame_id='base_link')


def execution(status, **fields):
    return conversions.execution_to_msg(ExecutionRecord(status, **fields))


def some_time(node, period_s=0.02, ticks=10):
    """Wait until a timer has ticked some times: what should not happen would have."""
    seen = []
    timer = node.every(period_s, lambda: seen.append(1))
    wait_for(lambda: len(seen) >= ticks, 'some time to pass')
    node.destroy_timer(timer)
