"""
The kinds of hypotheses, one file each: what a task file says of them, and how they are made.

A new kind is a file with ``FIELDS`` and ``read``, and a line in ``HYPOTHESES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.tasks.files.spec import Located, Record
from gbs_irl_ros.tasks.hypotheses import (
    explicit,
    features,
    goals,
    own_rewards,
    places,
    random_rewards,
)
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld


class HypothesisKind(Protocol):
    """
    A file of this folder.

    FIELDS: its keys in a task file.
    """

    FIELDS: Record

    def read(self, values: Located, built: BuiltWorld) -> Candidates:
        """Return what may be meant; raise TaskFileError with all that is wrong in the values."""
        ...


HYPOTHESES: Mapping[str, HypothesisKind] = {
    'goals': goals,
    'places': places,
    'features': features,
    'random': random_rewards,
    'own': own_rewards,
    'explicit': explicit,
}
