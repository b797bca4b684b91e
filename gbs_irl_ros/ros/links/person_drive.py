"""A person drives the robot by actions, and what the robot does may be recorded."""

from __future__ import annotations

import math
from collections.abc import Callable

from builtin_interfaces.msg import Duration

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import GbsIrlError, InvalidMdpError
from gbs_irl_ros.core.questions import MAX_STEPS
from gbs_irl_ros.driving.cell_driver import CellDriver
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.held_key import HeldKey
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.driving.step_recorder import StepRecorder
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.ros.robot.backends import RobotParameters, make_drive, make_pose_source
from gbs_irl_ros.ros.robot.cmd_vel import CmdVel
from gbs_irl_ros.tasks.world import World

PERIOD_S = 0.05
CONTROLLER_TIMEOUT_S = 3.0      # it speaks once a second
# Poses by which a person may drive: that is how a localisation becomes sure.
A_PERSON_MAY = (ExecutionReason.UNCERTAIN_POSE, ExecutionReason.UNCERTAIN_DIRECTION)
LET_GO_S = 1.0                  # without a try to drive, after a STOP that was held
PRESSED_STOP = marked('somebody has pressed STOP')
LEASE_EVERY_S = 0.1             # how often the controller hears that this still watches over it
HANGS_S = 0.3                   # it counts as hung when it is that late
SETTLED_S = 1.0                 # what it said before it was let go has arrived by then


