"""A robot with a laser scanner: it stands for what is in its way, and without scans."""

from __future__ import annotations

import math

import pytest
from road import PlayedLearner, Road
from sensor_msgs.msg import LaserScan
from waiting import patience, wait_for

from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.ros import qos

WORST_S = 0.5       # within this the robot has been told to stop
RAYS = 90


class Laser:
    """
    A scanner that sees the same ahead wherever the robot is.

    ahead: how far away that is [m]. silent: it sends nothing.
    """

    def __init__(self, graph):
        self.ahead, self.silent = math.inf, False
        self._publisher = graph.publisher(LaserScan, 'scan', qos.EVENTS)
        graph.node.create_timer(0.05, self._publish)

    def _publish(self):
        if self.silent:
            return
        message = LaserScan(angle_min=-math.pi / 4.0, angle_increment=math.pi / 2.0 / (RAYS - 1),
                            range_min=0.05, range_max=8.0)
        message.ranges = [math.nan] * 5 + [math.inf] * (RAYS - 15) + [math.nan] * 10
        for ray in range(RAYS // 2 - 3, RAYS // 2 + 3):
            message.ranges[ray] = self.ahead
        self._publisher.publish(message)


@pytest.fixture
def road(graph, tmp_path):
    made = Road(graph, tmp_path, scan_topic='scan', stop_distance=0.5, robot_radius=0.2)
    made.laser = Laser(graph)
    made.learner = PlayedLearner(graph, made.task)
    made.allow()
    made.wait_until_driving()
    return made


def says(road, reason):
    return wait_for(lambda: (now := road.execution).reason is reason and now,
                    lambda: f'{reason}; it is {road.execution}')


def test_it_stands_for_what_appears_ahead_and_drives_on_when_it_is_gone(road):
    road.laser.ahead = 0.6
    assert road.time_to_stop() <= patience(WORST_S)
    assert execution_text(says(road, ExecutionReason.OBSTACLE)) \
        == 'something is in the way 0.4 m ahead'
    road.laser.ahead = math.inf
    road.wait_until_driving()
    road.laser.silent = True
    assert road.time_to_stop() <= patience(WORST_S)
    blind = says(road, ExecutionReason.BLIND)
    assert 'the robot cannot see what is in its way: no scan for 0.' in execution_text(blind)
    road.laser.silent = False
    road.wait_until_driving()
