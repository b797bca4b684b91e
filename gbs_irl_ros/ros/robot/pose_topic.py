"""Where the robot is by its odometry, set right by the poses of a localisation on the map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from geometry_msgs.msg import PoseWithCovarianceStamped

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.driving.pose_correction import OldPoseError, PoseCorrection, spread_of
from gbs_irl_ros.driving.pose_trouble import Trouble
from gbs_irl_ros.driving.transform_tree import plain
from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.ros import qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg
from gbs_irl_ros.ros.robot.odometry import OdometrySource, yaw_from_msg

ROW = 6                 # of a covariance of x, y, z and three rotations
DEFAULT_TOPIC = 'amcl_pose'


@dataclass(frozen=True)
class Fix:
    """
    What a localisation says.

    stamp: [ns]; 0: none. spread, yaw_spread: standard deviations [m], [rad].
    """

    pose: Pose
    frame: str
    stamp: int
    spread: float
    yaw_spread: float


class Fixes:
    """
    The poses of a localisation, each looked at before it is handed on.

    Subscribes: the topic of the parameter pose_topic (geometry_msgs/PoseWithCovarianceStamped).
    """

    def __init__(self, node: BaseNode, on_fix: Callable[[Fix], None] = lambda fix: None) -> None:
        """:param on_fix: is called with every pose that can be used."""
        self._node, self._on_fix = node, on_fix
        self._trouble = Trouble()
        self._uncertain: Reason | None = None
        wanted = node.get_parameter('pose_topic').value     # also while parameters are wrong
        self.topic = wanted if isinstance(wanted, str) and wanted else DEFAULT_TOPIC
        node.subscribe(PoseWithCovarianceStamped, self.topic, self._on_pose, qos.STREAM)
        self._full_name = node.resolve_topic_name(self.topic)

    def trouble(self, now: float) -> Reason | None:
        """Return what is wrong with the last poses; an uncertain one counts until the next."""
        return self._trouble.current(now) or self._uncertain

    def report(self, reason: Reason) -> None:
        """Note what else is wrong with them."""
        self._trouble.report(reason, self._node.steady())

    def have_publisher(self) -> bool:
        """Return whether there is a localisation, has it said anything or not."""
        return self._node.count_publishers(self._full_name) > 0

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        parameters = self._node.parameters
        if parameters is None:
            return
        try:
            fix = fix_from_msg(message)
        except GbsIrlError as error:
            self.report((ExecutionReason.POSE_INVALID, (self.topic, str(error))))
            raise
        if plain(fix.frame) != plain(parameters.map_frame):
            self.report((ExecutionReason.WRONG_FRAME,
                         (self.topic, fix.frame, parameters.map_frame)))
            return
        self._uncertain = _uncertainty(fix, parameters.max_pose_spread, parameters.max_yaw_spread)
        self._on_fix(fix)


def _uncertainty(fix: Fix, spread: float, yaw_spread: float) -> Reason | None:
    if fix.spread > spread:
        return ExecutionReason.UNCERTAIN_POSE, (
            f'{ShortNumber(fix.spread):.2f}', f'{spread:.2f}')
    if fix.yaw_spread > yaw_spread:
        return ExecutionReason.UNCERTAIN_DIRECTION, (
            f'{ShortNumber(fix.yaw_spread):.2f}', f'{yaw_spread:.2f}')
    return None


class PoseTopicSource:
    """
    Odometry, corrected at each pose of a localisation. A ``PoseSource``.

    A localisation that is silent while the robot stands is fine: odometry carries its last word.

    Topics: see Fixes, OdometrySource.
    """

    name = 'pose_topic'

    def __init__(self, node: BaseNode, on_pose: Callable[[], None],
                 odometry: OdometrySource | None = None) -> None:
        """
        Subscribe.

        :param on_pose: is called whenever there is a new pose.
        :param odometry: one that is there already; then somebody else calls ``see_odometry``.
        """
        self._node, self._on_pose = node, on_pose
        self._correction = PoseCorrection()
        self._odometry = odometry or OdometrySource(node, self.see_odometry)
        self.fixes = Fixes(node, self._on_fix)
        self.frame = ''

    @property
    def pose(self) -> Pose | None:
        """Return where the robot is on the map."""
        return self._correction.pose

    @property
    def seen_at(self) -> float:
        """Return when the odometry said so."""
        return self._odometry.seen_at

    def trouble(self, now: float) -> Reason | None:
        """Return what is wrong with odometry, poses, or both together."""
        wrong = self._odometry.trouble(now) or self.fixes.trouble(now)
        if wrong is None and self._odometry.odometry is not None and self.pose is None:
            return ExecutionReason.NO_POSE, (self.fixes.topic,)
        return wrong

    def see_odometry(self) -> None:
        """Take what the odometry has just said."""
        assert self._odometry.odometry is not None
        try:
            self._correction.see_odometry(self._odometry.odometry, self._odometry.stamp * 1e-9)
        except OldPoseError as error:
            self._report_old(error)
        if self.pose is not None:
            self._on_pose()

    def _on_fix(self, fix: Fix) -> None:
        self.frame = fix.frame
        try:
            self._correction.see_pose(fix.pose, fix.stamp * 1e-9 if fix.stamp else None)
        except OldPoseError as error:
            self._report_old(error)

    def _report_old(self, error: OldPoseError) -> None:
        self.fixes.report((ExecutionReason.OLD_POSE, (self.fixes.topic, f'{error.seconds:.1f}')))


def fix_from_msg(message: PoseWithCovarianceStamped) -> Fix:
    """Return what a localisation says; raise if it is not a pose, or not with a covariance."""
    position, orientation = message.pose.pose.position, message.pose.pose.orientation
    covariance = message.pose.covariance
    spread = spread_of((float(covariance[0]), float(covariance[1]), float(covariance[ROW + 1])))
    yaw_spread = spread_of((float(covariance[-1]), 0.0, 0.0))
    return Fix(Pose(position.x, position.y, yaw_from_msg(orientation)), message.header.frame_id,
               stamp_from_msg(message.header.stamp), spread, yaw_spread)
