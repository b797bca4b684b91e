"""The teleop node: a person teaches in a terminal, with one key for everything."""

from __future__ import annotations

import sys
import threading
import traceback
from dataclasses import dataclass

from gbs_irl_ros import msg
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.launching.process_table import command_for_a_terminal, remapping_rules
from gbs_irl_ros.learning.records import BeliefRecord, HistoryRecord, QuestionRecord, Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.links.task_client import TaskClient
from gbs_irl_ros.ros.links.teacher_service import TeacherService
from gbs_irl_ros.ros.links.teleop_hands import TeleopHands
from gbs_irl_ros.ros.messages import conversions, task_conversions
from gbs_irl_ros.ros.robot.backends import RobotParameters
from gbs_irl_ros.ros.running import WaitingExecutor, run_node
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.lesson_snapshot import Situation
from gbs_irl_ros.teaching.reward_scale import Mark, reward_scale
from gbs_irl_ros.teaching.terminal.conversation import Conversation
from gbs_irl_ros.teaching.terminal.log_lines import headline
from gbs_irl_ros.teaching.terminal.plain_screen import PlainScreen
from gbs_irl_ros.teaching.terminal.screen import draw
from gbs_irl_ros.teaching.terminal.styled_text import ansi
from gbs_irl_ros.teaching.terminal.terminal import HANGUP, Terminal

LOOK_EVERY_S = 0.1          # how often what moves is drawn anew
FETCH_EVERY_S = 0.25
SILENT_AFTER_S = 2.0        # without a heartbeat the learner may be gone
LAST_LOOK_S = 1.0           # how long the end of the node waits for the conversation's


@dataclass(frozen=True)
class TeleopParameters(RobotParameters):
    """Parameters of the teleop node."""


