"""The teleop node: a person teaches in a terminal, with one key for everything."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from dataclasses import dataclass

from gbs_irl_ros.languages.catalogue import CatalogueError
from gbs_irl_ros.languages.speaking import speak, tr, wanted_language
from gbs_irl_ros.launching.process_table import command_for_a_terminal, repeated_arguments
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.executors import WaitingExecutor
from gbs_irl_ros.ros.links.joystick_link import JoystickLink, TeacherParameters
from gbs_irl_ros.ros.links.teacher_link import TeacherLink
from gbs_irl_ros.ros.parameters import ParameterError, parameter
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.teaching.terminal.background_calls import BackgroundCalls
from gbs_irl_ros.teaching.terminal.conversation import STOP_IS_LATE, Conversation
from gbs_irl_ros.teaching.terminal.dialogue import PlainScreen, look
from gbs_irl_ros.teaching.terminal.terminal import Terminal

LAST_LOOK_S = 1.0       # how long the end of the node waits for the conversation's


@dataclass(frozen=True)
class TeleopParameters(TeacherParameters):
    """Parameters of the teleop node."""

    language: str = parameter(
        '', 'Language of the screen, such as en or de; empty: that of the environment (LANG), or '
        'English.', fixed=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            wanted_language(self.language, os.environ)
        except CatalogueError as error:
            raise ParameterError(f"parameter 'language': {error}") from None


class TeleopNode(BaseNode[TeleopParameters]):
    """
    Shows each question on a screen of text and takes the answer by a key; drives and records.

    Without a keyboard, as `ros2 launch` starts it, it says how to run it and does nothing else.

    Topics and services: see TeacherLink, JoystickLink. Parameters: see TeleopParameters.
    """

    def __init__(self, terminal: Terminal | None = None) -> None:
        super().__init__('teleop', TeleopParameters)
        speak(wanted_language(self.parameters.language if self.parameters else '', os.environ))
        self._terminal = terminal
        if terminal is None:
            command = command_for_a_terminal('teleop', repeated_arguments(sys.argv))
            self._status_text = ('there is no keyboard here, so nobody can be asked: run '
                                 f'`{command}` in a terminal of its own')
            self.get_logger().warning(self._status_text)
            return
        self._link = TeacherLink(self, terminal.wake)
        self._conversation = Conversation(self._link, BackgroundCalls(
            self._say, tr(STOP_IS_LATE)).add)
        JoystickLink(self, self._link, self._say)
        terminal.on_suspend = self._conversation.leave
        terminal.open()
        self._talking = threading.Thread(target=self._talk, args=(terminal,), daemon=True)
        self._talking.start()

    def health(self) -> Health:
        """Return whether the person is being asked."""
        if self._terminal is None:
            return Health(Level.WARN, self._status_text)
        question = self._link.question_box.question
        return Health(Level.OK, question.sentence if question else 'no question is open',
                      {'kept': self._link.num_kept})

    def finish(self) -> None:
        """Let go of the robot, of the terminal and of a waiting question."""
        if self._terminal is None:
            return
        if self.exit_code is None:
            self.exit_code = 0
        try:
            self._conversation.leave()
            self._terminal.wake()
            self._talking.join(LAST_LOOK_S)
        finally:
            self._terminal.close()
            self._link.close()

    # ---- the conversation, in its own thread ----------------------------------------------------

    def _talk(self, terminal: Terminal) -> None:
        try:
            plain_screen, wait_s = PlainScreen(), 0.0
            while self.exit_code is None:
                wait_s = look(terminal, self._conversation, plain_screen, self._link.lesson,
                              wait_s)
                if self._conversation.is_over:
                    self.end(0)
        except Exception:
            self.get_logger().fatal(f'a fault in the conversation\n{traceback.format_exc()}')
            self.end(1)

    def _say(self, message: str) -> None:
        self._conversation.say(message)
        if self._terminal is not None:
            self._terminal.wake()


def main() -> int:
    """Run the node; whatever ends it, the terminal is given back."""
    if not Terminal.is_there():
        return run_node(TeleopNode, executor=WaitingExecutor)
    with Terminal() as terminal:
        return run_node(lambda: TeleopNode(terminal), executor=WaitingExecutor,
                        owns_terminal=True)


if __name__ == '__main__':
    raise SystemExit(main())
