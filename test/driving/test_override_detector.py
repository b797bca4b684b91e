"""Whether a person drives: own commands that come back, and others."""

from __future__ import annotations

import numpy as np
from cases import for_each

from gbs_irl_ros.driving.drive import ON_ITS_WAY_S, REMEMBERED, SteeringDrive
from gbs_irl_ros.driving.override_detector import TIMEOUT_S, OverrideDetector
from gbs_irl_ros.driving.pose import STOP, Velocity

OWN, OTHER = Velocity(0.3, -0.1), Velocity(0.5, 0.0)


class Manual(OverrideDetector):
    """Watches the commands of a drive that steers, and those of others."""

    def __init__(self, *given):
        drive = SteeringDrive(lambda velocity: None)
        super().__init__(drive.is_own, *given)
        self.sent = drive.send


def random_velocities(rng, count):
    return [Velocity(*rng.uniform(-1.0, 1.0, 2)) for _ in range(count)]


def test_nobody_drives_at_first():
    assert not Manual().is_driving(0.0)


def test_an_own_command_that_comes_back_is_not_a_person():
    manual = Manual()
    manual.sent(OWN, 1.0)
    manual.saw(OWN, 1.0)
    assert not manual.is_driving(1.0)


def test_a_command_that_was_never_sent_is_a_person():
    manual = Manual()
    manual.sent(OWN, 1.0)
    manual.saw(OTHER, 1.0)
    assert manual.is_driving(1.0)


@for_each('other', [
    Velocity(OWN.forward, -OWN.turn), Velocity(-OWN.forward, OWN.turn), Velocity(OWN.forward),
    Velocity(np.nextafter(OWN.forward, 1.0), OWN.turn),
    Velocity(OWN.forward, OWN.turn, sideways=0.1), Velocity(sideways=-0.1)])
def test_nearly_an_own_command_is_a_person(other):
    manual = Manual()
    manual.sent(OWN, 1.0)
    manual.saw(other, 1.0)
    assert manual.is_driving(1.0)


def test_an_own_command_comes_back_once_and_the_second_time_is_a_person():
    manual = Manual()
    manual.sent(OWN, 1.0)
    manual.saw(OWN, 1.1)
    assert not manual.is_driving(1.1)
    manual.saw(OWN, 1.2)
    assert manual.is_driving(1.2)


def test_the_same_command_may_come_back_as_often_as_it_was_sent():
    manual = Manual()
    for _ in range(5):
        manual.sent(OWN, 1.0)
    for _ in range(5):
        manual.saw(OWN, 1.0)
    assert not manual.is_driving(1.0)
    manual.saw(OWN, 1.0)
    assert manual.is_driving(1.0)


def test_own_commands_may_come_back_late_and_in_any_order(rng):
    manual, sent = Manual(), random_velocities(rng, 50)
    for velocity in sent:
        manual.sent(velocity, 3.0)
    for number, index in enumerate(rng.permutation(50)):
        manual.saw(sent[index], 3.0 + ON_ITS_WAY_S * number / 50)
    assert not manual.is_driving(3.0 + ON_ITS_WAY_S)


def test_an_own_command_that_comes_back_too_late_is_a_person():
    for late, is_person in ((ON_ITS_WAY_S, False), (1.001 * ON_ITS_WAY_S, True)):
        manual = Manual()
        manual.sent(OWN, 0.0)
        manual.saw(OWN, late)
        assert manual.is_driving(late) == is_person


def test_who_drives_as_the_robot_did_a_while_ago_is_a_person():
    manual = Manual()
    for number in range(20):                    # none of these comes back
        manual.sent(OWN, 0.05 * number)
    manual.saw(OWN, 9.0)
    assert manual.is_driving(9.0)


def test_own_commands_are_forgotten_one_by_one():
    manual = Manual()
    manual.sent(OWN, 0.0)
    manual.sent(OTHER, 0.5)
    manual.saw(OTHER, 3.25)
    assert not manual.is_driving(3.25)
    manual.saw(OWN, 3.25)
    assert manual.is_driving(3.25)


def test_an_own_command_that_comes_back_late_is_not_a_person():
    """A controller that got no processor for a second fell silent instead of stopping."""
    manual = Manual()
    manual.sent(OWN, 0.0)
    manual.saw(OWN, 1.5)
    assert not manual.is_driving(1.5)


def test_a_person_is_noticed_between_own_commands(rng):
    manual = Manual()
    for now, velocity in enumerate(random_velocities(rng, 20)):
        manual.sent(velocity, float(now))
        manual.saw(velocity, float(now))
        if now == 10:
            manual.saw(OTHER, float(now))
        assert manual.is_driving(float(now)) == (now in (10, 11))


def test_standing_still_is_nobodys_command():
    manual = Manual()
    manual.saw(STOP, 1.0)
    manual.saw(Velocity(-0.0, 0.0), 1.0)
    assert not manual.is_driving(1.0)


def test_standing_still_does_not_go_on_with_driving():
    manual = Manual()
    manual.saw(OTHER, 1.0)
    manual.saw(STOP, 1.9)
    assert not manual.is_driving(1.0 + TIMEOUT_S + 0.5)


def test_own_stops_do_not_use_up_what_is_remembered():
    manual = Manual()
    manual.sent(OWN, 1.0)
    for _ in range(2 * REMEMBERED):
        manual.sent(STOP, 1.0)
    manual.saw(OWN, 1.0)
    assert not manual.is_driving(1.0)


def test_only_so_many_own_commands_are_remembered():
    manual = Manual()
    manual.sent(OWN, 1.0)
    for number in range(REMEMBERED):
        manual.sent(Velocity(1.0, float(number)), 1.0)
    manual.saw(Velocity(1.0, 0.0), 1.0)
    assert not manual.is_driving(1.0)
    manual.saw(OWN, 1.0)
    assert manual.is_driving(1.0)


def test_driving_ends_just_after_the_timeout():
    manual = Manual(0.5)
    manual.saw(OTHER, 2.0)
    assert manual.is_driving(2.0)
    assert manual.is_driving(2.5)
    assert not manual.is_driving(float(np.nextafter(2.5, 3.0)))


def test_every_command_of_a_person_prolongs_driving():
    manual = Manual(0.5)
    for now in (1.0, 1.4, 1.8):
        manual.saw(OTHER, now)
    assert manual.is_driving(2.25)


def test_who_has_stopped_may_drive_again():
    manual = Manual()
    manual.saw(OTHER, 1.0)
    assert not manual.is_driving(9.0)
    manual.saw(OTHER, 10.0)
    assert manual.is_driving(10.0)
