"""What the robot does next: from cell to cell as the policy says, as long as it is sure."""

from __future__ import annotations

import math
from collections.abc import Set

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.core.routes import next_move, trespassed
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import Pose, wrapped
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus

LONGEST_STRETCH = 100       # cells
IN_LINE = 0.01              # [rad] by which a line may bend

Leg = tuple[int, int, int]      # from a state by an action to the next one


class PolicyFollower:
    """
    Follows a policy, one leg at a time.

    A leg that was begun is driven to the middle of its cell, unless the policy no longer wants it.

    confidence: below this the robot stops, and the learner should ask: confidence-based autonomy
        (Chernova and Veloso 2009).
    """

    def __init__(self, cells: CellMap, confidence: float) -> None:
        check_confidence(confidence)
        self._cells = cells
        self._confidence = confidence
        self._leg: Leg | None = None
        self._before: int | None = None         # the action of the leg before
        self._ahead: tuple[tuple[Policy, Leg], frozenset[int]] | None = None

    def forget(self) -> None:
        """Give up the leg that was begun: the robot has been moved by somebody else."""
        self._leg = self._before = None

    def arrive(self) -> None:
        """End the leg that was begun; the next one begins with the next decision."""
        if self._leg is not None:
            self._before = self._leg[1]
        self._leg = None

    def decide(self, policy: Policy, pose: Pose, *, final: bool = True,
               over: Set[int] = frozenset()) -> ExecutionRecord:
        """
        Return what to do at a pose.

        Where the way leads over what must never be entered, the robot stands before it sets out.

        :param final: False: the lesson continues, so where the likeliest task so far has its goal
            the robot waits, and does not claim to have done what was meant.
        :param over: what it may enter all the same.
        """
        state = self._cells.state_at(pose.x, pose.y)
        if state is None:
            self.forget()
            return ExecutionRecord(ExecutionStatus.LOST, ExecutionReason.OUTSIDE_CELLS,
                                   (f'{ShortNumber(pose.x):.2f}', f'{ShortNumber(pose.y):.2f}'))
        leg = self._leg_from(policy, pose, state)
        if leg is None:
            self.forget()
            return self._staying(policy, state, final)
        source, action, target = leg
        if state == source and not self._trespasses(policy, leg) <= over:
            self.forget()
            return ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.FORBIDDEN, state=state)
        return ExecutionRecord(ExecutionStatus.DRIVING, state=state, action=action, target=target)

    def stretch(self, policy: Policy) -> list[int]:
        """Return the cells of the leg that was begun and of those behind it in the same line."""
        assert self._leg is not None
        source, action, target = self._leg
        cells = [source, target]
        while len(cells) <= LONGEST_STRETCH and not self._must_stand(policy, cells[-1]) \
                and action in policy.actions(cells[-1]):
            following = self._cells.target(cells[-1], action)
            if following in cells or not self._in_line(cells[-2], cells[-1], following):
                break
            cells.append(following)
        return cells[1:]

    def _in_line(self, first: int, second: int, third: int) -> bool:
        begin, middle, end = map(self._cells.centre, (first, second, third))
        turn = math.atan2(end[1] - middle[1], end[0] - middle[0]) \
            - math.atan2(middle[1] - begin[1], middle[0] - begin[0])
        return abs(wrapped(turn)) < IN_LINE

    def _leg_from(self, policy: Policy, pose: Pose, state: int) -> Leg | None:
        """Return the leg to drive: the one begun, or the next, or None to stand still."""
        if self._leg is not None:
            source, action, target = self._leg
            if state in (source, target) and action in policy.actions(source) \
                    and not (state == source and self._must_stand(policy, state)):
                if not self._cells.has_arrived(pose, target):
                    return self._leg
                self.arrive()
            else:
                self.forget()
        move = None if self._must_stand(policy, state) \
            else next_move(policy, self._cells.mdp, state, self._before)
        if move is not None:
            self._leg = (state, *move)
        return self._leg

    def _trespasses(self, policy: Policy, leg: Leg) -> frozenset[int]:
        """Return what the way that begins with this leg enters although it never must."""
        if self._ahead is None or self._ahead[0] != (policy, leg):
            source, action, _ = leg
            self._ahead = (policy, leg), frozenset(
                trespassed(policy, self._cells.mdp, source, action))
        return self._ahead[1]

    def _must_stand(self, policy: Policy, state: int) -> bool:
        return state in policy.goal_states or self._is_unsure(policy, state)

    def _is_unsure(self, policy: Policy, state: int) -> bool:
        """Tell whether to ask; without any confidence also a robot that may be unsure."""
        return bool(policy.confidence[state] < self._confidence or not policy.confidence[state])

    def _staying(self, policy: Policy, state: int, final: bool) -> ExecutionRecord:
        if self._is_unsure(policy, state):
            return ExecutionRecord(
                ExecutionStatus.UNSURE, ExecutionReason.LOW_CONFIDENCE,
                (f'{policy.confidence[state]:.2f}', f'{self._confidence:.2f}'), state)
        if state not in policy.goal_states:
            return ExecutionRecord(ExecutionStatus.STAYING, state=state,
                                   action=policy.actions(state)[0])
        if final:
            return ExecutionRecord(ExecutionStatus.GOAL, state=state)
        return ExecutionRecord(ExecutionStatus.STAYING, ExecutionReason.LESSON_CONTINUES,
                               state=state)


def check_confidence(confidence: float) -> None:
    """Raise unless a policy can be as sure as this."""
    if not 0.0 <= confidence <= 1.0:
        raise InvalidRecordError(f'confidence must be in [0, 1], got {confidence}')
