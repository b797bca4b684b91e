"""Where the robot is by tf, by poses of a localisation and by odometry; and what is wrong."""

from __future__ import annotations

import math
import sys
from functools import partial

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry
from waiting import wait_for

from gbs_irl_ros.driving.pose import STOP, Pose
from gbs_irl_ros.driving.pose_trouble import HOLDS_S
from gbs_irl_ros.learning.execution import ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.robot.backends import PoseParameters, make_pose_source
from gbs_irl_ros.ros.robot.odometry import odometry_to_msg, yaw_to_msg
from gbs_irl_ros.ros.robot.tf import how_to_get_tf, tf_message

pytestmark = pytest.mark.ros

NANO = 1_000_000_000


class Probe(BaseNode[PoseParameters]):
    """Anything that wants to know where the robot is."""

    def __init__(self, name, **options):
        super().__init__(name, PoseParameters, **options)
        self.seen = []
        self.poses = make_pose_source(self, lambda: self.seen.append(self.poses.pose))

    @property
    def why(self):
        """What is wrong, in words; '' if nothing."""
        with self.exclusive():
            trouble = self.poses.trouble(self.steady())
        return '' if trouble is None \
            else execution_text(ExecutionRecord(ExecutionStatus.STOPPED, *trouble))


def odometry(pose, stamp=0, frame='odom'):
    return odometry_to_msg(pose, STOP, stamp=stamp, frame_id=frame, child_frame_id='base_link')


def fix(pose, stamp=0, frame='map', spread=0.1, yaw_spread=0.05):
    message = PoseWithCovarianceStamped()
    message.header.frame_id = frame
    message.header.stamp = stamp_to_msg(stamp)
    message.pose.pose.position.x, message.pose.pose.position.y = pose.x, pose.y
    message.pose.pose.orientation = yaw_to_msg(pose.yaw)
    message.pose.covariance[0] = message.pose.covariance[7] = spread ** 2
    message.pose.covariance[35] = yaw_spread ** 2
    return message


def transform(child, parent, pose, stamp=0):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp_to_msg(stamp)
    message.transform.translation.x, message.transform.translation.y = pose.x, pose.y
    message.transform.rotation = yaw_to_msg(pose.yaw)
    return message


def at(node, x, y):
    """Wait until the robot is there."""
    wait_for(lambda: (pose := node.poses.pose) is not None
             and math.isclose(pose.x, x, abs_tol=1e-6) and math.isclose(pose.y, y, abs_tol=1e-6),
             lambda: f'the pose ({x}, {y}); it is {node.poses.pose}; {node.why}')


def says(node, text):
    """Wait until this is wrong."""
    wait_for(lambda: text in node.why, lambda: f'{text!r}; it is {node.why!r}')


def told_by_tf(bench, transforms, *, static=False):
    kind = tf_message()
    topic, profile = (names.TF_STATIC, qos.STATIC_TRANSFORMS) if static \
        else (names.TF, qos.EVENTS)
    bench.publisher(kind, topic, profile).publish(kind(transforms=transforms))


def test_what_is_wrong_with_odometry_is_said_and_passes(bench, said):
    node = bench.make(Probe, pose_source='odometry')
    robot = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
    robot.publish(odometry(Pose(1.0, 2.0, 0.0)))
    at(node, 1.0, 2.0)
    assert node.why == ''
    for number in range(30):        # a robot that drives, and has lost its orientation
        broken = odometry(Pose(1.0 + 0.01 * number, 2.0, 0.0))
        broken.pose.pose.orientation.z = math.nan
        robot.publish(broken)
    says(node, 'what is said on odom is not a pose: the orientation must be a rotation, got')
    robot.publish(odometry(Pose(5.0, 5.0, 0.0), frame='map'))
    says(node, "a pose on odom is in the frame 'map', expected 'odom': two publishers, or")
    assert node.poses.pose == Pose(1.0, 2.0, 0.0)
    robot.publish(odometry(Pose(2.0, 2.0, 0.0)))
    at(node, 2.0, 2.0)
    assert node.why != ''           # right and wrong may alternate
    wait_for(lambda: not node.why, 'all to be well for a moment', 2.0 * HOLDS_S)
    assert said().count('must be a rotation') == 1      # and not 30 times


