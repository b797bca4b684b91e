"""The controller node: the robot does what was learned, as long as that is safe and sure."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Duration
from std_srvs.srv import SetBool, Trigger

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.drive_decision import DriveDecider
from gbs_irl_ros.driving.gate import HEARTBEAT_TIMEOUT_S, Reason
from gbs_irl_ros.driving.lifecycle import (
    ACTIVATE,
    CLEAN_UP,
    CONFIGURE,
    DEACTIVATE,
    INACTIVE,
    NEXT,
    SHUT_DOWN,
    UNCONFIGURED,
    LifecycleError,
    State,
)
from gbs_irl_ros.driving.living_publishers import LivingPublishers
from gbs_irl_ros.driving.pose import InvalidMotionError, Velocity
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.records import DemonstrationRecord
from gbs_irl_ros.learning.saved_policy import load_policy
from gbs_irl_ros.learning.shared_key import load_shared_key
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, accepted
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.links.lesson_topics import LessonWatcher
from gbs_irl_ros.ros.links.lifecycle_services import LifecycleServices
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.robot.backends import RobotParameters, make_drive, make_pose_source
from gbs_irl_ros.ros.robot.cmd_vel import (
    CmdVel,
    Command,
    command_from_msg,
    watch_cmd_vel,
    watch_commands,
)
from gbs_irl_ros.ros.running import run_node

DEFAULT_RATE = 20.0
FETCH_AGAIN_S = 1.0         # a policy that was announced and has not come
ASK_AGAIN_S = 2.0           # how often the learner is reminded of a state to ask about
PUBLISH_EVERY_S = 1.0
HELD_EVERY_S = 0.2          # so often while it holds a STOP against others: a relay must know
LEARNERS_TOPICS = (names.POLICY, names.HEARTBEAT)
LOOK_AROUND_S = 1.0         # how often it is looked who else uses cmd_vel
POSE_WORDS = {
    'tf': 'the transforms of tf', 'pose_topic': 'the poses of a localisation and odometry',
    'odometry': 'odometry alone, which drifts'}
LAST_COMMAND_S = 0.2        # how long the end of the node waits for its last command to be sent


@dataclass(frozen=True)
class ControllerParameters(RobotParameters):
    """Parameters of the controller node."""

    confidence: float = parameter(
        0.7, 'Where the policy is less sure than this, stop and have the learner ask.',
        low=0.0, high=1.0)
    allow_motion: bool = parameter(
        False, 'Drive as soon as there is a policy, without a call of ~/enable.', fixed=True)
    policy_file: str = parameter(
        '', 'A saved policy to follow, without any learner; empty: follow the learner.',
        fixed=True)
    rate: float = parameter(DEFAULT_RATE, 'Commands per second.', low=5.0, high=200.0, fixed=True)
    key_file: str = parameter(
        '', 'File with a secret that the learner has too; only its signed heartbeats are obeyed. '
            'Empty: any learner is obeyed.', fixed=True)
    autostart: bool = parameter(
        True, 'Become active at once; false: wait for `ros2 lifecycle set` or a lifecycle '
              'manager.', fixed=True)
    heartbeat_timeout: float = parameter(
        HEARTBEAT_TIMEOUT_S, 'Stop when there was no heartbeat of the learner for this long [s].',
        low=0.15, high=1.0)


class ControllerNode(BaseNode[ControllerParameters]):
    """
    Drives from cell to cell. Whatever is missing, old or wrong makes it stop.

    A managed node: unless it is active, it moves nothing. ~/stop works in every state.

    Subscribes: world (World), policy (Policy), heartbeat (Heartbeat), cmd_vel, to be
    silent while a person drives: what the person does instead is a correction; watched
    (builtin_interfaces/Duration), to stop when a page's node hangs; where the robot is, as
    pose_source says: odom (nav_msgs/Odometry), pose_topic, /tf; scan_topic, if given.
    With `drive: nav2` also teleop_topic, for the same, and the status of Nav2's action.
    Publishes: cmd_vel (Twist or TwistStamped), execution (Execution), latched, demonstration
    (Demonstration).
    Client of: ask_about (AskAbout), with `drive: nav2` navigate_to_pose (an action).
    Serves: ~/enable (std_srvs/SetBool), ~/go (Go), ~/stop (Trigger), and what LifecycleServices
    does.
    Parameters: see ControllerParameters.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('controller', ControllerParameters, **node_options)
        self._cmd_vel = CmdVel(self)
        self._drive = make_drive(self, self._cmd_vel)
        self._decider = DriveDecider(self._drive)
        self._decision = ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.STARTING)
        self._pose_from = ''
        self._published_at = self._asked_at = self._fetched_at = 0.0
        self._execution = self.create_publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
        self._demonstrations = self.create_publisher(
            msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
        self._learner = self.client(srv.AskAbout, names.ASK_ABOUT)
        self.declared.on_change(self._apply)
        if self.parameters is not None:
            self._decider.gate.always_permitted = self.parameters.allow_motion
            self._apply(self.parameters)
        self._decider.inactive = self._not_active(UNCONFIGURED)
        self._lifecycle = LifecycleServices(self, {
            CONFIGURE: self._on_configure, ACTIVATE: self._decider.activate,
            DEACTIVATE: self._on_deactivate, CLEAN_UP: self._on_clean_up,
            SHUT_DOWN: self._on_shutdown}, self._on_lifecycle_error)
        self._autostart()
        self._watcher = LessonWatcher(self, self._on_lesson, 'policy', 'heartbeat', 'world')
        self._learners = LivingPublishers()
        self._listed = {self.resolve_topic_name(name): 0 for name in LEARNERS_TOPICS}
        self._poses = make_pose_source(self, self._on_pose)
        watch_commands(self, self._on_command)
        self.subscribe(Duration, names.WATCHED, self._on_watched, qos.COMMANDS)
        if self._drive.finds_its_way and self.get_parameter('teleop_topic').value:
            watch_cmd_vel(self, self._on_teleop, str(self.get_parameter('teleop_topic').value))
        self.serve(SetBool, names.ENABLE, self._handle_enable)
        self.serve(srv.Go, names.GO, self._handle_go)
        self.serve(Trigger, names.STOP, self._handle_stop)
        rate = self.parameters.rate if self.parameters is not None else DEFAULT_RATE
        self.every(1.0 / rate, self._on_control_timer)
        self._complaints: list[str] = []
        self.every(LOOK_AROUND_S, self._on_look_timer)

    def health(self) -> Health:
        """Return what the robot is doing."""
        lost = self._decision.status is ExecutionStatus.LOST
        is_trouble = self._complaints or self._decision.is_trouble
        level = Level.ERROR if lost else Level.WARN if is_trouble else Level.OK
        return Health(level, '; '.join([execution_text(self._decision), *self._complaints]), {
            'status': self._decision.status.value, 'state': self._decision.state,
            'pose_source': self._poses.name})

    def finish(self) -> None:
        """Stop the robot: this is the last that it hears of this node."""
        with self._lock:
            if self._is_active and not self._decider.override.is_driving(self.steady()):
                self._drive.stop(self.steady())
                self._cmd_vel.flush(LAST_COMMAND_S)

    def on_fault(self) -> None:
        """Stop the robot."""
        if self._is_active:
            self._drive.stop(self.steady())

    # ---- the life of a managed node -------------------------------------------------------------

    @property
    def _is_active(self) -> bool:
        return self._decider.inactive is None

    def _not_active(self, state: State) -> Reason:
        return ExecutionReason.NOT_ACTIVE, (
            state.label, self.get_fully_qualified_name(), NEXT[state])

    def _autostart(self) -> None:
        """
        Become active, if the parameters say so.

        What is wrong then is in the log and keeps the robot where it is. Nobody is there to be
        told that a transition has failed.
        """
        self._is_starting = self.get_parameter('autostart').value is not False
        if self._is_starting:
            self._lifecycle.life.change(CONFIGURE)
            self._lifecycle.life.change(ACTIVATE)
        self._is_starting = False

    def _on_configure(self) -> None:
        wrong = [self.declared.problem, self._load_policy(), self._load_key()]
        if any(wrong) and not self._is_starting:
            raise LifecycleError('; '.join(filter(None, wrong)))
        self._decider.inactive = self._not_active(INACTIVE)

    def _on_deactivate(self) -> None:
        self._decider.deactivate(self._not_active(INACTIVE), self.steady())

    def _on_clean_up(self) -> None:
        self._decider.inactive = self._not_active(UNCONFIGURED)

    def _on_shutdown(self) -> None:
        reason = ExecutionReason.SHUT_DOWN, ()
        if self._is_active:
            self._decider.deactivate(reason, self.steady())
        self._decider.inactive = reason

    def _on_lifecycle_error(self) -> None:
        self._decider.deactivate(self._not_active(UNCONFIGURED), self.steady())

    def _apply(self, parameters: ControllerParameters) -> None:
        self._decider.configure(parameters.confidence)
        self._drive.limits = parameters.limits
        self._decider.gate.heartbeat_timeout_s = parameters.heartbeat_timeout
        self._decider.gate.odometry_timeout_s = parameters.odometry_timeout

    def _load_policy(self) -> str:
        """
        Take the policy of a file, if one is given; without it the robot stays where it is.

        Return what is wrong, '' if nothing is.
        """
        file = self.get_parameter('policy_file').value  # also while another parameter is wrong
        if not file:
            return ''
        self._decider.gate.needs_learner, self._decider.gate.policy = False, None
        try:
            self._decider.gate.policy = load_policy(Path(str(file)).expanduser())
        except GbsIrlError as error:
            return self._said(f'there is no policy to follow: {error}')
        return ''

    def _load_key(self) -> str:
        """
        Take the key, if one is given; without the one that is wanted nobody is obeyed.

        Return what is wrong, '' if nothing is.
        """
        file = self.get_parameter('key_file').value     # also while another parameter is wrong
        if not file:
            return ''
        try:
            self._decider.gate.key = load_shared_key(Path(str(file)).expanduser())
        except GbsIrlError as error:
            self._decider.gate.key = secrets.token_bytes()
            return self._said(f'no learner is obeyed: {error}')
        return ''

    def _said(self, trouble: str) -> str:
        if self._is_starting:
            self.get_logger().error(trouble)
        return trouble      # otherwise the failed transition says it

    # ---- what comes in --------------------------------------------------------------------------

    def _on_lesson(self, part: str) -> None:
        watcher, gate = self._watcher, self._decider.gate
        self._look_at_publishers()      # before: it may be of a new one
        if part == 'heartbeat':
            self._learners.see_heartbeat(
                watcher.heartbeat.count, self.steady(), gate.heartbeat_timeout_s)
            gate.see_heartbeat(watcher.heartbeat, self.steady())
            return
        if part == 'world':
            self._decider.see_world(watcher.world)
        if gate.needs_learner:
            gate.offer(watcher.policy)      # None after a broken one: the robot stops

    def _look_at_publishers(self) -> None:
        """Learn who publishes what a learner does; who they are only matters if several do."""
        for topic, listed in self._listed.items():
            count = self.count_publishers(topic)
            if count != listed or count > 1:
                self._listed[topic] = count
                self._learners.see(topic, (
                    bytes(each.endpoint_gid) for each in self.get_publishers_info_by_topic(topic)))
        gate, now = self._decider.gate, self.steady()
        gate.see_publishers(*(self._learners.number(topic, now, gate.heartbeat_timeout_s)
                              for topic in self._listed), now)

    def _on_pose(self) -> None:
        assert self._poses.pose is not None
        self._decider.see_pose(self._poses.pose, self._poses.seen_at)

    def _on_command(self, message: Command) -> None:
        try:
            velocity = command_from_msg(message)
        except InvalidMotionError:
            self._decider.see_command(None, self.steady())
            raise
        if self._decider.see_command(velocity, self.steady()) \
                and self._decision.reason is not ExecutionReason.HELD:
            self._on_control_timer()        # a relay, which holds it too, must know at once

    def _on_watched(self, message: Duration) -> None:
        self._decider.see_watch(message.sec + message.nanosec * 1e-9, self.steady())

    def _on_teleop(self, velocity: Velocity) -> None:
        if not velocity.is_zero:
            self._decider.see_person(self.steady())

    def _handle_enable(self, request: Any, response: Any) -> Any:
        if not request.data:
            return self._handle_stop(request, response)
        self._decider.permit(self.steady())
        return self._decided(response)

    def _handle_go(self, request: Any, response: Any) -> Any:
        self._decider.permit(self.steady(), request.stops, map(int, request.over))
        return self._decided(response)

    def _handle_stop(self, request: Any, response: Any) -> Any:
        self._decider.stop(self.steady())
        return self._decided(response)

    def _decided(self, response: Any) -> Any:
        self._on_control_timer()
        return accepted(response, execution_text(self._decision))

    # ---- what goes out --------------------------------------------------------------------------

    def _on_control_timer(self) -> None:
        now, gate = self.steady(), self._decider.gate
        self._look_at_publishers()
        gate.pose_trouble = self._poses.trouble(now)
        self._say_where_the_pose_is_from()
        self._decider.is_real_time = not self.get_clock().ros_time_is_active
        decision = self._decider.act(now)
        if decision.status is ExecutionStatus.UNSURE:
            self._ask_about(decision, now)
        if gate.misses_the_announced(now) and now - self._fetched_at > FETCH_AGAIN_S:
            self._fetched_at = now
            self._watcher.fetch_policy()
        self._publish_correction()
        self._publish_execution(decision, now)

    def _on_look_timer(self) -> None:
        types = self._cmd_vel.types()
        self._decider.gate.wrong_commands = types.mismatch
        for line in types.complaints:
            if line not in self._complaints:
                self.get_logger().warning(line)
        self._complaints = types.complaints

    def _say_where_the_pose_is_from(self) -> None:
        before, self._pose_from = self._pose_from, self._poses.name
        if self._pose_from and self._pose_from != before:
            words = POSE_WORDS.get(self._pose_from, self._pose_from)
            self.get_logger().info(f'where the robot is: by {words}')

    def _ask_about(self, decision: ExecutionRecord, now: float) -> None:
        if now - self._asked_at < ASK_AGAIN_S or not self._learner.service_is_ready():
            return
        self._asked_at = now
        self.get_logger().info(execution_text(decision))
        future = self._learner.call_async(srv.AskAbout.Request(state=decision.state))
        self.when_done(future, self._on_asked)

    def _on_asked(self, future: Any) -> None:
        response = future.result()
        if not response.ok:
            self.get_logger().warning(f'the learner does not ask: {response.message}')

    def _publish_correction(self) -> None:
        shown = self._decider.take_correction()
        if shown is not None:
            self._demonstrations.publish(conversions.demonstration_to_msg(DemonstrationRecord(
                uuid.uuid4().hex, shown, self.get_name(), correction=True, stamp=self.stamp())))

    def _publish_execution(self, decision: ExecutionRecord, now: float) -> None:
        before, self._decision = self._decision, decision
        every_s = HELD_EVERY_S if decision.reason is ExecutionReason.HELD else PUBLISH_EVERY_S
        # Its data, such as how long the learner has been silent, change all the time.
        same_reason = (before.status, before.reason) == (decision.status, decision.reason)
        if same_reason and (before.state, before.action) == (decision.state, decision.action) \
                and now - self._published_at < every_s:
            return
        if not same_reason:
            self.get_logger().info(f'{decision.status.value}: {execution_text(decision)}')
        self._published_at = now
        policy = self._decider.gate.policy
        self._execution.publish(conversions.execution_to_msg(replace(
            decision, session='' if policy is None else policy.session,
            sequence=0 if policy is None else policy.sequence, stamp=self.stamp(),
            challenge=self._decider.gate.challenge, stops=self._decider.stops)))


def main() -> None:
    """Run the node."""
    run_node(ControllerNode)


if __name__ == '__main__':
    main()
