"""Saved policies with right checksums and wrong contents."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning import saved_policy
from gbs_irl_ros.learning.records import PolicyRecord
from soak.choices import Choices, changed

TEXT = 'saved policies'
FAULT = 'gbs_irl_ros.learning.records.PolicyRecord.__post_init__'


@contextlib.contextmanager
def make(folder: Path) -> Iterator[Callable[[Choices], bool]]:
    """Give the function."""
    path = folder / 'saved.json'
    saved_policy.save_policy(PolicyRecord('s', 1, 'f' * 64, Policy(
        np.full(3, 2), np.ones(3), np.array([2]), 4), final=True), path)
    right = json.loads(path.read_text())

    def feed(choose: Choices) -> bool:
        values = changed(right, choose)
        if isinstance(values, dict) and not choose.chance(8):
            try:
                values['checksum'] = saved_policy._checksum(values)
            except (TypeError, ValueError):
                return False
        path.write_text(json.dumps(values), encoding='utf-8', errors='surrogatepass')
        try:
            saved_policy.load_policy(path)
        except GbsIrlError:
            return False
        return True
    yield feed
