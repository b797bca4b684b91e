"""Gate, person and policy: one decision by hand, a person at work, and a robot in simulation."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import Drive, Progress, SteeringDrive, towards
from gbs_irl_ros.driving.drive_decision import (
    GO_AFTER_S,
    HOLD_S,
    INSISTENT_S,
    LOOK_ROUND_S,
    MANY,
    SAY_STOP_FOR_S,
    DriveDecider,
)
from gbs_irl_ros.driving.gate import HEARTBEAT_TIMEOUT_S, ODOMETRY_TIMEOUT_S
from gbs_irl_ros.driving.override_detector import TIMEOUT_S
from gbs_irl_ros.driving.pose import STOP, Limits, Pose, Velocity
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord
from gbs_irl_ros.tasks import Task, load_task, load_truth
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.grid import build_grid

NORTH, EAST, SOUTH, WEST = range(4)
FOUR = ('north', 'east', 'south', 'west')
UP, DOWN = math.pi / 2.0, -math.pi / 2.0
LIMITS, CONFIDENCE = Limits(2.0, 4.0), 0.9
NOW = 100.0
AFTERWARDS = NOW + TIMEOUT_S + 9.0      # the person has let go long ago
STEP_S = 0.05
BEAT_EVERY = 2                          # steps
BY_HAND = Velocity(0.7, 0.1)            # as no pilot here would drive
STOPPED, MANUAL, DRIVING = (
    ExecutionStatus.STOPPED, ExecutionStatus.MANUAL, ExecutionStatus.DRIVING)
GOAL, UNSURE, LOST = ExecutionStatus.GOAL, ExecutionStatus.UNSURE, ExecutionStatus.LOST
NOT_ALLOWED = 'motion is not allowed yet: call the service ~/enable (after a STOP, ~/go)'
NO_PLACES = ("the states of task 'random_mdp' have no place on the floor, so no robot can drive "
             'there; it can be taught, not driven')


class Pilot(DriveDecider):
    """
    Decides, and steers.

    sent: the commands, the last one last.
    """

    def __init__(self):
        self.sent = []
        self.steering = SteeringDrive(self.sent.append)
        super().__init__(self.steering)

    def set(self, limits, confidence):
        self.steering.limits = limits
        self.configure(confidence)

    def velocity(self, now):
        """Act; return what the robot is told then."""
        self.sent.clear()
        self.act(now)
        return self.sent[-1] if self.sent else STOP


def drawn(*rows, name='a1'):
    built = build_grid(list(rows), {}, FOUR, 0.9)
    return World(name, built.mdp, built.mdp.checked_start(None), built.world.appearance,
                 hash=name * 32)


@cache
def square():
    """States 0 1 2 / 3 4 5 / 6 7 8; the middle of state 4 is at (1.5, 1.5)."""
    return drawn('...', '...', '...')


@cache
def strip():
    """Another world: states 0 1 2 3 4 from left to right, at a height of 0.5 m."""
    return drawn('.....', name='b2')


@cache
def room():
    return load_task('room')


@cache
def without_places():
    return load_task('random_mdp').world


def policy(*actions, world=None, goals=(), unsure=()):
    """Everywhere these actions, as sure as can be but in some states."""
    mdp = (world or square()).mdp
    sure = np.ones(mdp.num_states)
    sure[list(unsure)] = 0.1
    sets = np.full(mdp.num_states, sum(1 << action for action in actions))
    return Policy(sets, sure, np.array(goals, dtype=int), mdp.num_actions)


def record(learned, world=None, sequence=5):
    return PolicyRecord('monday', sequence, (world or square()).hash, learned, final=True)


def refresh(pilot, pose, now, count=None):
    """The learner is alive and the robot says where it is."""
    pilot.gate.see_heartbeat(HeartbeatRecord('monday', 5, count or round(now * 100)), now)
    pilot.see_pose(pose, now)


def ready(learned=None, pose=None, world=None):
    """Everything is known, recent and allowed."""
    pilot = Pilot()
    pilot.set(LIMITS, CONFIDENCE)
    pilot.see_world(world or square())
    pilot.gate.policy = record(learned or policy(EAST), world)
    pilot.gate.policy_publishers = pilot.gate.heartbeat_publishers = 1
    pilot.gate.permit(True)
    refresh(pilot, pose or Pose(1.5, 1.5, 0.0), NOW)
    return pilot


def at(state, world=None):
    return Pose(*CellMap(world or square()).centre(state), 0.0)


def drives_by_hand(pilot, states, begin=NOW, world=None):
    """A person drives through the middles of cells; return the decisions on the way."""
    decisions = []
    for number, state in enumerate(states):
        now = begin + STEP_S * number
        pilot.override.saw(BY_HAND, now)
        refresh(pilot, at(state, world), now)
        decisions.append(pilot.decide(now))
    return decisions


def lets_go(pilot, state, now=AFTERWARDS, world=None):
    """Some time after the last command of a person; return the decision."""
    refresh(pilot, at(state, world), now)
    return pilot.decide(now)


# ---- what is not known yet ------------------------------------------------------------------

def test_a_new_pilot_stops():
    decision = Pilot().decide(0.0)
    assert (decision.status, execution_text(decision)) == (STOPPED, NOT_ALLOWED)
    assert (decision.target, decision.state, decision.action) == (None, None, None)


def test_it_says_one_after_the_other_what_is_missing_and_drives_when_nothing_is():
    pilot = Pilot()
    pilot.set(LIMITS, CONFIDENCE)
    gate = pilot.gate
    for provide, reason in (
            (lambda: gate.permit(True), 'the task is not known yet: is the mdp node running?'),
            (lambda: pilot.see_world(square()), 'there is no policy yet'),
            (lambda: setattr(gate, 'policy', record(policy(EAST))),
             'there must be one learner: 0 publish policies and 0 heartbeats'),
            (lambda: setattr(gate, 'policy_publishers', 1),
             'there must be one learner: 1 publish policies and 0 heartbeats'),
            (lambda: setattr(gate, 'heartbeat_publishers', 1),
             'no heartbeat from the learner yet'),
            (lambda: gate.see_heartbeat(HeartbeatRecord('monday', 5, 1), NOW),
             'no odometry yet: is the robot running?')):
        provide()
        decision = pilot.decide(NOW)
        assert (decision.status, execution_text(decision)) == (STOPPED, reason)
        assert (decision.target, decision.state) == (None, None)
    pilot.see_pose(Pose(1.5, 1.5, 0.0), NOW)
    assert pilot.decide(NOW).status is DRIVING


def test_where_the_robot_is_is_told_before_it_may_drive():
    pilot = Pilot()
    pilot.see_pose(Pose(1.5, 1.5, 0.0), NOW)
    assert pilot.decide(NOW).state is None
    pilot.see_world(square())
    decision = pilot.decide(NOW)
    assert (decision.status, decision.state, decision.action) == (STOPPED, 4, None)


def test_nothing_was_shown_at_first():
    assert Pilot().take_correction() is None


# ---- gate, person, policy -------------------------------------------------------------------

def test_with_an_open_gate_the_policy_decides():
    pose = Pose(1.4, 1.6, 0.3)
    pilot = ready(pose=pose)
    decision = pilot.decide(NOW)
    assert (decision.status, execution_text(decision)) == (DRIVING, 'driving to state 5')
    assert (decision.state, decision.action) == (4, EAST)
    assert pilot.velocity(NOW) == towards(pose, (2.5, 1.5), LIMITS)


@for_each(('learned', 'pose', 'status'), [
    (policy(EAST, goals=[4]), Pose(1.5, 1.5, 0.0), GOAL),
    (policy(EAST, unsure=[4]), Pose(1.5, 1.5, 0.0), UNSURE),
    (policy(NORTH), Pose(0.5, 2.5, 0.0), ExecutionStatus.STAYING),
    (policy(EAST), Pose(9.0, 9.0, 0.0), LOST)])
def test_with_an_open_gate_the_policy_may_stand_still(learned, pose, status):
    decision = ready(learned, pose).decide(NOW)
    assert (decision.status, decision.target) == (status, None)


@for_each('learned', [
    policy(EAST), policy(EAST, goals=[4]), policy(EAST, unsure=[4])])
def test_the_gate_comes_before_the_policy(learned):
    pilot = ready(learned)
    pilot.gate.permit(False)
    decision = pilot.decide(NOW)
    assert (decision.status, execution_text(decision)) == (STOPPED, NOT_ALLOWED)
    assert (decision.target, decision.state, decision.action) == (None, 4, None)


@pytest.mark.parametrize('allowed', [True, False])
def test_a_person_comes_before_the_gate_and_the_policy(allowed):
    pilot = ready()
    pilot.gate.permit(allowed)
    pilot.override.saw(BY_HAND, NOW)
    decision = pilot.decide(NOW)
    assert (decision.status, execution_text(decision)) == (MANUAL, 'a person drives')
    assert (decision.target, decision.state, decision.action) == (None, 4, None)


def test_a_person_may_drive_when_nothing_is_known():
    pilot = Pilot()
    pilot.override.saw(BY_HAND, NOW)
    decision = pilot.decide(NOW)
    assert (decision.status, decision.state) == (MANUAL, None)
    assert pilot.decide(AFTERWARDS).status is STOPPED
    assert pilot.take_correction() is None


def test_a_person_drives_until_some_time_after_the_last_command():
    pilot = ready()
    pilot.override.saw(BY_HAND, NOW)
    for later, status in ((0.0, MANUAL), (TIMEOUT_S, MANUAL), (1.001 * TIMEOUT_S, DRIVING)):
        refresh(pilot, at(4), NOW + later)
        assert pilot.decide(NOW + later).status is status


def test_after_a_person_the_gate_is_asked_again():
    pilot = ready()
    pilot.override.saw(BY_HAND, NOW)
    assert pilot.decide(NOW).status is MANUAL
    assert execution_text(pilot.decide(AFTERWARDS)) == 'no heartbeat from the learner for 10.0 s'


def test_own_commands_that_come_back_are_no_person():
    pilot = ready()
    velocity = pilot.velocity(NOW)
    pilot.override.saw(velocity, NOW)
    assert pilot.decide(NOW).status is DRIVING
    pilot.override.saw(velocity, NOW)
    assert pilot.decide(NOW).status is MANUAL


def test_after_a_person_a_leg_that_was_begun_is_forgotten():
    for interrupted, action in ((False, EAST), (True, NORTH)):
        pilot = ready(policy(EAST))
        assert pilot.decide(NOW).action == EAST
        pilot.gate.policy = record(policy(NORTH, EAST))
        if interrupted:
            drives_by_hand(pilot, [4])
        refresh(pilot, Pose(1.6, 1.5, UP), AFTERWARDS)
        assert pilot.decide(AFTERWARDS).action == action


# ---- corrections ----------------------------------------------------------------------------

def test_what_a_person_does_instead_of_the_robot_is_a_correction():
    pilot = ready()
    assert pilot.decide(NOW).status is DRIVING
    decisions = drives_by_hand(pilot, [4, 4, 7, 7, 8, 5])
    assert {decision.status for decision in decisions} == {MANUAL}
    assert [decision.state for decision in decisions] == [4, 4, 7, 7, 8, 5]
    lets_go(pilot, 5)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH), (7, EAST), (8, NORTH)))


def test_a_correction_is_given_out_once():
    pilot = ready()
    drives_by_hand(pilot, [4, 7])
    lets_go(pilot, 7)
    assert pilot.take_correction() is not None
    assert pilot.take_correction() is None
    pilot.decide(AFTERWARDS)
    assert pilot.take_correction() is None


def test_a_correction_is_whole_when_the_person_is_done():
    pilot = ready()
    drives_by_hand(pilot, [4, 7, 8])
    assert pilot.take_correction() is None
    drives_by_hand(pilot, [5], NOW + 0.5)
    lets_go(pilot, 5)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH), (7, EAST), (8, NORTH)))


def test_what_is_passed_while_a_person_may_still_drive_belongs_to_the_correction():
    pilot = ready()
    drives_by_hand(pilot, [4, 7])
    lets_go(pilot, 8, NOW + 0.9 * TIMEOUT_S)        # it rolls on
    lets_go(pilot, 8)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH), (7, EAST)))


def forbid(pilot):
    pilot.gate.permit(False)


def lose_the_policy(pilot):
    pilot.gate.policy = None


def lose_the_learner(pilot):
    pilot.gate.policy_publishers = 0


def get_another_policy(pilot):
    pilot.gate.policy = record(policy(EAST, world=strip()), strip())


@for_each('close', [
    forbid, lose_the_policy, lose_the_learner, get_another_policy])
def test_driving_a_robot_that_may_not_drive_is_no_correction(close):
    pilot = ready()
    close(pilot)
    assert pilot.decide(NOW).status is STOPPED
    drives_by_hand(pilot, [4, 7, 8])
    lets_go(pilot, 8)
    assert pilot.take_correction() is None


def test_driving_a_robot_whose_learner_is_silent_is_no_correction():
    pilot = ready()
    for number, state in enumerate([4, 7, 8]):
        now = NOW + 2.0 * HEARTBEAT_TIMEOUT_S + STEP_S * number
        pilot.override.saw(BY_HAND, now)
        pilot.see_pose(at(state), now)
        assert pilot.decide(now).status is MANUAL
    lets_go(pilot, 8)
    assert pilot.take_correction() is None


@for_each('close', [forbid, lose_the_policy, lose_the_learner])
def test_whether_it_is_a_correction_is_decided_when_the_person_takes_over(close):
    pilot = ready()
    drives_by_hand(pilot, [4])
    close(pilot)
    drives_by_hand(pilot, [7, 8], NOW + 0.5)
    lets_go(pilot, 8)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH), (7, EAST)))


def test_allowing_motion_while_a_person_drives_makes_no_correction():
    pilot = ready()
    pilot.gate.permit(False)
    drives_by_hand(pilot, [4])
    pilot.gate.permit(True)
    drives_by_hand(pilot, [7, 8], NOW + 0.5)
    lets_go(pilot, 8)
    assert pilot.take_correction() is None


@pytest.mark.parametrize('learned', [policy(EAST, unsure=[4]), policy(EAST, goals=[4])])
def test_a_robot_that_is_allowed_to_drive_and_stands_is_corrected_too(learned):
    pilot = ready(learned)
    assert pilot.velocity(NOW) == STOP
    drives_by_hand(pilot, [4, 7])
    lets_go(pilot, 7)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH),))


def test_what_the_robot_does_alone_is_no_correction():
    pilot = ready()
    for number, state in enumerate([3, 4, 5]):
        lets_go(pilot, state, NOW + STEP_S * number)
    assert pilot.take_correction() is None
    drives_by_hand(pilot, [5, 8], NOW + 1.0)
    lets_go(pilot, 8)
    assert pilot.take_correction() == DemonstrationAnswer(((5, SOUTH),))


def test_driving_about_in_one_cell_shows_nothing():
    pilot = ready()
    drives_by_hand(pilot, [4, 4, 4])
    lets_go(pilot, 4)
    assert pilot.take_correction() is None


def test_jumps_and_detours_outside_are_no_steps():
    pilot = ready()
    drives_by_hand(pilot, [0, 8, 7])
    pilot.override.saw(BY_HAND, NOW + 0.5)
    refresh(pilot, Pose(9.0, 9.0, 0.0), NOW + 0.5)
    assert pilot.decide(NOW + 0.5).state is None
    drives_by_hand(pilot, [6, 3], NOW + 0.6)
    lets_go(pilot, 3)
    assert pilot.take_correction() == DemonstrationAnswer(((8, WEST), (6, NORTH)))


def test_every_drive_is_a_correction_of_its_own():
    pilot = ready()
    for begin, states, steps in ((NOW, [4, 7], ((4, SOUTH),)),
                                 (NOW + 20.0, [8, 5, 2], ((8, NORTH), (5, NORTH)))):
        drives_by_hand(pilot, states, begin)
        lets_go(pilot, states[-1], begin + 10.0)
        assert pilot.take_correction() == DemonstrationAnswer(steps)


def test_a_correction_that_was_not_taken_yet_is_kept_when_nothing_new_is_shown():
    pilot = ready()
    drives_by_hand(pilot, [4, 7])
    lets_go(pilot, 7, NOW + 10.0)
    drives_by_hand(pilot, [7, 7], NOW + 20.0)
    lets_go(pilot, 7, NOW + 30.0)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH),))


def test_a_correction_that_was_not_taken_yet_is_kept_when_something_else_is_no_correction():
    pilot = ready()
    drives_by_hand(pilot, [4, 7])
    lets_go(pilot, 7, NOW + 10.0)
    pilot.gate.permit(False)
    drives_by_hand(pilot, [7, 8], NOW + 20.0)
    lets_go(pilot, 8, NOW + 30.0)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH),))


def test_who_drives_before_the_world_is_known_corrects_nothing_until_then():
    pilot = Pilot()
    pilot.gate.permit(True)
    drives_by_hand(pilot, [3, 4])
    pilot.see_world(square())
    drives_by_hand(pilot, [7, 8], NOW + 0.5)
    lets_go(pilot, 8)
    assert pilot.take_correction() is None


# ---- worlds ---------------------------------------------------------------------------------

def test_a_world_without_places_stops_the_robot_and_says_why():
    world = without_places()
    pilot = ready(policy(0, world=world), world=world)
    decision = pilot.decide(NOW)
    assert (decision.status, execution_text(decision)) == (STOPPED, NO_PLACES)
    assert (decision.target, decision.state, decision.action) == (None, None, None)


def test_a_world_without_places_is_what_is_wrong_first_of_all():
    pilot = Pilot()
    pilot.see_world(without_places())
    assert execution_text(pilot.decide(NOW)) == NO_PLACES
    pilot.see_world(without_places())
    pilot.set(LIMITS, CONFIDENCE)
    assert execution_text(pilot.decide(NOW)) == NO_PLACES


def test_a_person_may_drive_in_a_world_without_places_and_shows_nothing():
    pilot = ready(policy(0, world=without_places()), world=without_places())
    for decision in drives_by_hand(pilot, [4, 7]):
        assert (decision.status, decision.state) == (MANUAL, None)
    assert execution_text(lets_go(pilot, 7)) == NO_PLACES
    assert pilot.take_correction() is None


def test_another_world_stops_the_robot_until_there_is_a_policy_for_it():
    pilot = ready(pose=Pose(2.5, 0.5, 0.0))
    assert pilot.decide(NOW).state == 8
    pilot.see_world(strip())
    decision = pilot.decide(NOW)
    assert (decision.status, decision.state) == (STOPPED, 2)
    assert execution_text(decision) == (
        f'the policy is for another task ({square().hash[:12]}, not {strip().hash[:12]})')
    pilot.gate.policy = record(policy(EAST, world=strip()), strip())
    assert execution_text(pilot.decide(NOW)) == 'driving to state 3'


def test_a_map_that_was_moved_is_another_world_and_its_old_policy_is_refused():
    here = room()
    looks = here.world.appearance
    moved = replace(looks, positions=looks.positions + np.array([20.0, 0.0]))
    there = Task(replace(here.world, appearance=moved, hash=''), here.candidates, here.noise)
    x, y = looks.positions[0]
    pilot = ready(pose=Pose(x + 20.0, y, 0.0))
    pilot.see_world(here.world)
    assert pilot.decide(NOW).state is None
    pilot.see_world(there.world)
    pilot.gate.policy = record(policy(EAST, world=here.world), here.world)
    decision = pilot.decide(NOW)
    assert (decision.status, decision.state) == (STOPPED, 0)
    assert execution_text(decision) == (
        f'the policy is for another task ({here.hash[:12]}, not {there.hash[:12]})')


def test_another_world_has_its_own_number_of_states_and_actions():
    pilot = ready()
    for world in (square(), strip(), without_places(), room().world):
        pilot.see_world(world)
        assert pilot.gate.task_hash == world.hash
        assert pilot.gate.num_states == world.mdp.num_states
        assert pilot.gate.num_actions == world.mdp.num_actions


def test_a_policy_that_does_not_fit_the_world_is_refused():
    pilot = ready()
    pilot.gate.policy = PolicyRecord('monday', 5, square().hash, policy(EAST, world=strip()))
    assert execution_text(pilot.decide(NOW)) == 'the policy is for 5 states, the task has 9'
    pilot.gate.policy = PolicyRecord(
        'monday', 5, square().hash, Policy(np.ones(9), np.ones(9), np.array([]), 5))
    assert execution_text(pilot.decide(NOW)) == 'the policy is for 5 actions, the task has 4'


def test_a_world_without_places_may_be_followed_by_one_with_places_and_the_reverse():
    pilot = ready()
    pilot.see_world(without_places())
    decision = pilot.decide(NOW)
    assert (decision.status, execution_text(decision)) == (STOPPED, NO_PLACES)
    assert decision.state is None
    pilot.see_world(square())
    assert pilot.decide(NOW).status is DRIVING


def test_the_same_world_again_interrupts_nothing():
    pilot = ready(policy(EAST))
    assert pilot.decide(NOW).action == EAST
    pilot.gate.policy = record(policy(NORTH, EAST))
    pilot.see_world(drawn('...', '...', '...'))
    refresh(pilot, Pose(1.6, 1.5, UP), NOW + STEP_S)
    assert pilot.decide(NOW + STEP_S).action == EAST        # a new leg would lead north
    drives_by_hand(pilot, [4, 7], NOW + 1.0)
    pilot.see_world(drawn('...', '...', '...'))
    drives_by_hand(pilot, [8], NOW + 1.5)
    lets_go(pilot, 8)
    assert pilot.take_correction() == DemonstrationAnswer(((4, SOUTH), (7, EAST)))


def test_a_person_may_correct_in_another_world():
    pilot = ready()
    pilot.see_world(strip())
    pilot.gate.policy = record(policy(EAST, world=strip()), strip())
    drives_by_hand(pilot, [2, 1], world=strip())
    lets_go(pilot, 1, world=strip())
    assert pilot.take_correction() == DemonstrationAnswer(((2, WEST),))


@pytest.mark.parametrize('other', [strip, without_places])
def test_a_correction_that_was_not_taken_yet_is_none_in_another_world(other):
    pilot = ready()
    drives_by_hand(pilot, [4, 7])
    lets_go(pilot, 7)
    pilot.see_world(other())
    assert pilot.take_correction() is None


def test_steps_shown_in_a_world_are_none_in_one_without_places():
    pilot = ready()
    drives_by_hand(pilot, [4, 7])
    pilot.see_world(without_places())
    lets_go(pilot, 7)
    assert pilot.take_correction() is None


def test_driving_on_in_another_world_where_the_robot_may_not_drive_is_no_correction():
    pilot = ready()
    drives_by_hand(pilot, [7])
    pilot.see_world(strip())
    drives_by_hand(pilot, [1, 2], NOW + 0.5, strip())
    lets_go(pilot, 2, world=strip())
    assert pilot.take_correction() is None


# ---- settings -------------------------------------------------------------------------------

@pytest.mark.parametrize('early', [True, False])
def test_limits_hold_whether_they_are_set_before_or_after_the_world_is_known(early):
    pilot, slow = Pilot() if early else ready(), Limits(0.3, 0.2)
    if early:
        pilot.set(slow, CONFIDENCE)
        pilot.see_world(square())
        pilot.gate.policy = record(policy(EAST))
        pilot.gate.policy_publishers = pilot.gate.heartbeat_publishers = 1
        pilot.gate.permit(True)
    else:
        pilot.set(slow, CONFIDENCE)
    for now, yaw, expected in ((NOW, 0.0, Velocity(0.3, 0.0)),
                               (AFTERWARDS, DOWN, Velocity(0.0, 0.2))):
        refresh(pilot, Pose(1.5, 1.5, yaw), now)
        assert pilot.velocity(now) == expected


def test_limits_hold_in_the_next_world_too():
    pilot = ready()
    pilot.set(Limits(0.3, 0.2), CONFIDENCE)
    pilot.see_world(strip())
    pilot.gate.policy = record(policy(EAST, world=strip()), strip())
    refresh(pilot, at(2, strip()), NOW)
    assert pilot.velocity(NOW) == Velocity(0.3, 0.0)


def test_how_sure_it_must_be_can_be_changed():
    pilot = ready(policy(EAST, unsure=[4]))
    assert execution_text(pilot.decide(NOW)) == (
        'not sure what to do at state 4: confidence 0.10, at least 0.90 is needed')
    pilot.set(LIMITS, 0.05)
    assert pilot.decide(NOW).status is DRIVING


def test_without_settings_it_must_be_as_sure_as_can_be_and_goes_slowly():
    pilot = ready(policy(EAST))
    unset = Pilot()
    unset.gate = pilot.gate
    unset.see_world(square())
    unset.see_pose(at(4), NOW)
    assert unset.velocity(NOW) == Velocity(Limits().speed, 0.0)
    nearly = Policy(np.ones(9), np.full(9, 0.999), np.array([]), 4)
    unset.gate.policy = record(nearly)
    assert unset.decide(NOW).status is UNSURE


def test_how_sure_it_must_be_is_a_probability():
    with pytest.raises(InvalidRecordError, match=r'confidence must be in \[0, 1\], got 1.1'):
        ready().configure(1.1)


# ---- what the drive is told -----------------------------------------------------------------

class FakeDrive(Drive):
    """
    A drive that is as far as it is told, wherever the robot is.

    calls: of its methods, by name.
    """

    limits = LIMITS

    def __init__(self):
        self.progress, self.calls = Progress.UNDER_WAY, []

    def go(self, path, pose, now):
        self.calls.append(('go', path))
        return self.progress

    def stop(self, now):
        self.calls.append('stop')

    def release(self):
        self.calls.append('release')

    def is_own(self, velocity, now):
        return velocity != BY_HAND


@pytest.fixture
def fake():
    """A pilot with such a drive, ready to go east from the middle."""
    pilot = DriveDecider(FakeDrive())
    pilot.configure(CONFIDENCE)
    pilot.see_world(square())
    pilot.gate.policy = record(policy(EAST))
    pilot.gate.policy_publishers = pilot.gate.heartbeat_publishers = 1
    pilot.gate.permit(True)
    refresh(pilot, at(4), NOW)
    return pilot


def test_the_drive_goes_to_the_next_cell(fake):
    assert fake.act(NOW).status is DRIVING
    assert fake._drive.calls == [('go', [(2.5, 1.5)])]


def test_after_driving_the_robot_is_stopped_again_and_again_for_some_time(fake):
    fake.act(NOW)
    fake.gate.permit(False)
    for later in (0.0, 0.5, SAY_STOP_FOR_S - 0.01, SAY_STOP_FOR_S, 5.0):
        assert fake.act(NOW + later).status is STOPPED
    assert fake._drive.calls[1:] == ['stop'] * 3


def test_a_robot_is_stopped_however_late_that_comes(fake):
    fake.act(NOW)
    late = NOW + 5 * SAY_STOP_FOR_S     # the controller got no processor meanwhile
    for later in (0.0, SAY_STOP_FOR_S - 0.01, SAY_STOP_FOR_S):
        assert fake.act(late + later).status is STOPPED
    assert fake._drive.calls[1:] == ['stop'] * 2


def test_a_robot_that_was_not_driven_is_left_alone(fake):
    fake.gate.permit(False)
    fake.act(NOW)
    assert fake._drive.calls == []


def test_the_drive_lets_go_of_a_robot_that_a_person_drives(fake):
    fake.act(NOW)
    fake.override.saw(Velocity(0.1, 0.1), NOW)      # own
    fake.act(NOW)
    fake.override.saw(BY_HAND, NOW)
    assert fake.act(NOW).status is MANUAL
    assert fake._drive.calls[1:] == [('go', [(2.5, 1.5)]), 'release']


def test_a_drive_that_fails_stands_until_motion_is_allowed_again(fake):
    fake._drive.progress = Progress.FAILED
    for _ in range(2):
        decision = fake.act(NOW)
        assert (decision.status, decision.target) == (STOPPED, None)
        assert execution_text(decision) == 'the robot cannot get to state 5'
    fake.gate.permit(False)
    fake.act(NOW)
    assert fake._drive.calls == [('go', [(2.5, 1.5)])] * 2 + ['stop']


def test_a_drive_that_ends_in_the_cell_is_sent_to_the_next(fake):
    fake.gate.policy = record(policy(SOUTH))
    refresh(fake, at(1), NOW)
    fake.act(NOW)
    fake._drive.progress = Progress.ARRIVED
    refresh(fake, Pose(1.1, 1.9, 0.0), NOW)         # in the next cell, far from its middle
    assert fake.act(NOW).status is DRIVING
    fake.act(NOW)
    both = [(1.5, 1.5), (1.5, 0.5)]     # the same action leads on
    assert fake._drive.calls == [('go', both), ('go', both), ('go', both[1:])]


@for_each(('goals', 'unsure', 'also', 'path'), [
    ((), (), (), [(1.5, 0.5), (2.5, 0.5), (3.5, 0.5), (4.5, 0.5)]),
    ((3,), (), (), [(1.5, 0.5), (2.5, 0.5), (3.5, 0.5)]),
    ((), (2,), (), [(1.5, 0.5), (2.5, 0.5)]),
    ((), (), (3,), [(1.5, 0.5), (2.5, 0.5), (3.5, 0.5)])])
def test_the_drive_is_told_how_far_the_same_action_leads_on(goals, unsure, also, path):
    """As far as it is sure, and no farther than a goal, or where the policy turns."""
    learned = policy(EAST, world=strip(), goals=goals, unsure=unsure)
    sets = learned.action_sets.copy()
    sets[list(also)] = 1 << WEST
    pilot = DriveDecider(FakeDrive())
    pilot.configure(CONFIDENCE)
    pilot.see_world(strip())
    pilot.gate.policy = record(Policy(sets, learned.confidence, learned.goal_states,
                                      learned.num_actions), strip())
    pilot.gate.policy_publishers = pilot.gate.heartbeat_publishers = 1
    pilot.gate.permit(True)
    for x in (0.5, 0.9, 1.2):       # on the first leg it stays the same
        refresh(pilot, Pose(x, 0.5, 0.0), NOW)
        pilot.act(NOW)
        assert pilot._drive.calls[-1] == ('go', path)


def test_a_navigation_in_trouble_is_waited_for_or_stopped_until_motion_is_allowed_again(fake):
    fake._drive.progress = Progress.FAILED
    fake._drive.trouble = ExecutionReason.NAV2_REJECTED, ('navigate_to_pose',)
    decision = fake.act(NOW)
    assert execution_text(decision) == ('Nav2 rejects goals: has navigate_to_pose been activated? '
                                        'It is asked again every second')
    assert not decision.needs_permission
    fake._drive.progress, fake._drive.trouble = Progress.UNDER_WAY, None
    assert fake.act(NOW).status is DRIVING
    fake._drive.progress = Progress.FAILED
    fake._drive.trouble = ExecutionReason.NAV2_SILENT, ('2.0',)
    for _ in range(2):
        decision = fake.act(NOW)
        assert (decision.reason, decision.needs_permission) == (ExecutionReason.NAV2_SILENT, True)
        fake._drive.trouble = None
    assert fake._drive.calls[-2:] == ['stop'] * 2
    fake.see_command(BY_HAND, NOW)      # by a part of it that nobody controls any more
    assert fake.act(NOW).reason is ExecutionReason.HELD
    fake._drive.progress = Progress.UNDER_WAY
    later = NOW + HOLD_S
    fake.permit(later)
    refresh(fake, at(4), later)
    assert fake.act(later).status is DRIVING


@for_each(('finds_its_way', 'status'), [(True, DRIVING), (False, STOPPED)])
def test_a_navigation_may_stand_for_a_while_by_itself(finds_its_way, status):
    pilot = ready()
    drive = FakeDrive()
    drive.finds_its_way, pilot._drive = finds_its_way, drive
    for number in range(100):
        now = NOW + number * STEP_S
        refresh(pilot, at(4), now)
        decision = pilot.act(now)
    assert decision.status is status


def test_a_person_who_drives_by_the_same_navigation_or_another_topic_is_let(fake):
    fake.act(NOW)
    fake._drive.others_drive = lambda: True
    assert fake.act(NOW).status is MANUAL
    fake._drive.others_drive = lambda: False
    refresh(fake, at(4), NOW + TIMEOUT_S + 0.1)
    assert fake.act(NOW + TIMEOUT_S + 0.1).status is DRIVING
    fake.see_person(NOW + 2.0)
    assert fake.act(NOW + 2.0).status is MANUAL
    assert [call for call in fake._drive.calls if isinstance(call, str)] == ['release'] * 2


def test_a_stop_holds_against_goals_of_others(fake):
    fake.act(NOW)
    fake._drive.others_drive = lambda: True
    fake.stop(NOW)
    for later in (0.1, 3.0, HOLD_S - 0.1):
        assert fake.act(NOW + later).reason is ExecutionReason.HELD
        assert fake._drive.calls[-1] == 'stop'
    assert fake.act(NOW + HOLD_S + 0.1).status is MANUAL


# ---- in simulation --------------------------------------------------------------------------

class Simulation:
    """The room with a robot in it: odometry every step, heartbeats and commands as they come."""

    def __init__(self, seed=0, noise=0.05, late=3):
        task, truth = room(), load_truth('room')
        hypotheses = task.hypotheses
        self.goals = hypotheses.goal_states(truth.index)
        learned = Policy(
            hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[truth.index])),
            np.ones(task.world.mdp.num_states), self.goals, task.world.mdp.num_actions)
        self.rng = np.random.default_rng(seed)
        self.cells = CellMap(task.world)
        self.drive = DifferentialDrive(self.cells, noise)
        start = int(self.rng.choice(task.world.mdp.num_states, p=task.start))
        self.pose = Pose(*self.cells.centre(start), self.rng.uniform(-math.pi, math.pi))
        self.pilot = Pilot()
        self.pilot.set(Limits(1.0, 3.0), CONFIDENCE)
        self.pilot.see_world(task.world)
        self.pilot.gate.policy = record(learned, task.world)
        self.pilot.gate.policy_publishers = self.pilot.gate.heartbeat_publishers = 1
        self.pilot.gate.permit(True)
        self.step, self.heard_at, self.late = 0, 0.0, late
        self.coming_back = []
        self.told = lambda robot, pose: pose        # what the odometry makes of the true pose

    @property
    def now(self):
        return NOW + self.step * STEP_S

    @property
    def state(self):
        return self.cells.state_at(self.pose.x, self.pose.y)

    def go(self, *, learner=True, odometry=True, by_hand=None):
        """One step; return the decision."""
        self.step += 1
        pilot, now = self.pilot, self.now
        if learner and self.step % BEAT_EVERY == 0:
            pilot.gate.see_heartbeat(HeartbeatRecord('monday', 5, self.step), now)
            self.heard_at = now
        if odometry:
            pilot.see_pose(self.told(self, self.pose), now)
        if by_hand is not None:
            pilot.see_command(by_hand, now)
        while self.coming_back and self.coming_back[0][0] <= self.step:
            pilot.see_command(self.coming_back.pop(0)[1], now)
        decision = pilot.act(now)
        self.coming_back += [(self.step + self.late, sent) for sent in pilot.sent]
        told = pilot.sent[-1] if pilot.sent else STOP
        pilot.sent.clear()
        # What was said last counts: a stop is said after whatever somebody else says.
        held = decision.reason is ExecutionReason.HELD
        velocity = by_hand if by_hand is not None and not held else told
        self.pose = self.drive.moved(self.pose, velocity, STEP_S, self.rng)
        return decision

    def until_it_drives(self, steps=10):
        for _ in range(BEAT_EVERY + steps):
            decision = self.go()
        assert decision.status is DRIVING
        return self

    def until_the_goal(self, most_s=120.0):
        """Return the decisions up to the first at the goal."""
        decisions = []
        for _ in range(round(most_s / STEP_S)):
            decisions.append(self.go())
            if decisions[-1].status is GOAL:
                return decisions
        raise AssertionError(f'no goal within {most_s} s: {decisions[-1]}')


@for_each('seed', range(3))
def test_a_robot_with_a_living_learner_reaches_the_goal(seed):
    robot = Simulation(seed)
    decisions = robot.until_the_goal()
    assert robot.state in robot.goals
    assert execution_text(decisions[0]) == 'no heartbeat from the learner yet'
    assert {decision.status for decision in decisions[BEAT_EVERY - 1:-1]} == {DRIVING}
    assert robot.pilot.take_correction() is None
    where = robot.pose
    assert robot.go().status is GOAL
    assert robot.pose == where
    learned = robot.pilot.gate.policy.policy
    robot.pilot.gate.policy = replace(robot.pilot.gate.policy, policy=replace(
        learned, goal_states=np.array([], dtype=int)))
    assert execution_text(robot.go()) == NOT_ALLOWED        # what was allowed has been done
    assert robot.pose == where


@for_each('steps', [0, 7, 20, 41])
def test_a_robot_stops_within_the_time_out_when_the_heartbeats_cease(steps):
    robot = Simulation().until_it_drives(steps)
    for _ in range(40):
        before = robot.pose
        decision = robot.go(learner=False)
        if robot.now - robot.heard_at > HEARTBEAT_TIMEOUT_S:
            assert (decision.status, decision.target) == (STOPPED, None)
            assert execution_text(decision).startswith('no heartbeat from the learner for ')
            assert robot.pose == before
        elif robot.now - robot.heard_at < HEARTBEAT_TIMEOUT_S - 0.5 * STEP_S:
            assert decision.status is DRIVING


@pytest.mark.parametrize('steps', [0, 7])
def test_a_robot_stops_within_the_time_out_when_its_odometry_ceases(steps):
    robot = Simulation().until_it_drives(steps)
    last = robot.now
    for _ in range(40):
        before = robot.pose
        decision = robot.go(odometry=False)
        if robot.now - last > ODOMETRY_TIMEOUT_S + 0.5 * STEP_S:
            assert (decision.status, robot.pose) == (STOPPED, before)
            assert execution_text(decision).startswith('no odometry for ')


def test_a_robot_goes_on_to_the_goal_when_the_learner_is_heard_again():
    robot = Simulation().until_it_drives()
    for _ in range(40):
        decision = robot.go(learner=False)
    assert decision.status is STOPPED
    decisions = robot.until_the_goal()
    assert robot.state in robot.goals
    assert {decision.status for decision in decisions[BEAT_EVERY:-1]} == {DRIVING}


def test_a_robot_that_is_forbidden_to_move_stops_at_once():
    robot = Simulation().until_it_drives()
    robot.pilot.gate.permit(False)
    where = robot.pose
    decision = robot.go()
    assert (decision.status, execution_text(decision)) == (STOPPED, NOT_ALLOWED)
    assert robot.pose == where


def test_a_person_who_drives_it_through_the_room_shows_the_cells_it_passed():
    robot = Simulation(noise=0.0).until_it_drives(0)
    passed = []
    for turn in [0.0] * 40 + [0.7] * 60 + [0.0] * 60:
        if robot.state != (passed or [None])[-1]:
            passed.append(robot.state)
        assert robot.go(by_hand=Velocity(0.8, turn)).status is MANUAL
    for _ in range(round((TIMEOUT_S + 0.2) / STEP_S)):
        robot.go()
    shown = robot.pilot.take_correction()
    assert len(shown.steps) >= 3
    assert [state for state, _ in shown.steps] == passed[:len(shown.steps)]
    for (state, action), after in zip(shown.steps, passed[1:], strict=False):
        assert robot.cells.target(state, action) == after
    robot.until_the_goal()
    assert robot.state in robot.goals
    assert robot.pilot.take_correction() is None


def test_while_the_lesson_goes_on_it_waits_at_the_goal_of_the_likeliest_task():
    pilot = ready()
    at_goal = pilot.decide(NOW)
    learned = Policy(np.full(9, 1 << EAST), np.ones(9), np.arange(9), 4)
    for final, status in ((True, ExecutionStatus.GOAL), (False, ExecutionStatus.STAYING)):
        pilot.gate.policy = PolicyRecord('monday', 5, square().hash, learned, final=final)
        at_goal = pilot.decide(NOW)
        assert at_goal.status is status
        assert at_goal.target is None
    assert execution_text(at_goal) == (
        'at the goal of the likeliest task so far; the lesson continues')


def test_one_that_arrived_by_a_forged_policy_goes_on_when_the_real_one_is_in_force_again():
    def put(pilot, goals, sequence=5, now=NOW):
        pilot.gate.policy = record(policy(EAST, goals=goals), sequence=sequence)
        return pilot.act(now)

    def arrive_by_forgery():
        pilot = ready()
        pilot.permit(NOW)
        assert put(pilot, []).status is DRIVING
        assert put(pilot, [4], 7).status is GOAL
        assert not pilot.gate.is_permitted
        assert put(pilot, [4], 7).status is GOAL
        return pilot

    def nothing(pilot):
        assert pilot.gate.policy.sequence == 7

    def drive_by_hand(pilot):
        pilot.see_person(NOW)
        assert pilot.act(NOW).status is MANUAL
        refresh(pilot, at(4), AFTERWARDS, 10**9)

    def pause(pilot):
        pilot.deactivate((ExecutionReason.NOT_ACTIVE, ()), NOW)
        pilot.activate()

    def abandon(pilot):
        pilot.see_watch(1e-9, NOW - 1.0)
    for meanwhile, sequence, now, goes_on in (
            (nothing, 5, NOW, True),
            (nothing, 8, NOW, False),       # of the learner: it has arrived
            (lambda pilot: pilot.stop(NOW), 5, NOW, False),
            (pause, 5, NOW, False), (abandon, 5, NOW, False),
            (drive_by_hand, 5, AFTERWARDS, False)):
        pilot = arrive_by_forgery()
        meanwhile(pilot)
        decision = put(pilot, [], sequence, now)
        assert (decision.status is DRIVING) == goes_on
        assert goes_on or decision.reason is ExecutionReason.NOT_ALLOWED


def test_one_that_arrived_by_the_policy_by_which_it_was_let_drive_has_arrived():
    pilot = ready(policy(EAST, goals=[4]))
    pilot.permit(NOW)
    assert pilot.act(NOW).status is GOAL
    pilot.gate.policy = record(policy(EAST))
    assert pilot.act(NOW).reason is ExecutionReason.NOT_ALLOWED


def test_over_what_must_never_be_entered_it_drives_only_if_somebody_allows_that():
    pilot = ready(replace(policy(EAST, goals=[5]), never=np.array([4])), at(3))
    for over, status in (((), STOPPED), ((5, 8), STOPPED), ((4,), DRIVING), ((), STOPPED)):
        pilot.permit(NOW, 0, over)
        assert pilot.act(NOW).status is status
    assert pilot.velocity(NOW) == STOP
    assert execution_text(pilot.decide(NOW), world=square()) == (
        'no way from (0, 1) keeps off what must never be entered: allow that on the page or in '
        'the terminal, or teach something else')
    pilot.permit(NOW, 0, [4])
    pilot.stop(NOW)                     # what was allowed once was allowed for that drive
    pilot.permit(NOW + 20.0, 1)
    refresh(pilot, at(3), NOW + 20.0)
    assert pilot.act(NOW + 20.0).reason is ExecutionReason.FORBIDDEN


# ---- stop -----------------------------------------------------------------------------------

def test_a_stop_is_sent_at_once_and_holds_against_somebody_who_drives():
    robot = Simulation(noise=0.0).until_it_drives()
    for _ in range(5):
        assert robot.go(by_hand=BY_HAND).status is MANUAL
    robot.pilot.sent.clear()
    robot.pilot.stop(robot.now)
    assert robot.pilot.sent == [STOP]
    where = robot.pose
    for _ in range(round((HOLD_S - 0.1) / STEP_S)):
        decision = robot.go(by_hand=BY_HAND)
        assert (decision.status, decision.reason) == (STOPPED, ExecutionReason.HELD)
        assert robot.pose == where
    assert execution_text(decision) == (
        'STOP: somebody else still sends motion; it is held against for 0 s more at most')
    for _ in range(5):
        decision = robot.go(by_hand=BY_HAND)
    assert decision.status is MANUAL        # the limit that was said


def test_every_command_of_somebody_else_is_answered_by_a_stop():
    pilot = ready()
    pilot.stop(NOW)
    for number in range(1, 6):
        pilot.sent.clear()
        pilot.see_command(BY_HAND, NOW + 0.01 * number)
        assert pilot.sent == [STOP]


def test_commands_that_are_not_finite_are_somebody_elses():
    robot = Simulation(noise=0.0).until_it_drives()
    robot.pilot.sent.clear()
    robot.pilot.see_command(None, robot.now)
    assert robot.pilot.act(robot.now).status is MANUAL
    assert robot.pilot.sent == []
    robot.pilot.stop(robot.now)
    robot.pilot.sent.clear()
    robot.pilot.see_command(None, robot.now)
    assert robot.pilot.sent == [STOP]
    assert robot.pilot.act(robot.now).reason is ExecutionReason.HELD


def test_somebody_who_begins_to_drive_after_a_stop_may():
    pilot = ready()
    pilot.see_command(BY_HAND, NOW - 0.1)
    pilot.stop(NOW)
    later = NOW + TIMEOUT_S + 0.1
    assert pilot.decide(later).reason is ExecutionReason.NOT_ALLOWED
    pilot.sent.clear()
    pilot.see_command(BY_HAND, later)
    assert pilot.sent == []
    assert pilot.decide(later).status is MANUAL


def test_after_a_stop_nobody_who_keeps_asking_gets_the_robot_to_drive():
    robot = Simulation().until_it_drives()
    robot.pilot.stop(robot.now)
    where = robot.pose
    for _ in range(200):
        with pytest.raises(GbsIrlError, match=r'the robot has just been stopped: to let it drive, '
                           r'ask again after [15] s in which nobody asks'):
            robot.pilot.permit(robot.now, 1)
        assert robot.go().status is STOPPED
    assert robot.pose == where


def test_nor_does_one_who_asks_more_slowly_and_has_asked_before():
    robot = Simulation().until_it_drives()
    for _ in range(MANY):
        robot.pilot.permit(robot.now, 0)
        for _ in range(26):         # every 1.3 s
            robot.go()
    robot.pilot.stop(robot.now)
    where = robot.pose
    for _ in range(20):
        for _ in range(26):
            assert robot.go().status is STOPPED
        with pytest.raises(GbsIrlError, match='ask again after 5 s in which nobody asks'):
            robot.pilot.permit(robot.now, 1)
    assert robot.pose == where


@for_each('every_s', [0.5, 1.5, 6.0, 20.0])
def test_whoever_allows_motion_without_looking_never_wins_against_a_stop(every_s):
    robot = Simulation().until_it_drives()
    robot.pilot.stop(robot.now)
    where = robot.pose
    for _ in range(3):
        for _ in range(round(every_s / STEP_S)):
            assert robot.go().status is STOPPED
        with pytest.raises(GbsIrlError, match=re.escape(
                'somebody has pressed STOP: let it drive again on the page or in the terminal, or '
                'call the service ~/go with {stops: 1}')):
            robot.pilot.permit(robot.now)
    assert robot.pose == where
    robot.pilot.permit(robot.now, 1)        # nor does he keep a person from pressing Go
    robot.until_the_goal()
    robot.pilot.permit(robot.now)           # then all is as before


def test_a_go_does_not_undo_a_stop_that_it_does_not_know_of():
    robot = Simulation().until_it_drives()
    for stops in (1, 2):
        robot.pilot.stop(robot.now)
        assert robot.pilot.stops == stops
    for _ in range(round(GO_AFTER_S / STEP_S) + 1):
        robot.go()
    with pytest.raises(GbsIrlError, match='somebody has pressed STOP since you last looked; '
                       'if all is well, let it drive again'):
        robot.pilot.permit(robot.now, 1)
    for _ in range(round(GO_AFTER_S / STEP_S) + 1):
        robot.go()
    robot.pilot.permit(robot.now, 2)
    robot.until_the_goal()


def test_nor_does_one_who_guesses_all_numbers_one_after_the_other():
    robot = Simulation().until_it_drives()
    for _ in range(5):
        robot.pilot.stop(robot.now)
    for _ in range(round(3.0 / STEP_S)):
        robot.go()
    for stops in range(8):
        with pytest.raises(GbsIrlError, match='since you last looked' if stops != 5 else
                           'ask again after 5 s in which nobody asks'):
            robot.pilot.permit(robot.now, stops)
        assert robot.go().status is STOPPED
    for _ in range(round(5.0 / STEP_S) + 1):
        robot.go()
    robot.pilot.permit(robot.now, 5)        # he does not keep others from it for ever
    robot.until_the_goal()


def test_somebody_who_asks_again_after_a_moment_does():
    robot = Simulation().until_it_drives()
    robot.pilot.stop(robot.now)
    for _ in range(round(GO_AFTER_S / STEP_S) + 1):
        assert robot.go().status is STOPPED
    robot.pilot.permit(robot.now, 1)
    robot.until_the_goal()
    assert robot.state in robot.goals


def test_a_zero_velocity_of_somebody_else_ends_the_drive():
    robot = Simulation().until_it_drives()
    robot.pilot.see_command(STOP, robot.now)
    where = robot.pose
    for _ in range(100):
        decision = robot.go()
        assert (decision.status, decision.reason) == (STOPPED, ExecutionReason.STOPPED_BY_OTHERS)
    assert robot.pose == where
    robot.pilot.permit(robot.now)
    robot.until_the_goal()


@for_each('zeros', [0, 50])
def test_nobody_who_keeps_allowing_motion_wins_against_zeros_of_another_node(zeros):
    robot = Simulation().until_it_drives()
    robot.pilot.permit(robot.now)
    robot.pilot.see_command(STOP, robot.now)
    where = robot.pose
    for number in range(round(3.0 * INSISTENT_S / STEP_S)):
        if number % 2 and number < 2 * zeros:
            robot.pilot.see_command(STOP, robot.now)        # ten a second
        with pytest.raises(GbsIrlError, match=r'another node has told the robot to stand, by a '
                           r'zero velocity on cmd_vel: ask again after [15] s in which none comes '
                           r'and nobody asks'):
            robot.pilot.permit(robot.now)
        assert robot.go().status is STOPPED
    assert robot.pose == where
    for _ in range(round(INSISTENT_S / STEP_S) + 1):
        robot.go()
    robot.pilot.permit(robot.now)
    robot.until_the_goal()


def test_who_allows_motion_once_after_a_zero_waits_for_a_second():
    robot = Simulation().until_it_drives()
    robot.pilot.see_command(STOP, robot.now)
    for _ in range(round(GO_AFTER_S / STEP_S) + 1):
        robot.go()
    robot.pilot.permit(robot.now)
    robot.until_the_goal()


def test_zeros_do_not_while_a_person_drives_or_nobody_does():
    robot = Simulation(noise=0.0).until_it_drives()
    robot.go(by_hand=BY_HAND)
    robot.pilot.see_command(STOP, robot.now)     # as a joystick does that is let go
    for _ in range(round((TIMEOUT_S + 0.2) / STEP_S)):
        decision = robot.go()
    assert decision.status is DRIVING
    pilot = Pilot()
    pilot.see_command(STOP, NOW)
    assert pilot.decide(NOW).reason is ExecutionReason.NOT_ALLOWED


WRONG_POSES = {
    ExecutionReason.NOT_MOVING: lambda robot, pose: robot.first,
    ExecutionReason.POSE_JUMPED: lambda robot, pose: Pose(pose.x + 1.5, pose.y, pose.yaw),
    ExecutionReason.WRONG_WAY: lambda robot, pose: Pose(
        2 * robot.first.x - pose.x, 2 * robot.first.y - pose.y, pose.yaw),
}


@for_each('reason', WRONG_POSES, ids=lambda reason: reason.value)
def test_a_robot_stops_for_good_when_its_pose_cannot_be_right(reason):
    robot = Simulation(6, noise=0.0).until_it_drives()
    robot.first = robot.pose
    robot.told = WRONG_POSES[reason]
    for _ in range(200):
        decision = robot.go()
        if decision.status is not DRIVING:
            break
    assert (decision.status, decision.reason) == (STOPPED, reason)
    where = robot.pose
    robot.told = lambda robot, pose: pose
    for _ in range(50):
        assert robot.go().reason is reason
    assert robot.pose == where
    robot.pilot.permit(robot.now)
    robot.until_the_goal()
    assert robot.state in robot.goals


@for_each('is_goal', [False, True])
def test_a_jump_to_where_there_is_nothing_to_do_is_a_jump_too(is_goal):
    robot = Simulation(6, noise=0.0).until_it_drives()
    there = Pose(*robot.pilot._cells.centre(next(iter(robot.goals))), 0.0) if is_goal \
        else Pose(0.5, -40.0, 0.0)
    assert robot.pilot.decide(robot.now).status is DRIVING
    robot.told = lambda robot, pose: there
    assert robot.go().reason is ExecutionReason.POSE_JUMPED
    where = robot.pose
    robot.told = lambda robot, pose: pose
    for _ in range(50):
        assert robot.go().reason is ExecutionReason.POSE_JUMPED
    assert robot.pose == where
    robot.pilot.permit(robot.now)
    robot.until_the_goal()


# ---- a managed node that is not active ----------------------------------------------------------

NOT_ACTIVE = (ExecutionReason.NOT_ACTIVE, ('inactive', '/controller', 'activate'))


def test_what_is_not_active_sends_one_zero_and_then_nothing():
    pilot = ready()
    assert pilot.velocity(NOW).forward > 0.0
    pilot.sent.clear()
    pilot.deactivate(NOT_ACTIVE, NOW)
    for step in range(40):
        refresh(pilot, Pose(1.5, 1.5, 0.0), NOW + STEP_S * step)
        assert pilot.act(NOW + STEP_S * step).reason is ExecutionReason.NOT_ACTIVE
    assert pilot.sent == [STOP]
    with pytest.raises(GbsIrlError, match='the controller is inactive, so it moves nothing: ros2 '
                                          'lifecycle set /controller activate'):
        pilot.permit(NOW + 3.0)


def test_what_a_person_drives_is_left_alone_when_the_node_is_deactivated():
    pilot = ready()
    drives_by_hand(pilot, [4, 5])
    pilot.deactivate(NOT_ACTIVE, NOW + 0.1)
    assert pilot.act(NOW + 0.1).reason is ExecutionReason.NOT_ACTIVE
    assert pilot.sent == []
    pilot.activate()
    assert lets_go(pilot, 5).reason is ExecutionReason.NOT_ALLOWED
    assert pilot.take_correction() is None


def test_a_stop_holds_against_others_where_the_node_is_not_active():
    pilot = ready()
    pilot.deactivate(NOT_ACTIVE, NOW)
    pilot.override.saw(BY_HAND, NOW)
    pilot.stop(NOW)
    pilot.sent.clear()
    pilot.see_command(BY_HAND, NOW + 0.1)
    assert pilot.sent == [STOP]
    assert pilot.act(NOW + 0.1).reason is ExecutionReason.HELD


def test_only_what_a_person_allowed_is_over_when_the_node_is_active_again():
    for by_launch_file, is_stopped, drives in (
            (False, False, False), (True, False, True), (True, True, False)):
        pilot = ready()
        pilot.gate.always_permitted = by_launch_file
        if is_stopped:
            pilot.stop(NOW)
        pilot.deactivate(NOT_ACTIVE, NOW)
        pilot.activate()
        pilot.decide(NOW)
        pilot.gate.see_odometry(NOW + LOOK_ROUND_S)
        pilot.gate.heartbeat_timeout_s = 2.0 * LOOK_ROUND_S
        assert (pilot.decide(NOW + LOOK_ROUND_S).status is DRIVING) == drives


def test_it_stops_when_those_who_watch_over_it_for_a_person_are_not_heard_again():
    robot = Simulation().until_it_drives()
    for _ in range(20):
        robot.pilot.see_watch(2.0 * STEP_S, robot.now)
        assert robot.go().status is DRIVING
    for _ in range(3):
        decision = robot.go()
    assert (decision.status, decision.reason) == (STOPPED, ExecutionReason.NOT_ALLOWED)
    robot.pilot.permit(robot.now)
    robot.pilot.see_watch(2.0 * STEP_S, robot.now)
    robot.pilot.see_watch(0.0, robot.now)       # they no longer do
    robot.until_it_drives()
    robot.pilot.see_command(STOP, robot.now)
    robot.pilot.see_watch(2.0 * STEP_S, robot.now)
    for _ in range(5):          # what stands for another reason stands for that
        assert robot.go().reason is ExecutionReason.STOPPED_BY_OTHERS


def test_what_the_launch_file_allows_begins_a_moment_later_so_that_a_stop_can_come_before():
    for trouble, drives in ((lambda pilot: None, True), (lambda pilot: pilot.stop(NOW), False)):
        pilot = ready()
        pilot.gate.take_back()
        pilot.gate.always_permitted = True
        for late_s in (0.0, 0.3, 0.6, 0.9 * LOOK_ROUND_S):
            pilot.gate.see_odometry(NOW + late_s)
            pilot.gate.heartbeat_timeout_s = 2.0 * LOOK_ROUND_S
            decision = pilot.act(NOW + late_s)
            assert decision.target is None
            assert decision.reason is ExecutionReason.STARTING
        trouble(pilot)
        pilot.gate.see_odometry(NOW + LOOK_ROUND_S)
        assert (pilot.act(NOW + LOOK_ROUND_S).status is DRIVING) == drives
