"""Watches a lesson and the robot over ROS, and shows what changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gbs_irl_ros import msg
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.learning.records import BeliefRecord, HistoryRecord, PolicyRecord, QuestionRecord
from gbs_irl_ros.learning.status_texts import execution_text
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links.lesson_services import LessonServices
from gbs_irl_ros.ros.links.person_drive import PersonDrive
from gbs_irl_ros.ros.links.task_client import TaskClient
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.teaching.web import views

FETCH_PERIOD_S = 0.5
ROBOT_PERIOD_S = 0.1
SILENT_AFTER_S = 1.5        # without a heartbeat for so long, the learner counts as gone
STEPS_SHOWN = 50

Show = Callable[[str, Any], None]


class LessonWatcher:
    """
    Shows the sections world, question, here, belief, policy, history and robot.

    Subscribes: world (World), policy (Policy), history (History), heartbeat (Heartbeat).
    Client of: get_task (GetTask).

    task, belief, policy, history: the newest, None before there is one.
    """

    def __init__(self, node: BaseNode, driver: PersonDrive, remote: LessonServices,
                 show: Show) -> None:
        self.task: Task | None = None
        self.belief: BeliefRecord | None = None
        self.policy: PolicyRecord | None = None
        self.history: HistoryRecord | None = None
        self._question: QuestionRecord | None = None
        self._node, self._driver, self._remote, self._show = node, driver, remote, show
        self._heard_at = -np.inf
        self._early_policy: msg.Policy | None = None
        self._tasks = TaskClient(node, self._on_fetched_task)
        node.subscribe(msg.World, names.WORLD, self._on_world, qos.LATCHED)
        node.subscribe(msg.Policy, names.POLICY, self._on_policy, qos.LATCHED)
        node.subscribe(msg.History, names.HISTORY, self._on_history, qos.LATCHED)
        node.subscribe(msg.Heartbeat, names.HEARTBEAT, self._on_heartbeat, qos.HEARTBEATS)
        node.every(FETCH_PERIOD_S, self._on_fetch_timer)
        node.every(ROBOT_PERIOD_S, self.show_robot)

    def see_question(self, record: QuestionRecord | None) -> None:
        """Show what is asked now."""
        task = self.task
        if record is not None and task is not None:
            record.question.check_fits(task.world.mdp)
        self._question = record
        if record is None or task is None:
            self._show('question', None)
        else:
            self._show('question', views.question_view(record, task))
        self._show_here()

    def see_belief(self, belief: BeliefRecord) -> None:
        """Show how far the lesson is."""
        self.belief = belief
        self._show('belief', views.belief_view(belief, self._task_of(belief.task_hash)))
        self._show_policy()     # the reward that is expected comes from the belief

    def start_state(self) -> int:
        """Return where the robot is, or where it would start."""
        if self._driver.state is not None:
            return self._driver.state
        return 0 if self.task is None else int(np.argmax(self.task.world.start))

    def _on_world(self, message: msg.World) -> None:
        if self.task is not None and message.hash != self.task.hash:
            self.task = self.policy = None
            self._show_policy()
        self._on_fetch_timer()

    def _on_fetch_timer(self) -> None:
        if self.task is None:
            self._tasks.fetch()

    def _on_fetched_task(self, task: Task) -> None:
        self.task = task
        self._driver.see_world(task.world)
        self._show('world', views.world_view(task.world))
        try:
            self.see_question(self._question)
        except GbsIrlError:     # it was about the task before
            self.see_question(None)
        if self.belief is not None:
            self.see_belief(self.belief)
        if self._early_policy is not None:
            self._on_policy(self._early_policy)

    def _on_policy(self, message: msg.Policy) -> None:
        task = self._task_of(message.task_hash)
        self._early_policy = message if task is None else None
        if task is None:
            return
        self.policy = conversions.policy_from_msg(message, task.world.mdp.num_actions)
        self._show_here()
        self._show_policy()

    def _on_history(self, message: msg.History) -> None:
        self.history = conversions.history_from_msg(message)
        self._show('history', views.history_view(self.history))

    def _on_heartbeat(self, message: msg.Heartbeat) -> None:
        self._heard_at = self._node.steady()

    def _task_of(self, task_hash: str) -> Task | None:
        return self.task if self.task is not None and self.task.hash == task_hash else None

    def _show_policy(self) -> None:
        task, record, belief = self.task, self.policy, self.belief
        if task is None or record is None:
            self._show('policy', None)
            return
        fits = belief is not None and belief.task_hash == task.hash
        self._show('policy', views.policy_view(
            record.policy, record.final, task, belief if fits else None))

    def _show_here(self) -> None:
        """Show what the robot would do where it asks."""
        question, policy = self._question, self.policy
        known = question is not None and policy is not None
        self._show('here', views.here_view(policy.policy, question.question.state)
                   if known else None)

    def show_robot(self) -> None:
        """Show where the robot is and what it does."""
        driver, execution = self._driver, self._driver.execution
        self._show('robot', {
            'learner': self._node.steady() - self._heard_at < SILENT_AFTER_S,
            'controller': self._remote.is_there(names.CONTROLLER_STOP),
            'pose': self._pose_view(), 'state': driver.state,
            'status': None if execution is None else execution.status.value,
            'reason': None if execution is None else execution.reason.value,
            'text': '' if execution is None else execution_text(execution, 'press Go'),
            'driving': driver.is_driving, 'gave_up': driver.gave_up,
            'corrects': driver.corrects, 'recording': driver.recording,
            'steps': [list(step) for step in driver.steps[-STEPS_SHOWN:]],
            'num_steps': len(driver.steps)})

    def _pose_view(self) -> list[float] | None:
        """Return column, row and heading [degrees, clockwise from the right] on the layout."""
        pose, task = self._driver.pose, self.task
        if pose is None or task is None or task.world.appearance.positions is None:
            return None
        positions, size = task.world.appearance.positions, task.world.appearance.cell_size
        if size <= 0.0:
            return None
        left, top = positions[:, 0].min(), positions[:, 1].max()
        return [round(float((pose.x - left) / size), 2), round(float((top - pose.y) / size), 2),
                round(float(-np.degrees(pose.yaw)))]