def test_odometry_in_another_frame_than_is_expected_is_not_used(bench):
    node = bench.make(Probe, pose_source='odometry', expected_odom_frame='odom')
    bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(
        odometry(Pose(1.0, 2.0, 0.0), frame='base'))
    says(node, "a pose on odom is in the frame 'base', expected 'odom'")
    assert node.poses.pose is None


def test_a_stamp_that_does_not_advance_gets_old_however_often_it_comes(bench):
    node = bench.make(Probe, pose_source='odometry')
    robot = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
    stamp = node.stamp() - NANO // 4
    robot.publish(odometry(Pose(1.0, 2.0, 0.0), stamp))
    wait_for(lambda: node.seen, 'the pose')
    first = node.poses.seen_at
    assert node.steady() - first >= 0.25
    robot.publish(odometry(Pose(1.0, 2.0, 0.0), stamp))
    wait_for(lambda: len(node.seen) == 2, 'the pose again')
    assert node.poses.seen_at == first


def test_odometry_of_the_future_is_not_used(bench):
    node = bench.make(Probe, pose_source='odometry')
    bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(
        odometry(Pose(1.0, 2.0, 0.0), node.stamp() + 30 * NANO))
    says(node, 's ahead of this clock: set the clocks of both computers')
    assert node.poses.pose is None


