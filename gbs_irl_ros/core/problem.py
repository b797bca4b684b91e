"""What a learner is given: hypotheses, how the teacher errs, and where the robot may start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel


class Teachable(Protocol):
    """What the learner needs of a task."""

    @property
    def hypotheses(self) -> Hypotheses:
        """Return the tasks that may be meant."""
        ...

    @property
    def noise(self) -> NoiseModel:
        """Return how the teacher errs."""
        ...

    @property
    def start(self) -> np.ndarray:
        """Return ``[S]``, where the robot may start."""
        ...


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """
    The simplest task: hypotheses, how the teacher errs, and where the robot may start.

    start: ``[S]``, read-only.
    has_map: a person can point at any place.
    """

    hypotheses: Hypotheses
    noise: NoiseModel
    start: np.ndarray = field(repr=False)
    has_map: bool = field(repr=False)

    def __init__(self, hypotheses: Hypotheses, noise: NoiseModel | None = None,
                 start: np.ndarray | None = None, *, has_map: bool = True) -> None:
        """
        Check the start.

        :param noise: ``NoiseModel()`` if None.
        :param start: uniform if None.
        """
        vars(self).update(hypotheses=hypotheses, noise=noise or NoiseModel(),
                          start=hypotheses.mdp.checked_start(start), has_map=has_map)
