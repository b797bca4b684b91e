"""
Whether the robot may move: everything must be right, and recent.

A policy is obeyed only whole, for this task, from the one learner that is alive, and after a
person or the launch file allowed motion. All times are of a steady clock [s].
"""

from __future__ import annotations

from dataclasses import dataclass

from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord

HEARTBEAT_TIMEOUT_S = 0.5
ODOMETRY_TIMEOUT_S = 0.5
ON_ITS_WAY_S = 0.3      # a policy is larger than the heartbeat that announces it


@dataclass
class Gate:
    """
    Collects what is known; ``reason_to_stop`` judges it.

    task_hash, num_states, num_actions: of the task, '' and 0 until it is known.
    needs_learner: False for a policy from a file, which no learner vouches for.
    always_permitted: the launch file has allowed motion, for whatever is taught.
    """

    task_hash: str = ''
    num_states: int = 0
    num_actions: int = 0
    needs_learner: bool = True
    always_permitted: bool = False
    heartbeat_timeout_s: float = HEARTBEAT_TIMEOUT_S
    odometry_timeout_s: float = ODOMETRY_TIMEOUT_S
    policy: PolicyRecord | None = None
    policy_publishers: int = 0
    heartbeat_publishers: int = 0
    _heartbeat: HeartbeatRecord | None = None
    _heard_at: float = 0.0
    _overtaken_at: float | None = None      # since when a newer policy is announced,
    _overtaken: int = 0                     # and than which
    _odometry_at: float | None = None
    _permitted: bool = False
    _permitted_session: str = ''

    def permit(self, allowed: bool) -> None:
        """Allow motion, for the lesson that is going on; or forbid it."""
        self._permitted = allowed
        self._permitted_session = self.policy.session if self.policy is not None else ''
        if not allowed:
            self.always_permitted = False

    def see_heartbeat(self, beat: HeartbeatRecord, now: float) -> None:
        """Take a sign of life; an old one that comes again is none."""
        last = self._heartbeat
        if last is not None and beat.session == last.session \
                and (beat.sequence, beat.count) <= (last.sequence, last.count):
            return
        self._heartbeat, self._heard_at = beat, now
        if self.policy is None or beat.sequence <= self.policy.sequence:
            self._overtaken_at = None
        elif self._overtaken_at is None or self._overtaken != self.policy.sequence:
            self._overtaken_at, self._overtaken = now, self.policy.sequence

    def see_odometry(self, now: float) -> None:
        """Note that the robot has just said where it is."""
        self._odometry_at = now

    def reason_to_stop(self, now: float) -> str | None:
        """Return why the robot must not move, None if it may."""
        if not (self._permitted or self.always_permitted):
            return 'motion is not allowed yet: call the service ~/enable'
        if not self.task_hash:
            return 'the task is not known yet: is the mdp node running?'
        return self._wrong_policy() or self._wrong_learner(now) or self._wrong_odometry(now)

    def _wrong_policy(self) -> str | None:
        policy = self.policy
        if policy is None:
            return 'there is no policy yet'
        if policy.task_hash != self.task_hash:
            return (f'the policy is for another task ({policy.task_hash[:12]}, not '
                    f'{self.task_hash[:12]})')
        if policy.policy.num_states != self.num_states:
            return (f'the policy is for {policy.policy.num_states} states, the task has '
                    f'{self.num_states}')
        if policy.policy.num_actions != self.num_actions:
            return (f'the policy is for {policy.policy.num_actions} actions, the task has '
                    f'{self.num_actions}')
        if not self._permitted_session:
            self._permitted_session = policy.session    # allowed before there was one: this one
        if not self.always_permitted and self._permitted_session != policy.session:
            return 'another lesson has begun since motion was allowed: call ~/enable again'
        return None

    def _wrong_learner(self, now: float) -> str | None:
        if not self.needs_learner:
            return None
        policy, beat = self.policy, self._heartbeat
        assert policy is not None       # judged before
        if self.policy_publishers != 1 or self.heartbeat_publishers != 1:
            return (f'there must be one learner: {self.policy_publishers} publish policies and '
                    f'{self.heartbeat_publishers} heartbeats')
        if beat is None:
            return 'the learner has not been heard yet'
        if now - self._heard_at > self.heartbeat_timeout_s:
            return f'the learner is silent for {now - self._heard_at:.1f} s'
        if beat.session != policy.session:
            return (f'the policy is of session {policy.session}, the learner that is alive of '
                    f'{beat.session}')
        if beat.sequence <= policy.sequence:
            self._overtaken_at = None
        elif self._overtaken_at is not None and now - self._overtaken_at > ON_ITS_WAY_S:
            return (f'the policy is old ({policy.sequence}): the learner has published a newer '
                    f'one ({beat.sequence})')
        return None

    def _wrong_odometry(self, now: float) -> str | None:
        if self._odometry_at is None:
            return 'the robot has not said where it is: is odometry being published?'
        silent = now - self._odometry_at
        if silent > self.odometry_timeout_s:
            return f'the robot has not said for {silent:.1f} s where it is'
        return None
