"""Nav2 as the robot's navigation: goals of the action NavigateToPose."""

from __future__ import annotations

import uuid
from collections import deque
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.exceptions import InvalidTopicNameException
from rclpy.qos import qos_profile_action_status_default
from rclpy.validate_topic_name import validate_topic_name
from unique_identifier_msgs.msg import UUID

from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.driving.navigation import NavigationDrive, Outcome, Patience
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.parameters import ParameterError, parameter
from gbs_irl_ros.ros.robot.cmd_vel import CmdVel
from gbs_irl_ros.ros.robot.odometry import yaw_to_msg

REMEMBERED = 1000       # own goals; Nav2 tells of old ones for a while
CANCEL_AGAIN_S = 0.5    # after a cancel, for a goal that is pursued all the same
LONGEST_ERROR = 200     # characters of what Nav2 says
OUTCOMES = {GoalStatus.STATUS_SUCCEEDED: Outcome.SUCCEEDED,
            GoalStatus.STATUS_CANCELED: Outcome.CANCELLED,
            GoalStatus.STATUS_ABORTED: Outcome.ABORTED}
PURSUED = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)


@dataclass(frozen=True)
class Nav2Parameters(NodeParameters):
    """Parameters of a node that may drive the robot by Nav2."""

    nav2_action: str = parameter(
        'navigate_to_pose', 'The action of Nav2 by which `drive: nav2` sends the robot about.',
        fixed=True)
    nav2_accept_timeout: float = parameter(
        Patience.accept_s, 'How long Nav2 may take to accept a goal [s].', low=0.1, high=60.0,
        fixed=True)
    nav2_silence_timeout: float = parameter(
        Patience.silence_s, 'How long Nav2 may be silent about a goal that it has accepted [s].',
        low=0.1, high=60.0, fixed=True)
    nav2_progress_timeout: float = parameter(
        Patience.progress_s, 'How long the robot may stand while Nav2 has a goal [s].', low=1.0,
        high=600.0, fixed=True)
    nav2_tries: int = parameter(
        Patience.tries, 'How often the same goal is given to Nav2 before the robot is stopped.',
        low=1, high=20, fixed=True)
    teleop_topic: str = parameter(
        'cmd_vel_teleop', 'With `drive: nav2`, where the commands of a person who drives can be '
        'seen; empty: nowhere. On cmd_vel they cannot be told from those of Nav2.', fixed=True)

    def __post_init__(self) -> None:
        for name, topic in (('nav2_action', self.nav2_action),
                            ('teleop_topic', self.teleop_topic or 'none')):
            try:
                validate_topic_name(topic)
            except InvalidTopicNameException as error:
                raise ParameterError(f'parameter {name!r} must be a name of ROS, got {topic!r}: '
                                     f'{str(error).splitlines()[0]}') from None

    @property
    def patience(self) -> Patience:
        """How much Nav2 may try the drive's patience."""
        return Patience(self.nav2_accept_timeout, self.nav2_silence_timeout,
                        self.nav2_progress_timeout, self.nav2_tries)


