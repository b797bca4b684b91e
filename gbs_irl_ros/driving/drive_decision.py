"""What the robot is told: decided by the person, the gate and the policy, in this order."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import GbsIrlError, InvalidMdpError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import Drive, Progress, drive_to
from gbs_irl_ros.driving.gate import Gate, Reason
from gbs_irl_ros.driving.override_detector import OverrideDetector
from gbs_irl_ros.driving.policy_follower import PolicyFollower, check_confidence
from gbs_irl_ros.driving.pose import Pose, Velocity
from gbs_irl_ros.driving.pose_watch import PoseWatch
from gbs_irl_ros.driving.step_recorder import StepRecorder
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.execution import (
    NEEDS_PERMISSION,
    ExecutionReason,
    ExecutionRecord,
    ExecutionStatus,
)
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.tasks.world import World

SAY_STOP_FOR_S = 1.0        # then the robot is left alone, and others may drive
HOLD_S = 10.0               # a stop holds against others who send motion, at most
GO_AFTER_S = 1.0            # without being asked to, before motion can be allowed after a stop,
INSISTENT_S = 5.0           # if somebody asks again and again: with
MANY, WITHIN_S = 4, 10.0    # this many tries within this time
LOOK_ROUND_S = 1.5          # before it drives because the launch file allows it
# What a drive that finds its way by itself may do: stand for a moment, and go round something.
OWN_WAYS = (ExecutionReason.NOT_MOVING, ExecutionReason.WRONG_WAY)

# Why it stands where it is; if it got there by a jump of its pose, that is the reason.
BY_PLACE = (ExecutionStatus.LOST, ExecutionStatus.GOAL, ExecutionStatus.UNSURE,
            ExecutionStatus.STAYING)


class DriveDecider:
    """
    Everything about driving that needs no ROS. All times are of a steady clock [s].

    gate: whether the robot may move. override: whether a person drives.
    stops: how often somebody has pressed STOP.
    inactive: why nothing is moved, whatever the gate says, None while the node is active. Then
    nothing is sent either, but the zeros of a stop.
    is_real_time: the robot's time passes as ours. A simulated one may be faster, and so the robot.
    """

    def __init__(self, drive: Drive) -> None:
        self.gate = Gate()
        self.override = OverrideDetector(drive.is_own)
        self.inactive: Reason | None = None
        self.is_real_time = True
        self.stops = 0
        self._drive = drive
        self._say_stop_until = 0.0
        self._stopped_at = self._held_until = -math.inf
        self._zero_at = -math.inf       # when somebody else has told the robot to stand
        # When motion was to be allowed, by those who know of stops and by those who do not
        self._tries: deque[float] = deque([-math.inf], maxlen=MANY)
        self._blind_tries: deque[float] = deque([-math.inf], maxlen=MANY)
        self._ready_at: float | None = None     # when it could drive for the first time
        self._abandoned_at = math.inf           # if those who watch over it are not heard again
        self._trouble: Reason | None = None     # why permission was withdrawn
        self._watch = PoseWatch()
        self._is_driving = self._is_stopped = self._has_arrived = False
        self._over: frozenset[int] = frozenset()    # what may be entered on this drive
        self._driven_by: PolicyRecord | None = None     # last, or allowed to be
        # That policy's checksum and what might be entered, if it has arrived by another one
        self._until_arrival: tuple[str, frozenset[int]] | None = None
        self._confidence = 1.0
        self._world: World | None = None
        self._cells: CellMap | None = None
        self._follower: PolicyFollower | None = None
        self._recorder: StepRecorder | None = None
        self._pose: Pose | None = None
        self._pose_at = -math.inf
        self._was_manual = False
        self._is_correction = False
        self._correction: DemonstrationAnswer | None = None

    def configure(self, confidence: float) -> None:
        """Set how sure the policy must be; raise if that is not a probability."""
        check_confidence(confidence)
        self._confidence = confidence
        if self._cells is not None:
            self._follower = PolicyFollower(self._cells, confidence)

    def see_world(self, world: World) -> None:
        """Learn where the states are."""
        if self._world is not None and world.hash == self._world.hash:
            return
        self._world, self._cells = world, None
        self._follower = self._recorder = self._correction = None      # of the world before
        self._was_manual = self._is_correction = False
        self.gate.task_hash = world.hash
        self.gate.num_states, self.gate.num_actions = world.mdp.num_states, world.mdp.num_actions
        try:
            self._cells = CellMap(world)
        except InvalidMdpError:
            return      # nobody can drive there
        self._follower = PolicyFollower(self._cells, self._confidence)
        self._recorder = StepRecorder(self._cells)

    def see_pose(self, pose: Pose, now: float) -> None:
        """Learn where the robot is."""
        self._pose, self._pose_at = pose, now
        self.gate.see_odometry(now)

    def take_correction(self) -> DemonstrationAnswer | None:
        """Return what a person did instead of the robot, once."""
        correction, self._correction = self._correction, None
        return correction

    def permit(self, now: float, stops: int | None = None, over: Iterable[int] = ()) -> None:
        """
        Allow motion; raise if somebody has pressed STOP, unless the caller knows of it.

        Whoever allows motion without looking cannot win against a STOP, however often or seldom.
        One who looks has to wait, and each try begins the wait again.

        :param stops: how often STOP was pressed, as far as the caller knows; None: not at all.
        :param over: states that the robot may enter this once although it never must.
        """
        if self.inactive is not None:
            raise GbsIrlError(execution_text(
                ExecutionRecord(ExecutionStatus.STOPPED, *self.inactive)))
        tries = self._blind_tries if stops is None else self._tries
        asked_at = tries[-1]
        tries.append(now)       # also of one who guesses
        many = len(tries) == MANY and now - tries[0] < WITHIN_S
        wait_s = INSISTENT_S if many else GO_AFTER_S
        if self._is_stopped:
            self._check_knows(stops)
            if now < max(self._stopped_at, asked_at) + wait_s:
                raise GbsIrlError(tr('the robot has just been stopped: to let it drive, ask again '
                                     'after {seconds:.0f} s in which nobody asks', seconds=wait_s))
        elif stops is None and self._trouble is not None \
                and self._trouble[0] is ExecutionReason.STOPPED_BY_OTHERS \
                and now < max(self._zero_at, asked_at) + wait_s:
            raise GbsIrlError(tr('another node has told the robot to stand, by a zero velocity on '
                                 'cmd_vel: ask again after {seconds:.0f} s in which none comes '
                                 'and nobody asks', seconds=wait_s))
        self._is_stopped = self._has_arrived = False
        self._over = frozenset(over)
        self.gate.permit(True)
        self._driven_by = self.gate.policy
        self._trouble, self._held_until = None, -math.inf
        self._watch.forget()

    def _check_knows(self, stops: int | None) -> None:
        if stops is None:
            raise GbsIrlError(tr('somebody has pressed STOP: let it drive again on the page or in '
                                 'the terminal, or call the service ~/go with {{stops: {stops}}}',
                                 stops=self.stops))
        if stops != self.stops:
            raise GbsIrlError(tr('somebody has pressed STOP since you last looked; if all is '
                                 'well, let it drive again'))

    def stop(self, now: float) -> None:
        """Stop the robot, whatever drives it, and keep it stopped while others send motion."""
        self._hold(None, now)
        self._is_stopped, self.stops = True, self.stops + 1

    def _hold(self, reason: Reason | None, now: float) -> None:
        self._forbid(reason, now)
        self._stopped_at, self._held_until = now, now + HOLD_S

    def activate(self) -> None:
        """Let the gate decide from now on."""
        self.inactive = None
        self._watch.forget()

    def deactivate(self, reason: Reason, now: float) -> None:
        """Move nothing from now on, and forget that a person has allowed it; one last zero."""
        self.inactive, self._until_arrival = reason, None
        self.gate.take_back()
        self._is_driving = self._was_manual = self._is_correction = False
        self._say_stop_until = -math.inf
        if self._follower is not None:
            self._follower.forget()
        if self.override.is_driving(now):
            self._drive.release()
        else:
            self._drive.stop(now)

    def see_command(self, velocity: Velocity | None, now: float) -> bool:
        """
        Look at a command on the topic, whoever sent it; return whether a STOP holds against it.

        :param velocity: None if it is not finite; then it is not the drive's, and who knows what
            a robot makes of it.
        """
        held = self._is_held(now)       # before this command makes somebody drive
        if velocity is None:
            self.override.take_over(now)
        elif not self.override.saw(velocity, now):
            return False        # the drive's own
        if velocity is not None and velocity.is_zero:
            self._zero_at = now
            if self._is_driving:    # an emergency stop, or somebody who lets go of a switch
                self._forbid((ExecutionReason.STOPPED_BY_OTHERS, ()), now)
        elif held:
            self._drive.stop(now)
            return True
        return False

    def see_person(self, now: float) -> None:
        """Note that a person drives, who was noticed in another way than by commands."""
        self.override.take_over(now)

    def see_watch(self, seconds: float, now: float) -> None:
        """
        Learn that somebody watches over the robot, for a person who has let it drive.

        :param seconds: without another sign of them for this long, it stops; 0: they no longer do.
        """
        self._abandoned_at = now + seconds if seconds > 0.0 else math.inf

    def _forbid(self, reason: Reason | None, now: float) -> None:
        self.gate.permit(False)
        self._trouble = reason
        self._is_driving = self._has_arrived = False
        self._say_stop_until = now + SAY_STOP_FOR_S
        self._drive.stop(now)

    def _is_held(self, now: float) -> bool:
        if now - self._stopped_at > GO_AFTER_S and not self.override.is_driving(now):
            self._held_until = -math.inf        # nobody else drives: whoever begins now may
        return now < self._held_until

    def act(self, now: float) -> ExecutionRecord:
        """Decide what to do now, and have the drive do it; return what is done."""
        if self._drive.others_drive():
            self.see_person(now)
        if now > self._abandoned_at:
            self._abandoned_at, self._until_arrival = math.inf, None
            if self.gate.is_permitted:
                self._forbid(None, now)
        self._resume_after_forgery()
        decision = self.decide(now)
        was_driving, self._is_driving = self._is_driving, decision.target is not None
        if decision.target is not None:
            self._say_stop_until = now + SAY_STOP_FOR_S
            return self._go(decision, decision.target, now)
        if was_driving and decision.status in BY_PLACE and (wrong := self._jump()) is not None:
            self._forbid(wrong, now)
            return ExecutionRecord(ExecutionStatus.STOPPED, *wrong, decision.state)
        if decision.status is ExecutionStatus.GOAL and not self._has_arrived:
            self._arrive()
        if decision.status is ExecutionStatus.MANUAL:
            self._until_arrival = None
            self._drive.release()
        elif was_driving:       # however long ago that was: this may come late
            self._say_stop_until = now + SAY_STOP_FOR_S
            self._drive.stop(now)
        elif now < self._say_stop_until or decision.reason is ExecutionReason.HELD:
            self._drive.stop(now)
        return decision

    def _arrive(self) -> None:
        """Take back the permission: what was allowed has been done."""
        before, by = self._driven_by, self.gate.policy
        assert by is not None
        self._until_arrival = (before.checksum, self._over) if before is not None \
            and before.checksum != by.checksum and self.gate.is_permitted_by_person else None
        self.gate.take_back()
        self._has_arrived, self._over = True, frozenset()

    def _resume_after_forgery(self) -> None:
        """
        Go on if it had arrived only by a policy that somebody has forged.

        That is so if the one before is in force again: no learner returns to an old policy.
        """
        policy = self.gate.policy
        if self._has_arrived and self._until_arrival is not None and policy is not None \
                and policy.checksum == self._until_arrival[0]:
            self._over, self._until_arrival = self._until_arrival[1], None
            self._has_arrived = False
            self.gate.give_back()

    def _jump(self) -> Reason | None:
        """Return that the robot has not driven to where it stands, if it has not."""
        assert self._cells is not None
        assert self._pose is not None
        return self._watch.jumped(
            self._pose, self._cells.cell_size, self._drive.limits, self._pose_at)

    def _go(self, decision: ExecutionRecord, target: int, now: float) -> ExecutionRecord:
        assert self._follower is not None
        assert self._cells is not None
        assert self._pose is not None
        assert self.gate.policy is not None
        self._driven_by = self.gate.policy
        stretch = self._follower.stretch(self.gate.policy.policy)
        progress = drive_to(self._drive, self._cells, stretch, self._pose, now)
        keeps_limits = self.is_real_time and not self._drive.finds_its_way
        wrong = self._watch.check(self._pose, self._cells.centre(target), self._cells.cell_size,
                                  self._drive.limits, self._pose_at, keeps_limits=keeps_limits) \
            if progress is Progress.UNDER_WAY else None
        if wrong is not None and not (self._drive.finds_its_way and wrong[0] in OWN_WAYS):
            self._forbid(wrong, now)
            return ExecutionRecord(ExecutionStatus.STOPPED, *wrong, decision.state)
        if progress is Progress.ARRIVED:
            self._follower.arrive()
        if progress is not Progress.FAILED:
            return decision
        reason = self._drive.trouble or (ExecutionReason.UNREACHABLE, (str(target),))
        if reason[0] in NEEDS_PERMISSION:
            self._hold(reason, now)     # against a navigation that nobody controls any more
        return ExecutionRecord(ExecutionStatus.STOPPED, *reason, decision.state, decision.action)

    def decide(self, now: float) -> ExecutionRecord:
        """Return what to do now."""
        state = self._state()
        if self.override.is_driving(now) and self._is_held(now):
            return ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.HELD,
                                   (f'{self._held_until - now:.0f}',), state)
        if self.inactive is not None:
            return ExecutionRecord(ExecutionStatus.STOPPED, *self.inactive, state)
        if self.override.is_driving(now):
            self._watch_person(state, now)
            return ExecutionRecord(ExecutionStatus.MANUAL, state=state)
        if self._was_manual:
            self._person_is_done()
        if self._world is not None and self._cells is None:
            return ExecutionRecord(ExecutionStatus.STOPPED, ExecutionReason.NO_CELLS,
                                   (self._world.name,))
        reason = self._reason_to_stop(now)
        if reason is not None:
            if reason[0] is ExecutionReason.NOT_ALLOWED:
                if self._has_arrived and self._is_goal(state):
                    return ExecutionRecord(ExecutionStatus.GOAL, state=state)
                reason = self._trouble or reason
            return ExecutionRecord(ExecutionStatus.STOPPED, *reason, state)
        # The gate is open: there is a world with cells, a policy for it, and a pose.
        assert self._follower is not None
        assert self.gate.policy is not None
        assert self._pose is not None
        return self._follower.decide(self.gate.policy.policy, self._pose,
                                     final=self.gate.policy.final, over=self._over)

    def _is_goal(self, state: int | None) -> bool:
        policy = self.gate.policy
        return policy is not None and policy.final and policy.task_hash == self.gate.task_hash \
            and state in policy.policy.goal_states

    def _reason_to_stop(self, now: float) -> Reason | None:
        """
        Return why the robot must not move; None if it may.

        If nobody but the launch file has let it drive, it waits for a moment: somebody may have
        pressed STOP before this controller was started, and has to find it first.
        """
        reason = self.gate.reason_to_stop(now)
        if reason is not None:
            return reason
        if self._ready_at is None:
            self._ready_at = now
        waits = not self.gate.is_permitted_by_person and now - self._ready_at < LOOK_ROUND_S
        return (ExecutionReason.STARTING, ()) if waits else None

    def _state(self) -> int | None:
        if self._cells is None or self._pose is None:
            return None
        return self._cells.state_at(self._pose.x, self._pose.y)

    def _watch_person(self, state: int | None, now: float) -> None:
        if self._recorder is None or self._follower is None:
            return
        if not self._was_manual:
            # Taking over from a robot that drives is a correction; moving one at rest is not.
            # Nor is driving round what was in its way: that is not part of the task. One that has
            # just arrived is at rest, but somebody who drives it on says that it was not the end.
            may_drive = self._reason_to_stop(now) is None \
                or (self._has_arrived and self._is_goal(state))
            self._is_correction = may_drive and self._drive.trouble is None
            self._follower.forget()
            self._recorder.clear()
            self._was_manual = True
        self._recorder.see(state)

    def _person_is_done(self) -> None:
        self._was_manual = False
        assert self._recorder is not None
        shown = self._recorder.take()
        if self._is_correction and shown is not None:
            self._correction = shown
