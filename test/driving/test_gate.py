"""Whether the robot may move: everything is right, then one thing is not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from cases import for_each
from hypothesis import given, settings, strategies as st

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.driving.gate import (
    FORGOTTEN_S,
    HEARTBEAT_TIMEOUT_S,
    MAX_SESSIONS,
    ODOMETRY_TIMEOUT_S,
    ON_ITS_WAY_S,
    Gate,
)
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord

TASK, OTHER_TASK = 'a1' * 32, 'b2' * 32
NOW = 100.0
INVARIANT = settings(deadline=None, derandomize=True, max_examples=50)
NOT_ALLOWED = 'motion is not allowed yet: call the service ~/enable (after a STOP, ~/go)'
OTHER_LESSON = ('another lesson has begun since motion was allowed: call the service ~/enable '
                '(after a STOP, ~/go) again')


def record(session='monday', sequence=5, task=TASK, states=3, actions=4):
    policy = Policy(np.ones(states), np.ones(states), np.array([0]), actions)
    return PolicyRecord(session, sequence, task, policy)


def beat(session='monday', sequence=5, count=7):
    return HeartbeatRecord(session, sequence, count)


def ready(**options):
    """Everything is known, recent and allowed."""
    values = {'task_hash': TASK, 'num_states': 3, 'num_actions': 4, 'policy': record(),
              'policy_publishers': 1, 'heartbeat_publishers': 1, **options}
    gate = Gate(**values)
    gate.see_heartbeat(beat(), NOW)
    gate.see_odometry(NOW)
    gate.permit(True)
    return gate


def why(gate, now):
    """Return why the robot must not move, as a person reads it; None if it may."""
    reason = gate.reason_to_stop(now)
    return None if reason is None \
        else execution_text(ExecutionRecord(ExecutionStatus.STOPPED, *reason))


def test_the_robot_may_move_when_everything_is_right():
    assert why(ready(), NOW) is None


def test_a_new_gate_is_closed():
    assert why(Gate(), 0.0) == NOT_ALLOWED


# ---- one thing is wrong ---------------------------------------------------------------------

def test_it_stops_when_nobody_has_allowed_motion():
    gate = Gate(TASK, 3, 4, policy=record(), policy_publishers=1, heartbeat_publishers=1)
    gate.see_heartbeat(beat(), NOW)
    gate.see_odometry(NOW)
    assert why(gate, NOW) == NOT_ALLOWED
    gate.permit(True)
    assert why(gate, NOW) is None


def test_it_stops_while_the_task_is_not_known():
    gate = ready()
    gate.task_hash = ''
    assert why(gate, NOW) == 'the task is not known yet: is the mdp node running?'


def test_it_stops_without_a_policy():
    gate = ready()
    gate.policy = None
    assert why(gate, NOW) == 'there is no policy yet'


def test_it_stops_when_the_policy_is_for_another_task():
    gate = ready()
    gate.policy = record(task=OTHER_TASK)
    assert why(gate, NOW) == (
        f'the policy is for another task ({OTHER_TASK[:12]}, not {TASK[:12]})')


def test_it_stops_when_another_task_is_loaded():
    gate = ready()
    gate.task_hash = OTHER_TASK
    assert why(gate, NOW) == (
        f'the policy is for another task ({TASK[:12]}, not {OTHER_TASK[:12]})')


@for_each('states', [1, 2, 4])
def test_it_stops_when_the_policy_is_not_whole(states):
    gate = ready()
    gate.policy = record(states=states)
    assert why(gate, NOW) == (
        f'the policy is for {states} states, the task has 3')


@for_each('actions', [1, 3, 5])
def test_it_stops_when_the_policy_has_other_actions(actions):
    gate = ready()
    gate.policy = record(actions=actions)
    assert why(gate, NOW) == (
        f'the policy is for {actions} actions, the task has 4')


def test_it_stops_when_another_lesson_has_begun():
    gate = ready()
    gate.policy = record('tuesday')
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    assert why(gate, NOW) == OTHER_LESSON


@for_each(('policies', 'heartbeats'), [(0, 1), (1, 0), (2, 1), (1, 2), (0, 0)])
def test_it_stops_unless_there_is_one_learner(policies, heartbeats):
    gate = ready()
    gate.policy_publishers, gate.heartbeat_publishers = policies, heartbeats
    assert why(gate, NOW) == (
        f'there must be one learner: {policies} publish policies and {heartbeats} heartbeats')


def test_it_stops_when_the_learner_has_never_been_heard():
    gate = Gate(TASK, 3, 4, policy=record(), policy_publishers=1, heartbeat_publishers=1)
    gate.see_odometry(NOW)
    gate.permit(True)
    assert why(gate, NOW) == 'no heartbeat from the learner yet'


def test_it_stops_when_the_learner_is_silent():
    gate = ready()
    gate.see_odometry(NOW + 2.0)
    assert why(gate, NOW + 2.0) == 'no heartbeat from the learner for 2.0 s'


def test_it_stops_when_another_learner_is_alive():
    gate = ready()
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    assert why(gate, NOW) == (
        'the policy is of session monday, the learner that is alive of tuesday')


def test_it_stops_when_a_newer_policy_does_not_come():
    gate = ready()
    later = NOW + ON_ITS_WAY_S + 0.01
    for count, now in ((8, NOW), (9, later)):
        gate.see_heartbeat(beat(sequence=6, count=count), now)
        gate.see_odometry(now)
    assert why(gate, later) == (
        'the policy is old (5): the learner has published a newer one (6)')
    gate.policy = record(sequence=6)
    assert why(gate, later) is None


def test_a_policy_that_comes_before_its_heartbeat_is_obeyed():
    gate = ready()
    gate.policy = record(sequence=6)
    assert why(gate, NOW) is None


def test_it_stops_when_the_robot_has_never_said_where_it_is():
    gate = Gate(TASK, 3, 4, policy=record(), policy_publishers=1, heartbeat_publishers=1)
    gate.see_heartbeat(beat(), NOW)
    gate.permit(True)
    assert why(gate, NOW) == (
        'no odometry yet: is the robot running?')


def test_it_stops_when_the_robot_no_longer_says_where_it_is():
    gate = ready()
    gate.see_heartbeat(beat(count=8), NOW + 2.0)
    assert why(gate, NOW + 2.0) == 'no odometry for 2.0 s'


# ---- times ----------------------------------------------------------------------------------

def test_the_limits_keep_the_promise_to_stop_within_six_tenths_of_a_second():
    assert max(HEARTBEAT_TIMEOUT_S, ODOMETRY_TIMEOUT_S, ON_ITS_WAY_S) < 0.6


def test_without_a_pose_the_robot_stands_within_half_a_second_one_tick_included():
    assert ODOMETRY_TIMEOUT_S + 0.05 < 0.5


def test_what_is_wrong_with_the_pose_stops_the_robot_and_lets_it_go_again():
    gate = ready()
    gate.pose_trouble = (ExecutionReason.WRONG_FRAME, ('odom', 'base', 'odom'))
    assert why(gate, NOW) == ("a pose on odom is in the frame 'base', expected 'odom': two "
                              'publishers, or another map?')
    gate.pose_trouble = None
    assert why(gate, NOW) is None


def test_the_learner_may_be_silent_up_to_the_limit_and_not_longer():
    gate = ready(heartbeat_timeout_s=0.25, odometry_timeout_s=9.0)
    assert why(gate, NOW + 0.25) is None
    later = float(np.nextafter(NOW + 0.25, np.inf))
    assert why(gate, later) == 'no heartbeat from the learner for 0.3 s'


def test_the_robot_may_be_silent_up_to_the_limit_and_not_longer():
    gate = ready(heartbeat_timeout_s=9.0, odometry_timeout_s=0.5)
    assert why(gate, NOW + 0.5) is None
    later = float(np.nextafter(NOW + 0.5, np.inf))
    assert why(gate, later) == 'no odometry for 0.5 s'


def test_the_limits_that_nobody_chose_are_those_of_the_module():
    gate = Gate(TASK, 3, 4, policy=record(), policy_publishers=1, heartbeat_publishers=1)
    gate.see_heartbeat(beat(), 0.0)
    gate.see_odometry(0.0)
    gate.permit(True)
    assert why(gate, min(HEARTBEAT_TIMEOUT_S, ODOMETRY_TIMEOUT_S)) is None
    assert why(gate, HEARTBEAT_TIMEOUT_S + 1e-9).startswith('no heartbeat')
    gate.see_heartbeat(beat(count=8), ODOMETRY_TIMEOUT_S)
    assert why(gate, ODOMETRY_TIMEOUT_S + 1e-9).startswith('no odometry')


def test_a_newer_policy_may_be_on_its_way_up_to_the_limit_and_not_longer():
    gate = Gate(TASK, 3, 4, policy=record(), policy_publishers=1, heartbeat_publishers=1)
    gate.permit(True)
    gate.see_odometry(0.0)
    gate.see_heartbeat(beat(sequence=6, count=8), 0.0)
    gate.see_heartbeat(beat(sequence=6, count=9), 0.2)      # the same news are not newer
    assert why(gate, ON_ITS_WAY_S) is None
    assert why(gate, ON_ITS_WAY_S + 1e-9) == (
        'the policy is old (5): the learner has published a newer one (6)')


def test_an_old_policy_gets_no_more_time_when_still_newer_ones_are_announced():
    gate, reasons = ready(), []
    for number in range(1, 20):
        now = NOW + 0.2 * number
        gate.see_heartbeat(beat(sequence=5 + number, count=7 + number), now)
        gate.see_odometry(now)
        reasons.append(why(gate, now))
    assert reasons[:2] == [None, None]      # 0.0 and 0.2 s after it was overtaken
    assert all(reason.startswith('the policy is old (5)') for reason in reasons[2:])


def test_a_policy_that_came_has_its_own_time_when_it_is_overtaken_too():
    gate = ready()
    gate.see_heartbeat(beat(sequence=6, count=8), NOW)
    gate.policy = record(sequence=6)
    assert why(gate, NOW + 0.2) is None
    gate.see_heartbeat(beat(sequence=7, count=9), NOW + 0.25)
    gate.see_odometry(NOW + 0.25)
    assert why(gate, NOW + 0.25 + 0.9 * ON_ITS_WAY_S) is None
    assert why(gate, NOW + 0.25 + 1.1 * ON_ITS_WAY_S) == (
        'the policy is old (6): the learner has published a newer one (7)')


def test_an_announcement_before_the_first_policy_does_not_count_against_it():
    gate = ready(policy=None)
    gate.see_heartbeat(beat(sequence=6, count=8), NOW)
    assert why(gate, NOW + 0.35) == 'there is no policy yet'
    gate.policy = record()
    gate.see_heartbeat(beat(sequence=6, count=9), NOW + 0.35)
    assert why(gate, NOW + 0.35) is None


def test_it_goes_on_when_learner_and_robot_are_heard_again():
    gate = ready()
    assert why(gate, NOW + 5.0) is not None
    gate.see_heartbeat(beat(count=8), NOW + 5.0)
    assert why(gate, NOW + 5.0) is not None
    gate.see_odometry(NOW + 5.0)
    assert why(gate, NOW + 5.0) is None


# ---- signs of life --------------------------------------------------------------------------

@for_each('old', [
    beat(), beat(count=6), beat(sequence=4), beat(sequence=4, count=1),
    beat(sequence=4, count=99)])
def test_a_sign_of_life_that_comes_again_is_none(old):
    gate = ready()
    gate.see_heartbeat(old, NOW + 1.0)
    gate.see_odometry(NOW + 1.0)
    assert why(gate, NOW + 1.0) == 'no heartbeat from the learner for 1.0 s'


def test_a_learner_that_was_restarted_counts_from_one_and_is_believed():
    gate = ready()
    gate.policy = record(sequence=1_000_001)
    gate.see_heartbeat(beat(sequence=1_000_001, count=1), NOW + 1.0)
    gate.see_odometry(NOW + 1.0)
    assert why(gate, NOW + 1.0) is None


def test_a_learner_that_was_restarted_goes_on_counting():
    gate = ready()
    gate.policy = record(sequence=9)
    for count in range(1, 30):
        now = NOW + 0.25 * count
        gate.see_heartbeat(beat(sequence=9, count=count), now)
        gate.see_odometry(now)
        assert why(gate, now) is None


def test_an_old_sign_of_life_is_none_after_a_restart_either():
    gate = ready()
    gate.see_heartbeat(beat(sequence=6, count=1), NOW)
    gate.see_heartbeat(beat(sequence=5, count=7), NOW + 1.0)
    gate.see_odometry(NOW + 1.0)
    assert why(gate, NOW + 1.0) == 'no heartbeat from the learner for 1.0 s'


@INVARIANT
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20))
def test_only_what_is_newer_than_all_before_is_a_sign_of_life(beats):
    """
    Newer: a higher sequence, or a higher count with the same.

    After a silence, newer than the one before is enough: the last that counted may be forged.
    """
    gate, newest, heard, before = ready(policy=record(sequence=9)), (5, 7), NOW, (5, 7)
    for step, (sequence, count) in enumerate(beats, start=1):
        now = NOW + step
        gate.see_heartbeat(beat(sequence=sequence, count=count), now)
        gate.see_odometry(now)
        this = sequence, count
        if this > newest or (now - heard > FORGOTTEN_S and this > before):
            newest, heard = this, now
        before = this
        assert why(gate, now) == (
            None if heard == now else f'no heartbeat from the learner for {now - heard:.1f} s')


def test_a_new_session_counts_from_one_and_is_believed():
    gate = ready()
    gate.policy = record('tuesday', 1)
    gate.see_heartbeat(beat('tuesday', 1, 1), NOW + 1.0)
    gate.see_odometry(NOW + 1.0)
    gate.permit(True)
    assert why(gate, NOW + 1.0) is None


# ---- permission -----------------------------------------------------------------------------

def test_forbidding_stops_and_allowing_goes_on():
    gate = ready()
    gate.permit(False)
    assert why(gate, NOW) == NOT_ALLOWED
    gate.permit(True)
    assert why(gate, NOW) is None


def test_allowing_again_is_allowing_for_the_new_lesson():
    gate = ready()
    gate.policy = record('tuesday')
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    gate.permit(True)
    assert why(gate, NOW) is None


def test_a_newer_policy_of_the_same_lesson_needs_no_new_permission():
    gate = ready()
    gate.policy = record(sequence=50)
    gate.see_heartbeat(beat(sequence=50, count=8), NOW)
    assert why(gate, NOW) is None


def test_motion_may_be_allowed_before_the_first_policy():
    gate = ready(policy=None)
    gate.policy = record()
    assert why(gate, NOW) is None


def test_motion_allowed_before_the_first_policy_is_allowed_for_its_lesson_only():
    gate = ready(policy=None)
    gate.policy = record()
    assert why(gate, NOW) is None
    gate.policy = record('tuesday')
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    assert why(gate, NOW) == OTHER_LESSON


@for_each('refused', [
    record(task=OTHER_TASK), record(states=4), record(actions=5)])
def test_a_policy_that_is_refused_does_not_use_up_the_permission(refused):
    gate = ready(policy=None)
    gate.policy = refused
    assert why(gate, NOW) is not None
    gate.policy = record('tuesday')
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    assert why(gate, NOW) is None


def test_motion_forbidden_before_the_first_policy_stays_forbidden():
    gate = ready(policy=None)
    gate.permit(False)
    gate.policy = record()
    assert why(gate, NOW) == NOT_ALLOWED


def test_what_the_launch_file_allows_is_allowed_for_every_lesson():
    gate = Gate(TASK, 3, 4, always_permitted=True, policy_publishers=1, heartbeat_publishers=1)
    gate.see_odometry(NOW)
    for session in ('monday', 'tuesday'):
        gate.policy = record(session)
        gate.see_heartbeat(beat(session), NOW)
        assert why(gate, NOW) is None


def test_allowing_what_the_launch_file_allows_takes_nothing_away():
    gate = ready(always_permitted=True)
    gate.policy = record('tuesday')
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    assert why(gate, NOW) is None


def test_forbidding_wins_over_the_launch_file():
    gate = ready(always_permitted=True)
    gate.permit(False)
    assert why(gate, NOW) == NOT_ALLOWED


def test_after_forbidding_permission_is_for_one_lesson_even_if_the_launch_file_gave_more():
    gate = ready(always_permitted=True)
    gate.permit(False)
    gate.permit(True)
    assert why(gate, NOW) is None
    gate.policy = record('tuesday')
    gate.see_heartbeat(beat('tuesday', count=1), NOW)
    assert why(gate, NOW) == OTHER_LESSON


# ---- a policy from a file -------------------------------------------------------------------

def from_a_file():
    gate = Gate(TASK, 3, 4, needs_learner=False, policy=record())
    gate.see_odometry(NOW)
    gate.permit(True)
    return gate


def test_a_saved_policy_needs_no_learner():
    assert why(from_a_file(), NOW) is None


def test_a_saved_policy_does_not_mind_any_learner():
    gate = from_a_file()
    gate.policy_publishers, gate.heartbeat_publishers = 2, 3
    gate.see_heartbeat(beat('tuesday', sequence=99), NOW - 50.0)
    assert why(gate, NOW) is None


@for_each(('change', 'reason'), [
    (lambda gate: gate.permit(False), NOT_ALLOWED),
    (lambda gate: setattr(gate, 'task_hash', ''), 'the task is not known yet'),
    (lambda gate: setattr(gate, 'policy', None), 'there is no policy yet'),
    (lambda gate: setattr(gate, 'policy', record(task=OTHER_TASK)), 'for another task'),
    (lambda gate: setattr(gate, 'policy', record(states=4)), 'for 4 states, the task has 3'),
    (lambda gate: setattr(gate, 'policy', record(actions=5)), 'for 5 actions, the task has 4'),
    (lambda gate: setattr(gate, 'policy', record('tuesday')), OTHER_LESSON),
    (lambda gate: gate.see_odometry(NOW - 1.0), 'no odometry for 1.0 s'),
])
def test_a_saved_policy_needs_everything_else(change, reason):
    gate = from_a_file()
    change(gate)
    assert re.search(re.escape(reason), why(gate, NOW))


# ---- forged and replayed ------------------------------------------------------------------------

CHALLENGE = 'c' * 32


def announced(policy, count=8, key=None, **changes):
    """Return the heartbeat of a learner that says which policy is in force."""
    fields = {'session': policy.session, 'sequence': policy.sequence, 'checksum': policy.checksum}
    made = HeartbeatRecord(count=count, **{**fields, **changes})
    return made if key is None else made.signed(key, CHALLENGE)


def forged(sequence=5):
    """Return a policy of the same lesson with other actions."""
    policy = Policy(np.full(3, 2), np.ones(3), np.array([0]), 4)
    return PolicyRecord('monday', sequence, TASK, policy)


def taught(key=None):
    """A gate that has heard a learner that announces its policy."""
    gate = ready(policy=None, key=key, challenge=CHALLENGE)
    gate.offer(record())
    gate.see_heartbeat(announced(record(), key=key), NOW)
    return gate


def test_a_policy_comes_into_force_when_it_is_announced():
    gate = taught()
    assert gate.policy.checksum == record().checksum
    newer = forged(sequence=6)
    gate.offer(newer)
    assert gate.policy.checksum == record().checksum
    gate.see_heartbeat(announced(newer, 9), NOW)
    assert gate.policy is newer
    assert why(gate, NOW) is None


def test_a_policy_may_come_after_it_was_announced():
    gate, newer = taught(), forged(sequence=6)
    gate.see_heartbeat(announced(newer, 9), NOW)
    assert gate.policy.checksum == record().checksum
    gate.offer(newer)
    assert gate.policy is newer


def test_one_that_nobody_announces_is_never_in_force_however_many_come():
    gate = taught()
    for sequence in range(5, 50):
        gate.offer(forged(sequence))
        assert gate.policy.checksum == record().checksum
        gate.see_heartbeat(announced(record(), sequence + 4), NOW)
        assert gate.policy.checksum == record().checksum
        assert why(gate, NOW) is None


def test_a_broken_one_stops_the_robot_until_the_next_sign_of_life():
    gate = taught()
    gate.offer(None)
    assert why(gate, NOW) == 'there is no policy yet'
    gate.see_heartbeat(announced(record(), 9), NOW)
    assert why(gate, NOW) is None


def test_one_that_was_lost_is_missed_after_a_moment():
    gate = taught()
    assert not gate.misses_the_announced(NOW)
    gate.see_heartbeat(announced(forged(6), 9), NOW)
    assert not gate.misses_the_announced(NOW)
    assert not gate.misses_the_announced(NOW + ON_ITS_WAY_S)
    assert gate.misses_the_announced(NOW + ON_ITS_WAY_S + 0.01)
    assert 'the policy is old' in why(gate, NOW + ON_ITS_WAY_S + 0.01)
    gate.offer(forged(6))
    assert not gate.misses_the_announced(NOW + 0.4)


def test_a_learner_that_announces_no_checksum_is_not_waited_for():
    gate = ready()
    assert not gate.misses_the_announced(NOW)
    gate.see_heartbeat(beat('tuesday', 0), NOW)     # it has no policy yet
    assert not gate.misses_the_announced(NOW + ON_ITS_WAY_S + 0.01)
    gate.offer(forged(6))
    assert gate.policy.sequence == 6


@for_each('changes', [{'count': 2**64 - 1}, {'sequence': 2**64 - 1}, {'checksum': 'f' * 64},
                      {'session': 'tuesday', 'count': 2**64 - 1}])
def test_a_forged_sign_of_life_has_no_lasting_effect(changes):
    gate = taught()
    gate.see_heartbeat(announced(record(), **{'count': 9, **changes}), NOW)
    for number in range(40):
        now = NOW + 0.1 * number
        gate.see_odometry(now)
        gate.see_heartbeat(announced(record(), 10 + number), now)
    assert why(gate, now) is None


@for_each('false', [record(session='tuesday'), forged(2**64 - 1), None])
def test_nor_has_a_forged_policy_even_if_the_learner_announces_no_checksums(false):
    gate = ready(policy=None)
    gate.see_heartbeat(announced(forged(), session='tuesday', checksum='f' * 64), NOW)
    gate.offer(record())        # while another one is announced
    gate.offer(false)
    for number in range(40):    # of the learner
        now = NOW + 0.1 * number
        gate.see_odometry(now)
        gate.see_heartbeat(beat(count=10 + number), now)
        if gate.misses_the_announced(now):
            gate.offer(record())        # fetched again
    assert gate.policy.checksum == record().checksum
    assert why(gate, now) is None


KEY, OTHER_KEY = b'k' * 32, b'o' * 32


@for_each(('key', 'policies', 'heartbeats', 'is_believed'), [
    (None, 1, 1, True), (None, 2, 1, False), (None, 1, 2, False), (KEY, 2, 2, True)])
def test_while_there_are_several_and_a_moment_after_nobody_is_believed_without_the_key(
        key, policies, heartbeats, is_believed):
    gate, newer = taught(key), forged(6)
    gate.see_publishers(policies, heartbeats, NOW)
    gate.offer(newer)
    gate.see_heartbeat(announced(newer, 9, key), NOW)
    gate.see_publishers(1, 1, NOW + 0.2)        # he has gone, but his last words have just come
    gate.see_heartbeat(announced(newer, 10, key), NOW + 0.2)
    assert (gate.policy is newer) == is_believed
    assert why(gate, NOW + 0.2) is None
    now = NOW + ON_ITS_WAY_S + 0.01
    gate.see_publishers(1, 1, now)
    gate.offer(newer)
    gate.see_heartbeat(announced(newer, 11, key), now)
    assert gate.policy is newer
    assert why(gate, now) is None


def test_with_a_key_signed_signs_of_life_count():
    gate = taught(KEY)
    assert why(gate, NOW) is None
    newer = forged(6)
    gate.offer(newer)
    gate.see_heartbeat(announced(newer, 9, KEY), NOW)
    assert gate.policy is newer


@for_each('beat_of', [
    lambda policy: announced(policy, 9), lambda policy: announced(policy, 9, OTHER_KEY),
    lambda policy: replace(announced(record(), 9, KEY), checksum=policy.checksum),
    lambda policy: replace(announced(record(), 9, KEY), count=10),
    lambda policy: replace(announced(record(), 9, KEY), sequence=6),
    lambda policy: replace(announced(record(), 9, KEY), session='tuesday'),
    lambda policy: announced(record(), 8, KEY),         # heard before
    lambda policy: announced(record(), 7, KEY),
    lambda policy: replace(announced(record(), 9), signature=announced(record(), 9).signed(
        KEY, 'd' * 32).signature),                      # told to another controller
    lambda policy: HeartbeatRecord('monday', 6, 9)])
def test_with_a_key_nothing_else_does(beat_of):
    gate = taught(KEY)
    gate.offer(forged(6))
    for number in range(20):
        gate.see_heartbeat(beat_of(forged(6)), NOW + 0.1 * number)
        assert gate.policy.checksum == record().checksum
    assert why(gate, NOW + 2.0) == 'no heartbeat from the learner for 2.0 s'


def test_with_a_key_one_without_a_sign_of_life_is_not_in_force():
    gate = ready(policy=None, key=KEY)
    gate.offer(record())
    assert gate.policy is None


def test_with_a_key_a_learner_that_was_restarted_counts_from_one_and_is_believed():
    gate = taught(KEY)
    again = replace(record(), sequence=2**32)
    gate.offer(again)
    gate.see_heartbeat(announced(again, 1, KEY), NOW)
    assert gate.policy is again
    assert why(gate, NOW) is None


def test_with_a_key_old_signs_of_life_do_not_count_after_those_of_another_lesson():
    gate = taught(KEY)
    other = replace(record(), session='tuesday')
    gate.see_heartbeat(announced(other, 1, KEY), NOW)
    gate.see_heartbeat(announced(record(), 8, KEY), NOW + 1.0)
    assert why(gate, NOW + 1.0).startswith('no heartbeat')


def test_with_a_key_nothing_that_was_said_before_the_controller_started_counts():
    """Everything that a learner has ever sent to the controller before, sent again in order."""
    before, again = taught(KEY), ready(policy=None, key=KEY)
    assert before.challenge != again.challenge
    again.offer(record())
    for count in range(1, 100):
        beat = announced(record(), count, KEY)
        before.see_heartbeat(beat, NOW)
        again.see_heartbeat(beat, NOW)
    assert why(before, NOW) is None
    assert why(again, NOW) == 'there is no policy yet'
    again.see_heartbeat(announced(record(), 1).signed(KEY, again.challenge), NOW)
    assert why(again, NOW) is None


def test_with_a_key_forgetting_lessons_makes_a_new_challenge():
    gate = taught(KEY)
    for number in range(MAX_SESSIONS):
        assert gate.challenge == CHALLENGE
        other = replace(record(), session=f'lesson {number}')
        gate.see_heartbeat(announced(other, 1, KEY), NOW)
    assert gate.challenge != CHALLENGE
    gate.see_heartbeat(announced(record(), 8, KEY), NOW + 1.0)
    assert why(gate, NOW + 1.0).startswith('no heartbeat')


def test_every_controller_draws_its_own_challenge():
    drawn = {Gate().challenge for _ in range(100)}
    assert len(drawn) == 100
    assert {len(each) for each in drawn} == {32}
