"""What the parts of a lesson tell each other: the checksum of a policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from cases import for_each

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.records import PolicyRecord


def record(**changes):
    parts = {'action_sets': [1, 2, 3], 'confidence': [1.0, 0.5, 0.25], 'goal_states': [2],
             'num_actions': 2, 'never': []}
    policy = Policy(**{name: changes.pop(name, value) for name, value in parts.items()})
    return replace(PolicyRecord('s', 1, 'f' * 64, policy, stamp=5), **changes)


@for_each('change', [
    {'session': 'other'}, {'sequence': 2}, {'task_hash': 'e' * 64}, {'final': True},
    {'action_sets': [1, 2, 2]}, {'confidence': [1.0, 0.5, 0.26]}, {'goal_states': [1]},
    {'goal_states': []}, {'goal_states': [1, 2]}, {'never': [1]}])
def test_the_checksum_covers_all_that_a_robot_obeys(change):
    assert record(**change).checksum != record().checksum


def test_the_checksum_is_that_of_the_content_and_not_of_the_moment():
    assert record(stamp=6).checksum == record().checksum
    assert record(final=np.bool_(False)).checksum == record().checksum
