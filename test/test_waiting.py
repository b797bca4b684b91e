"""Waits have deadlines that fit the machine, and say what they waited for."""

from __future__ import annotations

import pytest
import waiting
from waiting import patience, slowness, wait_for


@pytest.fixture
def speed(monkeypatch):
    """A function that makes the machine as slow as it is told, from now on."""
    def set_to(times):
        monkeypatch.setattr(waiting, 'slowness', lambda: times)
    return set_to


def test_the_first_true_result_is_returned():
    results = iter([None, 0, 'there', 'later'])
    assert wait_for(lambda: next(results), 'it') == 'there'


def test_what_was_waited_for_is_said_as_it_is_at_the_deadline(speed):
    speed(1.0)
    looked = []
    with pytest.raises(AssertionError, match=r'waited 0\.1 s in vain for a bus; looked \d+ times'):
        wait_for(lambda: looked.append(1), lambda: f'a bus; looked {len(looked)} times', 0.1)
    assert len(looked) > 1


def test_a_lookup_that_fails_means_not_yet(speed):
    speed(1.0)
    found = []

    def look():
        found.append(len(found))
        return found[3]
    assert wait_for(look, 'the fourth') == 3
    with pytest.raises(AssertionError, match='in vain') as caught:
        wait_for(lambda: {}['key'], 'a key', 0.01)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.slow
def test_on_a_slow_machine_the_deadline_is_put_off(speed):
    speed(5.0)
    with pytest.raises(AssertionError, match=r'waited 0\.5 s in vain'):
        wait_for(lambda: False, 'nothing', 0.1)
    assert patience(2.0) == 10.0


def test_slowness_is_that_of_the_work_or_of_the_load(monkeypatch):
    assert 1.0 <= slowness() <= 10.0
    assert slowness() == slowness()     # not measured each time
    cores = waiting.os.cpu_count()
    for load, expected in ((0.0, 1.0), (3.0 * cores, 3.0), (1000.0 * cores, 10.0)):
        monkeypatch.setattr(waiting.os, 'getloadavg', lambda load=load: (load, 0.0, 0.0))
        monkeypatch.setattr(waiting, 'USUAL_S', 100.0)
        assert waiting._measure() == expected
    monkeypatch.setattr(waiting.os, 'getloadavg', lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(waiting, 'USUAL_S', 1e-9)
    assert waiting._measure() == 10.0
