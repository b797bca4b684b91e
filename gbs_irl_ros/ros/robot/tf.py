"""
Where the robot is by the transforms on ``/tf``: what Nav2, AMCL and SLAM tell everybody.

The messages are read as they are. tf2_ros would need its own buffer and listener, is not part of
the wheels that ``make setup`` installs, and answers more than is asked here: the newest transform
of one robot. tf2_msgs comes with every installation of ROS 2.
"""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.driving.pose_trouble import Stamps, Trouble
from gbs_irl_ros.driving.transform_tree import NoTransformError, Transform, TransformTree, plain
from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg
from gbs_irl_ros.ros.robot.pose_topic import Fixes

MAX_FRAMES = 10_000


class TfSource:
    """
    The frame of the robot in that of the map, by the newest transforms. A ``PoseSource``.

    A transform has no covariance; that of a localisation's poses counts, if there are any.

    Subscribes: /tf, /tf_static (tf2_msgs/TFMessage), and what Fixes does.
    """

    name = 'tf'

    def __init__(self, node: BaseNode, on_pose: Callable[[], None],
                 fixes: Fixes | None = None) -> None:
        """
        Subscribe.

        :param on_pose: is called whenever there is a new pose.
        :param fixes: those that are there already.
        """
        self.pose: Pose | None = None
        self.frame = ''
        self.seen_at = -math.inf
        self._node, self._on_pose = node, on_pose
        self._tree, self._trouble = TransformTree(), Trouble()
        self._stamps: dict[str, Stamps] = {}
        self._oldest = self._gap = ''
        self._fixes = fixes or Fixes(node)
        kind = tf_message()
        if kind is None:
            self._gap = how_to_get_tf()
            node.get_logger().error(self._gap)
            return
        node.subscribe(kind, names.TF, self._on_tf, qos.TRANSFORMS)
        node.subscribe(kind, names.TF_STATIC, self._on_tf_static, qos.STATIC_TRANSFORMS)

    def trouble(self, now: float) -> Reason | None:
        """Return what is wrong with the transforms between the map and the robot."""
        parameters = self._node.parameters
        if parameters is None:
            return None     # nothing moves then
        wrong = self._trouble.current(now) or self._fixes.trouble(now)
        if wrong is not None:
            return wrong
        if self._gap or self.pose is None:
            return ExecutionReason.NO_TRANSFORM, (
                parameters.map_frame, parameters.base_frame,
                self._gap or f'nobody publishes on {names.TF}')
        age_s = now - self.seen_at
        return (ExecutionReason.OLD_TRANSFORM, (self._oldest, f'{age_s:.1f}')) \
            if age_s > parameters.odometry_timeout else None

    def _on_tf(self, message: Any) -> None:
        self._take(message, is_static=False)

    def _on_tf_static(self, message: Any) -> None:
        self._take(message, is_static=True)

    def _take(self, message: Any, *, is_static: bool) -> None:
        parameters = self._node.parameters
        if parameters is None:
            return
        now, ros_now = self._node.steady(), self._node.stamp()
        between = self._frames_between(parameters.map_frame, parameters.base_frame)
        concerned = self.pose is None
        for child, parent, given in transforms_from_msg(message):
            ours = child in between
            concerned = concerned or ours
            try:
                transform, stamp = given()
                seen_at = math.inf if is_static \
                    else self._stamps_of(child).seen_at(stamp, ros_now, now)
                self._tree.put(child, parent, transform, seen_at)
            except GbsIrlError as error:
                if ours:
                    self._trouble.report((ExecutionReason.POSE_INVALID, (
                        f'{names.TF}, {parent} -> {child}', str(error))), now)
        if concerned:
            self._look_up(parameters.map_frame, parameters.base_frame, now)

    def _stamps_of(self, child: str) -> Stamps:
        if len(self._stamps) > MAX_FRAMES:
            self._stamps.clear()
        return self._stamps.setdefault(child, Stamps())

    def _frames_between(self, target: str, source: str) -> frozenset[str]:
        try:
            return self._tree.frames_between(target, source)
        except NoTransformError:        # they lead in a circle: what comes may end it
            return frozenset((plain(target), plain(source)))

    def _look_up(self, target: str, source: str, now: float) -> None:
        try:
            found = self._tree.look_up(target, source)
        except NoTransformError as error:
            self._gap = str(error)
            return
        self._gap, self._oldest, self.frame = '', found.oldest or 'all of them', plain(target)
        # What can never change does not tell where a robot is for longer than a moment.
        self.pose, self.seen_at = found.pose, min(found.seen_at, now)
        self._on_pose()


def tf_message() -> type | None:
    """Return the type of the messages on ``/tf``, None where it is not installed."""
    try:
        return importlib.import_module('tf2_msgs.msg').TFMessage
    except ImportError:
        return None


def how_to_get_tf() -> str:
    """Return what to do where ``tf2_msgs`` is missing."""
    distro = os.environ.get('ROS_DISTRO') or 'jazzy'
    return ('tf2_msgs is not installed, so the pose of the robot cannot be taken from tf: run '
            f'`sudo apt install ros-{distro}-tf2-msgs`, or set pose_source to pose_topic or '
            'odometry')


Given = Callable[[], tuple[Transform, int]]


def transforms_from_msg(message: Any) -> Iterator[tuple[str, str, Given]]:
    """
    Yield child frame, parent frame, and a function that gives the transform and its stamp [ns].

    It raises if that is not a transform; the others of the message are not concerned.
    """
    for each in message.transforms:
        def given(each: Any = each) -> tuple[Transform, int]:
            shift, turn = each.transform.translation, each.transform.rotation
            return Transform.of((shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w)), \
                stamp_from_msg(each.header.stamp)
        yield plain(each.child_frame_id), plain(each.header.frame_id), given
