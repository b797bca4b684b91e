"""A robot whose place a localisation knows: what is wrong with that stops it, with the reason."""

from __future__ import annotations

import signal

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from road import PlayedLearner, Road
from waiting import patience, wait_for

from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.ros import qos

WORST_S = 0.5       # within this the robot has been told to stop


class Localisation:
    """
    Says ten times a second what odometry says.

    spread: variance of x and y. frame: of its poses. shift: how far they are off along x [m].
    """

    def __init__(self, road):
        self.spread, self.frame, self.shift = 0.01, 'map', 0.0
        self._road = road
        self._publisher = road.graph.publisher(PoseWithCovarianceStamped, 'amcl_pose', qos.EVENTS)
        road.graph.node.create_timer(0.1, self._publish)

    def _publish(self):
        if not self._road.odometry:
            return
        seen = self._road.odometry[-1]
        message = PoseWithCovarianceStamped()
        message.header.stamp, message.header.frame_id = seen.header.stamp, self.frame
        message.pose.pose.orientation = seen.pose.pose.orientation
        message.pose.pose.position.x = seen.pose.pose.position.x + self.shift
        message.pose.pose.position.y = seen.pose.pose.position.y
        message.pose.covariance[0] = message.pose.covariance[7] = self.spread
        message.pose.covariance[35] = 0.01
        self._publisher.publish(message)


@pytest.fixture
def road(graph, tmp_path):
    made = Road(graph, tmp_path, pose_source='pose_topic')
    made.localisation = Localisation(made)
    made.learner = PlayedLearner(graph, made.task)
    made.allow()
    made.wait_until_driving()
    return made


def says(road, reason):
    wait_for(lambda: road.execution.reason is reason,
             lambda: f'{reason}; it is {road.execution}')


def test_it_stops_while_its_localisation_cannot_be_trusted(road):
    for field, bad, reason in (('spread', 4.0, ExecutionReason.UNCERTAIN_POSE),
                               ('frame', 'elsewhere', ExecutionReason.WRONG_FRAME)):
        good = getattr(road.localisation, field)
        setattr(road.localisation, field, bad)
        assert road.time_to_stop() <= patience(WORST_S), reason
        says(road, reason)
        setattr(road.localisation, field, good)
        road.wait_until_driving()       # by itself


def test_a_jump_stops_it_until_somebody_says_go(road):
    road.localisation.shift = 3.0
    assert road.time_to_stop() <= patience(WORST_S)
    says(road, ExecutionReason.POSE_JUMPED)
    assert road.execution.needs_permission
    road.allow()
    road.wait_until_driving()


def test_it_stops_when_its_odometry_ends_however_good_the_last_pose_was(road):
    road.simulator.send(signal.SIGSTOP)
    try:
        assert road.time_to_stop() <= patience(WORST_S)
        says(road, ExecutionReason.OLD_ODOMETRY)
    finally:
        road.simulator.send(signal.SIGCONT)
