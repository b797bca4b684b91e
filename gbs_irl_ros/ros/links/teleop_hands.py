"""What a person at the keyboard of the teleop node can have done, over ROS."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.records import BeliefRecord, DemonstrationRecord, QuestionRecord
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links.demonstration_sender import DemonstrationSender
from gbs_irl_ros.ros.links.lesson_services import LessonServices
from gbs_irl_ros.ros.links.person_drive import PersonDrive
from gbs_irl_ros.teaching.question_box import QuestionBox
from gbs_irl_ros.teaching.terminal.background_calls import BackgroundCalls

ARRIVES_WITHIN_S = 3.0      # an answer, before it can be taken back


class TeleopHands:
    """
    Carries out what keys mean; see ``lessons.conversation.Hands``.

    What another node must do is an errand, so that the keyboard never waits. Stopping does not
    stand in line with the others.
    """

    def __init__(self, node: BaseNode, question_box: QuestionBox, policy: Callable[[], Policy],
                 say: Callable[[str], None]) -> None:
        """
        Create what is needed of ROS.

        :param policy: returns the latest policy, or raises.
        :param say: shows a message to the person.
        """
        self.driver = PersonDrive(node)
        self.policy = policy
        self._node, self._question_box = node, question_box
        self._remote = LessonServices(node)
        self._sender = DemonstrationSender(node)
        self._errands, self._stopping = BackgroundCalls(say), BackgroundCalls(say)
        self._arrived = threading.Condition()

    @property
    def on_their_way(self) -> int:
        """Return how many answers and demonstrations the learner has not acknowledged."""
        return self._question_box.num_kept + self._sender.num_kept

    def learner_is_there(self) -> bool:
        """Return whether somebody serves what a learner does."""
        return self._remote.is_there(names.LEARNER_UNDO)

    def see_belief(self, belief: BeliefRecord) -> None:
        """Note what the learner has."""
        self._sender.acknowledge(belief.acknowledged)
        with self._arrived:
            self._arrived.notify_all()

    # ---- the lesson -----------------------------------------------------------------------------

    def answer(self, question: QuestionRecord, answer: Answer) -> None:
        """Answer the question."""
        self._question_box.answer(question.id, answer, self._node.get_name(), self._node.stamp())

    def undo(self) -> None:
        """Take the last answer back, as soon as the learner has it."""
        self._errands.add(self._undo)

    def ask(self, going_on: bool) -> None:
        """Have the learner pause, or go on."""
        name = names.LEARNER_START if going_on else names.LEARNER_PAUSE
        self._errands.add(lambda: self._call(name, 'going on' if going_on else 'paused'))

    def finish(self) -> None:
        """Say that it is good enough."""
        self._errands.add(lambda: self._call(names.LEARNER_FINISH, 'good enough'))

    def _undo(self) -> str:
        with self._arrived:
            if not self._arrived.wait_for(
                    lambda: not self._question_box.num_kept, ARRIVES_WITHIN_S):
                raise GbsIrlError('the learner has not got your last answer yet, so it cannot '
                                  'take it back; try again in a moment')
        return self._call(names.LEARNER_UNDO, 'taken back')

    def _call(self, name: str, done: str, **fields: Any) -> str:
        self._remote.call(name, **fields)
        return done

    # ---- the robot ------------------------------------------------------------------------------

    def go(self) -> None:
        """Let the robot do what was learned."""
        self._errands.add(lambda: self._call(
            names.CONTROLLER_ENABLE, 'the robot may drive; Space stops it', data=True))

    def stop(self) -> None:
        """Stop the robot, whatever moves it: what is driven here at once, then the controller."""
        self.halt()
        if self.driver.execution is not None or self._remote.is_there(names.CONTROLLER_STOP):
            self._stopping.add(lambda: self._call(names.CONTROLLER_STOP, 'STOPPED'))

    def drive(self, action: int) -> None:
        """Drive the robot by one action."""
        with self._node.exclusive():
            self.driver.drive(action)

    def halt(self) -> None:
        """Drive no further."""
        with self._node.exclusive():
            self.driver.halt()

    def record(self) -> None:
        """Record from now on what the robot does."""
        with self._node.exclusive():
            self.driver.start_recording()

    def send_recorded(self) -> int:
        """Send what was recorded as a demonstration; return how many steps it has."""
        with self._node.exclusive():
            shown = self.driver.stop_recording()
            if shown is None:
                return 0
            self._sender.send(DemonstrationRecord(
                uuid.uuid4().hex, shown, self._node.get_name(), stamp=self._node.stamp()))
        return len(shown.steps)

    def quit(self) -> None:
        """End the node."""
        self._node.exit_code = 0
