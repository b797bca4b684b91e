"""
What is said of a lesson to everybody: both ends of its topics.

The learner's end is ``LessonPublisher``. What a node knows of a lesson, the newest that mdp node,
learner and controller have said, it knows from a ``LessonWatcher``.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

from gbs_irl_ros import msg
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.learning.execution import ExecutionRecord
from gbs_irl_ros.learning.json_files import NotSavedError
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import (
    BeliefRecord,
    HeartbeatRecord,
    HistoryRecord,
    PolicyRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.learning.saved_policy import save_policy
from gbs_irl_ros.learning.taught import save_taught
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links.task_client import TaskClient
from gbs_irl_ros.ros.messages import conversions, task_conversions
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.tasks.growth import Step, with_places
from gbs_irl_ros.tasks.world import World

FETCH_PERIOD_S = 0.25
SILENT_AFTER_S = 2.0        # without a heartbeat for this long, the learner counts as gone

NO_LESSON = 'none'      # the session of a learner that has not begun

# Each part of a lesson: message type, topic, quality of service; and how it is read
TOPICS: dict[str, tuple[type, str, Any, Callable[..., Any]]] = {
    'policy': (msg.Policy, names.POLICY, qos.LATCHED, conversions.policy_from_msg),
    'belief': (msg.Belief, names.BELIEF, qos.LATCHED, conversions.belief_from_msg),
    'history': (msg.History, names.HISTORY, qos.LATCHED, conversions.history_from_msg),
    'execution': (msg.Execution, names.EXECUTION, qos.LATCHED, conversions.execution_from_msg),
    'heartbeat': (msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS,
                  conversions.heartbeat_from_msg),
    'question': (msg.Question, names.QUESTION, qos.LATCHED,
                 lambda message: conversions.question_from_msg(message) if message.id else None)}


class LessonPublisher:
    """
    The publishers of a learner.

    Publishes: policy (Policy), belief (Belief), question (Question) and history (History),
    latched; heartbeat (Heartbeat).
    """

    def __init__(self, node: BaseNode) -> None:
        self._node = node
        self._policy, self._belief, self._question, self._history, self._heartbeat = (
            node.create_publisher(*TOPICS[part][:3])
            for part in ('policy', 'belief', 'question', 'history', 'heartbeat'))
        self._beats = 0
        self._in_force = ('', 0, '')    # session, sequence and checksum of the last policy
        self.key: bytes | None = None   # shared with the controller,
        self.challenge = ''             # which has drawn this
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
        """Say what is known now; if that is final, it is also saved beside the journal."""
        policy, belief = lesson.report(self._node.stamp(), certificate)
        self._policy.publish(conversions.policy_to_msg(policy))
        self._belief.publish(conversions.belief_to_msg(belief))
        asked = lesson.open_question if lesson.status is Status.ASKING else None
        self._question.publish(
            msg.Question() if asked is None else conversions.question_to_msg(asked))
        self._in_force = (policy.session, policy.sequence, policy.checksum)
        self._has_history = False
        if policy.final:
            self._save(policy, lesson)

    def _save(self, policy: PolicyRecord, lesson: Lesson) -> None:
        try:
            save_policy(policy, lesson.path.with_suffix('.policy.json'))
            save_taught(lesson.standing.taught(lesson.world, policy.stamp),
                        lesson.path.with_suffix('.taught.json'))
        except NotSavedError as error:
            # Whoever answered must not hear of it as his fault.
            self._node.get_logger().error(str(error))

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
            beat if self.key is None else beat.signed(self.key, self.challenge)))


class LessonWatcher:
    """
    Keeps the newest of each part of a lesson and says what has changed.

    Subscribes to what is wanted of: world (World), belief (Belief), policy (Policy), history
    (History), heartbeat (Heartbeat), execution (Execution), question (Question).
    Client of: get_task (GetTask), where the hypotheses are wanted.

    world: None until the mdp node has announced it. task: the same with its hypotheses, and those
    that places have added.
    policy: the newest, whatever task it is for; None until the world is known, and after one that
    could not be read. The others: None before there is one.
    """

    def __init__(self, node: BaseNode, on_change: Callable[[str], None], *parts: str,
                 world: World | None = None) -> None:
        """
        Subscribe.

        :param on_change: called with the name of the part that has changed, in a callback of the
            node: under its lock.
        :param parts: 'world', or 'task' for the world with its hypotheses; and any of ``TOPICS``.
        :param world: if it is known already.
        """
        self.world = world
        self.task: Task | None = None
        self.belief: BeliefRecord | None = None
        self.policy: PolicyRecord | None = None
        self.history: HistoryRecord | None = None
        self.execution: ExecutionRecord | None = None
        self.heartbeat: HeartbeatRecord | None = None
        self.question: QuestionRecord | None = None
        self._node, self._on_change = node, on_change
        self._served_hash = ''
        self._listed: Task | None = None        # as it is served
        self._places: tuple[Step, ...] = ()    # that the task has grown by
        self._heard_at = -math.inf
        self._policy_message: msg.Policy | None = None      # read again with every new world
        self._tasks: TaskClient | None = None
        if 'task' in parts:
            self._tasks = TaskClient(node, self._on_fetched_task)
            self._fetching = node.every(FETCH_PERIOD_S, self._on_fetch_timer)
        for part in parts:
            if part in ('world', 'task'):
                node.subscribe(msg.World, names.WORLD, self._on_world, qos.LATCHED)
            elif part == 'policy':
                self._subscribe_policy()
            else:
                kind, topic, profile, read = TOPICS[part]
                node.subscribe(kind, topic, self._keeper(part, read), profile)

    @property
    def is_learner_heard(self) -> bool:
        """Return whether the learner's heart has beaten in the last moments."""
        return self._node.steady() - self._heard_at < SILENT_AFTER_S

    @property
    def no_task(self) -> tuple[str, bool] | None:
        """Return why there is no task, and whether there will be none; None if nobody says so."""
        return None if self.task is not None or self._tasks is None else self._tasks.refusal

    def fetch_policy(self) -> None:
        """Have the learner's last policy delivered again: topics that are latched do that."""
        self._node.destroy_subscription(self._policies)
        self._subscribe_policy()

    def _subscribe_policy(self) -> None:
        kind, topic, profile, _ = TOPICS['policy']
        self._policies = self._node.subscribe(kind, topic, self._on_policy, profile)

    def _keeper(self, part: str, read: Callable[[Any], Any]) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            found = read(message)
            if part == 'belief':
                self._see_places(self._listed, found)
            setattr(self, part, found)
            if part == 'heartbeat':
                self._heard_at = self._node.steady()
            self._on_change(part)
        return keep

    def _on_world(self, message: msg.World) -> None:
        if self._tasks is None:
            self._see_world(task_conversions.world_from_msg(message))
        else:
            self._served_hash = message.hash
            self._node.resume(self._fetching)
            self._on_fetch_timer()

    def _on_fetch_timer(self) -> None:
        if self._tasks is None:
            return
        # Before a world is served, the mdp node can say why there is none.
        if self.task is None or self.task.hash != self._served_hash:
            self._tasks.fetch()
        else:
            self._fetching.cancel()

    def _on_fetched_task(self, task: Task) -> None:
        if task.hash == self._served_hash:      # or else it has been replaced on the way
            self.task = self._listed = task
            self._places = ()
            self._see_places(task, self.belief)
            self._see_world(task.world)

    def _see_places(self, listed: Task | None, belief: BeliefRecord | None) -> None:
        """Let the task grow, or shrink, with the belief about it."""
        if listed is not None and belief is not None and belief.task_hash == listed.hash \
                and belief.places != self._places:
            self.task, self._places = with_places(listed, belief.places), belief.places

    def _see_world(self, world: World) -> None:
        self.world = world
        with contextlib.suppress(GbsIrlError):      # it may be of another task, and not fit
            self._read_policy()
        self._on_change('world')

    def _on_policy(self, message: msg.Policy) -> None:
        self._policy_message = message
        try:
            self._read_policy()
        finally:
            self._on_change('policy')

    def _read_policy(self) -> None:
        """Read the newest policy: what its actions are is known with the world."""
        self.policy = None      # one that cannot be read leaves none, and no robot obeys it
        if self.world is not None and self._policy_message is not None:
            self.policy = conversions.policy_from_msg(
                self._policy_message, self.world.mdp.num_actions)