class PersonDrive:
    """
    Knows where the robot is, drives it from cell to cell, and records.

    Who reports what a person drives: while the robot executes its task, the controller, as a
    correction; otherwise this, if recording was switched on, whatever moves the robot then: its
    own commands, or any joystick.

    Subscribes: execution (Execution), and what its pose source does. Publishes: cmd_vel (Twist or
    TwistStamped), only while a person drives; a page's node also watched
    (builtin_interfaces/Duration), while it watches over a robot that the person has started.

    execution: what the controller does, None if there is none.
    gave_up: why the robot did not get to where a person drove it, '' if it did or is on its way.
    on_watch: called when it begins, or ends, to watch over a robot that the person has started.
    """

    def __init__(self, node: BaseNode[RobotParameters],
                 on_new_controller: Callable[[], None] = lambda: None,
                 on_abandoned: Callable[[], None] = lambda: None,
                 minds_absence: Callable[[], bool] = lambda: False) -> None:
        """
        Create what is needed of ROS.

        :param on_new_controller: called when another controller speaks than before.
        :param on_abandoned: called when the controller drives because of a person who is gone,
            and must not.
        :param minds_absence: returns whether it must not.
        """
        self.execution: ExecutionRecord | None = None
        self.recording = False
        self.gave_up = ''
        self.on_watch: Callable[[bool], None] = lambda watches: None
        self._node = node
        self._on_new_controller, self._on_abandoned = on_new_controller, on_abandoned
        self._minds_absence = minds_absence
        self._in_charge = False         # whether the controller executes the task,
        self._told_at = 0.0             # as it said then
        self._sign_at = 0.0
        self._key = HeldKey()
        self._let_go_until = -math.inf
        self._started_at: float | None = None       # when the person let the controller drive
        self._watched = node.create_publisher(Duration, names.WATCHED, qos.COMMANDS) \
            if node.has_parameter('presence_timeout') else None
        self._lease_s, self._leased_at = 0.0, -math.inf     # what the controller was told, when
        self._cells: CellMap | None = None
        self._problem = 'the task is not known yet'
        self._driver: CellDriver | None = None
        self._recorder: StepRecorder | None = None
        self._recorded: tuple[tuple[int, int], ...] = ()
        self._cmd_vel = CmdVel(node)
        self._drive = make_drive(node, self._cmd_vel)
        self._poses = make_pose_source(node, self._on_pose)
        node.subscribe(msg.Execution, names.EXECUTION, self._on_execution, qos.LATCHED)
        self._timer = node.every(PERIOD_S, self._on_timer)     # ticks while somebody drives

    def see_world(self, world: World) -> None:
        """Learn where the states are."""
        self.halt()
        self.recording, self._cells, self._driver, self._recorder = False, None, None, None
        self._recorded, self._problem = (), ''
        try:
            self._cells = CellMap(world)
        except InvalidMdpError as error:
            self._problem = str(error)
            return
        self._driver = CellDriver(self._cells, self._drive)
        self._recorder = StepRecorder(self._cells)

    @property
    def pose(self) -> Pose | None:
        """Return where the robot is in the frame of the task, None if it has not said."""
        return self._poses.pose

    @property
    def state(self) -> int | None:
        """Return where the robot is, None if it has not said or is outside all cells."""
        if self._cells is None or self.pose is None:
            return None
        return self._cells.state_at(self.pose.x, self.pose.y)

    def _pose_trouble(self) -> Reason | None:
        """Return why the robot cannot be driven by its pose, None if it can."""
        parameters, now = self._node.parameters, self._node.steady()
        wrong = self._poses.trouble(now)
        if wrong is not None and wrong[0] not in A_PERSON_MAY:
            return wrong
        if self.pose is None or parameters is None:
            return ExecutionReason.NO_ODOMETRY, ()
        return None if now - self._poses.seen_at <= parameters.odometry_timeout else (
            ExecutionReason.OLD_ODOMETRY, (f'{parameters.odometry_timeout:.1f}',))

    @property
    def is_driving(self) -> bool:
        """Return whether a person's command is being carried out."""
        return self._driver is not None and self._driver.is_driving

    @property
    def corrects(self) -> bool:
        """Return whether driving now is a correction, which the controller reports."""
        return self._in_charge and self._node.steady() - self._told_at <= CONTROLLER_TIMEOUT_S

    @property
    def _is_held(self) -> bool:
        """Return whether the controller holds a STOP against whoever drives."""
        return self.execution is not None and self.execution.reason is ExecutionReason.HELD \
            and self._node.steady() - self._told_at <= CONTROLLER_TIMEOUT_S

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Return what has been recorded so far."""
        return self._recorded

    def drive(self, action: int, asked_at: float | None = None) -> None:
        """
        Drive on by one action; raise if that cannot be.

        :param asked_at: when the person wanted that: a command that has waited for its turn is no
            sign that the person is still there.
        """
        if self._driver is None:
            raise GbsIrlError(self._problem)
        if self._is_held or self._node.steady() < self._let_go_until:
            self._let_go_until = self._node.steady() + LET_GO_S     # a key that stays pressed
            raise GbsIrlError(tr('{why}: let go for a second', why=tr(PRESSED_STOP)))
        trouble = self._pose_trouble()
        if trouble is not None:
            raise GbsIrlError(tr('the robot does not say where it is: {why}', why=_words(trouble)))
        self._key.see(action, self._node.steady())      # also before a wall
        self._driver.go(action, self.pose, self._node.steady())
        self.gave_up = ''
        self._sign_at = max(self._sign_at, self._node.steady() if asked_at is None else asked_at)
        self._node.resume(self._timer)

    def person_is_there(self) -> None:
        """Note a sign of the person who drives; on the page they come all the time."""
        self._sign_at = self._node.steady()

    def person_started(self) -> None:
        """Note that the person has let the controller drive."""
        with self._node.exclusive():
            self.person_is_there()
            self._watch(self._sign_at)
            self._node.resume(self._timer)

    def _watch(self, started_at: float | None) -> None:
        """Begin or end to watch whether the person is still there for what the robot does."""
        changes = (started_at is None) != (self._started_at is None)
        self._started_at = started_at
        if changes:
            self.on_watch(started_at is not None)

    def _lease(self, seconds: float) -> None:
        """Let the controller drive for so long, until it hears the next; 0: for ever."""
        now, before = self._node.steady(), self._lease_s
        if self._watched is not None and (
                seconds != before or (seconds and now - self._leased_at >= LEASE_EVERY_S)):
            self._lease_s, self._leased_at = seconds, now
            self._watched.publish(Duration(sec=int(seconds), nanosec=int(seconds % 1.0 * 1e9)))

    def halt(self) -> None:
        """Stop driving."""
        if self._driver is not None:
            self._driver.halt(self._node.steady())

    def start_recording(self) -> None:
        """Record from now on what the robot does; raise if the controller reports that."""
        if self._recorder is None:
            raise GbsIrlError(self._problem)
        if self.corrects:
            raise GbsIrlError(tr('the robot is doing its task: what you drive now is taken as a '
                                 'correction by itself. Stop it to record a demonstration'))
        self._recorder.clear()
        self._recorded, self.recording = (), True

    def stop_recording(self) -> DemonstrationAnswer | None:
        """Return what was recorded, None if nothing."""
        steps, self._recorded, self.recording = self._recorded, (), False
        return DemonstrationAnswer(steps) if steps else None

    def _on_pose(self) -> None:
        if self.recording and self._recorder is not None:
            # What the robot does by itself is not a demonstration.
            self._recorder.see(None if self.corrects else self.state)
            seen = self._recorder.take()
            if seen is not None:
                self._recorded = (self._recorded + seen.steps)[:MAX_STEPS]

    def _on_execution(self, message: msg.Execution) -> None:
        before, self.execution = self.execution, conversions.execution_from_msg(message)
        self._told_at = self._node.steady()
        if before is None or before.challenge != self.execution.challenge:
            self._on_new_controller()
        if self.execution.needs_permission and self._started_at is not None \
                and self._told_at - self._started_at > SETTLED_S:
            self._watch(None)       # it has been stopped: who lets it drive next is in charge
            self._lease(0.0)
        if self.execution.status is not ExecutionStatus.MANUAL:
            self._in_charge = self.execution.status is not ExecutionStatus.STOPPED
        if self._is_held and self.is_driving:
            self._let_go_until = self._told_at + LET_GO_S
            self.halt()
            self._give_up(tr(PRESSED_STOP))

    def _on_timer(self) -> None:
        parameters, now = self._node.parameters, self._node.steady()
        timeout_s = getattr(parameters, 'presence_timeout', None)
        is_gone = timeout_s is not None and now - self._sign_at > timeout_s
        if self._started_at is not None and timeout_s is not None:
            minds = self._minds_absence()
            if not minds:
                self._lease(0.0)
            elif not is_gone:
                self._lease(timeout_s + HANGS_S)
            if is_gone:
                self._watch(None)
            if is_gone and minds:
                self._on_abandoned()
                self._give_up(tr('the page was not heard for {seconds:.1f} s', seconds=timeout_s))
        if self._driver is None or not self._driver.is_driving or parameters is None:
            if self._started_at is None:
                self._timer.cancel()
            return
        trouble = self._pose_trouble()
        if self.pose is None or trouble is not None:
            self.halt()
            self._give_up(_words(trouble or (ExecutionReason.NO_ODOMETRY, ())))
            return
        if is_gone:
            self.halt()
            self._give_up(tr('the page was not heard for {seconds:.1f} s', seconds=timeout_s))
            return
        if timeout_s is None and self._key.is_released(now):    # pages give other signs
            self.halt()
            return
        self._drive.limits = parameters.limits
        self._driver.step(self.pose, now)
        if self._driver.gave_up:
            self._give_up(tr('it does not get to the next cell; is something in its way?')
                          if self._driver.trouble is None else _words(self._driver.trouble))

    def _give_up(self, why: str) -> None:
        self.gave_up = tr('The robot was stopped on its way: {why}', why=why)
        self._node.get_logger().warning(self.gave_up)


def _words(reason: Reason) -> str:
    return execution_text(ExecutionRecord(ExecutionStatus.STOPPED, *reason), tr('drive it again'))
