"""Which publishers count: those that were killed do not, and nobody gains by coming beside one."""

from __future__ import annotations

import pytest

from gbs_irl_ros.driving.living_publishers import LivingPublishers

TIMEOUT_S = 0.5
TOPICS = ('policy', 'heartbeat')


class Listed:
    """Publishers that come and go; each has its own id on each topic."""

    def __init__(self, *who):
        self.publishers = LivingPublishers()
        self.now = 100.0
        self.list(*who)

    def list(self, *who):
        for topic in TOPICS:
            self.publishers.see(topic, [f'{topic} {each}'.encode() for each in who])

    def beat(self, *counts):
        for count in counts:
            self.now += 0.1
            self.publishers.see_heartbeat(count, self.now, TIMEOUT_S)

    def wait(self, seconds=TIMEOUT_S + 0.1):
        self.now += seconds

    @property
    def numbers(self):
        return [self.publishers.number(topic, self.now, TIMEOUT_S) for topic in TOPICS]


@pytest.fixture
def killed():
    """Return a learner that was killed, and has not been followed by anybody yet."""
    listed = Listed('first')
    listed.beat(7, 8, 9)
    listed.wait()
    return listed


def test_those_that_are_there_are_counted_as_long_as_nobody_was_silent():
    listed = Listed()
    assert listed.numbers == [0, 0]
    for who in (['first'], ['first', 'second'], ['second'], ['a', 'b', 'c']):
        listed.list(*who)
        listed.wait(100.0)      # before the first beat nobody can be told from the others
        assert listed.numbers == [len(who)] * 2


def test_one_that_was_killed_does_not_count_beside_the_one_that_takes_its_place(killed):
    assert killed.numbers == [1, 1]         # alone: whether it is silent, others judge
    killed.list('first', 'second')
    assert killed.numbers == [1, 1]
    killed.beat(1, 2, 3)
    assert killed.numbers == [1, 1]
    killed.wait()                           # and so on, before the first is forgotten
    killed.list('first', 'second', 'third')
    killed.beat(1, 2)
    assert killed.numbers == [1, 1]
    killed.list('third')
    killed.beat(3)
    assert killed.numbers == [1, 1]


def test_the_new_one_may_come_before_the_silence_was_long_enough():
    listed = Listed('first')
    listed.beat(7, 8)
    listed.wait(0.1)
    listed.list('first', 'second')
    assert listed.numbers == [2, 2]
    listed.wait()
    assert listed.numbers == [1, 1]


def test_the_first_beat_of_the_new_one_is_its_own_even_if_nobody_looked_before(killed):
    killed.list('first', 'second')
    killed.beat(1, 2)
    assert killed.numbers == [1, 1]


def test_a_second_one_beside_one_that_lives_counts():
    listed = Listed('first')
    listed.beat(7, 8)
    listed.list('first', 'second')
    assert listed.numbers == [2, 2]
    listed.beat(9, 10, 10**18, 11, 10**18 + 1)      # forged ones, so that the real look old
    listed.wait(0.3)
    assert listed.numbers == [2, 2]
    listed.wait()       # both were there when the last was heard
    listed.list('first', 'second', 'third')
    listed.beat(1, 2, 3)
    assert listed.numbers == [1, 1]
    listed.list('first', 'second', 'third', 'fourth')
    assert listed.numbers == [2, 2]


def test_one_that_was_only_stopped_and_goes_on_beside_another_counts_again(killed):
    killed.list('first', 'second')
    killed.beat(20, 21)
    assert killed.numbers == [1, 1]
    killed.beat(10)             # the first is not dead
    assert killed.numbers == [2, 2]
    killed.beat(22, 11, 23, 12)
    assert killed.numbers == [2, 2]


def test_one_that_speaks_again_before_anybody_came_was_not_dead(killed):
    killed.beat(10, 11)
    killed.list('first', 'second')
    assert killed.numbers == [2, 2]


def test_two_that_come_after_a_silence_are_two(killed):
    killed.list('first', 'second', 'third')
    killed.beat(1, 2)
    assert killed.numbers == [2, 2]


def test_the_one_that_took_its_place_may_be_slow_and_the_dead_stay_dead(killed):
    killed.list('first', 'second')
    killed.beat(1, 2, 3)
    for count in (4, 6, 20):        # none has joined, and the count continues
        killed.wait()
        killed.beat(count)
        assert killed.numbers == [1, 1]
    killed.beat(5)                  # another voice
    assert killed.numbers == [2, 2]


def test_one_of_two_that_was_slow_is_still_one_of_two():
    listed = Listed('first')
    listed.beat(7, 8)
    listed.list('first', 'second')
    listed.beat(9)
    listed.wait()
    listed.beat(10)
    assert listed.numbers == [2, 2]


def test_the_first_beat_of_the_new_one_may_come_before_it_is_listed(killed):
    killed.beat(1)
    killed.list('first', 'second')
    killed.beat(2, 3)
    assert killed.numbers == [1, 1]
    killed.wait()
    killed.beat(1)                  # but not if the dead may have risen
    assert killed.numbers == [2, 2]


def test_one_that_rises_when_the_others_have_gone_counts_beside_the_next(killed):
    killed.list('first', 'second')
    killed.beat(10, 11)
    killed.list('first')            # as it seems: the count continues
    for count in range(12, 20):
        killed.beat(count)
    killed.list('first', 'third')
    assert killed.numbers == [2, 2]
