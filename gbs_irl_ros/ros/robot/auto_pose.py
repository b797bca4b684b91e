"""The best that there is to tell where the robot is: tf, a localisation's poses, odometry."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Pose, PoseSource
from gbs_irl_ros.driving.pose_choice import Candidate, PoseChoice
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.robot.odometry import OdometrySource
from gbs_irl_ros.ros.robot.pose_topic import PoseTopicSource
from gbs_irl_ros.ros.robot.tf import TfSource, tf_message


class AutoPoseSource:
    """
    Takes the first of tf, pose topic and odometry that is there. A ``PoseSource``.

    tf is there where the chain from the map to the robot is complete, the pose topic where
    somebody publishes on it; ``PoseChoice`` has the rules.

    Topics: see TfSource (where tf2_msgs is installed), PoseTopicSource.
    """

    def __init__(self, node: BaseNode, on_pose: Callable[[], None]) -> None:
        """:param on_pose: is called whenever there is a new pose."""
        self._node, self._on_pose = node, on_pose
        self._odometry = OdometrySource(node, self._on_odometry)
        self._pose_topic = PoseTopicSource(
            node, lambda: self._tell_of(self._pose_topic), self._odometry)
        candidates: list[Candidate] = [_PoseTopic(self._pose_topic), _Odometry(self._odometry)]
        if tf_message() is not None:
            tf = TfSource(node, lambda: self._on_transform(tf), self._pose_topic.fixes)
            candidates.insert(0, _Tf(tf))
        self._choice = PoseChoice(candidates)

    @property
    def _source(self) -> PoseSource:
        chosen = self._choice.chosen
        return self._odometry if chosen is None else chosen.source

    @property
    def name(self) -> str:
        """Return which one is used; '' before there is any pose."""
        return '' if self._choice.chosen is None else self._source.name

    @property
    def pose(self) -> Pose | None:
        """Return what it says."""
        return self._source.pose if self._choice.chosen is not None else None

    @property
    def frame(self) -> str:
        """Return in which frame."""
        return self._source.frame

    @property
    def seen_at(self) -> float:
        """Return when."""
        return self._source.seen_at

    def trouble(self, now: float) -> Reason | None:
        """Return what is wrong with it."""
        return self._source.trouble(now)

    def _on_odometry(self) -> None:
        assert self._odometry.odometry is not None
        self._choice.see_odometry(self._odometry.odometry, self._node.steady())
        self._choice.choose(self._node.steady())
        self._pose_topic.see_odometry()
        self._tell_of(self._odometry)

    def _on_transform(self, tf: TfSource) -> None:
        self._choice.choose(self._node.steady())
        self._tell_of(tf)

    def _tell_of(self, source: PoseSource) -> None:
        if source is self._source:
            self._on_pose()


class _Tf:
    def __init__(self, source: TfSource) -> None:
        self.source = source

    def is_there(self, now: float) -> bool:
        return self.source.pose is not None and self.source.trouble(now) is None


class _PoseTopic:
    def __init__(self, source: PoseTopicSource) -> None:
        self.source = source

    def is_there(self, now: float) -> bool:
        return self.source.fixes.have_publisher()


class _Odometry:
    def __init__(self, source: OdometrySource) -> None:
        self.source = source

    def is_there(self, now: float) -> bool:
        return True
