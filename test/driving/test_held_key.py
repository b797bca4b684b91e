"""Held or pressed: told apart by how fast a key comes."""

from __future__ import annotations

from gbs_irl_ros.driving.held_key import RELEASED_S, HeldKey

DELAY_S, REPEAT_S = 0.5, 0.033      # as terminals have it


def test_one_that_was_held_is_released_wherever_that_happens():
    for repetitions in range(2, 60):        # for up to two seconds: some end between two cells
        key, now = HeldKey(), 100.0
        key.see(1, now)
        now += DELAY_S
        for _ in range(repetitions + 1):
            assert not key.is_released(now)
            key.see(1, now)
            now += REPEAT_S
        assert not key.is_released(now)
        assert key.is_released(now + RELEASED_S)


def test_single_presses_however_many_are_not_held():
    key = HeldKey()
    for number in range(20):
        key.see(1, 100.0 + 0.15 * number)
        assert not key.is_released(100.0 + 0.15 * number + RELEASED_S)
    for number in range(20):
        key.see(number % 2, 200.0 + 0.05 * number)      # two keys
    assert not key.is_released(300.0)


def test_one_that_was_pressed_again_after_its_release_is_pressed():
    key = HeldKey()
    for number in range(10):
        key.see(1, 100.0 + REPEAT_S * number)
    assert key.is_released(101.0)
    key.see(1, 101.0)
    assert not key.is_released(102.0)
