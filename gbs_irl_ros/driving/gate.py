"""
Whether the robot may move: everything must be right, and recent.

A policy is obeyed only whole, for this task, as long as the one learner that is alive announces
it, and after a person or the launch file allowed motion. All times are of a steady clock [s].
"""

from __future__ import annotations

import math
import secrets
from collections import deque
from dataclasses import dataclass, field

from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord

HEARTBEAT_TIMEOUT_S = 0.5
ODOMETRY_TIMEOUT_S = 0.4        # so that the robot stands half a second after the last pose
ON_ITS_WAY_S = 0.3      # a policy is larger than the heartbeat that announces it
FORGOTTEN_S = 2.0       # without one that counts, heartbeats may begin again with lower numbers
MAX_OFFERED = 8         # policies that wait to be announced
MAX_SESSIONS = 16       # whose last heartbeat is remembered
CHALLENGE_BYTES = 16
HASH_LENGTH = 12        # of a hash, where a person reads it

Reason = tuple[ExecutionReason, tuple[str, ...]]      # with its data


@dataclass
class Gate:
    """
    Collects what is known; ``reason_to_stop`` judges it.

    task_hash, num_states, num_actions: of the task, '' and 0 until it is known.
    needs_learner: False for a policy from a file, which no learner vouches for.
    always_permitted: the launch file has allowed motion, for whatever is taught.
    key: shared with the learner; None: any heartbeat counts.
    challenge: signed heartbeats must cover it, so that none from before it was drawn counts.
    policy: the one in force.
    wrong_commands: what is said if the robot cannot understand its commands, None if it can.
    pose_trouble: what is wrong with the pose of the robot, None if nothing.
    policy_publishers, heartbeat_publishers: that may be alive.
    """

    task_hash: str = ''
    num_states: int = 0
    num_actions: int = 0
    needs_learner: bool = True
    always_permitted: bool = False
    heartbeat_timeout_s: float = HEARTBEAT_TIMEOUT_S
    odometry_timeout_s: float = ODOMETRY_TIMEOUT_S
    key: bytes | None = None
    challenge: str = field(default_factory=lambda: secrets.token_hex(CHALLENGE_BYTES))
    policy: PolicyRecord | None = None
    wrong_commands: tuple[str, ...] | None = None
    pose_trouble: Reason | None = None
    policy_publishers: int = 0
    heartbeat_publishers: int = 0
    _heartbeat: HeartbeatRecord | None = None
    _heard_before: HeartbeatRecord | None = None        # whether it counted or not
    _heard_at: float = 0.0
    _overtaken_at: float | None = None      # since when a newer policy is announced,
    _overtaken: int = 0                     # and than which
    _offered: deque[PolicyRecord] = field(default_factory=lambda: deque(maxlen=MAX_OFFERED))
    _missing_since: float | None = None
    _counts: dict[str, tuple[int, int]] = field(default_factory=dict)   # signed ones, by session
    _odometry_at: float | None = None
    _several_at: float = -math.inf          # when there was more than one of them
    _hears_several: bool = False            # or may
    _permitted: bool = False
    _permitted_session: str = ''

    def permit(self, allowed: bool) -> None:
        """Allow motion, for the lesson of the present policy; or forbid it."""
        self._permitted = allowed
        self._permitted_session = self.policy.session if self.policy is not None else ''
        if not allowed:
            self.always_permitted = False

    @property
    def is_permitted_by_person(self) -> bool:
        """Return whether somebody has allowed motion, not the launch file alone."""
        return self._permitted

    @property
    def is_permitted(self) -> bool:
        """Return whether anybody has allowed motion, the launch file included."""
        return self._permitted or self.always_permitted

    def take_back(self) -> None:
        """Take back what a person has allowed; what the launch file has allowed stays so."""
        self._permitted = False

    def give_back(self) -> None:
        """Undo ``take_back``."""
        self._permitted = True

    def see_publishers(self, policies: int, heartbeats: int, now: float) -> None:
        """
        Learn how many publish what a learner does.

        Nobody can tell which of several has sent a message. So what is heard while there are
        several changes nothing, nor what may still be on its way from one who has gone: a robot
        that stands because of a forger would drive as he says for a moment after he has gone. The
        announced policy is fetched again.
        """
        self.policy_publishers, self.heartbeat_publishers = policies, heartbeats
        if max(policies, heartbeats) > 1:
            self._several_at = now
        self._hears_several = self.key is None and now - self._several_at < ON_ITS_WAY_S

    def offer(self, policy: PolicyRecord | None) -> None:
        """
        Take a policy; it comes into force as soon as a heartbeat announces it.

        :param policy: None: one that is broken, so that none is in force.
        """
        if self._hears_several:
            return
        if policy is not None:
            self._offered.append(policy)
        beat = self._heartbeat
        if policy is None or (self.key is None and (beat is None or not beat.checksum)):
            self.policy = policy        # a learner that announces none is believed
        elif beat is not None:
            self._put_in_force(beat)

    def see_heartbeat(self, beat: HeartbeatRecord, now: float) -> None:
        """
        Take a sign of life; an old one that comes again, or a forged one, does not count.

        Without a key a forged one can count, and what it says then holds until the real ones are
        heard alone for a moment.
        """
        if self._hears_several or not self._counts_now(beat, now):
            return
        self._heartbeat, self._heard_at = beat, now
        self._put_in_force(beat)
        if self.policy is None or self._announces(beat, self.policy):
            self._overtaken_at = None
        elif self._overtaken_at is None or self._overtaken != self.policy.sequence:
            self._overtaken_at, self._overtaken = now, self.policy.sequence

    def misses_the_announced(self, now: float) -> bool:
        """Return whether the policy that the learner announces has not come, and should have."""
        beat = self._heartbeat
        if not self.needs_learner or beat is None or self._is_in_force(beat):
            self._missing_since = None
            return False
        if self._missing_since is None:
            self._missing_since = now
        return now - self._missing_since > ON_ITS_WAY_S

    def _is_in_force(self, beat: HeartbeatRecord) -> bool:
        """Return whether the policy that a heartbeat announces is in force, if there is one."""
        policy = self.policy
        if beat.checksum:
            return policy is not None and policy.checksum == beat.checksum
        return not beat.sequence or (policy is not None and (
            policy.session, policy.sequence) == (beat.session, beat.sequence))

    def _counts_now(self, beat: HeartbeatRecord, now: float) -> bool:
        if self.key is not None:
            number = beat.sequence, beat.count      # a learner that starts again counts from one
            if not beat.is_signed_by(self.key, self.challenge) or number <= self._counts.get(
                    beat.session, (-1, -1)):
                return False
            self._counts[beat.session] = number
            if len(self._counts) > MAX_SESSIONS:
                self._counts.clear()        # their heartbeats would count again, but for this:
                self.challenge = secrets.token_hex(CHALLENGE_BYTES)
            return True
        before, self._heard_before = self._heard_before, beat
        return _is_newer(beat, self._heartbeat) \
            or (now - self._heard_at > FORGOTTEN_S and _is_newer(beat, before))

    def _put_in_force(self, beat: HeartbeatRecord) -> None:
        for policy in self._offered:
            if policy.checksum == beat.checksum:
                self.policy = policy

    def _announces(self, beat: HeartbeatRecord, policy: PolicyRecord) -> bool:
        if beat.checksum:
            return beat.checksum == policy.checksum
        return self.key is None and beat.sequence <= policy.sequence

    def see_odometry(self, now: float) -> None:
        """Note that the robot has just said where it is."""
        self._odometry_at = now

    def reason_to_stop(self, now: float) -> Reason | None:
        """Return why the robot must not move, with the data of the reason; None if it may."""
        if not self.is_permitted:
            return ExecutionReason.NOT_ALLOWED, ()
        if self.wrong_commands is not None:
            return ExecutionReason.COMMAND_TYPE, self.wrong_commands
        if not self.task_hash:
            return ExecutionReason.NO_TASK, ()
        reason = self._wrong_policy() or self._wrong_learner(now)
        if reason is not None:
            return reason
        if not self._permitted_session:     # allowed before there was one that counts: this one
            assert self.policy is not None      # judged before
            self._permitted_session = self.policy.session
        return self._wrong_odometry(now)

    def _wrong_policy(self) -> Reason | None:
        policy = self.policy
        if policy is None:
            return ExecutionReason.NO_POLICY, ()
        if policy.task_hash != self.task_hash:
            return ExecutionReason.OTHER_TASK, (policy.task_hash[:HASH_LENGTH],
                                                self.task_hash[:HASH_LENGTH])
        if policy.policy.num_states != self.num_states:
            return ExecutionReason.OTHER_STATES, (str(policy.policy.num_states),
                                                  str(self.num_states))
        if policy.policy.num_actions != self.num_actions:
            return ExecutionReason.OTHER_ACTIONS, (str(policy.policy.num_actions),
                                                   str(self.num_actions))
        if not self.always_permitted and self._permitted_session not in ('', policy.session):
            return ExecutionReason.OTHER_LESSON, ()
        return None

    def _wrong_learner(self, now: float) -> Reason | None:
        if not self.needs_learner:
            return None
        policy, beat = self.policy, self._heartbeat
        assert policy is not None       # judged before
        if self.policy_publishers != 1 or self.heartbeat_publishers != 1:
            return ExecutionReason.NOT_ONE_LEARNER, (str(self.policy_publishers),
                                                     str(self.heartbeat_publishers))
        if beat is None:
            return ExecutionReason.LEARNER_UNHEARD, ()
        if now - self._heard_at > self.heartbeat_timeout_s:
            return ExecutionReason.NO_HEARTBEAT, (f'{now - self._heard_at:.1f}',)
        if beat.session != policy.session:
            return ExecutionReason.OTHER_SESSION, (policy.session, beat.session)
        if self._announces(beat, policy):
            self._overtaken_at = None
        elif self._overtaken_at is not None and now - self._overtaken_at > ON_ITS_WAY_S:
            return ExecutionReason.OLD_POLICY, (str(policy.sequence), str(beat.sequence))
        return None

    def _wrong_odometry(self, now: float) -> Reason | None:
        if self.pose_trouble is not None:
            return self.pose_trouble
        if self._odometry_at is None:
            return ExecutionReason.NO_ODOMETRY, ()
        age = now - self._odometry_at
        return (ExecutionReason.OLD_ODOMETRY, (f'{age:.1f}',)) \
            if age > self.odometry_timeout_s else None


def _is_newer(beat: HeartbeatRecord, than: HeartbeatRecord | None) -> bool:
    return than is None or beat.session != than.session \
        or (beat.sequence, beat.count) > (than.sequence, than.count)
