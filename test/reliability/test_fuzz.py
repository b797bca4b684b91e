"""Whatever comes in, the package answers with an error of its own; and a fault would be found."""

from __future__ import annotations

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from soak import fuzz
from soak.fuzz_worker import fuzz_target

pytestmark = pytest.mark.ros
SEED = 20130729
INPUTS = 2000
LONGEST_S = 600.0       # it is the count that ends it


@for_each('target', fuzz.TARGETS)
def test_no_input_raises_a_foreign_exception(target):
    found = fuzz_target(target, SEED, INPUTS, LONGEST_S)
    assert found['findings'] == []
    assert found['tried'] == INPUTS
    assert INPUTS > found['accepted'] > INPUTS / 200        # some are right, some wrong


@for_each('target', fuzz.TARGETS)
def test_an_exception_inside_the_package_is_found(target):
    found = fuzz_target(target, SEED, fuzz.CONTROL_INPUTS, LONGEST_S, fault=True)
    assert 'ZeroDivisionError' in found['findings'][0]['error']


def test_a_process_that_fuzzes_says_what_it_has_done():
    assert fuzz.worked('messages', SEED, 10, LONGEST_S)['tried'] == 10
    assert 'ModuleNotFoundError' in fuzz.worked(
        'nothing', SEED, 10, LONGEST_S)['findings'][0]['where']
