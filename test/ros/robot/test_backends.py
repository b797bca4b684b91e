"""The tables of drives and pose sources, and what a node gets from them."""

from __future__ import annotations

import math

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import odometry
from nav_msgs.msg import Odometry
from waiting import wait_for

from gbs_irl_ros.driving.drive import Drive, SteeringDrive
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.robot import backends
from gbs_irl_ros.ros.robot.auto_pose import AutoPoseSource
from gbs_irl_ros.ros.robot.backends import RobotParameters, make_drive, make_pose_source
from gbs_irl_ros.ros.robot.cmd_vel import CmdVel
from gbs_irl_ros.ros.robot.odometry import OdometrySource

pytestmark = pytest.mark.ros


class Driver(BaseNode[RobotParameters]):
    """Anything that drives."""

    def __init__(self, name, **options):
        super().__init__(name, RobotParameters, **options)
        self.drive = make_drive(self, CmdVel(self))
        self.seen = []
        self.poses = make_pose_source(self, lambda: self.seen.append(self.poses.pose))


def test_a_node_gets_what_its_parameters_name(bench, monkeypatch):
    made = object()
    monkeypatch.setitem(backends.DRIVES, 'another', lambda node, cmd_vel: made)
    assert bench.make(Driver, name='one', drive='another').drive is made
    two = bench.make(Driver, name='two')
    assert isinstance(two.drive, SteeringDrive)
    assert isinstance(two.poses, AutoPoseSource)
    assert isinstance(bench.make(Driver, name='three', pose_source='odometry').poses,
                      OdometrySource)


def test_with_a_name_that_nobody_knows_the_parameters_are_wrong(bench, said):
    node = bench.make(Driver, drive='magic')
    assert node.parameters is None
    assert "parameter 'drive': unknown value 'magic'" in said()


def test_the_limits_are_those_of_the_parameters(bench):
    node = bench.make(Driver, max_speed=0.25, max_turn=0.75)
    assert node.parameters.limits == Limits(0.25, 0.75)


def test_a_pose_is_known_with_its_time_and_frame(bench):
    node = bench.make(Driver, odom_to_map=[1.0, 2.0, math.pi])
    assert (node.poses.pose, node.poses.frame, node.poses.seen_at) == (None, '', -math.inf)
    begun = node.steady()
    bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(odometry(Pose(0.5, 0.25, 0.0)))
    wait_for(lambda: node.seen, 'the pose')
    assert (node.poses.pose.x, node.poses.pose.y) == pytest.approx((0.5, 1.75))
    assert node.poses.frame == 'odom'
    assert begun <= node.poses.seen_at <= node.steady()


def test_steering_has_all_that_a_drive_needs():
    for name in ('go', 'stop', 'release', 'is_own'):
        assert callable(getattr(SteeringDrive, name))
        assert callable(getattr(Drive, name))
