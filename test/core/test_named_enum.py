"""Enumerations whose members are known by name."""

from __future__ import annotations

import pytest

from gbs_irl_ros.core.errors import UnknownNameError
from gbs_irl_ros.core.named_enum import NamedEnum, no_other_case


class TrafficLight(NamedEnum):
    RED = 'red'
    GREEN = 'green'


def test_members_are_found_by_name_or_as_themselves():
    assert TrafficLight('red') is TrafficLight(TrafficLight.RED) is TrafficLight.RED


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(UnknownNameError) as caught:
        TrafficLight('gren')
    assert str(caught.value) == (
        "unknown traffic light 'gren'; known: ['green', 'red']. Did you mean 'green'?")


def test_a_forgotten_case_is_named():
    with pytest.raises(AssertionError, match=r'there is no case for <TrafficLight\.RED'):
        no_other_case(TrafficLight.RED)
