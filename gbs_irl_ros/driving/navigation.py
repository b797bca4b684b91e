"""
Driving by a robot's own navigation, such as Nav2: it is given goals, and says how it fares.

Each goal has an object of its own, so that what is said about an old one is never taken for the
new one: a goal that is replaced ends as aborted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.driving.drive import Drive, Point, Progress, SteeringDrive
from gbs_irl_ros.driving.gate import Reason
from gbs_irl_ros.driving.pose import Limits, Pose, Velocity, wrapped
from gbs_irl_ros.learning.execution import ExecutionReason

PAUSE_S = 1.0           # between two tries
SLOWS_DOWN_S = 1.0      # after the end of a goal, commands may still be those of the navigation
MOVED_M, TURNED = 0.05, 0.2     # [m], [rad] that count as progress


class Outcome(NamedEnum):
    """What the navigation has said about a goal."""

    SENT = 'sent'               # nothing yet
    ACCEPTED = 'accepted'
    REJECTED = 'rejected'
    SUCCEEDED = 'succeeded'
    ABORTED = 'aborted'
    CANCELLED = 'cancelled'


class Goal(Protocol):
    """
    A goal that was given to the navigation.

    error: code and text of what went wrong, as the navigation has them.
    heard_at: when the navigation last said anything about it, on a steady clock [s].
    """

    outcome: Outcome
    error: tuple[str, str]
    heard_at: float

    def cancel(self) -> None:
        """Have it given up, also if it has not been accepted yet."""


class Navigator(Protocol):
    """
    The robot's own navigation.

    name: by which a person finds it.
    is_installed: whether this machine can talk to it at all.
    """

    name: str
    is_installed: bool

    def is_there(self) -> bool:
        """Return whether there is one to talk to."""

    def send(self, pose: Pose, now: float) -> Goal:
        """Give it a goal, which replaces the one before."""

    def others_drive(self) -> bool:
        """Return whether it has a goal that somebody else has given to it."""

    def cancel_all(self) -> None:
        """Have all goals given up, whoever has given them."""


@dataclass(frozen=True)
class Patience:
    """
    How much a navigation may try the drive's patience.

    accept_s: until it accepts or rejects a goal. silence_s: without any sign of a goal that it has
    accepted. progress_s: in which the robot does not move. tries: for one goal.
    """

    accept_s: float = 2.0
    silence_s: float = 2.0
    progress_s: float = 20.0
    tries: int = 3


class NavigationDrive(Drive):
    """
    Sends a robot to the end of each straight stretch. A ``Drive``.

    The goal is cancelled as soon as the robot is to stop, or to be left to somebody else, and
    replaced when another path is to be driven. Where the robot then is, its pose says: to be asked
    for the same path again after ARRIVED means that it is not there.

    patience: may be changed at any time.
    trouble: why it does not drive, None if it does.
    """

    finds_its_way = True
    trouble: Reason | None

    def __init__(self, navigator: Navigator, send: Callable[[Velocity], None]) -> None:
        """:param send: makes the robot go this fast; used to make it stand."""
        self.limits = Limits()
        self.patience = Patience()
        self._navigator = navigator
        self._stops = SteeringDrive(send)
        self._replaced: list[Goal] = []     # until it is known whether the new one is accepted
        self._goal: Goal | None = None
        self._slows_down_until = -math.inf
        self._begin(None)

    def _begin(self, end: Point | None) -> None:
        """Begin with another path, of which nothing is known yet."""
        if self._goal is not None:
            self._replaced.append(self._goal)
        self._goal, self._end = None, end
        self._tries = 0
        self._has_given_up = False
        self.trouble = None
        self._pause_until = -math.inf

    # ---- what a drive does ----------------------------------------------------------------------

    def go(self, path: Sequence[Point], pose: Pose, now: float) -> Progress:
        """Have the robot navigate to the end of a path; the robot stands if that fails."""
        if path[-1] != self._end:
            self._begin(path[-1])
        if self._has_given_up:
            return Progress.FAILED
        if self._goal is None:
            return self._try(path, pose, now)
        return self._judge(self._goal, pose, now)

    def stop(self, now: float) -> None:
        """Cancel the goal, and send a zero command without waiting for an answer."""
        self._let_go(now)
        if self._navigator.others_drive():
            self._navigator.cancel_all()
        self._stops.stop(now)

    def release(self) -> None:
        """Cancel the goal; send nothing."""
        self._let_go(-math.inf)

    def is_own(self, velocity: Velocity, now: float) -> bool:
        """Return whether a command is a stop of this drive, or can be one of the navigation."""
        return self._stops.is_own(velocity, now) or self._goal is not None \
            or bool(self._replaced) or now < self._slows_down_until

    def others_drive(self) -> bool:
        """Return whether the navigation has a goal that somebody else has given to it."""
        return self._navigator.others_drive()

    # ---- goals ----------------------------------------------------------------------------------

    def _try(self, path: Sequence[Point], pose: Pose, now: float) -> Progress:
        if not self._navigator.is_installed:
            self.trouble = ExecutionReason.NAV2_NOT_INSTALLED, ()
            return Progress.FAILED
        if now < self._pause_until:
            if self.trouble is None:
                self._stops.stop(now)       # whatever the navigation still does
            return self._so_far
        if not self._navigator.is_there():
            return self._wait((ExecutionReason.NAV2_MISSING, (self._navigator.name,)), now)
        begin = path[-2] if len(path) > 1 else (pose.x, pose.y)
        yaw = math.atan2(path[-1][1] - begin[1], path[-1][0] - begin[0])
        self._goal = self._navigator.send(Pose(*path[-1], yaw), now)
        self._sent_at = self._moved_at = now
        self._moved_from = pose
        return self._so_far

    def _judge(self, goal: Goal, pose: Pose, now: float) -> Progress:
        if goal.outcome is Outcome.SENT:
            if now - self._sent_at <= self.patience.accept_s:
                return self._so_far
            return self._try_again(_silent(now - self._sent_at), now)
        self._cancel_replaced()
        if goal.outcome is Outcome.ACCEPTED:
            return self._watch(goal, pose, now)
        self._goal, self._slows_down_until = None, now + SLOWS_DOWN_S
        if goal.outcome is Outcome.REJECTED:
            return self._wait((ExecutionReason.NAV2_REJECTED, (self._navigator.name,)), now)
        if goal.outcome is Outcome.CANCELLED:
            return self._give_up((ExecutionReason.NAV2_CANCELLED, ()), now)
        if goal.outcome is Outcome.ABORTED:
            return self._try_again((ExecutionReason.NAV2_ABORTED, goal.error), now)
        assert self._end is not None
        off = math.dist((pose.x, pose.y), self._end)
        self._tries += 1
        if self._tries > self.patience.tries:
            return self._give_up(
                (ExecutionReason.NAV2_STOPS_SHORT, (f'{ShortNumber(off):.2f}',)), now)
        return Progress.ARRIVED

    def _watch(self, goal: Goal, pose: Pose, now: float) -> Progress:
        """Look whether an accepted goal is pursued."""
        self.trouble = None
        if math.dist((pose.x, pose.y), (self._moved_from.x, self._moved_from.y)) > MOVED_M \
                or abs(wrapped(pose.yaw - self._moved_from.yaw)) > TURNED:
            self._moved_at, self._moved_from = now, pose
        if now - goal.heard_at > self.patience.silence_s:
            return self._try_again(_silent(now - goal.heard_at), now)
        if now - self._moved_at > self.patience.progress_s:
            return self._try_again((ExecutionReason.NAV2_NO_PROGRESS,
                                    (f'{now - self._moved_at:.0f}',)), now)
        return Progress.UNDER_WAY

    @property
    def _so_far(self) -> Progress:
        """Return what is known of a goal about which nothing new was said."""
        return Progress.UNDER_WAY if self.trouble is None else Progress.FAILED

    def _try_again(self, trouble: Reason, now: float) -> Progress:
        """Stand for a moment, then try again; give up after the last try."""
        self._tries += 1
        if self._tries >= self.patience.tries:
            return self._give_up(trouble, now)
        self._cancel(now)
        self._pause_until = now + PAUSE_S
        return self._so_far

    def _wait(self, trouble: Reason, now: float) -> Progress:
        """Wait for what may pass by itself, such as a navigation that is still starting."""
        self._cancel(now)
        self.trouble, self._pause_until = trouble, now + PAUSE_S
        return Progress.FAILED

    def _give_up(self, trouble: Reason, now: float) -> Progress:
        self._cancel(now)
        self.trouble, self._has_given_up = trouble, True
        return Progress.FAILED

    def _cancel(self, now: float) -> None:
        """Cancel what the navigation may still pursue, and make the robot stand."""
        if self._goal is not None:
            self._replaced.append(self._goal)
            self._goal, self._slows_down_until = None, now + SLOWS_DOWN_S
        self._cancel_replaced()
        self._stops.stop(now)

    def _cancel_replaced(self) -> None:
        for goal in self._replaced:
            goal.cancel()
        self._replaced.clear()

    def _let_go(self, now: float) -> None:
        if self._goal is not None or self._replaced:
            self._slows_down_until = now + SLOWS_DOWN_S
        self._begin(None)
        self._cancel_replaced()


def _silent(seconds: float) -> Reason:
    return ExecutionReason.NAV2_SILENT, (f'{seconds:.1f}',)
