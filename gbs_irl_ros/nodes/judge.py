"""The judge node: waits for a lesson to end, lets the robot drive, and says how it went."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from std_srvs.srv import SetBool

from gbs_irl_ros.core.errors import GbsIrlError, InvalidMdpError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.verdict import judge
from gbs_irl_ros.learning.execution import ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.records import NOT_ESTIMATED, BeliefRecord, PolicyRecord, Status
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.links.lesson_topics import LessonWatcher
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.starting.missing_modules import how_to_install
from gbs_irl_ros.tasks import load_task_file
from gbs_irl_ros.tasks.growth import with_places
from gbs_irl_ros.tasks.pictures.drawing import draw_world
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

WATCH_PERIOD_S = 0.25
ASK_AGAIN_S = 2.0
PASSED, FAILED = 0, 1
ENDED = (ExecutionStatus.GOAL, ExecutionStatus.STAYING)


@dataclass(frozen=True)
class JudgeParameters(NodeParameters):
    """Parameters of the judge node."""

    task: str = parameter(DEFAULT_TASK, 'The task file; its truth is what should be learned.')
    picture: str = parameter('', 'Where to draw the learned policy (PNG); empty: nowhere.')
    lesson_timeout: float = parameter(
        600.0, 'How long the lesson may take [s].', low=1.0, high=86400.0)
    drive_timeout: float = parameter(
        300.0, 'How long the drive may take [s].', low=1.0, high=86400.0)


class JudgeNode(BaseNode[JudgeParameters]):
    """
    Knows what is meant, and ends with exit code 0 only if the robot learned and did it.

    Subscribes: belief (Belief), policy (Policy), execution (Execution).
    Client of: controller/enable (std_srvs/SetBool).
    Parameters: see JudgeParameters.
    """

    def __init__(self) -> None:
        super().__init__('judge', JudgeParameters)
        if self.parameters is None:
            self.exit_code = FAILED
            return
        try:
            file = load_task_file(self.parameters.task)
            self._task, self._truth = file.task, file.truth
        except GbsIrlError as error:
            self.get_logger().error(f'nothing can be judged: {error}')
            self.exit_code = FAILED
            return
        self._path: list[int] = []
        self._driving_since: float | None = None
        self._allowed = False
        self._asked_at = 0.0
        self._started_at = self.steady()
        self._controller = self.client(SetBool, names.CONTROLLER_ENABLE)
        self._watcher = LessonWatcher(self, self._on_lesson, 'belief', 'policy', 'execution',
                                      world=self._task.world)
        self.every(WATCH_PERIOD_S, self._on_watch_timer)

    def _on_lesson(self, part: str) -> None:
        belief, policy, execution = (
            self._watcher.belief, self._watcher.policy, self._watcher.execution)
        if part == 'execution':
            self._follow(execution, policy)
            return
        if belief is not None and belief.status is Status.FAILED:
            self._conclude(f'the learner failed: {belief.status_text}')
        if belief is not None and belief.status is Status.STUCK:
            self._conclude(belief.status_text)
        if policy is None or belief is None or policy.sequence != belief.sequence:
            return      # they are published together, and arrive one after the other
        if policy.final and self._driving_since is None:
            if self._can_be_driven():
                self._driving_since = self.steady()
                self.get_logger().info('the lesson is over: the robot may drive now')
            else:
                self._conclude()

    def _follow(self, execution: ExecutionRecord, policy: PolicyRecord | None) -> None:
        if self._driving_since is None or execution.state is None or self.exit_code is not None:
            return
        if not self._path or self._path[-1] != execution.state:
            self._path.append(execution.state)
        if execution.status in ENDED and policy is not None \
                and execution.sequence == policy.sequence:
            self._conclude()

    def _on_watch_timer(self) -> None:
        now, parameters = self.steady(), self.parameters
        if self.exit_code is not None or parameters is None:
            return
        if self._driving_since is None:
            if now - self._started_at > parameters.lesson_timeout:
                self._conclude(f'the lesson is not over after {parameters.lesson_timeout:g} s')
        elif now - self._driving_since > parameters.drive_timeout:
            self._conclude(f'the robot has not arrived after {parameters.drive_timeout:g} s')
        elif not self._allowed and now - self._asked_at > ASK_AGAIN_S \
                and self._controller.service_is_ready():
            self._asked_at = now
            self.when_done(self._controller.call_async(SetBool.Request(data=True)),
                           self._on_allowed)

    def _on_allowed(self, future: Any) -> None:
        self._allowed = future.result().success

    def _can_be_driven(self) -> bool:
        """Return whether there are cells to drive to, and one where the task is accomplished."""
        try:
            CellMap(self._task.world)
        except InvalidMdpError:
            return False
        return len(self._task.goal_states(self._truth.index)) > 0

    def _conclude(self, problem: str = '') -> None:
        """Say how it went, and end."""
        if self.exit_code is not None:
            return
        policy, belief, say = self._watcher.policy, self._watcher.belief, self.get_logger().info
        say('-' * 60)
        if policy is None or belief is None or not policy.final:
            self.get_logger().error(problem or 'there is no policy')
            self.get_logger().info('the task was NOT learned')
            self.exit_code = FAILED
            return
        verdict = judge(self._task, self._truth, policy.policy, self._path)
        say(f'meant:    {self._truth.name}')
        task = with_places(self._task, belief.places)
        say(f'learned:  {task.candidates.name(belief.map_hypothesis)} '
            f'(probability {belief.map_probability:.3f}, '
            f'none of these {belief.none_of_these:.3f})')
        say(f'answers:  {belief.answers}{_reliability(belief)}')
        say(f'promised: {belief.claim or "nothing: the lesson was ended otherwise"}')
        say(f'verdict:  {verdict}')
        self._say_path(say)
        self._draw(policy, belief)
        if problem:
            self.get_logger().error(problem)
        passed = verdict.passed and not problem
        say('the task was learned' + (' and done' if self._path else '') if passed
            else 'the task was NOT learned as it was meant' if not verdict.learned
            else 'the robot drove over what it must never enter' if verdict.trespassed
            else 'the robot did NOT reach what was meant')
        self.exit_code = PASSED if passed else FAILED

    def _say_path(self, say: Any) -> None:
        if self._path:
            name = self._task.world.state_name
            say(f'driven:   {len(self._path) - 1} cells from {name(self._path[0])} to '
                f'{name(self._path[-1])}')

    def _draw(self, policy: PolicyRecord, belief: BeliefRecord) -> None:
        if self.parameters is None or not self.parameters.picture:
            return
        file, index = Path(self.parameters.picture), belief.map_hypothesis
        try:
            draw_world(self._task.world, file, policy=policy.policy, path=self._path,
                       reward=with_places(self._task, belief.places).rewards.by_state(index),
                       title=f'{self._task.world.name}: learned from {belief.answers} answers')
        except ModuleNotFoundError as error:
            name = error.name or 'matplotlib'
            self.get_logger().warning(
                f'no picture: there is no Python module {name!r}; {how_to_install(name)}')
        else:
            self.get_logger().info(f'picture:  {file}')


def _reliability(belief: BeliefRecord) -> str:
    return '' if belief.error_rate == NOT_ESTIMATED \
        else f'; the learner estimates that {belief.error_rate:.0%} of them are wrong'


def main() -> int:
    """Run the node."""
    return run_node(JudgeNode)


if __name__ == '__main__':
    raise SystemExit(main())