def test_poses_of_a_localisation_set_odometry_right(bench):
    node = bench.make(Probe, pose_source='pose_topic')
    robot = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
    localisation = bench.publisher(PoseWithCovarianceStamped, 'amcl_pose', qos.EVENTS)
    now = node.stamp()
    robot.publish(odometry(Pose(0.0, 0.0, 0.0), now - NANO))
    robot.publish(odometry(Pose(1.0, 0.0, 0.0), now))
    says(node, 'no pose on amcl_pose yet: is the localisation running, and does it know where')
    assert node.seen == []
    localisation.publish(fix(Pose(10.0, 5.0, math.pi / 2.0), now - NANO // 2))
    at(node, 10.0, 5.5)         # half a metre since then
    assert node.why == ''
    robot.publish(odometry(Pose(1.25, 0.0, 0.0), now + NANO // 10))     # it may be silent
    at(node, 10.0, 5.75)
    assert (node.poses.name, node.poses.frame) == ('pose_topic', 'map')
    assert node.seen[-1].x == pytest.approx(10.0)
    with node.exclusive():
        assert node.steady() - node.poses.seen_at < 1.0


@for_each(('made', 'text'), [
    (partial(fix, Pose(1.0, 1.0, 0.0), frame='odom'),
     "a pose on my_pose is in the frame 'odom', expected 'map'"),
    (partial(fix, Pose(1.0, 1.0, 0.0), spread=0.4),
     'the localisation is not sure where the robot is: within 0.40 m, 0.35 m are allowed'),
    (partial(fix, Pose(1.0, 1.0, 0.0), yaw_spread=0.6),
     'the localisation is not sure where the robot looks: within 0.60 rad, 0.50 rad are'),
    (partial(fix, Pose(1.0, 1.0, 0.0), spread=math.nan),
     'what is said on my_pose is not a pose: the covariance of x and y must be finite'),
    (partial(fix, Pose(1.0, 1.0, 0.0), stamp=NANO),
     's older than the odometry: do all clocks agree?')])
def test_what_is_wrong_with_a_localisation_is_said(shared, made, text):
    node, localisation = shared
    localisation.publish(made())
    says(node, text)
    localisation.publish(fix(Pose(1.0, 1.0, 0.0)))
    wait_for(lambda: not node.why, lambda: f'all to be well; it is {node.why}')


@pytest.fixture
def shared(bench):
    node = bench.make(Probe, pose_source='pose_topic', pose_topic='my_pose')
    localisation = bench.publisher(PoseWithCovarianceStamped, 'my_pose', qos.EVENTS)
    bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(odometry(Pose(0.0, 0.0, 0.0)))
    localisation.publish(fix(Pose(1.0, 1.0, 0.0)))
    at(node, 1.0, 1.0)
    return node, localisation


def test_tf_is_composed_and_gets_old(foreign_interfaces, bench):
    node = bench.make(Probe, pose_source='tf', base_frame='base_link')
    says(node, 'tf does not tell where base_link is in map: nobody publishes on /tf')
    told_by_tf(bench, [transform('base_link', 'base_footprint', Pose(0.0, 0.0, 0.0))], static=True)
    broken = transform('wheel', 'base_link', Pose(0.0, 0.0, 0.0))
    broken.transform.rotation.w = broken.transform.rotation.z = math.nan     # of no concern
    told_by_tf(bench, [transform('base_footprint', 'odom', Pose(1.0, 0.0, 0.0)), broken])
    says(node, "nobody gives the frame 'map'")
    told_by_tf(bench, [transform('odom', 'map', Pose(5.0, 5.0, math.pi / 2.0))])
    at(node, 5.0, 6.0)
    says(node, 'no transform odom -> base_footprint for 0.')
    assert node.poses.name == 'tf'
    broken = transform('odom', 'map', Pose(5.0, 5.0, 0.0))
    broken.transform.translation.x = math.nan
    told_by_tf(bench, [broken])
    says(node, 'what is said on /tf, map -> odom is not a pose: the translation must be finite')
    told_by_tf(bench, [transform('map', 'base_link', Pose(0.0, 0.0, 0.0))])
    says(node, 'the frames lead in a circle')


def test_without_tf2_msgs_it_is_said_how_to_get_them(bench, said, monkeypatch):
    monkeypatch.setitem(sys.modules, 'tf2_msgs', None)
    monkeypatch.setitem(sys.modules, 'tf2_msgs.msg', None)
    monkeypatch.setenv('ROS_DISTRO', 'rolling')
    node = bench.make(Probe, pose_source='tf')
    says(node, 'tf does not tell where base_link is in map: tf2_msgs is not installed')
    assert 'run `sudo apt install ros-rolling-tf2-msgs`, or set pose_source to' in said()
    assert how_to_get_tf() in node.why


def test_auto_takes_the_best_that_there_is_and_no_jump(foreign_interfaces, bench):
    node = bench.make(Probe, pose_source='auto')
    robot = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
    assert (node.poses.name, node.poses.pose, node.why) == ('', None, '')
    robot.publish(odometry(Pose(1.0, 1.0, 0.0)))
    at(node, 1.0, 1.0)          # at once: a robot with odometry alone does not wait
    assert node.poses.name == 'odometry'
    told_by_tf(bench, [transform('odom', 'map', Pose(3.0, 0.0, 0.0)),
                       transform('base_link', 'odom', Pose(1.0, 1.0, 0.0))])
    # Nobody knows yet whether it stands, so it does not jump to where tf has it.

    def stands():
        robot.publish(odometry(Pose(1.0, 1.0, 0.0)))
        told_again.publish(told)
        return node.poses.name == 'tf'
    kind = tf_message()
    told = kind(transforms=[transform('odom', 'map', Pose(3.0, 0.0, 0.0)),
                            transform('base_link', 'odom', Pose(1.0, 1.0, 0.0))])
    told_again = bench.publisher(kind, names.TF, qos.EVENTS)
    wait_for(stands, lambda: f'tf to be used; it is {node.poses.name!r}')
    at(node, 4.0, 1.0)
    says(node, 'no transform')      # and it is not given up for odometry
    robot.publish(odometry(Pose(1.0, 1.0, 0.0)))
    assert node.poses.name == 'tf'


def test_auto_waits_for_a_localisation_that_has_not_spoken(bench):
    localisation = bench.node.create_publisher(PoseWithCovarianceStamped, 'amcl_pose', qos.EVENTS)
    node = bench.make(Probe, pose_source='auto')
    wait_for(localisation.get_subscription_count, 'the subscription')
    robot = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
    wait_for(lambda: node.count_publishers('amcl_pose'), 'the localisation to be seen')
    robot.publish(odometry(Pose(1.0, 1.0, 0.0)))
    says(node, 'no pose on amcl_pose yet')
    assert node.seen == []
    localisation.publish(fix(Pose(7.0, 7.0, 0.0)))
    at(node, 7.0, 7.0)
    assert node.poses.name == 'pose_topic'