class TeleopNode(BaseNode[TeleopParameters]):
    """
    Shows each question on a screen of text and takes the answer by a key; drives and records.

    Without a keyboard, as `ros2 launch` starts it, it says how to run it and does nothing else.

    Serves: query_demonstrator (QueryDemonstrator). Subscribes: world (World), belief (Belief),
    policy (Policy), history (History), heartbeat (Heartbeat), execution (Execution), odom
    (nav_msgs/Odometry). Publishes: demonstration (Demonstration), cmd_vel (Twist or
    TwistStamped), only while a person drives.
    Client of: get_task (GetTask), learner/start, learner/pause, learner/finish, learner/undo,
    learner/reset, controller/stop (std_srvs/Trigger), controller/enable (SetBool), learner/revise
    (Revise), ask_about (AskAbout).
    Parameters: see TeleopParameters.
    """

    def __init__(self, terminal: Terminal | None = None) -> None:
        super().__init__('teleop', TeleopParameters)
        self._terminal = terminal
        if terminal is None:
            self._status_text = ('there is no keyboard here, so nobody can be asked: run `'
                                 f'{command_for_a_terminal("teleop", remapping_rules(sys.argv))}` '
                                 'in a terminal of its own')
            self.get_logger().warning(self._status_text)
            return
        self._world: World | None = None
        self._task: Task | None = None          # fetched only for a scale of rewards
        self._belief: BeliefRecord | None = None
        self._history: HistoryRecord | None = None
        self._policy: msg.Policy | None = None
        self._num_policies = 0
        self._scale: tuple[str, tuple[Mark, ...]] = ('', ())
        self._beat_at = -SILENT_AFTER_S
        self._question_box = TeacherService(
            self, on_belief=self._on_belief,
            on_question=lambda _: terminal.wake()).question_box
        self._hands = TeleopHands(self, self._question_box, self._latest_policy, self._say)
        self._conversation = Conversation(self._hands)
        self._plain = PlainScreen()
        self._tasks = TaskClient(self, self._on_fetched_task)
        self.subscribe(msg.World, names.WORLD, self._on_world, qos.LATCHED)
        self.subscribe(msg.Policy, names.POLICY, self._on_policy, qos.LATCHED)
        self.subscribe(msg.History, names.HISTORY, self._on_history, qos.LATCHED)
        self.subscribe(msg.Heartbeat, names.HEARTBEAT, self._on_heartbeat, qos.HEARTBEATS)
        self.every(FETCH_EVERY_S, self._on_fetch_timer)
        terminal.on_suspend = self._conversation.leave
        terminal.open()
        self._talking = threading.Thread(target=self._talk, args=(terminal,), daemon=True)
        self._talking.start()

    def health(self) -> Health:
        """Return whether the person is being asked."""
        if self._terminal is None:
            return Health(Level.WARN, self._status_text)
        question = self._question_box.question
        return Health(Level.OK, question.sentence if question else 'no question is open',
                      {'kept': self._question_box.num_kept})

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
            self._question_box.close()

    # ---- what comes in --------------------------------------------------------------------------

    def _on_world(self, message: msg.World) -> None:
        self._world = task_conversions.world_from_msg(message)
        self._hands.driver.see_world(self._world)

    def _on_belief(self, belief: BeliefRecord) -> None:
        self._belief = belief
        self._question_box.withdraw(belief.question_id)
        self._hands.see_belief(belief)
        self._wake()

    def _on_policy(self, message: msg.Policy) -> None:
        self._policy = message
        self._num_policies += 1
        self._wake()

    def _on_history(self, message: msg.History) -> None:
        self._history = conversions.history_from_msg(message)
        self._wake()

    def _on_heartbeat(self, message: msg.Heartbeat) -> None:
        self._beat_at = self.steady()

    def _on_fetch_timer(self) -> None:
        question, world = self._question_box.question, self._world
        if question is not None and question.question.kind is QuestionKind.REWARD \
                and world is not None and (self._task is None or self._task.hash != world.hash):
            self._tasks.fetch()

    def _on_fetched_task(self, task: Task) -> None:
        self._task = task
        self._wake()

    # ---- the conversation, in its own thread ----------------------------------------------------

    def _talk(self, terminal: Terminal) -> None:
        try:
            while self.exit_code is None:
                self._look(terminal)
        except Exception:
            self.get_logger().fatal(f'a fault in the conversation\n{traceback.format_exc()}')
            self.exit_code = 1

    def _look(self, terminal: Terminal) -> None:
        for key in terminal.read(LOOK_EVERY_S):
            if key == HANGUP:
                self.exit_code = 0
                return
            self._conversation.see(self._situation())
            self._conversation.press(key)
        logged = terminal.logged
        if logged:
            self._conversation.say(headline(logged))
        self._conversation.see(self._situation())
        view = self._conversation.view()
        if terminal.is_full:
            terminal.show([ansi(line, styled=terminal.is_styled)
                           for line in draw(view, *terminal.size)])
        else:
            terminal.write_lines(self._plain.news(view))

    def _situation(self) -> Situation:
        driver, question, belief = self._hands.driver, self._question_box.question, self._belief
        lives = self.steady() - self._beat_at <= SILENT_AFTER_S
        if belief is not None and belief.status in (Status.WAITING, Status.FAILED):
            lives = self._hands.learner_is_there()      # its heart beats only in a lesson
        return Situation(
            world=self._world, question=question, scale=self._scale_of(question), belief=belief,
            history=self._history, learner_lives=lives, policies=self._num_policies,
            execution=driver.execution, robot=driver.state, driving=driver.is_driving,
            corrects=driver.corrects, recorded=len(driver.steps) if driver.recording else None,
            on_their_way=self._hands.on_their_way)

    def _scale_of(self, record: QuestionRecord | None) -> tuple[Mark, ...]:
        task, world = self._task, self._world
        if record is None or record.question.kind is not QuestionKind.REWARD or task is None \
                or world is None or task.hash != world.hash:
            return ()
        if self._scale[0] != record.id:
            record.question.check_fits(task.world.mdp)
            self._scale = (record.id, reward_scale(task, record.question))
        return self._scale[1]

    def _latest_policy(self) -> Policy:
        if self._policy is None or self._world is None:
            raise GbsIrlError('the learner has not said yet what it would do')
        record = conversions.policy_from_msg(self._policy, self._world.mdp.num_actions)
        if record.task_hash != self._world.hash:
            raise GbsIrlError('what the learner would do is about another task than this one')
        return record.policy

    def _say(self, message: str) -> None:
        self._conversation.say(message)
        self._wake()

    def _wake(self) -> None:
        if self._terminal is not None:
            self._terminal.wake()


def main() -> int:
    """Run the node; whatever ends it, the terminal is given back."""
    if not Terminal.is_there():
        return run_node(TeleopNode, executor=WaitingExecutor)
    with Terminal() as terminal:
        return run_node(lambda: TeleopNode(terminal), executor=WaitingExecutor)


if __name__ == '__main__':
    raise SystemExit(main())
