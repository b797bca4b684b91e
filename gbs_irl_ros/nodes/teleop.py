"""The teleop node: a person at a terminal answers the learner's questions."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from std_srvs.srv import Trigger

from gbs_irl_ros import msg
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.records import BeliefRecord, QuestionRecord, Status
from gbs_irl_ros.lessons.typed_answers import NON_ANSWERS, QUIT, UNDO, choices, parse, picture
from gbs_irl_ros.ros import conversions, names, qos, task_conversions
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.ros.teacher_service import TeacherService
from gbs_irl_ros.tasks.world import World

LOOK_EVERY_S = 0.2
BELIEF_TIMEOUT_S = 0.5


@dataclass(frozen=True)
class TeleopParameters(NodeParameters):
    """Parameters of the teleop node."""


class TeleopNode(BaseNode[TeleopParameters]):
    """
    Shows each question as text and takes the answer from the keyboard, a line each.

    Serves: query_demonstrator (QueryDemonstrator). Subscribes: task (Task), belief (Belief).
    Client of: learner/undo (std_srvs/Trigger).
    """

    def __init__(self, lines: TextIO = sys.stdin, screen: TextIO = sys.stdout) -> None:
        super().__init__('teleop', TeleopParameters)
        self._world: World | None = None
        self._belief: BeliefRecord | None = None
        self._belief_changed = threading.Condition()
        self._shown_status: Status | None = None
        self._answered = ''     # the question that needs no showing any more
        self._lines, self._screen = lines, screen
        self._learner = self.client(Trigger, names.LEARNER_UNDO)
        self._desk = TeacherService(self).desk
        self.subscribe(msg.Task, names.TASK, self._on_task, qos.LATCHED)
        self.subscribe(msg.Belief, names.BELIEF, self._on_belief, qos.LATCHED)
        # A thread that reads the keyboard cannot be woken; it ends with the process.
        threading.Thread(target=self._talk, daemon=True).start()

    def health(self) -> Health:
        """Return whether the person is being asked."""
        question = self._desk.question
        return Health(Level.OK, question.sentence if question else 'no question is open',
                      {'kept': self._desk.num_kept})

    def finish(self) -> None:
        """Let a waiting question go."""
        self._desk.close()

    def _on_task(self, message: msg.Task) -> None:
        self._world = task_conversions.world_from_msg(message)

    def _on_belief(self, message: msg.Belief) -> None:
        belief = conversions.belief_from_msg(message)
        with self._belief_changed:
            self._belief = belief
            self._belief_changed.notify_all()
        self._desk.withdraw(belief.question_id)
        if belief.status is not self._shown_status and belief.status is not Status.ASKING:
            self._say(f'\n{belief.status_text}')
        self._shown_status = belief.status

    # ---- the conversation, in its own thread ----------------------------------------------------

    def _talk(self) -> None:
        while self.context.ok():
            question = self._desk.wait_for_question(self._answered, LOOK_EVERY_S)
            world = self._world
            if question is None or world is None:
                continue
            self._wait_for_belief(question.id)
            self._show(question, world)
            self._answered = question.id
            if not self._hear(question, world, self._say):
                self.exit_code = 0
                return

    def _wait_for_belief(self, question_id: str) -> None:
        """Let the belief arrive that belongs to a question: it comes a moment later."""
        with self._belief_changed:
            self._belief_changed.wait_for(
                lambda: self._belief is not None and self._belief.question_id == question_id,
                BELIEF_TIMEOUT_S)

    def _show(self, question: QuestionRecord, world: World) -> None:
        belief = self._belief
        known = f'   [{belief.map_probability:.0%} sure, about {belief.expected_questions} more ' \
                f'questions]' if belief and belief.expected_questions else ''
        self._say(f'\n{picture(world, question.question.state)}\n{question.sentence}{known}\n'
                  f'{choices(question.question, world)}; {NON_ANSWERS}')

    def _hear(self, question: QuestionRecord, world: World, say: Callable[[str], None]) -> bool:
        """Read lines until one of them answers the question; return False to end."""
        while True:
            self._screen.write('> ')
            self._screen.flush()
            line = self._lines.readline()
            typed = line.strip()
            if not line or typed == QUIT:
                return False
            try:
                if typed == UNDO:
                    self._undo()
                    return True
                self._desk.answer(question.id, parse(typed, question.question, world),
                                  self.get_name(), self.stamp())
                return True
            except GbsIrlError as error:
                say(str(error))
                if self._desk.question is None or self._desk.question.id != question.id:
                    return True     # it is not asked any more

    def _undo(self) -> None:
        if not self._learner.service_is_ready():
            raise GbsIrlError('the learner cannot be reached just now; try again')
        self.when_done(self._learner.call_async(Trigger.Request()), self._on_undone)

    def _on_undone(self, future: Any) -> None:
        response = future.result()
        self._say('taken back' if response.success else response.message)
        if not response.success:
            self._answered = ''     # the same question is still open: show it again

    def _say(self, text: str) -> None:
        self._screen.write(f'{text}\n')
        self._screen.flush()


def main() -> int:
    """Run the node."""
    return run_node(TeleopNode, parallel=True)


if __name__ == '__main__':
    raise SystemExit(main())
