"""What a learner says of its lesson: policy, belief, question, history, and its heartbeat."""

from __future__ import annotations

from gbs_irl_ros import msg
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import BeliefRecord, HeartbeatRecord, HistoryRecord, Status
from gbs_irl_ros.learning.saved_policy import save_policy
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import conversions

NO_LESSON = 'none'      # the session of a learner that has not begun


class LessonPublisher:
    """
    The publishers of a learner.

    Publishes: policy (Policy), belief (Belief), question (Question) and history (History),
    latched; heartbeat (Heartbeat).
    """

    def __init__(self, node: BaseNode) -> None:
        self._node = node
        self._policy = node.create_publisher(msg.Policy, names.POLICY, qos.LATCHED)
        self._belief = node.create_publisher(msg.Belief, names.BELIEF, qos.LATCHED)
        self._question = node.create_publisher(msg.Question, names.QUESTION, qos.LATCHED)
        self._history = node.create_publisher(msg.History, names.HISTORY, qos.LATCHED)
        self._heartbeat = node.create_publisher(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)
        self._beats = 0
        self._in_force = ('', 0, '')    # session, sequence and checksum of the last policy
        self.key: bytes | None = None   # shared with the controller
        self._has_history = True        # whether the last history still holds

    def publish_no_lesson(self, text: str, *, failed: bool) -> None:
        """Say that there is no lesson yet, and why."""
        status = Status.FAILED if failed else Status.WAITING
        self._belief.publish(conversions.belief_to_msg(BeliefRecord(
            NO_LESSON, 0, '', status, text, [], 0, 0.0, 0.0, 0, stamp=self._node.stamp())))
        self._question.publish(msg.Question())
        self._history.publish(conversions.history_to_msg(
            HistoryRecord(NO_LESSON, 0, 0, (), self._node.stamp())))

    def publish(self, lesson: Lesson, certificate: str) -> None:
        """Say what is known now; a finished policy is also saved beside the journal."""
        policy, belief = lesson.report(self._node.stamp(), certificate)
        self._policy.publish(conversions.policy_to_msg(policy))
        self._belief.publish(conversions.belief_to_msg(belief))
        asked = lesson.open_question if lesson.status is Status.ASKING else None
        self._question.publish(
            msg.Question() if asked is None else conversions.question_to_msg(asked))
        self._in_force = (policy.session, policy.sequence, policy.checksum)
        self._has_history = False
        if policy.final:
            save_policy(policy, lesson.path.with_suffix('.policy.json'))

    def publish_history(self, lesson: Lesson) -> None:
        """
        Tell what was said, if that may have changed.

        Not with every report: it takes a while, and nobody reads faster than this is called.
        """
        if not self._has_history:
            self._has_history = True
            self._history.publish(conversions.history_to_msg(lesson.history(self._node.stamp())))

    def beat(self, lesson: Lesson) -> None:
        """
        Give a sign of life.

        A lesson that has just begun has no policy yet. The sequence of the last lesson would be
        too high for it, and its own beats would then be taken for old ones.
        """
        self._beats += 1
        session, sequence, checksum = self._in_force
        if session != lesson.session:
            sequence, checksum = 0, ''
        beat = HeartbeatRecord(lesson.session, sequence, self._beats, self._node.stamp(), checksum)
        self._heartbeat.publish(conversions.heartbeat_to_msg(
            beat if self.key is None else beat.signed(self.key)))