class Nav2:
    """
    Gives goals to Nav2. A ``Navigator``.

    Client of: navigate_to_pose (nav2_msgs/NavigateToPose, an action), or as ``nav2_action`` says.
    Subscribes: its status, to see the goals of others.
    """

    def __init__(self, node: BaseNode) -> None:
        self.name = str(node.get_parameter('nav2_action').value)
        self._node = node
        self._own: deque[bytes] = deque(maxlen=REMEMBERED)
        self._is_foreign = False
        self._client: Any = None
        try:
            from nav2_msgs.action import NavigateToPose
        except ImportError:
            self.is_installed = False
            node.get_logger().error(execution_text(ExecutionRecord(
                ExecutionStatus.STOPPED, ExecutionReason.NAV2_NOT_INSTALLED)))
            return
        self.is_installed = True
        self._kind = NavigateToPose
        if node.parameters is None:
            return      # one of them is wrong, perhaps the name: nothing moves
        self._client = ActionClient(node, NavigateToPose, self.name)
        node.subscribe(GoalStatusArray, f'{self.name}/_action/status', self._on_status,
                       qos_profile_action_status_default)

    def is_there(self) -> bool:
        """Return whether there is an action server."""
        return self._client is not None and bool(self._client.server_is_ready())

    def send(self, pose: Pose, now: float) -> Nav2Goal:
        """Send a goal, which Nav2 pursues instead of the one before."""
        message = self._kind.Goal()
        message.pose.header.frame_id = text('map_frame', self._node.parameters.map_frame)
        message.pose.header.stamp = stamp_to_msg(self._node.stamp())
        message.pose.pose.position.x = real('x', pose.x)
        message.pose.pose.position.y = real('y', pose.y)
        message.pose.pose.orientation = yaw_to_msg(pose.yaw)
        goal_id = UUID(uuid=list(uuid.uuid4().bytes))
        self._own.append(bytes(goal_id.uuid))
        return Nav2Goal(self._node, self._client, message, goal_id)

    def others_drive(self) -> bool:
        """Return whether Nav2 pursues a goal of somebody else."""
        return self._is_foreign and self.is_there()     # what it said last may be long ago

    def cancel_all(self) -> None:
        """Cancel everybody's goals: a request without an id and a time means all."""
        everything = self._kind.Impl.SendGoalService.Response()
        self._client._cancel_goal_async(ClientGoalHandle(self._client, UUID(), everything))

    def _on_status(self, message: GoalStatusArray) -> None:
        self._is_foreign = any(
            each.status in PURSUED and bytes(each.goal_info.goal_id.uuid) not in self._own
            for each in message.status_list)


class Nav2Goal:
    """One goal; what is said about another one does not reach it. A ``Goal``."""

    def __init__(self, node: BaseNode, client: Any, message: Any, goal_id: UUID) -> None:
        self.outcome = Outcome.SENT
        self.error = ('0', '')
        self.heard_at = node.steady()
        self._node, self._client, self._id = node, client, goal_id
        self._cancelled_at: float | None = None
        # Nobody but this keeps the handle, without which rclpy forgets the goal.
        self._handle = ClientGoalHandle(client, goal_id,
                                        client._action_type.Impl.SendGoalService.Response())
        future = client.send_goal_async(
            message, node.guarded(self._on_feedback, 'in feedback of Nav2'), goal_id)
        future.add_done_callback(node.guarded(self._on_response, 'in the response of Nav2'))

    def cancel(self) -> None:
        """
        Ask Nav2 to give it up; by its id, so that nothing has to be waited for.

        One that is accepted only afterwards is cancelled then, and one of which there is still
        feedback again: a request is lost if Nav2 was out of reach for longer than DDS waits.
        """
        if self.outcome in (Outcome.SENT, Outcome.ACCEPTED):
            self._cancelled_at = self._node.steady()
            future = self._handle.cancel_goal_async()
            future.add_done_callback(
                self._node.guarded(self._on_cancelled, 'in the response of Nav2'))

    def _on_response(self, future: Any) -> None:
        handle = future.result()
        self.heard_at = self._node.steady()
        if not handle.accepted:
            self.outcome = Outcome.REJECTED
            return
        self.outcome, self._handle = Outcome.ACCEPTED, handle
        handle.get_result_async().add_done_callback(
            self._node.guarded(self._on_result, 'in the result of Nav2'))
        if self._cancelled_at is not None:
            self.cancel()

    def _on_feedback(self, _: Any) -> None:
        self.heard_at = self._node.steady()
        if self._cancelled_at is not None and self.heard_at > self._cancelled_at + CANCEL_AGAIN_S:
            self.cancel()

    def _on_result(self, future: Any) -> None:
        response = future.result()
        # Releases of Nav2 differ in what they say beside the code.
        self.error = (str(getattr(response.result, 'error_code', 0)),
                      one_line(getattr(response.result, 'error_msg', '') or 'no text',
                               longest=LONGEST_ERROR))
        self.outcome = OUTCOMES.get(response.status, Outcome.ABORTED)

    def _on_cancelled(self, future: Any) -> None:
        if future.result().return_code == CancelGoal.Response.ERROR_REJECTED:
            self._node.get_logger().warning('Nav2 refuses to cancel the goal that it was given')


def make_nav2_drive(node: BaseNode, cmd_vel: CmdVel) -> NavigationDrive:
    """Return a drive that sends the robot about by Nav2."""
    drive = NavigationDrive(Nav2(node), cmd_vel.send)
    if node.parameters is not None:
        drive.patience = node.parameters.patience
    return drive
