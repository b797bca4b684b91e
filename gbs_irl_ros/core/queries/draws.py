"""Random numbers for choices, of which most need none."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np


class _Draws:
    """Stands for a generator until one is needed: making it takes longer than a small question."""

    def __init__(self, seed: tuple[int, ...]) -> None:
        self._seed = seed

    @cached_property
    def generator(self) -> np.random.Generator:
        """Return the generator itself."""
        return np.random.default_rng(self._seed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.generator, name)


def draws(*seed: int) -> np.random.Generator:
    """Return ``default_rng(seed)``, made when it is first used."""
    return cast(np.random.Generator, _Draws(seed))


def generator_of(rng: np.random.Generator) -> np.random.Generator:
    """Return the generator that stands behind ``draws``; any other as it is."""
    return rng.generator if isinstance(rng, _Draws) else rng
