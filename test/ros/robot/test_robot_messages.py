"""Poses and velocities to messages and back; what is no pose is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from geometry_msgs.msg import Quaternion, Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.driving.pose import STOP, Pose, Velocity, wrapped
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg
from gbs_irl_ros.ros.robot.cmd_vel import command_from_msg, command_to_msg, velocity_to_msg
from gbs_irl_ros.ros.robot.odometry import (
    odometry_from_msg,
    odometry_to_msg,
    yaw_from_msg,
    yaw_to_msg,
)

pytestmark = pytest.mark.ros

STAMP = 1_700_000_000_123_456_789
ANGLES = [0.0, 1e-9, 0.5, -0.5, math.pi / 2, -math.pi / 2, 3.0, -3.0, math.pi - 1e-9,
          2 * math.pi + 0.25, -100.0]
NOT_FINITE = [math.nan, math.inf, -math.inf]


def sent(message):
    """Return what arrives when a message is sent."""
    return deserialize_message(serialize_message(message), type(message))


def odometry(pose, velocity=STOP):
    return odometry_to_msg(pose, velocity, stamp=STAMP, frame_id='odom',
                           child_frame_id='base_link')


class TestYaw:
    @for_each('yaw', ANGLES)
    def test_comes_back_as_the_same_direction(self, yaw):
        back = yaw_from_msg(sent(yaw_to_msg(yaw)))
        assert wrapped(back - yaw) == pytest.approx(0.0, abs=1e-8)
        assert -math.pi <= back <= math.pi

    @for_each('yaw', ANGLES)
    def test_is_a_rotation_about_the_vertical_axis(self, yaw):
        made = yaw_to_msg(yaw)
        assert (made.x, made.y) == (0.0, 0.0)
        assert math.hypot(made.z, made.w) == pytest.approx(1.0)

    def test_a_quaternion_and_its_opposite_are_the_same_rotation(self):
        made = yaw_to_msg(1.0)
        assert yaw_from_msg(Quaternion(z=-made.z, w=-made.w)) == pytest.approx(1.0)

    def test_a_robot_on_a_slope_still_has_a_direction(self):
        """Turned by 0.7 about the vertical, then tipped by 0.2 about its own y axis."""
        z, w, tip_y, tip_w = math.sin(0.35), math.cos(0.35), math.sin(0.1), math.cos(0.1)
        tipped = Quaternion(x=-z * tip_y, y=w * tip_y, z=z * tip_w, w=w * tip_w)
        assert yaw_from_msg(tipped) == pytest.approx(0.7)

    @for_each('length', [0.5, 0.99, 1.01, 2.0])
    def test_the_length_of_a_quaternion_means_nothing(self, length):
        made = yaw_to_msg(math.pi / 4)
        stretched = Quaternion(z=length * made.z, w=length * made.w)
        assert yaw_from_msg(stretched) == pytest.approx(math.pi / 4)

    @for_each('part', ['x', 'y', 'z', 'w'])
    @for_each('number', NOT_FINITE)
    def test_what_is_not_finite_is_no_rotation(self, part, number):
        with pytest.raises(InvalidRecordError, match='the orientation must be a rotation, got'):
            yaw_from_msg(Quaternion(**{'w': 1.0, part: number}))

    def test_an_empty_quaternion_is_no_rotation(self):
        """As in a message whose orientation nobody has filled in."""
        nothing = Quaternion(x=0.0, y=0.0, z=0.0, w=0.0)
        with pytest.raises(InvalidRecordError, match=r'must be a rotation, got \(0.0, 0.0, 0.0, '):
            yaw_from_msg(nothing)

    def test_one_whose_length_overflows_is_no_rotation(self):
        with pytest.raises(GbsIrlError, match='must be a rotation'):
            yaw_from_msg(Quaternion(z=1e200, w=1e200))

    @for_each('yaw', NOT_FINITE)
    def test_no_direction_is_not_sent(self, yaw):
        with pytest.raises((GbsIrlError, ValueError)):
            yaw_to_msg(yaw)


class TestOdometry:
    @for_each('pose', [
        Pose(0.0, 0.0, 0.0), Pose(1.5, -2.25, 3.0), Pose(-1e6, 1e6, -1.0), Pose(1, -1, 1)])
    def test_a_pose_comes_back(self, pose):
        back, frame, _ = odometry_from_msg(sent(odometry(pose)))
        assert frame == 'odom'
        assert (back.x, back.y) == (pose.x, pose.y)
        assert back.yaw == pytest.approx(pose.yaw)

    def test_frames_time_and_velocity_are_sent(self):
        message = sent(odometry(Pose(1.0, 2.0, 3.0), Velocity(0.5, -0.25)))
        assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base_link')
        assert stamp_from_msg(message.header.stamp) == STAMP
        assert (message.twist.twist.linear.x, message.twist.twist.angular.z) == (0.5, -0.25)

    @for_each('number', NOT_FINITE)
    @for_each('axis', ['x', 'y'])
    def test_a_place_that_is_not_finite_is_refused(self, axis, number):
        message = odometry(Pose(1.0, 2.0, 3.0))
        setattr(message.pose.pose.position, axis, number)
        with pytest.raises(GbsIrlError, match='pose must be finite, got'):
            odometry_from_msg(sent(message))

    def test_a_direction_that_is_not_finite_is_refused(self):
        message = odometry(Pose(1.0, 2.0, 3.0))
        message.pose.pose.orientation.z = math.nan
        with pytest.raises(GbsIrlError, match='the orientation must be a rotation'):
            odometry_from_msg(sent(message))

    def test_one_without_an_orientation_is_refused(self):
        message = Odometry()
        message.pose.pose.orientation.w = 0.0
        with pytest.raises(GbsIrlError, match='the orientation must be a rotation'):
            odometry_from_msg(message)

    @pytest.mark.parametrize('frames', [
        {'frame_id': 'a\0b', 'child_frame_id': 'c'}, {'frame_id': 'a', 'child_frame_id': '\0'}])
    def test_a_frame_that_no_field_can_carry_is_refused(self, frames):
        with pytest.raises(InvalidRecordError, match='frame_id must not contain a NUL'):
            odometry_to_msg(Pose(0.0, 0.0, 0.0), STOP, stamp=0, **frames)


class TestCommands:
    @for_each('stamped', [False, True])
    @for_each('velocity', [STOP, Velocity(0.5, -1.5), Velocity(-0.25, 1e-9, 0.5)])
    def test_a_velocity_comes_back(self, velocity, stamped):
        message = command_to_msg(velocity, stamped=stamped, stamp=STAMP, frame_id='base')
        assert type(message) is (TwistStamped if stamped else Twist)
        assert command_from_msg(sent(message)) == velocity

    def test_a_stamped_one_says_when_and_for_what(self):
        message = sent(command_to_msg(STOP, stamped=True, stamp=STAMP, frame_id='base'))
        assert stamp_from_msg(message.header.stamp) == STAMP
        assert message.header.frame_id == 'base'

    def test_everything_else_is_zero(self):
        twist = velocity_to_msg(Velocity(1.0, 2.0))
        assert (twist.linear.y, twist.linear.z, twist.angular.x, twist.angular.y) == (0.0,) * 4

    @for_each('number', NOT_FINITE)
    @for_each('kind', [Twist, TwistStamped])
    @for_each(('vector', 'axis'), [('linear', 'x'), ('linear', 'y'), ('angular', 'z')])
    def test_one_that_is_not_finite_is_refused(self, kind, vector, axis, number):
        message = kind()
        twist = message.twist if kind is TwistStamped else message
        setattr(getattr(twist, vector), axis, number)
        with pytest.raises(GbsIrlError, match='velocity must be finite, got'):
            command_from_msg(sent(message))


def floats_of(message):
    """Yield every float field of a message, with its name."""
    for field, kind in message.get_fields_and_field_types().items():
        value = getattr(message, field)
        if kind in ('double', 'float'):
            yield field, value
        elif hasattr(value, 'get_fields_and_field_types'):
            yield from floats_of(value)


class TestWholeNumbers:
    """An int in a float64 field would arrive as another number: 1 as 5e-324, -1 as nan."""

    @for_each('number', [1, -1, np.int64(2), np.float32(0.5), True])
    def test_a_velocity_of_any_type_arrives(self, number):
        for stamped in (False, True):
            arrived = command_from_msg(sent(command_to_msg(
                Velocity(number, number), stamped=stamped, stamp=STAMP, frame_id='')))
            assert (arrived.forward, arrived.turn) == (float(number), float(number))

    @for_each('number', [1, -1, np.int64(2), np.float32(0.5)])
    def test_a_pose_of_any_type_arrives(self, number):
        arrived, _, _ = odometry_from_msg(sent(odometry(Pose(number, number, number))))
        assert (arrived.x, arrived.y) == (float(number), float(number))
        assert arrived.yaw == pytest.approx(float(number))

    @for_each('message', [
        odometry(Pose(1, 2, 3), Velocity(1, 2)), velocity_to_msg(Velocity(1, 2)), yaw_to_msg(0),
        command_to_msg(Velocity(1, 2), stamped=True, stamp=STAMP, frame_id='')],
        ids=lambda message: type(message).__name__)
    def test_every_float_field_holds_a_float(self, message):
        assert {field: type(value) for field, value in floats_of(message)
                if type(value) is not float} == {}
