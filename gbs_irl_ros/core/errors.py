"""Every error this package raises on purpose; each is also a built-in one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GbsIrlError(Exception):
    """Base of all of them."""


class InvalidMdpError(GbsIrlError, ValueError):
    """The arrays given do not describe an MDP."""


class InvalidRewardsError(GbsIrlError, ValueError):
    """The arrays given do not describe rewards for this MDP."""


class InvalidHypothesesError(GbsIrlError, ValueError):
    """The hypotheses cannot be told apart by any answer, or do not fit together."""


class InvalidNoiseError(GbsIrlError, ValueError):
    """The noise model is not one."""


class InvalidQuestionError(GbsIrlError, ValueError):
    """The question is about something that does not exist."""


class InvalidAnswerError(GbsIrlError, ValueError):
    """The answer names something that does not exist, or does not fit its question."""


class ImpossibleAnswerError(GbsIrlError, ValueError):
    """No hypothesis allows the answer: believing it would leave nothing to believe."""


class InvalidRecordError(GbsIrlError, ValueError):
    """A record that travels between nodes contradicts itself."""


class NotConvergedError(GbsIrlError, RuntimeError):
    """An algorithm ended without the accuracy that was asked for."""


class VanishingValuesError(GbsIrlError, ValueError):
    """Values are too small for floating-point numbers, so actions cannot be compared."""


class UnknownNameError(GbsIrlError, KeyError):
    """A name is in no table."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(str(name), names, n=1)
        hint = f' Did you mean {close[0]!r}?' if close else ''
        self._message = f'unknown {what} {name!r}; known: {names}.{hint}'
        super().__init__(self._message)

    def __str__(self) -> str:
        return self._message
