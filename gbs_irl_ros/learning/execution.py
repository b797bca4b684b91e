"""What the controller is doing with the robot, and why it stands still if it does."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gbs_irl_ros.core.named_enum import NamedEnum


class ExecutionStatus(NamedEnum):
    """What a controller is doing."""

    STOPPED = 'stopped'     # it may not drive
    DRIVING = 'driving'
    GOAL = 'goal'           # the task is accomplished
    UNSURE = 'unsure'       # the learner is asked to ask about this state
    STAYING = 'staying'     # as the policy says
    LOST = 'lost'           # outside all cells
    MANUAL = 'manual'       # a person drives


class ExecutionReason(NamedEnum):
    """Why a controller does that; msg/Execution.msg says what data belong to each."""

    NO_REASON = 'no_reason'     # the status says it all
    STARTING = 'starting'
    NOT_ALLOWED = 'not_allowed'
    OTHER_LESSON = 'other_lesson'
    NO_TASK = 'no_task'
    NO_CELLS = 'no_cells'
    NO_POLICY = 'no_policy'
    OTHER_TASK = 'other_task'
    OTHER_STATES = 'other_states'
    OTHER_ACTIONS = 'other_actions'
    NOT_ONE_LEARNER = 'not_one_learner'
    LEARNER_UNHEARD = 'learner_unheard'
    NO_HEARTBEAT = 'no_heartbeat'
    OTHER_SESSION = 'other_session'
    OLD_POLICY = 'old_policy'
    NO_ODOMETRY = 'no_odometry'
    OLD_ODOMETRY = 'old_odometry'
    UNREACHABLE = 'unreachable'
    LESSON_CONTINUES = 'lesson_continues'
    LOW_CONFIDENCE = 'low_confidence'
    OUTSIDE_CELLS = 'outside_cells'
    HELD = 'held'
    STOPPED_BY_OTHERS = 'stopped_by_others'
    POSE_JUMPED = 'pose_jumped'
    NOT_MOVING = 'not_moving'
    WRONG_WAY = 'wrong_way'
    NOT_ACTIVE = 'not_active'
    SHUT_DOWN = 'shut_down'
    COMMAND_TYPE = 'command_type'
    POSE_INVALID = 'pose_invalid'
    WRONG_FRAME = 'wrong_frame'
    UNCERTAIN_POSE = 'uncertain_pose'
    UNCERTAIN_DIRECTION = 'uncertain_direction'
    NO_POSE = 'no_pose'
    OLD_POSE = 'old_pose'
    NO_TRANSFORM = 'no_transform'
    OLD_TRANSFORM = 'old_transform'
    POSE_TURNED = 'pose_turned'
    OBSTACLE = 'obstacle'
    BLIND = 'blind'
    NAV2_NOT_INSTALLED = 'nav2_not_installed'
    NAV2_MISSING = 'nav2_missing'
    NAV2_REJECTED = 'nav2_rejected'
    NAV2_ABORTED = 'nav2_aborted'
    NAV2_CANCELLED = 'nav2_cancelled'
    NAV2_SILENT = 'nav2_silent'
    NAV2_STOPS_SHORT = 'nav2_stops_short'
    NAV2_NO_PROGRESS = 'nav2_no_progress'
    FORBIDDEN = 'forbidden'


NEEDS_PERMISSION = frozenset({
    ExecutionReason.NOT_ALLOWED, ExecutionReason.OTHER_LESSON, ExecutionReason.HELD,
    ExecutionReason.STOPPED_BY_OTHERS, ExecutionReason.POSE_JUMPED, ExecutionReason.NOT_MOVING,
    ExecutionReason.WRONG_WAY, ExecutionReason.POSE_TURNED, ExecutionReason.NAV2_ABORTED,
    ExecutionReason.NAV2_CANCELLED, ExecutionReason.NAV2_SILENT, ExecutionReason.NAV2_STOPS_SHORT,
    ExecutionReason.NAV2_NO_PROGRESS})

# It stands as it should: it waits for a person, the lesson or whoever manages it.
AS_EXPECTED = frozenset({
    ExecutionReason.NO_REASON, ExecutionReason.STARTING, ExecutionReason.NOT_ALLOWED,
    ExecutionReason.OTHER_LESSON, ExecutionReason.NO_TASK, ExecutionReason.NO_POLICY,
    ExecutionReason.LESSON_CONTINUES, ExecutionReason.LOW_CONFIDENCE, ExecutionReason.HELD,
    ExecutionReason.NOT_ACTIVE, ExecutionReason.SHUT_DOWN, ExecutionReason.FORBIDDEN})


@dataclass(frozen=True)
class ExecutionRecord:
    """
    What a controller is doing, where, and why.

    data: what belongs to the reason, numbers in decimal notation.
    state, action: where the robot is and what it is doing there, None if not known, or nothing.
    target: the state to drive to, None to stand still.
    session, sequence: of the policy it follows; '' and 0 if none.
    challenge: drawn when the controller started; a learner with a key signs it.
    stops: how often somebody has pressed STOP since then.
    """

    status: ExecutionStatus
    reason: ExecutionReason = ExecutionReason.NO_REASON
    data: tuple[str, ...] = ()
    state: int | None = None
    action: int | None = None
    target: int | None = None
    session: str = ''
    sequence: int = 0
    stamp: int = 0
    challenge: str = ''
    stops: int = 0

    @property
    def needs_permission(self) -> bool:
        """Return whether it stands until somebody allows motion."""
        return self.status is ExecutionStatus.STOPPED and self.reason in NEEDS_PERMISSION

    @property
    def is_trouble(self) -> bool:
        """Return whether it stands although nobody wants it to."""
        return self.status is ExecutionStatus.STOPPED and self.reason not in AS_EXPECTED

    @property
    def held_s(self) -> float:
        """Return for how long a STOP still holds against others [s], if it says that one does."""
        try:
            return float(self.data[0]) + 0.5        # it says whole seconds
        except (IndexError, ValueError):
            return math.inf
