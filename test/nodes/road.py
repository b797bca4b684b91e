"""A long corridor with a robot that drives along it, and a learner that is played."""

from __future__ import annotations

import threading
import time

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from std_srvs.srv import SetBool
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task

LONGEST_LOOK_S = 0.05
BEAT_PERIOD_S = 0.05
TASK = """
format: 1
world:
  kind: grid
  map: |
    ............................
    ............................
  discount: 0.95
  cell_size: 1.0
hypotheses: {kind: goals, goals: free}
start: [[0, 0]]
truth: {hypothesis: 0}
"""
EAST, WEST, LAST = 1, 3, 27


class PlayedLearner:
    """Publishes a policy that always drives one way, and heartbeats, until told otherwise."""

    def __init__(self, graph, task, key=None):
        self.graph, self.task, self.key = graph, task, key
        self.session, self.sequence, self.beats = 'played', 1, 0
        self.alive = True
        self.announced = None       # the policy whose checksum is in the heartbeats, if any
        self.action, self.goal = EAST, LAST
        self.challenge = ''
        self.sent = []              # every heartbeat
        graph.node.create_subscription(
            msg.Execution, names.EXECUTION,
            lambda message: setattr(self, 'challenge', message.challenge), qos.LATCHED)
        self._policy = graph.publisher(msg.Policy, names.POLICY, qos.LATCHED)
        self._heartbeat = graph.publisher(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)
        self.publish()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def record(self, **changes):
        size = self.task.world.mdp.num_states
        policy = Policy(np.full(size, 1 << self.action), np.ones(size), np.array([self.goal]), 4)
        fields = {'session': self.session, 'sequence': self.sequence,
                  'task_hash': self.task.hash, 'policy': policy, 'final': True}
        return PolicyRecord(**{**fields, **changes})

    def publish(self, message=None):
        self._policy.publish(message or conversions.policy_to_msg(self.record()))

    def beat(self):
        self.beats += 1
        beat = HeartbeatRecord(self.session, self.sequence, self.beats,
                               checksum=self.announced.checksum if self.announced else '')
        self.send(conversions.heartbeat_to_msg(
            beat if self.key is None else beat.signed(self.key, self.challenge)))

    def send(self, heartbeat):
        self.sent.append(heartbeat)
        self._heartbeat.publish(heartbeat)

    def _beat(self):
        while self.graph.context.ok():
            if self.alive:
                try:
                    self.beat()
                except Exception:
                    return      # the test is over
            time.sleep(BEAT_PERIOD_S)       # the rhythm of a sender; nothing is waited for


class Road:
    """A long corridor with a robot that drives along it."""

    def __init__(self, graph, tmp_path, **controller):
        self.graph = graph
        self.file = tmp_path / 'road.yaml'
        self.file.write_text(TASK)
        self.mdp = graph.start('mdp', task=self.file)
        self._controller = controller
        self.start_simulator()
        self.start_controller()
        self.listen()
        self.executions_heard = graph.listen(msg.Execution, names.EXECUTION, qos.LATCHED)
        self.task = load_task(self.file)

    def listen(self):
        self.commands = self.graph.listen(Twist, names.CMD_VEL, qos.COMMANDS)
        self.odometry = self.graph.listen(Odometry, names.ODOM, qos.EVENTS)

    def start_simulator(self):
        self.simulator = self.graph.start('simulator', noise=0.0)

    def start_controller(self):
        self.controller = self.graph.start('controller', max_speed=0.5, max_turn=4.0,
                                           **self._controller)

    @property
    def execution(self):
        heard = self.executions_heard
        return conversions.execution_from_msg(heard[-1]) if heard else None

    @property
    def executions(self):
        return [conversions.execution_from_msg(each) for each in list(self.executions_heard)]

    def allow(self, allowed=True):
        request = SetBool.Request(data=allowed)
        return self.graph.call(SetBool, names.CONTROLLER_ENABLE, request)

    def go(self):
        """Allow motion as a person does, after a STOP too."""
        stops = self.execution.stops if self.executions_heard else 0
        return self.graph.call(srv.Go, names.CONTROLLER_GO, srv.Go.Request(stops=stops))

    def wait_for_status(self, status, deadline_s=30.0):
        return wait_for(lambda: (now := self.execution) and now.status is status and now,
                        lambda: f'{status}; it is {self.execution}\n{self.controller.output}',
                        deadline_s)

    def wait_until_driving(self):
        self.wait_for_status(ExecutionStatus.DRIVING)
        wait_for(lambda: self.commands and self.commands[-1].linear.x > 0.0, 'a command')
        wait_for(lambda: self.odometry and self.odometry[-1].twist.twist.linear.x > 0.0,
                 'the robot to move')

    def time_to_stop(self):
        """
        Return how long it takes until the last command is to stand still.

        Times in which this very test got no processor, on a machine that does too much at once,
        do not count.
        """
        began = last = time.monotonic()
        stalled = 0.0

        def stands():
            nonlocal last, stalled
            now = time.monotonic()
            stalled += max(0.0, now - last - LONGEST_LOOK_S)
            last = now
            return self.commands[-1].linear.x == 0.0 and self.commands[-1].angular.z == 0.0
        wait_for(stands, lambda: f'the robot to be stopped; it is {self.execution}', 10.0)
        return time.monotonic() - began - stalled
