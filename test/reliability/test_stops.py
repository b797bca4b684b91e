"""The robot stops within a second, whatever goes wrong: ten times each."""

from __future__ import annotations

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from waiting import patience

from soak import stops
from soak.stages import PageStage, PlayedStage, TaughtStage

pytestmark = pytest.mark.ros
SEED = 20130729
EACH = 10
WITHIN_S = 1.0      # a frozen pose takes longer to be noticed: `make soak` and test_robot_over_ros


@pytest.mark.parametrize(('stage', 'robots'), [
    (PlayedStage, 4), (TaughtStage, 2), (PageStage, 2)], ids=lambda value: str(
        getattr(value, '__name__', value)))
def test_every_stop_is_in_time(tmp_path, stage, robots):
    troubles = [trouble for trouble in stops.TROUBLES
                if trouble.stage is stage and trouble.limit_s <= WITHIN_S]
    found = stops.StopTimes(tmp_path, SEED, troubles, EACH)
    found.run({stage: robots})
    assert not found.problems, found.problems
    late = [f'{trouble.name}: {max(found.times[trouble.name]):.2f} s' for trouble in troubles
            if max(found.times[trouble.name]) > patience(trouble.limit_s)]
    assert late == []
    assert {len(times) for times in found.times.values()} == {EACH}


def test_robots_that_are_stopped_late_or_never_are_noticed(tmp_path):
    caught = stops.controls(tmp_path, SEED)
    assert [control.what for control in caught if not control.caught] == []
